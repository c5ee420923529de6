/* Archives: what is unpacked, and that nothing hostile lands outside the target. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "builders/archive.h"

struct scratch {
	char *folder, *archive, *target, *inner;
	struct archive *writer;
};

static int setup(void **state)
{
	struct scratch *s = mm_alloc(sizeof *s);
	char name[] = "/tmp/mm-archive-XXXXXX";
	assert_non_null(mkdtemp(name));
	s->folder = mm_strdup(name);
	s->archive = mm_path_join(name, "a.tar");
	s->inner = mm_path_join(name, "data.tar");
	s->target = mm_path_join(name, "out/tree");
	struct mm_error err = MM_ERROR_INIT;
	char *out = mm_path_join(name, "out");
	assert_int_equal(mm_fs_mkdirs(out, 0755, &err), 0);
	free(out);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_remove_tree(s->folder, &err), 0);
	free(s->folder);
	free(s->archive);
	free(s->inner);
	free(s->target);
	free(s);
	return 0;
}

static void begin(struct scratch *s, const char *path, int filter, int format)
{
	s->writer = archive_write_new();
	assert_int_equal(archive_write_add_filter(s->writer, filter), ARCHIVE_OK);
	if (format == ARCHIVE_FORMAT_AR_GNU)
		assert_int_equal(archive_write_set_format_ar_svr4(s->writer), ARCHIVE_OK);
	else
		assert_int_equal(archive_write_set_format(s->writer, format), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(s->writer, path), ARCHIVE_OK);
}

static void begin_tar(struct scratch *s)
{
	begin(s, s->archive, ARCHIVE_FILTER_GZIP, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED);
}

static void finish(struct scratch *s)
{
	assert_int_equal(archive_write_close(s->writer), ARCHIVE_OK);
	archive_write_free(s->writer);
	s->writer = NULL;
}

static void add(struct scratch *s, const char *path, mode_t type, mode_t perm, const char *link, const char *content)
{
	struct archive_entry *entry = archive_entry_new();
	archive_entry_set_pathname(entry, path);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, perm);
	archive_entry_set_mtime(entry, 1000000000, 0);
	if (type == AE_IFLNK)
		archive_entry_set_symlink(entry, link);
	else if (link)
		archive_entry_set_hardlink(entry, link);
	if (type == AE_IFCHR)
		archive_entry_set_rdev(entry, 0x0103);
	archive_entry_set_size(entry, content ? (la_int64_t)strlen(content) : 0);
	/* a name beyond ASCII is a warning in the C locale, and written all the same */
	assert_true(archive_write_header(s->writer, entry) >= ARCHIVE_WARN);
	if (content)
		assert_int_equal(archive_write_data(s->writer, content, strlen(content)), strlen(content));
	archive_entry_free(entry);
}

static void add_file(struct scratch *s, const char *path, const char *content)
{
	add(s, path, AE_IFREG, 0644, NULL, content);
}

static char *below(const char *folder, const char *name)
{
	return mm_path_join(folder, name);
}

static void assert_content(const char *folder, const char *name, const char *content)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	char *path = below(folder, name);
	assert_int_equal(mm_fs_read(path, 0, &text, &err), 0);
	assert_string_equal(mm_buffer_text(&text), content);
	mm_buffer_release(&text);
	free(path);
}

static void assert_link(const char *folder, const char *name, const char *target)
{
	char text[4096];
	char *path = below(folder, name);
	ssize_t length = readlink(path, text, sizeof text - 1);
	assert_true(length >= 0);
	text[length] = '\0';
	assert_string_equal(text, target);
	free(path);
}

/* The archive is refused with words NAMED and SAID, and leaves neither target nor temporary folder nor escapee. */
static void assert_refused(struct scratch *s, const char *named, const char *said)
{
	struct mm_error err = MM_ERROR_INIT;
	char *part = mm_format("%s.part", s->target), *escaped = below(s->folder, "escaped");
	assert_int_equal(mm_archive_unpack(s->archive, s->target, NULL, NULL, &err), MM_ECELL);
	if (!strstr(err.text, named) || !strstr(err.text, said) || !strstr(err.text, s->archive))
		fail_msg("'%s' and '%s' are not in: %s", named, said, err.text);
	assert_false(mm_fs_exists(s->target));
	assert_false(mm_fs_exists(part));
	assert_false(mm_fs_exists(escaped));
	assert_false(mm_fs_exists("/tmp/mm-escaped"));
	free(escaped);
	free(part);
}

static void test_every_filter(void **state)
{
	static const int filters[] = { ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2,
				       ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		struct mm_error err = MM_ERROR_INIT;
		begin(s, s->archive, filters[i], ARCHIVE_FORMAT_TAR_PAX_RESTRICTED);
		add(s, "top/", AE_IFDIR, 0755, NULL, NULL);
		add_file(s, "top/a", "first");
		add(s, "top/bin/run", AE_IFREG, 06755, NULL, "second");
		add(s, "top/link", AE_IFLNK, 0777, "bin/run", NULL);
		add(s, "top/bin/up", AE_IFLNK, 0777, "../a", NULL);
		add(s, "top/hard", AE_IFREG, 0644, "top/a", NULL);
		add_file(s, "top/gr\xc3\xbc\xc3\x9f", "name beyond ASCII");
		finish(s);
		if (mm_archive_unpack(s->archive, s->target, NULL, NULL, &err))
			fail_msg("%s", err.text);
		assert_content(s->target, "a", "first");
		assert_content(s->target, "hard", "first");
		assert_content(s->target, "link", "second");
		assert_content(s->target, "bin/up", "first");
		assert_content(s->target, "gr\xc3\xbc\xc3\x9f", "name beyond ASCII");
		struct stat st;
		char *run = below(s->target, "bin/run");
		assert_int_equal(stat(run, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0755); /* set-user-id and set-group-id are gone */
		assert_int_equal(st.st_mtim.tv_sec, 1000000000);
		free(run);
		assert_int_equal(mm_fs_remove_tree(s->target, &err), 0);
	}
}

static void test_zip(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	struct stat st;
	begin(s, s->archive, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP);
	add_file(s, "top/a", "zipped");
	add(s, "top/bin/run", AE_IFREG, 0755, NULL, "program");
	add(s, "top/bin/up", AE_IFLNK, 0777, "../a", NULL);
	finish(s);
	if (mm_archive_unpack(s->archive, s->target, NULL, NULL, &err))
		fail_msg("%s", err.text);
	assert_content(s->target, "a", "zipped");
	assert_content(s->target, "bin/up", "zipped");
	char *run = below(s->target, "bin/run");
	assert_int_equal(stat(run, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	free(run);
}

static void test_hostile_zip(void **state)
{
	static const char *const paths[] = { "../escaped", "top/../../escaped", "/tmp/mm-escaped" };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		begin(s, s->archive, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP);
		add_file(s, "top/good", "x");
		add_file(s, paths[i], "evil");
		finish(s);
		assert_refused(s, paths[i], paths[i][0] == '/' ? "absolute path" : "'..'");
	}
	begin(s, s->archive, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP);
	add_file(s, "top/good", "x");
	add(s, "top/link", AE_IFLNK, 0777, "../../escaped", NULL);
	finish(s);
	assert_refused(s, "top/link", "leads outside");
}

static void test_only_a_single_folder_is_taken_off(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	begin_tar(s);
	add_file(s, "one/a", "1");
	add_file(s, "b", "2");
	finish(s);
	assert_int_equal(mm_archive_unpack(s->archive, s->target, NULL, NULL, &err), 0);
	assert_content(s->target, "one/a", "1");
	assert_content(s->target, "b", "2");
}

static void test_a_later_entry_replaces_a_link_and_does_not_follow_it(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	begin_tar(s);
	add_file(s, "top/a", "kept");
	add(s, "top/l", AE_IFLNK, 0777, "a", NULL);
	add_file(s, "top/l", "new");
	add(s, "top/h", AE_IFREG, 0644, "top/a", NULL);
	add_file(s, "top/h", "newer");
	finish(s);
	assert_int_equal(mm_archive_unpack(s->archive, s->target, NULL, NULL, &err), 0);
	assert_content(s->target, "a", "kept");
	assert_content(s->target, "l", "new");
	assert_content(s->target, "h", "newer");
}

static void test_hostile_paths(void **state)
{
	static const char *const paths[] = { "/tmp/mm-escaped", "../escaped",      "top/../../escaped", "top/..", "..",
					     "./../escaped",    "//tmp/mm-escaped" };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		begin_tar(s);
		add_file(s, "top/good", "x");
		add_file(s, paths[i], "evil");
		finish(s);
		assert_refused(s, paths[i], paths[i][0] == '/' ? "absolute path" : "'..'");
	}
}

static void test_hostile_links(void **state)
{
	static const char *const targets[] = {
		"/etc",            /* absolute */
		"..",              /* the parent of what becomes the root */
		"../escaped",      /* beside it */
		"a/../../escaped", /* climbs after it descended */
		"./../..",
		"a/..",
		"",
	};
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof targets / sizeof *targets - 1; i++) {
		begin_tar(s);
		add_file(s, "top/good", "x");
		add(s, "top/link", AE_IFLNK, 0777, targets[i], NULL);
		finish(s);
		assert_refused(s, "top/link", targets[i]);
	}
}

static void test_writing_through_a_link(void **state)
{
	struct scratch *s = *state;
	begin_tar(s);
	add(s, "top/real/", AE_IFDIR, 0755, NULL, NULL);
	add(s, "top/link", AE_IFLNK, 0777, "real", NULL);
	add_file(s, "top/link/file", "x");
	finish(s);
	assert_refused(s, "top/link/file", "goes through 'link'");
	begin_tar(s);
	add(s, "top/link", AE_IFLNK, 0777, "real", NULL);
	add(s, "top/link", AE_IFDIR, 0755, NULL, NULL);
	finish(s);
	assert_refused(s, "top/link", "goes through 'link'");
}

static void test_hostile_hard_links(void **state)
{
	static const char *const targets[] = { "/etc/passwd", "../escaped", "top/missing", "top", "top/link" };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		begin_tar(s);
		add_file(s, "top/good", "x");
		add(s, "top/link", AE_IFLNK, 0777, "good", NULL);
		add(s, "top/hard", AE_IFREG, 0644, targets[i], NULL);
		finish(s);
		assert_refused(s, targets[i], "");
	}
}

static void test_devices_and_pipes(void **state)
{
	static const mode_t types[] = { AE_IFCHR, AE_IFBLK, AE_IFIFO };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		begin_tar(s);
		add(s, "top/node", types[i], 0666, NULL, NULL);
		finish(s);
		assert_refused(s, "top/node", "device");
	}
}

static void test_a_folder_that_becomes_a_file(void **state)
{
	struct scratch *s = *state;
	for (int type = 0; type < 2; type++) {
		begin_tar(s);
		add_file(s, "tree/sql/a.c", "content");
		add(s, "tree/sql", type ? AE_IFLNK : AE_IFREG, 0644, type ? "b" : NULL, type ? NULL : "content");
		finish(s);
		assert_refused(s, "tree/sql", "an earlier entry made a folder of it");
	}
}

static void test_limits(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	begin_tar(s);
	add_file(s, "top/a", "0123456789");
	add_file(s, "top/b", "0123456789");
	finish(s);
	struct mm_archive_limits bytes = { .total_bytes = 19, .entries = 10, .ratio = 100 };
	assert_int_equal(mm_archive_unpack(s->archive, s->target, &bytes, NULL, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "'top/b': it unpacks to more than 19 bytes"));
	mm_error_clear(&err);
	struct mm_archive_limits entries = { .total_bytes = 100, .entries = 1, .ratio = 100 };
	assert_int_equal(mm_archive_unpack(s->archive, s->target, &entries, NULL, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "more than 1 entries"));
	mm_error_clear(&err);
	struct mm_archive_limits enough = { .total_bytes = 20, .entries = 2, .ratio = 100 };
	assert_int_equal(mm_archive_unpack(s->archive, s->target, &enough, NULL, &err), 0);
}

/* A few kilobytes that unpack to 100 MB of zeroes. */
static void test_ratio(void **state)
{
	enum { CHUNK = 1 << 20, CHUNKS = 100 };
	struct scratch *s = *state;
	char *zeroes = mm_alloc(CHUNK);
	struct archive_entry *entry = archive_entry_new();
	begin_tar(s);
	archive_entry_set_pathname(entry, "top/zeroes");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, (la_int64_t)CHUNK * CHUNKS);
	assert_int_equal(archive_write_header(s->writer, entry), ARCHIVE_OK);
	for (int i = 0; i < CHUNKS; i++)
		assert_int_equal(archive_write_data(s->writer, zeroes, CHUNK), CHUNK);
	archive_entry_free(entry);
	finish(s);
	free(zeroes);
	assert_refused(s, "top/zeroes", "times its size");
}

/* One file of SIZE bytes, of which only the last is there. */
static void make_sparse(struct scratch *s, la_int64_t size)
{
	struct archive_entry *entry = archive_entry_new();
	char *hole = mm_alloc(1 << 20);
	begin_tar(s);
	archive_entry_set_pathname(entry, "top/sparse");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, size);
	archive_entry_sparse_add_entry(entry, size - 1, 1);
	assert_int_equal(archive_write_header(s->writer, entry), ARCHIVE_OK);
	/* the writer leaves out what is not in the map of the data */
	for (la_int64_t done = 0; done < size - 1; done += 1 << 20)
		(void)archive_write_data(s->writer, hole, size - 1 - done < 1 << 20 ? (size_t)(size - 1 - done) : 1 << 20);
	assert_int_equal(archive_write_data(s->writer, "x", 1), 1);
	archive_entry_free(entry);
	finish(s);
	free(hole);
}

/* A hole counts as what it stands for, and comes out as one. */
static void test_sparse(void **state)
{
	enum { SIZE = 8 << 20 };
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_archive_limits limits = { .total_bytes = SIZE - 1, .entries = 10, .ratio = 1000000 };
	struct stat st;
	make_sparse(s, SIZE);
	assert_int_equal(mm_archive_unpack(s->archive, s->target, &limits, NULL, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "'top/sparse': it unpacks to more than"));
	assert_false(mm_fs_exists(s->target));
	mm_error_clear(&err);
	limits.total_bytes = SIZE;
	assert_int_equal(mm_archive_unpack(s->archive, s->target, &limits, NULL, &err), 0);
	char *path = below(s->target, "sparse");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, SIZE);
	free(path);
}

/* Names that differ in case only are two files, and none takes the other's place. */
static void test_names_that_differ_in_case(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	begin_tar(s);
	add_file(s, "top/README", "upper");
	add_file(s, "top/readme", "lower");
	add(s, "top/Folder", AE_IFDIR, 0755, NULL, NULL);
	add(s, "top/folder", AE_IFLNK, 0777, "Folder", NULL);
	add_file(s, "top/Folder/file", "inside");
	finish(s);
	assert_int_equal(mm_archive_unpack(s->archive, s->target, NULL, NULL, &err), 0);
	assert_content(s->target, "README", "upper");
	assert_content(s->target, "readme", "lower");
	assert_content(s->target, "Folder/file", "inside");
}

static void cut(const char *path, size_t keep)
{
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_true((size_t)st.st_size > keep);
	assert_int_equal(truncate(path, (off_t)keep), 0);
}

static void test_truncated(void **state)
{
	static const int filters[] = { ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2,
				       ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD };
	struct scratch *s = *state;
	char *noise = mm_alloc(3000001);
	unsigned seed = 1;
	for (size_t i = 0; i < 3000000; i++) {
		seed = seed * 1103515245U + 12345U;
		noise[i] = (char)('A' + (seed >> 16) % 26);
	}
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		begin(s, s->archive, filters[i], ARCHIVE_FORMAT_TAR_PAX_RESTRICTED);
		add_file(s, "top/first", "x");
		add_file(s, "top/second", noise);
		finish(s);
		cut(s->archive, 1500000);
		assert_refused(s, "top/second", "damaged");
	}
	free(noise);
}

/* Without compression nothing but the zeros at its end says that a tar archive is whole. One block of them will do. */
static void test_cut_between_entries(void **state)
{
	static const int formats[] = { ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_GNUTAR,
				       ARCHIVE_FORMAT_TAR_PAX_RESTRICTED };
	static const struct {
		size_t keep;
		const char *behind; /* NULL: that is enough */
	} cuts[] = { { 1024, "'top/first'" }, { 2048, "'top/second'" }, { 2560, NULL }, { 3000, NULL } };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		for (size_t j = 0; j < sizeof cuts / sizeof *cuts; j++) {
			struct mm_error err = MM_ERROR_INIT;
			begin(s, s->archive, ARCHIVE_FILTER_NONE, formats[i]);
			add_file(s, "top/first", "x");
			add_file(s, "top/second", "y");
			finish(s);
			cut(s->archive, cuts[j].keep);
			if (cuts[j].behind) {
				assert_refused(s, cuts[j].behind, "is cut off behind entry");
				continue;
			}
			assert_int_equal(mm_archive_unpack(s->archive, s->target, NULL, NULL, &err), 0);
			assert_content(s->target, "second", "y");
			assert_int_equal(mm_fs_remove_tree(s->target, &err), 0);
		}
	}
}

static void test_garbage(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	static const char *const contents[] = { "", "no archive at all", "\x1f\x8b\x08 broken" };
	for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
		assert_int_equal(mm_fs_write_atomic(s->archive, contents[i], strlen(contents[i]), &err), 0);
		assert_refused(s, "", "no archive");
	}
}

/* Every byte of a small archive turned over, one at a time: whatever comes out, nothing crashes and nothing escapes. */
static void test_flipped_bytes(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer whole = MM_BUFFER_INIT;
	char *escaped = below(s->folder, "escaped");
	begin(s, s->archive, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_TAR_USTAR);
	add_file(s, "top/file", "content");
	add(s, "top/link", AE_IFLNK, 0777, "file", NULL);
	finish(s);
	assert_int_equal(mm_fs_read(s->archive, 0, &whole, &err), 0);
	for (size_t i = 0; i < 2048; i += 7) {
		struct mm_archive_limits small = { .total_bytes = 1 << 20, .entries = 100, .ratio = 100 };
		int fd = open(s->archive, O_WRONLY | O_TRUNC | O_CLOEXEC);
		whole.data[i] = (char)~whole.data[i];
		assert_int_equal(write(fd, whole.data, whole.length), whole.length);
		whole.data[i] = (char)~whole.data[i];
		close(fd);
		mm_error_clear(&err);
		int code = mm_archive_unpack(s->archive, s->target, &small, NULL, &err);
		assert_true(code == 0 || code == MM_ECELL || code == MM_EENV);
		assert_true((code == 0) == (mm_fs_exists(s->target) != 0));
		assert_false(mm_fs_exists(escaped));
		mm_error_clear(&err);
		assert_int_equal(mm_fs_remove_tree(s->target, &err), 0);
	}
	free(escaped);
	mm_buffer_release(&whole);
}

/* Writes a .deb: an ar archive of debian-binary, control and the tar at s->inner under the name DATA. */
static void make_deb(struct scratch *s, const char *data)
{
	struct mm_buffer tar = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_read(s->inner, 0, &tar, &err), 0);
	begin(s, s->archive, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_AR_GNU);
	add_file(s, "debian-binary", "2.0\n");
	add_file(s, "control.tar.xz", "not looked at");
	struct archive_entry *entry = archive_entry_new();
	archive_entry_set_pathname(entry, data);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, (la_int64_t)tar.length);
	assert_int_equal(archive_write_header(s->writer, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(s->writer, tar.data, tar.length), tar.length);
	archive_entry_free(entry);
	finish(s);
	mm_buffer_release(&tar);
}

static void test_deb(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_mkdirs(s->target, 0755, &err), 0);
	for (int round = 0; round < 2; round++) {
		begin(s, s->inner, round ? ARCHIVE_FILTER_XZ : ARCHIVE_FILTER_ZSTD, ARCHIVE_FORMAT_TAR_GNUTAR);
		add(s, "./", AE_IFDIR, 0755, NULL, NULL);
		add(s, "./usr/", AE_IFDIR, 0755, NULL, NULL);
		add_file(s, round ? "./usr/lib/libb.so.1" : "./usr/sbin/server", round ? "library" : "server");
		if (round) {
			/* as in Debian's packages: absolute links mean the root of the package */
			add(s, "./lib/ld.so", AE_IFLNK, 0777, "/usr/lib/libb.so.1", NULL);
			add(s, "./usr/share/doc/x/conf", AE_IFLNK, 0777, "/etc/mysql/my.cnf", NULL);
			add(s, "./usr/lib/libb.so", AE_IFLNK, 0777, "libb.so.1", NULL);
			add(s, "./usr/lib/root", AE_IFLNK, 0777, "/", NULL);
		}
		finish(s);
		make_deb(s, round ? "data.tar.xz" : "data.tar.zst");
		if (mm_archive_unpack_package(s->archive, s->target, NULL, &err))
			fail_msg("%s", err.text);
	}
	assert_content(s->target, "usr/sbin/server", "server");
	assert_content(s->target, "usr/lib/libb.so", "library");
	assert_content(s->target, "lib/ld.so", "library");
	assert_link(s->target, "lib/ld.so", "../usr/lib/libb.so.1");
	assert_link(s->target, "usr/share/doc/x/conf", "../../../../etc/mysql/my.cnf");
	assert_link(s->target, "usr/lib/root", "../..");
}

static void test_hostile_deb(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_mkdirs(s->target, 0755, &err), 0);
	static const char *const links[] = { "../../escaped", "/../escaped", "/usr/../../escaped", "x/../y" };
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		begin(s, s->inner, ARCHIVE_FILTER_XZ, ARCHIVE_FORMAT_TAR_GNUTAR);
		add(s, "./usr/link", AE_IFLNK, 0777, links[i], NULL);
		finish(s);
		make_deb(s, "data.tar.xz");
		mm_error_clear(&err);
		assert_int_equal(mm_archive_unpack_package(s->archive, s->target, NULL, &err), MM_ECELL);
		assert_non_null(strstr(err.text, "leads outside"));
	}
	make_deb(s, "other.tar.xz");
	mm_error_clear(&err);
	assert_int_equal(mm_archive_unpack_package(s->archive, s->target, NULL, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "no Debian package"));
	make_deb(s, "data.tar.xz");
	cut(s->archive, 300);
	mm_error_clear(&err);
	assert_int_equal(mm_archive_unpack_package(s->archive, s->target, NULL, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "damaged"));
}

/* An rpm as rpm itself writes it, down to what unpacking needs: lead, two headers of one entry each, cpio. */
static void make_rpm(struct scratch *s)
{
	static const unsigned char header[] = { 0x8e, 0xad, 0xe8, 1, 0,   0,    0,   0,   0,   0,   0, 1, 0, 0,
						0,    8,    0,    0, 3,   0xe8, 0,   0,   0,   6,   0, 0, 0, 0,
						0,    0,    0,    1, 's', 'e',  'r', 'v', 'e', 'r', 0, 0 };
	unsigned char lead[96] = { 0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0, 0, 1, 's', 'e', 'r', 'v', 'e', 'r' };
	struct mm_buffer cpio = MM_BUFFER_INIT, rpm = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	lead[77] = 1; /* Linux */
	lead[79] = 5; /* a header-style signature */
	assert_int_equal(mm_fs_read(s->inner, 0, &cpio, &err), 0);
	mm_buffer_append(&rpm, lead, sizeof lead);
	mm_buffer_append(&rpm, header, sizeof header);
	mm_buffer_append(&rpm, header, sizeof header);
	mm_buffer_append(&rpm, cpio.data, cpio.length);
	assert_int_equal(mm_fs_write_atomic(s->archive, rpm.data, rpm.length, &err), 0);
	mm_buffer_release(&rpm);
	mm_buffer_release(&cpio);
}

static void begin_cpio(struct scratch *s, int filter)
{
	begin(s, s->inner, filter, ARCHIVE_FORMAT_CPIO_SVR4_NOCRC);
}

/* A name of a file that has COUNT of them; as in rpm, only the last brings the content. */
static void add_linked(struct scratch *s, const char *path, unsigned count, const char *content)
{
	struct archive_entry *entry = archive_entry_new();
	archive_entry_set_pathname(entry, path);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0755);
	archive_entry_set_ino(entry, 77);
	archive_entry_set_nlink(entry, count);
	archive_entry_set_mtime(entry, 1000000000, 0);
	archive_entry_set_size(entry, (la_int64_t)strlen(content));
	assert_int_equal(archive_write_header(s->writer, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(s->writer, content, strlen(content)), strlen(content));
	archive_entry_free(entry);
}

static void test_rpm(void **state)
{
	static const int filters[] = { ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD,
				       ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZMA };
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_mkdirs(s->target, 0755, &err), 0);
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		char *name = mm_format("./usr/lib64/lib%zu.so.1", i);
		begin_cpio(s, filters[i]);
		add(s, "./usr/sbin", AE_IFDIR, 0755, NULL, NULL);
		add_file(s, name, "library");
		add(s, "./usr/sbin/mysqld", AE_IFLNK, 0777, "/usr/libexec/server", NULL);
		add_linked(s, "./usr/libexec/server", 2, "");
		add_linked(s, "./usr/libexec/twin", 2, "content");
		finish(s);
		make_rpm(s);
		if (mm_archive_unpack_package(s->archive, s->target, NULL, &err))
			fail_msg("%s", err.text);
		assert_content(s->target, name, "library");
		free(name);
	}
	assert_content(s->target, "usr/lib64/lib0.so.1", "library"); /* several share one prefix */
	assert_content(s->target, "usr/libexec/twin", "content");
	assert_content(s->target, "usr/libexec/server", "content");
	assert_content(s->target, "usr/sbin/mysqld", "content");
	assert_link(s->target, "usr/sbin/mysqld", "../../usr/libexec/server");
}

static void assert_no_package(struct scratch *s, const char *said)
{
	struct mm_error err = MM_ERROR_INIT;
	char *escaped = below(s->folder, "escaped");
	assert_int_equal(mm_archive_unpack_package(s->archive, s->target, NULL, &err), MM_ECELL);
	if (!strstr(err.text, said) || !strstr(err.text, s->archive))
		fail_msg("'%s' is not in: %s", said, err.text);
	assert_false(mm_fs_exists(escaped));
	assert_false(mm_fs_exists("/tmp/mm-escaped"));
	free(escaped);
}

static void test_hostile_rpm(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_mkdirs(s->target, 0755, &err), 0);
	static const char *const names[] = { "../escaped", "./usr/../../escaped", "/tmp/mm-escaped" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		begin_cpio(s, ARCHIVE_FILTER_GZIP);
		add_file(s, names[i], "evil");
		finish(s);
		make_rpm(s);
		assert_no_package(s, names[i]);
	}
	begin_cpio(s, ARCHIVE_FILTER_GZIP);
	add(s, "./usr/link", AE_IFLNK, 0777, "../../escaped", NULL);
	finish(s);
	make_rpm(s);
	assert_no_package(s, "leads outside");
	begin_cpio(s, ARCHIVE_FILTER_GZIP);
	add(s, "./usr/real", AE_IFLNK, 0777, "../etc", NULL);
	add_file(s, "./usr/real/passwd", "evil");
	finish(s);
	make_rpm(s);
	assert_no_package(s, "goes through");
	begin_cpio(s, ARCHIVE_FILTER_GZIP);
	add_file(s, "./usr/sbin/server", "a server of some length, so that something can be cut off");
	finish(s);
	make_rpm(s);
	cut(s->archive, 200);
	assert_no_package(s, "damaged");
	cut(s->archive, 50);
	assert_no_package(s, "damaged");
	assert_int_equal(mm_fs_write_atomic(s->archive, "neither this nor that", 21, &err), 0);
	assert_no_package(s, "neither a .deb nor an .rpm");
	assert_int_equal(mm_fs_write_atomic(s->archive, "", 0, &err), 0);
	assert_no_package(s, "neither a .deb nor an .rpm");
}

/* A name of 64 MiB, as text that packs to next to nothing: libarchive would keep the whole of it in memory. */
static void test_a_name_that_unpacks_to_much(void **state)
{
	static const char magic[] = "070701", zero[] = "00000000", length[] = "04000000";
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer cpio = MM_BUFFER_INIT;
	mm_buffer_puts(&cpio, magic);
	for (int i = 0; i < 13; i++)
		mm_buffer_puts(&cpio, i == 1 ? "000081a4" : i == 11 ? length : zero);
	for (size_t i = 0; i < (size_t)64 << 20; i += sizeof zero - 1)
		mm_buffer_puts(&cpio, zero);
	begin(s, s->inner, ARCHIVE_FILTER_GZIP, ARCHIVE_FORMAT_RAW);
	add_file(s, "data", mm_buffer_text(&cpio));
	finish(s);
	make_rpm(s);
	assert_int_equal(mm_fs_mkdirs(s->target, 0755, &err), 0);
	assert_no_package(s, "the header of an entry has more than 16 MiB");
	mm_buffer_release(&cpio);
}

static void test_time_is_up(void **state)
{
	struct scratch *s = *state;
	struct mm_archive_limits limits = MM_ARCHIVE_LIMITS;
	struct mm_error err = MM_ERROR_INIT;
	begin_tar(s);
	add_file(s, "top/a", "x");
	finish(s);
	limits.until_ns = 1;
	assert_int_equal(mm_archive_unpack(s->archive, s->target, &limits, NULL, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "build.timeout"));
	assert_false(mm_fs_exists(s->target));
}

static void test_what_is_an_archive(void **state)
{
	struct scratch *s = *state;
	begin_tar(s);
	add_file(s, "top/a", "x");
	finish(s);
	assert_true(mm_archive_is_one(s->archive));
	begin(s, s->archive, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP);
	add_file(s, "top/a", "x");
	finish(s);
	assert_true(mm_archive_is_one(s->archive));
	assert_int_equal(mm_fs_write_atomic(s->archive, "just some text\n", 15, NULL), 0);
	assert_false(mm_archive_is_one(s->archive));
	assert_int_equal(mm_fs_write_atomic(s->archive, "", 0, NULL), 0);
	assert_false(mm_archive_is_one(s->archive));
	assert_false(mm_archive_is_one("/nonexistent"));
}

/* The last one, since a signal stays pending. */
static void test_interrupted(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	begin_tar(s);
	add_file(s, "top/a", "x");
	finish(s);
	mm_signals_install();
	assert_int_equal(raise(SIGTERM), 0);
	assert_int_equal(mm_archive_unpack(s->archive, s->target, NULL, NULL, &err), MM_EINTERRUPTED);
	assert_false(mm_fs_exists(s->target));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_every_filter),
		CASE(test_zip),
		CASE(test_hostile_zip),
		CASE(test_only_a_single_folder_is_taken_off),
		CASE(test_a_later_entry_replaces_a_link_and_does_not_follow_it),
		CASE(test_hostile_paths),
		CASE(test_hostile_links),
		CASE(test_writing_through_a_link),
		CASE(test_hostile_hard_links),
		CASE(test_devices_and_pipes),
		CASE(test_a_folder_that_becomes_a_file),
		CASE(test_limits),
		CASE(test_ratio),
		CASE(test_sparse),
		CASE(test_names_that_differ_in_case),
		CASE(test_truncated),
		CASE(test_cut_between_entries),
		CASE(test_garbage),
		CASE(test_flipped_bytes),
		CASE(test_deb),
		CASE(test_hostile_deb),
		CASE(test_rpm),
		CASE(test_hostile_rpm),
		CASE(test_a_name_that_unpacks_to_much),
		CASE(test_time_is_up),
		CASE(test_what_is_an_archive),
		CASE(test_interrupted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
