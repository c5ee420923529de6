#include "toolchains/memory.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/stamp.h"
#include "toolchains/family.h"

static json_t *look_at(const char *path)
{
	int64_t stamp = mm_inode_stamp(path);
	if (!stamp)
		return NULL;
	json_t *program = json_object();
	mm_json_put_string(program, "path", path);
	mm_json_put_integer(program, "inode_stamp", stamp);
	return program;
}

/* The driver looks its parts up along PATH: with another one they may be others. */
static const char *search_path(void)
{
	const char *path = getenv("PATH");
	return path ? path : "";
}

json_t *mm_toolchain_remember(const struct mm_toolchain *toolchain)
{
	json_t *memory = json_object(), *programs = json_array();
	bool whole = toolchain->programs.count > 0;
	mm_json_put_string(memory, "family", mm_family_name(toolchain->spec->family));
	mm_json_put_string(memory, "cc", toolchain->cc);
	mm_json_put_string(memory, "cxx", toolchain->cxx);
	mm_json_put_string(memory, "ar", toolchain->ar);
	mm_json_put_string(memory, "ld", toolchain->ld);
	mm_json_put_string(memory, "search_path", search_path());
	mm_json_put_string(memory, "version", toolchain->version);
	mm_json_put_string(memory, "banner", toolchain->banner);
	mm_json_put_string(memory, "target", toolchain->target);
	mm_json_put_string(memory, "identity", toolchain->identity);
	for (size_t i = 0; i < toolchain->programs.count; i++) {
		json_t *program = look_at(toolchain->programs.items[i]);
		whole = whole && program;
		if (program)
			(void)json_array_append_new(programs, program);
	}
	(void)json_object_set_new(memory, "programs", programs);
	if (whole)
		return memory;
	json_decref(memory);
	return NULL;
}

static bool says(const json_t *memory, const char *key, const char *value)
{
	return strcmp(mm_json_string(memory, key, ""), value ? value : "") == 0;
}

static bool programs_are_the_same(const json_t *memory)
{
	const json_t *programs = json_object_get(memory, "programs");
	size_t index;
	json_t *then;
	bool same = json_array_size(programs) > 0;
	json_array_foreach(programs, index, then)
	{
		json_t *now = look_at(mm_json_string(then, "path", ""));
		same = same && now && json_equal(now, then);
		json_decref(now);
	}
	return same;
}

static char *copy(const json_t *memory, const char *key)
{
	return mm_strdup(mm_json_string(memory, key, NULL));
}

static bool recall(struct mm_toolchain *toolchain, const json_t *memory)
{
	if (!says(memory, "family", mm_family_name(toolchain->spec->family)) || !says(memory, "cc", toolchain->cc) ||
	    !says(memory, "cxx", toolchain->cxx) || !says(memory, "ar", toolchain->ar) ||
	    !says(memory, "ld", toolchain->ld) || !says(memory, "search_path", search_path()) ||
	    !programs_are_the_same(memory))
		return false;
	const char *identity = mm_json_string(memory, "identity", "");
	toolchain->version = copy(memory, "version");
	toolchain->banner = copy(memory, "banner");
	toolchain->target = copy(memory, "target");
	if (!toolchain->version || !toolchain->banner || !toolchain->target ||
	    strlen(identity) != sizeof toolchain->identity - 1)
		return false;
	memcpy(toolchain->identity, identity, sizeof toolchain->identity);
	return true;
}

struct mm_toolchain *mm_toolchain_recall(const struct mm_toolchain_spec *spec, const json_t *memory)
{
	struct mm_toolchain *toolchain = NULL;
	struct mm_error ignored = MM_ERROR_INIT;
	if (!memory || mm_toolchain_locate(spec, &toolchain, &ignored))
		return NULL;
	if (recall(toolchain, memory))
		return toolchain;
	mm_toolchain_free(toolchain);
	return NULL;
}
