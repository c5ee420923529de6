/* clean: gives disk space back, and says what went. */
#include "base/event.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/cells.h"
#include "cli/hint.h"
#include "executors/clean.h"

/* "30d": a number and one of the letters, of which each has a factor. Not negative. */
static int take_quantity(const char *option, const char *text, const char *letters, const double *factors,
			 const char *wanted, double *out, struct mm_error *err)
{
	char *end;
	double number = strtod(text, &end);
	const char *letter = *end ? strchr(letters, *end) : NULL;
	if (end == text || !letter || end[1] || !(number >= 0 && number < 1e9))
		return mm_error_set(err, MM_EUSAGE, "--%s '%s': give %s", option, text, wanted);
	*out = number * factors[letter - letters];
	return 0;
}

static int take_options(const struct mm_arguments *arguments, struct mm_clean_options *options, struct mm_error *err)
{
	static const double ages[] = { 60, 3600, 86400, 7 * 86400 }, sizes[] = { 1e6, 1e9, 1e12 };
	double fit = 0;
	char *work = NULL;
	int code = mm_cli_work(arguments, &work, err);
	free(work);
	*options = (struct mm_clean_options){ .work = arguments->work ? arguments->work : ".mymatrix",
					      .dry_run = arguments->dry_run,
					      .runs = arguments->runs,
					      .wait = arguments->wait,
					      .older_than = -1 };
	if (!code && arguments->older_than)
		code = take_quantity("older-than", arguments->older_than, "mhdw", ages,
				     "a number with m, h, d or w, such as 30d", &options->older_than, err);
	if (!code && arguments->fit)
		code = take_quantity("fit", arguments->fit, "MGT", sizes, "a number with M, G or T, such as 20G", &fit,
				     err);
	options->fit = (uint64_t)fit;
	if (!code && arguments->fit && !options->fit)
		options->fit = 1; /* 0 would mean: everything, which is what this asks for too */
	return code;
}

static void put_size(struct mm_buffer *out, double bytes)
{
	if (bytes >= 1e9)
		mm_buffer_printf(out, "%.1f GB", bytes / 1e9);
	else
		mm_buffer_printf(out, "%.1f MB", bytes / 1e6);
}

static void render(const json_t *result, struct mm_buffer *out)
{
	const json_t *items = json_object_get(result, "items"), *item;
	bool dry_run = mm_json_true(result, "dry_run");
	size_t i;
	json_array_foreach(items, i, item)
	{
		put_size(out, mm_json_number(item, "bytes", 0));
		mm_buffer_printf(out, "  %s  (%s, %.0f days old)\n", mm_json_string(item, "path", "?"),
				 mm_json_string(item, "what", "?"), mm_json_number(item, "age_days", 0));
	}
	mm_buffer_puts(out, dry_run ? "would free " : "freed ");
	put_size(out, mm_json_number(result, "freed_bytes", 0));
	mm_buffer_puts(out, " of ");
	put_size(out, mm_json_number(result, "bytes", 0));
	mm_buffer_printf(out, " in '%s'\n", mm_json_string(result, "work", "?"));
}

/* A pipeline that needs the room must not go on without it. */
static int check_fit(const json_t *result, struct mm_error *err)
{
	struct mm_buffer left = MM_BUFFER_INIT, more = MM_BUFFER_INIT;
	double bytes = mm_json_number(result, "more_bytes", 0);
	if (!json_is_false(json_object_get(result, "fits")))
		return 0;
	put_size(&left, mm_json_number(result, "bytes", 0) - mm_json_number(result, "freed_bytes", 0));
	put_size(&more, bytes);
	const char *work = mm_json_string(result, "work", "?"), *stays = mm_buffer_text(&left);
	int code;
	if (bytes > 0)
		code = mm_error_set(err, MM_EENV, "'%s' does not fit, %s stay: 'mymatrix clean --runs' of any age frees %s more", work,
				    stays, mm_buffer_text(&more));
	else
		code = mm_error_set(err, MM_EENV, "'%s' does not fit, %s stay, all of use to the newest run or the matrix: "
				    "allow more, or remove the whole folder when it has served", work, stays);
	mm_buffer_release(&more);
	mm_buffer_release(&left);
	return code;
}

/*
 * What the matrix uses stays too, although no run has used it yet, or none that stays. A matrix that cannot be read is no
 * reason to fill the disk.
 */
static int look(const struct mm_arguments *arguments, const char *work, struct mm_matrix **matrix, struct mm_look *look,
		struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	char *path = mm_cli_matrix_of_work(work, arguments->matrix);
	int code = 0;
	if (path && mm_cli_load_matrix(arguments, path, matrix, NULL, &why) == 0)
		code = mm_look_open(*matrix, work, look, err);
	else if (path && arguments->matrix)
		code = mm_error_set(err, why.code, "%s", why.text);
	else if (path)
		mm_warn("what '%s' needs is not known, only what runs used: %s", path, why.text);
	free(path);
	mm_hint_matrix(NULL);
	return code;
}

int mm_command_clean(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_clean_options options;
	struct mm_buffer out = MM_BUFFER_INIT;
	struct mm_matrix *matrix = NULL;
	struct mm_look seen = { 0 };
	json_t *result = NULL;
	int code = take_options(arguments, &options, err);
	if (!code)
		code = look(arguments, options.work, &matrix, &seen, err);
	options.look = seen.matrix ? &seen : NULL;
	if (!code)
		code = mm_clean_work(&options, &result, err);
	if (seen.matrix)
		mm_look_release(&seen);
	mm_matrix_free(matrix);
	if (code)
		return code;
	if (arguments->json) {
		char *text = mm_json_text(result);
		mm_buffer_puts(&out, text);
		free(text);
	} else {
		render(result, &out);
	}
	code = mm_output(arguments, mm_buffer_text(&out), out.length, err);
	mm_buffer_release(&out);
	if (!code)
		code = check_fit(result, err);
	json_decref(result);
	return code;
}
