#include "builders/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { NAME_LIMIT = 4096, DYNAMIC_LIMIT = 4096, NEEDED_LIMIT = 512, RECORD_LIMIT = 1024, SECTION_LIMIT = 1 << 30 };

struct reader {
	const char *path;
	int fd;
	uint64_t size; /* of the file */
	bool wide;     /* 64 bits */
	bool big;      /* big-endian */
	struct mm_error *err;
};

/* Where a field lies in the 32-bit and in the 64-bit form of a record, and how wide it is there. */
struct field {
	unsigned char at32, width32, at64, width64;
};

static const struct field eh_machine = { 18, 2, 18, 2 };
static const struct field eh_phoff = { 28, 4, 32, 8 };
static const struct field eh_shoff = { 32, 4, 40, 8 };
static const struct field eh_phentsize = { 42, 2, 54, 2 };
static const struct field eh_phnum = { 44, 2, 56, 2 };
static const struct field eh_shentsize = { 46, 2, 58, 2 };
static const struct field eh_shnum = { 48, 2, 60, 2 };
static const struct field ph_type = { 0, 4, 0, 4 };
static const struct field ph_offset = { 4, 4, 8, 8 };
static const struct field ph_vaddr = { 8, 4, 16, 8 };
static const struct field ph_filesz = { 16, 4, 32, 8 };
static const struct field sh_type = { 4, 4, 4, 4 };
static const struct field sh_flags = { 8, 4, 8, 8 };
static const struct field sh_offset = { 16, 4, 24, 8 };
static const struct field sh_size = { 20, 4, 32, 8 };
static const struct field dyn_tag = { 0, 4, 0, 8 };
static const struct field dyn_value = { 4, 4, 8, 8 };

static uint64_t get(const struct reader *in, const unsigned char *record, struct field field)
{
	unsigned at = in->wide ? field.at64 : field.at32, width = in->wide ? field.width64 : field.width32;
	uint64_t value = 0;
	for (unsigned i = 0; i < width; i++)
		value = value << 8 | record[at + (in->big ? i : width - 1 - i)];
	return value;
}

static int bad(const struct reader *in, const char *what)
{
	return mm_error_set(in->err, MM_ECELL, "'%s' is a damaged ELF file: %s", in->path, what);
}

/* Reads LENGTH bytes at OFFSET, all of them or an error. */
static int fetch(const struct reader *in, uint64_t offset, void *into, uint64_t length)
{
	unsigned char *to = into;
	if (offset > in->size || length > in->size - offset)
		return bad(in, "it refers to what lies behind its end");
	while (length) {
		ssize_t got = pread(in->fd, to, length, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return mm_error_errno(in->err, "cannot read '%s'", in->path);
		if (got == 0)
			return bad(in, "it became shorter while it was read");
		to += got;
		offset += (uint64_t)got;
		length -= (uint64_t)got;
	}
	return 0;
}

/* A table of records of one size (program headers, section headers). */
struct table {
	unsigned char *bytes;
	unsigned count, size;
};

static int read_table(const struct reader *in, const unsigned char *header, struct field offset, struct field count,
		      struct field size, unsigned least, struct table *table)
{
	*table = (struct table){ .count = (unsigned)get(in, header, count), .size = (unsigned)get(in, header, size) };
	if (!table->count)
		return 0;
	if (table->size < least || table->size > RECORD_LIMIT) {
		table->count = 0;
		return bad(in, "the records of a table have a wrong size");
	}
	table->bytes = mm_calloc(table->count, table->size);
	int code = fetch(in, get(in, header, offset), table->bytes, (uint64_t)table->count * table->size);
	if (code)
		table->count = 0;
	return code;
}

static const unsigned char *record(const struct table *table, unsigned index)
{
	return table->bytes + (size_t)index * table->size;
}

/* The string at OFFSET of the file, at most up to END; allocated, NULL when it has no end there. */
static char *fetch_string(const struct reader *in, uint64_t offset, uint64_t end)
{
	char text[NAME_LIMIT];
	if (end > in->size)
		end = in->size;
	if (offset >= end)
		return NULL;
	uint64_t length = end - offset < sizeof text ? end - offset : sizeof text;
	if (fetch(in, offset, text, length) || !memchr(text, '\0', length))
		return NULL;
	return mm_strdup(text);
}

/* The file offset of a virtual address, through the loaded segments; UINT64_MAX when it is in none. */
static uint64_t offset_of(const struct reader *in, const struct table *segments, uint64_t address)
{
	for (unsigned i = 0; i < segments->count; i++) {
		const unsigned char *segment = record(segments, i);
		uint64_t from = get(in, segment, ph_vaddr);
		if (get(in, segment, ph_type) == PT_LOAD && address >= from &&
		    address - from < get(in, segment, ph_filesz))
			return get(in, segment, ph_offset) + (address - from);
	}
	return UINT64_MAX;
}

static int read_needed(const struct reader *in, const struct table *segments, uint64_t offset, uint64_t length,
		       struct mm_elf *elf)
{
	unsigned size = in->wide ? 16 : 8;
	uint64_t count = length / size, strings = UINT64_MAX;
	uint64_t names[NEEDED_LIMIT];
	size_t name_count = 0;
	for (uint64_t i = 0; i < count && i < DYNAMIC_LIMIT; i++) {
		unsigned char entry[16];
		int code = fetch(in, offset + i * size, entry, size);
		if (code)
			return code;
		uint64_t tag = get(in, entry, dyn_tag), value = get(in, entry, dyn_value);
		if (tag == DT_NULL)
			break;
		if (tag == DT_STRTAB)
			strings = offset_of(in, segments, value);
		else if (tag == DT_NEEDED && name_count < NEEDED_LIMIT)
			names[name_count++] = value;
	}
	if (name_count && strings >= in->size)
		return bad(in, "its dynamic section has no string table");
	for (size_t i = 0; i < name_count; i++) {
		char *name = names[i] < in->size ? fetch_string(in, strings + names[i], UINT64_MAX) : NULL;
		if (!name)
			return bad(in, "the name of a needed library lies outside");
		mm_strings_push(&elf->needed, name);
		free(name);
	}
	return 0;
}

static int read_segments(const struct reader *in, const unsigned char *header, struct mm_elf *elf)
{
	struct table segments;
	int code = read_table(in, header, eh_phoff, eh_phnum, eh_phentsize, in->wide ? 56 : 32, &segments);
	for (unsigned i = 0; !code && i < segments.count; i++) {
		const unsigned char *segment = record(&segments, i);
		uint64_t type = get(in, segment, ph_type), offset = get(in, segment, ph_offset);
		uint64_t length = get(in, segment, ph_filesz);
		if (type == PT_INTERP && !elf->interpreter) {
			elf->interpreter = fetch_string(in, offset, length <= in->size ? offset + length : 0);
			if (!elf->interpreter)
				code = bad(in, "the name of its loader lies outside");
		} else if (type == PT_DYNAMIC && !elf->needed.count) {
			code = read_needed(in, &segments, offset, length, elf);
		}
	}
	free(segments.bytes);
	return code;
}

/* Adds the bytes of a section to HASH, every MASK in it as zeroes. */
static int hash_section(const struct reader *in, const unsigned char *section, const char *mask, struct mm_hash *hash)
{
	uint64_t length = get(in, section, sh_size), offset = get(in, section, sh_offset);
	if (offset > in->size || length > in->size - offset || length > SECTION_LIMIT)
		return bad(in, "a section lies behind its end");
	char *bytes = mm_alloc(length + 1);
	int code = fetch(in, offset, bytes, length);
	size_t mask_length = mask ? strlen(mask) : 0;
	char *at = bytes;
	while (!code && mask_length && (at = memmem(at, length - (size_t)(at - bytes), mask, mask_length)))
		memset(at, 0, mask_length);
	mm_hash_add(hash, &length, sizeof length);
	mm_hash_add(hash, bytes, length);
	free(bytes);
	return code;
}

static void count_section(const struct reader *in, const unsigned char *section, struct mm_elf *elf)
{
	uint64_t flags = get(in, section, sh_flags), size = get(in, section, sh_size);
	if (!(flags & SHF_ALLOC))
		return;
	if (get(in, section, sh_type) == SHT_NOBITS)
		elf->bss_bytes += size;
	else if (flags & SHF_WRITE)
		elf->data_bytes += size;
	else
		elf->text_bytes += size;
}

/*
 * Does a section decide what the program does? Code, constants and initial values do. Notes hold a build's own number,
 * and the tables of the loader hold names and run paths, of which mm_elf.needed says what counts.
 */
static bool is_program(const struct reader *in, const unsigned char *section)
{
	uint64_t type = get(in, section, sh_type);
	return (get(in, section, sh_flags) & SHF_ALLOC) &&
	       (type == SHT_PROGBITS || type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY || type == SHT_PREINIT_ARRAY);
}

static int read_sections(const struct reader *in, const unsigned char *header, const char *mask, struct mm_elf *elf)
{
	struct table sections;
	int code = read_table(in, header, eh_shoff, eh_shnum, eh_shentsize, in->wide ? 64 : 40, &sections);
	if (code || !sections.count) {
		free(sections.bytes);
		return code;
	}
	struct mm_hash *hash = mm_hash_new();
	for (unsigned i = 0; !code && i < sections.count; i++) {
		const unsigned char *section = record(&sections, i);
		count_section(in, section, elf);
		if (is_program(in, section))
			code = hash_section(in, section, mask, hash);
	}
	for (size_t i = 0; i < elf->needed.count; i++)
		mm_hash_add_text(hash, elf->needed.items[i]);
	mm_hash_finish(hash, elf->code_sha256);
	free(sections.bytes);
	return code;
}

static int read_header(struct reader *in, unsigned char header[64])
{
	memset(header, 0, 64);
	uint64_t length = in->size < 64 ? in->size : 64;
	int code = fetch(in, 0, header, length);
	if (code)
		return code;
	if (length < 52 || memcmp(header, ELFMAG, SELFMAG) != 0)
		return mm_error_set(in->err, MM_ECELL, "'%s' is no ELF file", in->path);
	if ((header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
		return bad(in, "its class or byte order is unknown");
	in->wide = header[EI_CLASS] == ELFCLASS64;
	in->big = header[EI_DATA] == ELFDATA2MSB;
	return in->wide && length < 64 ? bad(in, "it ends in its header") : 0;
}

int mm_elf_read(const char *path, const char *mask, struct mm_elf *elf, struct mm_error *err)
{
	struct reader in = { .path = path, .err = err };
	unsigned char header[64];
	struct stat st;
	*elf = (struct mm_elf){ 0 };
	in.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (in.fd < 0) {
		mm_end_if_exhausted(errno);
		return mm_error_errno(err, "cannot open '%s'", path);
	}
	int code = 0;
	if (fstat(in.fd, &st))
		code = mm_error_errno(err, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode))
		code = mm_error_set(err, MM_ECELL, "'%s' is no file", path);
	in.size = code ? 0 : (uint64_t)st.st_size;
	if (!code)
		code = read_header(&in, header);
	if (!code) {
		elf->bits = in.wide ? 64 : 32;
		elf->machine = (unsigned)get(&in, header, eh_machine);
		code = read_segments(&in, header, elf);
	}
	if (!code)
		code = read_sections(&in, header, mask, elf);
	close(in.fd);
	if (code)
		mm_elf_release(elf);
	return code;
}

void mm_elf_release(struct mm_elf *elf)
{
	free(elf->interpreter);
	mm_strings_release(&elf->needed);
	*elf = (struct mm_elf){ 0 };
}
