#include "reports/builds.h"

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/text.h"

#define MIB (1024.0 * 1024.0)
enum { DIGITS = 16, MOST_INJECTED = 6 };

static const json_t *build_of(const json_t *cell)
{
	return json_object_get(cell, "build");
}

void mm_builds_figures(const json_t *cell, struct mm_build_figures *out)
{
	const json_t *build = build_of(cell), *size = json_object_get(build, "size"), *stage;
	size_t i;

	*out = (struct mm_build_figures){ .text_bytes = mm_json_number(size, "text", -1),
					  .data_bytes = mm_json_number(size, "data", -1),
					  .bss_bytes = mm_json_number(size, "bss", -1),
					  .seconds = -1,
					  .cpu_seconds = -1,
					  .peak_bytes = -1 };
	json_array_foreach(json_object_get(build, "stages"), i, stage) {
		double seconds = mm_json_number(stage, "seconds", -1), peak = mm_json_number(stage, "peak_rss_bytes", -1);

		double cpu = mm_json_number(stage, "cpu_seconds", -1);

		if (cpu >= 0)
			out->cpu_seconds = (out->cpu_seconds > 0 ? out->cpu_seconds : 0) + cpu;
		if (seconds >= 0)
			out->seconds = (out->seconds > 0 ? out->seconds : 0) + seconds;
		out->peak_bytes = peak > out->peak_bytes ? peak : out->peak_bytes;
	}
}

static void put_mib(struct mm_buffer *out, double bytes)
{
	mm_buffer_printf(out, "%.*f MiB", bytes < 10 * MIB ? 2 : 1, bytes / MIB);
}

static void put_seconds(struct mm_buffer *out, double seconds)
{
	mm_buffer_printf(out, "%.*f s", seconds < 100 ? 1 : 0, seconds);
}

/* Takes TEXT, and is gone when it is empty. */
static void push(struct mm_strings *labels, struct mm_strings *texts, const char *label, struct mm_buffer *text)
{
	if (text->length > 0) {
		mm_strings_push(labels, label);
		mm_strings_push(texts, mm_buffer_text(text));
	}
	mm_buffer_release(text);
}

static void put_size(struct mm_buffer *out, const struct mm_build_figures *figures)
{
	if (figures->text_bytes < 0)
		return;
	mm_buffer_puts(out, "text ");
	put_mib(out, figures->text_bytes);
	mm_buffer_puts(out, ", data ");
	put_mib(out, figures->data_bytes > 0 ? figures->data_bytes : 0);
	mm_buffer_puts(out, ", bss ");
	put_mib(out, figures->bss_bytes > 0 ? figures->bss_bytes : 0);
}

/* "685 s, 1201 s of CPU, largest process 879 MiB: configure 64.1 s (210 MiB), compile 620 s (879 MiB)" */
static void put_stages(struct mm_buffer *out, const json_t *build, const struct mm_build_figures *figures)
{
	const json_t *stage;
	size_t i;

	if (figures->seconds < 0)
		return;
	put_seconds(out, figures->seconds);
	if (figures->cpu_seconds > 0) {
		mm_buffer_puts(out, ", ");
		put_seconds(out, figures->cpu_seconds);
		mm_buffer_puts(out, " of CPU");
	}
	if (figures->peak_bytes >= 0) {
		mm_buffer_puts(out, ", largest process ");
		put_mib(out, figures->peak_bytes);
	}
	json_array_foreach(json_object_get(build, "stages"), i, stage) {
		double peak = mm_json_number(stage, "peak_rss_bytes", -1);

		mm_buffer_printf(out, "%s%s ", i == 0 ? ": " : ", ", mm_json_string(stage, "name", "?"));
		put_seconds(out, mm_json_number(stage, "seconds", 0));
		if (peak >= 0) {
			mm_buffer_puts(out, " (");
			put_mib(out, peak);
			mm_buffer_putc(out, ')');
		}
	}
	if (mm_json_true(build, "resumed"))
		mm_buffer_puts(out, "; it was interrupted, and this is its last part");
}

static void put_list(struct mm_buffer *out, const json_t *list)
{
	const json_t *word;
	size_t i;

	json_array_foreach(list, i, word)
		mm_buffer_printf(out, "%s%s", i == 0 ? "" : ", ", json_is_string(word) ? json_string_value(word) : "?");
}

/* What it was made of: kind, digest or commit, signature, patches. */
static void put_source(struct mm_buffer *out, const json_t *build)
{
	const json_t *source = json_object_get(json_object_get(build, "inputs"), "source");
	const char *sha256 = mm_json_string(source, "sha256", NULL), *commit = mm_json_string(source, "commit", NULL);
	const char *signature = mm_json_string(build, "signature", NULL);
	size_t packages = json_array_size(json_object_get(source, "packages"));
	size_t patches = json_array_size(json_object_get(source, "patches"));

	if (!json_is_object(source))
		return;
	if (packages > 0)
		mm_buffer_printf(out, "%zu package%s", packages, mm_plural(packages));
	else
		mm_buffer_puts(out, mm_json_string(source, "kind", "?"));
	if (sha256 != NULL)
		mm_buffer_printf(out, ", SHA-256 %.*s\xe2\x80\xa6", DIGITS, sha256);
	if (commit != NULL)
		mm_buffer_printf(out, ", commit %s", commit);
	if (patches > 0)
		mm_buffer_printf(out, ", %zu %s", patches, patches == 1 ? "patch" : "patches");
	if (signature != NULL)
		mm_buffer_printf(out, ", signature file '%s' (not verified)", signature);
	else if (strcmp(mm_json_string(source, "kind", ""), "tarball") == 0)
		mm_buffer_puts(out, ", no signature file beside it");
}

static void put_compiler(struct mm_buffer *out, const json_t *build)
{
	const json_t *inputs = json_object_get(build, "inputs"), *toolchain = json_object_get(inputs, "toolchain");
	const json_t *flags = json_object_get(inputs, "flags");

	if (!json_is_object(toolchain))
		return;
	mm_buffer_printf(out, "%s %s", mm_json_string(toolchain, "family", "?"), mm_json_string(toolchain, "version", "?"));
	if (json_is_object(flags))
		mm_buffer_printf(out, "; C '%s', C++ '%s', links '%s'", mm_json_string(flags, "c", ""),
				 mm_json_string(flags, "cxx", ""), mm_json_string(flags, "ld", ""));
}

/* "-pie, -fstack-protector-strong …": flags that hold and that nobody asked for. */
static void put_injected(struct mm_buffer *out, const json_t *list, const char *words)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		if (i == MOST_INJECTED) {
			mm_buffer_printf(out, " and %zu more", json_array_size(list) - i);
			break;
		}
		mm_buffer_printf(out, "%s%s", i == 0 ? words : ", ", mm_json_string(entry, "flag", "?"));
	}
}

static void put_audit(struct mm_buffer *out, const json_t *build)
{
	const json_t *audit = json_object_get(build, "audit");
	long long units = (long long)mm_json_integer(audit, "units", -1);

	if (units < 0)
		return;
	mm_buffer_printf(out, "%s: in %lld of %lld units every requested flag holds, in %lld nothing besides",
			 mm_json_true(audit, "deviates") ? "deviates" : "as asked for",
			 (long long)mm_json_integer(audit, "in_force", 0), units,
			 (long long)mm_json_integer(audit, "exact", 0));
	put_injected(out, json_object_get(audit, "injected"), "; nobody asked for ");
	put_injected(out, json_object_get(audit, "injected_links"), "; nor, in links, for ");
}

/* The option file in one line: its lines that say something, with "; " between them. */
static void put_option_file(struct mm_buffer *out, const char *text)
{
	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, "\r\n"), blanks = strspn(text, " \t");

		if (blanks < length && text[blanks] != '#' && text[blanks] != ';')
			mm_buffer_printf(out, "%s%.*s", out->length > 0 ? "; " : "", (int)(length - blanks),
					 text + blanks);
		text += length + (text[length] != '\0');
	}
}

/* What the cell's config did to its server: of the first suite that a server ran for, since all have the same. */
static void put_config(const json_t *cell, struct mm_buffer *options, struct mm_buffer *environment)
{
	const char *suite;
	json_t *facts;

	json_object_foreach(mm_json_each(json_object_get(cell, "suites")), suite, facts) {
		if (json_object_get(facts, "server_version") == NULL)
			continue;
		put_option_file(options, mm_json_string(facts, "my_cnf", NULL));
		put_list(environment, json_object_get(facts, "run_env"));
		return;
	}
}

void mm_builds_describe(const json_t *cell, struct mm_strings *labels, struct mm_strings *texts)
{
	const json_t *build = build_of(cell);
	struct mm_build_figures figures;
	struct mm_buffer text = MM_BUFFER_INIT, environment = MM_BUFFER_INIT;

	mm_builds_figures(cell, &figures);
	put_source(&text, build);
	push(labels, texts, "source", &text);
	put_compiler(&text, build);
	push(labels, texts, "compiler", &text);
	put_list(&text, json_object_get(build, "profiles"));
	push(labels, texts, "profiles", &text);
	put_audit(&text, build);
	push(labels, texts, "flag audit", &text);
	put_size(&text, &figures);
	push(labels, texts, "server size", &text);
	put_stages(&text, build, &figures);
	push(labels, texts, "build cost", &text);
	put_config(cell, &text, &environment);
	push(labels, texts, "option file", &text);
	push(labels, texts, "environment", &environment);
}

static void put_cpu_seconds(struct mm_buffer *out, double seconds)
{
	put_seconds(out, seconds);
	mm_buffer_puts(out, " of CPU");
}

static void put_pair(struct mm_buffer *out, const char *words, void (*put)(struct mm_buffer *out, double value),
		     double baseline, double candidate)
{
	if (baseline <= 0 || candidate <= 0)
		return;
	mm_buffer_printf(out, "%s%s ", out->length > 0 ? "; " : "", words);
	put(out, baseline);
	mm_buffer_puts(out, ", candidate ");
	put(out, candidate);
	mm_buffer_printf(out, " (%+.1f%%)", (candidate / baseline - 1) * 100);
}

void mm_builds_cost(const json_t *cells, const json_t *comparison, struct mm_buffer *out)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_build_figures baseline, candidate;

	mm_builds_figures(json_object_get(cells, mm_json_string(comparison, "baseline", "")), &baseline);
	mm_builds_figures(json_object_get(cells, mm_json_string(comparison, "candidate", "")), &candidate);
	put_pair(&text, "server text", put_mib, baseline.text_bytes, candidate.text_bytes);
	/* by the clock it is the machine's other work that is compared; and what was only unpacked was not built */
	if (baseline.peak_bytes >= 0 && candidate.peak_bytes >= 0) {
		put_pair(&text, "built in", put_cpu_seconds, baseline.cpu_seconds, candidate.cpu_seconds);
		put_pair(&text, "largest compiler process", put_mib, baseline.peak_bytes, candidate.peak_bytes);
	}
	mm_buffer_puts(out, mm_buffer_text(&text));
	mm_buffer_release(&text);
}
