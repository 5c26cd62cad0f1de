/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as other tuners' files: which can be written at all, what remains, and the lines of TunableOp and MIOpen. A
 * key is written only if it is read again as the same one. */
#include "importers/tuning/tuning_write.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void sy_tuning_unwritable(sy_tuning_writing *writing, const sy_profile *profile, const char *why)
{
    writing->unwritten[writing->unwritten_count++] = (sy_tuning_unwritten){profile, why};
}

const char *sy_tuning_never_written(const sy_profile *profile)
{
    if (profile->kind == SY_PROFILE_OVERRIDE)
        return "an override is no result of a tuner";
    if (profile->has_trial && profile->trial.decision == SY_DECISION_INCONCLUSIVE)
        return "it is undecided";
    if (!profile->portable)
        return "its key is exact: it does not say the problem";
    if (strlen(profile->policy) != profile->policy_size)
        return "a 0 byte stands in its policy";
    return NULL;
}

double sy_tuning_measured(const sy_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        if (strcmp(profile->measurements[i].name, name) == 0)
            return profile->measurements[i].value;
    }
    return NAN;
}

double sy_tuning_milliseconds(const sy_profile *profile)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        const sy_measurement *measurement = &profile->measurements[i];

        if (strcmp(measurement->name, "time") == 0 && sy_text_equal(measurement->unit, "ms"))
            return measurement->value;
    }
    return 1e3 * sy_tuning_seconds(profile);
}

bool sy_tuning_same_problem(const sy_profile_key *key, const sy_tuning_gemm *read)
{
    if (strcmp(key->operator_name, read->operator_name) != 0 || key->structure_count != read->structure.count)
        return false;
    for (size_t i = 0; i < key->structure_count; i++) {
        if (strcmp(key->structure[i].name, read->structure.list[i].name) != 0 ||
            strcmp(key->structure[i].value, read->structure.list[i].value) != 0)
            return false;
    }
    return true;
}

/* A byte order mark would be none of the text at a file's beginning. */
static bool is_plain(const char *text, const char *separators)
{
    return !sy_text_begins(text, "\xef\xbb\xbf") && text[0] != '\0' && strpbrk(text, separators) == NULL &&
           text[0] != ' ' && text[0] != '\t' && strchr(" \t", text[strlen(text) - 1]) == NULL;
}

/* ---- TunableOp ---- */

/* The problem's two columns into `line`, if they are read again as this key. */
static bool append_problem(sy_tuning_writing *w, const sy_profile *profile)
{
    sy_tuning_gemm again;
    sy_tuning_span op;
    sy_tuning_span params;

    if (!sy_tuning_gemm_text(&profile->key, &w->line) || w->line.failed)
        return false;
    params = (sy_tuning_span){w->line.bytes, w->line.length};
    op = sy_tuning_cut(&params, ',');
    if (!sy_tuning_is_text(op) || !sy_tuning_is_text(params) || !is_plain(w->line.bytes, "\r\n") ||
        sy_tuning_span_is(op, "Validator"))
        return false;
    sy_tuning_gemm_key(&w->draft, op, params, &again);
    return sy_tuning_same_problem(&profile->key, &again);
}

/* Takes back what was appended behind a length. */
static void cut_back(sy_text *text, size_t length)
{
    if (text->length > length) {
        text->length = length;
        text->bytes[length] = '\0';
    }
}

/* A version that was made of validators, as lines again. false: it is no such object. *ret_backend: which backend they
 * are of. */
static bool append_validators(sy_text *to, const char *version, const char **ret_backend)
{
    sy_json *json = NULL;
    size_t start = to->length;
    bool known = sy_json_parse(version, strlen(version), NULL, &json, NULL) == SY_OK &&
                 sy_json_root(json)->kind == SY_JSON_OBJECT && sy_json_root(json)->count > 0;

    *ret_backend = NULL;
    for (const sy_json_value *one = known ? sy_json_root(json)->first : NULL; one != NULL && known; one = one->next) {
        known = one->kind == SY_JSON_TEXT && is_plain(one->name, ",\r\n") && is_plain(one->text, "\r\n");
        if (known)
            sy_text_append_format(to, "Validator,%s,%s\n", one->name, one->text);
        if (known && *ret_backend == NULL)
            *ret_backend = sy_tuning_backend_of_validator(one->name);
    }
    sy_json_destroy(json);
    if (!known)
        cut_back(to, start);
    return known;
}

static void append_head(sy_text *to, const sy_profile_key *key)
{
    const char *backend = NULL;
    bool foreign = append_validators(to, key->implementation_version, &backend);

    if (!foreign && strcmp(key->implementation_version, "unknown") != 0)
        sy_text_append_format(to, "Validator,STEELYARD_VERSION,%s\n", key->implementation_version);
    if (strcmp(backend != NULL && foreign ? backend : "tunableop", key->backend) != 0)
        sy_text_append_format(to, "Validator,STEELYARD_BACKEND,%s\n", key->backend);
}

/* Why a line cannot be; the problem's text goes to `problem`. NULL: it can. */
static const char *refuse_line(sy_tuning_writing *w, const sy_profile *profile, const sy_profile_key *first)
{
    const char *why = sy_tuning_never_written(profile);

    if (why != NULL)
        return why;
    if (!append_problem(w, profile))
        return "its key is no matrix product that TunableOp can name";
    if (!is_plain(profile->policy, ",\r\n"))
        return "its policy is no word that stands between commas";
    if (first == NULL)
        return is_plain(profile->key.implementation_version, "\r\n") && is_plain(profile->key.backend, "\r\n")
                   ? NULL
                   : "its version or backend does not fit on a line";
    return strcmp(first->backend, profile->key.backend) == 0 &&
                   strcmp(first->implementation_version, profile->key.implementation_version) == 0
               ? NULL
               : "another backend or version than the first: a file of TunableOp is of one";
}

/* NULL: it was written. */
static const char *write_line(sy_tuning_writing *w, const sy_profile *profile, const sy_profile_key **first)
{
    double time = sy_tuning_milliseconds(profile);
    const char *why;

    sy_text_clear(&w->line);
    why = refuse_line(w, profile, *first);
    if (why != NULL)
        return why;
    if (*first == NULL)
        append_head(&w->text, &profile->key);
    *first = &profile->key;
    sy_text_append_format(&w->text, "%s,%s", sy_text_bytes(&w->line), profile->policy);
    if (isfinite(time)) {
        sy_text_append(&w->text, ",");
        sy_text_append_double(&w->text, time);
    }
    sy_text_append(&w->text, "\n");
    return NULL;
}

static sy_status write_lines(sy_tuning_writing *w,
                             const char *(*line)(sy_tuning_writing *, const sy_profile *, const sy_profile_key **))
{
    const sy_profile_key *first = NULL;

    for (size_t i = 0; i < w->count; i++) {
        const char *why = line(w, w->profiles[i], &first);

        if (why != NULL) {
            sy_tuning_unwritable(w, w->profiles[i], why);
            continue;
        }
        w->written++;
        w->left_out += w->profiles[i]->alternative_count;
    }
    return SY_OK;
}

sy_status sy_tuning_write_tunable_op(sy_tuning_writing *writing, sy_error *err)
{
    (void)err;
    return write_lines(writing, write_line);
}

/* ---- MIOpen ---- */

/* Which algorithm a solver is of, as its name tells; NULL = the name does not. */
static const char *algorithm_of(const char *solver)
{
    static const char *const families[][2] = {{"ImplicitGemm", "ImplicitGEMM"},
                                              {"ImplicitGEMM", "ImplicitGEMM"},
                                              {"Winograd", "Winograd"},
                                              {"Gemm", "GEMM"},
                                              {"gemm", "GEMM"},
                                              {"Direct", "Direct"},
                                              {"fft", "FFT"},
                                              {"ConvAsm", "Direct"},
                                              {"ConvOcl", "Direct"}};

    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strstr(solver, families[i][0]) != NULL)
            return families[i][1];
    }
    return NULL;
}

static const char *direction_word(const char *problem)
{
    const char *last = strrchr(problem, '-');

    return last == NULL     ? NULL
           : last[1] == 'F' ? "Fwd"
           : last[1] == 'B' ? "BwdData"
           : last[1] == 'W' ? "BwdWeights"
                            : NULL;
}

/* The problem into `line`, if it is read again as this key. */
static bool append_convolution(sy_tuning_writing *w, const sy_profile *profile)
{
    sy_tuning_gemm again;
    const char *text;

    sy_text_clear(&w->line);
    if (!sy_tuning_problem_text(&profile->key, &w->line) || w->line.failed)
        return false;
    text = sy_text_bytes(&w->line);
    if (!is_plain(text, "=\r\n") || strchr(text, '-') == NULL || w->line.length > SY_TUNING_TEXT_MAX)
        return false;
    sy_tuning_problem_key(&w->draft, (sy_tuning_span){text, w->line.length}, &again);
    return sy_tuning_same_problem(&profile->key, &again);
}

static const char *write_solver(sy_tuning_writing *w, const sy_profile *profile, bool first_version)
{
    double time = sy_tuning_milliseconds(profile);
    double workspace = sy_tuning_measured(profile, "workspace");
    const char *algorithm = algorithm_of(profile->policy);
    const char *why = sy_tuning_never_written(profile);
    const char *direction;

    if (why != NULL)
        return why;
    if (!append_convolution(w, profile) || (direction = direction_word(sy_text_bytes(&w->line))) == NULL)
        return "its key is no convolution that MIOpen can name";
    if (!is_plain(profile->policy, ",;:=\r\n") || algorithm == NULL)
        return "its policy is no solver of MIOpen whose algorithm is known";
    if (!(time > 0) || isinf(time))
        return "its time is not known";
    if (!(workspace >= 0) || workspace > 1e15)
        return "its workspace is not known";
    sy_text_append(&w->text, sy_text_bytes(&w->line));
    if (first_version)
        sy_text_append_format(&w->text, "=miopenConvolution%sAlgo%s:%s,", direction, algorithm, profile->policy);
    else
        sy_text_append_format(&w->text, "=%s:", profile->policy);
    sy_text_append_double(&w->text, time);
    sy_text_append_format(&w->text, ",%.0f,miopenConvolution%sAlgo%s%s\n", workspace, direction, algorithm,
                          first_version ? ",not used" : "");
    return NULL;
}

static const char *write_first(sy_tuning_writing *w, const sy_profile *profile, const sy_profile_key **first)
{
    (void)first;
    return write_solver(w, profile, true);
}

static const char *write_second(sy_tuning_writing *w, const sy_profile *profile, const sy_profile_key **first)
{
    (void)first;
    return write_solver(w, profile, false);
}

sy_status sy_tuning_write_miopen(sy_tuning_writing *writing, bool first_version, sy_error *err)
{
    (void)err;
    return write_lines(writing, first_version ? write_first : write_second);
}

/* ---- all ---- */

static sy_status write_as(sy_tuning_writing *w, sy_tuning_format format, sy_error *err)
{
    switch (format) {
    case SY_TUNING_TUNABLE_OP:
        return sy_tuning_write_tunable_op(w, err);
    case SY_TUNING_MIOPEN:
    case SY_TUNING_MIOPEN_1:
        return sy_tuning_write_miopen(w, format == SY_TUNING_MIOPEN_1, err);
    case SY_TUNING_KERNEL_TUNER:
    case SY_TUNING_T4:
        return sy_tuning_write_search(w, format == SY_TUNING_T4, err);
    default:
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is no tuner's format to write", sy_tuning_format_word(format));
    }
}

static sy_status take(sy_tuning_writing *w, sy_tuning_text **ret_text, sy_error *err)
{
    sy_arena *arena = w->draft.arena;
    sy_tuning_text *result = sy_arena_allocate(arena, 1, sizeof *result);
    const char *text = w->text.failed || w->line.failed
                           ? NULL
                           : sy_arena_copy_bytes(arena, sy_text_bytes(&w->text), w->text.length);

    if (result == NULL || text == NULL || w->draft.failed)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", w->count);
    *result = (sy_tuning_text){.text = text,
                               .size = w->text.length,
                               .written = w->written,
                               .unwritten = w->unwritten,
                               .unwritten_count = w->unwritten_count,
                               .alternatives_left_out = w->left_out,
                               .owner = arena};
    w->draft.arena = NULL;
    *ret_text = result;
    return SY_OK;
}

sy_status sy_tuning_write(sy_tuning_format format, const sy_profile *const *profiles, size_t count,
                          sy_tuning_text **ret_text, sy_error *err)
{
    sy_tuning_writing w = {.text = SY_TEXT_INIT, .line = SY_TEXT_INIT, .profiles = profiles, .count = count};
    sy_status status = sy_tuning_draft_init(&w.draft, "", NULL, err);

    if (status == SY_OK) {
        w.unwritten = sy_arena_allocate(w.draft.arena, count, sizeof *w.unwritten);
        status = w.unwritten != NULL ? write_as(&w, format, err)
                                     : sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", count);
    }
    if (status == SY_OK)
        status = take(&w, ret_text, err);
    sy_text_finish(&w.text);
    sy_text_finish(&w.line);
    sy_tuning_draft_finish(&w.draft);
    return status;
}

void sy_tuning_text_destroy(sy_tuning_text *text)
{
    if (text != NULL)
        sy_arena_destroy(text->owner);
}
