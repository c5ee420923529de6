/* Does a toolchain work, at these bits and with these flags? Only a program that ran is an answer. */
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "toolchains/lto.h"
#include "toolchains/toolchain.h"

#include <signal.h>

/* Each program says how wide its pointers are; the C++ one needs the library, templates and exceptions. */
static const char c_source[] = "#include <stdio.h>\n"
			       "int main(void) { printf(\"%d\\n\", (int)sizeof(void *) * 8); return 0; }\n";
static const char cxx_source[] =
	"#include <cstdio>\n#include <stdexcept>\n#include <string>\n"
	"int main() { try { throw std::runtime_error(std::string(\"x\")); }\n"
	"catch (const std::exception &) { std::printf(\"%d\\n\", (int)sizeof(void *) * 8); } return 0; }\n";

struct probe {
	const struct mm_toolchain *toolchain;
	int bits;
	const char *folder;
	bool cxx;
	const char *compiler;
	const char *words; /* of the language */
	const char *cpp, *ld;
};

/* The line that says what is wrong: the first with "error" or "cannot", else the first one. Allocated. */
static char *complaint(const char *output)
{
	const char *first = NULL;
	for (const char *line = output; *line;) {
		size_t length = strcspn(line, "\r\n");
		char *text = mm_strndup(line, length);
		if (strstr(text, "error") || strstr(text, "cannot") || strstr(text, "rror:"))
			return text;
		free(text);
		if (!first && length)
			first = line;
		line += length;
		line += strspn(line, "\r\n");
	}
	return first ? mm_strndup(first, strcspn(first, "\r\n")) : mm_strdup("no message");
}

static int run(const struct probe *probe, struct mm_strings *argv, struct mm_buffer *output,
	       struct mm_process_result *result, struct mm_error *err)
{
	struct mm_strings env = MM_STRINGS_INIT;
	mm_process_clean_env(&env, probe->folder);
	struct mm_process_spec spec = { .argv = argv->items,
					.env = env.items,
					.cwd = probe->folder,
					.output = output,
					.timeout_seconds = 2 * mm_toolchain_patience,
					.unfit = MM_ECELL };
	int code = mm_process_run(&spec, result, err);
	mm_strings_release(&env);
	return code;
}

static int compile(const struct probe *probe, const char *source, const char *program, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	const char *option = mm_toolchain_bits_option(probe->toolchain, probe->bits);
	mm_strings_push(&argv, probe->compiler);
	if (*option)
		mm_strings_push(&argv, option);
	mm_strings_split(&argv, probe->cpp);
	mm_strings_split(&argv, probe->words);
	mm_strings_push(&argv, "-o");
	mm_strings_push(&argv, program);
	mm_strings_push(&argv, source);
	mm_strings_split(&argv, probe->ld);
	mm_toolchain_link_options(probe->toolchain, &argv);
	int code = run(probe, &argv, &output, &result, err);
	if (!code && result.exit_status != 0) {
		char how[64], *said = complaint(mm_buffer_text(&output));
		const char *hint =
			mm_toolchain_hint(probe->toolchain, mm_buffer_text(&output), probe->bits, probe->cxx);
		char *line = mm_strings_join(&argv, " ");
		code = mm_error_set(err, MM_ECELL, "'%s' cannot build a %s program (%s): %s%s%s; tried: %s",
				    probe->compiler, probe->cxx ? "C++" : "C", mm_process_describe(&result, how), said,
				    hint ? "; " : "", hint ? hint : "", line);
		free(line);
		free(said);
	}
	mm_buffer_release(&output);
	mm_strings_release(&argv);
	return code;
}

/* Runs PROGRAM, which must print the width that was asked for. */
static int execute(const struct probe *probe, const char *program, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result = { 0 };
	struct mm_error why = MM_ERROR_INIT;
	char how[64];
	mm_strings_push(&argv, program);
	int code = run(probe, &argv, &output, &result, &why);
	int width = (int)strtol(mm_buffer_text(&output), NULL, 10);
	const char *language = probe->cxx ? "C++" : "C";
	if (code && code != MM_ECELL)
		(void)mm_error_set(err, (enum mm_code)code, "%s", why.text);
	else if (code)
		code = mm_error_set(
			err, MM_ECELL,
			"a %s program of '%s' cannot be started here: %s; this machine may not run %d-bit programs",
			language, probe->compiler, why.text, probe->bits);
	else if (result.signal == SIGILL)
		code = mm_error_set(
			err, MM_ECELL,
			"a %s program of '%s' dies of an illegal instruction: the flags '%s' ask for a newer CPU than "
			"this one",
			language, probe->compiler, probe->words);
	else if (result.exit_status != 0)
		code = mm_error_set(err, MM_ECELL, "a %s program of '%s' does not run: %s: %s", language,
				    probe->compiler, mm_process_describe(&result, how), mm_buffer_text(&output));
	else if (probe->bits != MM_BITS_NATIVE && width != probe->bits)
		code = mm_error_set(err, MM_ECELL, "'%s' was asked for %d bits and makes programs of %d",
				    probe->compiler, probe->bits, width);
	mm_buffer_release(&output);
	mm_strings_release(&argv);
	return code;
}

static int try(struct probe *probe, bool cxx, const struct mm_flag_words *flags, struct mm_error *err)
{
	const char *text = cxx ? cxx_source : c_source;
	probe->cxx = cxx;
	probe->compiler = cxx ? probe->toolchain->cxx : probe->toolchain->cc;
	probe->words = cxx ? flags->cxx : flags->c;
	char *source = mm_path_join(probe->folder, cxx ? "probe.cc" : "probe.c");
	char *program = mm_path_join(probe->folder, cxx ? "probe-cxx" : "probe-c");
	int code = mm_fs_write_atomic(source, text, strlen(text), err);
	if (!code)
		code = compile(probe, source, program, err);
	if (!code)
		code = execute(probe, program, err);
	free(program);
	free(source);
	return code;
}

/* The archiver that link-time optimisation needs is missed when hours have been spent. */
static int check_tools(const struct mm_toolchain *toolchain, const struct mm_flag_words *flags, struct mm_error *err)
{
	char *ar, *ranlib, *nm;
	int code = mm_lto_tools(toolchain, flags, &ar, &ranlib, &nm, err);
	free(ar);
	free(ranlib);
	free(nm);
	return code;
}

int mm_toolchain_probe(const struct mm_toolchain *toolchain, int bits, const struct mm_flag_words *flags,
		       const char *folder, struct mm_error *err)
{
	struct probe probe = {
		.toolchain = toolchain, .bits = bits, .folder = folder, .cpp = flags->cpp, .ld = flags->ld
	};
	struct mm_error cleaning = MM_ERROR_INIT;
	int code = mm_toolchain_check_flags(toolchain, flags, err);
	if (!code)
		code = check_tools(toolchain, flags, err);
	if (!code)
		code = mm_fs_mkdirs(folder, 0755, err);
	if (!code)
		code = try(&probe, false, flags, err);
	if (!code)
		code = try(&probe, true, flags, err);
	(void)mm_fs_remove_tree(folder, &cleaning);
	if (code)
		(void)mm_error_prefix(err, "toolchain '%s' at %s", toolchain->spec->name,
				      bits == 32   ? "32 bits"
				      : bits == 64 ? "64 bits"
						   : "native bits");
	return code;
}
