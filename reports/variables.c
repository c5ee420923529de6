#include "reports/variables.h"
#include "reports/text.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/* Differ between any two servers, or any two starts of one. */
static const char *const volatile_names[] = {
	"feedback_server_uid",
	"gtid_binlog_pos",
	"gtid_current_pos",
	"hostname",
	"identity",
	"insert_id",
	"last_insert_id",
	"port",
	"pseudo_thread_id",
	"rand_seed1",
	"rand_seed2",
	"server_uid",
	"server_uuid",
	"timestamp",
	"uptime",
};

static bool is_volatile(const char *name)
{
	for (size_t i = 0; i < sizeof(volatile_names) / sizeof(*volatile_names); i++)
		if (strcmp(name, volatile_names[i]) == 0)
			return true;
	return false;
}

static bool is_path(const json_t *value)
{
	const char *text = json_string_value(value);

	return text != NULL && text[0] == '/';
}

/* By their names; but the version explains most of the others, and goes first. */
static int in_order(const void *left, const void *right)
{
	const char *a = *(const char *const *)left, *b = *(const char *const *)right;
	int later = (strcmp(a, "version") != 0) - (strcmp(b, "version") != 0);

	return later != 0 ? later : strcmp(a, b);
}

static void collect_names(const json_t *from, const json_t *unless, const char **names, size_t *count)
{
	const char *name;
	json_t *value;

	json_object_foreach(mm_json_each(from), name, value)
		if (json_object_get(unless, name) == NULL)
			names[(*count)++] = name;
}

json_t *mm_variables_diff(const json_t *baseline, const json_t *candidate)
{
	const char **names = mm_calloc(json_object_size(baseline) + json_object_size(candidate) + 1, sizeof(*names));
	json_t *list = json_array();
	size_t count = 0;

	collect_names(baseline, NULL, names, &count);
	collect_names(candidate, baseline, names, &count);
	qsort(names, count, sizeof(*names), in_order);
	for (size_t i = 0; i < count && baseline != NULL && candidate != NULL; i++) {
		json_t *b = json_object_get(baseline, names[i]), *c = json_object_get(candidate, names[i]), *entry;

		if (json_equal(b, c) || is_volatile(names[i]) || is_path(b) || is_path(c))
			continue;
		entry = json_object();
		json_object_set_new(entry, "name", json_string(names[i]));
		json_object_set_new(entry, "baseline", b != NULL ? json_incref(b) : json_null());
		json_object_set_new(entry, "candidate", c != NULL ? json_incref(c) : json_null());
		json_array_append_new(list, entry);
	}
	free(names);
	return list;
}

/* What moves figures most, in the names of all variants and versions. */
static const char *const names_of_note[] = {
	"version",
	"version_comment",
	"version_compile_machine",
	"version_compile_os",
	"version_malloc_library",
	"version_ssl_library",
	"sql_mode",
	"character_set_server",
	"collation_server",
	"default_storage_engine",
	"storage_engine",
	"table_type",
	"transaction_isolation",
	"tx_isolation",
	"autocommit",
	"max_connections",
	"max_allowed_packet",
	"thread_handling",
	"thread_cache_size",
	"table_open_cache",
	"table_cache",
	"tmp_table_size",
	"join_buffer_size",
	"sort_buffer_size",
	"query_cache_type",
	"query_cache_size",
	"key_buffer_size",
	"concurrent_insert",
	"innodb_version",
	"innodb_buffer_pool_size",
	"innodb_page_size",
	"innodb_log_file_size",
	"innodb_redo_log_capacity",
	"innodb_flush_log_at_trx_commit",
	"innodb_flush_method",
	"innodb_doublewrite",
	"innodb_use_native_aio",
	"log_bin",
	"sync_binlog",
	"performance_schema",
	"large_pages",
};

json_t *mm_variables_of_note(const json_t *variables)
{
	json_t *noted = json_object();

	for (size_t i = 0; i < sizeof(names_of_note) / sizeof(*names_of_note); i++)
		if (json_object_get(variables, names_of_note[i]) != NULL)
			json_object_set(noted, names_of_note[i], json_object_get(variables, names_of_note[i]));
	return noted;
}
