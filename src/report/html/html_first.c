/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen: whether anything is wrong, what to run next, how much was read and where. It is markup, so that it
 * stands there before, and without, any script. */
#include <inttypes.h>
#include <string.h>

#include "report/dashboard/dashboard_words.h"
#include "report/html/html_parts.h"
#include "report/ledger/ledger_words.h"
#include "report/probe/probe_words.h"

void sy_html_put_time(sy_text *to, int64_t utc_s)
{
    char exact[SY_LEDGER_TIME_SIZE];
    char minute[24];

    sy_text_append_format(to, "<time datetime=\"%s\">%s UTC</time>", sy_ledger_words_utc(exact, utc_s),
                          sy_dashboard_words_time(minute, utc_s));
}

/* What was put together, as text. */
static void put_escaped(sy_text *to, sy_text *raw)
{
    sy_html_escape(to, sy_text_bytes(raw));
    to->failed = to->failed || raw->failed;
    sy_text_finish(raw);
}

static void put_words(sy_text *to, void (*words)(sy_text *, const sy_dashboard *), const sy_dashboard *dashboard)
{
    sy_text raw = SY_TEXT_INIT;

    words(&raw, dashboard);
    put_escaped(to, &raw);
}

/* ---- a project's ---- */

/* The sentence without the word that it begins with, which stands before it. */
static void put_said(sy_text *to, const sy_dashboard *dashboard)
{
    sy_text raw = SY_TEXT_INIT;
    const char *said;

    sy_dashboard_words_state(&raw, dashboard);
    said = sy_text_bytes(&raw);
    if (sy_dashboard_state_of(dashboard) >= SY_DASHBOARD_FINDINGS && strstr(said, ": ") != NULL)
        said = strstr(said, ": ") + 2;
    sy_html_escape(to, said);
    to->failed = to->failed || raw.failed;
    sy_text_finish(&raw);
}

/* The run whose verdict comes first: its id, which the script makes a link, and what was said of it. */
static void put_judged(sy_text *to, const sy_run *run)
{
    sy_text raw = SY_TEXT_INIT;
    const char *said;

    sy_dashboard_words_verdict(&raw, run);
    said = sy_text_bytes(&raw);
    sy_text_append(to, "<p>Judged: <span data-run=\"");
    sy_html_escape(to, run->row.id);
    sy_text_append(to, "\">");
    sy_html_escape(to, run->row.id);
    sy_text_append(to, "</span>");
    sy_html_escape(to, sy_text_begins(said, run->row.id) ? said + strlen(run->row.id) : "");
    sy_text_append(to, ".</p>\n");
    to->failed = to->failed || raw.failed;
    sy_text_finish(&raw);
}

static void put_state(sy_text *to, const sy_dashboard *dashboard)
{
    static const char *const signs[] = {"\xe2\x97\x8b", "\xe2\x9c\x93", "!", "?", "\xc3\x97"}; /* of the state */
    const sy_dashboard_state state = sy_dashboard_state_of(dashboard);

    sy_text_append_format(
        to,
        "<div class=\"verdict\">\n<h2><span class=\"chip\"><span class=\"sign\" aria-hidden=\"true\">%s"
        "</span>%s</span> ",
        signs[state], sy_dashboard_state_word(state));
    put_said(to, dashboard);
    sy_text_append(to, ".</h2>\n<p>");
    put_words(to, sy_dashboard_words_progress, dashboard);
    sy_text_append(to, ".</p>\n");
    if (dashboard->judged != NULL)
        put_judged(to, dashboard->judged);
    sy_text_append(to, "</div>\n");
}

static void put_next(sy_text *to, const sy_dashboard *dashboard)
{
    sy_text_append(to, "<div>\n<h2>Run next</h2>\n");
    if (dashboard->next_count == 0) {
        sy_text_append(to, "<p>Nothing has to be run.</p>\n</div>\n");
        return;
    }
    sy_text_append(to, "<ol class=\"next\">\n");
    for (size_t i = 0; i < dashboard->next_count; i++) {
        sy_text_append(to, "<li><code class=\"command\">");
        sy_html_escape(to, dashboard->next[i]);
        sy_text_append(to, "</code></li>\n");
    }
    sy_text_append(to, "</ol>\n</div>\n");
}

static void put_count(sy_text *to, const char *label, uint64_t count)
{
    sy_text_append_format(to, "<div><dt>%s</dt><dd>%" PRIu64 "</dd></div>\n", label, count);
}

static void put_read(sy_text *to, const sy_html_content *content)
{
    sy_text_append(to, "<div>\n<h2>What was read</h2>\n<dl class=\"counts\">\n");
    put_count(to, "series", content->series_count);
    put_count(to, "points", content->point_count);
    put_count(to, "sessions", content->session_count);
    put_count(to, "runs", content->run_total);
    sy_text_append(to, "</dl>\n<p class=\"note\">");
    put_words(to, sy_dashboard_words_source, content->dashboard);
    sy_text_append(to, ".</p>\n</div>\n");
}

static void put_project(sy_text *to, const sy_html_content *content)
{
    put_state(to, content->dashboard);
    sy_text_append(to, "<div class=\"first-parts\">\n");
    put_next(to, content->dashboard);
    put_read(to, content);
    sy_text_append(to,
                   "</div>\n<noscript><p>Charts and tables need JavaScript. Their rows as text: <code>steelyard report "
                   "--text --all</code></p></noscript>\n");
}

/* ---- decisions alone ---- */

static const char *tone_of(const sy_html_content *content)
{
    if (content->decision_count == 0)
        return "empty";
    switch (sy_probe_tone(content->decisions[0].result->decision)) {
    case SY_TONE_GOOD:
        return "pass";
    case SY_TONE_BAD:
        return "block";
    default:
        return "investigate";
    }
}

static void put_decision(sy_text *to, const sy_probe_result *result)
{
    sy_text raw = SY_TEXT_INIT;

    sy_text_append(to, "<div class=\"verdict\">\n<h2>");
    sy_probe_words_headline(result, &raw);
    put_escaped(to, &raw);
    sy_text_append(to, "</h2>\n<p>");
    raw = (sy_text)SY_TEXT_INIT;
    sy_probe_words_finding(result, &raw);
    put_escaped(to, &raw);
    sy_text_append(to, "</p>\n</div>\n");
}

static void put_decisions(sy_text *to, const sy_html_content *content)
{
    for (size_t i = 0; i < content->decision_count; i++)
        put_decision(to, content->decisions[i].result);
    if (content->decision_count == 0)
        sy_text_append(to, "<div class=\"verdict\"><h2>Nothing was decided.</h2></div>\n");
    sy_text_append(to, "<noscript><p>Charts and tables need JavaScript.</p></noscript>\n");
}

void sy_html_put_first_screen(sy_text *to, const sy_html_content *content)
{
    const sy_dashboard *dashboard = content->dashboard;

    sy_text_append_format(to, "<section id=\"first\" class=\"state-%s\" aria-label=\"Summary\">\n",
                          dashboard != NULL ? sy_dashboard_state_word(sy_dashboard_state_of(dashboard))
                                            : tone_of(content));
    if (dashboard != NULL)
        put_project(to, content);
    else
        put_decisions(to, content);
    sy_text_append(to, "</section>\n");
}
