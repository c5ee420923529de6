#include "cli/text.h"

#include <string.h>

int mm_columns(const char *text, size_t length)
{
	int count = 0;
	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void mm_put_wrapped(const char *text, int at, int indent, struct mm_buffer *out)
{
	bool first = true;
	while (*text) {
		int gap = (int)strspn(text, " \n");
		const char *line_end = memchr(text, '\n', (size_t)gap);
		bool paragraph = line_end && memchr(line_end + 1, '\n', (size_t)(text + gap - line_end - 1));
		text += gap;
		int length = (int)strcspn(text, " \n"), wide = mm_columns(text, (size_t)length);
		if (!length)
			break;
		if (paragraph || (!first && at + 1 + wide > MM_WIDTH)) {
			mm_buffer_printf(out, "%s%*s", paragraph ? "\n\n" : "\n", indent, "");
			at = indent;
		} else if (!first) {
			mm_buffer_putc(out, ' ');
			at++;
		}
		mm_buffer_append(out, text, (size_t)length);
		at += wide;
		text += length;
		first = false;
	}
	mm_buffer_putc(out, '\n');
}
