/* What is going on in a work folder, as JSON; reads files only, also while a run goes on. */
#ifndef MM_EXECUTORS_STATUS_H
#define MM_EXECUTORS_STATUS_H

#include <jansson.h>

#include "executors/look.h"

/*
 * {"mymatrix_status": 1, "work": …, "pid": of the mymatrix that works there or null, "run": null or {"folder", "number",
 * "created", "done", "failed", "left", "total" (passes; those of a cell that is out are none of the first three), "report": is there one, "current": the pass that is being done here,
 * {"cell", "suite", "index", "visit", "number": of total, "seconds": since it began}, "left_seconds": what the passes that are left take, where it is known}, "slurm": jobs in its queue, when there
 * are any (executors/slurm/slurm.h), "last_call": when it was stopped (executors/last-call.h), "cells": [{"cell", "build": "done", "failed",
 * "under way", "interrupted" or "absent", "stage", "step", "steps", "failure", "hint", "log", "prefix", "passes",
 * "failed_passes", "of"}]}
 *
 * LOOK may be NULL: then only cells of the newest run are known. New reference.
 */
json_t *mm_status(const char *work, const struct mm_look *look);

/* The log that was written last in a build's folder; NULL when there is none. Allocated. */
char *mm_status_newest_log(const char *build_folder);

#endif
