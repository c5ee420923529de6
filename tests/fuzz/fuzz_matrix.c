/* MATRIX.json: read, checked, expanded, and the plan printed. */
#include <stdlib.h>

#include "base/json.h"
#include "fuzz.h"
#include "matrix/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = NULL;
	int code = mm_matrix_load(fuzz_file("MATRIX.json", data, size), NULL, &matrix, &err);
	fuzz_expect(code, &err);
	if (code)
		return 0;
	fuzz_expect(mm_matrix_check_supported(matrix, &err), &err);
	for (size_t i = 0; i < matrix->cell_count; i++)
		fuzz_must(mm_matrix_cell(matrix, matrix->cells[i].id) == &matrix->cells[i], "a cell to be found");
	if (matrix->cell_count < 1000) {
		json_t *plan = mm_matrix_plan(matrix);
		char *text = mm_json_text(plan);
		free(text);
		json_decref(plan);
	}
	mm_matrix_free(matrix);
	return 0;
}
