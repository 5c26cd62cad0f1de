/* SPDX-License-Identifier: Apache-2.0 */
/* pytest-benchmark's --benchmark-json: statistics of each test in seconds, single rounds only where they were asked
 * for, and what the plugin knows of machine and commit. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "importers/import/import_json.h"
#include "record/units.h"

static const char *const known_members[] = {"group", "name",       "fullname", "params", "param",
                                            "stats", "extra_info", "options",  NULL};
static const char *const known_stats[] = {"min",    "max",  "mean",     "stddev",     "median",          "iqr",
                                          "q1",     "q3",   "hd15iqr",  "ld15iqr",    "total",           "ops",
                                          "rounds", "data", "outliers", "iterations", "stddev_outliers", "iqr_outliers",
                                          NULL};

static bool knows_json(const sy_json_value *root)
{
    const sy_json_value *benchmarks = sy_json_member(root, "benchmarks");
    const sy_json_value *first = benchmarks != NULL && benchmarks->kind == SY_JSON_ARRAY ? benchmarks->first : NULL;

    return benchmarks != NULL &&
           (sy_json_member(root, "machine_info") != NULL || sy_json_member(root, "commit_info") != NULL ||
            (sy_json_member(first, "fullname") != NULL && sy_json_member(first, "stats") != NULL));
}

static bool is_text(const sy_json_value *value)
{
    return value != NULL && value->kind == SY_JSON_TEXT && value->text_length <= SY_IMPORT_TEXT_MAX;
}

/* "90;1878" is two figures that newer versions write one by one as well. */
static void read_outliers(sy_import_draft *draft, const sy_json *json, const sy_json_value *stats)
{
    const sy_json_value *outliers = sy_json_member(stats, "outliers");
    uint64_t of_spread;
    uint64_t of_quartiles;
    char first[24];
    const char *second;

    if (outliers == NULL || outliers->kind == SY_JSON_NULL)
        return;
    second = outliers->kind == SY_JSON_TEXT ? strchr(outliers->text, ';') : NULL;
    if (second == NULL || (size_t)(second - outliers->text) >= sizeof first) {
        sy_import_reject_value(draft, json, outliers, "expected two counts as in '1;2'");
        return;
    }
    memcpy(first, outliers->text, (size_t)(second - outliers->text));
    first[second - outliers->text] = '\0';
    if (sy_parse_u64(first, &of_spread, NULL) != SY_OK || sy_parse_u64(second + 1, &of_quartiles, NULL) != SY_OK) {
        sy_import_reject_value(draft, json, outliers, "expected two counts as in '1;2'");
        return;
    }
    if (sy_json_member(stats, "stddev_outliers") == NULL)
        sy_import_figure(draft, "stddev_outliers", "", (double)of_spread);
    if (sy_json_member(stats, "iqr_outliers") == NULL)
        sy_import_figure(draft, "iqr_outliers", "", (double)of_quartiles);
}

/* The rounds one by one. A list from which some were taken away is no sample: what is left was chosen by somebody. */
static void read_data(sy_import_draft *draft, const sy_json *json, const sy_json_value *stats)
{
    const sy_json_value *data = sy_json_member(stats, "data");
    const sy_json_value *rounds = sy_json_member(stats, "rounds");
    double count = rounds != NULL && rounds->kind == SY_JSON_NUMBER ? rounds->number : NAN;
    size_t shown = 0;
    size_t others = 0;

    if (data != NULL && data->kind == SY_JSON_ARRAY) {
        for (const sy_json_value *one = data->first; one != NULL; one = one->next) {
            bool is_round = one->kind == SY_JSON_NUMBER || one->kind == SY_JSON_NULL;

            shown += is_round;
            others += !is_round;
            if (!is_round)
                sy_import_reject_value(draft, json, one, "no round's time, but %s: the samples are not whole",
                                       sy_json_kind_word(one->kind));
        }
    } else if (data != NULL && data->kind != SY_JSON_NULL) {
        sy_import_reject_value(draft, json, data, "expected a list of times, found %s", sy_json_kind_word(data->kind));
    }
    if (shown > 0 && others == 0 && (isnan(count) || count == (double)shown))
        (void)sy_import_samples(draft, json, data, sy_unit_of("s"));
    else if (isnan(count))
        sy_import_series_note(draft, "summary only, %zu rounds shown", shown);
    else
        sy_import_series_note(draft, "summary only, %.17g rounds, %zu of them shown", count, shown);
}

static void read_stats(sy_import_draft *draft, const sy_json *json, const sy_json_value *stats)
{
    static const char *const seconds[] = {"min", "max", "mean",    "stddev",  "median", "iqr",
                                          "q1",  "q3",  "hd15iqr", "ld15iqr", "total"};
    static const char *const counts[] = {"rounds", "iterations", "stddev_outliers", "iqr_outliers"};

    sy_import_series_begin(draft, "time", "s", false);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        sy_import_figure_of(draft, json, stats, seconds[i], sy_unit_of("s"));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        sy_import_figure_of(draft, json, stats, counts[i], sy_unit_of(""));
    sy_import_figure_of(draft, json, stats, "ops", sy_unit_of("1/s"));
    read_outliers(draft, json, stats);
    read_data(draft, json, stats);
    sy_import_reject_unknown(draft, json, stats, known_stats);
}

static void visit_parameter(sy_import_draft *draft, const char *name, const char *value)
{
    sy_import_row_parameter(draft, name, value != NULL ? value : "null");
}

static void visit_note(sy_import_draft *draft, const char *name, const char *value)
{
    sy_import_row_note(draft, "%s: %s", name, value != NULL ? value : "null");
}

static void read_benchmark(sy_import_draft *draft, const sy_json *json, const sy_json_value *benchmark)
{
    const sy_json_value *name = sy_json_member(benchmark, "fullname");
    const sy_json_value *params = sy_json_member(benchmark, "params");
    const sy_json_value *param = sy_json_member(benchmark, "param");
    const sy_json_value *stats = sy_json_member(benchmark, "stats");

    if (!is_text(name))
        name = sy_json_member(benchmark, "name");
    if (!is_text(name)) {
        sy_import_reject_value(draft, json, name != NULL ? name : benchmark, "a benchmark without a name");
        return;
    }
    sy_import_row_begin(draft, sy_import_copy(draft, name->text, name->text_length),
                        sy_import_position(draft, json, benchmark));
    if (params != NULL && params->kind == SY_JSON_OBJECT)
        sy_import_walk(draft, json, "", params, NULL, visit_parameter);
    else if (params != NULL && params->kind != SY_JSON_NULL)
        sy_import_walk(draft, json, "params", params, NULL, visit_parameter);
    else if (param != NULL && param->kind != SY_JSON_NULL)
        sy_import_walk(draft, json, "param", param, NULL, visit_parameter);
    if (sy_import_text(draft, json, benchmark, "group")[0] != '\0')
        sy_import_row_note(draft, "group: %s", sy_import_text(draft, json, benchmark, "group"));
    sy_import_walk(draft, json, "extra_info", sy_json_member(benchmark, "extra_info"), NULL, visit_note);
    sy_import_walk(draft, json, "options", sy_json_member(benchmark, "options"), NULL, visit_note);
    if (stats != NULL && stats->kind == SY_JSON_OBJECT)
        read_stats(draft, json, stats);
    else
        sy_import_row_fail(draft, "stats: %s", stats != NULL ? sy_json_kind_word(stats->kind) : "absent");
    sy_import_reject_unknown(draft, json, benchmark, known_members);
    sy_import_row_end(draft);
}

static void read_machine(sy_import_draft *draft, const sy_json *json)
{
    static const char *const read[] = {"node", NULL};
    const sy_json_value *machine = sy_json_member(sy_json_root(json), "machine_info");
    const char *implementation = sy_import_text(draft, json, machine, "python_implementation");
    const char *version = sy_import_text(draft, json, machine, "python_implementation_version");

    if (version[0] == '\0')
        version = sy_import_text(draft, json, machine, "python_version");
    draft->imported->host = sy_import_text(draft, json, machine, "node");
    if (sy_json_member(machine, "cpu") != NULL)
        draft->imported->device = sy_import_text(draft, json, sy_json_member(machine, "cpu"), "brand_raw");
    if (draft->imported->device[0] == '\0')
        draft->imported->device = sy_import_text(draft, json, sy_json_member(machine, "cpu"), "brand");
    if (implementation[0] != '\0' && version[0] != '\0') {
        char *runtime = sy_arena_format(draft->arena, "%s %s", implementation, version);

        draft->failed = draft->failed || runtime == NULL;
        sy_import_fact(draft, "runtime_version", runtime != NULL ? runtime : "");
    }
    sy_import_settings(draft, json, "machine_info", machine, read);
}

/* What the plugin writes where it knows no commit, or no branch, is nothing. */
static const char *known_name(const char *name)
{
    static const char *const none[] = {"unknown", "unversioned", "(unknown)", "(unknown vcs)", "(detached head)"};

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        if (strcmp(name, none[i]) == 0)
            return "";
    }
    return name;
}

static void read_commit(sy_import_draft *draft, const sy_json *json)
{
    static const char *const read[] = {"id", "dirty", "branch", NULL};
    const sy_json_value *commit = sy_json_member(sy_json_root(json), "commit_info");
    const sy_json_value *dirty = sy_json_member(commit, "dirty");
    const char *id = known_name(sy_import_text(draft, json, commit, "id"));

    draft->imported->revision = id;
    draft->imported->branch = known_name(sy_import_text(draft, json, commit, "branch"));
    if (id[0] == '\0' && dirty != NULL && dirty->kind == SY_JSON_FALSE)
        dirty = NULL; /* a clean state of what is not known says nothing */
    if (dirty != NULL && (dirty->kind == SY_JSON_TRUE || dirty->kind == SY_JSON_FALSE))
        draft->imported->dirty = dirty->kind == SY_JSON_TRUE;
    else if (dirty != NULL && dirty->kind != SY_JSON_NULL)
        sy_import_reject_value(draft, json, dirty, "expected true or false, found %s", sy_json_kind_word(dirty->kind));
    if (draft->imported->dirty == 1)
        sy_import_note(draft, "the tree was dirty: its revision does not name what was measured");
    else if (id[0] != '\0')
        sy_import_fact(draft, "source_revision", id);
    sy_import_settings(draft, json, "commit_info", commit, read);
}

static sy_status read(const sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    static const char *const read_members[] = {"benchmarks", "machine_info", "commit_info",
                                               "datetime",   "version",      NULL};
    const sy_json *json = input->json;
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *benchmarks = sy_json_member(root, "benchmarks");
    const char *version;
    char *tool;

    if (benchmarks == NULL || benchmarks->kind != SY_JSON_ARRAY)
        return sy_json_fail(json, benchmarks != NULL ? benchmarks : root, err,
                            "results of pytest-benchmark are in a list 'benchmarks'");
    version = sy_import_text(draft, json, root, "version");
    tool = sy_arena_format(draft->arena, "pytest-benchmark%s%s", version[0] != '\0' ? " " : "", version);
    draft->failed = draft->failed || tool == NULL;
    draft->imported->tool = tool != NULL ? tool : "";
    sy_import_stamp(draft, sy_import_text(draft, json, root, "datetime"));
    read_machine(draft, json);
    read_commit(draft, json);
    sy_import_settings(draft, json, "", root, read_members);
    for (const sy_json_value *one = sy_import_first_row(input, draft, benchmarks); one != NULL && !draft->failed;
         one = sy_import_next_row(input, draft, one))
        read_benchmark(draft, json, one);
    return SY_OK;
}

const sy_import_reader sy_import_pytest_benchmark = {
    .format = SY_IMPORT_PYTEST_BENCHMARK, .knows_json = knows_json, .read = read};
