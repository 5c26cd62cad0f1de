/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's TunableOp: lines of comma-separated words without a header. Validators say with which versions the file
 * was made; every other line is a problem, the solution that won, and its time in milliseconds. Nothing is quoted:
 * PyTorch splits at commas, and so is read here. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "importers/tuning/tuning_readers.h"

#define VALIDATORS_MAX 64
#define OUR_BACKEND "STEELYARD_BACKEND"
#define OUR_VERSION "STEELYARD_VERSION"

typedef struct validator {
    const char *name;
    const char *value;
} validator;

typedef struct reading {
    sy_tuning_draft *draft;
    const char *text;
    validator validators[VALIDATORS_MAX];
    size_t validator_count;
    const char *backend;
    const char *version;
} reading;

bool sy_tuning_next_line(sy_tuning_cursor *cursor, sy_tuning_span *ret_line)
{
    const char *end;
    const char *at = cursor->at;

    if (at >= cursor->end)
        return false;
    end = memchr(at, '\n', (size_t)(cursor->end - at));
    cursor->start = at;
    cursor->at = end != NULL ? end + 1 : cursor->end;
    cursor->number += cursor->number < UINT32_MAX;
    end = end != NULL ? end : cursor->end;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *ret_line = (sy_tuning_span){at, (size_t)(end - at)};
    return true;
}

bool sy_tuning_knows_tunable_op(const char *text, size_t size)
{
    sy_tuning_cursor cursor = {text, text + size, 0, text};
    sy_tuning_span line;

    while (sy_tuning_next_line(&cursor, &line)) {
        sy_tuning_span op = sy_tuning_cut(&line, ',');

        if (op.length == 0 && line.length == 0)
            continue;
        return line.length > 0 && memchr(op.at, '=', op.length) == NULL &&
               (sy_tuning_span_is(op, "Validator") || memchr(op.at, '_', op.length) != NULL);
    }
    return false;
}

/* What goes into a version is JSON: two names that differ in bytes that are no text would be one there. */
static bool is_utf8(sy_tuning_span span)
{
    while (span.length > 0) {
        size_t length = sy_text_character_length(span.at, span.length);

        if (length == 0)
            return false;
        span = (sy_tuning_span){span.at + length, span.length - length};
    }
    return true;
}

static void read_validator(reading *r, const sy_tuning_line *line, sy_tuning_span rest)
{
    sy_tuning_span name = sy_tuning_cut(&rest, ',');
    sy_position position = sy_tuning_place(r->text, line, line->key.at);
    const char *kept;

    if (!sy_tuning_is_text(name) || !sy_tuning_is_text(rest) || !is_utf8(name) || !is_utf8(rest)) {
        r->draft->passed_over++;
        sy_tuning_find(r->draft, SY_TUNING_RULE_ENTRY, position, NULL, "a validator without a name and a value");
        return;
    }
    for (size_t i = 0; i < r->validator_count; i++) {
        if (!sy_tuning_span_is(name, r->validators[i].name))
            continue;
        if (!sy_tuning_span_is(rest, r->validators[i].value))
            sy_tuning_find(r->draft, SY_TUNING_RULE_VALIDATORS, sy_tuning_place(r->text, line, rest.at),
                           sy_tuning_copy(r->draft, rest.at, rest.length),
                           "%.80s is said to be another version before: the file is of several, the first counts",
                           r->validators[i].name);
        return;
    }
    if (r->validator_count == VALIDATORS_MAX) {
        r->draft->passed_over++;
        sy_tuning_find(r->draft, SY_TUNING_RULE_ENTRY, position, NULL, "more than %d validators", VALIDATORS_MAX);
        return;
    }
    kept = sy_tuning_copy(r->draft, name.at, name.length);
    r->validators[r->validator_count++] = (validator){kept, sy_tuning_copy(r->draft, rest.at, rest.length)};
}

/* Validators first, wherever they stand; the other lines are kept for later. */
static void read_lines(reading *r, size_t size)
{
    sy_tuning_cursor cursor = {r->text, r->text + size, 0, r->text};
    sy_tuning_span all;

    while (sy_tuning_next_line(&cursor, &all) && !r->draft->failed) {
        sy_tuning_span rest = all;
        sy_tuning_span op = sy_tuning_cut(&rest, ',');
        sy_tuning_span params = sy_tuning_cut(&rest, ',');
        sy_tuning_line line = {.key = all, .rest = rest, .number = cursor.number, .start = cursor.start};

        if (all.length == 0)
            continue;
        if (sy_tuning_span_is(op, "Validator")) {
            read_validator(r, &line, (sy_tuning_span){params.at, (size_t)(all.at + all.length - params.at)});
            continue;
        }
        r->draft->entries++;
        line.key.length = (size_t)(params.at + params.length - all.at);
        if (sy_tuning_is_text(op) && sy_tuning_is_text(params) && rest.length > 0) {
            sy_tuning_line_add(r->draft, line);
            continue;
        }
        r->draft->passed_over++;
        sy_tuning_find(r->draft, SY_TUNING_RULE_ENTRY, sy_tuning_place(r->text, &line, all.at), NULL,
                       "expected OPERATION,PROBLEM,SOLUTION[,MILLISECONDS]");
    }
}

static const char *find_validator(const reading *r, const char *name)
{
    for (size_t i = 0; i < r->validator_count; i++) {
        if (strcmp(r->validators[i].name, name) == 0)
            return r->validators[i].value;
    }
    return NULL;
}

const char *sy_tuning_backend_of_validator(const char *name)
{
    static const char *const backends[][2] = {
        {"GCN_ARCH_NAME", "hip"}, {"ROCM_VERSION", "hip"},    {"ROCBLAS_VERSION", "hip"},  {"HIPBLASLT_VERSION", "hip"},
        {"CUDA_VERSION", "cuda"}, {"CUBLAS_VERSION", "cuda"}, {"CUBLASLT_VERSION", "cuda"}};

    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        if (strcmp(backends[i][0], name) == 0)
            return backends[i][1];
    }
    return NULL;
}

static bool is_ours(const char *name)
{
    return strcmp(name, OUR_BACKEND) == 0 || strcmp(name, OUR_VERSION) == 0;
}

/* Only what the file says: the first in the order of bytes that is of one backend alone. */
static const char *backend_of(const reading *r)
{
    const char *least = NULL;

    if (r->draft->options->backend != NULL)
        return r->draft->options->backend;
    if (find_validator(r, OUR_BACKEND) != NULL)
        return find_validator(r, OUR_BACKEND);
    for (size_t i = 0; i < r->validator_count; i++) {
        const char *name = r->validators[i].name;

        if (sy_tuning_backend_of_validator(name) != NULL && (least == NULL || strcmp(name, least) < 0))
            least = name;
    }
    return least != NULL ? sy_tuning_backend_of_validator(least) : "tunableop";
}

/* All validators but ours as one canonical object: other versions are another key. */
static sy_status version_of(reading *r, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer;
    size_t foreign = 0;
    sy_status status;

    for (size_t i = 0; i < r->validator_count; i++)
        foreign += !is_ours(r->validators[i].name);

    r->version = r->draft->options->implementation_version;
    if (r->version == NULL)
        r->version = find_validator(r, OUR_VERSION);
    if (r->version == NULL && foreign == 0)
        r->version = "unknown";
    if (r->version != NULL)
        return SY_OK;
    writer = sy_json_writer_create(&text, SY_JSON_CANONICAL);
    sy_json_begin_object(writer);
    for (size_t i = 0; i < r->validator_count; i++) {
        if (is_ours(r->validators[i].name))
            continue;
        sy_json_member_text(writer, r->validators[i].name, r->validators[i].value);
    }
    sy_json_end_object(writer);
    status = sy_json_writer_finish(writer, err);
    if (status == SY_OK)
        r->version = sy_tuning_copy(r->draft, sy_text_bytes(&text), text.length);
    sy_text_finish(&text);
    return status;
}

static bool is_known_solution(sy_tuning_span solution)
{
    return sy_tuning_span_is(solution, "Default") || sy_tuning_span_begins(solution, "Gemm_Hipblaslt_") ||
           sy_tuning_span_begins(solution, "Gemm_Rocblas_");
}

/* The time of a line; NaN where there is none or none that can be true. false: the line is none. */
static bool read_time(reading *r, const sy_tuning_line *line, sy_tuning_span rest, bool has_time, double *ret_time)
{
    sy_position position = sy_tuning_place(r->text, line, rest.at);
    const char *found = sy_tuning_copy(r->draft, rest.at, rest.length < 64 ? rest.length : 64);
    const char *why;

    *ret_time = NAN;
    if (!has_time)
        return true;
    if (!sy_tuning_number(rest, ret_time)) {
        sy_tuning_find(r->draft, SY_TUNING_RULE_ENTRY, position, found, "the time is no number of milliseconds");
        return false;
    }
    why = sy_tuning_unbelievable(*ret_time);
    if (why != NULL) {
        sy_tuning_find(r->draft, SY_TUNING_RULE_TIME, position, found,
                       "a time of %s ms is %s: the winner is kept without", found, why);
        *ret_time = NAN;
    }
    return true;
}

/* Again what a line before has said: the first counts, as it does for PyTorch. */
static void pass_over(reading *r, const sy_tuning_line *line, sy_tuning_span solution)
{
    const sy_tuning_line *first = &r->draft->lines[line->first];
    sy_tuning_span rest = first->rest;
    sy_tuning_span won = sy_tuning_cut(&rest, ',');
    sy_position position = sy_tuning_place(r->text, line, line->key.at);

    r->draft->passed_over++;
    if (won.length == solution.length && memcmp(won.at, solution.at, won.length) == 0)
        sy_tuning_note(r->draft, SY_TUNING_RULE_DUPLICATE, position, "the same problem and winner as in line %u",
                       (unsigned)first->number);
    else
        sy_tuning_find(r->draft, SY_TUNING_RULE_DUPLICATE, position,
                       sy_tuning_copy(r->draft, solution.at, solution.length < 128 ? solution.length : 128),
                       "line %u has this problem with another winner: the first counts", (unsigned)first->number);
}

static void read_entry(reading *r, size_t index)
{
    sy_tuning_draft *draft = r->draft;
    bool counts = sy_tuning_line_counts(draft, index);
    const sy_tuning_line *line = &draft->lines[index];
    sy_tuning_span rest = line->rest;
    sy_tuning_span solution = sy_tuning_cut(&rest, ',');
    sy_tuning_span params = line->key;
    sy_tuning_span op = sy_tuning_cut(&params, ',');
    sy_position position = sy_tuning_place(r->text, line, line->key.at);
    sy_tuning_gemm gemm;
    sy_tuned *tuned;
    double time;

    if (!counts) {
        pass_over(r, line, solution);
        return;
    }
    if (!sy_tuning_is_text(solution) || !read_time(r, line, rest, rest.at > solution.at + solution.length, &time)) {
        draft->passed_over++;
        draft->lines[line->first].unread = true;
        if (!sy_tuning_is_text(solution))
            sy_tuning_find(draft, SY_TUNING_RULE_ENTRY, sy_tuning_place(r->text, line, solution.at), NULL,
                           "a line without the name of a solution");
        return;
    }
    if (draft->lints && !is_known_solution(solution))
        sy_tuning_find(draft, SY_TUNING_RULE_SOLUTION, sy_tuning_place(r->text, line, solution.at),
                       sy_tuning_copy(draft, solution.at, solution.length < 128 ? solution.length : 128),
                       "no solution that TunableOp is known to have");
    sy_tuning_gemm_key(draft, op, params, &gemm);
    tuned = sy_tuning_add(draft, r->backend, gemm.operator_name, r->version, &gemm.structure,
                          sy_tuning_copy(draft, solution.at, solution.length), position);
    if (tuned != NULL && !isnan(time)) {
        sy_measurement measured = {"time", time, "ms"};

        sy_tuning_measurements(draft, &tuned->profile, &measured, 1);
    }
}

sy_status sy_tuning_read_tunable_op(const char *text, size_t size, sy_tuning_draft *draft, sy_error *err)
{
    reading r = {.draft = draft, .text = text};
    sy_status status;

    draft->format = SY_TUNING_TUNABLE_OP;
    read_lines(&r, size);
    if (r.validator_count == 0 && draft->line_count == 0 && !draft->failed)
        return sy_fail(err, SY_CORRUPT, "there is no line of TunableOp in it");
    r.backend = backend_of(&r);
    status = version_of(&r, err);
    if (status == SY_OK)
        status = sy_tuning_lines_match(draft, err);
    for (size_t i = 0; i < draft->line_count && status == SY_OK && !draft->failed; i++)
        read_entry(&r, i);
    return status;
}
