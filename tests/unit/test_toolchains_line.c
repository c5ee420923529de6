/* What the compiler wrapper makes of command lines: read, rewritten, configured, recorded; hostile input everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "toolchains/wrapper/config.h"
#include "toolchains/wrapper/record.h"
#include "toolchains/wrapper/response.h"
#include "toolchains/wrapper/rewrite.h"
#include "folder-fixture.h"

static void test_kinds(void **state)
{
	static const struct {
		enum mm_dialect dialect;
		bool cxx;
		const char *line;
		enum mm_line_kind kind;
		enum mm_language language;
		bool probe;
	} cases[] = {
		{ MM_DIALECT_GNU, false, "-O2 -c a.c", MM_LINE_COMPILE, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, true, "-c a.c -o a.o", MM_LINE_COMPILE, MM_LANGUAGE_CXX, false },
		{ MM_DIALECT_GNU, false, "-c a.cc", MM_LINE_COMPILE, MM_LANGUAGE_CXX, false },
		{ MM_DIALECT_GNU, false, "-c a.S", MM_LINE_COMPILE, MM_LANGUAGE_ASM, false },
		{ MM_DIALECT_GNU, false, "-S a.c", MM_LINE_COMPILE, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-E -c a.c", MM_LINE_PREPROCESS, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-c -E a.c", MM_LINE_PREPROCESS, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, true, "a.o b.a -o x", MM_LINE_LINK, MM_LANGUAGE_CXX, false },
		{ MM_DIALECT_GNU, false, "-shared a.o", MM_LINE_LINK, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "a.c -o x -lm", MM_LINE_BUILD, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "--version", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-v", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-print-prog-name=ld", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-### -c a.c", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		/* operands are not inputs: -o a.c makes no source of it, -include no unit */
		{ MM_DIALECT_GNU, false, "-o a.c b.o", MM_LINE_LINK, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-include x.c -c", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-x c++ -c -", MM_LINE_COMPILE, MM_LANGUAGE_CXX, false },
		{ MM_DIALECT_GNU, true, "-xc -c weird", MM_LINE_COMPILE, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-x c a -x none b.o", MM_LINE_BUILD, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-c -- -O2.c", MM_LINE_COMPILE, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-o", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-x", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "-c conftest.c", MM_LINE_COMPILE, MM_LANGUAGE_C, true },
		{ MM_DIALECT_GNU, false, "-c conftest.dir/a.c", MM_LINE_COMPILE, MM_LANGUAGE_C, true },
		{ MM_DIALECT_GNU, false, "-c conftester.c", MM_LINE_COMPILE, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "conftest.o", MM_LINE_LINK, MM_LANGUAGE_C, true },
		{ MM_DIALECT_GNU, false, "conftest.o own.o -o conftest", MM_LINE_LINK, MM_LANGUAGE_C, true },
		{ MM_DIALECT_GNU, false, "-c conftest.c -o out/conftest2.o", MM_LINE_COMPILE, MM_LANGUAGE_C, true },
		/* who takes in what a try left is no try */
		{ MM_DIALECT_GNU, false, "a.o conftest.o", MM_LINE_LINK, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "conftest.o -o server", MM_LINE_LINK, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "conftest.c -o server", MM_LINE_BUILD, MM_LANGUAGE_C, false },
		{ MM_DIALECT_GNU, false, "a.o -o CMakeFiles/CMakeTmp/cmTC", MM_LINE_LINK, MM_LANGUAGE_C, true },
		{ MM_DIALECT_GNU, false, "-c /b/CMakeFiles/CMakeScratch/TryCompile-x/s.c", MM_LINE_COMPILE,
		  MM_LANGUAGE_C, true },
		{ MM_DIALECT_GNU, false, "CMakeCCompilerId.c", MM_LINE_BUILD, MM_LANGUAGE_C, true },
		{ MM_DIALECT_GNU, false, "-c notCMakeTmp/a.c", MM_LINE_COMPILE, MM_LANGUAGE_C, false },
		{ MM_DIALECT_STUDIO, true, "-xO3 -c a.cc", MM_LINE_COMPILE, MM_LANGUAGE_CXX, false },
		{ MM_DIALECT_STUDIO, false, "-V", MM_LINE_QUERY, MM_LANGUAGE_C, false },
		{ MM_DIALECT_STUDIO, false, "-P a.c", MM_LINE_PREPROCESS, MM_LANGUAGE_C, false },
		{ MM_DIALECT_STUDIO, false, "-xM1 a.c", MM_LINE_PREPROCESS, MM_LANGUAGE_C, false },
		{ MM_DIALECT_STUDIO, false, "-G -h libx.so.1 -R /x/y.c a.o -o libx.so", MM_LINE_LINK, MM_LANGUAGE_C,
		  false },
		{ MM_DIALECT_STUDIO, true, "-Qoption ccfe -x.cc -c a.cc", MM_LINE_COMPILE, MM_LANGUAGE_CXX, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_strings args = MM_STRINGS_INIT;
		struct mm_line line;
		mm_strings_split(&args, cases[i].line);
		mm_line_read(&line, cases[i].dialect, cases[i].cxx, args.items, args.count, "/some/where");
		if (line.kind != cases[i].kind || line.language != cases[i].language || line.probe != cases[i].probe)
			fail_msg("'%s' is a %s of %s%s", cases[i].line, mm_line_kind_name(line.kind),
				 mm_language_name(line.language), line.probe ? ", a probe" : "");
		mm_strings_release(&args);
	}
}

static void test_folder_of_a_probe(void **state)
{
	struct mm_line line;
	char arg[] = "-c", file[] = "a.c", *args[] = { arg, file };
	(void)state;
	mm_line_read(&line, MM_DIALECT_GNU, false, args, 2, "/b/CMakeFiles/CMakeTmp");
	assert_true(line.probe);
	assert_string_equal(line.source, "a.c");
	assert_null(line.output);
}

static void test_levels(void **state)
{
	static const char *const gnu[] = { "-O", "-O0", "-O2", "-O3", "-O10", "-Os", "-Og", "-Oz", "-Ofast",
					   "--optimize", "--optimize=fast" };
	static const char *const not_gnu[] = { "-Ox", "-o", "-O2x", "-Wl,-O1", "-xO3", "O2", "-Osize", "--optimizer" };
	static const char *const studio[] = { "-O", "-xO1", "-xO5", "-O3" };
	static const char *const not_studio[] = { "-xO", "-xOx", "-Os", "-fast", "-Ofast" };
	(void)state;
	for (size_t i = 0; i < sizeof gnu / sizeof *gnu; i++)
		assert_true(mm_option_is_level(MM_DIALECT_GNU, gnu[i]));
	for (size_t i = 0; i < sizeof not_gnu / sizeof *not_gnu; i++)
		assert_false(mm_option_is_level(MM_DIALECT_GNU, not_gnu[i]));
	for (size_t i = 0; i < sizeof studio / sizeof *studio; i++)
		assert_true(mm_option_is_level(MM_DIALECT_STUDIO, studio[i]));
	for (size_t i = 0; i < sizeof not_studio / sizeof *not_studio; i++)
		assert_false(mm_option_is_level(MM_DIALECT_STUDIO, not_studio[i]));
}

static char *one(const char *text)
{
	return mm_strdup(text);
}

static struct mm_wrapper_config sample(bool enforce)
{
	struct mm_wrapper_config config = { .cc = one("/usr/bin/gcc"),
					    .cxx = one("/usr/bin/g++"),
					    .bits = one("-m32"),
					    .enforce = enforce,
					    .log = one("/log") };
	mm_strings_push(&config.c, "-O3");
	mm_strings_push(&config.cxx_words, "-O3");
	mm_strings_push(&config.cxx_words, "-fno-plt");
	mm_strings_push(&config.cpp, "-DX");
	mm_strings_push(&config.ld, "-Wl,--as-needed");
	return config;
}

static void assert_rewritten(bool enforce, bool cxx, const char *given, const char *executed)
{
	struct mm_wrapper_config config = sample(enforce);
	struct mm_strings args = MM_STRINGS_INIT, argv = MM_STRINGS_INIT;
	struct mm_words words = { 0 };
	struct mm_line line;
	mm_strings_split(&args, given);
	mm_rewrite(&config, cxx, args.items, args.count, &line, &words, "/");
	mm_rewrite_argv("P", &words, &argv);
	char *real = mm_strings_join(&argv, " ");
	if (strcmp(real, executed) != 0)
		fail_msg("'%s' became\n'%s', not\n'%s'", given, real, executed);
	free(real);
	mm_strings_release(&argv);
	mm_strings_release(&args);
	mm_words_release(&words);
	mm_wrapper_config_release(&config);
}

static void test_enforcement(void **state)
{
	(void)state;
	/* the tree's levels and bits go, the cell's come last */
	assert_rewritten(true, false, "-O2 -g -c a.c -O1", "P -g -c a.c -m32 -DX -O3");
	assert_rewritten(true, true, "-Ofast -m64 -c a.cc", "P -c a.cc -m32 -DX -O3 -fno-plt");
	/* an operand that looks like a level is none */
	assert_rewritten(true, false, "-Xlinker -O1 -c a.c -o -O2", "P -Xlinker -O1 -c a.c -o -O2 -m32 -DX -O3");
	/* assembler gets no level; links get link words, and lose levels that the cell has not for links */
	assert_rewritten(true, false, "-O1 -c a.S", "P -O1 -c a.S -m32 -DX");
	assert_rewritten(true, true, "-O2 a.o -o x", "P a.o -o x -m32 -Wl,--as-needed");
	assert_rewritten(true, true, "-Ofast a.o -ffast-math", "P a.o -ffast-math -m32 -Wl,--as-needed");
	assert_rewritten(true, false, "-O0 a.c -o x", "P a.c -o x -m32 -DX -O3 -Wl,--as-needed");
	/* a question changes nothing but what it asks about */
	assert_rewritten(true, false, "--version", "P -m32 --version");
	assert_rewritten(true, false, "-print-multiarch -O2", "P -m32 -print-multiarch -O2");
	/* what a try asks for holds */
	assert_rewritten(true, false, "-O0 -c conftest.c", "P -m32 -DX -O3 -O0 -c conftest.c");
	/* so does what the tree does, when that is to be measured */
	assert_rewritten(false, false, "-O2 -c a.c", "P -m32 -DX -O3 -O2 -c a.c");
	/* behind "--" are files */
	assert_rewritten(true, false, "-c -O2 -- a.c", "P -c -m32 -DX -O3 -- a.c");
}

static void write_text(const char *name, const char *text, char **path)
{
	struct mm_error err = MM_ERROR_INIT;
	*path = mm_path_join(folder, name);
	assert_int_equal(mm_fs_write_atomic(*path, text, strlen(text), &err), 0);
}

static void test_response_files(void **state)
{
	struct mm_strings words = MM_STRINGS_INIT;
	char *inner, *outer;
	(void)state;
	write_text("inner", "-c\n", &inner);
	char *text = mm_format("-O2 '-DX=a b' \"-DY=\\\"c\\\"\" d\\ e @%s @/no/such/file", inner);
	write_text("outer", text, &outer);
	char *arg = mm_format("@%s", outer);
	assert_true(mm_response_expand(arg, &words));
	char *joined = mm_strings_join(&words, "|");
	assert_string_equal(joined, "-O2|-DX=a b|-DY=\"c\"|d e|-c|@/no/such/file");
	free(joined);
	assert_false(mm_response_expand("@/no/such/file", &words));
	assert_false(mm_response_expand("a.c", &words));
	mm_strings_release(&words);
	free(arg);
	free(outer);
	free(text);
	free(inner);
}

/* Writes a response file that names WHAT 300 times. */
static void write_many(const char *name, const char *what, char **path)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	for (int i = 0; i < 300; i++)
		mm_buffer_printf(&text, "@%s/%s\n", folder, what);
	write_text(name, mm_buffer_text(&text), path);
	mm_buffer_release(&text);
}

/* Files that name each other would grow, or be read, without end: they are left to the compiler. */
static void test_response_files_without_end(void **state)
{
	struct mm_strings words = MM_STRINGS_INIT;
	char *path[4], *few, *fifo = mm_path_join(folder, "pipe"), *arg[3];
	(void)state;
	write_many("one", "two", &path[0]); /* for ever */
	write_many("two", "one", &path[1]);
	write_many("deep", "deeper", &path[2]); /* 90,000 files, and not a word in the end */
	write_many("deeper", "empty", &path[3]);
	write_text("empty", "", &few);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	mm_strings_push(&words, "before");
	for (int i = 0; i < 3; i++) {
		arg[i] = mm_format("@%s/%s", folder, (const char *const[]){ "one", "deep", "pipe" }[i]);
		assert_false(mm_response_expand(arg[i], &words));
		assert_int_equal(words.count, 1);
		free(arg[i]);
	}
	arg[0] = mm_format("@%s", path[3]);
	assert_true(mm_response_expand(arg[0], &words)); /* 301 files */
	assert_int_equal(words.count, 1);
	mm_strings_release(&words);
	for (int i = 0; i < 4; i++)
		free(path[i]);
	free(arg[0]);
	free(fifo);
	free(few);
}

/* A level in a response file stays, for the cell's word comes after it; the log has the whole line. */
static void test_response_file_on_a_line(void **state)
{
	struct mm_wrapper_config config = sample(true);
	struct mm_words words = { 0 };
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_line line;
	char *path, *args[2] = { NULL, one("-O1") };
	(void)state;
	write_text("rsp", "-O2 -c a.c", &path);
	args[0] = mm_format("@%s", path);
	mm_rewrite(&config, false, args, 2, &line, &words, "/");
	assert_int_equal(line.kind, MM_LINE_COMPILE);
	mm_rewrite_argv("P", &words, &argv);
	assert_int_equal(argv.count, 5);
	assert_string_equal(argv.items[1], args[0]);
	assert_string_equal(argv.items[4], "-O3");
	assert_int_equal(words.count, 8);
	assert_int_equal(words.items[1].mark, MM_WORD_INSIDE);
	assert_string_equal(words.items[3].text, "a.c");
	assert_int_equal(words.items[4].mark, MM_WORD_REMOVED);
	free(path);
	free(args[0]);
	free(args[1]);
	mm_strings_release(&argv);
	mm_words_release(&words);
	mm_wrapper_config_release(&config);
}

static void test_config(void **state)
{
	struct mm_wrapper_config config = sample(true), again;
	struct mm_buffer text = MM_BUFFER_INIT, second = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	config.jobs = one("/work folder/jobs");
	assert_int_equal(mm_wrapper_config_write(&config, &text, &err), 0);
	assert_int_equal(mm_wrapper_config_read("f", text.data, text.length, &again, &err), 0);
	assert_int_equal(mm_wrapper_config_write(&again, &second, &err), 0);
	assert_string_equal(text.data, second.data);
	assert_true(again.enforce);
	assert_string_equal(again.jobs, "/work folder/jobs");
	/* cut anywhere, it is no configuration */
	for (size_t length = 0; length < text.length; length++) {
		struct mm_wrapper_config half;
		mm_error_clear(&err);
		assert_int_equal(mm_wrapper_config_read("f", text.data, length, &half, &err), MM_EENV);
		mm_wrapper_config_release(&half);
	}
	mm_strings_push(&config.c, "-DX\n-DY");
	mm_error_clear(&err);
	assert_int_equal(mm_wrapper_config_write(&config, &second, &err), MM_EINTERNAL);
	mm_buffer_release(&text);
	mm_buffer_release(&second);
	mm_wrapper_config_release(&config);
	mm_wrapper_config_release(&again);
}

static void test_hostile_config(void **state)
{
#define HEAD "mymatrix-cc 1\n"
#define GOOD "dialect gnu\ncc /c\ncxx /x\nenforce level\nlog /l\n"
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "", "not whole" },
		{ "mymatrix-cc 2\nend\n", "f:1: the first line" },
		{ HEAD GOOD, "not whole" },
		{ HEAD GOOD "end", "f:7: the last line" },
		{ HEAD GOOD "end\nmore x\n", "f:8: something after" },
		{ HEAD GOOD "wrong x\nend\n", "f:7: an unknown key" },
		{ HEAD GOOD "cc /d\nend\n", "f:7: a value that was there" },
		{ HEAD GOOD "enforce none\nend\n", "f:7: a value that was there" },
		{ HEAD GOOD "jobs relative\nend\n", "f:7: a path that is not absolute" },
		{ HEAD GOOD "bits 32\nend\n", "f:7: not one option" },
		{ HEAD GOOD "jobs\nend\n", "f:7: a key without" },
		{ HEAD GOOD "c-word \nend\n", "f:7: a key without" },
		{ HEAD "dialect cobol\n", "f:2: an unknown word" },
		{ HEAD "\n", "f:2: a key without" },
		{ "\x7f"
		  "ELF\n",
		  "f:1: the first line" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_wrapper_config config;
		struct mm_error err = MM_ERROR_INIT;
		assert_int_equal(mm_wrapper_config_read("f", cases[i].text, strlen(cases[i].text), &config, &err),
				 MM_EENV);
		if (!strstr(err.text, cases[i].said))
			fail_msg("'%s' is not in: %s", cases[i].said, err.text);
		mm_wrapper_config_release(&config);
	}
	struct mm_wrapper_config config;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_wrapper_config_read("f", HEAD "log /\0\n", sizeof HEAD + 6, &config, &err), MM_EENV);
	assert_non_null(strstr(err.text, "NUL"));
	mm_wrapper_config_release(&config);
}

static struct mm_record sample_record(void)
{
	struct mm_record record = { .kind = MM_LINE_COMPILE,
				    .language = MM_LANGUAGE_CXX,
				    .exit_status = -1,
				    .signal = 9,
				    .wall_us = UINT64_C(1) << 40,
				    .peak_kib = 7,
				    .stamp = -5 };
	record.cwd = one("/a\tb\\c\n");
	mm_words_push(&record.words, MM_WORD_KEPT, "-DX=\"\xff\x01\t\n\\\x7f\"");
	mm_words_push(&record.words, MM_WORD_ADDED, "");
	mm_words_push(&record.words, MM_WORD_REMOVED, "-O2");
	return record;
}

static void test_records(void **state)
{
	struct mm_record record = sample_record(), again;
	struct mm_buffer text = MM_BUFFER_INIT;
	(void)state;
	mm_record_print(&record, &text);
	assert_int_equal(strcspn(text.data, "\n"), text.length - 1);
	text.data[text.length - 1] = '\0';
	assert_true(mm_record_parse(text.data, &again));
	assert_int_equal(again.kind, record.kind);
	assert_int_equal(again.signal, 9);
	assert_int_equal(again.exit_status, -1);
	assert_true(again.wall_us == record.wall_us && again.peak_kib == 7 && again.stamp == -5);
	assert_string_equal(again.cwd, record.cwd);
	assert_int_equal(again.words.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(again.words.items[i].text, record.words.items[i].text);
		assert_int_equal(again.words.items[i].mark, record.words.items[i].mark);
	}
	mm_record_release(&again);
	mm_record_release(&record);
	mm_buffer_release(&text);
}

static void test_damaged_records(void **state)
{
	static const char *const cases[] = {
		"",
		"1",
		"2\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t/",
		"1\tcompil\tc\tbuild\t0\t0\t0\t0\t0\t/",
		"1\tcompile\tada\tbuild\t0\t0\t0\t0\t0\t/",
		"1\tcompile\tc\tmaybe\t0\t0\t0\t0\t0\t/",
		"1\tcompile\tc\tbuild\tx\t0\t0\t0\t0\t/",
		"1\tcompile\tc\tbuild\t0\t999\t0\t0\t0\t/",
		"1\tcompile\tc\tbuild\t0\t0\t99999999999999999999\t0\t0\t/",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t\\x0",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t\\x00",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t\\q00",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t/\t",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t/\t?-O2",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t/\t=\\",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t/\t#x",
		"1\tcompile\tc\tbuild\t0\t0\t0\t0\t0\t/\t#1\t=-O2", /* only at the end */
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_record record;
		if (mm_record_parse(cases[i], &record))
			fail_msg("taken for a record: '%s'", cases[i]);
		mm_record_release(&record);
	}
	/* every cut of a good one is either no record or one with fewer arguments */
	struct mm_record whole = sample_record();
	struct mm_buffer text = MM_BUFFER_INIT;
	mm_record_print(&whole, &text);
	for (size_t length = text.length - 2; length; length--) {
		struct mm_record record;
		text.data[length] = '\0';
		if (mm_record_parse(text.data, &record))
			assert_true(record.words.count <= whole.words.count);
		mm_record_release(&record);
	}
	mm_record_release(&whole);
	mm_buffer_release(&text);
}

/* Half a line that a killed writer left does not swallow the next one. */
static void test_append(void **state)
{
	char *path = mm_path_join(folder, "records");
	struct mm_buffer text = MM_BUFFER_INIT, line = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	mm_buffer_puts(&line, "one\n");
	assert_int_equal(mm_record_append(path, &line), 0);
	assert_int_equal(mm_fs_read(path, 0, &text, &err), 0);
	mm_buffer_puts(&text, "hal");
	assert_int_equal(mm_fs_write_atomic(path, text.data, text.length, &err), 0);
	assert_int_equal(mm_record_append(path, &line), 0);
	mm_buffer_reset(&text);
	assert_int_equal(mm_fs_read(path, 0, &text, &err), 0);
	assert_string_equal(text.data, "one\nhal\none\n");
	assert_int_equal(mm_record_append("/no/such/folder/log", &line), -1);
	mm_buffer_release(&text);
	mm_buffer_release(&line);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_folder_of_a_probe),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_enforcement),
		cmocka_unit_test(test_response_files),
		cmocka_unit_test(test_response_files_without_end),
		cmocka_unit_test(test_response_file_on_a_line),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_hostile_config),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_append),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
