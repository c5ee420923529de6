/*
 * The matrix: what MATRIX.json says, checked whole. Everything here is owned
 * by struct mm_matrix and lives until mm_matrix_free; other records borrow.
 *
 * An option that is legal in version 1 but not carried out by this build of
 * mymatrix is refused when it is asked for (see mm_matrix_check_supported), never ignored.
 */
#ifndef MM_MATRIX_MATRIX_H
#define MM_MATRIX_MATRIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum { MM_BITS_NATIVE = 0 }; /* else 32 or 64 */

enum mm_source_kind { MM_SOURCE_TARBALL, MM_SOURCE_DIRECTORY, MM_SOURCE_GIT, MM_SOURCE_PACKAGES, MM_SOURCE_PREFIX };

/* "build" of a source, and the build half of a config. */
struct mm_build_options {
	char *system;               /* "cmake", "autotools", NULL: what the tree says */
	struct mm_strings options;  /* arguments of cmake or configure */
	struct mm_strings targets;  /* what to build; empty: the server and what a benchmark needs */
	struct mm_strings env;      /* "NAME=value" */
	struct mm_strings profiles; /* profiles by name, instead of those that the tree selects; see has_profiles */
	bool has_profiles;
};

struct mm_source {
	char *name;
	enum mm_source_kind kind;
	char *path;                 /* tarball, directory, prefix: absolute; git: URL or absolute path */
	char *ref;                  /* git only */
	char *commit;               /* git only: what ref was when somebody asked; NULL: to be asked for */
	char *sha256;               /* of the tarball, lower case; NULL when not given */
	struct mm_strings packages; /* absolute paths of .deb or .rpm files */
	struct mm_strings patches;  /* absolute paths: patch files and quilt series */
	struct mm_strings extra;    /* absolute paths of further files that the build wants */
	int bits;                   /* packages and prefix: 32 or 64, 0: what the ELF says */
	struct mm_build_options build;
};

enum mm_family { MM_FAMILY_GCC, MM_FAMILY_CLANG, MM_FAMILY_SUNSTUDIO, MM_FAMILY_COUNT };
const char *mm_family_name(enum mm_family family); /* "gcc", "clang", "sunstudio" */

struct mm_toolchain_spec {
	char *name;
	enum mm_family family;
	char *cc, *cxx;              /* programs by name or path; never NULL */
	char *ar, *ranlib, *nm, *ld; /* NULL: the tree's choice */
};

/* One value of a flag set: words for each language; a plain string goes to c and cxx and the link line. */
struct mm_flag_words {
	char *c, *cxx, *cpp, *ld; /* never NULL */
};

struct mm_flag_entry {
	int family; /* enum mm_family, -1: "*" */
	int bits;   /* 32 or 64, -1: any */
	struct mm_flag_words words;
};

enum mm_enforce { MM_ENFORCE_LEVEL, MM_ENFORCE_NONE };

struct mm_flagset {
	char *name;
	struct mm_flag_entry *entries;
	size_t entry_count;
	struct mm_strings use; /* names of other sets, which come first */
	char *from;            /* "dpkg-buildflags", "rpm-optflags" or NULL */
	/* what FROM stands for on this machine, in front of the entry's words; empty until toolchains/origin.h fills it */
	struct mm_flag_words origin;
	json_t *pgo;           /* reserved: {"train": suite name}, may be NULL; borrowed from the document */
	enum mm_enforce enforce;
};

struct mm_config {
	char *name;                    /* "default" is built in: everything empty */
	char *my_cnf;                  /* absolute path, NULL: the empty file */
	struct mm_strings run_env;     /* "NAME=value" for the server */
	struct mm_build_options build; /* only options and env are used */
};

struct mm_sysroot {
	char *name; /* "32" or "64", its key */
	int bits;
	struct mm_strings packages; /* absolute paths */
	char *directory;            /* absolute path, instead of packages; may be NULL */
};

enum { MM_MOST_PASSES = 1000, MM_MOST_SCALE = 1000, MM_MOST_JOBS = 4096 };

struct mm_suite_spec {
	char *name;                   /* unique in the matrix */
	char *suite;                  /* "sql-bench", "sql-bench-upstream", "sysbench", "threads", "exec" */
	int passes;                   /* 1 … 1000, default 10 */
	double scale;                 /* > 0, default 1.0 */
	char *edition;                /* sql-bench: "5.0" (default) or "mariadb-10.11" */
	char *engine;                 /* "default": what the server chooses */
	struct mm_strings tests;      /* empty: all */
	struct mm_strings operations; /* empty: all */
	char *script; /* sysbench: a script; sql-bench-upstream: a folder; threads: a mix file; may be NULL */
	char *preset; /* sysbench: "published", "sweep"; may be NULL */
	char *mix;    /* threads: "heavy" or "light"; may be NULL */
	int *threads; /* client threads, each run in turn */
	size_t thread_count;
	int time_seconds;          /* 0: by events */
	int64_t events;            /* 0: by time */
	int64_t table_size;        /* 0: the suite's default */
	int tables;                /* 0: the suite's default */
	struct mm_strings command; /* exec: argv */
	struct mm_strings options; /* further arguments of the program */
	int timeout_seconds;       /* per test; 0: none */
	int pass_timeout_seconds;  /* per pass; 0: none */
};

struct mm_schedule {
	uint64_t seed;     /* default 1 */
	bool control;      /* run each baseline twice */
	bool relink;       /* "control": "relink": the second one linked again in another order; reserved */
	char *cpus_server; /* CPU list or NULL */
	char *cpus_client;
	char *datadir; /* where data directories are copied to, NULL: in the run folder */
	bool no_aslr;  /* "aslr": false */
};

struct mm_gate {
	bool present;
	double max_regression_percent;
	struct mm_strings tests; /* tests that are gated besides the geometric mean; empty: none */
	char *metric;            /* "wall" (default) or "server-cpu" */
};

enum mm_audit { MM_AUDIT_WARN, MM_AUDIT_STRICT, MM_AUDIT_OFF };
enum mm_keep { MM_KEEP_NEVER, MM_KEEP_ON_FAILURE, MM_KEEP_ALWAYS };

struct mm_build_policy {
	enum mm_audit audit;
	enum mm_keep keep;   /* build trees */
	int jobs;            /* 0: one for each CPU */
	int timeout_seconds; /* per stage; 0: none */
};

/* What may go wrong only so far. 0: no limit, where nothing else is said. */
struct mm_limits {
	int memory_mib, file_mib; /* of each process that a cell runs: its data segment; the largest file it writes */
	int hang_seconds;         /* how long a server may not answer a new connection; 60 by default */
	int start_seconds;        /* until a server answers its first; 120 by default */
	int datadir_seconds;      /* that the making of a data directory may take; 600 by default */
	/* of what an archive or package unpacks to: 32 GiB, a million entries, 250 bytes for each one by default */
	int unpacked_mib, unpacked_entries, unpacked_ratio;
};

/* Axes, in the order of a cell's id. */
enum mm_axis { MM_AXIS_SOURCE, MM_AXIS_TOOLCHAIN, MM_AXIS_BITS, MM_AXIS_FLAGS, MM_AXIS_CONFIG, MM_AXIS_COUNT };
const char *mm_axis_name(enum mm_axis axis); /* the key in "matrix" and "compare" */

struct mm_cell {
	char *id; /* source/toolchain/bits/flags[/config], or source[/config]; safe as a relative path */
	const struct mm_source *source;
	const struct mm_toolchain_spec *toolchain; /* NULL for packages and prefixes */
	int bits;                                  /* 32, 64, MM_BITS_NATIVE; of packages: the source's */
	const struct mm_flagset *flags;            /* NULL for packages and prefixes */
	const struct mm_config *config;            /* never NULL */
	size_t index;                              /* in matrix->cells */
};

struct mm_comparison {
	char *id; /* "BASELINE vs CANDIDATE" by cell ids */
	const struct mm_cell *baseline, *candidate;
	unsigned changed; /* bit 1 << enum mm_axis for every axis that differs; more than one bit is said in every
			     report */
};

struct mm_matrix {
	char *path;   /* absolute path of MATRIX.json */
	char *folder; /* its folder: relative paths start here */
	char *title;  /* never NULL */
	struct mm_source *sources;
	size_t source_count;
	struct mm_toolchain_spec *toolchains;
	size_t toolchain_count;
	struct mm_flagset *flagsets;
	size_t flagset_count;
	struct mm_config *configs; /* the first is "default" */
	size_t config_count;
	struct mm_sysroot *sysroots;
	size_t sysroot_count;
	struct mm_suite_spec *suites;
	size_t suite_count;
	struct mm_schedule schedule;
	double effect_percent, equivalence_percent; /* thresholds: 1 and 2 by default */
	struct mm_gate gate;
	struct mm_build_policy build;
	struct mm_limits limits;
	json_t *executor; /* "executor" as written, NULL when absent; borrowed from the document */
	struct mm_cell *cells;
	size_t cell_count;
	struct mm_comparison *comparisons;
	size_t comparison_count;
	json_t *document;          /* the whole file, "//" keys removed; owned */
	struct mm_matrix_own *own; /* of the room: text, indexes */
};

/* What the command line changes before the matrix is expanded. All optional. */
struct mm_matrix_overrides {
	/* "NAME=PATH": replaces the path of a tarball, directory, prefix or git source, relative to the current folder;
	 * a sha256 in the file still holds. */
	struct mm_strings sources;
	struct mm_strings commits; /* "NAME=COMMIT": what the ref of a git source was found to be */
	struct mm_strings
		cell_globs; /* keep cells that match one of them ('*' matches '/' too), and their comparisons */
	int passes;         /* 0: as written */
	double scale;       /* 0: as written */
	int jobs;           /* 0: as written */
	double max_regression_percent; /* negative: as written */
};
void mm_matrix_overrides_init(struct mm_matrix_overrides *overrides);
void mm_matrix_overrides_release(struct mm_matrix_overrides *overrides);

/*
 * Reads, checks and expands PATH. Nothing outside the file is looked at: whether a tarball is there is the
 * builders' question. Errors: MM_EMATRIX, "file:line:column: $.json.path: what is wrong, what would be right";
 * MM_EUSAGE for overrides that match nothing.
 */
int mm_matrix_load(const char *path, const struct mm_matrix_overrides *overrides, struct mm_matrix **out,
		   struct mm_error *err);
/* The same of TEXT, which was that of PATH once: for those who go on with a matrix although its file was edited since. */
int mm_matrix_parse(const char *path, const char *text, const struct mm_matrix_overrides *overrides,
		    struct mm_matrix **out, struct mm_error *err);
/* What was read. Borrowed. */
const char *mm_matrix_text(const struct mm_matrix *matrix);
void mm_matrix_free(struct mm_matrix *matrix);

/* Refuses what version 1 allows and this build cannot do yet: MM_EMATRIX, one line, with file:line:column and path. */
int mm_matrix_check_supported(const struct mm_matrix *matrix, struct mm_error *err);

const struct mm_cell *mm_matrix_cell(const struct mm_matrix *matrix, const char *id); /* NULL: none; constant time */

/*
 * The words that a flag set means for a family and bits: sets of "use" first, then the most specific entry
 * (family/bits, family, "*"). Strings in OUT are allocated; release with mm_flag_words_release.
 */
void mm_flags_resolve(const struct mm_matrix *matrix, const struct mm_flagset *set, enum mm_family family, int bits,
		      struct mm_flag_words *out);
void mm_flag_words_release(struct mm_flag_words *words);

/*
 * The plan as JSON ("mymatrix_plan": 1): title, cells, comparisons, suites, schedule, thresholds, gate, build.
 * Values that many cells have in common are shared: do not change them in place. New reference.
 */
json_t *mm_matrix_plan(const struct mm_matrix *matrix);

/* A JSON Schema (draft 7) of MATRIX.json for editors, made from the tables that the parser reads by. New reference. */
json_t *mm_matrix_schema(void);

/* The JSON path of a named thing, "$.sources.NAME": for later errors that must name the place. Allocated
 * "file:line:column: path". */
char *mm_matrix_place(const struct mm_matrix *matrix, const char *json_path);

#endif
