/* What a Debian package says of itself: the file "control" in its control.tar. */
#ifndef MM_BUILDERS_CONTROL_H
#define MM_BUILDERS_CONTROL_H

#include <stdbool.h>

#include "builders/input.h"

struct mm_control {
	char *package, *version, *architecture; /* NULL where it does not say */
};

/* False when FILE is no such package, or a damaged one: whoever unpacks it says so. Release it in any case. */
bool mm_control_read(const char *file, struct mm_control *control);
void mm_control_release(struct mm_control *control);

/* Which of two versions of a package is newer, as Debian orders them: below, equal to, above 0. */
int mm_control_compare(const char *a, const char *b);

/* Of two FILES that are one package of one architecture the last one unpacked would win: MM_EMATRIX with the place. */
int mm_control_check_once(const struct mm_input *input, const struct mm_strings *files, struct mm_error *err);

#endif
