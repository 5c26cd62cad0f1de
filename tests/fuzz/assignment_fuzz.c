/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an assignment and as memory budgets: an error has its text and a place inside of the input; what is
 * read can be written, and read again means the same and is written the same. */
#include <stdlib.h>
#include <string.h>

#include "assignment_tables.h"
#include "base/memory.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A message from any bytes must be fit for a terminal. */
static void check_error(sy_status status, const sy_error *error, const char *text)
{
    if (status != error->status || error->what[0] == '\0')
        abort();
    if (error->position.line > 1 || error->position.offset > strlen(text))
        abort();
    const char *const texts[] = {error->what, error->hint};
    for (size_t i = 0; i < 2; i++)
        for (const char *at = texts[i]; *at; at++)
            if ((unsigned char)*at < 0x20 || *at == 0x7f)
                abort();
}

static void check_choice(const sy_assignment_choice *choice)
{
    if (choice->device_count == 0 || choice->device_count > SY_ASSIGNMENT_DEVICES_MAX)
        abort();
    for (size_t i = 0; i < choice->device_count; i++)
        if (choice->devices[i] >= DEVICES || machine_devices[choice->devices[i]].absent)
            abort();
}

static void try_assignment(const char *text)
{
    sy_assignment *first = NULL, *second = NULL;
    char *written = NULL, *again = NULL;
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_assignment_parse(&machine, text, &first, &error);
    if (status) {
        check_error(status, &error, text);
        return;
    }
    check_choice(&first->fallback);
    for (size_t m = 0; m < MODULES; m++)
        check_choice(&first->modules[m]);
    if (sy_assignment_text(first, &written, NULL) || sy_assignment_parse(&machine, written, &second, NULL) ||
        sy_assignment_text(second, &again, NULL) || strcmp(written, again) != 0 || second->overruled_count > 0)
        abort();
    for (size_t m = 0; m < MODULES; m++)
        if (first->modules[m].device_count != second->modules[m].device_count ||
            memcmp(first->modules[m].devices, second->modules[m].devices,
                   first->modules[m].device_count * sizeof(size_t)) != 0)
            abort();
    sy_text_free(written);
    sy_text_free(again);
    sy_assignment_destroy(first);
    sy_assignment_destroy(second);
}

static void try_budgets(const char *text)
{
    sy_memory_budgets *first = NULL, *second = NULL;
    char *written = NULL;
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_memory_budgets_parse(&machine, text, &first, &error);
    if (status) {
        check_error(status, &error, text);
        return;
    }
    if (sy_memory_budgets_text(first, &written, NULL) || sy_memory_budgets_parse(&machine, written, &second, NULL))
        abort();
    for (size_t m = 0; m < MODULES; m++)
        if (first->modules[m].kind != second->modules[m].kind || first->modules[m].bytes != second->modules[m].bytes ||
            first->modules[m].stated != second->modules[m].stated ||
            (first->modules[m].kind == SY_BUDGET_OFF) != (first->modules[m].bytes == 0))
            abort();
    sy_text_free(written);
    sy_memory_budgets_destroy(first);
    sy_memory_budgets_destroy(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = sy_allocate(1, size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    try_assignment(text);
    try_budgets(text);
    sy_free(text);
    return 0;
}
