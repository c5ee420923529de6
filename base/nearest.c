#include "base/nearest.h"

#include <ctype.h>

enum { LONGEST = 64 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance, upper and lower case alike; names beyond LONGEST are far from everything. */
static unsigned distance(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	if (m > LONGEST || n > LONGEST)
		return LONGEST;
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	memset(rows, 0, sizeof rows);
	for (size_t j = 0; j <= n; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		unsigned *spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[n];
}

const char *mm_nearest(const char *word, const struct mm_strings *names)
{
	const char *best = NULL;
	unsigned best_distance = LONGEST;
	for (size_t i = 0; i < names->count; i++) {
		size_t a = strlen(word), b = strlen(names->items[i]);
		unsigned d = distance(word, names->items[i]);
		if (d < best_distance && d <= (a > b ? a : b) / 3 + (a <= 3 && b <= 3)) {
			best = names->items[i];
			best_distance = d;
		}
	}
	return best;
}
