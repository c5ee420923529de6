/* Flag sets: which of them use which, and the words that they come to. */
#include "base/memory.h"
#include "matrix/private.h"
#include "matrix/words.h"

const struct mm_flagset *mm_flagset_find(const struct mm_matrix *matrix, const char *name)
{
	size_t number;
	return mm_index_find(&matrix->own->names[MM_AXIS_FLAGS], name, &number) ? &matrix->flagsets[number] : NULL;
}

/* The most specific entry: family and bits, family, any. */
static const struct mm_flag_entry *entry_for(const struct mm_flagset *set, enum mm_family family, int bits)
{
	const struct mm_flag_entry *best = NULL;
	int best_rank = 0;
	for (size_t i = 0; i < set->entry_count; i++) {
		const struct mm_flag_entry *entry = &set->entries[i];
		if ((entry->family >= 0 && entry->family != (int)family) || (entry->bits >= 0 && entry->bits != bits))
			continue;
		int rank = 1 + (entry->family >= 0) + (entry->bits >= 0);
		if (rank > best_rank) {
			best = entry;
			best_rank = rank;
		}
	}
	return best;
}

static void append_words(struct mm_buffer *line, const char *words)
{
	if (line->length && *words)
		mm_buffer_putc(line, ' ');
	mm_buffer_puts(line, words);
}

struct lines {
	struct mm_buffer c, cxx, cpp, ld;
};

static void append_all(struct lines *lines, const struct mm_flag_words *words)
{
	append_words(&lines->c, words->c);
	append_words(&lines->cxx, words->cxx);
	append_words(&lines->cpp, words->cpp);
	append_words(&lines->ld, words->ld);
}

/* The depth and number of used sets are bounded by mm_flags_check. */
static void collect(const struct mm_matrix *matrix, const struct mm_flagset *set, enum mm_family family, int bits,
		    struct lines *lines)
{
	for (size_t i = 0; i < set->use.count; i++)
		collect(matrix, mm_flagset_find(matrix, set->use.items[i]), family, bits, lines);
	const struct mm_flag_entry *entry = entry_for(set, family, bits);
	if (set->origin.c)
		append_all(lines, &set->origin);
	if (entry)
		append_all(lines, &entry->words);
}

void mm_flags_resolve(const struct mm_matrix *matrix, const struct mm_flagset *set, enum mm_family family, int bits,
		      struct mm_flag_words *out)
{
	struct lines lines = { MM_BUFFER_INIT, MM_BUFFER_INIT, MM_BUFFER_INIT, MM_BUFFER_INIT };
	collect(matrix, set, family, bits, &lines);
	out->c = mm_buffer_detach(&lines.c);
	out->cxx = mm_buffer_detach(&lines.cxx);
	out->cpp = mm_buffer_detach(&lines.cpp);
	out->ld = mm_buffer_detach(&lines.ld);
}

void mm_flag_words_release(struct mm_flag_words *words)
{
	free(words->c);
	free(words->cxx);
	free(words->cpp);
	free(words->ld);
	*words = (struct mm_flag_words){ NULL, NULL, NULL, NULL };
}

bool mm_flags_speak(const struct mm_matrix *matrix, const struct mm_flagset *set, enum mm_family family, int bits)
{
	if (set->from || set->pgo || entry_for(set, family, bits))
		return true;
	for (size_t i = 0; i < set->use.count; i++)
		if (mm_flags_speak(matrix, mm_flagset_find(matrix, set->use.items[i]), family, bits))
			return true;
	return false;
}

/* Names in "use" that are not there. */
static int check_names(struct mm_reader *reader, const struct mm_matrix *matrix, const struct mm_flagset *set,
		       const struct mm_at *at)
{
	const struct mm_at use = { at, "use", 0 };
	for (size_t i = 0; i < set->use.count; i++) {
		const struct mm_at here = { &use, NULL, i };
		if (mm_flagset_find(matrix, set->use.items[i]))
			continue;
		struct mm_strings known = MM_STRINGS_INIT;
		for (size_t j = 0; j < matrix->flagset_count; j++)
			if (&matrix->flagsets[j] != set)
				mm_strings_push(&known, matrix->flagsets[j].name);
		return mm_reader_fail(reader, &here, "unknown flag set '%s'%s", mm_clean(set->use.items[i]).text,
				      mm_hint(set->use.items[i], &known).text);
	}
	return 0;
}

/* A set whose used sets are being counted: a frame of the walk that does not recurse, for chains may be long. */
struct frame {
	size_t set;
	size_t next; /* in "use" */
};

enum { UNSEEN, OPEN, COUNTED };

struct count {
	const struct mm_matrix *matrix;
	unsigned char *state;
	size_t *total; /* the set itself and all that it pulls in */
	struct frame *frames;
	size_t depth, capacity;
};

static void push(struct count *count, size_t set)
{
	count->frames = mm_grow(count->frames, count->depth, &count->capacity, sizeof *count->frames);
	count->frames[count->depth++] = (struct frame){ set, 0 };
	count->state[set] = OPEN;
	count->total[set] = 1;
}

/* "a, b, c, a": the sets of the walk from FIRST on, at most a few of them. */
static char *circle(const struct count *count, size_t first)
{
	struct mm_buffer names = MM_BUFFER_INIT;
	size_t i = 0;
	while (count->frames[i].set != first)
		i++;
	for (size_t shown = 0; i < count->depth && shown < 6; i++, shown++)
		mm_buffer_printf(&names, "%s -> ", count->matrix->flagsets[count->frames[i].set].name);
	mm_buffer_printf(&names, "%s%s", i < count->depth ? "... -> " : "", count->matrix->flagsets[first].name);
	return mm_buffer_detach(&names);
}

/* Counts all that set number START pulls in. */
static int count_from(struct mm_reader *reader, struct count *count, size_t start)
{
	const struct mm_at root = { NULL, NULL, 0 }, flags = { &root, "flags", 0 };
	if (count->state[start] == UNSEEN)
		push(count, start);
	while (count->depth) {
		struct frame *frame = &count->frames[count->depth - 1];
		const struct mm_flagset *set = &count->matrix->flagsets[frame->set];
		const struct mm_at here = { &flags, set->name, 0 }, use = { &here, "use", 0 };
		if (frame->next == set->use.count) {
			if (count->total[frame->set] > MM_USE_MOST)
				return mm_reader_fail(reader, &use, "the set pulls in more than %d others: name fewer",
						      MM_USE_MOST);
			count->state[frame->set] = COUNTED;
			count->depth--;
			continue;
		}
		const struct mm_at entry = { &use, NULL, frame->next };
		size_t used =
			(size_t)(mm_flagset_find(count->matrix, set->use.items[frame->next]) - count->matrix->flagsets);
		if (count->state[used] == OPEN) {
			char *names = circle(count, used);
			int code = mm_reader_fail(reader, &entry, "flag sets use each other in a circle: %s", names);
			free(names);
			return code;
		}
		if (count->state[used] == UNSEEN) {
			push(count, used);
			continue;
		}
		count->total[frame->set] += count->total[used];
		frame->next++;
	}
	return 0;
}

int mm_flags_check(struct mm_reader *reader, struct mm_matrix *matrix)
{
	const struct mm_at root = { NULL, NULL, 0 }, flags = { &root, "flags", 0 };
	struct count count = { .matrix = matrix };
	int code = 0;
	for (size_t i = 0; !code && i < matrix->flagset_count; i++) {
		const struct mm_at here = { &flags, matrix->flagsets[i].name, 0 };
		code = check_names(reader, matrix, &matrix->flagsets[i], &here);
	}
	count.state = mm_calloc(matrix->flagset_count + 1, sizeof *count.state);
	count.total = mm_calloc(matrix->flagset_count + 1, sizeof *count.total);
	for (size_t i = 0; !code && i < matrix->flagset_count; i++)
		code = count_from(reader, &count, i);
	free(count.frames);
	free(count.state);
	free(count.total);
	return code;
}
