/* The audit for people: "mymatrix logs --flags CELL". */
#include <inttypes.h>

#include "base/json.h"
#include "base/memory.h"
#include "toolchains/audit.h"

static size_t count_of(const json_t *object, const char *key)
{
	int64_t count = mm_json_integer(object, key, 0);
	return count > 0 ? (size_t)count : 0;
}

static void put_requested(struct mm_buffer *out, const json_t *detail)
{
	const json_t *requested = json_object_get(detail, "requested");
	mm_buffer_printf(out, "requested  C    %s\n           C++  %s\n           link %s\n",
			 mm_json_string(requested, "c", "?"), mm_json_string(requested, "cxx", "?"),
			 mm_json_string(requested, "ld", "?"));
	if (strcmp(mm_json_string(requested, "enforce", "level"), "none") == 0)
		mm_buffer_puts(out, "           not enforced: the tree's own flags win\n");
}

/* "-O2 in 812, -O0 in 3" */
static void put_tallies(struct mm_buffer *out, json_t *tallies)
{
	const char *name, *between = "";
	json_t *count;
	json_object_foreach(tallies, name, count) {
		mm_buffer_printf(out, "%s%s in %" JSON_INTEGER_FORMAT, between, name, json_integer_value(count));
		between = ", ";
	}
	if (!*between)
		mm_buffer_puts(out, "none");
}

static void put_units(struct mm_buffer *out, const json_t *detail)
{
	size_t units = count_of(detail, "units");
	mm_buffer_printf(
		out, "\nunits      %zu compiled; the requested flags hold in %zu, and nothing else was added in %zu\n",
		units, count_of(detail, "in_force"), count_of(detail, "exact"));
	mm_buffer_puts(out, "level      ");
	put_tallies(out, json_object_get(detail, "levels"));
	mm_buffer_puts(out, "\n           the tree itself asks for ");
	put_tallies(out, json_object_get(detail, "tree_levels"));
	mm_buffer_printf(out, "\ncalls      %zu links, %zu tries of configure, %zu assembled, %zu failed, %zu killed\n",
			 count_of(detail, "links"), count_of(detail, "probes"), count_of(detail, "assembled"),
			 count_of(detail, "failed"), count_of(detail, "killed"));
	mm_buffer_printf(out, "cost       %.1f s of compiler time; the largest call took %.0f MiB (%s)\n",
			 mm_json_number(detail, "compiler_seconds", 0), (double)count_of(detail, "largest_kib") / 1024,
			 mm_json_string(detail, "largest", "?"));
}

static void put_state(struct mm_buffer *out, const json_t *detail)
{
	size_t units = count_of(detail, "units");
	static const struct {
		const char *key, *text;
	} counts[] = {
		{ "lto", "link-time optimisation" },     { "pie", "PIE" },
		{ "pic", "position independent code" },  { "frame_pointers", "frame pointers kept" },
		{ "native", "for this processor only" }, { "fast_math", "arithmetic not as the standard says" },
		{ "instrumented", "instrumentation" },   { "debug_code", "debug code" },
	};
	mm_buffer_printf(out, "assertions %s", mm_json_string(detail, "assertions", "unknown"));
	if (mm_json_string(detail, "dbug", NULL))
		mm_buffer_printf(out, "; DBUG %s", mm_json_string(detail, "dbug", ""));
	mm_buffer_putc(out, '\n');
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (count_of(detail, counts[i].key))
			mm_buffer_printf(out, "           %s in %zu of %zu\n", counts[i].text,
					 count_of(detail, counts[i].key), units);
	const json_t *builtin = json_object_get(detail, "builtin");
	for (size_t i = 0; i < json_array_size(builtin); i++)
		mm_buffer_printf(out, "%s%s", i ? ", " : "the compiler adds by itself: ",
				 json_string_value(json_array_get(builtin, i)));
	if (json_array_size(builtin))
		mm_buffer_putc(out, '\n');
}

static void put_injections(struct mm_buffer *out, const json_t *detail, const char *key, const char *head)
{
	const json_t *list = json_object_get(detail, key);
	size_t index;
	json_t *entry;
	if (json_array_size(list))
		mm_buffer_printf(out, "\n%s\n", head);
	json_array_foreach(list, index, entry)
		mm_buffer_printf(out, "  %c %6zu  %-40s %s%s, first in %s\n",
				 mm_json_true(entry, "deviates") ? '!' : ' ', count_of(entry, "units"),
				 mm_json_string(entry, "flag", "?"), mm_json_string(entry, "what", "?"),
				 mm_json_true(entry, "of_profile") ? ", by a profile" : "",
				 mm_json_string(entry, "first", "?"));
}

static void put_files(struct mm_buffer *out, const json_t *detail, const char *key, const char *head)
{
	const json_t *list = json_object_get(detail, key);
	if (json_array_size(list))
		mm_buffer_printf(out, "\n%s\n", head);
	for (size_t i = 0; i < json_array_size(list); i++)
		mm_buffer_printf(out, "  %s\n", json_string_value(json_array_get(list, i)));
}

static void put_origins(struct mm_buffer *out, const json_t *detail)
{
	const char *name;
	json_t *count;
	if (json_object_size(json_object_get(detail, "origins")))
		mm_buffer_puts(out, "\norigins of flags that show on the lines\n");
	json_object_foreach(json_object_get(detail, "origins"), name, count)
		mm_buffer_printf(out, "    %6" JSON_INTEGER_FORMAT "  %s\n", json_integer_value(count), name);
}

static void put_folders(struct mm_buffer *out, const json_t *detail)
{
	const json_t *list = json_object_get(detail, "folders");
	size_t index;
	json_t *entry;
	if (json_array_size(list))
		mm_buffer_puts(out, "\neffective level by folder\n");
	json_array_foreach(list, index, entry) {
		mm_buffer_printf(out, "    %6zu  %-40s ", count_of(entry, "units"),
				 mm_json_string(entry, "folder", "?"));
		put_tallies(out, json_object_get(entry, "levels"));
		mm_buffer_putc(out, '\n');
	}
}

/* Files that did not get what was asked for, and why. */
static void put_missed(struct mm_buffer *out, const json_t *detail)
{
	const json_t *list = json_object_get(detail, "files");
	bool first = true;
	size_t index;
	json_t *entry;
	json_array_foreach(list, index, entry) {
		if (mm_json_true(entry, "in_force"))
			continue;
		if (first)
			mm_buffer_puts(out, "\nfiles that did not get the requested flags\n");
		first = false;
		mm_buffer_printf(out, "    %s  %s: %s\n", mm_json_string(entry, "level", "?"),
				 mm_json_string(entry, "file", "?"), mm_json_string(entry, "why", "?"));
	}
}

char *mm_audit_text(const json_t *detail)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	put_requested(&out, detail);
	put_units(&out, detail);
	put_state(&out, detail);
	put_files(&out, detail, "warnings", "warnings");
	put_injections(&out, detail, "injected",
		       "flags that nobody asked for and that hold in units ('!': another build than was asked for)");
	put_injections(&out, detail, "injected_links", "flags that nobody asked for and that hold in links");
	put_origins(&out, detail);
	put_files(&out, detail, "lowered_files", "files whose level the tree itself sets lower than was asked for");
	put_files(&out, detail, "raised_files", "files whose level the tree itself sets higher than was asked for");
	put_folders(&out, detail);
	put_missed(&out, detail);
	return mm_buffer_detach(&out);
}
