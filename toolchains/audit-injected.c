#include "toolchains/audit-injected.h"

#include "base/memory.h"

/* Files with instructions of their own are few where programs choose between them at run time: one in so many. */
enum { FEW = 10 };

/* Is FLAG one that a profile gave the tree? That is told apart from what the tree added by itself. */
static bool is_of_profile(const struct mm_audit_request *request, const char *flag)
{
	for (size_t i = 0; i < sizeof request->profiles / sizeof *request->profiles; i++)
		if (request->profiles[i] && mm_strings_contain(request->profiles[i], flag))
			return true;
	return false;
}

/* Does EFFECT, which nobody asked for, make this another build than was asked for? */
static bool deviates(const struct mm_audit_request *request, const struct mm_effect *effect)
{
	return request->enforce == MM_ENFORCE_LEVEL && mm_flag_deviates(&effect->kind) &&
	       !is_of_profile(request, effect->flag);
}

/* EFFECT, which nobody asked for, holds in FILE. */
static void inject(const struct mm_audit_request *request, struct mm_injections *list, const struct mm_effect *effect,
		   const char *file)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].flag, effect->flag) == 0) {
			list->items[i].units++;
			return;
		}
	}
	list->items = mm_grow(list->items, list->count, &list->capacity, sizeof *list->items);
	list->items[list->count++] = (struct mm_injection){ .flag = mm_strdup(effect->flag),
							    .what = mm_flag_class_name(effect->kind.class),
							    .of_profile = is_of_profile(request, effect->flag),
							    .deviates = deviates(request, effect),
							    .units = 1,
							    .first = mm_strdup(file) };
}

bool mm_injected_at_links_only(const struct mm_effect *effect)
{
	static const char *const groups[] = { "pie-link", "linker" };
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (strcmp(effect->kind.group, groups[i]) == 0)
			return true;
	return strncmp(effect->flag, "-Wl,", 4) == 0 || effect->kind.class == MM_FLAG_LINK ||
	       effect->kind.class == MM_FLAG_INPUT;
}

static bool is_wanted(const struct mm_effects *wanted, const struct mm_effect *have)
{
	const struct mm_effect *want = mm_effects_find(wanted, have->kind.group);
	return have->ours || (want && strcmp(want->flag, have->flag) == 0);
}

void mm_injected_unit(const struct mm_audit_request *request, struct mm_flag_audit *audit, struct mm_unit *unit,
		      const struct mm_effects *wanted, const struct mm_effects *effects)
{
	for (size_t i = 0; i < effects->count; i++) {
		const struct mm_effect *have = &effects->items[i];
		/* a level or bits beside none requested is the tree's own business */
		bool own = have->kind.class == MM_FLAG_LEVEL || have->kind.class == MM_FLAG_BITS;
		if (own || mm_injected_at_links_only(have) || is_wanted(wanted, have))
			continue;
		inject(request, &audit->injected, have, unit->file);
		if (have->kind.class == MM_FLAG_EXTENSION)
			mm_strings_push(&unit->instructions, have->flag);
		else if (deviates(request, have))
			unit->exact = false;
	}
}

static bool has_lto(const struct mm_effects *effects)
{
	for (size_t i = 0; i < effects->count; i++)
		if (effects->items[i].kind.class == MM_FLAG_LTO && !effects->items[i].kind.off)
			return true;
	return false;
}

/* Does EFFECT do something at a link? With link-time optimisation (LTO) all that compilations look at does. */
static bool works_at_links(const struct mm_flag_audit *audit, const struct mm_effect *effect, bool lto)
{
	switch (effect->kind.class) {
	case MM_FLAG_LEVEL: /* the tree's own where the cell asks for none anywhere */
		return audit->level_c || audit->level_cxx;
	case MM_FLAG_BITS:
		return false;
	case MM_FLAG_LTO:
	case MM_FLAG_MATH: /* -ffast-math: what programs begin with sets the processor's arithmetic */
	case MM_FLAG_INSTRUMENTATION:
	case MM_FLAG_TOOLS:
		return true;
	default:
		/* Studio's -fast is arithmetic, too */
		return mm_injected_at_links_only(effect) || strcmp(effect->flag, "-fast") == 0 ||
		       (lto && mm_flag_deviates(&effect->kind));
	}
}

void mm_injected_link(const struct mm_audit_request *request, struct mm_flag_audit *audit, const char *file,
		      const struct mm_effects *wanted, const struct mm_effects *effects)
{
	bool lto = has_lto(effects);
	for (size_t i = 0; i < effects->count; i++) {
		const struct mm_effect *have = &effects->items[i];
		if (works_at_links(audit, have, lto) && !is_wanted(wanted, have))
			inject(request, &audit->injected_links, have, file);
	}
}

void mm_injected_judge(struct mm_flag_audit *audit)
{
	const char *extension = mm_flag_class_name(MM_FLAG_EXTENSION);
	struct mm_strings many = MM_STRINGS_INIT;
	for (size_t i = 0; i < audit->injected.count; i++) {
		struct mm_injection *entry = &audit->injected.items[i];
		if (strcmp(entry->what, extension) != 0)
			continue;
		entry->deviates = entry->deviates && entry->units * FEW > audit->unit_count;
		if (entry->deviates)
			mm_strings_push(&many, entry->flag);
	}
	for (size_t i = 0; i < audit->unit_count; i++) {
		struct mm_unit *unit = &audit->units[i];
		for (size_t j = 0; j < unit->instructions.count; j++)
			if (mm_strings_contain(&many, unit->instructions.items[j]))
				unit->exact = false;
		audit->exact += unit->exact;
	}
	mm_strings_release(&many);
}
