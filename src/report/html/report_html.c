/* SPDX-License-Identifier: Apache-2.0 */
/* The page for browsers as a whole: head with its Content-Security-Policy, the first screen, the data, the script. */
#include "base/base64.h"
#include "base/digest.h"
#include "base/error.h"
#include "report/dashboard/dashboard_words.h"
#include "report/html/html_parts.h"

#define PAGE_LIMIT ((size_t)256 << 20)

/* 'sha256-...' of what stands in an element, as a policy names it. */
static void put_source(sy_text *to, const unsigned char *bytes, size_t size)
{
    sy_digest digest;

    sy_digest_of(bytes, size, &digest);
    sy_text_append(to, "'sha256-");
    sy_base64_write(digest.bytes, sizeof(digest.bytes), to);
    sy_text_append(to, "'");
}

static void put_policy(sy_text *to)
{
    sy_text_append(to, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ");
    put_source(to, sy_html_script, sy_html_script_size);
    sy_text_append(to, "; style-src ");
    put_source(to, sy_html_style, sy_html_style_size);
    sy_text_append(to, "; img-src data:; base-uri 'none'; form-action 'none'\">\n");
}

static void put_title(sy_text *to, const sy_html_content *content)
{
    sy_text_append(to, "<title>");
    if (content->dashboard != NULL) {
        sy_text_append(to, sy_dashboard_state_word(sy_dashboard_state_of(content->dashboard)));
        sy_text_append(to, " - ");
    }
    sy_html_escape(to, content->title);
    sy_text_append(to, " - Steelyard</title>\n");
}

static void put_head(sy_text *to, const sy_html_content *content)
{
    sy_text_append(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put_policy(to);
    sy_text_append(to, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<meta name=\"referrer\" content=\"no-referrer\">\n"
                       "<meta name=\"generator\" content=\"");
    sy_html_escape(to, content->tool);
    sy_text_append(to, "\">\n<link rel=\"icon\" href=\"data:,\">\n");
    put_title(to, content);
    sy_text_append(to, "<style>");
    sy_text_append_bytes(to, sy_html_style, sy_html_style_size);
    sy_text_append(to, "</style>\n</head>\n");
}

static void put_body(sy_text *to, const sy_html_content *content)
{
    sy_text_append(to, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\"><div>\n"
                       "<div class=\"row\"><h1><bdi dir=\"auto\">");
    sy_html_escape(to, content->title);
    sy_text_append(to,
                   "</bdi></h1></div>\n<nav id=\"navigation\" aria-label=\"Parts of this page\" hidden></nav>\n</div>"
                   "</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    sy_html_put_first_screen(to, content);
    sy_text_append(to, "<div id=\"view\"></div>\n</main>\n<footer class=\"end\"><p>Written by ");
    sy_html_escape(to, content->tool);
    sy_text_append(to, " at ");
    sy_html_put_time(to, content->written_utc_s);
    sy_text_append(to, ". This page is one file and asks nothing of any network.</p></footer>\n");
}

/* All members of the page's data. */
static sy_status put_members(const sy_html_data *data, sy_error *err)
{
    sy_status status;

    sy_html_put_project(data);
    sy_html_put_tables(data);
    status = sy_html_put_matrix(data, err);
    if (status == SY_OK)
        status = sy_html_put_series(data, err);
    if (status == SY_OK)
        status = sy_html_put_runs(data, err);
    if (status == SY_OK)
        status = sy_html_put_decisions(data, err);
    if (status == SY_OK)
        status = sy_html_put_profiles(data, err);
    return status;
}

static sy_status collect(const sy_html_content *content, const sy_report_profiles *profiles, sy_text *json,
                         sy_error *err)
{
    sy_html_data data = {content, profiles, sy_json_writer_create(json, SY_JSON_COMPACT)};
    sy_error cause = SY_ERROR_INIT;
    sy_status status;
    sy_status ended;

    sy_json_begin_object(data.json);
    sy_json_member_text(data.json, "schema", "steelyard.page/1");
    status = put_members(&data, &cause);
    sy_json_end_object(data.json);
    ended = sy_json_writer_finish(data.json, err);
    if (status == SY_OK)
        return ended;
    if (err != NULL)
        *err = cause;
    return status;
}

sy_status sy_html_take(sy_text *page, char **ret_html, size_t *ret_size, sy_error *err)
{
    const size_t size = page->length;
    char *html;

    if (!page->failed && size >= PAGE_LIMIT) {
        sy_text_finish(page);
        (void)sy_fail(err, SY_LIMIT_EXCEEDED,
                      "the page would have %zu MiB, which is more than a browser should be given", size >> 20);
        sy_error_hint(err, "let fewer runs have a page of their own: --runs 50");
        return SY_LIMIT_EXCEEDED;
    }
    html = sy_text_take(page);
    sy_text_finish(page);
    if (html == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the page");
    *ret_html = html;
    *ret_size = size;
    return SY_OK;
}

sy_status sy_report_html(const sy_html_content *content, const sy_report_profiles *profiles, char **ret_html,
                         size_t *ret_size, sy_error *err)
{
    sy_text page = SY_TEXT_INIT;
    sy_text json = SY_TEXT_INIT;
    sy_status status = collect(content, profiles, &json, err);

    if (status == SY_OK) {
        put_head(&page, content);
        put_body(&page, content);
        status = sy_html_put_data(&page, &json, err);
    }
    sy_text_finish(&json);
    if (status == SY_OK) {
        sy_text_append(&page, "<script>");
        sy_text_append_bytes(&page, sy_html_script, sy_html_script_size);
        sy_text_append(&page, "</script>\n</body>\n</html>\n");
        status = sy_html_take(&page, ret_html, ret_size, err);
    }
    sy_text_finish(&page);
    return status;
}
