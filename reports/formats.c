#include "reports/report.h"

#include <string.h>

#include "reports/render.h"

static const struct mm_report_format formats[] = {
	{ "json", mm_render_json },
	{ "table", mm_render_table },
	{ "markdown", mm_render_markdown },
	{ "csv", mm_render_csv },
	{ "junit", mm_render_junit },
	{ "html", mm_render_html },
	{ NULL, NULL },
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
