/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel Tuner writes its cache entry by entry and closes the two objects last: a file of a session that runs, or was
 * killed, ends behind an entry. Such a text, closed, is parsed again. */
#include "importers/unclosed.h"

#include <string.h>

#include "base/error.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static sy_status parse_closed(const char *text, size_t size, const sy_json_limits *limits, sy_json **ret_json)
{
    sy_text closed = SY_TEXT_INIT;
    sy_status status = SY_CORRUPT;

    while (size > 0 && is_space(text[size - 1]))
        size--;
    if (size > 0 && text[size - 1] == ',')
        size--;
    sy_text_append_bytes(&closed, text, size);
    for (int brackets = 1; brackets <= 2 && status == SY_CORRUPT; brackets++) {
        sy_text_append(&closed, "}");
        status = closed.failed ? SY_NO_MEMORY : sy_json_parse(closed.bytes, closed.length, limits, ret_json, NULL);
    }
    sy_text_finish(&closed);
    return status;
}

sy_status sy_json_parse_unclosed(const char *text, size_t size, const sy_json_limits *limits,
                                 bool (*may)(const sy_json *json), sy_json **ret_json, bool *ret_unclosed,
                                 sy_error *err)
{
    sy_error wrong = SY_ERROR_INIT;
    sy_json *json = NULL;
    sy_status status = sy_json_parse(text, size, limits, &json, &wrong);
    uint64_t at = wrong.position.offset;

    *ret_unclosed = false;
    while (size > 0 && is_space(text[size - 1]))
        size--;
    if (status == SY_CORRUPT && at >= size) {
        sy_status again = parse_closed(text, size, limits, &json);

        if (again == SY_OK && !may(json)) {
            sy_json_destroy(json);
            json = NULL;
        } else if (again == SY_OK || again == SY_NO_MEMORY) {
            status = again;
        }
        *ret_unclosed = status == SY_OK;
    }
    if (status == SY_NO_MEMORY)
        sy_fail(&wrong, SY_NO_MEMORY, "no memory for %zu bytes of JSON", size);
    if (status == SY_CORRUPT && strstr(text, "\"cache\"") != NULL &&
        (at >= size || memchr(text + at, '\n', size - at) == NULL))
        sy_error_hint(&wrong, "the file ends inside of an entry: take what stands behind the last '},' away");
    if (status == SY_OK)
        *ret_json = json;
    else if (err != NULL)
        *err = wrong;
    return status;
}
