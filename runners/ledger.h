/*
 * The ledger of a test: one word for every answer, in the order of the statements. The first pass of a run that ends a
 * test leaves its ledger in the run's folder; every later pass, of whatever cell, is held against it while it runs, and
 * names the first statement that was answered otherwise. The statement's text is at hand at that moment, so that
 * nothing but four bytes for each statement has to be kept, once for each test of a run.
 */
#ifndef MM_RUNNERS_LEDGER_H
#define MM_RUNNERS_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct mm_ledger {
	char *path;      /* of the run's ledger of this test; NULL: nothing is compared */
	uint32_t *words; /* this pass's */
	size_t count, capacity;
	uint32_t *reference; /* the run's; NULL: there is none yet */
	size_t reference_count;
	char reference_checksum[17]; /* of the whole test */
	bool differs;                /* the first difference was met */
	json_t *difference;          /* it, as mm_ledger_end gives it */
};

/* FOLDER NULL: nothing is compared. A ledger that is damaged counts as none. NAME becomes part of a file's name. */
void mm_ledger_begin(struct mm_ledger *ledger, const char *folder, const char *suite, const char *name);

/* Notes the DIGEST of an answer. True once: at the first statement that was answered otherwise, to be named. */
bool mm_ledger_add(struct mm_ledger *ledger, uint64_t digest);
/* Names that statement: the LENGTH bytes of TEXT. OPERATION NULL: it was between operations. */
void mm_ledger_name(struct mm_ledger *ledger, const char *operation, const char *text, size_t length);

/*
 * Ends a test whose answers have CHECKSUM: leaves the ledger where there is none, and returns what differs from the
 * run's, NULL when nothing does (new reference):
 *
 * {"statement_number": n from 1, "operation"?, "statement", "answer", "expected"?, "reference_checksum"}
 *
 * A ledger that cannot be written is an error of the machine, MM_EENV.
 */
int mm_ledger_end(struct mm_ledger *ledger, uint64_t checksum, json_t **difference, struct mm_error *err);
/* For a test that failed, too. */
void mm_ledger_release(struct mm_ledger *ledger);

#endif
