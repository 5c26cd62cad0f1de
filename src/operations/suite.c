/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a suite before anything of it runs, and finds cases and implementations by the words that people type. */
#include "operations/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/near.h"
#include "base/text.h"

#define NAME_MAX_BYTES 63
#define NEAR_DISTANCE 3 /* edits */
#define NEAR_NAMES 4

sy_status sy_case_get(const sy_case *c, const char *property, int64_t *ret_value, sy_error *err)
{
    for (size_t i = 0; i < c->property_count; i++) {
        if (strcmp(c->properties[i].name, property) == 0) {
            *ret_value = c->properties[i].value;
            return SY_OK;
        }
    }
    return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s' has no property '%s'", c->name, property);
}

/* NULL, or what is wrong with a name: it must survive comma lists, patterns and messages. */
static const char *fault_of_name(const char *name)
{
    if (name == NULL || name[0] == '\0') {
        return "has no name";
    }
    if (strlen(name) > NAME_MAX_BYTES) {
        return "has a name of more than 63 bytes";
    }
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c <= ' ' || *c == 0x7f || strchr(",*?", *c) != NULL) {
            return "has a name with a space, control character, comma, * or ?";
        }
    }
    return NULL;
}

/* The same for a name that nobody types: it must survive messages alone. */
static const char *fault_of_free_name(const char *name)
{
    if (name == NULL || name[0] == '\0') {
        return "has no name";
    }
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            return "has a name with a control character";
        }
    }
    return NULL;
}

static sy_status check_implementations(const sy_suite *suite, sy_error *err)
{
    size_t references = 0;
    if (suite->implementations == NULL || suite->implementation_count == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "suite '%s' has no implementations", suite->operation);
    }
    for (size_t i = 0; i < suite->implementation_count; i++) {
        const sy_implementation *one = &suite->implementations[i];
        const char *fault = suite->free_names ? fault_of_free_name(one->name) : fault_of_name(one->name);
        if (fault == NULL && (unsigned)one->role > SY_ROLE_CANDIDATE) {
            fault = "has a role outside of the list";
        }
        if (fault == NULL && (unsigned)one->error_class > SY_CLASS_NONDETERMINISTIC) {
            fault = "has an error class outside of the list";
        }
        for (size_t j = 0; j < i && fault == NULL; j++) {
            if (strcmp(suite->implementations[j].name, one->name) == 0) {
                fault = "has the name of an earlier one";
            }
        }
        if (fault != NULL) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "suite '%s': implementation %zu ('%s') %s", suite->operation, i,
                           one->name != NULL ? one->name : "", fault);
        }
        references += one->role == SY_ROLE_REFERENCE;
    }
    if (references != 1) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "suite '%s' has %zu references, it must have one", suite->operation,
                       references);
    }
    return SY_OK;
}

bool sy_case_has_relaxed(const sy_case *c)
{
    const sy_tolerance *t = &c->relaxed;
    return t->c != 0 || t->c_rms != 0 || t->accumulator != (sy_dtype)0 || t->absolute != 0 || t->relative != 0;
}

const sy_tolerance *sy_case_tolerance(const sy_case *c, sy_error_class error_class)
{
    return error_class == SY_CLASS_TOLERANCE && sy_case_has_relaxed(c) ? &c->relaxed : &c->tolerance;
}

static const char *fault_of_tolerance(const sy_tolerance *t)
{
    if (isnan(t->absolute) && isnan(t->relative)) {
        if (!(isfinite(t->c) && t->c > 0) || !(isfinite(t->c_rms) && t->c_rms > 0)) {
            return "has a tolerance whose c or c_rms is not above 0";
        }
        if (!(sy_dtype_roundoff(t->accumulator) > 0)) {
            return "promises an accumulator that is no floating-point type";
        }
        return NULL;
    }
    if (!(isfinite(t->absolute) && t->absolute >= 0) || !(isfinite(t->relative) && t->relative >= 0)) {
        return "has an absolute or relative tolerance that is not 0 or above";
    }
    return NULL;
}

static const char *fault_of_relaxed(const sy_case *c)
{
    const sy_tolerance *usual = &c->tolerance;
    const sy_tolerance *relaxed = &c->relaxed;
    if (!sy_case_has_relaxed(c)) {
        return NULL;
    }
    if (fault_of_tolerance(relaxed) != NULL) {
        return "has a relaxed tolerance that is none";
    }
    if (isnan(usual->absolute) != isnan(relaxed->absolute) || usual->accumulator != relaxed->accumulator) {
        return "has a relaxed tolerance of another kind than its tolerance";
    }
    if (isnan(usual->absolute) ? relaxed->c < usual->c || relaxed->c_rms < usual->c_rms
                               : relaxed->absolute < usual->absolute || relaxed->relative < usual->relative) {
        return "has a relaxed tolerance below its tolerance";
    }
    return NULL;
}

static const char *fault_of_properties(const sy_case *c)
{
    if (c->property_count > 0 && c->properties == NULL) {
        return "has properties at NULL";
    }
    for (size_t i = 0; i < c->property_count; i++) {
        if (fault_of_name(c->properties[i].name) != NULL) {
            return "has a property without a usable name";
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(c->properties[i].name, c->properties[j].name) == 0) {
                return "has two properties of one name";
            }
        }
    }
    return NULL;
}

static const char *fault_of_case(const sy_suite *suite, const sy_case *c)
{
    const char *fault = suite->free_names ? fault_of_free_name(c->name) : fault_of_name(c->name);
    if (fault != NULL) {
        return fault;
    }
    if (strcmp(c->name, "quick") == 0 || strcmp(c->name, "all") == 0) {
        return "has a name that means a set of cases";
    }
    if (!(isfinite(c->weight) && c->weight > 0)) {
        return "has a weight that is not above 0 and finite";
    }
    if (sy_dtype_size(c->dtype) == 0) {
        return "has a type outside of the list";
    }
    if (!(isfinite(c->flop_count) && c->flop_count >= 0) || !(isfinite(c->byte_count) && c->byte_count >= 0)) {
        return "has a flop or byte count that is not 0 or above";
    }
    if (c->rounds_inputs_to != SY_F32 && c->rounds_inputs_to != SY_F16 && c->rounds_inputs_to != SY_BF16) {
        return "rounds its inputs to a type that is none of f32, f16 and bf16";
    }
    if (c->exact_stage && c->exact_length == 0) {
        return "has an exact stage over sums of length 0";
    }
    if (c->own_inputs && suite->initialize == NULL) {
        return "brings its own inputs, but the suite has no initialize";
    }
    fault = fault_of_properties(c);
    if (fault == NULL) {
        fault = fault_of_tolerance(&c->tolerance);
    }
    return fault != NULL ? fault : fault_of_relaxed(c);
}

static sy_status check_cases(const sy_suite *suite, sy_error *err)
{
    if (suite->cases == NULL || suite->case_count == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "suite '%s' has no cases", suite->operation);
    }
    for (size_t i = 0; i < suite->case_count; i++) {
        const sy_case *c = &suite->cases[i];
        const char *fault = fault_of_case(suite, c);
        for (size_t j = 0; j < i && fault == NULL; j++) {
            if (strcmp(suite->cases[j].name, c->name) == 0) {
                fault = "has the name of an earlier one";
            }
        }
        if (fault != NULL) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "suite '%s': case %zu ('%s') %s", suite->operation, i,
                           c->name != NULL ? c->name : "", fault);
        }
    }
    return SY_OK;
}

sy_status sy_suite_check(const sy_suite *suite, sy_error *err)
{
    if (suite == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no suite given");
    }
    if (suite->struct_size < sizeof(sy_suite)) {
        sy_fail(err, SY_INVALID_ARGUMENT, "suite has struct_size %zu, this library reads %zu", suite->struct_size,
                sizeof(sy_suite));
        sy_error_hint(err, "set struct_size to sizeof(sy_suite) and compile against this version's headers");
        return SY_INVALID_ARGUMENT;
    }
    const char *fault = fault_of_name(suite->operation);
    if (fault != NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "suite %s", fault);
    }
    if (suite->version == NULL || suite->version[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "suite '%s' has no version", suite->operation);
    }
    if (suite->build == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "suite '%s' has no build function", suite->operation);
    }
    sy_status status = check_implementations(suite, err);
    return status == SY_OK ? check_cases(suite, err) : status;
}

static bool is_near(const char *asked, const char *name)
{
    return strstr(name, asked) != NULL || sy_near_slips(asked, strlen(asked), name, strlen(name)) <= NEAR_DISTANCE;
}

/* A list of names into the error's hint: those near to what was asked, else the first few, with what else is meant. */
static void hint_names(sy_error *err, const char *asked, const char *(*name_at)(const sy_suite *, size_t),
                       const sy_suite *suite, size_t count, const char *others)
{
    char list[160] = "";
    size_t used = 0;
    size_t listed = 0;
    bool any_near = false;
    for (size_t i = 0; i < count; i++) {
        any_near = any_near || is_near(asked, name_at(suite, i));
    }
    for (size_t i = 0; i < count && listed < NEAR_NAMES; i++) {
        const char *name = name_at(suite, i);
        size_t length = strlen(name);
        if ((any_near && !is_near(asked, name)) || used + length + 3 > sizeof list) {
            continue;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", listed > 0 ? ", " : "", name);
        listed++;
    }
    sy_error_hint(err, "%s: %s%s%s", any_near ? "near to it" : "there are", list,
                  listed < count && !any_near ? ", ..." : "", others);
}

static const char *case_name_at(const sy_suite *suite, size_t index)
{
    return suite->cases[index].name;
}

static const char *implementation_name_at(const sy_suite *suite, size_t index)
{
    return suite->implementations[index].name;
}

static bool pattern_means(const char *pattern, const sy_case *c)
{
    if (strcmp(pattern, "all") == 0) {
        return true;
    }
    if (strcmp(pattern, "quick") == 0) {
        return c->quick;
    }
    return sy_text_matches(c->name, pattern);
}

static bool any_pattern_means(const char *const *patterns, size_t count, const sy_case *c)
{
    for (size_t i = 0; i < count; i++) {
        if (pattern_means(patterns[i], c)) {
            return true;
        }
    }
    return count == 0;
}

sy_status sy_suite_select_cases(const sy_suite *suite, const char *const *patterns, size_t count, size_t *ret_indices,
                                size_t *ret_count, sy_error *err)
{
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t j = 0; j < suite->case_count && !found; j++) {
            found = pattern_means(patterns[i], &suite->cases[j]);
        }
        if (!found) {
            sy_fail(err, SY_NOT_FOUND, "%s has no case '%s'", suite->operation, patterns[i]);
            hint_names(err, patterns[i], case_name_at, suite, suite->case_count,
                       "; also quick, all, and patterns with * and ?");
            return SY_NOT_FOUND;
        }
    }
    size_t chosen = 0;
    for (size_t j = 0; j < suite->case_count; j++) {
        if (any_pattern_means(patterns, count, &suite->cases[j])) {
            ret_indices[chosen++] = j;
        }
    }
    *ret_count = chosen;
    return SY_OK;
}

/* Where the suite finds a shape wrong and says no more: what its own cases are described by. */
static void hint_properties(const sy_suite *suite, sy_error *err)
{
    if (err == NULL || err->hint[0] != '\0' || suite->case_count == 0) {
        return;
    }
    const sy_case *own = &suite->cases[0];
    char names[sizeof err->hint] = "";
    size_t used = 0;
    for (size_t i = 0; i < own->property_count && used + 1 < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", own->properties[i].name);
    }
    sy_error_hint(err, "cases of %s have: %s", suite->operation, names);
}

sy_status sy_suite_complete_case(const sy_suite *suite, sy_case *c, sy_error *err)
{
    if (suite->complete == NULL) {
        return sy_fail(err, SY_UNAVAILABLE, "suite '%s' cannot make a case of a shape", suite->operation);
    }
    sy_case made = {.name = c->name,
                    .weight = c->weight,
                    .quick = c->quick,
                    .dtype = c->dtype,
                    .properties = c->properties,
                    .property_count = c->property_count,
                    .source = c->source != NULL ? c->source : ""};
    sy_suite own = *suite;
    own.cases = &made;
    own.case_count = 1;
    const char *fault = made.name == NULL ? "has no name" : fault_of_properties(&made);
    if (fault != NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a case for suite '%s' %s", suite->operation, fault);
    }
    sy_status status = suite->complete(suite->user, &made, err);
    if (status == SY_OK) {
        status = check_cases(&own, err);
    } else if (status == SY_INVALID_ARGUMENT) {
        hint_properties(suite, err);
    }
    if (status == SY_OK) {
        *c = made;
    }
    return status;
}

sy_status sy_suite_find_implementation(const sy_suite *suite, const char *name, uint32_t *ret_variant, sy_error *err)
{
    for (size_t i = 0; i < suite->implementation_count; i++) {
        if (strcmp(suite->implementations[i].name, name) == 0) {
            *ret_variant = (uint32_t)i;
            return SY_OK;
        }
    }
    sy_fail(err, SY_NOT_FOUND, "%s has no implementation '%s'", suite->operation, name);
    hint_names(err, name, implementation_name_at, suite, suite->implementation_count, "");
    return SY_NOT_FOUND;
}

uint32_t sy_suite_reference(const sy_suite *suite)
{
    uint32_t variant = 0;
    while (suite->implementations[variant].role != SY_ROLE_REFERENCE) {
        variant++;
    }
    return variant;
}
