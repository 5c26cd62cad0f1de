/* SPDX-License-Identifier: Apache-2.0 */
/* benchmarks.json of asv: found, read, asked. A result file says nothing of units; where this file is absent the
 * prefix of a benchmark's name tells, as asv itself chooses the kind of a benchmark by it. */
#include "importers/benchmarks/asv_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "record/units.h"

/* A benchmarks.json holds the code of all benchmarks. */
static const uint64_t units_bytes_max = (uint64_t)64 << 20;
static const sy_json_limits units_limits = {0, 64, 1000};

struct sy_asv_units {
    sy_json *json;               /* NULL = there is none */
    const sy_json_value **index; /* the entries, by name */
    size_t count;
    const sy_json_value *names; /* of the chosen benchmark's parameters; NULL */
    const char *unit;
    const sy_unit *conversion; /* NULL: as it is */
    bool by_name;              /* the unit is told by the benchmark's name */
    bool other_version;        /* the entry is of another version of the benchmark */
};

/* ---- the file ---- */

/* path's folder, `up` of "" or "../", and the name. NULL: no memory. */
static char *name_beside(const char *path, const char *up)
{
    const char *slash = strrchr(path, '/');
    sy_text text = SY_TEXT_INIT;

    if (slash != NULL)
        sy_text_append_bytes(&text, path, (size_t)(slash - path) + 1);
    sy_text_append(&text, up);
    sy_text_append(&text, "benchmarks.json");
    return sy_text_take(&text);
}

/* *ret_bytes stays NULL when there is none. */
static sy_status read_beside(const sy_import_input *input, sy_import_draft *draft, char **ret_bytes, size_t *ret_size,
                             sy_error *err)
{
    static const char *const folders[] = {"", "../"};
    sy_status status = SY_NOT_FOUND;

    for (size_t i = 0; i < sizeof folders / sizeof *folders && status == SY_NOT_FOUND; i++) {
        char *path = name_beside(input->path, folders[i]);
        sy_error wrong = SY_ERROR_INIT;

        if (path == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a file's name");
        status = sy_file_read(path, units_bytes_max, ret_bytes, ret_size, &wrong);
        sy_free(path);
        if (status == SY_NO_MEMORY)
            return sy_fail(err, SY_NO_MEMORY, "no memory for benchmarks.json");
        if (status != SY_OK && status != SY_NOT_FOUND)
            sy_import_note(draft, "benchmarks.json is not read: %s", wrong.what);
    }
    return SY_OK;
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t shorter = a_length < b_length ? a_length : b_length;
    int order = shorter > 0 ? memcmp(a, b, shorter) : 0;

    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

/* By name; of equal ones the first in the file comes first. */
static int compare_entries(const void *left, const void *right)
{
    const sy_json_value *a = *(const sy_json_value *const *)left;
    const sy_json_value *b = *(const sy_json_value *const *)right;
    int order = compare_names(a->name, a->name_length, b->name, b->name_length);

    return order != 0 ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

static sy_status index_entries(sy_asv_units *units, sy_error *err)
{
    const sy_json_value *root = sy_json_root(units->json);
    size_t count = 0;

    if (root->kind != SY_JSON_OBJECT)
        return sy_json_fail(units->json, root, err, "expected an object of benchmarks, found %s",
                            sy_json_kind_word(root->kind));
    units->index = sy_allocate(root->count + 1, sizeof(*units->index));
    if (units->index == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu benchmarks", root->count);
    for (const sy_json_value *entry = root->first; entry != NULL; entry = entry->next) {
        if (entry->kind == SY_JSON_OBJECT) /* "version" is a number */
            units->index[count++] = entry;
    }
    units->count = count;
    qsort(units->index, count, sizeof(*units->index), compare_entries);
    return SY_OK;
}

static const sy_json_value *find_entry(const sy_asv_units *units, const char *name)
{
    size_t length = strlen(name);
    size_t low = 0;
    size_t high = units->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const sy_json_value *entry = units->index[middle];

        if (compare_names(entry->name, entry->name_length, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == units->count ||
        compare_names(units->index[low]->name, units->index[low]->name_length, name, length) != 0)
        return NULL;
    return units->index[low];
}

/* size 0: there is none. */
static sy_status parse(sy_asv_units *units, const char *bytes, size_t size, sy_error *err)
{
    sy_status status = sy_json_parse(bytes, size, &units_limits, &units->json, err);

    if (status == SY_OK)
        status = index_entries(units, err);
    if (status != SY_OK)
        sy_error_prefix(err, "benchmarks.json");
    return status;
}

static void forget(sy_asv_units *units)
{
    sy_json_destroy(units->json);
    sy_free(units->index);
    *units = (sy_asv_units){0};
}

sy_status sy_asv_units_open(const sy_import_input *input, sy_import_draft *draft, sy_asv_units **ret_units,
                            sy_error *err)
{
    const char *given = input->options->units;
    sy_asv_units *units = sy_allocate(1, sizeof *units);
    char *bytes = NULL;
    size_t size = 0;
    sy_error wrong = SY_ERROR_INIT;
    sy_status status = SY_OK;

    if (units == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the units of benchmarks");
    if (given == NULL && input->path != NULL)
        status = read_beside(input, draft, &bytes, &size, err);
    if (status == SY_OK && (given != NULL || bytes != NULL)) {
        status = parse(units, given != NULL ? given : bytes, given != NULL ? strlen(given) : size, &wrong);
        if (status != SY_OK && status != SY_NO_MEMORY && given == NULL) {
            forget(units);
            sy_import_note(draft, "not read: %s", wrong.what);
            status = SY_OK;
        } else if (status != SY_OK && err != NULL) {
            *err = wrong;
        }
    }
    sy_free(bytes);
    if (status != SY_OK) {
        sy_asv_units_close(units);
        return status;
    }
    if (units->json == NULL)
        sy_import_note(draft, "there is no benchmarks.json: units are told by the names of benchmarks");
    *ret_units = units;
    return SY_OK;
}

void sy_asv_units_close(sy_asv_units *units)
{
    if (units != NULL)
        forget(units);
    sy_free(units);
}

/* ---- one benchmark ---- */

static const char *text_of(const sy_json_value *entry, const char *name)
{
    const sy_json_value *value = sy_json_member(entry, name);

    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : "";
}

/* asv takes time_x, timeraw_x, mem_x and peakmem_x for what they say; track_x may be anything. */
static const char *unit_of_name(const char *name)
{
    static const struct {
        const char *prefix;
        const char *unit;
    } kinds[] = {{"time_", "seconds"}, {"Time", "seconds"}, {"timeraw_", "seconds"}, {"Timeraw", "seconds"},
                 {"mem_", "bytes"},    {"Mem", "bytes"},    {"peakmem_", "bytes"},   {"PeakMem", "bytes"}};
    const char *dot = strrchr(name, '.');
    const char *last = dot != NULL ? dot + 1 : name;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (sy_text_begins(last, kinds[i].prefix))
            return kinds[i].unit;
    }
    return "";
}

void sy_asv_units_choose(sy_asv_units *units, const char *name, const char *version)
{
    const sy_json_value *entry = units->count > 0 ? find_entry(units, name) : NULL;
    const char *unit = text_of(entry, "unit");

    units->names = sy_json_member(entry, "param_names");
    units->by_name = unit[0] == '\0';
    if (units->by_name)
        unit = unit_of_name(name);
    units->other_version = entry != NULL && version != NULL && strcmp(text_of(entry, "version"), version) != 0;
    units->conversion = sy_unit_of(unit);
    units->unit = units->conversion != NULL ? units->conversion->unit : unit;
}

const char *sy_asv_unit(const sy_asv_units *units)
{
    return units->unit;
}

double sy_asv_convert(const sy_asv_units *units, double value)
{
    if (units->conversion == NULL)
        return value;
    return units->conversion->never_negative && value < 0 ? SY_NAN : sy_unit_convert(units->conversion, value);
}

void sy_asv_note(const sy_asv_units *units, sy_import_draft *draft)
{
    if (units->by_name)
        sy_import_series_note(draft, units->unit[0] != '\0' ? "the unit is told by the benchmark's name"
                                                            : "the unit is not known");
    else if (units->other_version)
        sy_import_series_note(draft, "the unit is that of another version of the benchmark");
}

const char *sy_asv_parameter_name(const sy_asv_units *units, sy_import_draft *draft, size_t index)
{
    const sy_json_value *names = units->names;
    const sy_json_value *name = names != NULL && names->kind == SY_JSON_ARRAY ? sy_json_element(names, index) : NULL;
    char numbered[32];

    if (name != NULL && name->kind == SY_JSON_TEXT && name->text_length > 0 && name->text_length <= SY_IMPORT_TEXT_MAX)
        return sy_import_copy(draft, name->text, name->text_length);
    (void)snprintf(numbered, sizeof numbered, "param%zu", index + 1);
    return sy_import_copy(draft, numbered, strlen(numbered));
}
