/*
 * report.json for people and programs: two spaces of indent, but a list of plain values (samples, intervals, a command
 * line) on one line, and so the innermost objects (a summary, an operation's row): a report is a third of the size.
 * Reals have 12 significant digits, as in every file of ours; what is not finite cannot get here, since jansson holds
 * no such numbers.
 */
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "reports/render.h"
#include "reports/report.h"
#include "reports/text.h"

enum { INNER_DEPTH = 3 };

static void put_value(struct mm_buffer *out, const json_t *value, int depth);

static void put_indent(struct mm_buffer *out, int depth)
{
	mm_buffer_putc(out, '\n');
	for (int i = 0; i < depth; i++)
		mm_buffer_puts(out, "  ");
}

static void put_string(struct mm_buffer *out, const char *text)
{
	size_t plain = 0;

	mm_buffer_putc(out, '"');
	for (; *text != '\0'; text += plain + 1) {
		plain = 0;
		while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\' &&
		       text[plain] != 0x7f)
			plain++;
		mm_buffer_append(out, text, plain);
		if (text[plain] == '\0')
			break;
		if (text[plain] == '"' || text[plain] == '\\')
			mm_buffer_printf(out, "\\%c", text[plain]);
		else
			mm_buffer_printf(out, "\\u%04x", (unsigned)(unsigned char)text[plain]);
	}
	mm_buffer_putc(out, '"');
}

/* A real stays a real: "15" is written "15.0". */
static void put_real(struct mm_buffer *out, double value)
{
	char text[40];
	int length = snprintf(text, sizeof(text), "%.12g", value);

	mm_buffer_append(out, text, (size_t)length);
	if (strpbrk(text, ".e") == NULL)
		mm_buffer_puts(out, ".0");
}

static bool is_plain(const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		if (json_is_object(item) || json_is_array(item))
			return false;
	return true;
}

/* Does OBJECT hold nothing but plain values and lists of them? */
static bool is_innermost(const json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(mm_json_each(object), key, value)
		if (json_is_object(value) || (json_is_array(value) && !is_plain(value)))
			return false;
	return true;
}

static void put_array(struct mm_buffer *out, const json_t *list, int depth)
{
	bool plain = is_plain(list);
	const json_t *item;
	size_t i;

	mm_buffer_putc(out, '[');
	json_array_foreach(list, i, item) {
		if (i > 0)
			mm_buffer_puts(out, plain ? ", " : ",");
		if (!plain)
			put_indent(out, depth + 1);
		put_value(out, item, depth + 1);
	}
	if (!plain)
		put_indent(out, depth);
	mm_buffer_putc(out, ']');
}

static void put_object(struct mm_buffer *out, const json_t *object, int depth)
{
	bool one_line = depth >= INNER_DEPTH && is_innermost(object), any = false;
	const char *key;
	json_t *value;

	mm_buffer_putc(out, '{');
	json_object_foreach(mm_json_each(object), key, value) {
		if (any)
			mm_buffer_puts(out, one_line ? ", " : ",");
		any = true;
		if (!one_line)
			put_indent(out, depth + 1);
		put_string(out, key);
		mm_buffer_puts(out, ": ");
		put_value(out, value, depth + 1);
	}
	if (any && !one_line)
		put_indent(out, depth);
	mm_buffer_putc(out, '}');
}

static void put_value(struct mm_buffer *out, const json_t *value, int depth)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		put_object(out, value, depth);
		break;
	case JSON_ARRAY:
		put_array(out, value, depth);
		break;
	case JSON_STRING:
		put_string(out, json_string_value(value));
		break;
	case JSON_INTEGER:
		mm_buffer_printf(out, "%lld", (long long)json_integer_value(value));
		break;
	case JSON_REAL:
		put_real(out, json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		mm_buffer_puts(out, json_is_true(value) ? "true" : "false");
		break;
	case JSON_NULL:
		mm_buffer_puts(out, "null");
		break;
	}
}

int mm_render_json(const json_t *report, struct mm_buffer *out, struct mm_error *err)
{
	(void)err;
	put_value(out, report, 0);
	mm_buffer_putc(out, '\n');
	return 0;
}

int mm_report_save(const char *path, const json_t *report, struct mm_error *err)
{
	struct mm_file_text to;
	int status = mm_file_text_begin(&to, path, err);

	if (status == 0)
		status = mm_file_text_end(&to, mm_render_json(report, &to.text, err));
	return status;
}
