/*
 * Command lines of compilers as build tools write them, a word for each line; "@response" is a response file, which
 * holds what comes after a NUL. The first byte chooses dialect and language.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "toolchains/wrapper/response.h"
#include "toolchains/wrapper/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char cc[] = "/usr/bin/cc", cxx[] = "/usr/bin/c++", bits[] = "-m64", log[] = "/log";
	struct mm_wrapper_config config = { .cc = cc, .cxx = cxx, .bits = bits, .log = log, .enforce = true };
	struct mm_strings args = MM_STRINGS_INIT, argv = MM_STRINGS_INIT;
	struct mm_words words = { 0 };
	struct mm_line line;
	if (size < 1)
		return 0;
	config.dialect = data[0] & 1 ? MM_DIALECT_STUDIO : MM_DIALECT_GNU;
	config.enforce = (data[0] & 4) == 0;
	bool is_cxx = (data[0] & 2) != 0;
	data++;
	size--;
	mm_strings_split(&config.c, "-O2 -DX");
	mm_strings_split(&config.cxx_words, "-O2 -DX");
	char *text = fuzz_take(&data, &size), *rest = NULL;
	const char *response = fuzz_file("response", data, size);
	for (char *word = strtok_r(text, "\n", &rest); word; word = strtok_r(NULL, "\n", &rest)) {
		if (strcmp(word, "@response") == 0)
			mm_strings_pushf(&args, "@%s", response);
		else if (*word != '@')
			mm_strings_push(&args, word);
	}
	mm_rewrite(&config, is_cxx, args.items, args.count, &line, &words, "/");
	mm_rewrite_argv(cc, &words, &argv);
	fuzz_must(argv.count >= 1 && strcmp(argv.items[0], cc) == 0, "the compiler first");
	fuzz_must(line.kind < MM_LINE_KIND_COUNT && line.language < MM_LANGUAGE_COUNT, "a kind and a language");
	mm_words_release(&words);
	mm_strings_release(&argv);
	mm_strings_release(&args);
	mm_strings_release(&config.c);
	mm_strings_release(&config.cxx_words);
	free(text);
	return 0;
}
