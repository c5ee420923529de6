/* doctor: tells what is missing and what will be noisy, before hours are spent. */
#include "executors/doctor.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/hint.h"
#include "cli/text.h"

static void put_finding(const json_t *finding, struct mm_buffer *out)
{
	enum mm_finding state = mm_finding_state(finding);
	const char *advice = mm_json_string(finding, "advice", NULL);
	char *text = mm_format("%s: %s", mm_json_string(finding, "subject", "?"), mm_json_string(finding, "text", ""));
	mm_buffer_printf(out, "%-8s ", mm_finding_names[state]);
	mm_put_wrapped(text, 9, 9, out);
	if (advice) {
		struct mm_buffer words = MM_BUFFER_INIT;
		mm_put_hints(advice, &words);
		mm_buffer_printf(out, "%9s→ ", "");
		mm_put_wrapped(mm_buffer_text(&words), 11, 11, out);
		mm_buffer_release(&words);
	}
	free(text);
}

/* What is well in one paragraph, by its subjects. */
static void put_well(const json_t *findings, struct mm_buffer *out)
{
	struct mm_strings subjects = MM_STRINGS_INIT;
	size_t i;
	json_t *finding;
	json_array_foreach(findings, i, finding)
	{
		if (mm_finding_state(finding) == MM_FINDING_OK)
			mm_strings_push(&subjects, mm_json_string(finding, "subject", "?"));
	}
	char *list = mm_strings_join(&subjects, "; ");
	mm_buffer_printf(out, "%-8s ", mm_finding_names[MM_FINDING_OK]);
	mm_put_wrapped(subjects.count ? list : "nothing", 9, 9, out);
	free(list);
	mm_strings_release(&subjects);
}

/* The worst first. */
static void put_table(const json_t *findings, bool all, struct mm_buffer *out)
{
	size_t i, counts[MM_FINDING_ERROR + 1] = { 0 };
	json_t *finding;
	for (int state = MM_FINDING_ERROR; state >= MM_FINDING_OK; state--) {
		json_array_foreach(findings, i, finding)
		{
			if (mm_finding_state(finding) != (enum mm_finding)state)
				continue;
			counts[state]++;
			if (all || state != MM_FINDING_OK)
				put_finding(finding, out);
		}
	}
	if (!all)
		put_well(findings, out);
	mm_buffer_printf(out, "\n%zu error%s, %zu warning%s, %zu note%s, %zu %s well%s\n", counts[MM_FINDING_ERROR],
			 mm_plural(counts[MM_FINDING_ERROR]), counts[MM_FINDING_WARNING],
			 mm_plural(counts[MM_FINDING_WARNING]), counts[MM_FINDING_NOTE], mm_plural(counts[MM_FINDING_NOTE]),
			 counts[MM_FINDING_OK], counts[MM_FINDING_OK] == 1 ? "thing is" : "things are",
			 all || !counts[MM_FINDING_OK] ? "" : "; -v shows more");
}

static int print(const struct mm_arguments *arguments, json_t *findings, struct mm_error *err)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	if (arguments->json) {
		struct mm_host host;
		mm_os_host(&host);
		json_t *json = json_pack("{s:i, s:s, s:s, s:O}", "mymatrix_doctor", 1, "host", host.name, "worst",
					 mm_finding_names[mm_findings_worst(findings)], "findings", findings);
		char *text = mm_json_text(json);
		mm_buffer_puts(&out, text);
		free(text);
		json_decref(json);
	} else {
		put_table(findings, arguments->verbose, &out);
	}
	int code = mm_output(arguments, mm_buffer_text(&out), out.length, err);
	mm_buffer_release(&out);
	return code;
}

/* A folder of our own to compile in, which leaves no trace. */
static char *scratch_folder(void)
{
	char *path = mm_path_join(mm_fs_scratch(), "mymatrix-doctor.XXXXXX");
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

static int examine(const struct mm_arguments *arguments, const char *scratch, json_t *findings, struct mm_error *err)
{
	struct mm_matrix *matrix = NULL;
	struct mm_look look = { 0 };
	char *work = NULL, *probes = mm_path_join(scratch, "probe");
	int code = 0;
	if (!arguments->positional.count && !mm_fs_exists("MATRIX.json")) {
		mm_finding_add(findings, MM_FINDING_NOTE, "MATRIX.json", "'mymatrix init' writes a first one",
			       "there is none here: only the machine is looked at");
		code = mm_doctor_machine(probes, findings, err);
	} else {
		code = mm_cli_matrix(arguments, &matrix, &work, err);
		if (!code)
			code = mm_matrix_check_supported(matrix, err);
		if (!code)
			code = mm_look_open(matrix, work, &look, err);
		if (!code)
			code = mm_doctor_matrix(&look, probes, findings, err);
		if (!code) {
			struct mm_space left;
			mm_space_left(matrix, look.work, look.cells, NULL, &left);
			mm_doctor_space(matrix, look.work, &left, findings);
		}
		mm_look_release(&look);
		mm_matrix_free(matrix);
	}
	mm_doctor_noise(findings);
	free(probes);
	free(work);
	return code;
}

int mm_command_doctor(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_error cleaning = MM_ERROR_INIT;
	json_t *findings = json_array();
	char *scratch = scratch_folder();
	int code = scratch ? examine(arguments, scratch, findings, err)
			   : mm_error_errno(err, "cannot make a folder to compile in: set TMPDIR to one that you may write");
	if (scratch)
		(void)mm_fs_remove_tree(scratch, &cleaning);
	if (!code)
		code = print(arguments, findings, err);
	if (!code && mm_findings_worst(findings) == MM_FINDING_ERROR)
		code = MM_ECELL;
	json_decref(findings);
	free(scratch);
	return code;
}
