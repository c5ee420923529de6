/*
 * Errors: every function that can fail returns 0 or a negative enum mm_code
 * and takes a caller-allocated struct mm_error as its last parameter.
 *
 * A text is one line, in lower case, without a full stop, names its subject
 * in 'quotes' and says what would be right. The first error wins: setting an
 * error that is already set keeps the first text. Context is prefixed on the
 * way up; the code is never changed.
 */
#ifndef MM_BASE_ERROR_H
#define MM_BASE_ERROR_H

enum mm_code {
	MM_OK = 0,
	MM_EUSAGE = -1,       /* the command line is wrong: exit 2 */
	MM_EMATRIX = -2,      /* MATRIX.json or another input file is wrong: exit 2 */
	MM_ECELL = -3,        /* this cell failed, others can go on: exit 3 */
	MM_EENV = -4,         /* the machine refuses: disk, memory, permission, a program missing: exit 5 */
	MM_EINTERNAL = -5,    /* a bug of ours: exit 5 */
	MM_EINTERRUPTED = -6, /* a signal asked us to stop: exit 128+n */
	MM_EREGRESSION = -7,  /* the gate found a regression, or answers were wrong: exit 1 */
	MM_EUNDECIDED = -8,   /* the gate could not decide: exit 4 */
	MM_EPIPE = -9         /* whoever read our output is gone: exit 128+SIGPIPE, and nothing is said */
};

enum { MM_ERROR_TEXT = 2048 };

struct mm_error {
	enum mm_code code;
	char text[MM_ERROR_TEXT];
};

#define MM_ERROR_INIT { MM_OK, "" }

#if defined(__GNUC__)
#define MM_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#define MM_NEVER_NULL                  __attribute__((returns_nonnull))
#else
#define MM_PRINTF(format_index, first)
#define MM_NEVER_NULL
#endif

/* Sets CODE and the formatted text unless ERR already holds an error. ERR may be NULL. Returns CODE. */
int mm_error_set(struct mm_error *err, enum mm_code code, const char *format, ...) MM_PRINTF(3, 4);

#define MM_MAKE_ROOM "make room and run the same command again"

/* As mm_error_set with MM_EENV; appends ": " and the text of errno, and what to do when a disk is full. */
int mm_error_errno(struct mm_error *err, const char *format, ...) MM_PRINTF(2, 3);

#ifdef __clang_analyzer__ /* and gcc's, see .ci/lint: an error is never 0, whatever file the function is in */
#define mm_error_set(err, code, ...) ((void)(mm_error_set)(err, code, __VA_ARGS__), (int)(code))
#define mm_error_errno(err, ...)     ((void)(mm_error_errno)(err, __VA_ARGS__), (int)MM_EENV)
#endif

/* Puts the formatted text and ": " in front of an error that is set. Returns its code. */
int mm_error_prefix(struct mm_error *err, const char *format, ...) MM_PRINTF(2, 3);

/* Forgets the error, so that ERR can be used again. */
void mm_error_clear(struct mm_error *err);

/* The exit status for CODE (see the table above); MM_EINTERRUPTED gives 128 + the signal seen. */
int mm_error_status(enum mm_code code);

#endif
