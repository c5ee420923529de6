/* Private to toolchains/: the parts of the flag audit. */
#ifndef MM_TOOLCHAINS_AUDIT_PRIVATE_H
#define MM_TOOLCHAINS_AUDIT_PRIVATE_H

#include "toolchains/audit.h"

void mm_tally_add(struct mm_tallies *tallies, const char *name);
void mm_tallies_release(struct mm_tallies *tallies);

/* Fills audit->warnings and audit->deviates from everything else. */
void mm_audit_judge(struct mm_flag_audit *audit);

#endif
