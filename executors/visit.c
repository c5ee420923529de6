#include "executors/visit.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/lock.h"
#include "runners/place.h"

/* Removes the folders of visits whose mymatrix is gone. */
static void clear_old(const char *server_folder)
{
	DIR *dir = mm_fs_opendir(server_folder);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		if (pid <= 0 || *end || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		char *path = mm_path_join(server_folder, entry->d_name);
		struct mm_error ignored = MM_ERROR_INIT;
		(void)mm_fs_remove_tree(path, &ignored);
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* Makes the pristine data directory under a lock: two visits to one cell make it once. */
static int make_pristine(const struct mm_visit *visit, const char *server_folder, struct mm_error *err)
{
	struct mm_lock lock = MM_LOCK_INIT;
	char *path = mm_path_join(server_folder, "lock");
	int code = mm_lock_take(&lock, path, visit->place.cell->id, err);
	if (!code)
		code = mm_datadir_make(&visit->place, err);
	mm_lock_release(&lock);
	free(path);
	return code;
}

int mm_visit_open(const struct mm_look *look, const struct mm_cell *cell, struct mm_visit *visit, struct mm_error *err)
{
	char *server_folder = mm_path_join(look->work, "server"), *pristine = mm_path_join(server_folder, "pristine");
	*visit = (struct mm_visit){ .folder = mm_format("%s/%ld", server_folder, (long)getpid()) };
	visit->place = (struct mm_server_place){ .build = &look->cells[cell->index].build,
						 .cell = cell,
						 .schedule = &look->matrix->schedule,
						 .limits = look->matrix->limits,
						 .pristine = mm_path_join(pristine, cell->id),
						 .scratch = mm_path_join(visit->folder, "scratch") };
	clear_old(server_folder);
	int code = mm_fs_mkdirs(visit->folder, 0700, err);
	if (!code) {
		visit->socket_folder = mm_server_socket_place(visit->folder, err);
		code = visit->socket_folder ? 0 : MM_EENV;
	}
	if (!code) {
		visit->place.socket = mm_path_join(visit->socket_folder, "s");
		code = make_pristine(visit, server_folder, err);
	}
	if (!code) {
		visit->running = true; /* also when it fails: there may be something to kill */
		code = mm_server_start(&visit->place, &visit->server, err);
		if (code) {
			mm_server_kill(&visit->server, NULL);
			visit->running = false;
		}
	}
	free(pristine);
	free(server_folder);
	return code;
}

int mm_visit_close(struct mm_visit *visit, struct mm_error *err)
{
	struct mm_error ignored = MM_ERROR_INIT;
	int code = 0;
	if (visit->running) {
		code = mm_server_stop(&visit->server, err);
		if (code)
			mm_server_kill(&visit->server, NULL);
	}
	if (visit->folder)
		(void)mm_fs_remove_tree(visit->folder, &ignored);
	if (visit->socket_folder)
		(void)rmdir(visit->socket_folder);
	free(visit->place.pristine);
	free(visit->place.scratch);
	free(visit->place.socket);
	free(visit->socket_folder);
	free(visit->folder);
	*visit = (struct mm_visit){ 0 };
	return code;
}
