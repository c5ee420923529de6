#include "builders/patch-text.h"

#include <ctype.h>

#include "base/memory.h"
#include "builders/patch-names.h"

/* The diff of one file. */
struct section {
	unsigned line; /* where it begins; 0: there is none */
	char *names;   /* as its first line has them */
	bool headed;   /* the two lines with the names of both sides were there */
	bool git;
	bool renamed;
	bool attributes; /* git's lines about its mode or its name: it may do without a hunk */
	bool content;    /* git says that its content differs */
};

struct walk {
	const char *path, *at, *previous;
	unsigned line, strip;
	struct section section;
	bool open; /* here the next hunk of the section may begin */
	bool near; /* not far from its last one: its lines may have been mangled */
	bool unified, context, git;
	unsigned hunks;
	struct mm_error why;
};

static bool ends(const char *line, const char *word)
{
	size_t length = strcspn(line, "\r\n"), wanted = strlen(word);
	return length >= wanted && strncmp(line + length - wanted, word, wanted) == 0;
}

static bool is_line(const char *line, const char *text)
{
	return mm_begins(line, text) && line[strlen(text) + strspn(line + strlen(text), " \t\r")] == '\n';
}

static bool begins_any(const char *line, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (mm_begins(line, words[i]))
			return true;
	return false;
}

static void step(struct walk *walk)
{
	walk->previous = walk->at;
	walk->at = mm_next_line(walk->at);
	walk->line++;
}

static void refuse_climbing(struct walk *walk, const char *names)
{
	char *line = mm_strndup(names, strcspn(names, "\t\r\n"));
	if (mm_patch_climbs(line))
		(void)mm_error_set(&walk->why, MM_EMATRIX, "'%s:%u' names '%s': a patch may not leave the tree",
				   walk->path, walk->line, line);
	free(line);
}

/* A section that changes nothing has been mangled, unless it is one of git's that only renames, or about modes. */
static void end_section(struct walk *walk)
{
	struct section *section = &walk->section;
	if (section->line && !section->headed && (!section->attributes || section->content))
		(void)mm_error_set(&walk->why, MM_EMATRIX,
				   "'%s:%u' begins the diff of '%s', but no hunk follows that patch understands",
				   walk->path, section->line, section->names);
	free(section->names);
	*section = (struct section){ .line = 0 };
}

static void begin_section(struct walk *walk, const char *names)
{
	end_section(walk);
	walk->section.line = walk->line;
	walk->section.names = mm_strndup(names, strcspn(names, "\t\r\n"));
	walk->open = walk->near = false;
}

/* "12,3": *COUNT is 1 when only the line is said. What follows, or NULL. */
static const char *read_range(const char *text, unsigned long *count)
{
	if (!isdigit((unsigned char)*text))
		return NULL;
	text += strspn(text, "0123456789");
	*count = 1;
	if (*text != ',')
		return text;
	if (!isdigit((unsigned char)*++text))
		return NULL;
	char *end;
	*count = strtoul(text, &end, 10);
	return end;
}

/* "@@ -12,3 +12,4 @@" */
static bool is_hunk(const char *line, unsigned long *before, unsigned long *after)
{
	if (!mm_begins(line, "@@ -"))
		return false;
	line = read_range(line + 4, before);
	if (!line)
		return false;
	line += *line == ' ';
	if (*line++ != '+')
		return false;
	line = read_range(line, after);
	return line && line[*line == ' '] == '@';
}

/* The lines that the head of a unified hunk announces. Where they are not as announced, patch itself says so. */
static void skip_hunk(struct walk *walk, unsigned long before, unsigned long after)
{
	for (step(walk); *walk->at && (before || after || *walk->at == '\\'); step(walk)) {
		bool old = *walk->at == '-', new = *walk->at == '+';
		if (*walk->at == '\\')
			continue;
		if (!old && !new)
			old = new = strchr(" \t\r\n=", *walk->at) != NULL;
		if ((!old && !new) || (old && !before) || (new && !after))
			return;
		before -= old;
		after -= new;
	}
}

/* Two lines that name both sides; what follows them is to be a hunk. */
static void take_head(struct walk *walk, bool hunk)
{
	const char *old = walk->at + 4, *new = mm_next_line(walk->at) + 4;
	if (walk->section.headed || !walk->section.line)
		begin_section(walk, old);
	walk->section.headed = true;
	if (!hunk)
		(void)mm_error_set(
			&walk->why, MM_EMATRIX,
			"'%s:%u' is the head of a diff, but no hunk follows that patch understands: there is "
			"nothing to change",
			walk->path, walk->line);
	struct mm_patch_names names = { .path = walk->path, .line = walk->line, .strip = walk->strip };
	names.renamed = walk->section.renamed;
	(void)mm_patch_check_names(&names, old, new, &walk->why);
	step(walk);
	step(walk);
	walk->open = true;
}

static bool take_unified(struct walk *walk)
{
	unsigned long before, after;
	const char *next = mm_next_line(walk->at);
	if (mm_begins(walk->at, "--- ") && mm_begins(next, "+++ ")) {
		walk->unified = true;
		take_head(walk, is_hunk(mm_next_line(next), &before, &after));
		return true;
	}
	if (!walk->unified || !is_hunk(walk->at, &before, &after))
		return false;
	if (!walk->open)
		(void)mm_error_set(&walk->why, MM_EMATRIX,
				   "'%s:%u' begins a hunk that follows neither the names of its file nor another hunk",
				   walk->path, walk->line);
	walk->hunks++;
	skip_hunk(walk, before, after);
	walk->open = walk->near = true;
	return true;
}

static bool take_context(struct walk *walk)
{
	const char *next = mm_next_line(walk->at);
	bool range = mm_begins(walk->at, "*** ") && ends(walk->at, " ****"), stars = mm_begins(walk->at, "********");
	if (mm_begins(walk->at, "*** ") && !range && mm_begins(next, "--- ")) {
		walk->context = true;
		take_head(walk, mm_begins(mm_next_line(next), "********"));
		return true;
	}
	if (!walk->context || (!range && !stars))
		return false;
	if (range && !mm_begins(walk->previous, "********"))
		(void)mm_error_set(&walk->why, MM_EMATRIX, "'%s:%u' is in no hunk that patch understands", walk->path,
				   walk->line);
	walk->hunks += stars;
	step(walk);
	return true;
}

/* The line with which git, Subversion, CVS and quilt begin a file. */
static bool take_title(struct walk *walk)
{
	struct section *section = &walk->section;
	bool git = mm_begins(walk->at, "diff --git "), index = mm_begins(walk->at, "Index: ");
	if (!git && !index)
		return false;
	const char *names = walk->at + (git ? strlen("diff --git ") : strlen("Index: "));
	bool of_both = git && section->line && !section->git && !section->headed; /* Subversion writes them so */
	if (!of_both)
		begin_section(walk, names);
	refuse_climbing(walk, names);
	section->git |= git;
	walk->git |= git;
	step(walk);
	return true;
}

/* What git says of the file that its title names. */
static void note_attributes(struct walk *walk)
{
	static const char *const attributes[] = { "old mode ",    "new mode ",  "new file mode ", "deleted file mode ",
						  "rename from ", "rename to ", "copy from ",     "copy to " };
	static const char *const no_files[] = { "new file mode 12", "new mode 12", "new file mode 16", "new mode 16" };
	struct section *section = &walk->section;
	const char *line = walk->at;
	if (begins_any(line, no_files, sizeof no_files / sizeof *no_files))
		(void)mm_error_set(&walk->why, MM_EMATRIX,
				   "'%s:%u' makes a symbolic link or a submodule, which no patch may do here",
				   walk->path, walk->line);
	if (!section->git || section->headed)
		return;
	section->attributes |= begins_any(line, attributes, sizeof attributes / sizeof *attributes);
	if (mm_begins(line, "rename ") || mm_begins(line, "copy ")) {
		refuse_climbing(walk, line);
		section->renamed = true;
	}
	/* an empty file comes or goes without a hunk; these are git's names of what is empty */
	section->content |= mm_begins(line, "index ") && !strstr(line, "e69de29") && !strstr(line, "473a0f4");
}

static void refuse_binary(struct walk *walk)
{
	const struct section *section = &walk->section;
	bool git = mm_begins(walk->at, "GIT binary patch");
	if (!git && !(mm_begins(walk->at, "Binary files ") && ends(walk->at, " differ")))
		return;
	(void)mm_error_set(
		&walk->why, MM_EMATRIX,
		"'%s:%u' is a binary patch (%.*s), which patch cannot apply: leave it out, or put the file in "
		"the tree itself",
		walk->path, walk->line, (int)strcspn(git && section->line ? section->names : walk->at, "\r\n"),
		git && section->line ? section->names : walk->at);
}

/* Words between the diffs. What looks like a part of a diff there is one that patch would leave out. */
static void take_words(struct walk *walk)
{
	static const char *const others[] = { "diff ", "Only in ", "From ", "===", "#" };
	const char *line = walk->at;
	note_attributes(walk);
	refuse_binary(walk);
	if (is_line(line, "") || is_line(line, "--") || is_line(line, "---") ||
	    begins_any(line, others, sizeof others / sizeof *others))
		walk->near = false;
	if ((walk->near && strchr("+-@", *line)) || (walk->unified && mm_begins(line, "@@")))
		(void)mm_error_set(
			&walk->why, MM_EMATRIX,
			"'%s:%u' is a part of a diff, but in no hunk that patch understands: is the line with "
			"@@ before it right?",
			walk->path, walk->line);
	walk->open = false;
	step(walk);
}

int mm_patch_text_read(const char *path, const struct mm_buffer *text, unsigned strip, struct mm_patch_text *found,
		       struct mm_error *err)
{
	struct walk walk = { .path = path, .at = mm_buffer_text(text), .line = 1, .strip = strip };
	walk.previous = walk.at;
	while (*walk.at)
		if (!take_unified(&walk) && !take_context(&walk) && !take_title(&walk))
			take_words(&walk);
	end_section(&walk);
	*found = (struct mm_patch_text){ .is = walk.unified || walk.context || walk.git,
					 .context = walk.context,
					 .hunks = walk.hunks };
	if (!found->is)
		return 0;
	if (walk.context && (walk.unified || walk.git))
		return mm_error_set(err, MM_EMATRIX, "'%s' mixes unified and context diffs: make two patches of it",
				    path);
	if (strlen(mm_buffer_text(text)) != text->length)
		return mm_error_set(err, MM_EMATRIX, "'%s:%u' holds a NUL byte, which no text has", path, walk.line);
	return walk.why.code ? mm_error_set(err, walk.why.code, "%s", walk.why.text) : 0;
}
