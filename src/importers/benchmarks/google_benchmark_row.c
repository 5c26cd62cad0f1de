/* SPDX-License-Identifier: Apache-2.0 */
/* One benchmark of google-benchmark: its name's parameters, its repetitions, times and counters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "importers/benchmarks/google_benchmark.h"
#include "record/units.h"

/* Members of an entry that are no counters. */
static const char *const known_members[] = {"name",
                                            "family_index",
                                            "per_family_instance_index",
                                            "run_name",
                                            "run_type",
                                            "repetitions",
                                            "threads",
                                            "iterations",
                                            "repetition_index",
                                            "time_unit",
                                            "label",
                                            "error_occurred",
                                            "error_message",
                                            "skipped",
                                            "skip_message",
                                            "aggregate_name",
                                            "big_o",
                                            "rms",
                                            "aggregate_unit",
                                            "cpu_coefficient",
                                            "real_coefficient",
                                            NULL};

/* What the tool is known to count, and in which unit. Every other counter is a number, better when lower as far as
 * anybody knows, but for names that say that they are rates. */
static const struct {
    const char *name;
    const char *unit;
    bool higher_is_better;
    bool may_be_negative;
} counters[] = {
    {"items_per_second", "1/s", true, false},  {"bytes_per_second", "bytes/s", true, false},
    {"max_bytes_used", "bytes", false, false}, {"total_allocated_bytes", "bytes", false, false},
    {"net_heap_growth", "bytes", false, true}, {"allocs_per_iter", "", false, false},
};

static const sy_json_value *entry_at(const sy_google *google, size_t i)
{
    return ((const sy_json_value **)google->entries.items)[i];
}

static bool is_time(const char *name)
{
    return strcmp(name, "real_time") == 0 || strcmp(name, "cpu_time") == 0;
}

static bool is_known(const sy_json_value *member)
{
    for (size_t i = 0; known_members[i] != NULL; i++) {
        if (strlen(known_members[i]) == member->name_length && strcmp(known_members[i], member->name) == 0)
            return true;
    }
    return false;
}

static bool is_true(const sy_json_value *entry, const char *name)
{
    const sy_json_value *value = sy_json_member(entry, name);

    return value != NULL && value->kind == SY_JSON_TRUE;
}

/* "key:value" between slashes: an argument with a name. */
static void read_name_part(sy_import_draft *draft, const char *part, size_t length)
{
    const char *colon = memchr(part, ':', length);
    size_t name_length = colon != NULL ? (size_t)(colon - part) : 0;

    if (name_length == 0 || name_length + 1 == length || memchr(colon + 1, ':', length - name_length - 1) != NULL ||
        memchr(part, '<', length) != NULL || memchr(part, '(', length) != NULL ||
        (name_length == 7 && memcmp(part, "threads", 7) == 0))
        return;
    sy_import_row_parameter(draft, sy_import_copy(draft, part, name_length),
                            sy_import_copy(draft, colon + 1, length - name_length - 1));
}

static void read_name(sy_google *google, const char *name)
{
    const char *slash = strchr(name, '/');
    const char *threads = sy_import_words(google->draft, google->json, sy_json_member(entry_at(google, 0), "threads"));

    while (slash != NULL) {
        const char *next = strchr(slash + 1, '/');

        read_name_part(google->draft, slash + 1, next != NULL ? (size_t)(next - slash - 1) : strlen(slash + 1));
        slash = next;
    }
    if (threads != NULL)
        sy_import_row_parameter(google->draft, "threads", threads);
}

/* Whether an entry is of no use: the tool says so, or it ran nothing. Its figures are 0 then, and mean nothing. */
static bool has_failed(const sy_json_value *entry)
{
    const sy_json_value *iterations = sy_json_member(entry, "iterations");

    return is_true(entry, "error_occurred") || is_true(entry, "skipped") ||
           (iterations != NULL && iterations->kind == SY_JSON_NUMBER && !(iterations->number > 0));
}

static void read_failure(sy_google *google, size_t i)
{
    sy_import_draft *draft = google->draft;
    const sy_json_value *entry = entry_at(google, i);
    bool error = is_true(entry, "error_occurred");
    const char *message;
    char which[40] = "";

    if (!has_failed(entry))
        return;
    if (google->entries.count > 1)
        (void)snprintf(which, sizeof which, " (repetition %zu)", i);
    if (!error && !is_true(entry, "skipped")) {
        sy_import_row_fail(draft, "iterations: %.17g%s", sy_json_member(entry, "iterations")->number, which);
        return;
    }
    message = sy_import_text(draft, google->json, entry, error ? "error_message" : "skip_message");
    sy_import_row_fail(draft, "%s: %s%s", error ? "error_occurred" : "skipped", message, which);
}

/* One number of an entry in its unit here, or NaN and why. */
static double read_metric(sy_google *google, const sy_json_value *member, bool may_be_negative, char why[SY_IMPORT_WHY])
{
    const sy_json_value *entry = member->parent;
    const char *unit_name = is_time(member->name) ? sy_import_text(google->draft, google->json, entry, "time_unit")
                                                  : NULL;
    const sy_unit *unit = unit_name != NULL ? sy_unit_of(unit_name) : NULL;
    double value = sy_import_number(google->draft, google->json, member, may_be_negative, why);

    if (unit_name == NULL || isnan(value))
        return value;
    if (unit == NULL || strcmp(unit->unit, "s") != 0) {
        (void)sy_text_copy(why, SY_IMPORT_WHY, "in a unit that is not known");
        return NAN;
    }
    value = sy_unit_convert(unit, value);
    if (isnan(value))
        (void)sy_text_copy(why, SY_IMPORT_WHY, "too large in seconds");
    return value;
}

static void begin_series(sy_google *google, const char *name, bool *ret_may_be_negative)
{
    const char *unit = is_time(name) ? "s" : "";
    bool higher = sy_text_ends(name, "_per_second");

    *ret_may_be_negative = !is_time(name);
    if (higher)
        unit = "1/s";
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        if (strcmp(counters[i].name, name) == 0) {
            unit = counters[i].unit;
            higher = counters[i].higher_is_better;
            *ret_may_be_negative = counters[i].may_be_negative;
        }
    }
    sy_import_series_begin(google->draft, name, unit, higher);
}

/* A metric in all repetitions that have it. */
static void read_series(sy_google *google, const sy_import_item *items, size_t count)
{
    const char *name = sy_import_copy(google->draft, items[0].key, items[0].length);
    char first_why[SY_IMPORT_WHY] = "";
    const bool *unused = google->unused.items;
    bool may_be_negative;
    size_t failed = 0;
    size_t bad = 0;

    begin_series(google, name, &may_be_negative);
    for (size_t i = 0; i < count; i++) {
        const sy_json_value *member = items[i].what;
        char why[SY_IMPORT_WHY];
        double value = read_metric(google, member, may_be_negative, why);

        if (unused[items[i].order]) {
            value = NAN;
            failed++;
        } else if (isnan(value) && bad++ == 0) {
            memcpy(first_why, why, sizeof first_why);
        }
        sy_import_sample(google->draft, value);
    }
    if (bad > 0 && count == 1)
        sy_import_series_note(google->draft, "%s: %s", name, first_why);
    else if (bad > 0)
        sy_import_series_note(google->draft, "%s: %zu of %zu cannot be used, the first is %s", name, bad, count,
                              first_why);
    if (count < google->entries.count)
        sy_import_series_note(google->draft, "%zu of %zu repetitions have it", count, google->entries.count);
    if (bad > 0 && bad + failed == count && is_time(name))
        sy_import_row_fail(google->draft, "%s: %s", name, first_why);
}

static void collect_metrics(sy_google *google)
{
    google->metrics.count = google->unused.count = 0;
    for (size_t i = 0; i < google->entries.count; i++) {
        bool failed = has_failed(entry_at(google, i)); /* once: an entry may have very many counters */

        for (const sy_json_value *m = entry_at(google, i)->first; m != NULL; m = m->next) {
            sy_import_item *item;
            bool *unused;

            if (is_known(m))
                continue;
            if (m->kind != SY_JSON_NUMBER && m->kind != SY_JSON_NULL) {
                sy_import_reject_value(google->draft, google->json, m, "expected a counter, found %s",
                                       sy_json_kind_word(m->kind));
                continue;
            }
            if (m->name_length > SY_IMPORT_TEXT_MAX) {
                sy_import_reject_value(google->draft, google->json, m, "the name of a counter of %zu bytes",
                                       m->name_length);
                continue;
            }
            unused = sy_import_list_add(google->draft, &google->unused, sizeof *unused);
            item = sy_import_list_add(google->draft, &google->metrics, sizeof *item);
            if (unused == NULL || item == NULL)
                return;
            *unused = failed;
            *item = (sy_import_item){
                .key = m->name, .length = m->name_length, .order = google->metrics.count - 1, .what = m};
        }
    }
    sy_import_group(google->metrics.items, google->metrics.count);
}

/* Iterations of a repetition: the times are their means. */
static void read_iterations(sy_google *google)
{
    double least = INFINITY;
    double most = -INFINITY;

    for (size_t i = 0; i < google->entries.count; i++) {
        const sy_json_value *iterations = sy_json_member(entry_at(google, i), "iterations");
        char why[SY_IMPORT_WHY];
        double count = iterations != NULL ? sy_import_number(google->draft, google->json, iterations, false, why) : NAN;

        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    if (least == most) {
        sy_import_figure(google->draft, "iterations", "", least);
    } else if (least < most) {
        sy_import_figure(google->draft, "iterations_min", "", least);
        sy_import_figure(google->draft, "iterations_max", "", most);
    }
}

static void note_labels(sy_google *google)
{
    const char *former = "";

    for (size_t i = 0; i < google->entries.count; i++) {
        const char *label = sy_import_text(google->draft, google->json, entry_at(google, i), "label");

        if (label[0] != '\0' && strcmp(label, former) != 0)
            sy_import_row_note(google->draft, "label: %s", label);
        former = label;
    }
}

static void begin_row(sy_google *google, const char *name)
{
    const sy_json_value *entry = entry_at(google, 0);

    sy_import_row_begin(google->draft, name, sy_import_position(google->draft, google->json, entry));
    read_name(google, name);
    if (google->debug)
        sy_import_row_note(google->draft,
                           "library_build_type: debug: the benchmark library was built without optimisation");
    note_labels(google);
}

void sy_google_read_repetitions(sy_google *google)
{
    const sy_json_value *first = entry_at(google, 0);
    const char *name = sy_import_text(google->draft, google->json, first, "run_name");
    const sy_import_item *metrics;

    if (name[0] == '\0')
        name = sy_import_text(google->draft, google->json, first, "name");
    begin_row(google, name);
    for (size_t i = 0; i < google->entries.count; i++)
        read_failure(google, i);
    collect_metrics(google);
    metrics = google->metrics.items;
    for (size_t i = 0; i < google->metrics.count && !google->draft->failed;) {
        size_t size = sy_import_group_size(metrics + i, google->metrics.count - i);

        read_series(google, metrics + i, size);
        if (metrics[i].length == 9 && memcmp(metrics[i].key, "real_time", 9) == 0)
            read_iterations(google);
        i += size;
    }
    sy_import_row_end(google->draft);
}

/* What an aggregate is called: its field, or the end of its name. */
static const char *aggregate_name(sy_google *google, const sy_json_value *entry)
{
    const char *name = sy_import_text(google->draft, google->json, entry, "aggregate_name");
    const char *underscore;

    if (name[0] != '\0')
        return name;
    name = sy_import_text(google->draft, google->json, entry, "name");
    underscore = strrchr(name, '_');
    return underscore != NULL ? underscore + 1 : name;
}

/* A percentage is a part of 1 here, as the tool writes it, whatever the unit of its time. */
static bool is_percentage(const sy_json_value *entry)
{
    const sy_json_value *unit = sy_json_member(entry, "aggregate_unit");

    return unit != NULL && unit->kind == SY_JSON_TEXT && strcmp(unit->text, "percentage") == 0;
}

void sy_google_read_aggregates(sy_google *google, const char *name, size_t length)
{
    const sy_import_item *metrics;

    begin_row(google, sy_import_copy(google->draft, name, length));
    sy_import_row_note(google->draft, "summary only: the repetitions are not in the file");
    collect_metrics(google);
    metrics = google->metrics.items;
    for (size_t i = 0; i < google->metrics.count && !google->draft->failed;) {
        size_t size = sy_import_group_size(metrics + i, google->metrics.count - i);
        const char *metric = sy_import_copy(google->draft, metrics[i].key, metrics[i].length);
        bool may_be_negative;
        const sy_run_series *series;

        begin_series(google, metric, &may_be_negative);
        series = google->draft->series.items;
        for (size_t m = i; m < i + size && !google->draft->failed; m++) {
            const sy_json_value *member = metrics[m].what;
            const char *unit = is_percentage(member->parent) ? "" : series[google->draft->series.count - 1].unit;
            char why[SY_IMPORT_WHY];
            double value = unit[0] == '\0' ? sy_import_number(google->draft, google->json, member, true, why)
                                           : read_metric(google, member, may_be_negative, why);

            sy_import_figure(google->draft, aggregate_name(google, member->parent), unit, value);
        }
        i += size;
    }
    sy_import_row_end(google->draft);
}
