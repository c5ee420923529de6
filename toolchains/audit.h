/*
 * The flag audit: what was asked for against what every translation unit got, read from the log that the compiler
 * wrapper wrote. It says which units got exactly the requested flags, which did not and why, what was injected that
 * nobody asked for, and which level each folder of the tree was compiled at. What a source sets for itself
 * (#pragma GCC optimize, __attribute__((optimize))) stands on no command line and is not seen.
 */
#ifndef MM_TOOLCHAINS_AUDIT_H
#define MM_TOOLCHAINS_AUDIT_H

#include <jansson.h>
#include <stdint.h>

#include "toolchains/toolchain.h"

struct mm_audit_request {
	enum mm_family family;
	const char *bits_option; /* "" for none */
	const struct mm_flag_words *flags;
	enum mm_enforce enforce;
	const struct mm_strings *profiles[3]; /* words that profiles give the tree; NULL: none */
	const char *source, *build; /* folders of the tree and of the build: units are told relative to them */
};

/* How often something was seen. */
struct mm_tally {
	char *name;
	size_t count;
};
struct mm_tallies {
	struct mm_tally *items;
	size_t count, capacity;
};

/* A flag that nobody asked for and that holds. */
struct mm_injection {
	char *flag;
	const char *what; /* its class, see flag-kind.h; static */
	bool deviates;    /* it makes this another build than was asked for */
	bool of_profile;  /* the tree was given it, because it needs it */
	size_t units;
	char *first; /* a file that has it */
};
struct mm_injections {
	struct mm_injection *items;
	size_t count, capacity;
};

struct mm_unit {
	char *file;       /* relative to the tree or the build, else absolute */
	char *level;      /* the effective one, "none" without any */
	char *tree_level; /* the last that the tree itself gave, "none" */
	bool in_force;    /* every requested flag holds */
	bool exact;       /* and nothing that deviates was added */
	char *why;        /* when it is not in force: the first reason, else NULL */
	struct mm_strings instructions; /* flags for single instructions that nobody asked for */
};

struct mm_folder_levels {
	char *name;
	size_t units;
	struct mm_tallies levels;
};

struct mm_flag_audit {
	char *requested_c, *requested_cxx, *requested_ld; /* bits included */
	char *level_c, *level_cxx;                        /* NULL: none was asked for */
	enum mm_enforce enforce;
	struct mm_unit *units; /* one for each object, the last compilation of it */
	size_t unit_count, unit_capacity;
	size_t in_force, exact;
	size_t assembled;             /* .s and .S: no level to judge */
	size_t probes, links, failed; /* calls of configure; links; calls that ended with an error */
	size_t killed;                /* calls that a signal ended */
	size_t damaged;               /* lines of the log that cannot be read */
	size_t foreign;               /* objects that were linked and that no logged call made */
	char *first_foreign;
	size_t unread;                         /* static libraries of the build that cannot be looked into */
	char *first_unread;                    /* with the reason */
	size_t changed;                        /* files that somebody replaced or wrote to after a call had made them */
	char *first_changed;
	struct mm_strings linked;              /* absolute paths of what links made */
	struct mm_tallies levels, tree_levels; /* units by effective level, and by what the tree gave */
	struct mm_tallies lowered, raised;     /* files whose level the tree itself sets lower or higher than asked */
	struct mm_tallies causes;              /* known origins of flags: units in which they show */
	struct mm_injections injected, injected_links;
	struct mm_folder_levels *folders;
	size_t folder_count, folder_capacity;
	/* units in which it holds */
	size_t ndebug, dbug_off, debug_code, lto, pic, pie, frame_pointers, native, fast_math, instrumented;
	size_t lto_links, pie_links;
	uint64_t compiler_us;       /* of all calls together */
	uint64_t peak_kib;          /* of the largest call */
	char *largest;              /* its file */
	struct mm_strings builtin;  /* what the compiler adds by itself, see mm_audit_builtin */
	struct mm_strings warnings; /* sentences for reports, those that deviate first */
	size_t grave;               /* so many of them deviate */
	bool deviates;              /* "strict" fails the cell */
};

/* Reads LOG. A log that is missing is an audit without units. Errors: MM_EENV. Release AUDIT in any case. */
int mm_audit_read(const char *log, const struct mm_audit_request *request, struct mm_flag_audit *audit,
		  struct mm_error *err);
void mm_audit_release(struct mm_flag_audit *audit);

/* Adds a sentence that says why the audit proves nothing: AUDIT deviates. Takes TEXT over. */
void mm_audit_doubt(struct mm_flag_audit *audit, char *text);

/*
 * Asks the compiler what it adds without being told (PIE, stack protector, fortify …) at BITS_OPTION and FLAGS, by
 * its own macros: appended to BUILTIN as names. Errors: MM_ECELL.
 */
int mm_audit_builtin(const struct mm_toolchain *toolchain, const char *bits_option, const struct mm_flag_words *flags,
		     struct mm_strings *builtin, struct mm_error *err);

/* For build.json: counts, what deviates, warnings; a few hundred bytes to a few KiB. New reference. */
json_t *mm_audit_summary(const struct mm_flag_audit *audit);
/* The summary, every folder, and every unit that is not exact. New reference. */
json_t *mm_audit_detail(const struct mm_flag_audit *audit);
/* DETAIL as text for people, also from a file of an earlier run (every member may be missing). Allocated. */
char *mm_audit_text(const json_t *detail);

#endif
