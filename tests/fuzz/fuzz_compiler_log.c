/* The log that the compiler wrapper writes, and the flag audit that is made from it. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "toolchains/audit.h"
#include "toolchains/wrapper/record.h"

/* What is read and printed is read as the same again. */
static void there_and_back(const char *line)
{
	struct mm_record record, again;
	struct mm_buffer text = MM_BUFFER_INIT, twice = MM_BUFFER_INIT;
	if (mm_record_parse(line, &record)) {
		mm_record_print(&record, &text);
		text.data[--text.length] = '\0'; /* its end */
		fuzz_must(mm_record_parse(text.data, &again), "a record that can be read again");
		mm_record_print(&again, &twice);
		fuzz_must(strncmp(text.data, twice.data, text.length) == 0, "the same record");
		mm_record_release(&again);
	}
	mm_record_release(&record);
	mm_buffer_release(&text);
	mm_buffer_release(&twice);
}

static void audit(const char *log, enum mm_family family)
{
	char c[] = "-O2 -g", cxx[] = "-O2 -DX", cpp[] = "", ld[] = "-lm";
	const struct mm_flag_words flags = { c, cxx, cpp, ld };
	struct mm_audit_request request = {
		.family = family, .bits_option = "-m64", .flags = &flags, .source = "/src", .build = "/src/build"
	};
	struct mm_error err = MM_ERROR_INIT;
	struct mm_flag_audit audit = { 0 };
	int code = mm_audit_read(log, &request, &audit, &err);
	fuzz_expect(code, &err);
	if (!code) {
		json_t *detail = mm_audit_detail(&audit);
		free(mm_audit_text(detail));
		json_decref(detail);
	}
	mm_audit_release(&audit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = NULL;
	const char *log = fuzz_file("compilers.log", data, size);
	audit(log, MM_FAMILY_GCC);
	audit(log, MM_FAMILY_SUNSTUDIO);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		there_and_back(line);
	free(text);
	return 0;
}
