/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: runs with a page of their own. */
#include "report/html/html_parts.h"

sy_status sy_html_put_runs(const sy_html_data *data, sy_error *err)
{
    (void)err;
    sy_json_name(data->json, "runs");
    sy_json_begin_array(data->json);
    sy_json_end_array(data->json);
    return SY_OK;
}
