/* SPDX-License-Identifier: Apache-2.0 */
/* llama-bench's -o json and -o jsonl: prompt processing and token generation, each result with all of its settings. The
 * fields change from build to build: what is not known becomes a setting, or a parameter where results differ in it. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "importers/import/import_groups.h"
#include "importers/import/import_json.h"
#include "record/units.h"

/* What was measured, and what names the test or its source. */
static const char *const figures[] = {"avg_ns",     "stddev_ns", "avg_ts",       "stddev_ts", "samples_ns",
                                      "samples_ts", "test_time", "build_commit", NULL};

/* What a test is run with, in all builds that are known. */
static const char *const parameters[] = {
    "model_filename", "model_type",    "model_size", "model_n_params", "n_prompt",     "n_gen",
    "n_depth",        "n_batch",       "n_ubatch",   "n_threads",      "cpu_mask",     "cpu_strict",
    "poll",           "type_k",        "type_v",     "n_gpu_layers",   "n_cpu_moe",    "split_mode",
    "main_gpu",       "no_kv_offload", "flash_attn", "devices",        "tensor_split", "tensor_buft_overrides",
    "use_mmap",       "use_direct_io", "embeddings", "no_op_offload",  "no_host",      NULL};

typedef struct reading {
    sy_import_draft *draft;
    const sy_json *json;
    sy_import_list rows;    /* const sy_json_value *, an object each */
    sy_import_list others;  /* sy_import_item: members that are neither figures nor parameters */
    sy_import_list differs; /* const char *: names of them in which results differ, sorted */
} reading;

static bool is_listed(const sy_json_value *member, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strlen(names[i]) == member->name_length && memcmp(names[i], member->name, member->name_length) == 0)
            return true;
    }
    return false;
}

static bool is_result(const sy_json_value *value)
{
    return sy_json_member(value, "n_prompt") != NULL || sy_json_member(value, "n_gen") != NULL;
}

static bool knows_json(const sy_json_value *root)
{
    const sy_json_value *result = root->kind == SY_JSON_ARRAY ? root->first : root;

    for (; result != NULL; result = result->next) {
        if (sy_json_member(result, "build_commit") != NULL || (is_result(result) && sy_json_member(result, "avg_ns")))
            return true;
    }
    return false;
}

/* A document of several lines whose first is damaged. */
static bool knows_text(const char *text, size_t size)
{
    return memmem(text, size, "\"build_commit\"", 14) != NULL && memmem(text, size, "\"n_prompt\"", 10) != NULL;
}

/* The number of tokens of a test, 0 where it is absent. */
static double tokens(const reading *r, const sy_json_value *result, const char *name)
{
    const sy_json_value *value = sy_json_member(result, name);
    char why[SY_IMPORT_WHY];
    double count = value != NULL ? sy_import_number(r->draft, r->json, value, false, why) : 0;

    return isnan(count) ? 0 : count;
}

/* As the tool's own table calls it: "pp512", "tg128", "pp512+tg128", each with "@ d2048". */
static const char *name_of(reading *r, const sy_json_value *result)
{
    double prompt = tokens(r, result, "n_prompt");
    double generated = tokens(r, result, "n_gen");
    double depth = tokens(r, result, "n_depth");
    sy_text name = SY_TEXT_INIT;
    const char *copy;

    if (prompt > 0 || generated == 0)
        sy_text_append_format(&name, "pp%.17g", prompt);
    if (generated > 0)
        sy_text_append_format(&name, "%stg%.17g", prompt > 0 ? "+" : "", generated);
    if (depth > 0)
        sy_text_append_format(&name, " @ d%.17g", depth);
    copy = sy_import_copy(r->draft, sy_text_bytes(&name), name.length);
    r->draft->failed = r->draft->failed || name.failed;
    sy_text_finish(&name);
    return copy;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void visit_parameter(sy_import_draft *draft, const char *name, const char *value)
{
    sy_import_row_parameter(draft, name, value != NULL ? value : "null");
}

static bool same_value(const sy_json_value *a, const sy_json_value *b)
{
    return a->kind == b->kind && a->first == NULL && b->first == NULL && a->text_length == b->text_length &&
           (a->text_length == 0 || memcmp(a->text, b->text, a->text_length) == 0);
}

/* One member's name in all results that have it: a setting of the file if all say the same. */
static void read_other(reading *r, const sy_import_item *items, size_t count)
{
    const char *name = sy_import_copy(r->draft, items[0].key, items[0].length);
    bool same = count == r->rows.count;
    const char **differing;

    for (size_t i = 1; i < count && same; i++)
        same = same_value(items[0].what, items[i].what);
    if (same) {
        sy_import_settings(r->draft, r->json, name, items[0].what, NULL);
        return;
    }
    differing = sy_import_list_add(r->draft, &r->differs, sizeof *differing);
    if (differing != NULL)
        *differing = name;
}

static void read_others(reading *r)
{
    const sy_json_value *const *rows = r->rows.items;
    const sy_import_item *others;

    for (size_t i = 0; i < r->rows.count; i++) {
        for (const sy_json_value *member = rows[i]->first; member != NULL; member = member->next) {
            sy_import_item *item;

            if (is_listed(member, figures) || is_listed(member, parameters))
                continue;
            if (member->name_length > SY_IMPORT_TEXT_MAX) {
                sy_import_reject_value(r->draft, r->json, member, "a name of %zu bytes", member->name_length);
                continue;
            }
            item = sy_import_list_add(r->draft, &r->others, sizeof *item);
            if (item != NULL)
                *item = (sy_import_item){
                    .key = member->name, .length = member->name_length, .order = r->others.count, .what = member};
        }
    }
    sy_import_group(r->others.items, r->others.count);
    others = r->others.items;
    for (size_t i = 0; i < r->others.count && !r->draft->failed;) {
        size_t size = sy_import_group_size(others + i, r->others.count - i);

        read_other(r, others + i, size);
        i += size;
    }
    if (r->differs.count > 0)
        qsort(r->differs.items, r->differs.count, sizeof(char *), compare_texts);
}

static bool differs(const reading *r, const char *name)
{
    return r->differs.count > 0 &&
           bsearch(&name, r->differs.items, r->differs.count, sizeof name, compare_texts) != NULL;
}

static void read_parameters(reading *r, const sy_json_value *result)
{
    for (const sy_json_value *member = result->first; member != NULL; member = member->next) {
        bool known = is_listed(member, parameters);
        const char *name;

        if (is_listed(member, figures) || (!known && r->differs.count == 0) || member->name_length > SY_IMPORT_TEXT_MAX)
            continue;
        name = sy_import_copy(r->draft, member->name, member->name_length);
        if (known || differs(r, name))
            sy_import_walk(r->draft, r->json, name, member, NULL, visit_parameter);
    }
}

/* The figures that the tool made of its samples: of one sample it writes a spread of 0, which it does not know. */
static void read_figures(reading *r, const sy_json_value *result, const char *average, const char *spread,
                         const sy_unit *unit, size_t samples)
{
    static const char *const names[] = {"mean", "stddev"};

    for (int i = 0; i < 2; i++) {
        const sy_json_value *value = sy_json_member(result, i == 0 ? average : spread);
        char why[SY_IMPORT_WHY];
        double number;

        if (value == NULL)
            continue;
        number = sy_unit_convert(unit, sy_import_number(r->draft, r->json, value, false, why));
        sy_import_figure(r->draft, names[i], unit->unit, i == 1 && samples == 1 ? NAN : number);
        if (why[0] != '\0')
            sy_import_series_note(r->draft, "%s: %s", i == 0 ? average : spread, why);
    }
    if (samples == 0)
        sy_import_series_note(r->draft, "summary only, no repetitions");
}

static void read_result(reading *r, const sy_json_value *result)
{
    const sy_unit *ns = sy_unit_of("ns");
    const sy_unit *rate = sy_unit_of("1/s");
    const char *commit = sy_import_text(r->draft, r->json, result, "build_commit");
    size_t samples;

    if (!is_result(result)) {
        sy_import_reject_value(r->draft, r->json, result, "a result without n_prompt and n_gen");
        return;
    }
    sy_import_row_begin(r->draft, name_of(r, result), sy_import_position(r->draft, r->json, result));
    sy_import_row_stamp(r->draft, sy_import_text(r->draft, r->json, result, "test_time"));
    if (commit[0] != '\0' && strcmp(commit, "unknown") != 0)
        sy_import_row_fact(r->draft, "source_revision", commit);
    read_parameters(r, result);
    if (sy_json_member(result, "samples_ns") != NULL || sy_json_member(result, "avg_ns") != NULL) {
        sy_import_series_begin(r->draft, "wall", ns->unit, false);
        samples = sy_import_samples(r->draft, r->json, sy_json_member(result, "samples_ns"), ns);
        read_figures(r, result, "avg_ns", "stddev_ns", ns, samples);
    }
    if (sy_json_member(result, "samples_ts") != NULL || sy_json_member(result, "avg_ts") != NULL) {
        sy_import_series_begin(r->draft, "tokens_per_second", rate->unit, true);
        samples = sy_import_samples(r->draft, r->json, sy_json_member(result, "samples_ts"), rate);
        read_figures(r, result, "avg_ts", "stddev_ts", rate, samples);
    }
    sy_import_row_end(r->draft);
}

/* What all results say of one thing; "" where they do not agree. */
static const char *agreed(reading *r, const char *name)
{
    const sy_json_value *const *rows = r->rows.items;
    const sy_json_value *first = r->rows.count > 0 ? sy_json_member(rows[0], name) : NULL;

    for (size_t i = 1; i < r->rows.count && first != NULL; i++) {
        const sy_json_value *other = sy_json_member(rows[i], name);

        if (other == NULL || !same_value(first, other))
            first = NULL;
    }
    return first != NULL ? sy_import_text(r->draft, r->json, first->parent, name) : "";
}

static void read_file(reading *r)
{
    sy_imported *imported = r->draft->imported;
    const char *commit = agreed(r, "build_commit");

    imported->tool = "llama-bench";
    imported->revision = strcmp(commit, "unknown") != 0 ? commit : "";
    imported->device = agreed(r, "gpu_info");
    if (imported->device[0] == '\0')
        imported->device = agreed(r, "cpu_info");
    sy_import_stamp(r->draft, agreed(r, "test_time"));
}

static sy_status read(const sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    reading r = {.draft = draft, .json = input->json};
    const sy_json_value *root = sy_json_root(input->json);
    const sy_json_value *result = root->kind == SY_JSON_OBJECT ? root : sy_import_first_row(input, draft, root);

    if (root->kind != SY_JSON_OBJECT && root->kind != SY_JSON_ARRAY)
        return sy_json_fail(input->json, root, err, "results of llama-bench are objects, in a list or a line each");
    while (result != NULL) {
        const sy_json_value **row = sy_import_list_add(draft, &r.rows, sizeof *row);

        if (row != NULL)
            *row = result;
        result = result == root ? NULL : sy_import_next_row(input, draft, result);
    }
    read_file(&r);
    read_others(&r);
    for (size_t i = 0; i < r.rows.count && !draft->failed; i++)
        read_result(&r, ((const sy_json_value *const *)r.rows.items)[i]);
    sy_free(r.rows.items);
    sy_free(r.others.items);
    sy_free(r.differs.items);
    return SY_OK;
}

const sy_import_reader sy_import_llama_bench = {
    .format = SY_IMPORT_LLAMA_BENCH, .knows_json = knows_json, .knows_text = knows_text, .read = read, .many = true};
