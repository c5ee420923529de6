/* What a compiler does without being told: distributions build theirs with defaults of their own. */
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "toolchains/audit.h"

/* Macros that a compiler defines when it does something. */
static const struct {
	const char *macro, *what;
} signs[] = {
	{ "#define __PIE__ ", "PIE" },
	{ "#define __SSP__ ", "stack protector" },
	{ "#define __SSP_STRONG__ ", "stack protector (strong)" },
	{ "#define __SSP_ALL__ ", "stack protector (all)" },
	{ "#define _FORTIFY_SOURCE ", "fortify" },
	{ "#define __CET__ ", "control-flow protection" },
	{ "#define _GLIBCXX_ASSERTIONS ", "library assertions" },
	{ "#define __SANITIZE_ADDRESS__ ", "address sanitizer" },
	{ "#define __FAST_MATH__ ", "fast math" },
};

/* Is the sign there because the flags ask for it? */
static bool is_asked_for(const char *macro, const struct mm_flag_words *flags)
{
	static const struct {
		const char *in_macro, *in_flags;
	} asks[] = { { "PIE", "-fPIE" },
		     { "PIE", "-fpie" },
		     { "SSP", "-fstack-protector" },
		     { "FORTIFY", "FORTIFY" },
		     { "CET", "-fcf-protection" },
		     { "GLIBCXX", "GLIBCXX_ASSERTIONS" },
		     { "SANITIZE", "-fsanitize" },
		     { "FAST_MATH", "-ffast-math" },
		     { "FAST_MATH", "-Ofast" } };
	for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
		if (strstr(macro, asks[i].in_macro) &&
		    (strstr(flags->cxx, asks[i].in_flags) || strstr(flags->cpp, asks[i].in_flags)))
			return true;
	return false;
}

int mm_audit_builtin(const struct mm_toolchain *toolchain, const char *bits_option, const struct mm_flag_words *flags,
		     struct mm_strings *builtin, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	char how[64];
	if (toolchain->spec->family == MM_FAMILY_SUNSTUDIO)
		return 0; /* it has no such defaults, and no option that shows its macros */
	mm_strings_push(&argv, toolchain->cxx);
	if (*bits_option)
		mm_strings_push(&argv, bits_option);
	mm_strings_split(&argv, flags->cpp);
	mm_strings_split(&argv, flags->cxx);
	for (const char *const *word = (const char *const[]){ "-dM", "-E", "-x", "c++", "/dev/null", NULL }; *word;
	     word++)
		mm_strings_push(&argv, *word);
	struct mm_process_spec spec = { .argv = argv.items, .output = &output, .timeout_seconds = mm_toolchain_patience };
	int code = mm_process_run(&spec, &result, err);
	if (!code && result.exit_status != 0)
		code = mm_error_set(err, MM_ECELL, "'%s' does not show its macros: %s", toolchain->cxx,
				    mm_process_describe(&result, how));
	for (size_t i = 0; !code && i < sizeof signs / sizeof *signs; i++)
		if (strstr(mm_buffer_text(&output), signs[i].macro) && !is_asked_for(signs[i].macro, flags))
			mm_strings_push(builtin, signs[i].what);
	mm_buffer_release(&output);
	mm_strings_release(&argv);
	return code;
}
