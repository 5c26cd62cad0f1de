/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the checks, and says which one is to be mended first. */
#include "doctor/doctor_examination.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "identity/tree.h"
#include "record/identity.h"

static void fail(sy_doctor_examination *e)
{
    if (e->status == SY_OK)
        e->status = sy_fail(e->err, SY_NO_MEMORY, "no memory for an examination");
}

const char *sy_doctor_say(sy_doctor_examination *e, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)sy_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = sy_arena_copy_text(e->arena, text);
    if (kept == NULL)
        fail(e);
    return kept != NULL ? kept : "";
}

/* Hands what was read over to the arena. */
static const char *keep(sy_doctor_examination *e, char *text, sy_status status)
{
    const char *kept = text != NULL ? sy_arena_copy_text(e->arena, text) : NULL;
    if (status != SY_OK || (text != NULL && kept == NULL))
        fail(e);
    sy_free(text);
    return kept;
}

const char *sy_doctor_read(sy_doctor_examination *e, const char *path)
{
    char *line = NULL;
    sy_status status = sy_tree_read_line(e->root, &line, e->err, "%s", path);
    return keep(e, line, status);
}

const char *sy_doctor_read_file(sy_doctor_examination *e, const char *path)
{
    char *text = NULL;
    sy_status status = sy_tree_read(e->root, &text, e->err, "%s", path);
    return keep(e, text, status);
}

const char *sy_doctor_fact(sy_doctor_examination *e, const char *name)
{
    const char *value = sy_identity_get(e->identity, name);
    return value != NULL && strcmp(value, SY_IDENTITY_UNKNOWN) != 0 ? sy_doctor_say(e, "%s", value) : NULL;
}

double sy_doctor_processors(const sy_doctor_examination *e)
{
    return e->after.cpu_count > 0 ? (double)e->after.cpu_count : NAN;
}

static void run_judges(sy_doctor_examination *e, const sy_doctor_judge *judges, size_t count)
{
    for (size_t i = 0; i < count && e->count < SY_DOCTOR_CHECKS_MAX; i++) {
        sy_doctor_check *check = &e->checks[e->count];
        *check = (sy_doctor_check){
            .name = judges[i].name, .value = "", .figure = NAN, .unit = "", .verdict = SY_DOCTOR_UNKNOWN, .remedy = ""};
        judges[i].judge(e, check);
        if (check->sentence == NULL)
            check->sentence = "The system does not tell.";
        e->urgencies[e->count++] = judges[i].urgency;
    }
}

/* The most urgent check of a verdict, with an urgency from low to high, that something can be done about; the count
 * when there is none. */
static size_t most_urgent(const sy_doctor_examination *e, sy_doctor_verdict verdict, uint32_t low, uint32_t high)
{
    size_t found = e->count;
    for (size_t i = 0; i < e->count; i++) {
        const sy_doctor_check *check = &e->checks[i];
        if (check->verdict == verdict && check->remedy[0] != '\0' && e->urgencies[i] >= low &&
            e->urgencies[i] <= high && (found == e->count || e->urgencies[i] < e->urgencies[found]))
            found = i;
    }
    return found;
}

/* What is bad, then what may be; but the noise itself only where nothing explains it. */
static size_t find_first(const sy_doctor_examination *e)
{
    const uint32_t noise = SY_DOCTOR_URGENCY_OF_NOISE;
    const struct {
        sy_doctor_verdict verdict;
        uint32_t low;
        uint32_t high;
    } order[] = {
        {SY_DOCTOR_BAD, 1, noise - 1},  {SY_DOCTOR_LOOK, 1, noise - 1},          {SY_DOCTOR_BAD, noise, noise},
        {SY_DOCTOR_LOOK, noise, noise}, {SY_DOCTOR_LOOK, noise + 1, UINT32_MAX},
    };
    size_t first = e->count;
    for (size_t i = 0; i < sizeof order / sizeof order[0] && first == e->count; i++)
        first = most_urgent(e, order[i].verdict, order[i].low, order[i].high);
    return first;
}

static sy_doctor_verdict find_worst(const sy_doctor_examination *e)
{
    sy_doctor_verdict worst = SY_DOCTOR_UNKNOWN;
    for (size_t i = 0; i < e->count; i++) {
        const sy_doctor_verdict verdict = e->checks[i].verdict;
        if (verdict != SY_DOCTOR_UNKNOWN && (worst == SY_DOCTOR_UNKNOWN || verdict > worst))
            worst = verdict;
    }
    return worst;
}

sy_status sy_doctor_examine(sy_doctor_examination *e)
{
    sy_doctor_result *result = e->result;
    run_judges(e, sy_doctor_judges_of_load, sy_doctor_judges_of_load_count);
    run_judges(e, sy_doctor_judges_of_settings, sy_doctor_judges_of_settings_count);
    sy_doctor_check *kept = sy_arena_allocate(e->arena, e->count, sizeof *kept);
    if (kept == NULL) {
        fail(e);
        return e->status;
    }
    memcpy(kept, e->checks, e->count * sizeof *kept);
    result->checks = kept;
    result->check_count = e->count;
    result->verdict = find_worst(e);
    result->first = find_first(e);
    if (result->first < e->count)
        result->advice = sy_doctor_say(e, "%s: %s", kept[result->first].name, kept[result->first].remedy);
    return e->status;
}
