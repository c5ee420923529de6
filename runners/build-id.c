/* The build id stands in a note; of a damaged file no field is believed: every read is checked against the file's end.
 */
#include "runners/build-id.h"

#include <elf.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"

enum { MOST_HEADERS = 256, MOST_NOTES = 1 << 16, MOST_ID = 64 };

/* What both classes have in common, of one program header. */
struct segment {
	uint32_t type;
	uint64_t offset, size;
};

static bool read_at(int fd, void *to, size_t length, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, length, (off_t)offset) == (ssize_t)length;
}

static bool read_segment(int fd, bool wide, uint64_t offset, struct segment *segment)
{
	Elf64_Phdr large;
	Elf32_Phdr small;

	if (wide ? !read_at(fd, &large, sizeof(large), offset) : !read_at(fd, &small, sizeof(small), offset))
		return false;
	*segment = wide ? (struct segment){ large.p_type, large.p_offset, large.p_filesz }
			: (struct segment){ small.p_type, small.p_offset, small.p_filesz };
	return true;
}

/* The id among the notes of a segment. */
static char *find_note(const unsigned char *notes, size_t length)
{
	struct mm_buffer hex = MM_BUFFER_INIT;
	Elf64_Nhdr note; /* the same in both classes */

	for (size_t at = 0; at + sizeof(note) <= length;) {
		size_t name = at + sizeof(note), id;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > length || note.n_descsz > length)
			break;
		id = name + ((note.n_namesz + 3U) & ~3U);
		at = id + ((note.n_descsz + 3U) & ~3U);
		if (id + note.n_descsz > length)
			break;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(notes + name, "GNU", sizeof("GNU")) != 0 || note.n_descsz > MOST_ID)
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			mm_buffer_printf(&hex, "%02x", notes[id + i]);
		return mm_buffer_detach(&hex);
	}
	return NULL;
}

static char *read_notes(int fd, const struct segment *segment)
{
	unsigned char *notes;
	char *id;

	if (segment->type != PT_NOTE || segment->size == 0 || segment->size > MOST_NOTES)
		return NULL;
	notes = mm_alloc(segment->size);
	id = read_at(fd, notes, segment->size, segment->offset) ? find_note(notes, segment->size) : NULL;
	free(notes);
	return id;
}

static char *read_id(int fd)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr large = { 0 };
	Elf32_Ehdr small = { 0 };
	bool wide;
	uint64_t table, step;
	unsigned count;
	char *id = NULL;

	/* a file of the other byte order gives counts that lead nowhere */
	if (!read_at(fd, ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	wide = ident[EI_CLASS] == ELFCLASS64;
	if (wide ? !read_at(fd, &large, sizeof(large), 0) : !read_at(fd, &small, sizeof(small), 0))
		return NULL;
	table = wide ? large.e_phoff : small.e_phoff;
	step = wide ? large.e_phentsize : small.e_phentsize;
	count = wide ? large.e_phnum : small.e_phnum;
	for (unsigned i = 0; id == NULL && i < count && i < MOST_HEADERS; i++) {
		struct segment segment;

		if (!read_segment(fd, wide, table + i * step, &segment))
			break;
		id = read_notes(fd, &segment);
	}
	return id;
}

char *mm_build_id(const char *path)
{
	int fd;
	char *id;

	if (mm_fs_open(path, &fd, NULL) != 0)
		return NULL;
	id = read_id(fd);
	close(fd);
	return id;
}
