#include "reports/text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The length of a control character at TEXT: one byte of ASCII, or the two bytes of U+0080 … U+009F. 0: none. */
static size_t control_at(const char *text)
{
	unsigned char first = (unsigned char)text[0], second = first != '\0' ? (unsigned char)text[1] : '\0';

	if (first < 0x20 || first == 0x7f)
		return 1;
	return first == 0xc2 && second >= 0x80 && second <= 0x9f ? 2 : 0;
}

/* Walks TEXT; REPLACE gives what stands for a byte, NULL for the byte itself. */
static void escape(struct mm_buffer *out, const char *text, const char *(*replace)(char byte))
{
	while (*text != '\0') {
		size_t control = control_at(text);
		const char *instead = control > 0 ? "?" : replace(*text);

		if (instead != NULL)
			mm_buffer_puts(out, instead);
		else
			mm_buffer_putc(out, *text);
		text += control > 0 ? control : 1;
	}
}

static const char *plain(char byte)
{
	(void)byte;
	return NULL;
}

static const char *xml(char byte)
{
	switch (byte) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static const char *markdown(char byte)
{
	switch (byte) {
	case '|':
		return "\\|";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '\\':
		return "\\\\";
	case '`':
		return "\\`";
	case '*':
		return "\\*";
	case '_':
		return "\\_";
	case '[':
		return "\\[";
	case ']':
		return "\\]";
	default:
		return NULL;
	}
}

void mm_text_plain(struct mm_buffer *out, const char *text)
{
	escape(out, text, plain);
}

void mm_text_xml(struct mm_buffer *out, const char *text)
{
	escape(out, text, xml);
}

void mm_text_markdown(struct mm_buffer *out, const char *text)
{
	escape(out, text, markdown);
}

void mm_text_csv(struct mm_buffer *out, const char *text)
{
	bool quote = strpbrk(text, ",\"\r\n") != NULL || text[0] == ' ';

	if (quote)
		mm_buffer_putc(out, '"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			mm_buffer_putc(out, '"');
		mm_buffer_putc(out, *text);
	}
	if (quote)
		mm_buffer_putc(out, '"');
}

size_t mm_text_columns(const char *text)
{
	size_t columns = 0;

	for (; *text != '\0'; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

void mm_text_wrap(struct mm_buffer *out, const char *text, size_t width, size_t indent)
{
	size_t column = 0;
	bool first = true;

	while (*text != '\0') {
		size_t length = strcspn(text, " ");
		struct mm_buffer word = MM_BUFFER_INIT;
		char *raw;

		mm_buffer_append(&word, text, length);
		raw = mm_buffer_detach(&word);
		mm_text_plain(&word, raw);
		free(raw);
		if (!first && column + 1 + mm_text_columns(mm_buffer_text(&word)) > width) {
			mm_buffer_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			mm_buffer_putc(out, ' ');
			column++;
		}
		mm_buffer_puts(out, mm_buffer_text(&word));
		column += mm_text_columns(mm_buffer_text(&word));
		mm_buffer_release(&word);
		first = false;
		text += length;
		text += strspn(text, " ");
	}
	mm_buffer_putc(out, '\n');
}

const char *mm_text_figure(const json_t *value, char text[MM_FIGURE])
{
	double number = json_number_value(value);

	if (!json_is_number(value))
		snprintf(text, MM_FIGURE, "-");
	else if (fabs(number) >= 1e9 || (number != 0 && fabs(number) < 0.001))
		snprintf(text, MM_FIGURE, "%.3g", number);
	else
		snprintf(text, MM_FIGURE, "%.*f",
			 fabs(number) >= 1e5   ? 0
			 : fabs(number) >= 1e4 ? 1
			 : fabs(number) >= 1   ? 2
					       : 4,
			 number);
	return text;
}

const char *mm_text_percent(const json_t *value, char text[MM_FIGURE])
{
	double number = json_number_value(value);

	if (!json_is_number(value))
		snprintf(text, MM_FIGURE, "-");
	else if (fabs(number) < 0.005) /* no "-0.00%" */
		snprintf(text, MM_FIGURE, "0.00%%");
	else
		snprintf(text, MM_FIGURE, fabs(number) >= 1e5 ? "%+.2g%%" : "%+.2f%%", number);
	return text;
}

const char *mm_text_interval(const json_t *interval, char text[MM_FIGURE])
{
	double low = json_number_value(json_array_get(interval, 0)),
	       high = json_number_value(json_array_get(interval, 1));
	int digits = fmax(fabs(low), fabs(high)) < 100 ? 2 : 0;

	if (json_array_size(interval) != 2 || !json_is_number(json_array_get(interval, 0)) ||
	    !json_is_number(json_array_get(interval, 1)))
		snprintf(text, MM_FIGURE, "-");
	else if (fmax(fabs(low), fabs(high)) >= 1e5)
		snprintf(text, MM_FIGURE, "%+.2g to %+.2g", low, high);
	else
		snprintf(text, MM_FIGURE, "%+.*f to %+.*f", digits, low + 0.0, digits, high + 0.0);
	return text;
}

const char *mm_text_p(const json_t *value, char text[MM_FIGURE])
{
	if (!json_is_number(value))
		snprintf(text, MM_FIGURE, "-");
	else
		snprintf(text, MM_FIGURE, json_number_value(value) < 0.0001 ? "%.1e" : "%.4f",
			 json_number_value(value));
	return text;
}
