/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a recorded run before anything is timed: the sources, the machine, the cases, the gate, and the
 * comparison key that they make. */
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evidence/recorded/recording.h"
#include "evidence/run_key.h"
#include "evidence/source/source.h"
#include "registry/matrix/matrix.h"
#include "registry/registry.h"

/* What a timed run of ours is, where no gate says it otherwise. */
#define BOUNDARY_OF_GRAPHS "one run, from its submission until it is done; buffers are allocated and filled before"
#define BOUNDARY_OF_PROGRAMS "one process, from its start to its end"

enum { KNOWN_MAX = 5, PARAMETERS_MAX = 4, SOURCE_DIGITS = 16 };

typedef struct description {
    sy_recording *recording;
    const sy_recording_options *options;
    sy_arena *arena;
    const sy_gate_plan *plan; /* NULL: no gate */
    sy_registry *registry;
    const sy_case **cases; /* that will be measured */
    size_t case_count;
    bool of_programs;
    sy_named_text known[KNOWN_MAX];
    size_t known_count;
    size_t diff_size; /* of the difference that is kept; 0 = none is */
    sy_run_begin begin;
} description;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to describe a run");
}

/* ---- cases ---- */

static sy_status choose_cases(description *d, sy_error *err)
{
    const sy_suite *suite = d->options->suite;
    if (suite == NULL) {
        return SY_OK;
    }
    size_t *indices = sy_arena_allocate(d->arena, suite->case_count + 1, sizeof *indices);
    d->cases = sy_arena_allocate(d->arena, suite->case_count + 1, sizeof *d->cases);
    if (indices == NULL || d->cases == NULL) {
        return no_memory(err);
    }
    sy_status status = sy_suite_select_cases(suite, d->options->cases, d->options->case_count, indices, &d->case_count,
                                             err);
    for (size_t i = 0; status == SY_OK && i < d->case_count; i++) {
        d->cases[i] = &suite->cases[indices[i]];
    }
    return status;
}

static void append_shape(sy_text *to, const sy_case *c)
{
    for (size_t i = 0; i < c->property_count; i++) {
        sy_text_append_format(to, "%s%s=%lld", i > 0 ? " " : "", c->properties[i].name,
                              (long long)c->properties[i].value);
    }
}

static void append_names(sy_text *to, const description *d)
{
    for (size_t i = 0; i < d->case_count; i++) {
        sy_text_append_format(to, "%s%s", i > 0 ? ", " : "", d->cases[i]->name);
    }
}

/* Each type of data once. */
static void append_dtypes(sy_text *to, const description *d)
{
    for (size_t i = 0; i < d->case_count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i; k++) {
            is_new &= d->cases[k]->dtype != d->cases[i]->dtype;
        }
        if (is_new) {
            sy_text_append_format(to, "%s%s", to->length > 0 ? ", " : "", sy_dtype_word(d->cases[i]->dtype));
        }
    }
}

/* Inputs are made, by the suite's version, of the cases: "matmul 1, cases 0123456789abcdef". */
static void append_source(sy_text *to, const description *d)
{
    const sy_suite *suite = d->options->suite;
    sy_text text = SY_TEXT_INIT;
    sy_digest digest;
    char digits[SY_DIGEST_TEXT];
    for (size_t i = 0; i < d->case_count; i++) {
        sy_text_append_format(&text, "%s %s ", d->cases[i]->name, sy_dtype_word(d->cases[i]->dtype));
        append_shape(&text, d->cases[i]);
        sy_text_append(&text, " weight=");
        sy_text_append_double(&text, d->cases[i]->weight);
        sy_text_append(&text, "\n");
    }
    sy_digest_of(sy_text_bytes(&text), text.length, &digest);
    sy_digest_format(&digest, digits);
    sy_text_append_format(to, "%s %s, cases %.*s", suite->operation, suite->version, SOURCE_DIGITS, digits);
    to->failed |= text.failed;
    sy_text_finish(&text);
}

/* Takes the text, which is finished; an empty one says nothing. */
static sy_status add_known(description *d, const char *name, sy_text *text, sy_error *err)
{
    const char *value = text->failed ? NULL : sy_arena_copy_text(d->arena, sy_text_bytes(text));
    sy_text_finish(text);
    if (value == NULL) {
        return no_memory(err);
    }
    if (value[0] != '\0') {
        d->known[d->known_count++] = (sy_named_text){name, value};
    }
    return SY_OK;
}

static sy_status describe_cases(description *d, sy_error *err)
{
    sy_text shape = SY_TEXT_INIT, dtype = SY_TEXT_INIT, source = SY_TEXT_INIT;
    bool has_shapes = d->case_count > 0 && !d->of_programs;
    if (has_shapes && d->case_count == 1) {
        append_shape(&shape, d->cases[0]);
    } else if (has_shapes) {
        sy_text_append_format(&shape, "%zu cases: ", d->case_count);
        append_names(&shape, d);
    }
    if (has_shapes) {
        append_dtypes(&dtype, d);
        append_source(&source, d);
    }
    sy_status status = add_known(d, "run_shape", &shape, err);
    sy_status dtype_status = add_known(d, "run_dtype", &dtype, status != SY_OK ? NULL : err);
    sy_status source_status = add_known(d, "run_source", &source,
                                        status != SY_OK || dtype_status != SY_OK ? NULL : err);
    status = status != SY_OK ? status : dtype_status;
    return status != SY_OK ? status : source_status;
}

static sy_status add_parameters(description *d, sy_error *err)
{
    sy_text names = SY_TEXT_INIT;
    append_names(&names, d);
    const char *cases = names.failed ? NULL : sy_recording_clean(d->recording, sy_text_bytes(&names));
    const char *copy = cases != NULL ? sy_arena_copy_text(d->arena, cases) : NULL;
    sy_text_finish(&names);
    const sy_named_text parameters[PARAMETERS_MAX] = {
        {"operation", d->options->suite != NULL ? d->options->suite->operation : ""},
        {"implementation", sy_recording_clean(d->recording, d->options->implementation)},
        {"cases", copy},
        {"cache", sy_cache_state_word(d->options->cache)},
    };
    sy_named_text *kept = sy_arena_allocate(d->arena, PARAMETERS_MAX, sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; i < PARAMETERS_MAX; i++) {
        if (kept == NULL || parameters[i].value == NULL) {
            return no_memory(err);
        }
        if (parameters[i].value[0] != '\0') {
            kept[count++] = parameters[i];
        }
    }
    d->begin.parameters = kept;
    d->begin.parameter_count = count;
    return SY_OK;
}

/* ---- place ---- */

/* What is measured on a device that somebody scripted is made up. */
static bool is_synthetic(const sy_device_info *device)
{
    return strcmp(device->backend, "fake") == 0;
}

static sy_status add_place(description *d, sy_error *err)
{
    const sy_device_info *device = d->options->device;
    const sy_identity *identity = d->options->identity;
    size_t count = identity != NULL ? identity->field_count : 0;
    sy_identity_field *fields = sy_arena_allocate(d->arena, count + 1, sizeof *fields);
    const char *host = identity != NULL ? sy_identity_get(identity, "host.name") : NULL;
    sy_run_place place = {.host = sy_recording_clean(d->recording, host),
                          .backend = device->backend,
                          .device = device->name,
                          .description = sy_recording_clean(d->recording, device->description),
                          .hardware = is_synthetic(device)                ? 0
                                      : device->kind == SY_DEVICE_UNKNOWN ? -1
                                                                          : 1,
                          .synthetic = is_synthetic(device)};
    bool kept = fields != NULL && place.host != NULL && place.description != NULL;
    for (size_t i = 0; kept && i < count; i++) {
        fields[i] = identity->fields[i];
        fields[i].value = sy_recording_clean(d->recording, identity->fields[i].value);
        kept = fields[i].value != NULL;
    }
    place.identity = (sy_identity){fields, count};
    d->begin.place = place;
    d->recording->device = sy_arena_copy_text(d->recording->arena, place.device);
    d->recording->host = kept ? sy_arena_copy_text(d->recording->arena, place.host) : NULL;
    return d->recording->host != NULL && d->recording->device != NULL ? SY_OK : no_memory(err);
}

/* ---- sources ---- */

/* The difference of a dirty tree is kept before the run names it. */
static sy_status add_source(description *d, sy_error *err)
{
    sy_recording *recording = d->recording;
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    sy_source source = {0};
    char digest[65];
    options.folder = sy_project_root(recording->project);
    sy_status status = sy_source_describe(&options, d->arena, &source, err);
    if (status == SY_OK && source.diff != NULL) {
        status = sy_ledger_keep(sy_project_ledger(recording->project), source.diff, source.diff_size, digest, err);
    }
    d->begin.source = source.run;
    d->diff_size = source.diff != NULL ? source.diff_size : 0;
    sy_source_finish(&source);
    return status;
}

static sy_status add_diff_event(const description *d, sy_error *err)
{
    sy_run_artifact artifact = {SY_ARTIFACT_DIFF, "source.diff", d->begin.source.diff_digest, d->diff_size};
    return d->diff_size > 0 ? sy_event_list_artifact(&d->recording->events, &artifact, err) : SY_OK;
}

/* ---- gate, key ---- */

static sy_status read_gate(description *d, sy_run_kind kind, sy_error *err)
{
    sy_gate_plan *plan = NULL;
    if (d->options->gate == NULL) {
        return SY_OK;
    }
    plan = sy_arena_allocate(d->arena, 1, sizeof *plan);
    if (plan == NULL) {
        return no_memory(err);
    }
    sy_status status = sy_gate_plan_read(d->registry, d->options->gate, d->arena, plan, err);
    if (status == SY_OK) {
        status = sy_recording_check_gate(d->registry, plan, kind, d->options, err);
    }
    d->plan = plan;
    return status;
}

static const char *gate_field(const description *d, const char *name, const char *otherwise)
{
    const char *value = d->plan != NULL ? sy_gate_plan_field(d->plan, name) : NULL;
    return value != NULL ? value : otherwise;
}

static const char *protocol_of(const description *d, sy_run_kind kind)
{
    const struct sy_matrix_part *matrix = sy_registry_matrix_part(d->registry);
    if (kind == SY_RUN_KIND_DECISION) {
        return "steelyard-probe/1";
    }
    return matrix != NULL && matrix->protocol_version != NULL ? matrix->protocol_version : "steelyard-profile/v1";
}

static sy_status clean_key(const description *d, sy_comparison_key *key, sy_error *err)
{
    sy_named_text *fields = sy_arena_allocate(d->arena, key->field_count + 1, sizeof *fields);
    if (fields == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < key->field_count; i++) {
        fields[i] = key->fields[i];
        if (fields[i].value != NULL) {
            fields[i].value = sy_recording_clean(d->recording, fields[i].value);
            if (fields[i].value == NULL) {
                return no_memory(err);
            }
        }
    }
    key->fields = fields;
    return SY_OK;
}

static sy_status add_key(description *d, sy_error *err)
{
    d->known[d->known_count++] = (sy_named_text){"run_cache_state", sy_cache_state_word(d->options->cache)};
    d->known[d->known_count++] = (sy_named_text){"run_timing_boundary",
                                                 d->of_programs ? BOUNDARY_OF_PROGRAMS : BOUNDARY_OF_GRAPHS};
    sy_run_key_facts facts = {.plan = d->plan,
                              .protocol = d->begin.protocol,
                              .cell = d->begin.cell,
                              .identity = d->options->identity,
                              .software = d->of_programs ? NULL : d->options->software,
                              .source = &d->begin.source,
                              .known = d->known,
                              .known_count = d->known_count,
                              .given = d->options->key,
                              .given_count = d->options->key_count};
    sy_status status = sy_run_key_fill(d->registry, &facts, d->arena, &d->begin.key, err);
    if (status == SY_OK) {
        status = clean_key(d, &d->begin.key, err);
    }
    if (status != SY_OK) {
        return status;
    }
    d->recording->unknown = sy_run_key_unknown(&d->begin.key, d->arena);
    return d->recording->unknown != NULL ? SY_OK : no_memory(err);
}

/* ---- the event ---- */

static sy_status add_question(description *d, sy_run_kind kind, sy_error *err)
{
    const sy_recording_options *options = d->options;
    const char *operation = options->suite != NULL ? options->suite->operation : "it";
    const char *question = options->question;
    if (question == NULL && d->plan != NULL && d->plan->question[0] != '\0') {
        question = d->plan->question;
    }
    if (question == NULL && kind == SY_RUN_KIND_DECISION) {
        question = sy_arena_format(d->arena, "Which implementation of %s is to be used on %s?", operation,
                                   options->device->name);
    } else if (question == NULL) {
        question = sy_arena_format(d->arena, "How long does %s take on %s?",
                                   options->implementation != NULL ? options->implementation : operation,
                                   options->device->name);
    }
    d->begin.question = question != NULL ? sy_recording_clean(d->recording, question) : NULL;
    return d->begin.question != NULL ? SY_OK : no_memory(err);
}

static sy_status add_words(description *d, sy_run_kind kind, sy_error *err)
{
    const sy_recording_options *options = d->options;
    const char *own_cell = sy_arena_format(
        d->arena, "%s::%s", options->suite != NULL ? options->suite->operation : "unknown", options->device->backend);
    if (own_cell == NULL) {
        return no_memory(err);
    }
    d->begin.id = d->recording->run;
    d->begin.kind = kind;
    d->begin.status = SY_RUN_PLANNED;
    d->begin.gate = options->gate != NULL ? options->gate : "";
    d->begin.cell = d->plan != NULL && d->plan->cell[0] != '\0' ? d->plan->cell : own_cell;
    d->begin.tier = d->plan != NULL && d->plan->tier != NULL ? d->plan->tier : "";
    d->begin.protocol = protocol_of(d, kind);
    d->begin.cache_state = gate_field(d, "cache_state", sy_cache_state_word(options->cache));
    d->begin.timing_boundary = gate_field(d, "timing_boundary",
                                          d->of_programs ? BOUNDARY_OF_PROGRAMS : BOUNDARY_OF_GRAPHS);
    d->begin.origin = d->begin.origin_digest = d->begin.origin_time = "";
    return SY_OK;
}

/* The command as it stands in events. */
static sy_status clean_argv(sy_recording *recording, const sy_recording_options *options, sy_error *err)
{
    if (options->argv == NULL) {
        return SY_OK;
    }
    const char **argv = sy_arena_allocate(recording->arena, options->argc + 1, sizeof *argv);
    bool kept = argv != NULL;
    for (size_t i = 0; kept && i < options->argc; i++) {
        argv[i] = sy_recording_clean(recording, options->argv[i]);
        argv[i] = argv[i] != NULL ? sy_arena_copy_text(recording->arena, argv[i]) : NULL;
        kept = argv[i] != NULL;
    }
    recording->argv = argv;
    recording->argc = options->argc;
    return kept ? SY_OK : no_memory(err);
}

sy_status sy_recording_describe(sy_recording *recording, sy_run_kind kind, const sy_recording_options *options,
                                sy_error *err)
{
    description d = {.recording = recording,
                     .options = options,
                     .arena = recording->arena,
                     .of_programs = strcmp(options->device->backend, "command") == 0};
    sy_status status = sy_project_registry(recording->project, &d.registry, err);
    if (status == SY_OK) {
        status = clean_argv(recording, options, err);
    }
    if (status == SY_OK) {
        status = read_gate(&d, kind, err);
    }
    if (status == SY_OK) {
        status = choose_cases(&d, err);
    }
    if (status == SY_OK) {
        status = describe_cases(&d, err);
    }
    if (status == SY_OK) {
        status = add_words(&d, kind, err);
    }
    if (status == SY_OK) {
        status = add_question(&d, kind, err);
    }
    if (status == SY_OK) {
        status = add_parameters(&d, err);
    }
    if (status == SY_OK) {
        status = add_place(&d, err);
    }
    if (status == SY_OK) {
        status = add_source(&d, err);
    }
    if (status == SY_OK) {
        status = add_key(&d, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_begin(&recording->events, &d.begin, err);
    }
    return status != SY_OK ? status : add_diff_event(&d, err);
}
