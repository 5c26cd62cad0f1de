/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: whose page it is, when and where it was read, and how much there is. */
#include "report/dashboard/dashboard_words.h"
#include "report/html/html_parts.h"

static void put_head(sy_json_writer *json, const sy_dashboard *dashboard)
{
    sy_json_name(json, "head");
    if (dashboard == NULL || !dashboard->has_ledger) {
        sy_json_null(json);
        return;
    }
    sy_json_begin_object(json);
    sy_json_member_u64(json, "number", dashboard->head.number);
    sy_json_member_text(json, "digest", dashboard->head.digest);
    sy_json_member_text(json, "ledger", dashboard->head.ledger);
    sy_json_end_object(json);
}

static void put_counts(const sy_html_data *data)
{
    const sy_html_content *content = data->content;

    sy_json_name(data->json, "counts");
    sy_json_begin_object(data->json);
    sy_json_member_u64(data->json, "series", content->series_count);
    sy_json_member_u64(data->json, "points", content->point_count);
    sy_json_member_u64(data->json, "sessions", content->session_count);
    sy_json_member_u64(data->json, "runs", content->run_total);
    sy_json_member_u64(data->json, "run_pages", content->run_count);
    sy_json_end_object(data->json);
}

void sy_html_put_project(const sy_html_data *data)
{
    const sy_dashboard *dashboard = data->content->dashboard;

    sy_json_member_text(data->json, "project", data->content->title);
    sy_json_member_text(data->json, "tool", data->content->tool);
    sy_json_member_i64(data->json, "written", data->content->written_utc_s);
    put_head(data->json, dashboard);
    sy_json_member_text(data->json, "state",
                        dashboard != NULL ? sy_dashboard_state_word(sy_dashboard_state_of(dashboard)) : NULL);
    put_counts(data);
}
