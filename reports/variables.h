/* Server variables that differ between two cells. */
#ifndef MM_REPORTS_VARIABLES_H
#define MM_REPORTS_VARIABLES_H

#include <jansson.h>

/*
 * [{"name", "baseline", "candidate"}] of what differs, "version" first, then in order of name; null where a side does not have the variable.
 * Paths, and what is drawn anew at every start (server_uuid …), are left out: they differ between any two servers.
 * Either may be NULL. New reference.
 */
json_t *mm_variables_diff(const json_t *baseline, const json_t *candidate);

/* Those that move figures most, as far as the server has them: an object. VARIABLES may be NULL. New reference. */
json_t *mm_variables_of_note(const json_t *variables);

#endif
