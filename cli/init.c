/* init: a starting MATRIX.json from what is found here. */
#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/control.h"
#include "cli/hint.h"
#include "cli/init.h"
#include "cli/text.h"
#include "toolchains/discover.h"

#define ADD_ANOTHER                                                                                                    \
	"add a second source (tarball, packages or prefix), name it in matrix.source, and say "                        \
	"\"compare\": [ { \"baseline\": \"THIS\", \"candidate\": \"THAT\" } ]"

/* What was found, and from it the document. */
struct start {
	struct mm_init_sources of;
	bool placeholder; /* nothing was found: a name to be filled in */
	struct mm_found_toolchains toolchains;
	const struct mm_found_toolchain *taken[MM_FAMILY_COUNT]; /* one of each family that is there */
};

static const char *const variants[] = { "mysql", "mariadb", "percona", NULL };
static const char *const archive_ends[] = { ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tar", ".zip", NULL };

/* Where NAME's archive ending begins; NULL when it is no archive of a source. */
static const char *archive_end(const char *name)
{
	for (size_t i = 0; archive_ends[i]; i++) {
		size_t length = strlen(name), end = strlen(archive_ends[i]);
		if (length > end && strcmp(name + length - end, archive_ends[i]) == 0)
			return name + length - end;
	}
	return NULL;
}

int mm_init_variant(const char *name)
{
	for (int i = 0; variants[i]; i++)
		if (strncasecmp(name, variants[i], strlen(variants[i])) == 0)
			return i;
	return -1;
}

/* "mariadb_10.11.18.orig.tar.gz" → "mariadb-10.11.18": a name that MATRIX.json allows. Allocated. */
static char *source_name(const char *file)
{
	const char *end = archive_end(file);
	struct mm_buffer name = MM_BUFFER_INIT;
	mm_buffer_append(&name, file, (size_t)(end - file));
	if (name.length > 5 && strcmp(name.data + name.length - 5, ".orig") == 0)
		name.data[name.length -= 5] = '\0';
	for (size_t i = 0; i < name.length; i++)
		if (!isalnum((unsigned char)name.data[i]) && !strchr(".+-", name.data[i]))
			name.data[i] = '-';
	return mm_buffer_detach(&name);
}

static void list(const char *folder, struct mm_strings *names)
{
	DIR *dir = mm_fs_opendir(folder);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		mm_strings_push(names, entry->d_name);
	if (dir)
		closedir(dir);
	mm_strings_sort(names);
}

static char *place(const char *folder, const char *name)
{
	return strcmp(folder, ".") == 0 ? mm_strdup(name) : mm_path_join(folder, name);
}

static void take_tarballs(struct start *start, const char *folder, const struct mm_strings *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *file = names->items[i];
		if (mm_init_variant(file) < 0 || !archive_end(file) || strstr(file, ".debian.tar"))
			continue;
		char *path = place(folder, file), *name = source_name(file);
		if (!json_object_get(start->of.sources, name)) {
			json_object_set_new(start->of.sources, name, json_pack("{s:s}", "tarball", path));
			json_array_append_new(start->of.compiled, json_string(name));
		}
		free(name);
		free(path);
	}
}

static void list_packages(const char *folder, const struct mm_strings *names, struct mm_strings *files)
{
	for (size_t i = 0; i < names->count; i++) {
		size_t length = strlen(names->items[i]);
		if (length < 5 || strcmp(names->items[i] + length - 4, ".deb") != 0)
			continue;
		char *path = place(folder, names->items[i]);
		mm_strings_push(files, path);
		free(path);
	}
}

/* The server of this system; when there is not even that, a name to be filled in. */
static void take_installed(struct start *start)
{
	if (json_object_size(start->of.sources))
		return;
	if (mm_fs_exists("/usr/sbin/mariadbd") || mm_fs_exists("/usr/sbin/mysqld")) {
		json_object_set_new(start->of.sources, "installed",
				    json_pack("{s:s, s:s}", "//",
					      "no source was found here: this is the server that this system has. Two "
					      "prefixes, packages or tarballs make a comparison",
					      "prefix", "/usr"));
		json_array_append_new(start->of.ready, json_string("installed"));
		return;
	}
	start->placeholder = true;
	json_object_set_new(start->of.sources, "server",
			    json_pack("{s:s, s:s}", "//", "no source was found here: name your tarball", "tarball",
				      "sources/server.tar.gz"));
	json_array_append_new(start->of.compiled, json_string("server"));
}

static void find_sources(struct start *start)
{
	static const char *const folders[] = { ".", "sources", "packages", "debs" };
	struct mm_strings files = MM_STRINGS_INIT;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		struct mm_strings names = MM_STRINGS_INIT;
		list(folders[i], &names);
		take_tarballs(start, folders[i], &names);
		list_packages(folders[i], &names, &files);
		mm_strings_release(&names);
	}
	mm_init_packages(&files, &start->of);
	mm_strings_release(&files);
	take_installed(start);
}

static const char *bits_text(const struct mm_found_toolchain *one)
{
	return one->bits[0] && one->bits[1] ? "32 and 64 bits" : one->bits[0] ? "32 bits" : "64 bits";
}

/*
 * Of each family the compiler that its plain name stands for, else the newest: every further one would multiply the
 * cells, and hours with them.
 */
static void choose_toolchains(struct start *start)
{
	for (size_t i = 0; i < start->toolchains.count; i++) {
		const struct mm_found_toolchain *one = &start->toolchains.items[i];
		const struct mm_found_toolchain **taken = &start->taken[one->spec.family];
		if (!*taken || (strpbrk((*taken)->spec.name, "0123456789") && mm_control_compare((*taken)->toolchain->version, one->toolchain->version) < 0))
			*taken = one;
	}
}

static json_t *toolchains_json(const struct start *start)
{
	json_t *json = json_object(), *notes = json_array();
	struct mm_buffer others = MM_BUFFER_INIT;
	json_array_append_new(notes, json_string("compilers that were found and tried out here"));
	for (size_t i = 0; i < start->toolchains.count; i++) {
		const struct mm_found_toolchain *one = &start->toolchains.items[i];
		if (start->taken[one->spec.family] != one)
			mm_buffer_printf(&others, "%s%s (%s)", others.length ? ", " : "", one->spec.name, bits_text(one));
	}
	if (others.length)
		json_array_append_new(notes, json_sprintf("there are others, each worth cells of its own if named here and "
							  "in matrix.toolchain: %s",
							  mm_buffer_text(&others)));
	json_object_set(json, "//", json_array_size(notes) > 1 ? notes : json_array_get(notes, 0));
	for (int family = 0; family < MM_FAMILY_COUNT; family++) {
		const struct mm_found_toolchain *one = start->taken[family];
		if (!one)
			continue;
		char *about = mm_format("version %s, works at %s", one->toolchain->version, bits_text(one));
		json_object_set_new(json, one->spec.name,
				    json_pack("{s:s, s:s, s:s, s:s}", "//", about, "family",
					      mm_family_name(one->spec.family), "cc", one->spec.cc, "cxx", one->spec.cxx));
		free(about);
	}
	json_decref(notes);
	mm_buffer_release(&others);
	return json;
}

/* The bits that a toolchain lacks while another has them: such cells are excluded. */
static json_t *excludes_json(const struct start *start, const bool any[2])
{
	json_t *excludes = json_array();
	for (int family = 0; family < MM_FAMILY_COUNT; family++)
		for (int b = 0; b < 2; b++)
			if (start->taken[family] && any[b] && !start->taken[family]->bits[b])
				json_array_append_new(excludes, json_pack("{s:s, s:i}", "toolchain",
									  start->taken[family]->spec.name, "bits",
									  b ? 64 : 32));
	return excludes;
}

static void put_matrix(const struct start *start, json_t *document)
{
	json_t *matrix = json_object(), *compare = json_array(), *toolchains = json_array(), *bits = json_array();
	bool any[2] = { false, false };
	bool compiles = json_array_size(start->of.compiled) > 0;
	mm_json_put_string(matrix, "//", compiles ? "every combination of these is a cell: each is built and measured"
						  : "each of these is a cell and is measured");
	json_t *all = json_deep_copy(start->of.compiled);
	(void)json_array_extend(all, start->of.ready);
	json_object_set_new(matrix, "source", all);
	for (int family = 0; family < MM_FAMILY_COUNT; family++) {
		const struct mm_found_toolchain *one = start->taken[family];
		if (!one)
			continue;
		json_array_append_new(toolchains, json_string(one->spec.name));
		any[0] |= one->bits[0];
		any[1] |= one->bits[1];
	}
	for (int b = 0; b < 2; b++)
		if (any[b])
			json_array_append_new(bits, json_integer(b ? 64 : 32));
	if (compiles) {
		json_object_set(matrix, "toolchain", toolchains);
		json_object_set(matrix, "bits", bits);
		json_object_set_new(matrix, "flags", json_pack("[s, s]", "standard", "optimized"));
		json_t *excludes = excludes_json(start, any);
		if (json_array_size(excludes))
			json_object_set(matrix, "exclude", excludes);
		json_decref(excludes);
		json_array_append_new(compare, json_pack("{s:s, s:s, s:s}", "axis", "flags", "baseline", "standard",
							 "candidate", "optimized"));
	}
	if (compiles && any[0] && any[1])
		json_array_append_new(compare,
				      json_pack("{s:s, s:i, s:i}", "axis", "bits", "baseline", 32, "candidate", 64));
	(void)json_array_extend(compare, start->of.compare);
	json_object_set_new(document, "matrix", matrix);
	if (json_array_size(compare))
		json_object_set(document, "compare", compare);
	else
		json_object_set_new(matrix, "//", json_pack("[O, s]", json_object_get(matrix, "//"), "nothing is compared yet: " ADD_ANOTHER));
	json_decref(compare);
	json_decref(toolchains);
	json_decref(bits);
}

static json_t *document_json(const struct start *start)
{
	json_t *document = json_pack(
		"{s:[s, s], s:i, s:s}", "//", "What mymatrix builds, measures and compares: see mymatrix.json(5). Keys \"//\" are comments.",
		"Then: 'mymatrix doctor' tells what is missing, 'mymatrix plan' what will be done, 'mymatrix run' does it.",
		"mymatrix", 1, "title", "Which build should we ship?");
	json_object_set(document, "sources", start->of.sources);
	if (json_array_size(start->of.compiled)) {
		json_object_set_new(document, "toolchains", toolchains_json(start));
		json_object_set_new(document, "flags",
				    json_pack("{s:s, s:{s:s}, s:{s:s}}", "//",
					      "a set gives words for every compiler (\"*\"), a family (\"gcc\"), or a family at "
					      "some bits (\"gcc/32\"); the most specific one wins",
					      "standard", "*", "-O2", "optimized", "*", "-O3"));
	}
	put_matrix(start, document);
	json_object_set_new(
		document, "suites",
		json_pack("[{s:s, s:s, s:s, s:i, s:f}]", "//",
			  "ten passes are what a verdict needs; scale 1 is the full suite, 'mymatrix suites sql-bench' shows it",
			  "name", "classic", "suite", "sql-bench", "passes", 10, "scale", 0.1));
	json_t *schedule = json_pack("{s:s, s:b}", "//",
				     "control: each baseline runs twice, so that the noise of this host is known", "control", 1);
	if (access("/dev/shm", W_OK) == 0)
		mm_json_put_string(schedule, "datadir", "/dev/shm");
	json_object_set_new(document, "schedule", schedule);
	return document;
}

/* What is written is read by the parser first: init never leaves a file that run would refuse. */
static int check(const char *text, const char *folder, struct mm_error *err)
{
	char *path = mm_path_join(folder, "MATRIX.json");
	struct mm_matrix_overrides none;
	struct mm_matrix *matrix = NULL;
	mm_matrix_overrides_init(&none);
	int code = mm_fs_write_atomic(path, text, strlen(text), err);
	if (!code && mm_matrix_load(path, &none, &matrix, err))
		code = mm_error_prefix(err, "what was found here makes no matrix");
	mm_matrix_free(matrix);
	mm_matrix_overrides_release(&none);
	free(path);
	return code;
}

/* What is to be known of a comparison before it is made stands in the file, and is said. */
static void describe_comparisons(const json_t *compare, struct mm_buffer *out)
{
	const json_t *comparison;
	size_t i;
	json_array_foreach(compare, i, comparison)
	{
		const char *note = mm_json_string(comparison, "//", NULL);
		if (!note)
			continue;
		mm_buffer_puts(out, "note: ");
		mm_put_wrapped(note, 6, 2, out);
	}
}

static void describe(const struct start *start, const json_t *compare, const char *path, struct mm_buffer *out)
{
	const char *name;
	json_t *source;
	mm_buffer_printf(out, "wrote %s with\n", path);
	json_object_foreach(start->of.sources, name, source)
		mm_buffer_printf(out, "  source %s%s\n", name, start->placeholder ? ", to be filled in" : "");
	for (int family = 0; json_array_size(start->of.compiled) && family < MM_FAMILY_COUNT; family++)
		if (start->taken[family])
			mm_buffer_printf(out, "  compiler %s %s\n", start->taken[family]->spec.name,
					 start->taken[family]->toolchain->version);
	describe_comparisons(compare, out);
	if (!compare) {
		mm_buffer_puts(out, "nothing is compared yet: ");
		mm_put_wrapped(ADD_ANOTHER, 25, 2, out);
	}
	char *next = strcmp(path, "MATRIX.json") == 0
			     ? mm_strdup("next: look at it, then 'mymatrix doctor' and 'mymatrix plan'\n")
			     : mm_format("next: look at it, then 'mymatrix doctor %s' and 'mymatrix plan %s'\n", path, path);
	mm_put_hints(next, out);
	free(next);
}

static int write_matrix(const struct mm_arguments *arguments, const struct start *start, const char *scratch,
			struct mm_error *err)
{
	const char *path = arguments->output ? arguments->output : "MATRIX.json";
	struct mm_buffer said = MM_BUFFER_INIT;
	struct mm_arguments aloud = { 0 };
	json_t *document = document_json(start);
	char *text = mm_json_text(document);
	int code = check(text, scratch, err);
	if (!code)
		code = mm_fs_write_atomic(path, text, strlen(text), err);
	if (!code && !arguments->quiet) {
		describe(start, json_object_get(document, "compare"), path, &said);
		code = mm_output(&aloud, said.data, said.length, err);
	}
	mm_buffer_release(&said);
	free(text);
	json_decref(document);
	return code;
}

int mm_command_init(const struct mm_arguments *arguments, struct mm_error *err)
{
	const char *path = arguments->output ? arguments->output : "MATRIX.json";
	struct start start = {
		.of = { json_object(), json_array(), json_array(), json_array() }
	};
	struct mm_error cleaning = MM_ERROR_INIT;
	int code = 0;
	char *scratch = mm_path_join(mm_fs_scratch(), "mymatrix-init.XXXXXX");
	if (*path && mm_fs_exists(path))
		code = mm_error_set(err, MM_EUSAGE, "'%s' is there already: move it away, or name another file with -o", path);
	else
		code = mm_cli_check_place(path, err);
	if (!code && !mkdtemp(scratch))
		code = mm_error_errno(err, "cannot make a folder to compile in, '%s'", scratch);
	if (code)
		goto out;
	char *probes = mm_path_join(scratch, "probe");
	find_sources(&start);
	code = mm_toolchains_discover(probes, &start.toolchains, err);
	free(probes);
	choose_toolchains(&start);
	if (!code && json_array_size(start.of.compiled) && !start.toolchains.count)
		code = mm_error_set(err, MM_EENV, "no gcc or clang along PATH can compile C and C++: 'mymatrix doctor' says what to "
						  "install");
	if (!code)
		code = write_matrix(arguments, &start, scratch, err);
	(void)mm_fs_remove_tree(scratch, &cleaning);
out:
	mm_found_toolchains_release(&start.toolchains);
	json_decref(start.of.sources);
	json_decref(start.of.compiled);
	json_decref(start.of.ready);
	json_decref(start.of.compare);
	free(scratch);
	return code;
}
