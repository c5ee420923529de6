/* The file "config" that tells the compiler wrapper what its cell asks for. */
#include <string.h>

#include "fuzz.h"
#include "toolchains/wrapper/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_wrapper_config config = { 0 }, again = { 0 };
	struct mm_buffer text = MM_BUFFER_INIT;
	int code = mm_wrapper_config_read("config", size ? (const char *)data : "", size, &config, &err);
	fuzz_expect(code, &err);
	if (!code && mm_wrapper_config_write(&config, &text, &err) == 0) {
		fuzz_must(mm_wrapper_config_read("config", mm_buffer_text(&text), text.length, &again, &err) == 0,
			  "a configuration that can be read again");
		fuzz_must(strcmp(config.cc, again.cc) == 0 && config.c.count == again.c.count, "the same one");
	}
	mm_buffer_release(&text);
	mm_wrapper_config_release(&again);
	mm_wrapper_config_release(&config);
	return 0;
}
