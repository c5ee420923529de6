/*
 * One style sheet, nothing from elsewhere. Light and dark follow the reader's system. The widest table, with two
 * verdicts in a row, fits from 930 px on; below that a table's rows become blocks, each cell with its column's name
 * (data-c).
 */
#include "reports/html.h"

static const char style[] =
	"<style>\n"
	":root{color-scheme:light "
	"dark;--ink:#1c2024;--dim:#5b6470;--page:#fff;--line:#d5dae0;--soft:#f3f5f7;--good:#12703f;"
	"--bad:#b3261e}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--dim:#a2abb6;--page:#14171a;--line:#353c44;--soft:#"
	"1d2226;"
	"--good:#5fd39a;--bad:#ff8f85}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;max-width:72rem;padding:1rem;color:var(--ink);background:var(--page);"
	"font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
	"h1{font-size:1.5rem;margin:.2em 0}h2{font-size:1.2rem;margin:2em 0 .4em;border-top:1px solid "
	"var(--line);padding-top:1em}\n"
	"h3{font-size:1rem;margin:1.4em 0 .3em}\n"
	".dim{color:var(--dim)}.say{background:var(--soft);border-left:4px solid var(--dim);padding:.7rem "
	"1rem;margin:.8rem 0}\n"
	"table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}\n"
	"th,td{text-align:left;padding:.3rem .4rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
	"tbody th,tfoot th{min-width:8rem;overflow-wrap:anywhere}td code{overflow-wrap:anywhere}thead "
	"th{color:var(--dim);font-weight:600;white-space:normal!important}.n{text-align:right;white-space:nowrap}tfoot "
	"th,tfoot td{font-weight:700}\n"
	".faster{color:var(--good);font-weight:600}.slower{color:var(--bad);font-weight:600}.open,.faster,.slower{white-space:nowrap}\n"
	"code{font:.85em/1.4 ui-monospace,monospace}pre{white-space:pre-wrap;font:.85rem/1.4 ui-monospace,monospace}\n"
	"svg{max-width:100%;height:auto;display:block}.passes{display:grid;gap:.5rem;"
	"grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr))}\n"
	"summary{cursor:pointer;padding:.3rem 0}.scroll{overflow-x:auto}\n"
	"@media(max-width:1080px){table{font-size:.8rem}th,td{padding:.3rem .25rem}tbody th,tfoot th{min-width:6rem}}\n"
	"@media(max-width:930px){table{font-size:.9rem}table.cards thead{display:none}\n"
	"table.cards,table.cards tbody,table.cards tfoot,table.cards tr,table.cards td,table.cards "
	"th{display:block;text-align:left;"
	"border:0;padding:.05rem 0}\n"
	"table.cards tr{border-bottom:1px solid var(--line);padding:.5rem 0}\n"
	"table.cards td::before{content:attr(data-c);display:inline-block;width:9.5rem;color:var(--dim)}}\n"
	"@media(max-width:600px){body{padding:.6rem}}\n"
	"@media print{details{display:block}body{max-width:none}}\n"
	"</style>\n";

void mm_html_style(struct mm_buffer *out)
{
	mm_buffer_puts(out, style);
}
