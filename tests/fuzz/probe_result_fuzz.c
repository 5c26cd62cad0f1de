/* SPDX-License-Identifier: Apache-2.0 */
/* A probe's result as JSON: no bytes crash its reader, and what it accepts is written and read again as the same
 * bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <steelyard/record.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int right)
{
    if (!right)
        abort();
}

static char *written(const char *json, size_t size)
{
    sy_probe_result *result = NULL;
    char *text = NULL;
    if (sy_probe_result_read_json(json, size, &result, NULL) != SY_OK)
        return NULL;
    need(sy_probe_result_to_json(result, &text, NULL) == SY_OK);
    sy_probe_result_destroy(result);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *once = written((const char *)data, size);
    if (once == NULL)
        return 0;
    char *twice = written(once, strlen(once));
    need(twice != NULL && strcmp(once, twice) == 0);
    sy_text_free(once);
    sy_text_free(twice);
    return 0;
}
