#include "executors/relay.h"

#include <errno.h>
#include <unistd.h>

#include "base/event.h"
#include "base/json.h"
#include "base/memory.h"

static int descriptor = -1;

/* Whole lines, whatever their length. Nobody reads any more: then we are about to be ended anyway. */
static void put(json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);
	char *line = text ? mm_format("%s\n", text) : mm_strdup("");
	size_t length = strlen(line);
	for (size_t done = 0; done < length;) {
		ssize_t got = write(descriptor, line + done, length - done);
		if (got < 0 && errno != EINTR)
			break;
		done += got > 0 ? (size_t)got : 0;
	}
	free(line);
	free(text);
	json_decref(json);
}

static void put_event(void *context, const struct mm_event *event)
{
	json_t *json = json_object();
	(void)context;
	mm_json_put_integer(json, "event", event->kind);
	mm_json_put_string(json, "cell", event->cell);
	mm_json_put_string(json, "stage", event->stage);
	mm_json_put_integer(json, "done", event->done);
	mm_json_put_integer(json, "total", event->total);
	mm_json_put_string(json, "text", event->text);
	put(json);
}

void mm_relay_to(int to)
{
	descriptor = to;
	mm_event_set_sink(put_event, NULL);
}

void mm_relay_end(int code, const char *text)
{
	json_t *json = json_object();
	mm_json_put_integer(json, "end", code);
	mm_json_put_string(json, "text", text);
	put(json);
}

static void emit(const json_t *json)
{
	int64_t kind = mm_json_integer(json, "event", -1);
	if (kind < MM_EVENT_BEGIN || kind > MM_EVENT_WARNING)
		return;
	mm_event_emit(&(struct mm_event){ .kind = (enum mm_event_kind)kind,
					  .cell = mm_json_string(json, "cell", NULL),
					  .stage = mm_json_string(json, "stage", NULL),
					  .done = (unsigned)mm_json_integer(json, "done", 0),
					  .total = (unsigned)mm_json_integer(json, "total", 0),
					  .text = mm_json_string(json, "text", NULL) });
}

void mm_relay_take(const char *line, struct mm_relay_end *end)
{
	json_t *json = json_loads(line, 0, NULL);
	int64_t code = mm_json_integer(json, "end", 1);
	if (code <= 0 && code >= MM_EUNDECIDED) {
		free(end->text);
		*end = (struct mm_relay_end){ .said = true,
					      .code = (int)code,
					      .text = mm_strdup(mm_json_string(json, "text", "")) };
	} else {
		emit(json);
	}
	json_decref(json);
}
