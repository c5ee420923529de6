#include "runners/sql-bench/edition.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LIMITS                                                                                                         \
	.max_columns = 2000, .max_keys = 16, .max_key_parts = 16, .max_tables = 65000, .query_size = 1000000,          \
	.blob_size = 65000

static const struct mm_sb_edition editions[] = {
	{
		.name = "5.0",
		LIMITS,
		.atis_loop = 100,
		.alter_steps = 100,
		.alter_columns = 1000,
		.alter_rows = 1000,
		.big_loop = 1000,
		.big_columns = 1000,
		.connect_loop = 100000,
		.create_loop = 10000,
		.create_tables = 10000,
		.insert_loop = 100000,
		.insert_ranges = 500,
		.insert_scans = 10,
		.select_loop = 10000,
		.select_medium = 1000,
		.select_small = 10,
		.transactions_loop = 10000,
		.transactions_rollback = 100,
		.wisconsin_loop = 10,
	},
	{
		.name = "mariadb-10.11",
		.later = true,
		LIMITS,
		.atis_loop = 5000,
		.alter_steps = 10000,
		.alter_columns = 1000,
		.alter_rows = 1000,
		.big_loop = 70000,
		.big_columns = 1000,
		.connect_loop = 500000,
		.create_loop = 10000,
		.create_tables = 400,
		.insert_loop = 100000,
		.insert_ranges = 500,
		.insert_scans = 10,
		.insert_key_updates = 10000,
		.select_loop = 10000,
		.select_medium = 7000,
		.select_small = 10,
		.transactions_loop = 500000,
		.transactions_rollback = 10000,
		.wisconsin_loop = 5000,
	},
	{ .name = NULL },
};

const struct mm_sb_edition *mm_sb_editions(void)
{
	return editions;
}

const struct mm_sb_edition *mm_sb_edition_find(const char *name)
{
	if (!name)
		return &editions[0];
	for (const struct mm_sb_edition *edition = editions; edition->name; edition++)
		if (strcmp(edition->name, name) == 0)
			return edition;
	return NULL;
}

unsigned mm_sb_scaled(double scale, unsigned count, unsigned step, unsigned minimum)
{
	double steps = round((double)count * scale / step);
	unsigned result = steps < 1e6 * MM_SB_MAX_SCALE ? (unsigned)steps * step : UINT32_MAX / step * step;

	return result < minimum ? minimum : result;
}
