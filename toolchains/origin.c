#include "toolchains/origin.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"

enum { ASK_SECONDS = 60 };

/* A distribution's tool, and how each kind of flags is asked for. */
struct origin {
	const char *name; /* the word in MATRIX.json */
	const char *program, *package;
	const char *questions[4][3]; /* for c, cxx, cpp, ld: arguments, NULL-terminated; none: empty */
};

static const struct origin origins[] = {
	{ "dpkg-buildflags",
	  "dpkg-buildflags",
	  "Debian: the package 'dpkg-dev'",
	  { { "--get", "CFLAGS", NULL },
	    { "--get", "CXXFLAGS", NULL },
	    { "--get", "CPPFLAGS", NULL },
	    { "--get", "LDFLAGS", NULL } } },
	/* the macros for C and C++ are younger than optflags, of which they are made */
	{ "rpm-optflags",
	  "rpm",
	  "Fedora: the packages 'rpm' and 'redhat-rpm-config'",
	  { { "--eval", "%{?build_cflags}%{!?build_cflags:%{optflags}}", NULL },
	    { "--eval", "%{?build_cxxflags}%{!?build_cxxflags:%{optflags}}", NULL },
	    { NULL, NULL, NULL },
	    { "--eval", "%{?build_ldflags}%{!?build_ldflags:%{?__global_ldflags}}", NULL } } },
};

/*
 * Words that depend on the folder in which the tool was asked only name things in debug information; "%{optflags}" is
 * how rpm says that it has no such macro. Allocated.
 */
static char *clean(const char *text)
{
	struct mm_strings words = MM_STRINGS_INIT, kept = MM_STRINGS_INIT;
	mm_strings_split(&words, text);
	for (size_t i = 0; i < words.count; i++)
		if (strncmp(words.items[i], "-ffile-prefix-map=", 18) != 0 &&
		    strncmp(words.items[i], "-fdebug-prefix-map=", 19) != 0 && words.items[i][0] != '%')
			mm_strings_push(&kept, words.items[i]);
	char *line = mm_strings_join(&kept, " ");
	mm_strings_release(&words);
	mm_strings_release(&kept);
	return line ? line : mm_strdup("");
}

static int ask(const char *program, const char *const *question, char **words, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result = { 0 };
	char how[64];
	mm_strings_push(&argv, program);
	for (; *question; question++)
		mm_strings_push(&argv, *question);
	/* a clean environment: what the user exports for his own packages is not what the distribution does */
	struct mm_process_spec spec = {
		.argv = argv.items, .cwd = "/", .output = &output, .timeout_seconds = ASK_SECONDS
	};
	int code = argv.count > 1 ? mm_process_run(&spec, &result, err) : 0;
	if (!code && result.exit_status != 0)
		code = mm_error_set(err, MM_EMATRIX, "'%s' fails: %s: %.200s", program,
				    mm_process_describe(&result, how), mm_buffer_text(&output));
	*words = clean(mm_buffer_text(&output));
	mm_buffer_release(&output);
	mm_strings_release(&argv);
	return code;
}

static int ask_all(const struct origin *origin, struct mm_flag_words *words, struct mm_error *err)
{
	char **const answers[] = { &words->c, &words->cxx, &words->cpp, &words->ld };
	char *program = mm_fs_find_program(origin->program);
	int code = program ? 0
			   : mm_error_set(err, MM_EMATRIX,
					  "cannot find the program '%s': install it (%s), or write the flags out",
					  origin->program, origin->package);
	for (size_t i = 0; !code && i < 4; i++)
		code = ask(program, origin->questions[i], answers[i], err);
	if (!code && !*words->c && !*words->cxx)
		code = mm_error_set(err, MM_EMATRIX,
				    "'%s' names no flags: install its configuration (%s), or write the "
				    "flags out",
				    origin->program, origin->package);
	free(program);
	return code;
}

/* The set of the same origin that has been filled already, if any. */
static const struct mm_flagset *filled(const struct mm_matrix *matrix, const char *from)
{
	for (size_t i = 0; i < matrix->flagset_count; i++)
		if (matrix->flagsets[i].origin.c && strcmp(matrix->flagsets[i].from, from) == 0)
			return &matrix->flagsets[i];
	return NULL;
}

static int fill(struct mm_matrix *matrix, struct mm_flagset *set, struct mm_error *err)
{
	const struct mm_flagset *same = filled(matrix, set->from);
	size_t i = 0;
	if (same) {
		set->origin = (struct mm_flag_words){ mm_strdup(same->origin.c), mm_strdup(same->origin.cxx),
						      mm_strdup(same->origin.cpp), mm_strdup(same->origin.ld) };
		return 0;
	}
	while (strcmp(origins[i].name, set->from) != 0)
		i++; /* the parser knows the same names */
	int code = ask_all(&origins[i], &set->origin, err);
	if (code == MM_EMATRIX) {
		char *entry = mm_json_path_key("$.flags", set->name), *path = mm_json_path_key(entry, "from");
		char *place = mm_matrix_place(matrix, path);
		(void)mm_error_prefix(err, "%s", place);
		free(place);
		free(path);
		free(entry);
	}
	return code;
}

/* Fills SET and what it uses. The parser has seen to it that sets do not use each other in a circle. */
static int fill_used(struct mm_matrix *matrix, struct mm_flagset *set, bool *seen, struct mm_error *err)
{
	int code = 0;
	if (seen[set - matrix->flagsets])
		return 0;
	seen[set - matrix->flagsets] = true;
	for (size_t i = 0; !code && i < set->use.count; i++)
		for (size_t j = 0; !code && j < matrix->flagset_count; j++)
			if (strcmp(matrix->flagsets[j].name, set->use.items[i]) == 0)
				code = fill_used(matrix, &matrix->flagsets[j], seen, err);
	if (!code && set->from && !set->origin.c)
		code = fill(matrix, set, err);
	return code;
}

int mm_flag_origins(struct mm_matrix *matrix, struct mm_error *err)
{
	bool *seen = mm_calloc(matrix->flagset_count + 1, sizeof *seen), any = false;
	int code = 0;
	for (size_t i = 0; i < matrix->flagset_count; i++)
		any = any || matrix->flagsets[i].from;
	for (size_t i = 0; any && !code && i < matrix->cell_count; i++)
		if (matrix->cells[i].flags)
			code = fill_used(matrix, &matrix->flagsets[matrix->cells[i].flags - matrix->flagsets], seen,
					 err);
	free(seen);
	return code;
}
