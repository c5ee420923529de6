/*
 * One row per sample and one per delta, in one table, and what each build cost: "kind" says which. `import csv` reads the
 * samples back.
 */
#include "base/json.h"
#include "reports/builds.h"
#include "reports/render.h"
#include "reports/text.h"

static const char header[] =
	"kind,cell,suite,test,operation,metric,pass,visit,value,unit,better,baseline,candidate,"
	"delta_percent,estimate_percent,low_percent,high_percent,p,adjusted_p,n,verdict,reason\r\n";

static void put_text(struct mm_buffer *out, const char *text)
{
	mm_text_csv(out, text);
	mm_buffer_putc(out, ',');
}

static void put_number(struct mm_buffer *out, const json_t *value)
{
	if (json_is_integer(value))
		mm_buffer_printf(out, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		mm_buffer_printf(out, "%.12g", json_real_value(value));
	mm_buffer_putc(out, ',');
}

/* What a list of samples is of. */
struct column {
	const char *test, *operation, *metric, *unit, *better;
};

/* Rows of one list differ in pass and value only: what stands around these is made once. */
static void put_samples(struct mm_buffer *out, const json_t *series, const json_t *values, const struct column *column)
{
	const json_t *passes = json_object_get(series, "passes"), *value;
	struct mm_buffer before = MM_BUFFER_INIT, after = MM_BUFFER_INIT;
	size_t i;

	put_text(&before, "sample");
	put_text(&before, mm_json_string(series, "cell", ""));
	put_text(&before, mm_json_string(series, "suite", ""));
	put_text(&before, column->test);
	put_text(&before, column->operation);
	put_text(&before, column->metric);
	put_text(&after, column->unit);
	put_text(&after, column->better);
	mm_buffer_puts(&after, ",,,,,,,,,,\r\n");
	json_array_foreach(values, i, value) {
		const json_t *pass = json_array_get(passes, i);

		if (!json_is_number(value))
			continue;
		mm_buffer_append(out, mm_buffer_text(&before), before.length);
		put_number(out, json_object_get(pass, "index"));
		put_number(out, json_object_get(pass, "visit"));
		put_number(out, value);
		mm_buffer_append(out, mm_buffer_text(&after), after.length);
	}
	mm_buffer_release(&before);
	mm_buffer_release(&after);
}

static void put_series(struct mm_buffer *out, const json_t *series)
{
	static const char *const keys[] = { "server_cpu_seconds", "client_cpu_seconds", "peak_rss_bytes" };
	static const struct column columns[] = { { "", "", "server-cpu", "s", "lower" },
						 { "", "", "client-cpu", "s", "lower" },
						 { "", "", "peak-rss", "bytes", "lower" } };
	const json_t *tests = json_object_get(series, "tests"), *test;
	json_t *operation;
	const char *name;
	size_t i;

	json_array_foreach(tests, i, test) {
		struct column column = { mm_json_string(test, "test", ""), "", "wall",
					 mm_json_string(test, "unit", "s"), mm_json_string(test, "better", "lower") };

		put_samples(out, series, json_object_get(test, "values"), &column);
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			column = columns[k];
			column.test = mm_json_string(test, "test", "");
			put_samples(out, series, json_object_get(test, keys[k]), &column);
		}
		column = (struct column){ column.test, "", "wall", "",
					  "" }; /* operations are seconds, as the head of import-csv.c says */
		json_object_foreach(json_object_get(test, "operations"), name, operation) {
			column.operation = name;
			put_samples(out, series, operation, &column);
		}
	}
}

static void put_delta(struct mm_buffer *out, const json_t *comparison, const char *kind, const char *test,
		      const char *operation, const char *metric, const json_t *row)
{
	const json_t *interval = json_object_get(row, "interval_percent");

	if (!json_is_object(row))
		return;
	put_text(out, kind);
	put_text(out, "");
	put_text(out, mm_json_string(comparison, "suite", ""));
	put_text(out, test);
	put_text(out, operation);
	put_text(out, metric);
	mm_buffer_puts(out, ",,,,,");
	put_text(out, mm_json_string(comparison, "baseline", ""));
	put_text(out, mm_json_string(comparison, "candidate", ""));
	put_number(out, json_object_get(row, "delta_percent"));
	put_number(out, json_object_get(row, "estimate_percent"));
	put_number(out, json_array_get(interval, 0));
	put_number(out, json_array_get(interval, 1));
	put_number(out, json_object_get(row, "p"));
	put_number(out, json_object_get(row, "adjusted_p"));
	put_number(out, json_object_get(row, "n"));
	put_text(out, mm_json_string(row, "verdict", ""));
	mm_text_csv(out, mm_json_string(row, "reason", ""));
	mm_buffer_puts(out, "\r\n");
}

static void put_comparison(struct mm_buffer *out, const json_t *comparison)
{
	const json_t *geomean = json_object_get(comparison, "geomean"), *tests = json_object_get(comparison, "tests"),
		     *test;
	const json_t *operation;
	size_t i, j;

	put_delta(out, comparison, "geomean", "", "", "wall", geomean);
	put_delta(out, comparison, "geomean", "", "", "server-cpu", json_object_get(geomean, "server_cpu"));
	json_array_foreach(tests, i, test) {
		const char *name = mm_json_string(test, "test", "");

		put_delta(out, comparison, "delta", name, "", "wall", test);
		put_delta(out, comparison, "delta", name, "", "server-cpu", json_object_get(test, "server_cpu"));
		json_array_foreach(json_object_get(test, "operations"), j, operation)
			put_delta(out, comparison, "delta", name, mm_json_string(operation, "operation", ""), "wall",
				  operation);
	}
}

static void put_build_figure(struct mm_buffer *out, const json_t *cell, const char *metric, double value, const char *unit)
{
	json_t *number = value >= 0 ? json_real(value) : NULL;

	if (number == NULL)
		return;
	put_text(out, "build");
	put_text(out, mm_json_string(cell, "id", ""));
	mm_buffer_puts(out, ",,,");
	put_text(out, metric);
	mm_buffer_puts(out, ",,");
	put_number(out, number);
	put_text(out, unit);
	mm_buffer_puts(out, "lower,,,,,,,,,,,\r\n");
	json_decref(number);
}

static void put_build(struct mm_buffer *out, const json_t *cell)
{
	struct mm_build_figures figures;

	mm_builds_figures(cell, &figures);
	put_build_figure(out, cell, "text-size", figures.text_bytes, "bytes");
	put_build_figure(out, cell, "data-size", figures.data_bytes, "bytes");
	put_build_figure(out, cell, "bss-size", figures.bss_bytes, "bytes");
	put_build_figure(out, cell, "build-time", figures.seconds, "s");
	put_build_figure(out, cell, "build-cpu", figures.cpu_seconds, "s");
	put_build_figure(out, cell, "build-peak-rss", figures.peak_bytes, "bytes");
}

/* The gate's decision is a row of its own kind, its result in "verdict". */
static void put_gate(struct mm_buffer *out, const json_t *gate)
{
	if (!json_is_object(gate))
		return;
	put_text(out, "gate");
	mm_buffer_puts(out, ",,,,");
	put_text(out, mm_json_string(gate, "metric", ""));
	mm_buffer_puts(out, ",,,,,,,,,,,,,,");
	put_text(out, mm_json_string(gate, "result", "none"));
	mm_text_csv(out, mm_json_string(gate, "reason", ""));
	mm_buffer_puts(out, "\r\n");
}

int mm_render_csv(const json_t *report, struct mm_buffer *out, struct mm_error *err)
{
	const json_t *item;
	size_t i;

	(void)err;
	mm_buffer_puts(out, header);
	json_array_foreach(json_object_get(report, "comparisons"), i, item)
		put_comparison(out, item);
	json_array_foreach(json_object_get(report, "samples"), i, item)
		put_series(out, item);
	json_array_foreach(json_object_get(report, "cells"), i, item)
		put_build(out, item);
	put_gate(out, json_object_get(report, "gate"));
	return 0;
}
