/* Private to toolchains/: flags that hold and that nobody asked for. */
#ifndef MM_TOOLCHAINS_AUDIT_INJECTED_H
#define MM_TOOLCHAINS_AUDIT_INJECTED_H

#include "toolchains/audit.h"
#include "toolchains/audit-unit.h"

/* Does EFFECT do something at links only? Trees put some such flags on compile lines as well. */
bool mm_injected_at_links_only(const struct mm_effect *effect);

/* Of EFFECTS, what holds in UNIT beside WANTED. */
void mm_injected_unit(const struct mm_audit_request *request, struct mm_flag_audit *audit, struct mm_unit *unit,
		      const struct mm_effects *wanted, const struct mm_effects *effects);

/* Likewise for a link that makes FILE. */
void mm_injected_link(const struct mm_audit_request *request, struct mm_flag_audit *audit, const char *file,
		      const struct mm_effects *wanted, const struct mm_effects *effects);

/* When all units are there: what instructions that only some have come to. Counts the units that are exact. */
void mm_injected_judge(struct mm_flag_audit *audit);

#endif
