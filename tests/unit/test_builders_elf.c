/* The ELF reader: on a real program (this one), and on whatever else a file may hold. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "builders/elf.h"

static char folder[] = "/tmp/mm-elf-XXXXXX";
static char *scratch;

/* A string that the linker keeps in .rodata, to be masked. */
static const char *volatile planted = "/planted/folder/of/a/build";

/* And an initial value, as a server keeps the defaults of its options. */
static char initial[] = "planted-initial-value";

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	scratch = mm_path_join(folder, "file");
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	free(scratch);
	return mm_fs_remove_tree(folder, NULL);
}

static void write_file(const void *bytes, size_t length)
{
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_write_atomic(scratch, bytes, length, &err), 0);
}

static void read_self(struct mm_buffer *out)
{
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_read("/proc/self/exe", 0, out, &err), 0);
}

static void test_own_program(void **state)
{
	(void)state;
	struct mm_elf elf;
	struct mm_error err = MM_ERROR_INIT;
	if (mm_elf_read("/proc/self/exe", NULL, &elf, &err))
		fail_msg("%s", err.text);
	assert_int_equal(elf.bits, (int)sizeof(void *) * 8);
	assert_true(elf.text_bytes > 1000 && elf.data_bytes > 0 && elf.bss_bytes > 0);
	assert_non_null(elf.interpreter);
	assert_true(strstr(elf.interpreter, "ld") != NULL);
	bool libc = false;
	for (size_t i = 0; i < elf.needed.count; i++)
		libc |= strncmp(elf.needed.items[i], "libc.", 5) == 0;
	assert_true(libc);
	assert_int_equal(strlen(elf.code_sha256), 64);
	mm_elf_release(&elf);
}

/* Two builds that differ in nothing but the folder they were made for have the same code. */
static void test_mask(void **state)
{
	(void)state;
	struct mm_elf one, other;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer self = MM_BUFFER_INIT;
	const char *mask = planted;
	read_self(&self);
	char *at = memmem(self.data, self.length, mask, strlen(mask));
	assert_non_null(at);
	memcpy(at + 1, "PLANTED", 7);
	write_file(self.data, self.length);
	char *changed = mm_strndup(at, strlen(mask));
	assert_int_equal(mm_elf_read("/proc/self/exe", NULL, &one, &err), 0);
	assert_int_equal(mm_elf_read(scratch, NULL, &other, &err), 0);
	assert_string_not_equal(one.code_sha256, other.code_sha256);
	mm_elf_release(&one);
	mm_elf_release(&other);
	assert_int_equal(mm_elf_read("/proc/self/exe", mask, &one, &err), 0);
	assert_int_equal(mm_elf_read(scratch, changed, &other, &err), 0);
	assert_string_equal(one.code_sha256, other.code_sha256);
	mm_elf_release(&one);
	mm_elf_release(&other);
	free(changed);
	mm_buffer_release(&self);
}

/* The same code with another initial value is another program. */
static void test_initial_value(void **state)
{
	(void)state;
	struct mm_elf one, other;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer self = MM_BUFFER_INIT;
	read_self(&self);
	char *at = memmem(self.data, self.length, initial, sizeof initial);
	assert_non_null(at);
	at[0] = 'P';
	write_file(self.data, self.length);
	assert_int_equal(mm_elf_read("/proc/self/exe", NULL, &one, &err), 0);
	assert_int_equal(mm_elf_read(scratch, NULL, &other, &err), 0);
	assert_string_not_equal(one.code_sha256, other.code_sha256);
	mm_elf_release(&one);
	mm_elf_release(&other);
	mm_buffer_release(&self);
}

/* A 32-bit big-endian header (SPARC) by hand: no tables at all is no error. */
static void test_other_byte_order(void **state)
{
	(void)state;
	unsigned char header[52] = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2MSB, 1 };
	struct mm_elf elf;
	struct mm_error err = MM_ERROR_INIT;
	header[17] = 2; /* executable */
	header[19] = EM_SPARC;
	write_file(header, sizeof header);
	assert_int_equal(mm_elf_read(scratch, NULL, &elf, &err), 0);
	assert_int_equal(elf.bits, 32);
	assert_int_equal(elf.machine, EM_SPARC);
	assert_null(elf.interpreter);
	assert_string_equal(elf.code_sha256, "");
	mm_elf_release(&elf);
}

static void assert_refused(const void *bytes, size_t length, const char *said)
{
	struct mm_elf elf;
	struct mm_error err = MM_ERROR_INIT;
	write_file(bytes, length);
	assert_int_equal(mm_elf_read(scratch, NULL, &elf, &err), MM_ECELL);
	if (!strstr(err.text, said))
		fail_msg("'%s' is not in: %s", said, err.text);
}

static void test_garbage(void **state)
{
	(void)state;
	unsigned char header[64] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 };
	struct mm_elf elf;
	struct mm_error err = MM_ERROR_INIT;
	assert_refused("", 0, "no ELF file");
	assert_refused("#!/bin/sh\necho I am a script that calls itself mysqld, longer than a header\n", 75,
		       "no ELF file");
	assert_refused(header, 52, "ends in its header");
	header[EI_CLASS] = 9;
	assert_refused(header, 64, "class");
	header[EI_CLASS] = ELFCLASS64;
	header[56] = 0xff; /* 255 program headers of no size */
	assert_refused(header, 64, "wrong size");
	header[54] = 56;
	header[32] = 64; /* that begin at the end of the file */
	assert_refused(header, 64, "behind its end");
	assert_int_equal(mm_elf_read(folder, NULL, &elf, &err), MM_ECELL);
	mm_error_clear(&err);
	assert_int_equal(mm_elf_read("/nonexistent/mysqld", NULL, &elf, &err), MM_EENV);
}

/* This program cut short at many lengths, and with bytes of its tables turned over. */
static void test_damaged(void **state)
{
	(void)state;
	struct mm_buffer self = MM_BUFFER_INIT;
	struct mm_elf elf;
	struct mm_error err = MM_ERROR_INIT;
	read_self(&self);
	/* the section table stands last: a shorter file has lost it */
	for (size_t length = 64; length < self.length; length += self.length / 23)
		assert_refused(self.data, length, "damaged");
	for (size_t i = 4; i < 1024; i += 3) {
		self.data[i] = (char)~self.data[i];
		write_file(self.data, self.length);
		self.data[i] = (char)~self.data[i];
		mm_error_clear(&err);
		int code = mm_elf_read(scratch, NULL, &elf, &err);
		assert_true(code == 0 || code == MM_ECELL);
		if (!code)
			mm_elf_release(&elf);
	}
	mm_buffer_release(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_program),      cmocka_unit_test(test_mask),
		cmocka_unit_test(test_initial_value),
		cmocka_unit_test(test_other_byte_order), cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
