/* "sources": where MySQL comes from, and how it is built. */
#include <ctype.h>

#include "base/fs.h"
#include "base/memory.h"
#include "matrix/private.h"

/* In the order of enum mm_source_kind, whose values are the variants of a source. */
static const char *const kinds[] = { "tarball", "directory", "git", "packages", "prefix", NULL };

enum {
	TARBALL = MM_VARIANT(MM_SOURCE_TARBALL),
	DIRECTORY = MM_VARIANT(MM_SOURCE_DIRECTORY),
	GIT = MM_VARIANT(MM_SOURCE_GIT),
	PACKAGES = MM_VARIANT(MM_SOURCE_PACKAGES),
	PREFIX = MM_VARIANT(MM_SOURCE_PREFIX),
	COMPILED = TARBALL | DIRECTORY | GIT,
	INSTALLED = PACKAGES | PREFIX
};

static const char *check_sha256(const char *text)
{
	size_t length = strspn(text, "0123456789abcdefABCDEF");
	return length == 64 && !text[length] ? NULL : "a SHA-256 has 64 hexadecimal digits";
}

static const char *const systems[] = { "cmake", "autotools", NULL };

static const struct mm_key build_keys[] = {
	{ "system", MM_KIND_WORD, MM_FIELD(mm_build_options, system), .words = systems,
	  .help = "the build system, where the tree has more than one" },
	{ "options", MM_KIND_STRINGS, MM_FIELD(mm_build_options, options), .help = "arguments of cmake or configure" },
	{ "targets", MM_KIND_STRINGS, MM_FIELD(mm_build_options, targets),
	  .help = "what to build, instead of the server and what a benchmark needs" },
	{ "env", MM_KIND_ENV, MM_FIELD(mm_build_options, env), .help = "environment variables of the build" },
	{ "profiles", MM_KIND_STRINGS, MM_FIELD(mm_build_options, profiles), .unique = true,
	  .help = "build profiles, instead of those that the tree selects" },
	{ 0 }
};

static int finish_build(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
			void *target)
{
	(void)reader;
	(void)at;
	(void)variant;
	struct mm_build_options *build = target;
	build->has_profiles = json_object_get(object, "profiles");
	return 0;
}

static const struct mm_section build_section = {
	.name = "source build", .keys = build_keys, .size = sizeof(struct mm_build_options), .finish = finish_build
};

static const struct mm_key source_keys[] = {
	{ "tarball", MM_KIND_PATH, MM_FIELD(mm_source, path), .only = TARBALL, .help = "a source archive" },
	{ "directory", MM_KIND_PATH, MM_FIELD(mm_source, path), .only = DIRECTORY, .help = "an unpacked source tree" },
	{ "git", MM_KIND_STRING, MM_FIELD(mm_source, path), .only = GIT, .help = "a git repository, by URL or path" },
	{ "packages", MM_KIND_PATHS, MM_FIELD(mm_source, packages), .only = PACKAGES, .least = 1, .unique = true,
	  .help = "binary packages (.deb, .rpm), each in one version, unpacked into one prefix" },
	{ "prefix", MM_KIND_PATH, MM_FIELD(mm_source, path), .only = PREFIX, .help = "an installed server's prefix" },
	{ "ref", MM_KIND_STRING, MM_FIELD(mm_source, ref), .only = GIT, .help = "branch, tag or commit" },
	{ "sha256", MM_KIND_STRING, MM_FIELD(mm_source, sha256), .only = TARBALL, .check = check_sha256,
	  .pattern = "^[0-9a-fA-F]{64}$", .help = "the SHA-256 that the tarball must have" },
	{ "patches", MM_KIND_PATHS, MM_FIELD(mm_source, patches), .only = COMPILED,
	  .help = "patch files and quilt series, applied in order" },
	{ "extra", MM_KIND_PATHS, MM_FIELD(mm_source, extra), .only = COMPILED,
	  .help = "further files that the build wants" },
	{ "bits", MM_KIND_BITS, MM_FIELD(mm_source, bits), .only = INSTALLED,
	  .help = "32 or 64: what the server must be" },
	{ "build", MM_KIND_OBJECT, MM_FIELD(mm_source, build), .only = COMPILED, .section = &build_section,
	  .help = "how it is built" },
	{ 0 }
};

static int find_kind(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int *variant)
{
	for (int i = 0; kinds[i]; i++) {
		const struct mm_at here = { at, kinds[i], 0 };
		if (!json_object_get(object, kinds[i]))
			continue;
		if (*variant >= 0)
			return mm_reader_fail_key(reader, &here,
						  "a source is one thing: '%s' and '%s' cannot stand together",
						  kinds[*variant], kinds[i]);
		*variant = i;
	}
	if (*variant < 0)
		return mm_reader_fail(reader, at,
				      "does not say what the source is: one of 'tarball', 'directory', "
				      "'git', 'packages' and 'prefix' is needed");
	return 0;
}

/* A URL, or "host:path" as ssh has it: a colon before any slash. */
bool mm_git_is_remote(const char *text)
{
	const char *slash = strchr(text, '/'), *colon = strchr(text, ':');
	return colon && (!slash || colon < slash);
}

static int finish_source(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
			 void *target)
{
	(void)object;
	struct mm_source *source = target;
	source->kind = (enum mm_source_kind)variant;
	for (char *digit = source->sha256; digit && *digit; digit++)
		*digit = (char)tolower((unsigned char)*digit);
	if (source->kind == MM_SOURCE_GIT && !source->ref)
		return mm_reader_fail(reader, at, "the key 'ref' is missing: which branch, tag or commit to build");
	if (source->kind == MM_SOURCE_GIT && !mm_git_is_remote(source->path)) {
		char *path = mm_path_absolute(reader->folder, source->path);
		free(source->path);
		source->path = path;
	}
	return 0;
}

const struct mm_section mm_source_section = { .name = "source",
					      .keys = source_keys,
					      .size = sizeof(struct mm_source),
					      .variants = kinds,
					      .variant = find_kind,
					      .finish = finish_source };
