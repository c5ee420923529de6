#include "reports/report.h"

#include <string.h>

#include "reports/render.h"

static const struct mm_report_format formats[] = {
	{ "json", ".json", mm_render_json, false },
	{ "table", ".txt", mm_render_table, false },
	{ "markdown", ".md", mm_render_markdown, false },
	{ "csv", ".csv", mm_render_csv, true },
	{ "junit", ".xml", mm_render_junit, false },
	{ "html", ".html", mm_render_html, false },
	{ NULL, NULL, NULL, false },
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

const struct mm_report_format *mm_report_format_of_file(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (const struct mm_report_format *format = formats; dot != NULL && format->name != NULL; format++)
		if (strcasecmp(format->ending, dot) == 0)
			return format;
	return NULL;
}
