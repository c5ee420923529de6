#include "builders/control.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/memory.h"

/* Whatever a hostile package holds: real ones have a few kilobytes of each. */
enum { MOST_MEMBER = 16 << 20, MOST_CONTROL = 1 << 20, READ_SIZE = 1 << 16 };

/* The present entry's content; false when it is damaged or has more than MOST bytes. */
static bool read_entry(struct archive *archive, size_t most, struct mm_buffer *out)
{
	char block[READ_SIZE];
	la_ssize_t got;
	while ((got = archive_read_data(archive, block, sizeof block)) > 0 && out->length + (size_t)got <= most)
		mm_buffer_append(out, block, (size_t)got);
	return got == 0;
}

static bool is_named(struct archive_entry *entry, const char *name, bool whole)
{
	const char *path = archive_entry_pathname(entry);
	path = path && strncmp(path, "./", 2) == 0 ? path + 2 : path;
	return path && (whole ? strcmp(path, name) == 0 : strncmp(path, name, strlen(name)) == 0);
}

/* The text of "control" in the control.tar that MEMBER holds. */
static bool read_inner(const struct mm_buffer *member, struct mm_buffer *text)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	struct mm_buffer other = MM_BUFFER_INIT;
	bool found = false;
	bool goes_on = !archive_read_support_filter_gzip(archive) && !archive_read_support_filter_xz(archive) &&
		       !archive_read_support_filter_zstd(archive) && !archive_read_support_format_tar(archive) &&
		       archive_read_open_memory(archive, member->data, member->length) == ARCHIVE_OK;
	while (goes_on && !found && archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		found = is_named(entry, "control", true);
		/* what is passed over counts too: a small file can unpack to anything */
		goes_on = read_entry(archive, found ? MOST_CONTROL : MOST_MEMBER, found ? text : &other);
	}
	mm_buffer_release(&other);
	archive_read_free(archive);
	return found && goes_on;
}

static bool read_text(const char *file, struct mm_buffer *text)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	struct mm_buffer member = MM_BUFFER_INIT;
	struct stat st;
	bool found = false;
	bool opened = stat(file, &st) == 0 && S_ISREG(st.st_mode) && !archive_read_support_format_ar(archive) &&
		      archive_read_open_filename(archive, file, READ_SIZE) == ARCHIVE_OK;
	while (opened && !found && archive_read_next_header(archive, &entry) == ARCHIVE_OK)
		found = is_named(entry, "control.tar", false);
	found = found && read_entry(archive, MOST_MEMBER, &member) && read_inner(&member, text);
	mm_buffer_release(&member);
	archive_read_free(archive);
	return found;
}

/* "NAME: value" at the begin of a line. Allocated, or NULL. */
static char *field(const char *text, const char *name)
{
	size_t length = strlen(name);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncasecmp(line, name, length) != 0 || line[length] != ':')
			continue;
		const char *value = line + length + 1;
		value += strspn(value, " \t");
		size_t end = strcspn(value, " \t\r\n");
		return end ? mm_strndup(value, end) : NULL;
	}
	return NULL;
}

bool mm_control_read(const char *file, struct mm_control *control)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	bool read = read_text(file, &text);
	*control = (struct mm_control){ 0 };
	if (read) {
		control->package = field(mm_buffer_text(&text), "Package");
		control->version = field(mm_buffer_text(&text), "Version");
		control->architecture = field(mm_buffer_text(&text), "Architecture");
	}
	mm_buffer_release(&text);
	return read && control->package;
}

void mm_control_release(struct mm_control *control)
{
	free(control->package);
	free(control->version);
	free(control->architecture);
	*control = (struct mm_control){ 0 };
}

/* deb-version(7): '~' before the end, the end before letters, letters before all else. */
static int rank(char c)
{
	if (c == '~')
		return -1;
	if (!c || isdigit((unsigned char)c))
		return 0;
	return isalpha((unsigned char)c) ? (unsigned char)c : (unsigned char)c + 256;
}

/* Words and numbers in turn. */
static int compare_part(const char *a, const char *b)
{
	while (*a || *b) {
		while ((*a && !isdigit((unsigned char)*a)) || (*b && !isdigit((unsigned char)*b))) {
			int difference = rank(*a) - rank(*b);
			if (difference)
				return difference;
			a += *a != '\0';
			b += *b != '\0';
		}
		a += strspn(a, "0");
		b += strspn(b, "0");
		size_t more = strspn(a, "0123456789"), less = strspn(b, "0123456789");
		int difference = more != less ? (more > less ? 1 : -1) : strncmp(a, b, more);
		if (difference)
			return difference;
		a += more;
		b += less;
	}
	return 0;
}

int mm_control_compare(const char *a, const char *b)
{
	const char *upstream[2], *revision[2], *texts[] = { a, b };
	char *parts[4];
	for (int i = 0; i < 2; i++) {
		const char *colon = strchr(texts[i], ':');
		upstream[i] = colon ? colon + 1 : texts[i];
		revision[i] = strrchr(upstream[i], '-');
		parts[i] = mm_strndup(texts[i], colon ? (size_t)(colon - texts[i]) : 0);
		parts[2 + i] = mm_strndup(upstream[i], revision[i] ? (size_t)(revision[i] - upstream[i])
								   : strlen(upstream[i]));
	}
	int difference = compare_part(parts[0], parts[1]);
	if (!difference)
		difference = compare_part(parts[2], parts[3]);
	if (!difference)
		difference = compare_part(revision[0] ? revision[0] + 1 : "", revision[1] ? revision[1] + 1 : "");
	for (int i = 0; i < 4; i++)
		free(parts[i]);
	return difference;
}

int mm_control_check_once(const struct mm_input *input, const struct mm_strings *files, struct mm_error *err)
{
	json_t *seen = json_object();
	int code = 0;
	for (size_t i = 0; i < files->count && !code; i++) {
		struct mm_control control;
		if (mm_control_read(files->items[i], &control)) {
			char *name = mm_format("%s:%s", control.package, control.architecture ? control.architecture : "");
			const json_t *first = json_object_get(seen, name);
			if (first)
				code = mm_input_wrong(input, "packages", err,
						      "'%s' and '%s' are both package '%s': name one of them, or make a "
						      "source of each",
						      json_string_value(first), mm_path_base(files->items[i]), control.package);
			json_object_set_new(seen, name, json_string(mm_path_base(files->items[i])));
			free(name);
		}
		mm_control_release(&control);
	}
	json_decref(seen);
	return code;
}
