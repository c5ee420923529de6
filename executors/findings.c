#include "executors/findings.h"

#include <stdarg.h>

#include "base/json.h"

const char *const mm_finding_names[] = { "ok", "note", "warning", "error", NULL };

void mm_finding_add(json_t *findings, enum mm_finding state, const char *subject, const char *advice,
		    const char *format, ...)
{
	char text[2048];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	json_t *finding = json_object();
	mm_json_put_string(finding, "subject", subject);
	mm_json_put_string(finding, "state", mm_finding_names[state]);
	mm_json_put_string(finding, "text", text);
	mm_json_put_string(finding, "advice", advice);
	json_array_append_new(findings, finding);
}

enum mm_finding mm_finding_state(const json_t *finding)
{
	const char *name = mm_json_string(finding, "state", "error");
	for (int state = MM_FINDING_OK; state < MM_FINDING_ERROR; state++)
		if (strcmp(name, mm_finding_names[state]) == 0)
			return (enum mm_finding)state;
	return MM_FINDING_ERROR;
}

enum mm_finding mm_findings_worst(const json_t *findings)
{
	enum mm_finding worst = MM_FINDING_OK;
	size_t i;
	json_t *finding;
	json_array_foreach(findings, i, finding)
	{
		enum mm_finding state = mm_finding_state(finding);
		worst = state > worst ? state : worst;
	}
	return worst;
}
