/* What can be known before hours are spent: findings about this machine and about a matrix on it. */
#ifndef MM_EXECUTORS_DOCTOR_H
#define MM_EXECUTORS_DOCTOR_H

#include "base/os.h"
#include "executors/findings.h"
#include "executors/look.h"
#include "executors/space.h"

/* What will make results noisy here, and what to do about it. Costs nothing. */
void mm_doctor_noise(json_t *findings);
/* The same from given facts. LOAD negative, and MM_UNKNOWN elsewhere: not known. */
void mm_doctor_judge_noise(const struct mm_host *host, const struct mm_machine_time *time, double load,
			   json_t *findings);

/* Disk and memory against what is LEFT to do; nothing where nothing is. Costs nothing. */
void mm_doctor_space(const struct mm_matrix *matrix, const char *work, const struct mm_space *left, json_t *findings);
/* What costs nothing as events, before a run begins: warnings for space. */
void mm_doctor_tell(const struct mm_matrix *matrix, const char *work, const struct mm_space *left);
/* The same of the noise, in one note: for runs that have something to measure. */
void mm_doctor_tell_noise(void);

/* Without a matrix: the compilers that are there, and the programs that builds need. Errors: MM_EENV, MM_EINTERRUPTED. */
int mm_doctor_machine(const char *scratch, json_t *findings, struct mm_error *err);

/*
 * With one: sources, every compiler with its bits and flags compiled, linked and run, libraries at these bits, programs,
 * suites. Errors: MM_EENV, MM_EINTERRUPTED.
 */
int mm_doctor_matrix(struct mm_look *look, const char *scratch, json_t *findings, struct mm_error *err);

#endif
