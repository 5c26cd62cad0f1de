/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment's manifest, held against its rules: complete, its own, with a revision, digests and times that can be
 * so. What other files say of the run is not looked at here. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "registry/experiments/experiments.h"
#include "registry/files/instant.h"
#include "registry/files/look.h"

/* SHA-256 of no bytes: what a tool writes that digests the diff of a clean tree all the same. */
#define DIGEST_OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const char *const status_words[] = {
    [SY_EXPERIMENT_NO_STATUS] = "unknown",     [SY_EXPERIMENT_PLANNED] = "planned", [SY_EXPERIMENT_RUNNING] = "running",
    [SY_EXPERIMENT_COMPLETED] = "completed",   [SY_EXPERIMENT_FAILED] = "failed",   [SY_EXPERIMENT_REFUTED] = "refuted",
    [SY_EXPERIMENT_SUPERSEDED] = "superseded",
};

sy_experiment_status sy_experiment_status_read(const char *word)
{
    for (int i = SY_EXPERIMENT_PLANNED; i <= SY_EXPERIMENT_SUPERSEDED; i++) {
        if (sy_text_equal(word, status_words[i])) {
            return (sy_experiment_status)i;
        }
    }
    return SY_EXPERIMENT_NO_STATUS;
}

const char *sy_experiment_status_word(sy_experiment_status status)
{
    return status_words[status];
}

bool sy_experiment_status_is_final(sy_experiment_status status)
{
    return status >= SY_EXPERIMENT_COMPLETED;
}

/* Whether a member that may be left out is there: null leaves it out. */
static bool is_given(const sy_json_value *member)
{
    return member != NULL && member->kind != SY_JSON_NULL;
}

/* ---- the run itself ---- */

static void check_identity(const sy_document *document, const sy_json_value *root, const char *id)
{
    sy_look_schema_version(document, root);
    const char *named = sy_look_text(document, root, "experiment_id");
    if (named != NULL && strcmp(named, id) != 0) {
        sy_complain(document, sy_json_member(root, "experiment_id"), SY_RULE_RUN_ID,
                    "'experiment_id' must be '%s', the name of its folder", id);
    }
    (void)sy_look_text(document, root, "question");
}

static sy_experiment_status check_status(const sy_document *document, const sy_json_value *root)
{
    const char *word = sy_look_text(document, root, "status");
    sy_experiment_status status = sy_experiment_status_read(word);
    if (word != NULL && status == SY_EXPERIMENT_NO_STATUS) {
        sy_complain(document, sy_json_member(root, "status"), SY_RULE_RUN_STATUS,
                    "'status' must be planned, running, completed, failed, refuted or superseded");
    }
    return status;
}

/* A text of that many lower-case hexadecimal digits; false: absent or null, where it may be. */
static bool check_hex(const sy_document *document, const sy_json_value *value, size_t digits, sy_rule_id rule)
{
    if (!is_given(value)) {
        return false;
    }
    char what[96];
    (void)snprintf(what, sizeof what, "'%s'", value->name);
    if (sy_look_kind(document, value, what, SY_JSON_TEXT) && !sy_is_hex(value->text, digits) &&
        !sy_json_is_cut(document->json, value)) {
        sy_complain(document, value, rule, "'%s' must be %zu lower-case hexadecimal digits", value->name, digits);
    }
    return true;
}

static void check_code(const sy_document *document, const sy_json_value *root)
{
    const sy_json_value *code = sy_look(document, root, "code", SY_JSON_OBJECT);
    bool dirty = false;
    (void)sy_look_text(document, code, "repository");
    (void)sy_look_text(document, code, "entrypoint");
    if (sy_look_text(document, code, "revision") != NULL) {
        (void)check_hex(document, sy_json_member(code, "revision"), 40, SY_RULE_RUN_REVISION);
    }
    if (!sy_look_bool(document, code, "dirty", &dirty)) {
        return;
    }
    const sy_json_value *diff = sy_json_member(code, "diff_sha256");
    if (!check_hex(document, diff, 64, SY_RULE_RUN_DIFF)) {
        if (dirty && !sy_json_is_cut(document->json, code)) {
            sy_complain(document, diff != NULL ? diff : code, SY_RULE_RUN_DIFF,
                        "a dirty tree needs 'diff_sha256', the digest of its diff");
        }
    } else if (!dirty && sy_is_hex(diff->text, 64) && strcmp(diff->text, DIGEST_OF_NOTHING) != 0) {
        sy_complain(document, diff, SY_RULE_RUN_DIFF, "a clean tree has no diff; is it dirty?");
    }
}

/* ---- inputs and outputs ---- */

static void check_inputs(const sy_document *document, const sy_json_value *root)
{
    const sy_json_value *inputs = sy_look(document, root, "inputs", SY_JSON_ARRAY);
    for (const sy_json_value *input = inputs != NULL ? inputs->first : NULL; input != NULL; input = input->next) {
        if (!sy_look_kind(document, input, "an input", SY_JSON_OBJECT)) {
            continue;
        }
        (void)sy_look_text(document, input, "dataset_id");
        (void)sy_look_text(document, input, "path");
        if (sy_look_text(document, input, "sha256") != NULL) {
            (void)check_hex(document, sy_json_member(input, "sha256"), 64, SY_RULE_RUN_INPUT_DIGEST);
        }
    }
}

/* One output; `made`: the run has ended, so that it is there and can be digested. */
static void check_output(const sy_document *document, const sy_json_value *output, bool made)
{
    if (!sy_look_kind(document, output, "an output", SY_JSON_OBJECT)) {
        return;
    }
    bool is_cut = sy_json_is_cut(document->json, output);
    bool has_path = is_given(sy_json_member(output, "path"));
    if (has_path) {
        (void)sy_look_text(document, output, "path");
    }
    if (!has_path || is_given(sy_json_member(output, "artifact"))) {
        (void)sy_look_text(document, output, "artifact");
    }
    bool has_file = check_hex(document, sy_json_member(output, "sha256"), 64, SY_RULE_RUN_OUTPUT_DIGEST);
    bool has_list = check_hex(document, sy_json_member(output, "sha256_manifest"), 64, SY_RULE_RUN_OUTPUT_DIGEST);
    if (made && !has_file && !has_list && !is_cut) {
        sy_complain(document, output, SY_RULE_RUN_OUTPUT_DIGEST,
                    "an output needs a digest: 'sha256', or 'sha256_manifest' of several files");
    }
    if (made || is_given(sy_json_member(output, "result"))) {
        (void)sy_look_text(document, output, "result");
    }
}

static void check_outputs(const sy_document *document, const sy_json_value *root, sy_experiment_status status)
{
    bool made = status != SY_EXPERIMENT_PLANNED && status != SY_EXPERIMENT_RUNNING;
    const sy_json_value *outputs = sy_look(document, root, "outputs", SY_JSON_ARRAY);
    if (outputs == NULL) {
        return;
    }
    if (outputs->count == 0 && sy_experiment_status_is_final(status) && !sy_json_is_cut(document->json, outputs)) {
        sy_complain(document, outputs, SY_RULE_RUN_OUTPUT_MISSING, "a run that is %s has at least one output",
                    sy_experiment_status_word(status));
    }
    for (const sy_json_value *output = outputs->first; output != NULL; output = output->next) {
        check_output(document, output, made);
    }
}

/* ---- times ---- */

/* A time that the run must have by now, or may have; whether there is one that can be compared. */
static bool check_time(const sy_document *document, const sy_json_value *times, const char *name, bool must,
                       sy_instant *ret_instant)
{
    const sy_json_value *value = sy_json_member(times, name);
    const char *why = NULL;
    if (!is_given(value)) {
        if (must && !sy_json_is_cut(document->json, times)) {
            sy_complain(document, value != NULL ? value : times, SY_RULE_RUN_TIME_MISSING,
                        "'%s' is missing: a run of that status has such a time", name);
        }
        return false;
    }
    if (sy_look_text(document, times, name) == NULL || sy_json_is_cut(document->json, value)) {
        return false;
    }
    if (!sy_instant_read(value->text, ret_instant, &why)) {
        sy_complain(document, value, SY_RULE_RUN_TIME, "'%s' %s; write it like 2026-08-19T20:40:00-07:00", name, why);
        return false;
    }
    return true;
}

static void check_times(const sy_document *document, const sy_json_value *root, sy_experiment_status status)
{
    static const char *const names[] = {"created", "started", "finished"};
    const sy_json_value *times = sy_look(document, root, "timestamps", SY_JSON_OBJECT);
    if (times == NULL) {
        return;
    }
    bool must[] = {true, status >= SY_EXPERIMENT_RUNNING, sy_experiment_status_is_final(status)};
    sy_instant last = {0, 0};
    const char *last_name = NULL;
    for (int i = 0; i < 3; i++) {
        sy_instant instant;
        if (!check_time(document, times, names[i], must[i], &instant)) {
            continue;
        }
        if (last_name != NULL && sy_instant_compare(&instant, &last) < 0) {
            sy_complain(document, sy_json_member(times, names[i]), SY_RULE_RUN_TIME_ORDER,
                        "'%s' is before '%s', compared as moments", names[i], last_name);
            continue;
        }
        last = instant;
        last_name = names[i];
        if (i == 2 && status != SY_EXPERIMENT_NO_STATUS && !sy_experiment_status_is_final(status)) {
            sy_remark(document, sy_json_member(times, names[i]), SY_RULE_RUN_TIME, "a run that is %s has not finished",
                      sy_experiment_status_word(status));
        }
    }
}

/* A manifest that was copied still names where it came from. */
static void check_own_path(const sy_document *document, const sy_json_value *root)
{
    const sy_json_value *paper = sy_json_member(root, "paper");
    const sy_json_value *path = paper != NULL ? sy_json_member(paper, "manifest_path") : NULL;
    if (path != NULL && path->kind == SY_JSON_TEXT && !sy_json_is_cut(document->json, path) &&
        strcmp(path->text, document->path) != 0) {
        sy_remark(document, path, SY_RULE_RUN_ID, "'manifest_path' names another file than this one");
    }
}

sy_experiment_status sy_manifest_check(sy_document *document, const char *id)
{
    const sy_json_value *root = document->json != NULL ? sy_json_root(document->json) : NULL;
    if (root == NULL || !sy_look_kind(document, root, "a manifest", SY_JSON_OBJECT)) {
        return SY_EXPERIMENT_NO_STATUS;
    }
    check_identity(document, root, id);
    sy_experiment_status status = check_status(document, root);
    check_code(document, root);
    check_inputs(document, root);
    (void)sy_look(document, root, "parameters", SY_JSON_OBJECT);
    const sy_json_value *execution = sy_look(document, root, "execution", SY_JSON_OBJECT);
    (void)sy_look_text(document, execution, "host");
    (void)sy_look_text(document, execution, "backend");
    check_outputs(document, root, status);
    check_times(document, root, status);
    check_own_path(document, root);
    return status;
}
