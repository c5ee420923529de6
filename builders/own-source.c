#include "builders/own-source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/package.h"

bool mm_own_source_needed(const struct mm_job *job)
{
	const struct mm_recipe *recipe = &job->recipe;
	for (size_t i = 0; i < recipe->row_count; i++)
		if (recipe->rows[i]->edits || recipe->rows[i]->generations)
			return true;
	return false;
}

/* TEXT with every FIND replaced, in OUT; how many there were. */
static size_t replace_all(const char *text, const struct mm_edit *edit, struct mm_buffer *out)
{
	size_t count = 0;
	for (const char *at; (at = strstr(text, edit->find)); text = at + strlen(edit->find)) {
		mm_buffer_append(out, text, (size_t)(at - text));
		mm_buffer_puts(out, edit->replace);
		count++;
	}
	mm_buffer_puts(out, text);
	return count;
}

static int rewrite(const char *path, const struct mm_buffer *text, struct mm_error *err)
{
	struct stat st;
	int code = stat(path, &st) ? mm_error_errno(err, "cannot read '%s'", path)
				   : mm_fs_write_atomic(path, mm_buffer_text(text), text->length, err);
	if (!code && chmod(path, st.st_mode & 0777))
		code = mm_error_errno(err, "cannot change the mode of '%s'", path);
	return code;
}

static int make_edit(const char *folder, const struct mm_profile *row, const struct mm_edit *edit, struct mm_error *err)
{
	struct mm_buffer before = MM_BUFFER_INIT, after = MM_BUFFER_INIT;
	char *path = mm_path_join(folder, edit->file);
	bool there = mm_fs_exists(path) && !mm_fs_is_folder(path);
	int code = there ? mm_fs_read(path, 0, &before, err) : 0;
	size_t count = there && !code ? replace_all(mm_buffer_text(&before), edit, &after) : 0;
	if (!code && count)
		code = rewrite(path, &after, err);
	else if (!code && !edit->optional)
		code = mm_error_set(err, MM_ECELL,
				    "profile '%s' does not fit this tree: %s'%s' holds no '%.*s'; name the profiles that do "
				    "in build.profiles",
				    row->name, there ? "" : "there is no file that could be changed, ", edit->file,
				    (int)strcspn(edit->find, "\r\n"), edit->find);
	mm_buffer_release(&after);
	mm_buffer_release(&before);
	free(path);
	return code;
}

static int generate(struct mm_job *job, const char *folder, const struct mm_generation *generation, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	char *where = mm_path_join(folder, generation->folder);
	for (const char *const *word = generation->argv; *word; word++)
		mm_strings_push(&argv, *word);
	int code = mm_job_need_program(generation->argv[0], err);
	if (!code)
		code = mm_job_run_in(job, &argv, where, err);
	free(where);
	mm_strings_release(&argv);
	return code;
}

static int apply(struct mm_job *job, const char *folder, const struct mm_profile *row, struct mm_error *err)
{
	int code = 0;
	for (const struct mm_edit *edit = row->edits; edit && edit->file && !code; edit++)
		code = make_edit(folder, row, edit, err);
	for (const struct mm_generation *step = row->generations; step && step->folder && !code; step++)
		code = generate(job, folder, step, err);
	return code;
}

/* The time of every file of a private copy: old, so that whatever the build makes is newer. */
enum { ONE_TIME = 946684800 }; /* 2000-01-01 */

static int set_time(void *context, const char *path, const char *relative)
{
	const struct timespec times[2] = { { .tv_sec = ONE_TIME }, { .tv_sec = ONE_TIME } };
	(void)context;
	(void)relative;
	return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) ? MM_EENV : 0;
}

static int set_times(const char *folder, struct mm_error *err)
{
	int code = mm_fs_walk(folder, set_time, NULL, err);
	return code ? mm_error_set(err, code, "cannot set the times of the files in '%s'", folder) : 0;
}

int mm_own_source_make(struct mm_job *job, const char *folder, struct mm_error *err)
{
	int code = mm_fs_copy_tree(job->tree.folder, folder, err);
	if (!code) /* before anything is generated, too: a tool must not find one of its inputs outdated */
		code = set_times(folder, err);
	for (size_t i = 0; i < job->recipe.row_count && !code; i++)
		code = apply(job, folder, job->recipe.rows[i], err);
	return code ? code : set_times(folder, err);
}

static bool time_of(const char *folder, const char *name, struct timespec *time)
{
	char *path = mm_path_join(folder, name);
	struct stat st;
	bool there = stat(path, &st) == 0;
	*time = st.st_mtim;
	free(path);
	return there;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

struct makefiles {
	struct timespec aclocal, configure_in;
	bool fit;
};

/* Each Makefile.in is made from the Makefile.am beside it, and from aclocal.m4 and configure.in. */
static int look_at(void *context, const char *path, const char *relative)
{
	struct makefiles *all = context;
	struct timespec input, made;
	if (strcmp(mm_path_base(relative), "Makefile.in") != 0)
		return 0;
	char *folder = mm_path_folder(path);
	if (time_of(folder, "Makefile.am", &input) && time_of(folder, "Makefile.in", &made))
		all->fit = all->fit && !is_older(&made, &input) && !is_older(&made, &all->aclocal) &&
			   !is_older(&made, &all->configure_in);
	free(folder);
	return all->fit ? 0 : 1;
}

bool mm_own_source_times_fit(const char *folder)
{
	static const struct {
		const char *made, *from;
	} pairs[] = {
		{ "configure", "configure.in" }, { "configure", "aclocal.m4" },       { "aclocal.m4", "acinclude.m4" },
		{ "config.h.in", "configure.in" }, { "aclocal.m4", "configure.in" }, { "sql/sql_yacc.cc", "sql/sql_yacc.yy" },
		{ "config.h.in", "aclocal.m4" },   { "config.h.in", "acconfig.h" },
	};
	struct makefiles all = { .fit = true };
	struct mm_error ignored = MM_ERROR_INIT;
	struct timespec made, from;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (time_of(folder, pairs[i].made, &made) && time_of(folder, pairs[i].from, &from) &&
		    is_older(&made, &from))
			return false;
	if (!time_of(folder, "aclocal.m4", &all.aclocal))
		all.aclocal = (struct timespec){ 0 };
	if (!time_of(folder, "configure.in", &all.configure_in))
		all.configure_in = (struct timespec){ 0 };
	(void)mm_fs_walk(folder, look_at, &all, &ignored);
	return all.fit;
}
