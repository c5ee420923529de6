#include "builders/digest.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/stamp.h"

static void load(struct mm_digests *digests, const char *work)
{
	struct mm_error ignored = MM_ERROR_INIT;
	digests->path = mm_path_join(work, "sources/digests.json");
	digests->known = mm_fs_exists(digests->path) ? mm_json_load(digests->path, &ignored) : NULL;
	if (!json_is_object(digests->known)) {
		json_decref(digests->known);
		digests->known = json_object();
	}
}

static void save(const struct mm_digests *digests)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char *folder = mm_path_folder(digests->path);
	if (mm_fs_mkdirs(folder, 0755, &ignored) == 0)
		(void)mm_json_save(digests->path, digests->known, &ignored);
	free(folder);
}

/* STAMP 0: there is no such file. */
static bool fits(const json_t *entry, int64_t stamp)
{
	return stamp && mm_json_integer(entry, "inode_stamp", 0) == stamp &&
	       strlen(mm_json_string(entry, "sha256", "")) == MM_SHA256_HEX - 1;
}

int mm_digests_file(struct mm_digests *digests, const char *work, const char *file, char hex[MM_SHA256_HEX],
		    struct mm_error *err)
{
	if (!digests->path)
		load(digests, work);
	int64_t stamp = mm_inode_stamp(file);
	const json_t *entry = json_object_get(digests->known, file);
	if (fits(entry, stamp)) {
		memcpy(hex, mm_json_string(entry, "sha256", ""), MM_SHA256_HEX);
		return 0;
	}
	int code = mm_hash_file(file, hex, err);
	if (code || !stamp)
		return code;
	json_t *fresh = json_object();
	mm_json_put_integer(fresh, "inode_stamp", stamp);
	mm_json_put_string(fresh, "sha256", hex);
	(void)json_object_set_new(digests->known, file, fresh);
	save(digests);
	return 0;
}

int mm_digests_folder(struct mm_digests *digests, const char *work, const struct mm_folder *folder,
		      char hex[MM_SHA256_HEX], struct mm_error *err)
{
	char stamp[MM_SHA256_HEX];
	bool settled;
	if (!digests->path)
		load(digests, work);
	int code = mm_folder_stamp(folder, stamp, &settled, err);
	if (code)
		return code;
	const json_t *entry = json_object_get(digests->known, folder->path);
	const char *known = mm_json_string(entry, "sha256", "");
	if (strcmp(mm_json_string(entry, "stamp", ""), stamp) == 0 && strlen(known) == MM_SHA256_HEX - 1) {
		memcpy(hex, known, MM_SHA256_HEX);
		return 0;
	}
	code = mm_folder_digest(folder, hex, err);
	if (code || !settled)
		return code;
	json_t *fresh = json_object();
	mm_json_put_string(fresh, "stamp", stamp);
	mm_json_put_string(fresh, "sha256", hex);
	(void)json_object_set_new(digests->known, folder->path, fresh);
	save(digests);
	return 0;
}

void mm_digests_release(struct mm_digests *digests)
{
	json_decref(digests->known);
	free(digests->path);
	*digests = (struct mm_digests)MM_DIGESTS_INIT;
}
