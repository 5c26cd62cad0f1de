/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nvbench: a state of a benchmark is a row, its axis values are parameters, and each mean of a time is a
 * series with what else is told of it; times are seconds, and all values are texts. Samples: nvbench_samples.c. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "importers/benchmarks/nvbench_samples.h"
#include "importers/import/import_json.h"

/* Of one state; what is behind them is rejected. Each is compared with each other, here or when it is recorded. */
enum { TIMES_MAX = 16, AXES_MAX = 64, FACTS_MAX = 1000, DEVICES_MAX = 256 };

#define TIMES_FILE "nv/json/bin:"
#define CLOCKS_FILE "nv/json/freqs-bin:"
#define GPU_TIME "nv/cold/time/gpu"

typedef struct nvbench_reader {
    const sy_import_input *input;
    sy_import_draft *draft;
    const sy_json *json;
    sy_nvbench_samples samples;
    const char *device_names[DEVICES_MAX]; /* by id; NULL = there is no such */
    sy_status status;                      /* SY_NO_MEMORY, once */
    sy_error *err;
} nvbench_reader;

/* One summary of a state. Texts are borrowed from the JSON. */
typedef struct summary {
    const char *tag;
    const char *hint;
    const sy_json_value *value; /* the member `value` of its datum of that name; NULL */
    const sy_json_value *at;
} summary;

static const char *text_of(const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_json_member(object, name);

    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : "";
}

/* The value of the datum of that name. */
static const sy_json_value *find_datum(const sy_json_value *entry, const char *name)
{
    const sy_json_value *data = sy_json_member(entry, "data");

    if (data == NULL || data->kind != SY_JSON_ARRAY)
        return NULL;
    for (const sy_json_value *datum = data->first; datum != NULL; datum = datum->next) {
        if (strcmp(text_of(datum, "name"), name) == 0)
            return sy_json_member(datum, "value");
    }
    return NULL;
}

static summary look_at(const sy_json_value *entry)
{
    return (summary){text_of(entry, "tag"), text_of(entry, "hint"), find_datum(entry, "value"), entry};
}

/* A number as text, as nvbench writes all of them, or as a number. NaN: it is none; what is no number at all is
 * rejected. */
static double read_number(nvbench_reader *reader, const sy_json_value *value)
{
    static const char *const words[] = {"nan", "-nan", "inf", "-inf", "NaN", "Infinity", "-Infinity", "-nan(ind)"};

    if (value == NULL)
        return NAN;
    if (value->kind == SY_JSON_NUMBER)
        return isfinite(value->number) ? value->number : NAN;
    for (size_t i = 0; value->kind == SY_JSON_TEXT && i < sizeof words / sizeof *words; i++) {
        if (strcmp(value->text, words[i]) == 0)
            return NAN;
    }
    if (value->kind == SY_JSON_TEXT && value->text_length > 0 &&
        sy_number_scan(value->text, value->text + value->text_length, false) == value->text + value->text_length) {
        double number = sy_number_read(value->text, value->text_length);

        if (isfinite(number))
            return number;
        sy_import_reject_value(reader->draft, reader->json, value, "a number that is out of range");
        return NAN;
    }
    sy_import_reject_value(reader->draft, reader->json, value, "expected a number as text, found %s",
                           value->kind == SY_JSON_TEXT ? "another text" : sy_json_kind_word(value->kind));
    return NAN;
}

/* ---- parameters ---- */

static void read_axes(nvbench_reader *reader, const sy_json_value *state)
{
    const sy_json_value *axes = sy_json_member(state, "axis_values");

    if (axes == NULL || axes->kind == SY_JSON_NULL)
        return;
    if (axes->kind != SY_JSON_ARRAY) {
        sy_import_reject_value(reader->draft, reader->json, axes, "expected a list of axis values, found %s",
                               sy_json_kind_word(axes->kind));
        return;
    }
    for (const sy_json_value *axis = axes->first; axis != NULL; axis = axis->next) {
        const char *name;
        const char *value;

        if (axis->index == AXES_MAX) {
            sy_import_reject_value(reader->draft, reader->json, axis, "more than %d axes", AXES_MAX);
            return;
        }
        name = sy_import_text(reader->draft, reader->json, axis, "name");
        value = sy_import_text(reader->draft, reader->json, axis, "input_string");
        if (value[0] == '\0')
            value = sy_import_words(reader->draft, reader->json, sy_json_member(axis, "value"));
        if (name[0] == '\0' || value == NULL)
            sy_import_reject_value(reader->draft, reader->json, axis, "an axis without a name or a value");
        else
            sy_import_row_parameter(reader->draft, name, value);
    }
}

static void read_device(nvbench_reader *reader, const sy_json_value *state)
{
    const sy_json_value *device = sy_json_member(state, "device");
    const char *id = sy_import_words(reader->draft, reader->json, device);
    int64_t number = -1;

    if (id == NULL)
        return;
    sy_import_row_parameter(reader->draft, "Device", id);
    if (sy_json_get_i64(reader->json, device, &number, NULL) == SY_OK && number >= 0 && number < DEVICES_MAX &&
        reader->device_names[number] != NULL)
        sy_import_row_fact(reader->draft, "device", reader->device_names[number]);
}

/* ---- series ---- */

static const char *unit_of_hint(const char *hint)
{
    return strcmp(hint, "duration") == 0    ? "s"
           : strcmp(hint, "bytes") == 0     ? "bytes"
           : strcmp(hint, "byte_rate") == 0 ? "bytes/s"
           : strcmp(hint, "item_rate") == 0 ? "1/s"
           : strcmp(hint, "frequency") == 0 ? "1/s"
                                            : "";
}

/* "nv/cold/time/gpu" of "nv/cold/time/gpu/mean"; 0 = it is no mean of a time. */
static size_t base_length(const summary *s)
{
    size_t length = strlen(s->tag);

    return strcmp(s->hint, "duration") == 0 && length > 5 && strcmp(s->tag + length - 5, "/mean") == 0 ? length - 5 : 0;
}

static bool is_file(const summary *s)
{
    return sy_text_begins(s->tag, TIMES_FILE) || sy_text_begins(s->tag, CLOCKS_FILE);
}

/* Whether a figure is about the whole of a phase: "nv/cold/walltime" about all of "nv/cold/...". */
static bool is_of_phase(const char *tag, const char *base)
{
    const char *slash = strrchr(tag, '/');
    size_t length = slash != NULL ? (size_t)(slash - tag) + 1 : 0;

    return slash != NULL && strncmp(tag, base, length) == 0 &&
           (strcmp(slash, "/sample_size") == 0 || strcmp(slash, "/walltime") == 0);
}

/* Figures of the series that is open: what its tag is the beginning of, and what is told of its phase. Returns whether
 * its mean is a number. */
static bool add_figures(nvbench_reader *reader, const sy_json_value *summaries, const char *base, size_t length)
{
    bool has_mean = false;

    for (const sy_json_value *entry = summaries->first; entry != NULL; entry = entry->next) {
        const summary s = look_at(entry);
        const char *name = NULL;
        double value;

        if (strncmp(s.tag, base, length) == 0 && s.tag[length] == '/')
            name = s.tag + length + 1;
        else if (is_of_phase(s.tag, base))
            name = strrchr(s.tag, '/') + 1;
        if (name == NULL)
            continue;
        value = read_number(reader, s.value);
        sy_import_figure(reader->draft, name, unit_of_hint(s.hint), value);
        has_mean = has_mean || (strcmp(name, "mean") == 0 && !isnan(value));
    }
    return has_mean;
}

/* Samples of the series that is open. Returns whether there are any. */
static bool add_samples(nvbench_reader *reader, const sy_json_value *summaries, const char *tag)
{
    bool found = false;
    bool is_read = false;

    for (const sy_json_value *entry = summaries->first; entry != NULL && !found && reader->status == SY_OK;
         entry = entry->next) {
        const sy_json_value *name = find_datum(entry, "filename");
        const sy_json_value *size = find_datum(entry, "size");
        double expected = -1;

        if (!sy_text_begins(text_of(entry, "tag"), tag))
            continue;
        found = true;
        if (size != NULL)
            expected = read_number(reader, size);
        if (name == NULL || name->kind != SY_JSON_TEXT || strlen(name->text) != name->text_length ||
            !(expected >= -1 && expected < 9e15)) {
            sy_import_reject_value(reader->draft, reader->json, entry, "a file of samples without its name or size");
            continue;
        }
        reader->status = sy_nvbench_samples_read(&reader->samples, name->text, (int64_t)expected, &is_read,
                                                 reader->err);
        for (size_t i = 0; is_read && i < reader->samples.count; i++)
            sy_import_sample(reader->draft, reader->samples.values[i] >= 0 ? (double)reader->samples.values[i] : NAN);
        if (!is_read)
            sy_import_series_note(reader->draft, "summary only: %s", reader->samples.why);
        if (reader->samples.refused)
            sy_import_reject_value(reader->draft, reader->json, name, "%s", reader->samples.why);
    }
    if (!found)
        sy_import_series_note(reader->draft, "summary only");
    return is_read;
}

/* The times of a state that have become series: the beginnings of their tags. */
typedef struct times {
    const char *bases[TIMES_MAX];
    size_t count;
    bool any; /* a mean, a sample, a rate that is a number; how many samples there were is none */
} times;

/* Means of times, each with all that is told of it. The samples are those of the GPU's time. */
static void add_times(nvbench_reader *reader, const sy_json_value *summaries, times *added)
{

    for (const sy_json_value *entry = summaries->first; entry != NULL; entry = entry->next) {
        const summary s = look_at(entry);
        size_t length = base_length(&s);
        const char *base = sy_import_copy(reader->draft, s.tag, length);

        if (length == 0)
            continue;
        if (added->count == TIMES_MAX) {
            sy_import_reject_value(reader->draft, reader->json, entry, "more than %d times of one state", TIMES_MAX);
            break;
        }
        added->bases[added->count++] = base;
        sy_import_series_begin(reader->draft, base, "s", false);
        if (strcmp(base, GPU_TIME) == 0)
            added->any = add_samples(reader, summaries, TIMES_FILE) || added->any;
        else
            sy_import_series_note(reader->draft, "summary only");
        added->any = add_figures(reader, summaries, base, length) || added->any;
    }
}

static bool is_figure(const times *added, const char *tag)
{
    for (size_t i = 0; i < added->count; i++) {
        size_t length = strlen(added->bases[i]);

        if ((strncmp(tag, added->bases[i], length) == 0 && tag[length] == '/') || is_of_phase(tag, added->bases[i]))
            return true;
    }
    return false;
}

/* Rates and shares become series; what no series has as a figure is a fact of the row. */
static void add_others(nvbench_reader *reader, const sy_json_value *summaries, times *added)
{
    size_t facts = 0;

    for (const sy_json_value *entry = summaries->first; entry != NULL; entry = entry->next) {
        const summary s = look_at(entry);
        const char *words;
        double value;

        if (s.tag[0] == '\0') {
            sy_import_reject_value(reader->draft, reader->json, entry, "a summary without a tag");
        } else if (strcmp(s.hint, "byte_rate") == 0 || strcmp(s.hint, "item_rate") == 0 ||
                   (strcmp(s.hint, "percentage") == 0 && sy_text_ends(s.tag, "/utilization"))) {
            sy_import_series_begin(reader->draft, sy_import_copy(reader->draft, s.tag, strlen(s.tag)),
                                   unit_of_hint(s.hint), true);
            value = read_number(reader, s.value);
            added->any = added->any || !isnan(value);
            sy_import_sample(reader->draft, value);
        } else if (!is_file(&s) && !is_figure(added, s.tag)) {
            if (facts++ == FACTS_MAX) {
                sy_import_reject_value(reader->draft, reader->json, entry, "more than %d summaries besides times",
                                       FACTS_MAX);
                return;
            }
            words = sy_import_words(reader->draft, reader->json, s.value);
            if (words != NULL)
                sy_import_row_fact(reader->draft, sy_import_copy(reader->draft, s.tag, strlen(s.tag)), words);
        }
    }
}

static void add_clocks(nvbench_reader *reader, const sy_json_value *summaries)
{
    for (const sy_json_value *entry = summaries->first; entry != NULL; entry = entry->next) {
        if (!sy_text_begins(text_of(entry, "tag"), CLOCKS_FILE))
            continue;
        sy_import_series_begin(reader->draft, "nv/cold/sample_freqs", "1/s", true);
        (void)add_samples(reader, summaries, CLOCKS_FILE);
        return;
    }
}

static void read_state(nvbench_reader *reader, const char *name, const sy_json_value *state)
{
    const sy_json_value *summaries = sy_json_member(state, "summaries");
    const sy_json_value *is_skipped = sy_json_member(state, "is_skipped");
    const char *reason = sy_import_text(reader->draft, reader->json, state, "skip_reason");
    times added = {.count = 0};

    sy_import_row_begin(reader->draft, name, sy_import_position(reader->draft, reader->json, state));
    read_axes(reader, state);
    read_device(reader, state);
    if (is_skipped != NULL && is_skipped->kind == SY_JSON_TRUE)
        sy_import_row_fail(reader->draft, "skipped: %s", reason[0] != '\0' ? reason : "no reason is given");
    if (summaries != NULL && summaries->kind == SY_JSON_ARRAY) {
        add_times(reader, summaries, &added);
        add_others(reader, summaries, &added);
        add_clocks(reader, summaries);
    } else if (summaries != NULL && summaries->kind != SY_JSON_NULL) {
        sy_import_reject_value(reader->draft, reader->json, summaries, "expected a list of summaries, found %s",
                               sy_json_kind_word(summaries->kind));
    }
    if (added.count > 0 && !added.any)
        sy_import_row_fail(reader->draft, "no time of it is a number");
    sy_import_row_end(reader->draft);
}

/* ---- the file ---- */

static void read_devices(nvbench_reader *reader)
{
    const sy_json_value *devices = sy_json_member(sy_json_root(reader->json), "devices");
    const sy_json_value *device = devices != NULL && devices->kind == SY_JSON_ARRAY ? devices->first : NULL;
    const char *only = "";

    for (; device != NULL; device = device->next) {
        const char *name = sy_import_text(reader->draft, reader->json, device, "name");
        int64_t id = -1;

        if (sy_json_get_i64(reader->json, sy_json_member(device, "id"), &id, NULL) != SY_OK || id < 0 ||
            id >= DEVICES_MAX || reader->device_names[id] != NULL)
            sy_import_reject_value(reader->draft, reader->json, device, "a device without an id of its own");
        else
            reader->device_names[id] = name;
        only = name;
    }
    if (devices != NULL && devices->count == 1)
        reader->draft->imported->device = only;
}

static void describe_file(nvbench_reader *reader)
{
    sy_import_draft *draft = reader->draft;
    const sy_json_value *root = sy_json_root(reader->json);
    const sy_json_value *meta = sy_json_member(root, "meta");
    const char *version = text_of(sy_json_member(sy_json_member(meta, "version"), "nvbench"), "string");

    draft->imported->tool = sy_arena_format(draft->arena, version[0] != '\0' ? "nvbench %.100s" : "nvbench%s", version);
    if (draft->imported->tool == NULL) {
        draft->imported->tool = "";
        draft->failed = true;
    }
    sy_import_settings(draft, reader->json, "meta", meta, NULL);
    sy_import_settings(draft, reader->json, "devices", sy_json_member(root, "devices"), NULL);
}

static sy_status read_nvbench(const sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    nvbench_reader reader = {.input = input, .draft = draft, .json = input->json, .status = SY_OK, .err = err};
    const sy_json_value *benchmarks = sy_json_member(sy_json_root(input->json), "benchmarks");

    if (benchmarks == NULL || benchmarks->kind != SY_JSON_ARRAY)
        return sy_json_fail(input->json, sy_json_root(input->json), err, "expected a list 'benchmarks'");
    sy_nvbench_samples_init(&reader.samples, input);
    read_devices(&reader);
    for (const sy_json_value *benchmark = sy_import_first_row(input, draft, benchmarks);
         benchmark != NULL && reader.status == SY_OK; benchmark = sy_import_next_row(input, draft, benchmark)) {
        const char *name = sy_import_text(draft, input->json, benchmark, "name");
        const sy_json_value *states = sy_json_member(benchmark, "states");

        if (states == NULL || states->kind != SY_JSON_ARRAY)
            sy_import_reject_value(draft, input->json, benchmark, "a benchmark without a list of its states");
        for (const sy_json_value *state = sy_import_first_row(input, draft, states);
             state != NULL && reader.status == SY_OK; state = sy_import_next_row(input, draft, state))
            read_state(&reader, name, state);
    }
    describe_file(&reader);
    sy_nvbench_samples_finish(&reader.samples);
    return reader.status;
}

static bool knows_json(const sy_json_value *root)
{
    const sy_json_value *benchmarks = sy_json_member(root, "benchmarks");
    const sy_json_value *version = sy_json_member(sy_json_member(root, "meta"), "version");

    return sy_json_member(version, "nvbench") != NULL || (benchmarks != NULL && benchmarks->kind == SY_JSON_ARRAY &&
                                                          sy_json_member(benchmarks->first, "states") != NULL);
}

const sy_import_reader sy_import_nvbench = {
    .format = SY_IMPORT_NVBENCH, .knows_json = knows_json, .read = read_nvbench};
