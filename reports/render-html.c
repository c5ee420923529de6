#include "reports/render.h"

#include "base/json.h"
#include "reports/text.h"

int mm_render_html(const json_t *report, struct mm_buffer *out, struct mm_error *err)
{
	struct mm_buffer table = MM_BUFFER_INIT;

	mm_render_table(report, &table, err);
	mm_buffer_puts(out, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>");
	mm_text_xml(out, mm_json_string(report, "title", ""));
	mm_buffer_puts(out, "</title>\n<pre>");
	mm_text_xml(out, mm_buffer_text(&table));
	mm_buffer_puts(out, "</pre>\n");
	mm_buffer_release(&table);
	return 0;
}
