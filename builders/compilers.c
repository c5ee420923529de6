#include "builders/compilers.h"

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/elf.h"
#include "toolchains/audit.h"

static char *folder_of(const struct mm_build *build)
{
	return mm_path_join(build->folder, "compilers");
}

static char *log_file(const struct mm_build *build, const char *name)
{
	return mm_format("%s/logs/%s", build->folder, name);
}

int mm_compilers_provide(struct mm_job *job, struct mm_error *err)
{
	const struct mm_jobserver *budget = job->store->budget;
	struct mm_wrap_request request = { .toolchain = job->toolchain,
					   .bits = job->cell->bits,
					   .flags = &job->flags,
					   .enforce = job->cell->flags->enforce,
					   .jobs = budget ? budget->folder : NULL };
	char *folder = folder_of(job->build);
	mm_wrapped_release(&job->compilers);
	int code = mm_wrap(&request, folder, &job->compilers, err);
	job->tools = (struct mm_job_tools){ .cc = job->compilers.cc,
					    .cxx = job->compilers.cxx,
					    .ar = job->compilers.ar,
					    .ranlib = job->compilers.ranlib,
					    .nm = job->compilers.nm };
	/* for scripts of the tree that call a compiler by its name */
	const char *path = getenv("PATH");
	char *first = mm_format("PATH=%s:%s", folder, path ? path : "/usr/local/bin:/usr/bin:/bin");
	mm_env_set(&job->env, first);
	free(first);
	free(folder);
	return code;
}

int mm_compilers_remove(const struct mm_build *build, struct mm_error *err)
{
	char *folder = folder_of(build);
	int code = mm_fs_remove_tree(folder, err);
	free(folder);
	return code;
}

static int save_details(const struct mm_build *build, const struct mm_flag_audit *audit, struct mm_error *err)
{
	json_t *detail = mm_audit_detail(audit);
	char *json = log_file(build, "flags.json"), *path = log_file(build, "flags.txt"), *text = mm_audit_text(detail);
	int code = mm_json_save(json, detail, err);
	if (!code)
		code = mm_fs_write_atomic(path, text, strlen(text), err);
	json_decref(detail);
	free(text);
	free(path);
	free(json);
	return code;
}

/* The lines themselves are kept as well: whoever doubts the audit can read them. */
static int keep_log(const struct mm_job *job, struct mm_error *err)
{
	char *kept = log_file(job->build, "compilers.log");
	int code = mm_fs_remove_tree(kept, err);
	if (!code && mm_fs_exists(job->compilers.log))
		code = mm_fs_copy_tree(job->compilers.log, kept, err);
	free(kept);
	return code;
}

static bool was_told(const json_t *before, const char *text)
{
	size_t at;
	json_t *told;
	json_array_foreach(json_object_get(before, "warnings"), at, told)
		if (strcmp(json_string_value(told), text) == 0)
			return true;
	return false;
}

/* What deviates; BEFORE, the audit's summary after an earlier stage, was told then. */
static void tell(const struct mm_job *job, const struct mm_flag_audit *audit, const json_t *before)
{
	for (size_t i = 0; i < audit->warnings.count; i++) {
		if (was_told(before, audit->warnings.items[i]))
			continue;
		char *text = mm_format("flag audit: %s", audit->warnings.items[i]);
		mm_event_stage(MM_EVENT_WARNING, job->cell->id, "compile", text);
		free(text);
	}
}

/* Does PATH do what a program of the digest CODE_SHA256 does? What is gone, or no program, does not. */
static int does_the_same(const struct mm_build *build, const char *path, const char *code_sha256, bool *same,
			 struct mm_error *err)
{
	struct mm_elf elf;
	struct mm_error why = MM_ERROR_INIT;
	if (!mm_fs_exists(path))
		return 0;
	int code = mm_elf_read(path, build->folder, &elf, &why);
	if (code)
		return code == MM_ECELL ? 0 : mm_error_set(err, why.code, "%s", why.text);
	*same = strcmp(elf.code_sha256, code_sha256) == 0;
	mm_elf_release(&elf);
	return 0;
}

/* The installed server must be one of the programs that links made, run paths and symbols aside. */
static int check_server(const struct mm_build *build, struct mm_flag_audit *audit, struct mm_error *err)
{
	struct mm_elf server;
	bool found = false;
	int code = mm_elf_read(build->server, build->folder, &server, err);
	if (code)
		return code;
	for (size_t i = 0; i < audit->linked.count && !found && !code && *server.code_sha256; i++)
		code = does_the_same(build, audit->linked.items[i], server.code_sha256, &found, err);
	mm_elf_release(&server);
	if (!code && !found)
		mm_audit_doubt(audit, mm_format("the installed server, '%s', is none of the programs that the cell's compilers "
						"linked",
						build->server + strlen(build->prefix) + 1));
	return code;
}

int mm_compilers_audit(struct mm_job *job, struct mm_error *err)
{
	struct mm_flag_audit audit;
	struct mm_audit_request request = { .family = job->toolchain->spec->family,
					    .bits_option = mm_toolchain_bits_option(job->toolchain, job->cell->bits),
					    .flags = &job->flags,
					    .enforce = job->cell->flags->enforce,
					    .profiles = { &job->recipe.cpp, &job->recipe.c, &job->recipe.cxx },
					    .source = job->own_source ? job->own_source : job->tree.folder,
					    .build = job->build_tree };
	if (job->store->policy->audit == MM_AUDIT_OFF)
		return 0;
	int code = mm_audit_read(job->compilers.log, &request, &audit, err);
	struct mm_error silent = MM_ERROR_INIT; /* a compiler that does not show its macros is no reason to fail */
	if (!code && mm_audit_builtin(job->toolchain, request.bits_option, &job->flags, &audit.builtin, &silent) ==
			     MM_EINTERRUPTED)
		code = mm_error_set(err, MM_EINTERRUPTED, "%s", silent.text);
	if (!code && job->build->server)
		code = check_server(job->build, &audit, err);
	if (!code)
		code = save_details(job->build, &audit, err);
	if (!code)
		code = keep_log(job, err);
	if (!code) {
		tell(job, &audit, job->build->audit);
		json_decref(job->build->audit);
		job->build->audit = mm_audit_summary(&audit);
	}
	mm_audit_release(&audit);
	return code;
}

int mm_compilers_judge(const struct mm_store *store, const struct mm_cell *cell, const struct mm_build *build,
		       struct mm_error *err)
{
	if (store->policy->audit != MM_AUDIT_STRICT || !cell->toolchain)
		return 0;
	if (!build->audit)
		return mm_error_set(err, MM_ECELL,
				    "cell '%s': it was built without the flag audit that \"audit\": \"strict\" wants: "
				    "remove '%s' and build again",
				    cell->id, build->folder);
	if (!mm_json_true(build->audit, "deviates"))
		return 0;
	const char *first = json_string_value(json_array_get(json_object_get(build->audit, "warnings"), 0));
	return mm_error_set(
		err, MM_ECELL,
		"cell '%s': its flags deviate, which \"audit\": \"strict\" does not allow: %s; all of it in "
		"'%s/logs/flags.txt'",
		cell->id, first ? first : "see the audit", build->folder);
}
