#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/slurm/slurm.h"

void mm_slurm_settings(const struct mm_matrix *matrix, struct mm_slurm_settings *settings)
{
	/* a matrix that was written for another executor has nothing to say here */
	const json_t *json =
		strcmp(mm_json_string(matrix->executor, "name", ""), "slurm") == 0 ? matrix->executor : NULL;
	*settings = (struct mm_slurm_settings){
		.partition = mm_json_string(json, "partition", NULL),
		.constraint = mm_json_string(json, "constraint", NULL),
		.node = mm_json_string(json, "node", NULL),
		.account = mm_json_string(json, "account", NULL),
		.time = mm_json_string(json, "time", NULL),
		.memory = mm_json_string(json, "memory", NULL),
		.options = json_object_get(json, "options"),
	};
}

/* sbatch takes the first word without a dash for the script. */
static int check_options(const struct mm_matrix *matrix, const json_t *options, struct mm_error *err)
{
	size_t i;
	const json_t *option;
	json_array_foreach(options, i, option)
	{
		const char *text = json_string_value(option);
		if (text[0] == '-' && text[1] != '\0' && strcmp(text, "--") != 0)
			continue;
		char *path = mm_json_path_index("$.executor.options", i);
		char *place = mm_matrix_place(matrix, path);
		int code = mm_error_set(err, MM_EMATRIX,
					"%s: '%s' is no option of sbatch: write an option and its value as one word, "
					"\"--option=value\"",
					place, text);
		free(place);
		free(path);
		return code;
	}
	return 0;
}

int mm_slurm_settings_check(const struct mm_matrix *matrix, struct mm_error *err)
{
	static const char *const programs[] = { "sbatch", "squeue", "scancel" };
	struct mm_slurm_settings settings;
	mm_slurm_settings(matrix, &settings);
	int code = check_options(matrix, settings.options, err);
	for (size_t i = 0; i < sizeof programs / sizeof *programs && !code; i++) {
		char *path = mm_fs_find_program(programs[i]);
		if (!path)
			code = mm_error_set(
				err, MM_EENV,
				"cannot find the program '%s': install Slurm's client programs (Debian: the "
				"package 'slurm-client'), or use --executor local",
				programs[i]);
		free(path);
	}
	return code;
}
