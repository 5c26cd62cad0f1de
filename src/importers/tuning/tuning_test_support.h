/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of tuning results share: reading a text, looking at keys, times and findings. */
#ifndef STEELYARD_IMPORTERS_TUNING_TEST_SUPPORT_H
#define STEELYARD_IMPORTERS_TUNING_TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <steelyard/tuning.h>

static inline sy_tuning *tuning_bytes(const void *bytes, size_t size)
{
    sy_tuning *tuning = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_tuning_parse(bytes, size, "f", NULL, &tuning, &err) != SY_OK)
        fail_msg("%u:%u: %s", err.position.line, err.position.column, err.what);
    return tuning;
}

static inline sy_tuning *tuning_text(const char *text)
{
    return tuning_bytes(text, strlen(text));
}

static inline sy_tuning_lint *lint_text(const char *text)
{
    sy_tuning_lint *lint = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_tuning_lint_text(text, strlen(text), "f", NULL, &lint, &err) != SY_OK)
        fail_msg("%u:%u: %s", err.position.line, err.position.column, err.what);
    return lint;
}

static inline void expect_refused(const void *bytes, size_t size, sy_status wanted, sy_error *err)
{
    sy_tuning *tuning = NULL;
    sy_status status = sy_tuning_parse(bytes, size, "f", NULL, &tuning, err);

    if (status != wanted)
        fail_msg("%s instead of %s", sy_status_word(status), sy_status_word(wanted));
    assert_null(tuning);
    assert_true(err->what[0] != '\0');
}

/* "a=1 b=2": the structure in its order. */
static inline void expect_key(const sy_profile *profile, const char *backend, const char *operator_name,
                              const char *version, const char *structure)
{
    char text[2048] = "";
    size_t length = 0;

    for (size_t i = 0; i < profile->key.structure_count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s=%s", i > 0 ? " " : "",
                                   profile->key.structure[i].name, profile->key.structure[i].value);
    assert_string_equal(profile->key.backend, backend);
    assert_string_equal(profile->key.operator_name, operator_name);
    assert_string_equal(profile->key.implementation_version, version);
    assert_string_equal(text, structure);
    assert_true(profile->kind == SY_PROFILE_IMPORTED && profile->portable);
}

/* NaN: no time. */
static inline void expect_winner(const sy_profile *profile, const char *policy, double time, const char *unit)
{
    assert_string_equal(profile->policy, policy);
    assert_int_equal(profile->policy_size, strlen(policy));
    if (isnan(time)) {
        assert_int_equal(profile->measurement_count, 0);
        return;
    }
    assert_true(profile->measurement_count >= 1);
    assert_string_equal(profile->measurements[0].name, "time");
    assert_string_equal(profile->measurements[0].unit, unit);
    if (profile->measurements[0].value != time)
        fail_msg("%.17g instead of %.17g", profile->measurements[0].value, time);
}

/* The finding (or note) of that number: "LINE:COLUMN RULE", and a part of its message. */
static inline void expect_finding(const sy_finding *list, size_t count, size_t at, const char *place,
                                  const char *message)
{
    char found[256];

    if (at >= count)
        fail_msg("there are %zu, none is number %zu: %s", count, at, place);
    (void)snprintf(found, sizeof found, "%u:%u %s", list[at].position.line, list[at].position.column, list[at].rule);
    assert_string_equal(found, place);
    assert_string_equal(list[at].file, "f");
    if (strstr(list[at].message, message) == NULL)
        fail_msg("'%s' does not say '%s'", list[at].message, message);
}

#define FINDING(result, at, place, message) \
    expect_finding((result)->findings.findings, (result)->findings.finding_count, at, place, message)
#define NOTE(result, at, place, message) \
    expect_finding((result)->findings.notes, (result)->findings.note_count, at, place, message)

#endif
