/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of JSON files, and why some are none that can be used. */
#include <math.h>
#include <stdarg.h>

#include "base/text.h"
#include "importers/import/import_json.h"
#include "record/units.h"

static void say(char to[SY_IMPORT_WHY], const char *format, ...) SY_PRINTF(2, 3);

static void say(char to[SY_IMPORT_WHY], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    sy_format_list(to, SY_IMPORT_WHY, format, arguments);
    va_end(arguments);
}

double sy_import_number(sy_import_draft *draft, const sy_json *json, const sy_json_value *value, bool may_be_negative,
                        char ret_why[SY_IMPORT_WHY])
{
    ret_why[0] = '\0';
    if (value == NULL) {
        say(ret_why, "absent");
    } else if (value->kind == SY_JSON_NULL) {
        say(ret_why, "null");
    } else if (value->kind != SY_JSON_NUMBER) {
        say(ret_why, "%s", sy_json_kind_word(value->kind));
        sy_import_reject_value(draft, json, value, "expected a number, found %s", sy_json_kind_word(value->kind));
    } else if (!isfinite(value->number)) {
        say(ret_why, "%.*s", (int)(value->text_length < 30 ? value->text_length : 30), value->text);
    } else if (value->number < 0 && !may_be_negative) {
        say(ret_why, "negative (%.*s)", (int)(value->text_length < 30 ? value->text_length : 30), value->text);
    } else {
        return value->number;
    }
    return NAN;
}

static double convert(const sy_unit *unit, double value, char why[SY_IMPORT_WHY])
{
    double converted = sy_unit_convert(unit, value);

    if (isnan(converted) && !isnan(value))
        say(why, "too large in %s", unit->unit);
    return converted;
}

size_t sy_import_samples(sy_import_draft *draft, const sy_json *json, const sy_json_value *value, const sy_unit *unit)
{
    char first_why[SY_IMPORT_WHY] = "";
    size_t first = 0;
    size_t bad = 0;
    size_t count = 0;

    if (value == NULL || value->kind == SY_JSON_NULL)
        return 0;
    if (value->kind != SY_JSON_ARRAY) {
        sy_import_reject_value(draft, json, value, "expected a list of numbers, found %s",
                               sy_json_kind_word(value->kind));
        return 0;
    }
    for (const sy_json_value *one = value->first; one != NULL; one = one->next) {
        char why[SY_IMPORT_WHY];
        double number = convert(unit, sy_import_number(draft, json, one, false, why), why);

        if (one->kind != SY_JSON_NUMBER && one->kind != SY_JSON_NULL)
            continue;
        if (isnan(number) && bad++ == 0) {
            say(first_why, "%s", why);
            first = one->index;
        }
        count += !isnan(number);
        sy_import_sample(draft, number);
    }
    if (bad > 0)
        sy_import_series_note(draft, "%zu of %zu cannot be used: the one at %zu is %s", bad, value->count, first,
                              first_why);
    return count;
}

void sy_import_figure_of(sy_import_draft *draft, const sy_json *json, const sy_json_value *object, const char *name,
                         const sy_unit *unit)
{
    const sy_json_value *value = sy_json_member(object, name);
    char why[SY_IMPORT_WHY];

    if (value == NULL)
        return;
    sy_import_figure(draft, name, unit->unit, convert(unit, sy_import_number(draft, json, value, false, why), why));
    if (why[0] != '\0' && value->kind != SY_JSON_NULL)
        sy_import_series_note(draft, "%s: %s", name, why);
}
