#include "docs/man/manual.h"

#include "base/fs.h"

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	if (argc != 4) {
		(void)fprintf(stderr, "usage: manual PARTS FOLDER DATE\n");
		return 2;
	}
	const struct mm_manual manual = { argv[1], argv[2], argv[3] };
	int code = mm_fs_mkdirs(manual.folder, 0755, &err);
	if (!code)
		code = mm_manual_commands(&manual, &err);
	if (!code)
		code = mm_manual_matrix(&manual, &err);
	if (!code)
		code = mm_manual_completions(&manual, &err);
	if (code)
		(void)fprintf(stderr, "manual: %s\n", err.text);
	return mm_error_status((enum mm_code)code);
}
