/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: the sessions and the courses of their figures. */
#include "report/html/html_parts.h"

sy_status sy_html_put_series(const sy_html_data *data, sy_error *err)
{
    (void)err;
    sy_json_member_null(data->json, "sessions");
    sy_json_member_null(data->json, "series");
    return SY_OK;
}
