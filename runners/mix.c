/* Rows and statements out of a mix. */
#include "runners/mix.h"

#include <inttypes.h>

#include "base/memory.h"

#define SEED UINT64_C(0x6d796d6174726978)

enum { MOST_DRAWN = 16 }; /* values of one statement: mix-load.c allows no more */

struct mm_mix_random mm_mix_random_of(uint64_t a, uint64_t b)
{
	struct mm_mix_random random = { SEED + a * UINT64_C(0xd1342543de82ef95) };

	random.state = mm_mix_random_next(&random) + b * UINT64_C(0xaf251af3b0f025b5);
	return random;
}

uint64_t mm_mix_random_next(struct mm_mix_random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int64_t bound(const struct mm_mix_bound *bound, int64_t rows)
{
	int64_t value = bound->divisor > 0 ? rows / bound->divisor : bound->number;

	return bound->divisor > 0 && value < 1 ? 1 : value;
}

static int64_t draw_integer(const struct mm_mix_value *value, int64_t rows, struct mm_mix_random *random)
{
	int64_t low = bound(&value->low, rows), high = bound(&value->high, rows);

	/* a table of fewer rows than the file's own may turn bounds around */
	if (high <= low)
		return low;
	return low + (int64_t)(mm_mix_random_next(random) % (uint64_t)(high - low + 1));
}

static void put_letters(int64_t count, struct mm_mix_random *random, struct mm_buffer *out)
{
	uint64_t bits = 0;

	for (int64_t i = 0; i < count; i++) {
		if (i % 12 == 0)
			bits = mm_mix_random_next(random);
		mm_buffer_putc(out, (char)('a' + bits % 26));
		bits /= 26;
	}
}

/* The value itself, without quotes. */
static void put_value(const struct mm_mix_value *value, int64_t row, int64_t rows, struct mm_mix_random *random,
		      struct mm_buffer *out)
{
	switch (value->kind) {
	case MM_MIX_ROW:
		mm_buffer_printf(out, "%" PRId64, row);
		break;
	case MM_MIX_INTEGER:
		mm_buffer_printf(out, "%" PRId64, draw_integer(value, rows, random));
		break;
	case MM_MIX_TEXT:
		put_letters(value->length, random, out);
		break;
	case MM_MIX_CHOICE:
		mm_buffer_puts(out, value->choices.items[mm_mix_random_next(random) % value->choices.count]);
		break;
	}
}

static bool is_text(const struct mm_mix_value *value)
{
	return value->kind == MM_MIX_TEXT || value->kind == MM_MIX_CHOICE;
}

void mm_mix_create(const struct mm_mix *mix, int64_t table, const char *clause, struct mm_buffer *out)
{
	mm_buffer_printf(out, "create table %s%" PRId64 " (", mix->table, table);
	for (size_t i = 0; i < mix->column_count; i++)
		mm_buffer_printf(out, "%s%s %s", i > 0 ? ", " : "", mix->columns[i].value.name, mix->columns[i].type);
	for (size_t i = 0; i < mix->keys.count; i++)
		mm_buffer_printf(out, ", %s", mix->keys.items[i]);
	mm_buffer_printf(out, ")%s", clause);
}

int64_t mm_mix_insert(const struct mm_mix *mix, const struct mm_mix_size *size, int64_t table, int64_t from,
		      size_t limit, struct mm_buffer *out)
{
	int64_t row = from;

	mm_buffer_printf(out, "insert into %s%" PRId64 " values ", mix->table, table);
	for (; row <= size->rows && (row == from || out->length < limit); row++) {
		struct mm_mix_random random = mm_mix_random_of((uint64_t)table, (uint64_t)row);

		mm_buffer_puts(out, row == from ? "(" : ",(");
		for (size_t i = 0; i < mix->column_count; i++) {
			const struct mm_mix_value *value = &mix->columns[i].value;
			const char *quote = is_text(value) ? "'" : "";

			mm_buffer_printf(out, "%s%s", i > 0 ? "," : "", quote);
			put_value(value, row, size->rows, &random, out);
			mm_buffer_puts(out, quote);
		}
		mm_buffer_putc(out, ')');
	}
	return row;
}

size_t mm_mix_draw(const struct mm_mix *mix, struct mm_mix_random *random)
{
	uint64_t ticket = mm_mix_random_next(random) % mix->weights;
	size_t query = 0;

	while (ticket >= mix->queries[query].weight)
		ticket -= mix->queries[query++].weight;
	return query;
}

void mm_mix_statement(const struct mm_mix *mix, const struct mm_mix_size *size, size_t which,
		      struct mm_mix_random *random, struct mm_buffer *out)
{
	const struct mm_mix_query *query = &mix->queries[which];
	int64_t table = 1 + (int64_t)(mm_mix_random_next(random) % (uint64_t)size->tables);
	struct mm_mix_random drawn[MOST_DRAWN];

	/* a value that stands twice is the same twice: its sequence begins anew */
	for (size_t i = 0; i < query->value_count && i < MOST_DRAWN; i++)
		drawn[i].state = mm_mix_random_next(random);
	mm_buffer_reset(out);
	for (size_t i = 0; i < query->piece_count; i++) {
		const struct mm_mix_piece *piece = &query->pieces[i];

		mm_buffer_puts(out, piece->text);
		if (piece->value == MM_MIX_TABLE) {
			mm_buffer_printf(out, "%s%" PRId64, mix->table, table);
		} else if (piece->value >= 0) {
			struct mm_mix_random again = drawn[piece->value];

			put_value(&query->values[piece->value], 0, size->rows, &again, out);
		}
	}
}
