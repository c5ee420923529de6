#include "builders/patch.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "builders/failure.h"

enum { LOOK_SECONDS = 60, PATIENCE_BYTES = 64 << 20 };

/*
 * --force: no questions, and no guess that a patch is meant backwards. The format is said, so that nothing in a patch
 * can be an ed script, which patch would hand to ed. --get=0: no file is fetched from an old version control system.
 * --verbose: every hunk that was applied is told, not only those that have moved.
 */
void mm_patch_arguments(const struct mm_patch *patch, const char *folder, struct mm_strings *argv)
{
	mm_strings_push(argv, "patch");
	mm_strings_pushf(argv, "--strip=%u", patch->strip);
	mm_strings_push(argv, "--fuzz=0");
	mm_strings_push(argv, "--force");
	mm_strings_push(argv, patch->context ? "--context" : "--unified");
	mm_strings_push(argv, "--get=0");
	mm_strings_push(argv, "--verbose");
	mm_strings_push(argv, "--no-backup-if-mismatch");
	mm_strings_push(argv, "--reject-file=-");
	mm_strings_push(argv, "--quoting-style=literal");
	mm_strings_pushf(argv, "--directory=%s", folder);
	mm_strings_pushf(argv, "--input=%s", patch->path);
}

/* The rest of LINE behind WORD, when it begins with it. Allocated. */
static char *after(const char *line, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(line, word, length) != 0)
		return NULL;
	line += length;
	return mm_strndup(line, strcspn(line, "\r\n"));
}

static void replace(char **text, char *fresh)
{
	if (!fresh)
		return;
	free(*text);
	*text = fresh;
}

/* "+ " begins what was run, "|" what patch shows of the patch itself. */
static bool is_refusal(const char *line)
{
	char *text = after(line, "");
	bool is = *text != '+' && *text != '|' &&
		  (strstr(text, "dangerous") || strstr(text, "not supported") || strstr(text, "refusing"));
	free(text);
	return is;
}

char *mm_patch_explain(const char *name, const char *output)
{
	char *file = NULL, *hunk = NULL, *said = NULL, *missing = NULL;
	for (const char *line = output; *line && !hunk; line += strcspn(line, "\n"), line += *line == '\n') {
		replace(&file, after(line, "patching file "));
		replace(&file, after(line, "checking file "));
		char *number = after(line, "Hunk #");
		if (number && strstr(number, " FAILED at ")) {
			number[strcspn(number, ".")] = '\0';
			hunk = number;
			number = NULL;
		}
		free(number);
		replace(&missing, after(line, "can't find file to patch at input "));
		if (!said)
			replace(&said, after(line, "patch: **** "));
		if (!said && is_refusal(line))
			replace(&said, after(line, ""));
	}
	char *text;
	if (hunk) {
		size_t digits = strspn(hunk, "0123456789");
		text = mm_format("patch '%s' does not apply to '%s': hunk #%.*s fails at line %s", name,
				 file ? file : "?", (int)digits, hunk, hunk + digits + strlen(" FAILED at "));
	} else if (said) {
		text = mm_format("patch '%s' is refused: %s", name, said);
	} else if (missing) {
		text = mm_format("patch '%s' does not apply: at its %s it names a file that the tree does not have "
				 "(is the number of leading folders right? a series can say -p0)",
				 name, missing);
	} else {
		char *line = mm_failure_line(output);
		text = mm_format("patch '%s' does not apply%s%s: %s", name, file ? " to " : "", file ? file : "", line);
		free(line);
	}
	free(missing);
	free(said);
	free(hunk);
	free(file);
	return text;
}

static off_t size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) ? 0 : st.st_size;
}

/* Could the patch be taken back? Then the tree has its change already. Tried without changing anything. */
static bool is_applied(const struct mm_job *job, const struct mm_patch *patch, const char *folder)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_error ignored = MM_ERROR_INIT;
	struct mm_process_result result;
	mm_patch_arguments(patch, folder, &argv);
	mm_strings_push(&argv, "--reverse");
	mm_strings_push(&argv, "--dry-run");
	struct mm_process_spec spec = {
		.argv = argv.items, .env = job->env.items, .output = &output, .timeout_seconds = LOOK_SECONDS
	};
	bool applied = mm_process_run(&spec, &result, &ignored) == 0 && result.exit_status == 0;
	mm_buffer_release(&output);
	mm_strings_release(&argv);
	return applied;
}

/* What the log at PATH has behind its first BEFORE bytes. Allocated. */
static char *read_behind(const char *path, off_t before)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char chunk[1 << 14];
	ssize_t got;
	int fd;
	if (mm_fs_open(path, &fd, NULL) == 0) {
		for (; text.length < PATIENCE_BYTES && (got = pread(fd, chunk, sizeof chunk, before)) > 0;
		     before += got)
			mm_buffer_append(&text, chunk, (size_t)got);
		close(fd);
	}
	for (size_t i = 0; i < text.length; i++)
		if (!text.data[i])
			text.data[i] = ' ';
	return mm_buffer_detach(&text);
}

unsigned mm_patch_count(const char *output)
{
	unsigned count = 0;
	for (const char *line = output; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *number = after(line, "Hunk #");
		count += number && strstr(number, " succeeded at ");
		free(number);
	}
	return count;
}

/* patch has ended well, but it ends so whatever it has taken for words between the diffs. */
static int check_count(struct mm_build *build, const struct mm_patch *patch, const char *output, struct mm_error *err)
{
	unsigned count = mm_patch_count(output);
	if (count == patch->hunks)
		return 0;
	free(build->failure);
	build->failure = mm_format("patch '%s' holds %u hunk%s, but %u %s applied: see what the log says of each file",
				   mm_path_base(patch->path), patch->hunks, mm_plural(patch->hunks), count,
				   count == 1 ? "was" : "were");
	return mm_error_set(err, MM_ECELL, "%s", build->failure);
}

int mm_patch_apply(struct mm_job *job, const struct mm_patch *patch, const char *folder, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_build *build = job->build;
	off_t before = size_of(build->log);
	mm_patch_arguments(patch, folder, &argv);
	int code = mm_job_run(job, &argv, err);
	char *own = read_behind(build->log, before);
	if (!code) {
		code = check_count(build, patch, own, err);
	} else if (code == MM_ECELL && !job->timed_out) {
		free(build->failure);
		free(build->hint);
		build->failure = mm_patch_explain(mm_path_base(patch->path), own);
		build->hint = is_applied(job, patch, folder) ? mm_strdup("the tree has this change already") : NULL;
		mm_error_clear(err);
		code = mm_error_set(err, MM_ECELL, "%s", build->failure);
	}
	free(own);
	mm_strings_release(&argv);
	return code;
}
