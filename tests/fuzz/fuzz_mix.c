/* A query mix of the "threads" suite, and the statements that come out of it. */
#include <stdlib.h>

#include "fuzz.h"
#include "runners/mix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_mix_size extent = { 100, 1 };
	struct mm_mix_random random = mm_mix_random_of(1, 2);
	struct mm_buffer out = MM_BUFFER_INIT;
	struct mm_mix mix;
	int code = mm_mix_load(fuzz_file("mix.json", data, size), &mix, &err);
	fuzz_expect(code, &err);
	if (code)
		goto out;
	mm_mix_create(&mix, 1, "", &out);
	mm_buffer_reset(&out);
	fuzz_must(mm_mix_insert(&mix, &extent, 1, 0, 4096, &out) > 0, "a row at least");
	for (int i = 0; i < 20; i++) {
		size_t query = mm_mix_draw(&mix, &random);
		fuzz_must(query < mix.query_count, "a query of the mix");
		mm_mix_statement(&mix, &extent, query, &random, &out);
	}
out:
	mm_buffer_release(&out);
	mm_mix_release(&mix);
	return 0;
}
