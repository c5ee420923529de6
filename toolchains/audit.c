#include "toolchains/audit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "toolchains/audit-injected.h"
#include "toolchains/audit-objects.h"
#include "toolchains/audit-private.h"
#include "toolchains/audit-unit.h"
#include "toolchains/flag-words.h"

/* What is needed while the log is read. */
struct reader {
	const struct mm_audit_request *request;
	enum mm_dialect dialect;
	struct mm_flag_audit *audit;
	struct mm_effects wanted_c, wanted_cxx, wanted_ld;
	struct mm_strings words_c, words_cxx; /* requested flags that are of no group: macros and paths */
	struct mm_objects objects;
	size_t line;
	bool counting;        /* second reading: only the last compilation of each object counts */
	struct mm_unit *unit; /* the one in hand */
	const char *file;
};

static enum mm_dialect dialect_of(enum mm_family family)
{
	return family == MM_FAMILY_SUNSTUDIO ? MM_DIALECT_STUDIO : MM_DIALECT_GNU;
}

/* The words as they are on the line, response files expanded, without the cell's. Borrowed strings. */
static char **given_words(const struct mm_words *words, size_t *count)
{
	char **given = mm_calloc(words->count + 1, sizeof *given);
	*count = 0;
	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].mark != MM_WORD_ADDED && words->items[i].mark != MM_WORD_FILE)
			given[(*count)++] = words->items[i].text;
	return given;
}

/* Length of the tree or the build that WHOLE is below, the nearer one: a build may hold a copy of the tree. 0: none. */
static size_t below_root(const struct mm_audit_request *request, const char *whole)
{
	const char *const roots[] = { request->build, request->source };
	size_t below = 0;
	for (size_t i = 0; i < 2; i++) {
		size_t length = roots[i] ? strlen(roots[i]) : 0;
		if (length > below && strncmp(whole, roots[i], length) == 0 && whole[length] == '/')
			below = length;
	}
	return below;
}

/* PATH as people know it: from the tree or the build on. Allocated. */
static char *relative(const struct mm_audit_request *request, const char *cwd, const char *path)
{
	char *whole = mm_path_absolute(cwd, path);
	size_t below = below_root(request, whole);
	char *rest = mm_strdup(below ? whole + below + 1 : whole);
	free(whole);
	return rest;
}

/*
 * What a compilation of SOURCE makes: -o, or the source's name with ".o" in the current folder. A line that makes a
 * program at once has no objects: its sources are told apart by their names. Allocated.
 */
static char *object_of(const struct mm_record *record, const struct mm_line *line, const char *source)
{
	if (record->kind == MM_LINE_BUILD) {
		char *program = mm_path_absolute(record->cwd, line->output ? line->output : "a.out");
		char *both = mm_format("%s of %s", program, source);
		free(program);
		return both;
	}
	if (line->output)
		return mm_path_absolute(record->cwd, line->output);
	const char *base = mm_path_base(source), *dot = strrchr(base, '.');
	char *name = mm_format("%.*s.%c", (int)(dot ? (size_t)(dot - base) : strlen(base)), base,
			       line->to_assembler ? 's' : 'o');
	char *path = mm_path_absolute(record->cwd, name);
	free(name);
	return path;
}

static struct mm_folder_levels *folder_of(struct mm_flag_audit *audit, const char *file)
{
	char *name = mm_path_folder(file);
	struct mm_folder_levels *found = NULL;
	for (size_t i = 0; !found && i < audit->folder_count; i++)
		if (strcmp(audit->folders[i].name, name) == 0)
			found = &audit->folders[i];
	if (!found) {
		audit->folders =
			mm_grow(audit->folders, audit->folder_count, &audit->folder_capacity, sizeof *audit->folders);
		found = &audit->folders[audit->folder_count++];
		*found = (struct mm_folder_levels){ .name = mm_strdup(name) };
	}
	free(name);
	return found;
}

static void count_class(struct mm_flag_audit *audit, const struct mm_effect *effect)
{
	const struct mm_flag_kind *kind = &effect->kind;
	const char *flag = mm_flag_inner(effect->flag);
	if (mm_injected_at_links_only(effect))
		return;
	bool undefines = strncmp(flag, "-U", 2) == 0, negative = strncmp(flag, "-fno-", 5) == 0;
	audit->ndebug += strcmp(kind->group, "NDEBUG") == 0 && !undefines;
	audit->dbug_off += strncmp(flag, "-DDBUG_OFF", 10) == 0;
	audit->debug_code += kind->class == MM_FLAG_DEBUG_CODE && !kind->off;
	audit->lto += kind->class == MM_FLAG_LTO && !kind->off;
	audit->pic += kind->class == MM_FLAG_PIC && !negative;
	audit->pie += kind->class == MM_FLAG_PIE && !negative;
	audit->frame_pointers += kind->class == MM_FLAG_FRAME_POINTER && !kind->off;
	audit->native += (kind->class == MM_FLAG_CPU && strstr(flag, "native")) || strcmp(flag, "-fast") == 0;
	audit->fast_math += (kind->class == MM_FLAG_MATH && !kind->off) || strcmp(flag, "-Ofast") == 0;
	audit->instrumented += kind->class == MM_FLAG_INSTRUMENTATION && !kind->off;
}

static void miss(struct mm_unit *unit, char *why)
{
	unit->in_force = false;
	if (unit->why)
		free(why);
	else
		unit->why = why;
}

struct search {
	const char *flag;
	bool found;
};

static void match(void *context, const char *flag, bool ours)
{
	struct search *search = context;
	(void)ours;
	search->found = search->found || strcmp(flag, search->flag) == 0;
}

/* Does every requested flag hold? */
static void check_wanted(const struct reader *reader, const struct mm_effects *wanted, const struct mm_strings *words,
			 const struct mm_effects *effects, const struct mm_words *line)
{
	struct mm_unit *unit = reader->unit;
	for (size_t i = 0; i < wanted->count; i++) {
		const struct mm_effect *want = &wanted->items[i];
		const struct mm_effect *have = mm_effects_find(effects, want->kind.group);
		if (!have)
			miss(unit, mm_format("'%s' is missing", want->flag));
		else if (strcmp(have->flag, want->flag) != 0)
			miss(unit, mm_format("'%s' holds instead of '%s'", have->flag, want->flag));
	}
	for (size_t i = 0; i < words->count; i++) {
		struct search search = { .flag = words->items[i] };
		mm_flag_words(line, reader->dialect, match, &search);
		if (!search.found)
			miss(unit, mm_format("'%s' is missing", search.flag));
	}
}

static void add_cause(void *context, const char *cause)
{
	mm_tally_add(context, cause);
}

static void compare_levels(const struct reader *reader, const char *wanted, const char *tree)
{
	struct mm_flag_audit *audit = reader->audit;
	if (!wanted || !tree)
		return;
	int difference = mm_level_rank(tree) - mm_level_rank(wanted);
	if (difference) {
		char *entry = mm_format("%s %s", tree, reader->file);
		mm_tally_add(difference < 0 ? &audit->lowered : &audit->raised, entry);
		free(entry);
	}
}

static void take_unit(struct reader *reader, const struct mm_record *record)
{
	struct mm_flag_audit *audit = reader->audit;
	struct mm_effects effects = { 0 };
	bool cxx = record->language == MM_LANGUAGE_CXX;
	const struct mm_effects *wanted = cxx ? &reader->wanted_cxx : &reader->wanted_c;
	audit->units = mm_grow(audit->units, audit->unit_count, &audit->unit_capacity, sizeof *audit->units);
	struct mm_unit *unit = reader->unit = &audit->units[audit->unit_count++];
	const char *tree = mm_tree_level(&record->words, reader->dialect);
	mm_effects_of(&record->words, reader->dialect, &effects);
	const struct mm_effect *level = mm_effects_find(&effects, "level");
	if (!level)
		level = mm_effects_find(&effects, "-fast"); /* Studio: a level and more */
	*unit = (struct mm_unit){ .file = mm_strdup(reader->file), .in_force = true, .exact = true };
	unit->level = mm_strdup(level ? level->flag : "none");
	unit->tree_level = mm_strdup(tree ? tree : "none");
	check_wanted(reader, wanted, cxx ? &reader->words_cxx : &reader->words_c, &effects, &record->words);
	mm_injected_unit(reader->request, audit, unit, wanted, &effects);
	unit->exact = unit->exact && unit->in_force;
	audit->in_force += unit->in_force;
	for (size_t i = 0; i < effects.count; i++)
		count_class(audit, &effects.items[i]);
	mm_tally_add(&audit->levels, unit->level);
	mm_tally_add(&audit->tree_levels, unit->tree_level);
	struct mm_folder_levels *folder = folder_of(audit, unit->file);
	folder->units++;
	mm_tally_add(&folder->levels, unit->level);
	compare_levels(reader, cxx ? audit->level_cxx : audit->level_c, tree);
	mm_causes_find(&record->words, add_cause, &audit->causes);
	mm_effects_release(&effects);
}

static void take_link(struct reader *reader, const struct mm_record *record, const struct mm_line *line)
{
	struct mm_flag_audit *audit = reader->audit;
	struct mm_effects effects = { 0 };
	char *file = relative(reader->request, record->cwd, line->output ? line->output : "a.out");
	mm_effects_of(&record->words, reader->dialect, &effects);
	mm_injected_link(reader->request, audit, file, &reader->wanted_ld, &effects);
	audit->links++;
	for (size_t i = 0; i < effects.count; i++) {
		const struct mm_effect *have = &effects.items[i];
		audit->lto_links += have->kind.class == MM_FLAG_LTO && !have->kind.off;
		audit->pie_links += strcmp(have->flag, "-pie") == 0;
	}
	mm_effects_release(&effects);
	free(file);
}

static void note_size(struct reader *reader, const struct mm_record *record, const char *source)
{
	struct mm_flag_audit *audit = reader->audit;
	audit->compiler_us += record->wall_us;
	if (record->peak_kib <= audit->peak_kib)
		return;
	audit->peak_kib = record->peak_kib;
	free(audit->largest);
	audit->largest = relative(reader->request, record->cwd, source ? source : "?");
}

static void add_foreign(void *context, const char *path)
{
	const struct reader *reader = context;
	if (!reader->audit->foreign++)
		reader->audit->first_foreign = relative(reader->request, "/", path);
}

/* Assembler that lies in the build and not in the tree is some compiler's work: of one that was logged? */
static void check_assembled(struct reader *reader, const struct mm_record *record, const char *source)
{
	const struct mm_audit_request *request = reader->request;
	char *path = mm_path_absolute(record->cwd, source);
	size_t below = below_root(request, path);
	bool in_tree =
		request->source && below == strlen(request->source) && strncmp(path, request->source, below) == 0;
	if (below && !in_tree && !mm_objects_is_made(&reader->objects, path))
		add_foreign(reader, path);
	free(path);
}

static void take_source(struct reader *reader, const struct mm_record *record, const struct mm_line *line,
			const char *source)
{
	char *object = object_of(record, line, source);
	if (!reader->counting) {
		mm_objects_make(&reader->objects, object, reader->line);
		mm_objects_stamp(&reader->objects, object, line->source_count <= 1 ? record->stamp : 0);
	} else if (mm_objects_is_last(&reader->objects, object, reader->line)) {
		if (record->language == MM_LANGUAGE_C || record->language == MM_LANGUAGE_CXX) {
			char *file = relative(reader->request, record->cwd, source);
			reader->file = file;
			take_unit(reader, record);
			free(file);
		} else {
			reader->audit->assembled++;
			check_assembled(reader, record, source);
		}
	}
	free(object);
}

/* One call may compile several sources. */
static void take_compile(struct reader *reader, const struct mm_record *record, const struct mm_line *line,
			 char *const *given, size_t count)
{
	if (line->source_count <= 1) {
		take_source(reader, record, line, line->source ? line->source : "?");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (*given[i] == '-')
			i += mm_option_operands(reader->dialect, given[i]);
		else if (mm_path_is_source(given[i]))
			take_source(reader, record, line, given[i]);
	}
}

/* Calls that are counted whether they made something or not. Returns whether RECORD made something. */
static bool count_call(struct reader *reader, const struct mm_record *record)
{
	struct mm_flag_audit *audit = reader->audit;
	bool works = record->kind == MM_LINE_COMPILE || record->kind == MM_LINE_LINK || record->kind == MM_LINE_BUILD;
	bool done = record->exit_status == 0;
	if (!reader->counting) {
		audit->probes += record->probe;
		audit->failed += works && !record->probe && !done;
		audit->killed += works && !record->probe && record->signal != 0;
	}
	return works && !record->probe && done;
}

static void take_line(struct reader *reader, const char *text)
{
	struct mm_record record;
	struct mm_line line;
	size_t count;
	reader->line++;
	if (!*text)
		return;
	if (!mm_record_parse(text, &record)) {
		reader->audit->damaged += !reader->counting;
	} else if (count_call(reader, &record)) {
		char **given = given_words(&record.words, &count);
		mm_line_read(&line, reader->dialect, record.language == MM_LANGUAGE_CXX, given, count, NULL);
		if (record.kind != MM_LINE_LINK)
			take_compile(reader, &record, &line, given, count);
		if (record.kind != MM_LINE_COMPILE && reader->counting)
			take_link(reader, &record, &line);
		if (record.kind != MM_LINE_COMPILE && !reader->counting)
			mm_objects_note_link(&reader->objects, reader->dialect, &record, &line, given, count);
		if (!reader->counting)
			note_size(reader, &record, line.source ? line.source : line.output);
		free(given);
	}
	mm_record_release(&record);
}

/* Reads the whole log once; lines may be of any length. */
static int read_log(struct reader *reader, const char *log, struct mm_error *err)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int code = 0;
	int fd;
	reader->line = 0;
	if (!mm_fs_exists(log))
		return 0;
	if ((code = mm_fs_open(log, &fd, err)) != 0)
		return code;
	FILE *file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return mm_error_errno(err, "cannot read '%s'", log);
	}
	while ((length = getline(&line, &size, file)) >= 0) {
		if (length && line[length - 1] == '\n')
			line[length - 1] = '\0';
		/* a NUL in a line is damage, and what is behind it is not looked at */
		take_line(reader, line);
	}
	if (!feof(file)) /* also when there was no memory for a line */
		code = mm_error_errno(err, "cannot read '%s'", log);
	(void)fclose(file);
	free(line);
	return code;
}

struct keeping {
	enum mm_dialect dialect;
	struct mm_strings *plain;
};

static void keep_plain(void *context, const char *flag, bool ours)
{
	const struct keeping *keeping = context;
	struct mm_flag_kind kind;
	(void)ours;
	mm_flag_kind(keeping->dialect, flag, &kind);
	if (kind.class == MM_FLAG_OTHER)
		mm_strings_push(keeping->plain, flag);
}

/* What TEXT asks for; flags of no group, which must stand on the line as they are, go to PLAIN, unless it is NULL. */
static void want(enum mm_dialect dialect, const char *text, struct mm_effects *effects, struct mm_strings *plain)
{
	struct mm_words words = { 0 };
	mm_words_of_text(text, &words);
	mm_effects_of(&words, dialect, effects);
	if (plain)
		mm_flag_words(&words, dialect, keep_plain, &(struct keeping){ dialect, plain });
	mm_words_release(&words);
}

static char *join(const char *a, const char *b, const char *c)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	const char *const parts[] = { a, b, c };
	for (size_t i = 0; i < 3; i++)
		if (*parts[i])
			mm_buffer_printf(&out, "%s%s", out.length ? " " : "", parts[i]);
	return mm_buffer_detach(&out);
}

static char *level_of(const struct mm_effects *effects)
{
	const struct mm_effect *level = mm_effects_find(effects, "level");
	return level ? mm_strdup(level->flag) : NULL;
}

static void prepare(struct reader *reader)
{
	const struct mm_audit_request *request = reader->request;
	const struct mm_flag_words *flags = request->flags;
	struct mm_flag_audit *audit = reader->audit;
	audit->enforce = request->enforce;
	audit->requested_c = join(request->bits_option, flags->cpp, flags->c);
	audit->requested_cxx = join(request->bits_option, flags->cpp, flags->cxx);
	audit->requested_ld = join(request->bits_option, flags->ld, "");
	want(reader->dialect, audit->requested_c, &reader->wanted_c, &reader->words_c);
	want(reader->dialect, audit->requested_cxx, &reader->wanted_cxx, &reader->words_cxx);
	want(reader->dialect, audit->requested_ld, &reader->wanted_ld, NULL);
	audit->level_c = level_of(&reader->wanted_c);
	audit->level_cxx = level_of(&reader->wanted_cxx);
}

static void add_unread(void *context, const char *path, const char *why)
{
	const struct reader *reader = context;
	char *name = relative(reader->request, "/", path);
	if (!reader->audit->unread++)
		reader->audit->first_unread = mm_format("'%s': %s", name, why);
	free(name);
}

static void add_changed(void *context, const char *path)
{
	const struct reader *reader = context;
	if (!reader->audit->changed++)
		reader->audit->first_changed = relative(reader->request, "/", path);
}

static bool is_own(void *context, const char *path)
{
	const struct reader *reader = context;
	return below_root(reader->request, path) > 0;
}

int mm_audit_read(const char *log, const struct mm_audit_request *request, struct mm_flag_audit *audit,
		  struct mm_error *err)
{
	struct reader reader = { .request = request, .audit = audit, .dialect = dialect_of(request->family) };
	*audit = (struct mm_flag_audit){ 0 };
	mm_objects_begin(&reader.objects);
	prepare(&reader);
	int code = read_log(&reader, log, err);
	reader.counting = true;
	if (!code)
		code = read_log(&reader, log, err);
	mm_objects_judge(&reader.objects,
			 &(struct mm_objects_report){ add_foreign, add_unread, add_changed, is_own, &reader });
	const char *path;
	json_t *ignored;
	json_object_foreach(reader.objects.outputs, path, ignored)
		mm_strings_push(&audit->linked, path);
	mm_injected_judge(audit);
	mm_audit_judge(audit);
	mm_effects_release(&reader.wanted_c);
	mm_effects_release(&reader.wanted_cxx);
	mm_effects_release(&reader.wanted_ld);
	mm_strings_release(&reader.words_c);
	mm_strings_release(&reader.words_cxx);
	mm_objects_release(&reader.objects);
	return code;
}
