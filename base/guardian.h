/* The guardian: kills every process group of ours when we are gone. Private to base/. */
#ifndef MM_BASE_GUARDIAN_H
#define MM_BASE_GUARDIAN_H

#include <sys/types.h>

#include "base/error.h"

/* Starts the guardian unless it lives. Call before fork: the child registers itself through the inherited pipe. */
int mm_guardian_start(struct mm_error *err);
/* The process that guards us; 0: none. */
pid_t mm_guardian_pid(void);
/* In the child, before exec (async-signal-safe): -1 with errno when the guardian is gone. */
int mm_guardian_register(pid_t group);
/* In the parent, when the group is dead. */
void mm_guardian_forget(pid_t group);

#endif
