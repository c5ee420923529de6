#include "base/buffer.h"

#include <stdarg.h>

#include "base/memory.h"

enum { DRAIN_AT = 1 << 20 };

/* Makes room for MORE bytes and a NUL; before that, a buffer that drains gets rid of much. */
static void reserve(struct mm_buffer *buffer, size_t more)
{
	if (buffer->drain && buffer->length >= DRAIN_AT) {
		buffer->drain(buffer->context, buffer->data, buffer->length);
		mm_buffer_reset(buffer);
	}
	size_t wanted = buffer->length + more + 1;
	if (wanted <= buffer->capacity)
		return;
	size_t larger = buffer->capacity ? buffer->capacity * 2 : 64;
	buffer->capacity = larger > wanted ? larger : wanted;
	buffer->data = mm_realloc(buffer->data, buffer->capacity, 1);
}

void mm_buffer_append(struct mm_buffer *buffer, const void *bytes, size_t length)
{
	reserve(buffer, length);
	if (length)
		memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
}

void mm_buffer_puts(struct mm_buffer *buffer, const char *text)
{
	mm_buffer_append(buffer, text, strlen(text));
}

void mm_buffer_putc(struct mm_buffer *buffer, char byte)
{
	mm_buffer_append(buffer, &byte, 1);
}

MM_PRINTF(2, 0)
static void append_format(struct mm_buffer *buffer, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	if (length > 0) {
		reserve(buffer, (size_t)length);
		(void)vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
		buffer->length += (size_t)length;
	}
	va_end(again);
}

void mm_buffer_printf(struct mm_buffer *buffer, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	append_format(buffer, format, args);
	va_end(args);
}

void mm_buffer_reset(struct mm_buffer *buffer)
{
	buffer->length = 0;
	if (buffer->data)
		buffer->data[0] = '\0';
}

void mm_buffer_release(struct mm_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct mm_buffer)MM_BUFFER_INIT;
}

char *mm_buffer_detach(struct mm_buffer *buffer)
{
	reserve(buffer, 0);
	buffer->data[buffer->length] = '\0';
	char *text = buffer->data;
	*buffer = (struct mm_buffer)MM_BUFFER_INIT;
	return text;
}

const char *mm_buffer_text(const struct mm_buffer *buffer)
{
	return buffer->data ? buffer->data : "";
}

static void push_owned(struct mm_strings *list, char *text)
{
	list->items = mm_grow(list->items, list->count + 1, &list->capacity, sizeof *list->items);
	list->items[list->count++] = text;
	list->items[list->count] = NULL;
}

void mm_strings_push(struct mm_strings *list, const char *text)
{
	push_owned(list, mm_strdup(text));
}

void mm_strings_pushf(struct mm_strings *list, const char *format, ...)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	va_list args;
	va_start(args, format);
	append_format(&text, format, args);
	va_end(args);
	push_owned(list, mm_buffer_detach(&text));
}

void mm_strings_extend(struct mm_strings *list, const struct mm_strings *more)
{
	for (size_t i = 0; i < more->count; i++)
		mm_strings_push(list, more->items[i]);
}

void mm_strings_split(struct mm_strings *list, const char *text)
{
	static const char space[] = " \t\r\n";
	for (text += strspn(text, space); *text; text += strspn(text, space)) {
		size_t length = strcspn(text, space);
		push_owned(list, mm_strndup(text, length));
		text += length;
	}
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void mm_strings_sort(struct mm_strings *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, by_bytes);
}

bool mm_strings_contain(const struct mm_strings *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return true;
	return false;
}

char *mm_strings_join(const struct mm_strings *list, const char *separator)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			mm_buffer_puts(&text, separator);
		mm_buffer_puts(&text, list->items[i]);
	}
	return mm_buffer_detach(&text);
}

void mm_strings_release(struct mm_strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct mm_strings)MM_STRINGS_INIT;
}

bool mm_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool mm_ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length > tail && strcmp(text + length - tail, end) == 0;
}

const char *mm_next_line(const char *text)
{
	text += strcspn(text, "\n");
	return text + (*text == '\n');
}
