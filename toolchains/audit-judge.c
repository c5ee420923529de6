/* What the audit has to say in sentences: each is a warning in every report. */
#include "base/memory.h"
#include "toolchains/audit-private.h"

enum { SHOWN = 6 }; /* of a list in a sentence */

/* Those that deviate stand first: "strict" tells the first of all. */
static void warn(struct mm_flag_audit *audit, bool deviates, char *text)
{
	struct mm_strings *list = &audit->warnings;
	mm_strings_push(list, text);
	free(text);
	if (!deviates)
		return;
	char *last = list->items[list->count - 1];
	for (size_t i = list->count - 1; i > audit->grave; i--)
		list->items[i] = list->items[i - 1];
	list->items[audit->grave++] = last;
	audit->deviates = true;
}

void mm_audit_doubt(struct mm_flag_audit *audit, char *text)
{
	warn(audit, true, text);
}

static const char *units_word(size_t count)
{
	return count == 1 ? "translation unit" : "translation units";
}

/* "CMake's …, dpkg-buildflags …": causes that show in units, for the end of a sentence. Allocated. */
static char *causes_text(const struct mm_flag_audit *audit, const char *head)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	for (size_t i = 0; i < audit->causes.count; i++)
		mm_buffer_printf(&out, "%s%s (%zu)", i ? ", " : head, audit->causes.items[i].name,
				 audit->causes.items[i].count);
	return mm_buffer_detach(&out);
}

static void judge_wanted(struct mm_flag_audit *audit)
{
	size_t missed = audit->unit_count - audit->in_force;
	const struct mm_unit *first = NULL;
	if (!missed)
		return;
	for (size_t i = 0; !first; i++)
		if (!audit->units[i].in_force)
			first = &audit->units[i];
	char *causes = causes_text(audit, "; on these lines show ");
	warn(audit, true,
	     mm_format("%zu of %zu %s did not get the requested flags: %s in '%s'%s%s%s", missed, audit->unit_count,
		       units_word(audit->unit_count), first->why, first->file, missed > 1 ? " and others" : "", causes,
		       audit->enforce == MM_ENFORCE_NONE ? " (\"enforce\": \"none\")" : ""));
	free(causes);
}

/* "-fPIE (PIE, 80 units), …". Allocated, NULL for none. */
static char *injected_text(const struct mm_injections *list)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	size_t shown = 0, more = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct mm_injection *entry = &list->items[i];
		if (!entry->deviates)
			continue;
		if (shown >= SHOWN) {
			more++;
			continue;
		}
		mm_buffer_printf(&out, "%s'%s' (%s, %zu)", shown++ ? ", " : "", entry->flag, entry->what, entry->units);
	}
	if (more)
		mm_buffer_printf(&out, " and %zu more", more);
	return out.length ? mm_buffer_detach(&out) : NULL;
}

static void judge_injected(struct mm_flag_audit *audit)
{
	char *units = injected_text(&audit->injected);
	char *links = injected_text(&audit->injected_links);
	if (units) {
		char *causes = causes_text(audit, "; origins that show: ");
		warn(audit, true,
		     mm_format("%zu of %zu %s got flags that nobody asked for: %s%s", audit->in_force - audit->exact,
			       audit->unit_count, units_word(audit->unit_count), units, causes));
		free(causes);
	}
	if (links)
		warn(audit, true, mm_format("links got flags that nobody asked for: %s", links));
	free(units);
	free(links);
}

static void judge_assertions(struct mm_flag_audit *audit)
{
	size_t count = audit->unit_count;
	if (count && audit->ndebug < count)
		warn(audit, false,
		     mm_format("-DNDEBUG is not on the command line of %zu of %zu %s: assertions are on there unless a "
			       "file defines it",
			       count - audit->ndebug, count, units_word(count)));
	if (audit->debug_code)
		warn(audit, true,
		     mm_format("debug code is on in %zu of %zu %s", audit->debug_code, count, units_word(count)));
	if (audit->dbug_off && audit->dbug_off < count)
		warn(audit, false,
		     mm_format("DBUG is off in %zu of %zu %s only", audit->dbug_off, count, units_word(count)));
}

static void judge_rest(struct mm_flag_audit *audit)
{
	if (audit->native)
		warn(audit, false,
		     mm_format("%zu %s compiled for this kind of processor only (-march=native): the programs may not "
			       "start elsewhere",
			       audit->native, audit->native == 1 ? "unit was" : "units were"));
	if (audit->lto && !audit->lto_links)
		warn(audit, true,
		     mm_format("%zu %s compiled for link-time optimisation, but no link asked for it", audit->lto,
			       units_word(audit->lto)));
	if (audit->foreign)
		warn(audit, true,
		     mm_format("%zu linked %s not compiled by the cell's compilers, '%s' first", audit->foreign,
			       audit->foreign == 1 ? "object was" : "objects were", audit->first_foreign));
	if (audit->unread)
		warn(audit, true,
		     mm_format("%zu linked %s cannot be looked into, %s", audit->unread,
			       audit->unread == 1 ? "library" : "libraries", audit->first_unread));
	if (audit->changed)
		warn(audit, true,
		     mm_format("%zu %s after the cell's compilers had made %s, '%s' first", audit->changed,
			       audit->changed == 1 ? "file was changed" : "files were changed",
			       audit->changed == 1 ? "it" : "them", audit->first_changed));
	if (audit->killed) /* what such a call was to make, another call made, or the build would have ended */
		warn(audit, false,
		     mm_format("%zu compiler %s ended by a signal", audit->killed,
			       audit->killed == 1 ? "call was" : "calls were"));
	if (audit->damaged)
		warn(audit, true,
		     mm_format("%zu %s of the compiler log cannot be read: what they did is not known", audit->damaged,
			       audit->damaged == 1 ? "line" : "lines"));
	if (!audit->unit_count)
		warn(audit, true, mm_strdup("no compilation was logged: nothing is known about the flags"));
}

void mm_audit_judge(struct mm_flag_audit *audit)
{
	judge_wanted(audit);
	judge_injected(audit);
	judge_assertions(audit);
	judge_rest(audit);
}
