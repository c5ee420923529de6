#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>

#include "base/process.h"

/* Texts are one line by contract, whatever a file name or a server's answer holds. */
static void one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = ' ';
}

int(mm_error_set)(struct mm_error *err, enum mm_code code, const char *format, ...)
{
	if (err && err->code == MM_OK) {
		va_list args;
		va_start(args, format);
		(void)vsnprintf(err->text, sizeof err->text, format, args);
		va_end(args);
		one_line(err->text);
		err->code = code;
	}
	return code;
}

int(mm_error_errno)(struct mm_error *err, const char *format, ...)
{
	int saved = errno;
	char what[MM_ERROR_TEXT / 2];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(what, sizeof what, format, args);
	va_end(args);
	bool full = saved == ENOSPC || saved == EDQUOT;
	return mm_error_set(err, MM_EENV, "%s: %s%s", what, strerror(saved), full ? ": " MM_MAKE_ROOM : "");
}

int mm_error_prefix(struct mm_error *err, const char *format, ...)
{
	if (!err)
		return MM_OK;
	if (err->code == MM_OK)
		return MM_OK;
	char what[MM_ERROR_TEXT / 2];
	char old[MM_ERROR_TEXT];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(what, sizeof what, format, args);
	va_end(args);
	memcpy(old, err->text, sizeof old);
	struct mm_buffer joined = MM_BUFFER_INIT;
	mm_buffer_printf(&joined, "%s: %s", what, old);
	size_t length = joined.length < sizeof err->text ? joined.length : sizeof err->text - 1;
	memcpy(err->text, joined.data, length);
	err->text[length] = '\0';
	mm_buffer_release(&joined);
	one_line(err->text);
	return err->code;
}

void mm_error_clear(struct mm_error *err)
{
	err->code = MM_OK;
	err->text[0] = '\0';
}

int mm_error_status(enum mm_code code)
{
	switch (code) {
	case MM_OK:
		return 0;
	case MM_EREGRESSION:
		return 1;
	case MM_EUSAGE:
	case MM_EMATRIX:
		return 2;
	case MM_ECELL:
		return 3;
	case MM_EUNDECIDED:
		return 4;
	case MM_EINTERRUPTED:
		return 128 + (mm_signals_pending() ? mm_signals_pending() : SIGTERM); /* ours, or a worker's */
	case MM_EPIPE:
		return 128 + SIGPIPE; /* as programs end that do not ignore it */
	case MM_EENV:
	case MM_EINTERNAL:
		break;
	}
	return 5;
}
