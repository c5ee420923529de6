#include "matrix/words.h"

#include "base/nearest.h"

void mm_clean_into(const char *text, char *out, size_t size)
{
	static const char more[] = "\xe2\x80\xa6"; /* an ellipsis */
	size_t length = strlen(text);
	size_t keep = length < size ? length : size - sizeof more;
	if (keep < length) /* not in the middle of a character */
		while (keep && ((unsigned char)text[keep] & 0xc0) == 0x80)
			keep--;
	for (size_t i = 0; i < keep; i++)
		out[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
	if (keep < length) {
		memcpy(out + keep, more, sizeof more);
	} else {
		out[keep] = '\0';
	}
}

struct mm_words mm_clean(const char *text)
{
	struct mm_words words = { .text = "" };
	mm_clean_into(text, words.text, sizeof words.text);
	return words;
}

struct mm_words mm_found(const json_t *value)
{
	struct mm_words words = { "nothing" };
	switch (value ? json_typeof(value) : JSON_NULL) {
	case JSON_STRING:
		(void)snprintf(words.text, sizeof words.text, "the string '%.80s'",
			       mm_clean(json_string_value(value)).text);
		break;
	case JSON_INTEGER:
		(void)snprintf(words.text, sizeof words.text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		(void)snprintf(words.text, sizeof words.text, "%.12g", json_real_value(value));
		if (words.text[strspn(words.text, "-0123456789")] == '\0')
			(void)snprintf(words.text, sizeof words.text, "%.1f", json_real_value(value));
		break;
	case JSON_OBJECT:
		return mm_clean(json_object_size(value) ? "an object" : "an empty object");
	case JSON_ARRAY:
		return mm_clean(json_array_size(value) ? "a list" : "an empty list");
	case JSON_TRUE:
		return mm_clean("true");
	case JSON_FALSE:
		return mm_clean("false");
	case JSON_NULL:
		if (value)
			return mm_clean("null");
		break;
	}
	return words;
}

struct mm_hint mm_hint(const char *wrong, struct mm_strings *known)
{
	struct mm_hint hint = { " (there is none)" };
	const char *nearest = mm_nearest(wrong, known);
	if (nearest) {
		(void)snprintf(hint.text, sizeof hint.text, " (did you mean '%s'?)", nearest);
	} else if (known->count) {
		struct mm_buffer list = MM_BUFFER_INIT;
		size_t shown = 0;
		while (shown < known->count && list.length + strlen(known->items[shown]) < 180) {
			mm_buffer_printf(&list, "%s%s", shown ? ", " : "", known->items[shown]);
			shown++;
		}
		hint.text[0] = '\0';
		if (shown)
			(void)snprintf(hint.text, sizeof hint.text, " (known: %s%s)", mm_buffer_text(&list),
				       shown < known->count ? ", ..." : "");
		mm_buffer_release(&list);
	}
	mm_strings_release(known);
	return hint;
}
