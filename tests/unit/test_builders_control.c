/* What packages say of themselves, and packages that lie. */
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "builders/control.h"
#include "folder-fixture.h"

static void write_archive(const char *path, bool outer, const char *const *names, const char *const *bytes,
			  const size_t *lengths, size_t count)
{
	struct archive *writer = archive_write_new();
	assert_int_equal(outer ? archive_write_set_format_ar_svr4(writer) : archive_write_set_format_gnutar(writer), ARCHIVE_OK);
	if (!outer)
		assert_int_equal(archive_write_add_filter_xz(writer), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(writer, path), ARCHIVE_OK);
	for (size_t i = 0; i < count; i++) {
		struct archive_entry *entry = archive_entry_new();
		archive_entry_set_pathname(entry, names[i]);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, (la_int64_t)lengths[i]);
		assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
		assert_int_equal(archive_write_data(writer, bytes[i], lengths[i]), lengths[i]);
		archive_entry_free(entry);
	}
	assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
	archive_write_free(writer);
}

/* A package NAME whose control.tar.xz has a file of PADDING bytes and then CONTROL. Allocated path. */
static char *make_deb(const char *name, size_t padding, const char *control)
{
	char *path = mm_path_join(folder, name), *tar = mm_path_join(folder, "control.tar.xz");
	char *zeros = mm_calloc(padding + 1, 1);
	struct mm_buffer inner = MM_BUFFER_INIT;
	write_archive(tar, false, (const char *[]){ "./md5sums", "./control" }, (const char *[]){ zeros, control },
		      (size_t[]){ padding, strlen(control) }, 2);
	assert_int_equal(mm_fs_read(tar, 0, &inner, NULL), 0);
	write_archive(path, true, (const char *[]){ "debian-binary", "control.tar.xz", "data.tar" },
		      (const char *[]){ "2.0\n", inner.data, "none" }, (size_t[]){ 4, inner.length, 4 }, 3);
	mm_buffer_release(&inner);
	free(zeros);
	free(tar);
	return path;
}

static void test_fields(void **state)
{
	struct mm_control control;
	char *path = make_deb("a.deb", 100,
			      "Package: libssl3\nMulti-Arch: same\nArchitecture: i386\nDescription: Version\n Version: 9\n"
			      "Version:  1:3.0.17-1~deb12u2 \n");
	(void)state;
	assert_true(mm_control_read(path, &control));
	assert_string_equal(control.package, "libssl3");
	assert_string_equal(control.version, "1:3.0.17-1~deb12u2");
	assert_string_equal(control.architecture, "i386");
	mm_control_release(&control);
	free(path);
}

static void test_liars(void **state)
{
	struct mm_control control;
	struct mm_buffer whole = MM_BUFFER_INIT;
	(void)state;
	char *bomb = make_deb("bomb.deb", (size_t)64 << 20, "Package: x\nVersion: 1\n");
	assert_false(mm_control_read(bomb, &control));
	char *nameless = make_deb("nameless.deb", 1, "Version: 1\nPackage:\n");
	assert_false(mm_control_read(nameless, &control));
	mm_control_release(&control);
	assert_false(mm_control_read(folder, &control));
	assert_false(mm_control_read("/dev/zero", &control));
	assert_false(mm_control_read("/nonexistent.deb", &control));
	/* cut anywhere, it is read whole or not at all */
	char *good = make_deb("good.deb", 1, "Package: x\nVersion: 1\nArchitecture: amd64\n");
	assert_int_equal(mm_fs_read(good, 0, &whole, NULL), 0);
	for (size_t length = 0; length < whole.length; length += 7) {
		assert_int_equal(mm_fs_write_atomic(good, whole.data, length, NULL), 0);
		if (mm_control_read(good, &control))
			assert_string_equal(control.package, "x");
		mm_control_release(&control);
	}
	mm_buffer_release(&whole);
	free(good);
	free(nameless);
	free(bomb);
}

/* In ascending order: the examples of deb-version(7), and what Debian's archive has. */
static void test_versions(void **state)
{
	static const char *const rising[] = { "0~~", "0~~a", "0~", "0", "0a", "1.0~beta1-1", "1.0-1", "1.0-1+b1", "1.0-1.1", "1.0a-1", "1.0+dfsg-1",
					      "1.0.1-1", "1.2-3", "1.10-3", "1.10-03.1", "10.11.6-0+deb12u1", "10.11.18-0+deb12u1",
					      "10.11.18-0+deb12u2", "10.11.18-1", "1:0.1", "1:10.11.18-0+deb12u1", "2:0" };
	(void)state;
	for (size_t i = 0; i < sizeof rising / sizeof *rising; i++)
		for (size_t j = 0; j < sizeof rising / sizeof *rising; j++) {
			int difference = mm_control_compare(rising[i], rising[j]);
			if ((difference > 0) != (i > j) || (difference < 0) != (i < j))
				fail_msg("'%s' against '%s': %d", rising[i], rising[j], difference);
		}
	assert_int_equal(mm_control_compare("1.0-01", "1.00-1"), 0);
	assert_int_equal(mm_control_compare("0:1", "1"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_liars),
		cmocka_unit_test(test_versions),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
