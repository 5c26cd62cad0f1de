/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen: whether anything is wrong, what to run next, how much was read and where. It is markup, so that it
 * stands there before, and without, any script. */
#include <inttypes.h>

#include "report/dashboard/dashboard_words.h"
#include "report/html/html_parts.h"
#include "report/ledger/ledger_words.h"

void sy_html_put_time(sy_text *to, int64_t utc_s)
{
    char exact[SY_LEDGER_TIME_SIZE];
    char short_one[24];

    sy_text_append_format(to, "<time datetime=\"%s\">%s UTC</time>", sy_ledger_words_utc(exact, utc_s),
                          sy_dashboard_words_time(short_one, utc_s));
}

/* A sentence of words, as text. */
static void put_words(sy_text *to, void (*words)(sy_text *, const sy_dashboard *), const sy_dashboard *dashboard)
{
    sy_text raw = SY_TEXT_INIT;

    words(&raw, dashboard);
    sy_html_escape(to, sy_text_bytes(&raw));
    to->failed = to->failed || raw.failed;
    sy_text_finish(&raw);
}

static void put_state(sy_text *to, const sy_dashboard *dashboard)
{
    static const char *const signs[] = {"\xe2\x97\x8b", "\xe2\x9c\x93", "!", "?",
                                        "\xc3\x97"}; /* of sy_dashboard_state */
    const sy_dashboard_state state = sy_dashboard_state_of(dashboard);

    sy_text_append_format(to,
                          "<h2 id=\"state\"><span class=\"sign\" aria-hidden=\"true\">%s</span> <span class=\"word\">%s"
                          "</span></h2>\n<p class=\"said\">",
                          signs[state], sy_dashboard_state_word(state));
    put_words(to, sy_dashboard_words_state, dashboard);
    sy_text_append(to, "</p>\n<p class=\"progress\">");
    put_words(to, sy_dashboard_words_progress, dashboard);
    sy_text_append(to, "</p>\n");
}

static void put_next(sy_text *to, const sy_dashboard *dashboard)
{
    if (dashboard->next_count == 0)
        return;
    sy_text_append(to, "<h2>Run next</h2>\n<ol class=\"next\">\n");
    for (size_t i = 0; i < dashboard->next_count; i++) {
        sy_text_append(to, "<li><code class=\"command\">");
        sy_html_escape(to, dashboard->next[i]);
        sy_text_append(to, "</code></li>\n");
    }
    sy_text_append(to, "</ol>\n");
}

static void put_count(sy_text *to, const char *label, uint64_t count)
{
    sy_text_append_format(to, "<div><dt>%s</dt><dd>%" PRIu64 "</dd></div>\n", label, count);
}

static void put_read(sy_text *to, const sy_html_content *content)
{
    sy_text_append(to, "<h2>What was read</h2>\n<dl class=\"counts\">\n");
    put_count(to, "series", content->series_count);
    put_count(to, "points", content->point_count);
    put_count(to, "sessions", content->session_count);
    put_count(to, "runs", content->run_total);
    sy_text_append(to, "</dl>\n<p class=\"source\">");
    put_words(to, sy_dashboard_words_source, content->dashboard);
    sy_text_append(to, "</p>\n");
}

void sy_html_put_first_screen(sy_text *to, const sy_html_content *content)
{
    const sy_dashboard *dashboard = content->dashboard;

    sy_text_append_format(to, "<section id=\"first\" class=\"state-%s\" aria-label=\"Summary\">\n",
                          dashboard != NULL ? sy_dashboard_state_word(sy_dashboard_state_of(dashboard)) : "decisions");
    if (dashboard != NULL) {
        put_state(to, dashboard);
        put_next(to, dashboard);
        put_read(to, content);
        sy_text_append(to, "<noscript><p>Charts and long tables need JavaScript. <code>steelyard report --text --all"
                           "</code> prints the tables as text.</p></noscript>\n");
    }
    sy_text_append(to, "</section>\n");
}
