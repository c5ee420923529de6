#include "reports/plot.h"

#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "reports/text.h"

enum { LABEL_COLUMNS = 28, MOST_SVG = 4 << 20, TIMEOUT_SECONDS = 60 };

void mm_plots_init(struct mm_plots *plots)
{
	*plots = (struct mm_plots){ .script = MM_BUFFER_INIT };
}

void mm_plots_release(struct mm_plots *plots)
{
	mm_buffer_release(&plots->script);
	for (size_t i = 0; plots->svg != NULL && i < plots->count; i++)
		free(plots->svg[i]);
	free(plots->svg);
	free(plots->trouble);
	mm_plots_init(plots);
}

size_t mm_plots_begin(struct mm_plots *plots, int width, int height)
{
	mm_buffer_printf(
		&plots->script,
		"reset\nset terminal svg size %d,%d font 'sans-serif,13' noenhanced\nset output '%zu.svg'\n"
		"set border 3 lc rgb '%s' lw 0.7\nset tics nomirror out scale 0.5\nset bmargin 3.2\nset rmargin 2\n",
		width, height, plots->count, MM_PLOT_INK);
	return plots->count++;
}

/* gnuplot runs what stands in backquotes anywhere but in single quotes; what could end those is replaced. */
void mm_plots_quote(struct mm_plots *plots, const char *text)
{
	struct mm_buffer plain = MM_BUFFER_INIT;
	size_t columns = 0;

	mm_text_plain(&plain, text);
	mm_buffer_putc(&plots->script, '\'');
	for (const char *at = mm_buffer_text(&plain); *at != '\0'; at++) {
		columns += ((unsigned char)*at & 0xc0) != 0x80;
		if (columns > LABEL_COLUMNS) {
			mm_buffer_puts(&plots->script, "\xe2\x80\xa6");
			break;
		}
		mm_buffer_putc(&plots->script, strchr("'`\"\\$", *at) != NULL ? '_' : *at);
	}
	mm_buffer_putc(&plots->script, '\'');
	mm_buffer_release(&plain);
}

static void replace_all(struct mm_buffer *out, const char *text, const char *from, const char *to)
{
	const char *at;

	while ((at = strstr(text, from)) != NULL) {
		mm_buffer_append(out, text, (size_t)(at - text));
		mm_buffer_puts(out, to);
		text = at + strlen(from);
	}
	mm_buffer_puts(out, text);
}

static void replace_in(struct mm_buffer *text, const char *from, const char *to)
{
	struct mm_buffer out = MM_BUFFER_INIT;

	replace_all(&out, mm_buffer_text(text), from, to);
	mm_buffer_release(text);
	*text = out;
}

/* Removes what stands from BEGIN to END, both included, once. */
static void cut(struct mm_buffer *text, const char *begin, const char *end)
{
	const char *from = strstr(mm_buffer_text(text), begin),
		   *to = from != NULL ? strstr(from + strlen(begin), end) : NULL;
	struct mm_buffer out = MM_BUFFER_INIT;

	if (to == NULL)
		return;
	mm_buffer_append(&out, mm_buffer_text(text), (size_t)(from - mm_buffer_text(text)));
	mm_buffer_puts(&out, to + strlen(end));
	mm_buffer_release(text);
	*text = out;
}

/*
 * What makes a file of gnuplot's an element of an HTML page: no prologue, no name spaces (HTML knows them), ink in the
 * page's own colour, and the point shapes only once, since their ids would repeat.
 */
static char *inline_svg(struct mm_buffer *file, bool keep_shapes)
{
	cut(file, "<?xml", "?>");
	cut(file, "xmlns=\"", "\"");
	cut(file, "xmlns:xlink=\"", "\"");
	cut(file, "<title>", "</title>");
	cut(file, "<desc>", "</desc>");
	cut(file, "<filter id='textbox'", "</filter>");
	cut(file, "<filter id='greybox'", "</filter>");
	if (!keep_shapes)
		cut(file, "<defs>", "</defs>");
	replace_in(file, "xlink:href", "href");
	replace_in(file, "'black'", "'currentColor'");
	replace_in(file, "\"black\"", "\"currentColor\"");
	replace_in(file, "rgb(  0,   0,   0)", "currentColor");
	replace_in(file, "rgb(0,0,0)", "currentColor");
	replace_in(file,
		   "<g fill=\"none\" color=\"currentColor\" stroke=\"currentColor\" stroke-width=\"1.00\" "
		   "stroke-linecap=\"butt\" stroke-linejoin=\"miter\">\n</g>\n",
		   "");
	return mm_buffer_detach(file);
}

static char *make_folder(void)
{
	char *folder = mm_path_join(mm_fs_scratch(), "mymatrix-plots-XXXXXX");

	if (mkdtemp(folder) == NULL) {
		free(folder);
		return NULL;
	}
	return folder;
}

/* Runs gnuplot on the script, which lies in FOLDER. Returns why it failed (allocated), NULL when it did not. */
static char *run_gnuplot(const char *folder, const struct mm_buffer *script)
{
	char *path = mm_path_join(folder, "script.gp");
	char *argv[] = { mm_strdup("gnuplot"), mm_strdup("-d"), mm_strdup(path), NULL }; /* -d: no start-up files */
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_spec spec = {
		.argv = argv, .cwd = folder, .output = &output, .timeout_seconds = TIMEOUT_SECONDS
	};
	struct mm_process_result result;
	struct mm_error err = MM_ERROR_INIT;
	char text[64], *trouble = NULL;

	if (mm_fs_write_atomic(path, mm_buffer_text(script), script->length, &err) != 0 ||
	    mm_process_run(&spec, &result, &err) != 0)
		trouble = mm_strdup(err.text);
	else if (result.exit_status != 0)
		trouble = mm_format("gnuplot failed: %s", mm_process_describe(&result, text));
	for (size_t i = 0; i < 3; i++)
		free(argv[i]);
	mm_buffer_release(&output);
	free(path);
	return trouble;
}

static void load(struct mm_plots *plots, const char *folder)
{
	bool first = true;

	plots->svg = mm_calloc(plots->count + 1, sizeof(*plots->svg));
	for (size_t i = 0; i < plots->count; i++) {
		struct mm_buffer file = MM_BUFFER_INIT;
		char *path = mm_format("%s/%zu.svg", folder, i);

		if (mm_fs_read(path, MOST_SVG, &file, NULL) == 0 && strstr(mm_buffer_text(&file), "</svg>") != NULL) {
			plots->svg[i] = inline_svg(&file, first);
			first = false;
		}
		mm_buffer_release(&file);
		free(path);
	}
}

void mm_plots_draw(struct mm_plots *plots)
{
	char *program, *folder;

	if (plots->count == 0)
		return;
	program = mm_fs_find_program("gnuplot");
	if (program == NULL) {
		plots->trouble = mm_strdup("gnuplot was not found on this machine");
		return;
	}
	free(program);
	folder = make_folder();
	if (folder == NULL) {
		plots->trouble = mm_strdup("no temporary folder could be made for gnuplot");
		return;
	}
	mm_buffer_puts(&plots->script, "unset output\n");
	plots->trouble = run_gnuplot(folder, &plots->script);
	if (plots->trouble == NULL)
		load(plots, folder);
	mm_fs_remove_tree(folder, NULL);
	free(folder);
}

void mm_plots_put(const struct mm_plots *plots, size_t number, const char *alt, struct mm_buffer *out)
{
	const char *svg = plots->svg != NULL && number < plots->count ? plots->svg[number] : NULL;

	svg = svg != NULL ? strstr(svg, "<svg") : NULL;
	if (svg == NULL)
		return;
	mm_buffer_puts(out, "<svg role=\"img\" aria-label=\"");
	mm_text_xml(out, alt);
	mm_buffer_putc(out, '"');
	mm_buffer_puts(out, svg + strlen("<svg"));
}
