#include "base/json.h"
#include "base/memory.h"
#include "toolchains/audit-private.h"

enum { SUMMARY_ENTRIES = 20 };

/* File names and flags may hold any byte, JSON only UTF-8: what is neither becomes a question mark. */
static json_t *text_json(const char *text)
{
	json_t *value = json_string(text);
	if (value || !text)
		return value ? value : json_null();
	char *copy = mm_strdup(text);
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

static void put_text(json_t *object, const char *key, const char *text)
{
	if (text)
		(void)json_object_set_new(object, key, text_json(text));
}

static void put_count(json_t *object, const char *key, size_t count)
{
	mm_json_put_integer(object, key, (json_int_t)count);
}

static json_t *tallies_json(const struct mm_tallies *tallies)
{
	json_t *object = json_object();
	for (size_t i = 0; i < tallies->count; i++) {
		json_t *name = text_json(tallies->items[i].name);
		put_count(object, json_string_value(name), tallies->items[i].count);
		json_decref(name);
	}
	return object;
}

/* "-O0 sql/x.cc" entries as a list, MOST at most. */
static json_t *files_json(const struct mm_tallies *tallies, size_t most)
{
	json_t *array = json_array();
	for (size_t i = 0; i < tallies->count && i < most; i++)
		(void)json_array_append_new(array, text_json(tallies->items[i].name));
	return array;
}

static json_t *injections_json(const struct mm_injections *list, size_t most)
{
	json_t *array = json_array();
	/* those that deviate first: a short list must not lose them */
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < list->count && json_array_size(array) < most; i++) {
			const struct mm_injection *from = &list->items[i];
			if (from->deviates != (round == 0))
				continue;
			json_t *entry = json_object();
			put_text(entry, "flag", from->flag);
			put_text(entry, "what", from->what);
			mm_json_put_bool(entry, "deviates", from->deviates);
			if (from->of_profile)
				mm_json_put_bool(entry, "of_profile", true);
			put_count(entry, "units", from->units);
			put_text(entry, "first", from->first);
			(void)json_array_append_new(array, entry);
		}
	}
	return array;
}

static json_t *folders_json(const struct mm_flag_audit *audit)
{
	json_t *array = json_array();
	for (size_t i = 0; i < audit->folder_count; i++) {
		json_t *entry = json_object();
		put_text(entry, "folder", audit->folders[i].name);
		put_count(entry, "units", audit->folders[i].units);
		(void)json_object_set_new(entry, "levels", tallies_json(&audit->folders[i].levels));
		(void)json_array_append_new(array, entry);
	}
	return array;
}

static json_t *strings_json(const struct mm_strings *list)
{
	json_t *array = json_array();
	for (size_t i = 0; i < list->count; i++)
		(void)json_array_append_new(array, text_json(list->items[i]));
	return array;
}

/* "off", "on", "mixed" of COUNT units in which something is off; NULL without units. */
static const char *state_of(size_t off, size_t units)
{
	if (!units)
		return NULL;
	return off == units ? "off" : off ? "mixed" : "on";
}

static json_t *build_json(const struct mm_flag_audit *audit, size_t most)
{
	json_t *object = json_object(), *requested = json_object();
	put_text(requested, "c", audit->requested_c);
	put_text(requested, "cxx", audit->requested_cxx);
	put_text(requested, "ld", audit->requested_ld);
	put_text(requested, "enforce", audit->enforce == MM_ENFORCE_NONE ? "none" : "level");
	(void)json_object_set_new(object, "requested", requested);
	put_count(object, "units", audit->unit_count);
	put_count(object, "in_force", audit->in_force);
	put_count(object, "exact", audit->exact);
	mm_json_put_bool(object, "deviates", audit->deviates);
	(void)json_object_set_new(object, "levels", tallies_json(&audit->levels));
	(void)json_object_set_new(object, "tree_levels", tallies_json(&audit->tree_levels));
	put_count(object, "lowered", audit->lowered.count);
	put_count(object, "raised", audit->raised.count);
	(void)json_object_set_new(object, "lowered_files", files_json(&audit->lowered, most));
	(void)json_object_set_new(object, "raised_files", files_json(&audit->raised, most));
	(void)json_object_set_new(object, "origins", tallies_json(&audit->causes));
	(void)json_object_set_new(object, "injected", injections_json(&audit->injected, most));
	(void)json_object_set_new(object, "injected_links", injections_json(&audit->injected_links, most));
	put_text(object, "assertions", state_of(audit->ndebug, audit->unit_count));
	put_text(object, "dbug", audit->dbug_off ? state_of(audit->dbug_off, audit->unit_count) : NULL);
	put_count(object, "debug_code", audit->debug_code);
	put_count(object, "lto", audit->lto);
	put_count(object, "lto_links", audit->lto_links);
	put_count(object, "pic", audit->pic);
	put_count(object, "pie", audit->pie);
	put_count(object, "frame_pointers", audit->frame_pointers);
	put_count(object, "native", audit->native);
	put_count(object, "fast_math", audit->fast_math);
	put_count(object, "instrumented", audit->instrumented);
	put_count(object, "assembled", audit->assembled);
	put_count(object, "links", audit->links);
	put_count(object, "probes", audit->probes);
	put_count(object, "failed", audit->failed);
	put_count(object, "killed", audit->killed);
	put_count(object, "damaged", audit->damaged);
	put_count(object, "foreign_objects", audit->foreign);
	put_text(object, "first_foreign", audit->first_foreign);
	put_count(object, "unread_libraries", audit->unread);
	put_count(object, "changed_files", audit->changed);
	mm_json_put_real(object, "compiler_seconds", (double)audit->compiler_us / 1e6);
	put_count(object, "largest_kib", audit->peak_kib);
	put_text(object, "largest", audit->largest);
	(void)json_object_set_new(object, "builtin", strings_json(&audit->builtin));
	(void)json_object_set_new(object, "warnings", strings_json(&audit->warnings));
	return object;
}

json_t *mm_audit_summary(const struct mm_flag_audit *audit)
{
	return build_json(audit, SUMMARY_ENTRIES);
}

json_t *mm_audit_detail(const struct mm_flag_audit *audit)
{
	json_t *object = build_json(audit, SIZE_MAX), *units = json_array();
	mm_json_put_integer(object, "mymatrix_flags", 1);
	(void)json_object_set_new(object, "folders", folders_json(audit));
	for (size_t i = 0; i < audit->unit_count; i++) {
		const struct mm_unit *unit = &audit->units[i];
		if (unit->exact && strcmp(unit->level, unit->tree_level) == 0)
			continue;
		json_t *entry = json_object();
		put_text(entry, "file", unit->file);
		put_text(entry, "level", unit->level);
		put_text(entry, "tree_level", unit->tree_level);
		mm_json_put_bool(entry, "in_force", unit->in_force);
		mm_json_put_bool(entry, "exact", unit->exact);
		put_text(entry, "why", unit->why);
		(void)json_array_append_new(units, entry);
	}
	(void)json_object_set_new(object, "files", units);
	return object;
}
