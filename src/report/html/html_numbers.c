/* SPDX-License-Identifier: Apache-2.0 */
/* Long arrays of numbers in the page's data. */
#include "report/html/html_parts.h"

void sy_html_put_numbers(sy_json_writer *json, const char *name, const double *values, size_t count)
{
    sy_json_name(json, name);
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        sy_json_double(json, values[i]);
    sy_json_end_array(json);
}
