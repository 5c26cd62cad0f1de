/* SPDX-License-Identifier: Apache-2.0 */
/* One object a case; a table of its flags keeps writer and reader together. */
#include "operations/case_json.h"

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "operations/suite.h"

typedef struct case_flag {
    const char *name;
    size_t offset;
    bool optional; /* absent = false: cases that an earlier version wrote have it not */
} case_flag;

static const case_flag flags[] = {
    {"quick", offsetof(sy_case, quick), false},
    {"exact_stage", offsetof(sy_case, exact_stage), false},
    {"exact_overlap", offsetof(sy_case, exact_overlap), true},
    {"own_inputs", offsetof(sy_case, own_inputs), false},
    {"inputs_declared_equivalent", offsetof(sy_case, inputs_declared_equivalent), false},
    {"allows_nonfinite", offsetof(sy_case, allows_nonfinite), false},
    {"allows_zeros", offsetof(sy_case, allows_zeros), false},
    {"promises_determinism", offsetof(sy_case, promises_determinism), false},
};
#define FLAG_COUNT (sizeof(flags) / sizeof(flags[0]))

static const char *const known_members[] = {"name",
                                            "weight",
                                            "dtype",
                                            "properties",
                                            "flop_count",
                                            "byte_count",
                                            "source",
                                            "tolerance",
                                            "relaxed",
                                            "exact_length",
                                            "rounds_inputs_to",
                                            "quick",
                                            "exact_stage",
                                            "exact_overlap",
                                            "own_inputs",
                                            "inputs_declared_equivalent",
                                            "allows_nonfinite",
                                            "allows_zeros",
                                            "promises_determinism",
                                            NULL};

static void write_tolerance(sy_json_writer *writer, const char *name, const sy_tolerance *tolerance)
{
    sy_json_name(writer, name);
    sy_json_begin_object(writer);
    sy_json_member_double(writer, "c", tolerance->c);
    sy_json_member_double(writer, "c_rms", tolerance->c_rms);
    sy_json_member_text(writer, "accumulator", sy_dtype_word(tolerance->accumulator));
    sy_json_member_double(writer, "absolute", tolerance->absolute); /* NaN becomes null */
    sy_json_member_double(writer, "relative", tolerance->relative);
    sy_json_end_object(writer);
}

static void write_case(sy_json_writer *writer, const sy_case *c)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", c->name);
    sy_json_member_double(writer, "weight", c->weight);
    sy_json_member_text(writer, "dtype", sy_dtype_word(c->dtype));
    sy_json_name(writer, "properties");
    sy_json_begin_object(writer);
    for (size_t i = 0; i < c->property_count; i++)
        sy_json_member_i64(writer, c->properties[i].name, c->properties[i].value);
    sy_json_end_object(writer);
    sy_json_member_double(writer, "flop_count", c->flop_count);
    sy_json_member_double(writer, "byte_count", c->byte_count);
    sy_json_member_text(writer, "source", c->source);
    write_tolerance(writer, "tolerance", &c->tolerance);
    if (sy_case_has_relaxed(c))
        write_tolerance(writer, "relaxed", &c->relaxed);
    sy_json_member_u64(writer, "exact_length", c->exact_length);
    if (c->rounds_inputs_to != SY_F32) /* else as before there were such cases: keys are made of this text */
        sy_json_member_text(writer, "rounds_inputs_to", sy_dtype_word(c->rounds_inputs_to));
    for (size_t i = 0; i < FLAG_COUNT; i++)
        sy_json_member_bool(writer, flags[i].name, *(const bool *)((const char *)c + flags[i].offset));
    sy_json_end_object(writer);
}

void sy_cases_write(sy_json_writer *writer, const sy_case *cases, size_t count)
{
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        write_case(writer, &cases[i]);
    sy_json_end_array(writer);
}

static sy_status read_dtype(const sy_json *json, const sy_json_value *value, sy_dtype *ret_dtype, sy_error *err)
{
    const char *word;
    sy_status status = sy_json_get_text(json, value, &word, err);
    if (status)
        return status;
    for (int dtype = SY_F32; dtype <= SY_U64; dtype++) {
        if (sy_text_equal(word, sy_dtype_word((sy_dtype)dtype))) {
            *ret_dtype = (sy_dtype)dtype;
            return SY_OK;
        }
    }
    return sy_json_fail(json, value, err, "'%s' is no element type", word);
}

/* null is NaN: not given. */
static sy_status read_optional(const sy_json *json, const sy_json_value *value, double *ret_number, sy_error *err)
{
    if (value && value->kind == SY_JSON_NULL) {
        *ret_number = NAN;
        return SY_OK;
    }
    return sy_json_get_double(json, value, ret_number, err);
}

static sy_status read_tolerance(const sy_json *json, const sy_json_value *value, sy_tolerance *tolerance, sy_error *err)
{
    sy_status status = sy_json_get_double(json, sy_json_member(value, "c"), &tolerance->c, err);
    if (!status)
        status = sy_json_get_double(json, sy_json_member(value, "c_rms"), &tolerance->c_rms, err);
    if (!status)
        status = read_dtype(json, sy_json_member(value, "accumulator"), &tolerance->accumulator, err);
    if (!status)
        status = read_optional(json, sy_json_member(value, "absolute"), &tolerance->absolute, err);
    if (!status)
        status = read_optional(json, sy_json_member(value, "relative"), &tolerance->relative, err);
    return status;
}

static sy_status read_properties(const sy_json *json, const sy_json_value *object, sy_arena *arena, sy_case *c,
                                 sy_error *err)
{
    if (!object || object->kind != SY_JSON_OBJECT)
        return sy_json_fail(json, object, err, "expected an object of whole numbers");
    sy_case_property *properties = sy_arena_allocate(arena, object->count, sizeof(*properties));
    if (!properties)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a case");
    size_t count = 0;
    for (const sy_json_value *member = object->first; member; member = member->next) {
        sy_status status = sy_json_get_i64(json, member, &properties[count].value, err);
        if (status)
            return status;
        properties[count].name = sy_arena_copy_text(arena, member->name);
        if (!properties[count++].name)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a case");
    }
    c->properties = properties;
    c->property_count = count;
    return SY_OK;
}

static sy_status read_text(const sy_json *json, const sy_json_value *value, sy_arena *arena, const char **ret_text,
                           sy_error *err)
{
    const char *text;
    sy_status status = sy_json_get_text(json, value, &text, err);
    if (status)
        return status;
    const char *copy = sy_arena_copy_text(arena, text);
    if (!copy)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a case");
    *ret_text = copy;
    return SY_OK;
}

static sy_status read_case(const sy_json *json, const sy_json_value *object, sy_arena *arena, sy_case *c, sy_error *err)
{
    int64_t exact_length = 0;
    sy_status status = sy_json_refuse_unknown_members(json, object, known_members, err);
    if (!status)
        status = read_text(json, sy_json_member(object, "name"), arena, &c->name, err);
    if (!status)
        status = read_text(json, sy_json_member(object, "source"), arena, &c->source, err);
    if (!status)
        status = sy_json_get_double(json, sy_json_member(object, "weight"), &c->weight, err);
    if (!status)
        status = read_dtype(json, sy_json_member(object, "dtype"), &c->dtype, err);
    if (!status)
        status = read_properties(json, sy_json_member(object, "properties"), arena, c, err);
    if (!status)
        status = sy_json_get_double(json, sy_json_member(object, "flop_count"), &c->flop_count, err);
    if (!status)
        status = sy_json_get_double(json, sy_json_member(object, "byte_count"), &c->byte_count, err);
    if (!status)
        status = read_tolerance(json, sy_json_member(object, "tolerance"), &c->tolerance, err);
    if (!status && sy_json_member(object, "relaxed"))
        status = read_tolerance(json, sy_json_member(object, "relaxed"), &c->relaxed, err);
    if (!status && sy_json_member(object, "rounds_inputs_to"))
        status = read_dtype(json, sy_json_member(object, "rounds_inputs_to"), &c->rounds_inputs_to, err);
    if (!status)
        status = sy_json_get_i64(json, sy_json_member(object, "exact_length"), &exact_length, err);
    if (!status && exact_length < 0)
        status = sy_json_fail(json, sy_json_member(object, "exact_length"), err, "below 0");
    c->exact_length = (uint64_t)exact_length;
    for (size_t i = 0; !status && i < FLAG_COUNT; i++) {
        const sy_json_value *flag = sy_json_member(object, flags[i].name);
        if (flag || !flags[i].optional)
            status = sy_json_get_bool(json, flag, (bool *)((char *)c + flags[i].offset), err);
    }
    return status;
}

sy_status sy_cases_read(const sy_json *json, const sy_json_value *array, sy_arena *arena, const sy_case **ret_cases,
                        size_t *ret_count, sy_error *err)
{
    if (!array || array->kind != SY_JSON_ARRAY || array->count == 0)
        return sy_json_fail(json, array, err, "expected an array of cases");
    sy_case *cases = sy_arena_allocate(arena, array->count, sizeof(*cases));
    size_t count = 0;
    if (!cases)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu cases", array->count);
    for (const sy_json_value *object = array->first; object; object = object->next) {
        sy_status status = read_case(json, object, arena, &cases[count++], err);
        if (status)
            return status;
    }
    *ret_cases = cases;
    *ret_count = count;
    return SY_OK;
}
