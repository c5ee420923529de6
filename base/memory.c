#include "base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

void mm_out_of_memory(void)
{
	static const char text[] = "mymatrix: out of memory: free some or run fewer jobs, then run again: finished work is kept\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
	(void)ignored;
	_exit(5);
}

void mm_end_if_exhausted(int why)
{
	static const char text[] = "mymatrix: too many open files: raise 'ulimit -n' or run fewer jobs, then run "
				   "again: finished work is kept\n";
	if (why == ENOMEM)
		mm_out_of_memory();
	if (why != EMFILE && why != ENFILE)
		return;
	ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
	(void)ignored;
	_exit(5);
}

void *mm_calloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);
	if (!memory)
		mm_out_of_memory();
	return memory;
}

void *mm_alloc(size_t size)
{
	return mm_calloc(1, size);
}

void *mm_realloc(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		mm_out_of_memory();
	size_t bytes = count * size;
	void *memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		mm_out_of_memory();
	return memory;
}

char *mm_strndup(const char *text, size_t length)
{
	if (!text)
		return NULL;
	char *copy = mm_realloc(NULL, length + 1, 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *mm_strdup(const char *text)
{
	return text ? mm_strndup(text, strlen(text)) : NULL;
}

char *mm_format(const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		mm_out_of_memory();
	char *text = mm_realloc(NULL, (size_t)length + 1, 1);
	(void)vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void *mm_grow(void *vector, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return vector;
	size_t larger = *capacity ? *capacity * 2 : 8;
	*capacity = larger > count ? larger : count + 1;
	return mm_realloc(vector, *capacity, size);
}
