/* The flag audit on logs made for it: the traps that builds of MySQL are known for, and logs that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "toolchains/audit.h"
#include "toolchains/flag-kind.h"
#include "toolchains/wrapper/record.h"
#include "toolchains/wrapper/rewrite.h"

static char folder[] = "/tmp/mm-audit-XXXXXX";
static char *log_path;

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	log_path = mm_path_join(folder, "log");
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	free(log_path);
	return mm_fs_remove_tree(folder, NULL);
}

/* A cell: what it asks for, and the log of what its compilers were told. */
struct cell {
	struct mm_wrapper_config config;
	struct mm_flag_words flags;
	struct mm_audit_request request;
	struct mm_flag_audit audit;
};

static struct cell *cell_new(const char *flags, const char *cpp, const char *ld, enum mm_enforce enforce)
{
	struct cell *cell = mm_alloc(sizeof *cell);
	cell->flags = (struct mm_flag_words){ mm_strdup(flags), mm_strdup(flags), mm_strdup(cpp), mm_strdup(ld) };
	cell->config.bits = mm_strdup("-m64");
	cell->config.enforce = enforce == MM_ENFORCE_LEVEL;
	mm_strings_split(&cell->config.c, flags);
	mm_strings_split(&cell->config.cxx_words, flags);
	mm_strings_split(&cell->config.cpp, cpp);
	mm_strings_split(&cell->config.ld, ld);
	cell->request = (struct mm_audit_request){ .family = MM_FAMILY_GCC,
						   .bits_option = "-m64",
						   .flags = &cell->flags,
						   .enforce = enforce,
						   .source = "/src/tree",
						   .build = "/build/tree" };
	(void)unlink(log_path);
	return cell;
}

static void cell_free(struct cell *cell)
{
	mm_wrapper_config_release(&cell->config);
	mm_flag_words_release(&cell->flags);
	mm_audit_release(&cell->audit);
	free(cell);
}

/* What the wrapper does on a call with the words of LINE, the compiler ending with STATUS or by SIGNAL. */
static void call_ended(struct cell *cell, bool cxx, const char *line, int status, int signal)
{
	struct mm_strings args = MM_STRINGS_INIT;
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_record record = { .cwd = mm_strdup("/build/tree"),
				    .exit_status = status,
				    .signal = signal,
				    .wall_us = 1000000,
				    .peak_kib = 2048 };
	struct mm_line read;
	mm_strings_split(&args, line);
	mm_rewrite(&cell->config, cxx, args.items, args.count, &read, &record.words, record.cwd);
	record.kind = read.kind;
	record.language = read.language;
	record.probe = read.probe;
	mm_record_print(&record, &text);
	assert_int_equal(mm_record_append(log_path, &text), 0);
	mm_record_release(&record);
	mm_buffer_release(&text);
	mm_strings_release(&args);
}

static void call(struct cell *cell, bool cxx, const char *line)
{
	call_ended(cell, cxx, line, 0, 0);
}

static void read_audit(struct cell *cell)
{
	struct mm_error err = MM_ERROR_INIT;
	mm_audit_release(&cell->audit);
	if (mm_audit_read(log_path, &cell->request, &cell->audit, &err))
		fail_msg("%s", err.text);
}

static size_t tally(const struct mm_tallies *tallies, const char *name)
{
	for (size_t i = 0; i < tallies->count; i++)
		if (strcmp(tallies->items[i].name, name) == 0)
			return tallies->items[i].count;
	return 0;
}

/* Was FLAG injected: 1 as a deviation, 0 as a matter of course, -1 not at all. */
static int injected(const struct mm_flag_audit *audit, const char *flag)
{
	for (size_t i = 0; i < audit->injected.count; i++)
		if (strcmp(audit->injected.items[i].flag, flag) == 0)
			return audit->injected.items[i].deviates;
	return -1;
}

static void assert_warns(const struct mm_flag_audit *audit, const char *words)
{
	for (size_t i = 0; i < audit->warnings.count; i++)
		if (strstr(audit->warnings.items[i], words))
			return;
	char *all = mm_strings_join(&audit->warnings, "\n");
	fail_msg("no warning has '%s':\n%s", words, all ? all : "");
}

/* A tree that adds nothing: every unit is exact, and there is nothing to say. */
static void test_clean(void **state)
{
	struct cell *cell = cell_new("-O3", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, false, "-I/x -Wall -c /src/tree/sql/a.c -o sql/a.o");
	call(cell, true, "-std=c++11 -c /src/tree/sql/b.cc -o sql/b.o");
	call(cell, true, "sql/a.o sql/b.o -o sql/server");
	call(cell, false, "-c conftest.c");
	call(cell, false, "--version");
	read_audit(cell);
	const struct mm_flag_audit *audit = &cell->audit;
	assert_int_equal(audit->unit_count, 2);
	assert_int_equal(audit->exact, 2);
	assert_int_equal(audit->links, 1);
	assert_int_equal(audit->probes, 1);
	assert_int_equal(audit->foreign, 0);
	assert_int_equal(audit->warnings.count, 0);
	assert_false(audit->deviates);
	assert_int_equal(tally(&audit->levels, "-O3"), 2);
	assert_string_equal(audit->units[0].file, "sql/a.c");
	assert_int_equal(audit->folder_count, 1);
	assert_string_equal(audit->folders[0].name, "sql");
	assert_int_equal(audit->compiler_us, 3000000);
	cell_free(cell);
}

/* CMake's RelWithDebInfo: the type's -O2 comes behind the user's -O3 and wins, unless the cell's level is enforced. */
static void test_relwithdebinfo(void **state)
{
	static const char line[] = "-O3 -O2 -g -DNDEBUG -c /src/tree/sql/a.cc -o a.o";
	(void)state;
	struct cell *cell = cell_new("-O3", "", "", MM_ENFORCE_NONE);
	call(cell, true, line);
	read_audit(cell);
	assert_int_equal(cell->audit.in_force, 0);
	assert_string_equal(cell->audit.units[0].level, "-O2");
	assert_string_equal(cell->audit.units[0].why, "'-O2' holds instead of '-O3'");
	assert_warns(&cell->audit, "1 of 1 translation unit did not get the requested flags");
	assert_warns(&cell->audit, "CMake's flags of build type RelWithDebInfo (1)");
	assert_true(cell->audit.deviates);
	cell_free(cell);
	cell = cell_new("-O3", "", "", MM_ENFORCE_LEVEL);
	call(cell, true, line);
	read_audit(cell);
	assert_int_equal(cell->audit.exact, 1);
	assert_string_equal(cell->audit.units[0].level, "-O3");
	assert_string_equal(cell->audit.units[0].tree_level, "-O2");
	assert_int_equal(cell->audit.lowered.count, 1);
	assert_string_equal(cell->audit.lowered.items[0].name, "-O2 sql/a.cc");
	assert_int_equal(tally(&cell->audit.causes, "CMake's flags of build type RelWithDebInfo"), 1);
	assert_false(cell->audit.deviates);
	cell_free(cell);
}

/* BUILD_CONFIG=mysql_release writes its own flags over what was given. */
static void test_mysql_release(void **state)
{
	static const char line[] = "-O3 -g -fno-omit-frame-pointer -fno-strict-aliasing -DDBUG_OFF -c a.cc -o a.o";
	(void)state;
	struct cell *cell = cell_new("-O2", "", "", MM_ENFORCE_NONE);
	call(cell, true, line);
	read_audit(cell);
	assert_string_equal(cell->audit.units[0].level, "-O3");
	assert_warns(&cell->audit, "'-O3' holds instead of '-O2'");
	assert_warns(&cell->audit, "BUILD_CONFIG=mysql_release (1)");
	cell_free(cell);
	cell = cell_new("-O2", "", "", MM_ENFORCE_LEVEL);
	call(cell, true, line);
	read_audit(cell);
	assert_string_equal(cell->audit.units[0].level, "-O2");
	assert_int_equal(cell->audit.in_force, 1);
	assert_int_equal(cell->audit.exact, 0);
	assert_int_equal(cell->audit.raised.count, 1);
	assert_warns(&cell->audit, "'-fno-omit-frame-pointer' (frame pointers, 1)");
	assert_warns(&cell->audit, "BUILD_CONFIG=mysql_release (1)");
	assert_int_equal(injected(&cell->audit, "-fno-strict-aliasing"), 0);
	cell_free(cell);
}

/* dpkg-buildflags in the environment: hardening that nobody asked for. */
static void test_dpkg_buildflags(void **state)
{
	struct cell *cell = cell_new("-O3", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, true,
	     "-g -O2 -ffile-prefix-map=/b=. -fstack-protector-strong -Wformat -Werror=format-security -Wdate-time "
	     "-D_FORTIFY_SOURCE=2 -c a.cc -o a.o");
	call(cell, true, "-Wl,-z,relro a.o -o server");
	read_audit(cell);
	assert_int_equal(cell->audit.in_force, 1);
	assert_int_equal(cell->audit.exact, 0);
	assert_int_equal(injected(&cell->audit, "-fstack-protector-strong"), 1);
	assert_int_equal(injected(&cell->audit, "-D_FORTIFY_SOURCE=2"), 1);
	assert_int_equal(injected(&cell->audit, "-g"), 0);
	assert_int_equal(injected(&cell->audit, "-ffile-prefix-map=/b=."), -1);
	assert_warns(&cell->audit, "dpkg-buildflags, by the environment or the tree (1)");
	assert_warns(&cell->audit, "links got flags that nobody asked for: '-Wl,-z,relro' (hardening, 1)");
	cell_free(cell);
	/* who asks for them gets no warning */
	cell = cell_new("-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	call(cell, true, "-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -c a.cc -o a.o");
	read_audit(cell);
	assert_int_equal(cell->audit.exact, 1);
	assert_int_equal(cell->audit.warnings.count, 0);
	cell_free(cell);
}

/* Was FLAG of links injected: as injected(). */
static int injected_link(const struct mm_flag_audit *audit, const char *flag)
{
	for (size_t i = 0; i < audit->injected_links.count; i++)
		if (strcmp(audit->injected_links.items[i].flag, flag) == 0)
			return audit->injected_links.items[i].deviates;
	return -1;
}

/*
 * A link with a flag that makes it another one: what a cell at -O2 gets for it. FLAG is NULL where nothing may be said.
 */
static void test_links(void **state)
{
	static const struct {
		const char *line, *flag;
	} cases[] = {
		{ "-Ofast a.o -o x", NULL }, /* it was taken out */
		{ "-ffast-math a.o -o x", "-ffast-math" },
		{ "-fsanitize=address a.o -o x", "-fsanitize=address" },
		{ "-fuse-ld=gold a.o -o x", "-fuse-ld=gold" },
		{ "-Btools a.o -o x", "-Btools" },
		{ "-Wl,-O1,--sort-common,--as-needed,-z,relro,-z,now a.o -o x", "-Wl,-z,now" },
		{ "-Xlinker -z -Xlinker relro a.o -o x", "-Wl,-z,relro" },
		{ "-z relro a.o -o x", "-Wl,-z,relro" },
		{ "-Wl,--as-needed,-rpath,/x,-soname,y.so,--version-script=v,--dependency-file,x.d a.o -o x", NULL },
		{ "-Wl,@list a.o -o x", "-Wl,@list" },
		{ "-Wl,list.ld a.o -o x", "-Wl,list.ld" },
		{ "-Wl,-T,list.ld a.o -o x", "-Wl,-T,list.ld" },
		{ "-T list.ld a.o -o x", "-T list.ld" },
		{ "-fno-inline a.o -o x", NULL }, /* nothing is compiled */
		{ "-flto -fno-inline a.o -o x", "-fno-inline" },
		{ "-flto -mllvm -x=1 a.o -o x", "-mllvm -x=1" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
		call(cell, false, "-c a.c");
		call(cell, false, cases[i].line);
		read_audit(cell);
		if (cases[i].flag && injected_link(&cell->audit, cases[i].flag) != 1)
			fail_msg("nothing is said of '%s' in '%s'", cases[i].flag, cases[i].line);
		if (cell->audit.deviates != (cases[i].flag != NULL))
			fail_msg("'%s': %s", cases[i].line,
				 cell->audit.warnings.count ? cell->audit.warnings.items[0] : "no warning");
		cell_free(cell);
	}
}

/* Studio's links as well. */
static void test_links_of_studio(void **state)
{
	struct cell *cell = cell_new("-xO3", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	(void)state;
	cell->config.dialect = MM_DIALECT_STUDIO;
	cell->request.family = MM_FAMILY_SUNSTUDIO;
	call(cell, false, "-c a.c");
	call(cell, false, "-xO5 a.o -o x");
	read_audit(cell);
	assert_false(cell->audit.deviates);
	call(cell, false, "-fast -fns a.o -o y");
	read_audit(cell);
	assert_int_equal(injected_link(&cell->audit, "-fast"), 1);
	assert_int_equal(injected_link(&cell->audit, "-fns"), 1);
	assert_true(cell->audit.deviates);
	cell_free(cell);
}

/* A level in a response file cannot be taken out of it. */
static void test_link_level_in_file(void **state)
{
	struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	char *path = mm_path_join(folder, "words"), *line = mm_format("@%s a.o -o x", path);
	(void)state;
	assert_int_equal(mm_fs_write_atomic(path, "-Ofast", 6, NULL), 0);
	call(cell, false, "-c a.c");
	call(cell, false, line);
	read_audit(cell);
	assert_int_equal(injected_link(&cell->audit, "-Ofast"), 1);
	assert_true(cell->audit.deviates);
	free(line);
	free(path);
	cell_free(cell);
}

/* What is handed on to a part of the compiler counts as if it stood alone, and what nobody knows is no proof. */
static void test_handed_on(void **state)
{
	static const struct {
		const char *line, *warning;
	} cases[] = {
		{ "-Xclang -O0 -c a.c", "'-Xclang -O0' holds instead of '-O2'" },
		{ "-Xarch_host -O0 -c a.c", "'-Xarch_host -O0' holds instead of '-O2'" },
		{ "-Xclang -unheard-of -c a.c", "'-Xclang -unheard-of' (optimiser, 1)" },
		{ "-Xclang -load -Xclang x.so -c a.c", "'-Xclang -load x.so' (other tools, 1)" },
		{ "-mllvm -inline-threshold=5 -c a.c", "'-mllvm -inline-threshold=5' (optimiser, 1)" },
		{ "-Wp,-MD,a.d,-D_FORTIFY_SOURCE=2 -c a.c", "'-Wp,-D_FORTIFY_SOURCE=2' (hardening, 1)" },
		{ "-Wa,-mbranches-within-32B-boundaries -c a.c", "'-Wa,-mbranches-within-32B-boundaries' (optimiser" },
		{ "-B/x -c a.c", "'-B/x' (other tools, 1)" },
		{ "-B /x -c a.c", "'-B /x' (other tools, 1)" },
		{ "-wrapper x.sh -c a.c", "'-wrapper x.sh' (other tools, 1)" },
		{ "-specs=x -c a.c", "'-specs=x' (other tools, 1)" },
		{ "--config x -c a.c", "'--config x' (other tools, 1)" },
		{ "-fsanitize=undefined,address -c a.c", "'-fsanitize=address' (instrumentation, 1)" },
		{ "-Xclang -include-pch -Xclang x.pch -Xclang -include -Xclang x.h -fpch-instantiate-templates "
		  "-Wa,--noexecstack -c a.c",
		  NULL },
		{ "-Wl,-z -c a.c", NULL }, /* without its operand it is nothing */
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cell *cell = cell_new("-O2 -fsanitize=undefined", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
		call(cell, false, cases[i].line);
		read_audit(cell);
		if (cases[i].warning)
			assert_warns(&cell->audit, cases[i].warning);
		assert_int_equal(cell->audit.deviates, cases[i].warning != NULL);
		cell_free(cell);
	}
}

/* What is asked for with an operand is found with it. */
static void test_operands(void **state)
{
	static const char *const flags[] = {
		"-O2 --param inline-unit-growth=50",
		"-O2 --param=inline-unit-growth=50 --param large-function-growth=5",
		"-O2 -mllvm -inline-threshold=50",
		"-O2 -Xclang -O3 -include x.h -D X -I /x -Wl,-O1,-z,now",
		"-O2 -fsanitize=undefined,address",
		"-O2 -specs=/usr/lib/rpm/redhat/redhat-hardened-cc1 -specs=/usr/lib/rpm/redhat/redhat-annobin-cc1",
	};
	(void)state;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		struct cell *cell = cell_new(flags[i], "-DNDEBUG", flags[i], MM_ENFORCE_LEVEL);
		call(cell, false, "-c a.c");
		call(cell, false, "a.o -o x");
		call(cell, false, "-O0 b.c -o y");
		read_audit(cell);
		if (cell->audit.warnings.count)
			fail_msg("'%s': %s", flags[i], cell->audit.warnings.items[0]);
		assert_int_equal(cell->audit.exact, 2);
		cell_free(cell);
	}
}

/* A few files with instructions of their own are a matter of course, a tree with them is another build. */
static void test_instructions(void **state)
{
	(void)state;
	for (int many = 0; many < 2; many++) {
		struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
		for (int i = 0; i < 20; i++) {
			char *line = mm_format("%s -c %d.c", i < (many ? 3 : 2) ? "-mavx2" : "", i);
			call(cell, false, line);
			free(line);
		}
		read_audit(cell);
		assert_int_equal(injected(&cell->audit, "-mavx2"), many);
		assert_int_equal(cell->audit.exact, many ? 17 : 20);
		assert_int_equal(cell->audit.deviates, many);
		cell_free(cell);
	}
}

/* What makes "strict" fail comes before what does not. */
static void test_order(void **state)
{
	struct cell *cell = cell_new("-O2", "", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, false, "-DDBUG_OFF -c a.c");
	call(cell, false, "-c b.c");
	call(cell, false, "a.o other.o third -T x -o x");
	read_audit(cell);
	assert_int_equal(cell->audit.warnings.count, 4);
	assert_non_null(strstr(cell->audit.warnings.items[0], "'-T x'"));
	assert_non_null(strstr(cell->audit.warnings.items[1], "not compiled by the cell's"));
	assert_non_null(strstr(cell->audit.warnings.items[2], "-DNDEBUG"));
	assert_non_null(strstr(cell->audit.warnings.items[3], "DBUG is off"));
	cell_free(cell);
}

/* What MariaDB adds by itself, and the cell's words that come last and win. */
static void test_contradictions(void **state)
{
	struct cell *cell = cell_new("-O2 -fno-stack-protector -fomit-frame-pointer", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, true,
	     "-pie -fPIE -fstack-protector --param=ssp-buffer-size=4 -fno-omit-frame-pointer -march=native -ffast-math "
	     "-msse4.2 "
	     "-fno-exceptions -D NDEBUG -c a.cc -o a.o");
	read_audit(cell);
	assert_int_equal(cell->audit.in_force, 1);
	assert_int_equal(injected(&cell->audit, "-fstack-protector"), -1);
	assert_int_equal(injected(&cell->audit, "-fno-omit-frame-pointer"), -1);
	assert_int_equal(injected(&cell->audit, "-fPIE"), 1);
	assert_int_equal(injected(&cell->audit, "-march=native"), 1);
	assert_int_equal(injected(&cell->audit, "-ffast-math"), 1);
	assert_int_equal(injected(&cell->audit, "-msse4.2"), 1);
	assert_int_equal(injected(&cell->audit, "-fno-exceptions"), 0);
	assert_int_equal(injected(&cell->audit, "-pie"), -1); /* of links */
	assert_int_equal(cell->audit.native, 1);
	assert_int_equal(cell->audit.fast_math, 1);
	assert_int_equal(cell->audit.pie, 1);
	assert_int_equal(cell->audit.frame_pointers, 0);
	assert_warns(&cell->audit, "for this kind of processor only");
	cell_free(cell);
}

static void test_assertions(void **state)
{
	struct cell *cell = cell_new("-O2", "", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, true, "-DNDEBUG -DDBUG_OFF -c a.cc -o a.o");
	call(cell, true, "-DNDEBUG -UNDEBUG -DSAFE_MUTEX -c b.cc -o b.o");
	read_audit(cell);
	assert_warns(&cell->audit, "-DNDEBUG is not on the command line of 1 of 2 translation units");
	assert_warns(&cell->audit, "debug code is on in 1 of 2");
	assert_warns(&cell->audit, "DBUG is off in 1 of 2");
	json_t *json = mm_audit_summary(&cell->audit);
	assert_string_equal(mm_json_string(json, "assertions", ""), "mixed");
	assert_string_equal(mm_json_string(json, "dbug", ""), "mixed");
	json_decref(json);
	cell_free(cell);
}

static void test_lto(void **state)
{
	struct cell *cell = cell_new("-O2 -flto", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, true, "-fno-lto -c a.cc -o a.o");
	call(cell, true, "a.o -o server");
	read_audit(cell);
	assert_int_equal(cell->audit.lto, 1);
	assert_warns(&cell->audit, "no link asked for it");
	cell_free(cell);
	cell = cell_new("-O2 -flto", "-DNDEBUG", "-flto", MM_ENFORCE_LEVEL);
	call(cell, true, "-c a.cc -o a.o");
	call(cell, true, "a.o -o server");
	read_audit(cell);
	assert_int_equal(cell->audit.lto_links, 1);
	assert_int_equal(cell->audit.warnings.count, 0);
	cell_free(cell);
}

/* An object compiled again counts once, as it was compiled last; failures and kills are no units. */
static void test_again(void **state)
{
	struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_NONE);
	(void)state;
	call(cell, false, "-O1 -c a.c -o x/../a.o");
	call(cell, false, "-O2 -c a.c -o a.o");
	call_ended(cell, false, "-O1 -c a.c -o a.o", 1, 0);
	call_ended(cell, false, "-O1 -c b.c", -1, 9);
	call(cell, false, "-c start.S -o start.o");
	read_audit(cell);
	assert_int_equal(cell->audit.unit_count, 1);
	assert_string_equal(cell->audit.units[0].level, "-O2");
	assert_int_equal(cell->audit.failed, 2);
	assert_int_equal(cell->audit.killed, 1);
	assert_int_equal(cell->audit.assembled, 1);
	assert_warns(&cell->audit, "1 compiler call was ended by a signal");
	cell_free(cell);
}

/* One call may compile several sources, or make a program of them at once. */
static void test_several_sources(void **state)
{
	struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, false, "-c a.c -I x.c b.c");
	call(cell, false, "a.o b.o -o one");
	call(cell, false, "c.c d.c -o two");
	read_audit(cell);
	assert_int_equal(cell->audit.unit_count, 4);
	assert_string_equal(cell->audit.units[1].file, "b.c");
	assert_string_equal(cell->audit.units[3].file, "d.c");
	assert_int_equal(cell->audit.links, 2);
	assert_int_equal(cell->audit.foreign, 0);
	cell_free(cell);
}

/* Objects that some other compiler made are found out at the link. */
static void test_foreign(void **state)
{
	struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	(void)state;
	call(cell, false, "-c a.c");
	call(cell, false, "a.o sub/other.o /usr/lib/libx.a -o server -L lib.o");
	read_audit(cell);
	assert_int_equal(cell->audit.foreign, 1);
	assert_warns(&cell->audit, "1 linked object was not compiled by the cell's compilers, 'sub/other.o' first");
	assert_true(cell->audit.deviates);
	cell_free(cell);
}

/* A static library at PATH with one member for each word of NAMES, cut short by CUT bytes. */
static void write_library(const char *path, const char *names, size_t cut)
{
	struct mm_strings members = MM_STRINGS_INIT;
	struct mm_buffer out = MM_BUFFER_INIT;
	mm_buffer_puts(&out, "!<arch>\n");
	mm_strings_split(&members, names);
	for (size_t i = 0; i < members.count; i++)
		mm_buffer_printf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\nCODE", members.items[i], 0, 0, 0, "100644", 4);
	assert_int_equal(mm_fs_write_atomic(path, out.data, out.length - cut, NULL), 0);
	mm_strings_release(&members);
	mm_buffer_release(&out);
}

/* So are those that come in a static library of the build; and a library that hides them is no proof. */
static void test_foreign_in_library(void **state)
{
	struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	char *path = mm_path_join(folder, "libx.a"), *link = mm_format("b.o %s -o server", path);
	(void)state;
	cell->request.build = folder;
	call(cell, false, "-c sub/a.c -o sub/a.o");
	call(cell, false, "-c b.c");
	call(cell, false, link);
	write_library(path, "a.o/", 0);
	read_audit(cell);
	assert_int_equal(cell->audit.foreign + cell->audit.unread, 0);
	assert_false(cell->audit.deviates);
	write_library(path, "a.o/ planted.o/", 0);
	read_audit(cell);
	assert_warns(&cell->audit,
		     "1 linked object was not compiled by the cell's compilers, 'libx.a(planted.o)' first");
	assert_true(cell->audit.deviates);
	write_library(path, "a.o/", 2);
	read_audit(cell);
	assert_warns(&cell->audit, "1 linked library cannot be looked into, 'libx.a': ");
	assert_true(cell->audit.deviates);
	assert_int_equal(mm_fs_write_atomic(path, "!<thin>\n", 8, NULL), 0);
	read_audit(cell);
	assert_warns(&cell->audit, "1 linked library cannot be looked into, 'libx.a': a thin archive");
	assert_true(cell->audit.deviates);
	assert_int_equal(unlink(path), 0);
	read_audit(cell);
	assert_warns(&cell->audit, "1 linked library cannot be looked into, 'libx.a': ");
	assert_int_equal(mkfifo(path, 0600), 0); /* that holds nobody up */
	read_audit(cell);
	assert_warns(&cell->audit, "1 linked library cannot be looked into, 'libx.a': ");
	assert_int_equal(unlink(path), 0);
	free(link);
	free(path);
	cell_free(cell);
}

/* Whatever a link takes in that no call made, by whatever name and in whatever word. */
static void test_foreign_of_any_name(void **state)
{
	static const struct {
		const char *line, *first;
	} links[] = {
		{ "b.o planted.obj -o server", "planted.obj" },
		{ "b.o -Wl,--whole-archive,planted.o,--no-whole-archive -o server", "planted.o" },
		{ "b.o planted -o server", "planted" },
		{ "b.o libplanted.so -o server", "libplanted.so" },
		{ "b.o -Xlinker planted.o -o server", "planted.o" },
		{ "b.o conftest.o -o server", "conftest.o" },
		{ "b.o CMakeFiles/CMakeTmp/x.o -o server", "CMakeFiles/CMakeTmp/x.o" },
		{ "b.o planted.s -o server", "planted.s" },
		{ "b.o made.s /src/tree/own.S /usr/x.s -o server", NULL },
		{ "b.o libours.so /usr/lib/libc.so -Wl,-soname,x.so d.c -o server", NULL },
		{ "all.o part.os -o server", NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
		call(cell, false, "-c b.c");
		call(cell, false, "-shared b.o -o libours.so");
		call(cell, false, "-c part.c -o part.os");
		call(cell, false, "-S made.c");
		call(cell, false, "-r -nostdlib b.o -o all.o");
		call(cell, false, links[i].line);
		read_audit(cell);
		assert_int_equal(cell->audit.foreign, links[i].first != NULL);
		assert_int_equal(cell->audit.deviates, links[i].first != NULL);
		if (links[i].first)
			assert_string_equal(cell->audit.first_foreign, links[i].first);
		cell_free(cell);
	}
}

/* What a profile gave the tree is not what the tree added. */
static void test_profile(void **state)
{
	struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	struct mm_strings words = MM_STRINGS_INIT;
	(void)state;
	mm_strings_push(&words, "-fno-inline");
	cell->request.profiles[1] = &words;
	call(cell, false, "-fno-inline -funroll-loops -c a.c");
	read_audit(cell);
	assert_int_equal(injected(&cell->audit, "-fno-inline"), 0);
	assert_int_equal(injected(&cell->audit, "-funroll-loops"), 1);
	json_t *detail = mm_audit_detail(&cell->audit);
	char *text = mm_audit_text(detail);
	assert_non_null(strstr(text, "-fno-inline                              optimiser, by a profile"));
	free(text);
	json_decref(detail);
	mm_strings_release(&words);
	cell_free(cell);
}

static void test_folders(void **state)
{
	struct cell *cell = cell_new("-O3", "-DNDEBUG", "", MM_ENFORCE_NONE);
	(void)state;
	call(cell, false, "-c /src/tree/zlib/a.c -o 1.o");
	call(cell, false, "-O0 -c /src/tree/zlib/b.c -o 2.o");
	call(cell, false, "-c gen/c.c -o 3.o");
	call(cell, false, "-c /elsewhere/d.c -o 4.o");
	read_audit(cell);
	assert_int_equal(cell->audit.folder_count, 3);
	assert_int_equal(cell->audit.folders[0].units, 2);
	assert_int_equal(tally(&cell->audit.folders[0].levels, "-O0"), 1);
	assert_string_equal(cell->audit.folders[1].name, "gen");
	assert_string_equal(cell->audit.folders[2].name, "/elsewhere");
	json_t *json = mm_audit_detail(&cell->audit);
	char *text = mm_audit_text(json);
	assert_non_null(strstr(text, "-O3 in 1, -O0 in 1"));
	assert_non_null(strstr(text, "zlib/b.c: '-O0' holds instead of '-O3'"));
	assert_non_null(strstr(text, "not enforced"));
	free(text);
	json_decref(json);
	cell_free(cell);
}

static void test_damaged_log(void **state)
{
	struct cell *cell = cell_new("-O2", "-DNDEBUG", "", MM_ENFORCE_LEVEL);
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	read_audit(cell);
	assert_int_equal(cell->audit.unit_count, 0);
	assert_warns(&cell->audit, "no compilation was logged");
	assert_true(cell->audit.deviates);
	call(cell, false, "-c a.c -o a.o");
	call(cell, false, "-c \xff\xfe.c -o \xff\xfe.o");
	assert_int_equal(mm_fs_read(log_path, 0, &text, &err), 0);
	mm_buffer_puts(&text, "garbage\n\n1\tcompile\tc\tbuild\t0\t0\t1");
	mm_buffer_append(&text, "\0x\n", 3);
	assert_int_equal(mm_fs_write_atomic(log_path, text.data, text.length, &err), 0);
	read_audit(cell);
	assert_int_equal(cell->audit.unit_count, 2);
	assert_int_equal(cell->audit.damaged, 2);
	assert_warns(&cell->audit, "2 lines of the compiler log cannot be read");
	assert_true(cell->audit.deviates);
	/* names that are no UTF-8 do not make the JSON fail */
	cell->audit.units[1].exact = false;
	json_t *json = mm_audit_detail(&cell->audit);
	char *written = mm_json_text(json);
	assert_non_null(strstr(written, "\"??.c\""));
	free(written);
	json_decref(json);
	mm_buffer_release(&text);
	/* a folder in its place is an error, not an empty audit */
	assert_int_equal(unlink(log_path), 0);
	assert_int_equal(mm_fs_mkdirs(log_path, 0755, &err), 0);
	struct mm_flag_audit other;
	assert_int_equal(mm_audit_read(log_path, &cell->request, &other, &err), MM_EENV);
	mm_audit_release(&other);
	assert_int_equal(rmdir(log_path), 0);
	cell_free(cell);
}

/* Text out of anything: a file of another version, or of somebody else. */
static void test_text_of_anything(void **state)
{
	static const char *const cases[] = {
		"{}",
		"[]",
		"null",
		"{\"levels\": 3, \"injected\": {}, \"warnings\": \"x\", \"folders\": [1, null]}",
		"{\"warnings\": [1, null], \"builtin\": [{}], \"injected\": [7], \"files\": [{}], \"units\": -5}",
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		json_t *json = json_loads(cases[i], JSON_DECODE_ANY, NULL);
		char *text = mm_audit_text(json);
		assert_non_null(strstr(text, "requested"));
		free(text);
		json_decref(json);
	}
}

/* A summary stays small however bad things are. */
static void test_size(void **state)
{
	struct cell *cell = cell_new("-O3", "-DNDEBUG", "", MM_ENFORCE_NONE);
	(void)state;
	for (int i = 0; i < 400; i++) {
		char *line = mm_format("-O%d -fweird-%d -c /src/tree/dir%d/file%d.c -o %d.o", i % 3, i, i, i, i);
		call(cell, false, line);
		free(line);
	}
	read_audit(cell);
	assert_int_equal(cell->audit.unit_count, 400);
	json_t *summary = mm_audit_summary(&cell->audit), *detail = mm_audit_detail(&cell->audit);
	char *small = mm_json_text(summary), *large = mm_json_text(detail);
	assert_true(strlen(small) < 16384);
	assert_non_null(strstr(large, "dir399/file399.c"));
	free(small);
	free(large);
	json_decref(summary);
	json_decref(detail);
	cell_free(cell);
}

static void test_flag_kinds(void **state)
{
	static const struct {
		enum mm_dialect dialect;
		const char *flag;
		enum mm_flag_class class;
		const char *group;
		bool deviates;
	} cases[] = {
		{ MM_DIALECT_GNU, "-O2", MM_FLAG_LEVEL, "level", true },
		{ MM_DIALECT_GNU, "-m32", MM_FLAG_BITS, "bits", true },
		{ MM_DIALECT_GNU, "-Wall", MM_FLAG_OTHER, "", false },
		{ MM_DIALECT_GNU, "-f", MM_FLAG_OTHER, "", false },
		{ MM_DIALECT_GNU, "-fno-inline", MM_FLAG_OPTIMISER, "inline", true },
		{ MM_DIALECT_GNU, "-funroll-loops", MM_FLAG_OPTIMISER, "unroll-loops", true },
		{ MM_DIALECT_GNU, "-fvisibility=hidden", MM_FLAG_LANGUAGE, "visibility", false },
		{ MM_DIALECT_GNU, "-flto=auto", MM_FLAG_LTO, "lto", true },
		{ MM_DIALECT_GNU, "-fno-lto", MM_FLAG_LTO, "lto", false },
		{ MM_DIALECT_GNU, "-mavx2", MM_FLAG_EXTENSION, "-mavx2", true },
		{ MM_DIALECT_GNU, "-fsanitize=address", MM_FLAG_INSTRUMENTATION, "sanitize=address", true },
		{ MM_DIALECT_GNU, "-mfunction-return=thunk", MM_FLAG_HARDENING, "-mfunction-return", true },
		{ MM_DIALECT_GNU, "-mavx512f", MM_FLAG_EXTENSION, "-mavx512f", true },
		{ MM_DIALECT_GNU, "-march=armv8-a+crc", MM_FLAG_EXTENSION, "-march", true },
		{ MM_DIALECT_GNU, "-march=native", MM_FLAG_CPU, "-march", true },
		{ MM_DIALECT_GNU, "-fno-sanitize=all", MM_FLAG_INSTRUMENTATION, "sanitize=all", false },
		{ MM_DIALECT_GNU, "--param=a=1", MM_FLAG_OPTIMISER, "--param=a", true },
		{ MM_DIALECT_GNU, "-Xclang -O0", MM_FLAG_LEVEL, "level", true },
		{ MM_DIALECT_GNU, "-Xclang -unheard-of", MM_FLAG_OPTIMISER, "-Xclang -unheard-of", true },
		{ MM_DIALECT_GNU, "-Xclang -include-pch x.pch", MM_FLAG_OTHER, "-include-pch x.pch", false },
		{ MM_DIALECT_GNU, "-Wp,-UNDEBUG", MM_FLAG_ASSERTIONS, "NDEBUG", false },
		{ MM_DIALECT_GNU, "-Wl,-z,now", MM_FLAG_HARDENING, "bind-now", true },
		{ MM_DIALECT_GNU, "-Wl,--lto-O0", MM_FLAG_OPTIMISER, "-Wl,--lto-O0", true },
		{ MM_DIALECT_GNU, "-Wl,-rpath,/x", MM_FLAG_OTHER, "", false },
		{ MM_DIALECT_GNU, "-Wl,@list", MM_FLAG_INPUT, "-Wl,@list", true },
		{ MM_DIALECT_GNU, "-Wl,a.o", MM_FLAG_OTHER, "", false },
		{ MM_DIALECT_GNU, "-B/x", MM_FLAG_TOOLS, "-B/x", true },
		{ MM_DIALECT_GNU, "-wrapper x.sh", MM_FLAG_TOOLS, "wrapper", true },
		{ MM_DIALECT_GNU, "-fuse-ld=gold", MM_FLAG_TOOLS, "linker", true },
		{ MM_DIALECT_STUDIO, "-xO4", MM_FLAG_LEVEL, "level", true },
		{ MM_DIALECT_STUDIO, "-fast", MM_FLAG_OPTIMISER, "-fast", true },
		{ MM_DIALECT_STUDIO, "-xipo=2", MM_FLAG_LTO, "ipo", true },
		{ MM_DIALECT_STUDIO, "-xtarget=native", MM_FLAG_CPU, "-xtarget", true },
		{ MM_DIALECT_STUDIO, "-mt", MM_FLAG_LANGUAGE, "mt", false },
		{ MM_DIALECT_STUDIO, "-xprefetch=auto", MM_FLAG_OPTIMISER, "-xprefetch", true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_flag_kind kind;
		mm_flag_kind(cases[i].dialect, cases[i].flag, &kind);
		if (kind.class != cases[i].class || strcmp(kind.group, cases[i].group) != 0 ||
		    mm_flag_deviates(&kind) != cases[i].deviates)
			fail_msg("'%s' is of class '%s', group '%s'", cases[i].flag, mm_flag_class_name(kind.class),
				 kind.group);
	}
	/* a name of any length */
	char *longest = mm_alloc(5000);
	struct mm_flag_kind kind;
	memset(longest, 'x', 4999);
	memcpy(longest, "-fno-", 5);
	mm_flag_kind(MM_DIALECT_GNU, longest, &kind);
	assert_int_equal(kind.class, MM_FLAG_OPTIMISER);
	longest[1] = 'm';
	memcpy(longest, "-mno-", 5);
	mm_flag_kind(MM_DIALECT_GNU, longest, &kind);
	assert_int_equal(kind.class, MM_FLAG_EXTENSION);
	free(longest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_relwithdebinfo),
		cmocka_unit_test(test_mysql_release),
		cmocka_unit_test(test_dpkg_buildflags),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_links_of_studio),
		cmocka_unit_test(test_link_level_in_file),
		cmocka_unit_test(test_handed_on),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_assertions),
		cmocka_unit_test(test_lto),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_several_sources),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_foreign_in_library),
		cmocka_unit_test(test_foreign_of_any_name),
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_damaged_log),
		cmocka_unit_test(test_text_of_anything),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_flag_kinds),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
