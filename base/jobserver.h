/*
 * The job budget: as many tokens as compilers may run at once, over all cells and build tools. GNU make's jobserver
 * protocol: a named pipe with one byte for each token; who takes a byte may work and puts it back when done. The
 * takers are the compiler wrappers and not the build tools: Ninja before 1.13 is no client of it, and make holds a
 * token of its own budget for the job that the wrapper is, so it is given a budget of its own (-j) and never waits
 * for ours. A wrapper calls no other wrapper, so nobody waits for a token while holding one: no deadlock.
 *
 * A taker that is killed cannot put its byte back. So each also holds a record lock in the file "holders", which the
 * kernel drops with the process, and mm_jobserver_reclaim replaces the bytes of those who are gone.
 */
#ifndef MM_BASE_JOBSERVER_H
#define MM_BASE_JOBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { MM_JOBS_MOST = 1024 };

struct mm_jobserver {
	char *folder; /* NULL: not running */
	int tokens;
	int pipe, holders; /* descriptors */
};

/*
 * Makes FOLDER's budget anew with TOKENS tokens (1 … MM_JOBS_MOST), whatever an earlier run left there. Who holds a
 * token of an earlier one goes on without being counted. Errors: MM_EENV.
 */
int mm_jobserver_start(struct mm_jobserver *server, const char *folder, int tokens, struct mm_error *err);

/* Takes part in the budget of FOLDER, which another process has started and owns. Errors: MM_EENV. */
int mm_jobserver_join(struct mm_jobserver *server, const char *folder, int tokens, struct mm_error *err);

/*
 * Puts back the tokens of takers that were killed; returns how many these were. Best called when a stage ended. Does
 * nothing while a link-time optimisation works with tokens that it took itself.
 */
int mm_jobserver_reclaim(struct mm_jobserver *server);
void mm_jobserver_stop(struct mm_jobserver *server);

/*
 * How many jobs of WANTED the free MEMORY (bytes, MM_UNKNOWN: any) allows, at least 1. When that is fewer, TEXT (of
 * SIZE bytes) says so in a sentence; else it is empty.
 */
int mm_jobs_fit(int wanted, uint64_t memory, char *text, unsigned size);

/* A token in somebody's hands. */
struct mm_token {
	int pipe, holders; /* descriptors, -1: there is no budget */
	int slot;
	char byte;
};

/*
 * Waits for a token of FOLDER's budget. Without a budget (FOLDER is NULL, or who made it is gone) there is nothing to
 * wait for: work goes on. *STOP (may be NULL) ends the wait. Returns false when it was stopped.
 */
bool mm_token_take(const char *folder, struct mm_token *token, const volatile int *stop);
void mm_token_put(struct mm_token *token);

/*
 * A descriptor to hand to a program that is a client of the protocol itself, open until exec; while TOKEN is held,
 * nothing is reclaimed. -1: there is no budget.
 */
int mm_token_share(struct mm_token *token, const char *folder);

/* Record locks in "holders": one byte each. */
enum { MM_JOBS_OWNER, MM_JOBS_GATE, MM_JOBS_SHARED, MM_JOBS_FIRST_SLOT };
#define MM_JOBS_PIPE    "tokens"
#define MM_JOBS_HOLDERS "holders"

#endif
