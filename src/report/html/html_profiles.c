/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: what a store keeps. */
#include "report/html/html_parts.h"

sy_status sy_html_put_profiles(const sy_html_data *data, sy_error *err)
{
    (void)err;
    sy_json_name(data->json, "profiles");
    sy_json_begin_array(data->json);
    sy_json_end_array(data->json);
    return SY_OK;
}
