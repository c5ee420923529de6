#include "executors/look.h"

#include <sys/file.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"

static int look_at(struct mm_look *look, const struct mm_cell *cell, struct mm_error *err)
{
	const struct mm_store store = { .work = look->work,
					.jobs = 1,
					.look_only = true,
					.policy = &look->matrix->build,
					.matrix = look->matrix,
					.cache = look->cache };
	struct mm_cell_state *state = &look->cells[cell->index];
	struct mm_error why = MM_ERROR_INIT;
	int code = mm_signals_check(err);
	if (code)
		return code;
	code = mm_build_prepare(&store, cell, &state->build, &why);
	if (code != MM_ECELL && code != MM_EMATRIX)
		return code ? mm_error_set(err, why.code, "%s", why.text) : 0;
	state->code = code;
	state->failure = mm_strdup(why.text);
	return 0;
}

static void begin(const struct mm_matrix *matrix, const char *work, struct mm_look *look)
{
	*look = (struct mm_look){ .matrix = matrix,
				  .work = mm_path_absolute(NULL, work),
				  .cache = mm_build_cache_new(),
				  .cells = mm_calloc(matrix->cell_count, sizeof *look->cells) };
}

int mm_look_open(const struct mm_matrix *matrix, const char *work, struct mm_look *look, struct mm_error *err)
{
	int code = 0;
	begin(matrix, work, look);
	for (size_t i = 0; i < matrix->cell_count && !code; i++)
		code = look_at(look, &matrix->cells[i], err);
	return code;
}

int mm_look_open_cell(const struct mm_matrix *matrix, const struct mm_cell *cell, const char *work,
		      struct mm_look *look, struct mm_error *err)
{
	begin(matrix, work, look);
	return look_at(look, cell, err);
}

void mm_look_release(struct mm_look *look)
{
	for (size_t i = 0; look->cells && i < look->matrix->cell_count; i++) {
		mm_build_release(&look->cells[i].build);
		free(look->cells[i].failure);
	}
	free(look->cells);
	free(look->work);
	mm_build_cache_free(look->cache);
	*look = (struct mm_look){ 0 };
}

long mm_look_holder(const char *work)
{
	char *path = mm_path_join(work, "lock"), text[32] = "";
	int fd, code = mm_fs_open(path, &fd, NULL);
	long pid = 0;
	free(path);
	if (code)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB)) {
		ssize_t got = read(fd, text, sizeof text - 1);
		pid = got > 0 ? strtol(text, NULL, 10) : 0;
		pid = pid > 0 ? pid : -1;
	}
	close(fd);
	return pid;
}
