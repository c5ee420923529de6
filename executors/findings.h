/* What a look at machine and matrix found: a JSON array of {"subject", "state", "text", "advice"}. */
#ifndef MM_EXECUTORS_FINDINGS_H
#define MM_EXECUTORS_FINDINGS_H

#include <jansson.h>

#include "base/error.h"

enum mm_finding {
	MM_FINDING_OK,
	MM_FINDING_NOTE,    /* makes results noisier, or may be wanted */
	MM_FINDING_WARNING, /* will probably spoil something */
	MM_FINDING_ERROR    /* a cell or a pass cannot be done */
};
extern const char *const mm_finding_names[]; /* "ok", "note", "warning", "error" */

/* ADVICE may be NULL. */
void mm_finding_add(json_t *findings, enum mm_finding state, const char *subject, const char *advice,
		    const char *format, ...) MM_PRINTF(5, 6);
enum mm_finding mm_finding_state(const json_t *finding);
enum mm_finding mm_findings_worst(const json_t *findings);

#endif
