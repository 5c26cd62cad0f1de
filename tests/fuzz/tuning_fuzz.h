/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of every file of a tuner, whatever its bytes are: what is read is whole; what is written of it and
 * read again has the same winners under the same keys; lint says as much of it as the reader. */
#ifndef STEELYARD_TESTS_TUNING_FUZZ_H
#define STEELYARD_TESTS_TUNING_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/tuning.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

static inline void tuning_fuzz_profile(const sy_profile *profile)
{
    CHECK(profile->kind == SY_PROFILE_IMPORTED && profile->portable);
    CHECK(profile->key.backend[0] != '\0' && profile->key.operator_name[0] != '\0');
    CHECK(profile->key.implementation_version[0] != '\0' && profile->key.structure_count > 0);
    CHECK(profile->policy_size > 0 && strlen(profile->policy) == profile->policy_size);
    for (size_t i = 1; i < profile->key.structure_count; i++)
        CHECK(strcmp(profile->key.structure[i - 1].name, profile->key.structure[i].name) < 0);
    for (size_t i = 0; i < profile->measurement_count; i++)
        CHECK(isfinite(profile->measurements[i].value) && profile->measurements[i].name[0] != '\0');
    for (size_t i = 0; i < profile->alternative_count; i++) {
        CHECK(profile->alternatives[i].name[0] != '\0' && profile->alternatives[i].reason[0] != '\0');
        CHECK(isnan(profile->alternatives[i].ratio) || profile->alternatives[i].ratio >= 1);
    }
}

static inline void tuning_fuzz_findings(const sy_finding_list *list)
{
    for (size_t i = 0; i < list->finding_count; i++)
        CHECK(list->findings[i].message[0] != '\0' && list->findings[i].position.line >= 1);
    for (size_t i = 0; i < list->note_count; i++)
        CHECK(list->notes[i].message[0] != '\0');
}

static inline void tuning_fuzz_same(const sy_profile_key *a, const sy_profile_key *b)
{
    CHECK(strcmp(a->backend, b->backend) == 0);
    CHECK(strcmp(a->operator_name, b->operator_name) == 0 && a->structure_count == b->structure_count);
    CHECK(strcmp(a->implementation_version, b->implementation_version) == 0);
    for (size_t i = 0; i < a->structure_count; i++)
        CHECK(strcmp(a->structure[i].name, b->structure[i].name) == 0 &&
              strcmp(a->structure[i].value, b->structure[i].value) == 0);
}

/* Writes what was read, reads it again, and finds each written profile in its order. */
static inline void tuning_fuzz_round(const sy_tuning *tuning, const sy_tuning_options *options)
{
    const sy_profile **list = calloc(tuning->count + 1, sizeof *list);
    sy_tuning_text *text = NULL;
    sy_tuning *again = NULL;
    size_t at = 0;
    size_t unwritten = 0;

    CHECK(list != NULL);
    for (size_t i = 0; i < tuning->count; i++)
        list[i] = &tuning->list[i].profile;
    CHECK(sy_tuning_write(tuning->format, list, tuning->count, &text, NULL) == SY_OK);
    CHECK(text->written + text->unwritten_count == tuning->count);
    if (text->written > 0) {
        CHECK(sy_tuning_parse(text->text, text->size, "again", options, &again, NULL) == SY_OK);
        CHECK(again->count == text->written);
        for (size_t i = 0; i < tuning->count; i++) {
            if (unwritten < text->unwritten_count && text->unwritten[unwritten].profile == list[i]) {
                unwritten++;
                continue;
            }
            tuning_fuzz_same(&list[i]->key, &again->list[at].profile.key);
            CHECK(strcmp(list[i]->policy, again->list[at].profile.policy) == 0);
            at++;
        }
    }
    sy_tuning_destroy(again);
    sy_tuning_text_destroy(text);
    free(list);
}

static inline int tuning_fuzz(const uint8_t *data, size_t size, sy_tuning_format format)
{
    sy_tuning_options options = SY_TUNING_OPTIONS_INIT;
    sy_tuning *tuning = NULL;
    sy_tuning_lint *lint = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;

    options.format = size % 7 == 6 ? SY_TUNING_AUTO : format;
    options.limit_bytes = 1 << 20;
    status = sy_tuning_parse(data, size, "f", &options, &tuning, &err);
    CHECK((status == SY_OK) == (tuning != NULL));
    CHECK(status == SY_OK || (err.status == status && err.what[0] != '\0'));
    if (tuning != NULL) {
        CHECK(tuning->passed_over <= tuning->entry_count + tuning->finding_total &&
              tuning->count <= tuning->entry_count);
        tuning_fuzz_findings(&tuning->findings);
        for (size_t i = 0; i < tuning->count; i++)
            tuning_fuzz_profile(&tuning->list[i].profile);
        if (options.format == format)
            tuning_fuzz_round(tuning, &options);
        CHECK(sy_tuning_lint_text(data, size, "f", &options, &lint, &err) == SY_OK);
        CHECK(lint->finding_total >= tuning->finding_total && lint->profile_count == tuning->count);
        tuning_fuzz_findings(&lint->findings);
    }
    sy_tuning_lint_destroy(lint);
    sy_tuning_destroy(tuning);
    return 0;
}

#endif
