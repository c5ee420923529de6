#include "reports/report.h"

#include <string.h>

#include "reports/render.h"

static const struct mm_report_format formats[] = {
	{ "json", mm_render_json, false },
	{ "table", mm_render_table, false },
	{ "markdown", mm_render_markdown, false },
	{ "csv", mm_render_csv, true },
	{ "junit", mm_render_junit, false },
	{ "html", mm_render_html, false },
	{ NULL, NULL, false },
};

const struct mm_report_format *mm_report_formats(void)
{
	return formats;
}

const struct mm_report_format *mm_report_format_find(const char *name)
{
	for (const struct mm_report_format *format = formats; format->name != NULL; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}
