/* The part of the doctor that tries things out: compilers, libraries, programs, suites. */
#include "executors/doctor.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/package.h"
#include "base/process.h"
#include "builders/cache.h"
#include "runners/suite.h"
#include "toolchains/discover.h"
#include "toolchains/library.h"

static const char *bits_text(int bits)
{
	return bits == 32 ? "32 bits" : bits == 64 ? "64 bits" : "native bits";
}

/* A program that WHO needs; without it STATE. */
static void need_program(json_t *findings, const char *program, const char *package, const char *who,
			 enum mm_finding state)
{
	char *path = mm_fs_find_program(program), *advice = mm_package_advice(package);
	if (path)
		mm_finding_add(findings, MM_FINDING_OK, program, NULL, "%s", path);
	else
		mm_finding_add(findings, state, program, advice, "cannot be found along PATH; %s", who);
	free(advice);
	free(path);
}

/* MISSING: how bad it is when one is not there that no build does without. */
static void build_programs(json_t *findings, enum mm_finding missing)
{
	need_program(findings, "cmake", "cmake", "builds with CMake need it", missing);
	need_program(findings, "ninja", "ninja", "builds with CMake need it", missing);
	need_program(findings, "bison", "bison", "MySQL and MariaDB generate their parser with it", MM_FINDING_WARNING);
	need_program(findings, "perl", "perl", "the builds of MySQL and MariaDB run it", MM_FINDING_WARNING);
	need_program(findings, "pkg-config", "pkg-config", "trees find libraries by it", MM_FINDING_WARNING);
}

/* Which libraries TOOLCHAIN finds at BITS: they depend on the bits and not on the compiler. */
static int libraries_at(const struct mm_toolchain *toolchain, int bits, const char *scratch, json_t *findings,
			struct mm_error *err)
{
	struct mm_strings there = MM_STRINGS_INIT;
	int code = 0;
	for (const struct mm_library *library = mm_libraries(); library->name && code >= 0; library++) {
		code = mm_toolchain_has_library(toolchain, bits, library, scratch, err);
		if (code == 1)
			mm_strings_push(&there, library->name);
		if (code)
			continue;
		char *subject = mm_format("library %s, %s", library->name, bits_text(bits));
		char *what = mm_format("lib:%s", library->name), *packages = mm_package_advice(what);
		char *advice = bits == 32 ? mm_format("%s, for 32 bits: on 64-bit Debian NAME:i386, on Fedora NAME.i686", packages)
					  : mm_strdup(packages);
		mm_finding_add(findings, library->optional ? MM_FINDING_NOTE : MM_FINDING_WARNING, subject, advice,
			       "'%s' cannot be compiled and linked; needed by %s", library->header, library->for_what);
		free(advice);
		free(packages);
		free(what);
		free(subject);
	}
	if (there.count && code >= 0) {
		char *subject = mm_format("libraries, %s", bits_text(bits)), *list = mm_strings_join(&there, ", ");
		mm_finding_add(findings, MM_FINDING_OK, subject, NULL, "%s", list);
		free(list);
		free(subject);
	}
	mm_strings_release(&there);
	return code < 0 ? code : 0;
}

int mm_doctor_machine(const char *scratch, json_t *findings, struct mm_error *err)
{
	struct mm_found_toolchains found;
	int code = mm_toolchains_discover(scratch, &found, err);
	for (size_t i = 0; i < found.count && !code; i++) {
		const struct mm_found_toolchain *one = &found.items[i];
		char *subject = mm_format("compiler %s", one->spec.name);
		mm_finding_add(findings, MM_FINDING_OK, subject, NULL, "version %s, works at %s", one->toolchain->version,
			       one->bits[0] && one->bits[1] ? "32 and 64 bits" : bits_text(one->bits[0] ? 32 : 64));
		free(subject);
	}
	if (!code && !found.count) {
		char *advice = mm_package_advice("c++");
		mm_finding_add(findings, MM_FINDING_WARNING, "compilers", advice,
			       "no gcc or clang along PATH can compile C and C++");
		free(advice);
	}
	for (int i = 0; i < 2 && !code && found.count; i++)
		if (found.items[0].bits[i])
			code = libraries_at(found.items[0].toolchain, i ? 64 : 32, scratch, findings, err);
	build_programs(findings, MM_FINDING_WARNING);
	mm_found_toolchains_release(&found);
	return code;
}

/* Cells without their source or compiler, each reason once. */
static void lost_cells(const struct mm_look *look, json_t *findings)
{
	struct mm_strings told = MM_STRINGS_INIT;
	for (size_t i = 0; i < look->matrix->cell_count; i++) {
		const struct mm_cell_state *state = &look->cells[i];
		if (!state->code || mm_strings_contain(&told, state->failure))
			continue;
		mm_strings_push(&told, state->failure);
		mm_finding_add(findings, MM_FINDING_ERROR, look->matrix->cells[i].id, NULL, "%s", state->failure);
	}
	mm_strings_release(&told);
}

static int try_cell(struct mm_look *look, const struct mm_cell *cell, const char *scratch, struct mm_strings *seen,
		    struct mm_strings *seen_bits, json_t *findings, struct mm_error *err)
{
	const struct mm_toolchain *toolchain;
	struct mm_flag_words flags;
	struct mm_error why = MM_ERROR_INIT;
	int code = mm_cache_toolchain(look->cache, cell->toolchain, &toolchain, &why);
	if (code) /* said by lost_cells */
		return code == MM_ECELL ? 0 : mm_error_set(err, why.code, "%s", why.text);
	char *subject = mm_format("%s, %s, flags %s", cell->toolchain->name, bits_text(cell->bits), cell->flags->name);
	char *bits = mm_format("%d", cell->bits);
	if (!mm_strings_contain(seen, subject)) {
		mm_strings_push(seen, subject);
		mm_flags_resolve(look->matrix, cell->flags, cell->toolchain->family, cell->bits, &flags);
		code = mm_toolchain_probe(toolchain, cell->bits, &flags, scratch, &why);
		mm_flag_words_release(&flags);
		if (!code)
			mm_finding_add(findings, MM_FINDING_OK, subject, NULL, "%s: C and C++ programs run", toolchain->banner);
		else if (code == MM_ECELL)
			mm_finding_add(findings, MM_FINDING_ERROR, subject, NULL, "%s", why.text);
	}
	if (!code && !mm_strings_contain(seen_bits, bits)) {
		mm_strings_push(seen_bits, bits);
		code = libraries_at(toolchain, cell->bits, scratch, findings, &why);
	}
	free(bits);
	free(subject);
	return code && code != MM_ECELL ? mm_error_set(err, why.code, "%s", why.text) : 0;
}

static void check_suites(const struct mm_matrix *matrix, json_t *findings)
{
	for (size_t i = 0; i < matrix->suite_count; i++) {
		const struct mm_suite_spec *spec = &matrix->suites[i];
		const struct mm_suite *suite = mm_suite_find(spec->suite);
		struct mm_error why = MM_ERROR_INIT;
		char *subject = mm_format("suite %s", spec->name);
		if (!suite)
			mm_finding_add(findings, MM_FINDING_ERROR, subject, NULL, "this mymatrix has no suite '%s'", spec->suite);
		else if (suite->check(spec, &why))
			mm_finding_add(findings, MM_FINDING_ERROR, subject, NULL, "%s", why.text);
		else
			mm_finding_add(findings, MM_FINDING_OK, subject, NULL, "%s, %d pass%s", spec->suite, spec->passes,
				       spec->passes == 1 ? "" : "es");
		free(subject);
	}
}

static void check_cpus(const struct mm_schedule *schedule, json_t *findings)
{
	const char *const lists[] = { schedule->cpus_server, schedule->cpus_client };
	for (size_t i = 0; i < 2; i++) {
		struct mm_error why = MM_ERROR_INIT;
		if (lists[i] && mm_os_check_cpus(lists[i], &why))
			mm_finding_add(findings, MM_FINDING_ERROR, i ? "schedule.cpus.client" : "schedule.cpus.server", NULL, "%s",
				       why.text);
	}
}

int mm_doctor_matrix(struct mm_look *look, const char *scratch, json_t *findings, struct mm_error *err)
{
	struct mm_strings seen = MM_STRINGS_INIT, seen_bits = MM_STRINGS_INIT;
	bool compiles = false, patches = false;
	int code = 0;
	lost_cells(look, findings);
	for (size_t i = 0; i < look->matrix->cell_count && !code; i++) {
		const struct mm_cell *cell = &look->matrix->cells[i];
		compiles |= cell->toolchain != NULL;
		patches |= cell->source->patches.count > 0;
		if (cell->toolchain)
			code = try_cell(look, cell, scratch, &seen, &seen_bits, findings, err);
	}
	if (compiles)
		build_programs(findings, MM_FINDING_ERROR);
	if (patches)
		need_program(findings, "patch", "patch", "sources have patches", MM_FINDING_ERROR);
	check_suites(look->matrix, findings);
	check_cpus(&look->matrix->schedule, findings);
	mm_strings_release(&seen);
	mm_strings_release(&seen_bits);
	return code;
}
