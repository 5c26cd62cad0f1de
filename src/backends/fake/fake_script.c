/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the fake backend's script (docs/fake-script.md) from bytes: the document, the machine and the cases. Nothing of
 * it is guessed: an unknown member, a wrong kind or a value out of range is refused where it stands. */
#include "backends/fake/fake_script.h"

#include <math.h>
#include <string.h>

#include "backends/fake/fake_reader.h"
#include "base/error.h"
#include "base/memory.h"

#define SCHEMA "steelyard.fake/1"
#define CASE_LIMIT 1000
#define ELEMENT_LIMIT (UINT64_C(1) << 20)
#define NAME_LIMIT 63
#define MEMORY_BYTES (UINT64_C(1) << 30)
#define TEXT_LIMIT 200
#define INTEGER_LIMIT ((uint64_t)INT64_MAX)

static void read_machine(sy_fake_reader *reader, const sy_json_value *root, sy_fake_machine *machine)
{
    static const char *const known[] = {"description",
                                        "memory_bytes",
                                        "free_memory_bytes",
                                        "allocate_ns",
                                        "transfer_ns",
                                        "clock_read_ns",
                                        "clock_hz",
                                        "temperature_celsius",
                                        "steal_share",
                                        "pressure_share",
                                        "load_average",
                                        "throttled",
                                        "throttled_from_run",
                                        "clock_drift",
                                        "steal_from_run",
                                        "pressure_from_run",
                                        NULL};
    *machine = (sy_fake_machine){.description = "scripted device",
                                 .memory_bytes = MEMORY_BYTES,
                                 .free_memory_bytes = MEMORY_BYTES,
                                 .clock_hz = NAN,
                                 .clock_drift = {.factor = 1},
                                 .temperature_celsius = NAN,
                                 .steal_share = NAN,
                                 .pressure_share = NAN,
                                 .load_average = NAN,
                                 .throttled = -1};
    const sy_json_value *object = sy_json_member(root, "device");
    if (!object || !sy_fake_expect(reader, object, SY_JSON_OBJECT))
        return;
    sy_fake_refuse_unknown(reader, object, known);
    sy_fake_read_text(reader, object, "description", 127, &machine->description);
    sy_fake_read_u64(reader, object, "memory_bytes", 0, INTEGER_LIMIT, &machine->memory_bytes);
    machine->free_memory_bytes = machine->memory_bytes > 0 ? machine->memory_bytes : UINT64_MAX;
    sy_fake_read_u64(reader, object, "free_memory_bytes", 0, INTEGER_LIMIT, &machine->free_memory_bytes);
    sy_fake_read_u64(reader, object, "allocate_ns", 0, INTEGER_LIMIT, &machine->allocate_ns);
    sy_fake_read_u64(reader, object, "transfer_ns", 0, INTEGER_LIMIT, &machine->transfer_ns);
    sy_fake_read_u64(reader, object, "clock_read_ns", 0, INTEGER_LIMIT, &machine->clock_read_ns);
    sy_fake_read_double(reader, object, "clock_hz", 0, 1e12, &machine->clock_hz);
    sy_fake_read_double(reader, object, "temperature_celsius", -273.15, 1000, &machine->temperature_celsius);
    sy_fake_read_double(reader, object, "steal_share", 0, 1, &machine->steal_share);
    sy_fake_read_double(reader, object, "pressure_share", 0, 1, &machine->pressure_share);
    sy_fake_read_double(reader, object, "load_average", 0, 1e6, &machine->load_average);
    sy_fake_read_drift(reader, object, "clock_drift", &machine->clock_drift);
    sy_fake_read_u64(reader, object, "steal_from_run", 1, INTEGER_LIMIT, &machine->steal_from_run);
    sy_fake_read_u64(reader, object, "pressure_from_run", 1, INTEGER_LIMIT, &machine->pressure_from_run);
    bool throttled = false;
    sy_fake_read_bool(reader, object, "throttled", &throttled);
    sy_fake_read_u64(reader, object, "throttled_from_run", 1, INTEGER_LIMIT, &machine->throttled_from_run);
    if (sy_json_member(object, "throttled") || machine->throttled_from_run > 0)
        machine->throttled = throttled;
}

static void read_tolerance(sy_fake_reader *reader, const sy_json_value *object, sy_tolerance *tolerance)
{
    /* Two roundings, each below u (|a b| + |a'|): the constants of a product leave room for them. */
    *tolerance = (sy_tolerance){.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = NAN, .relative = NAN};
    const sy_json_value *absolute = sy_json_member(object, "atol");
    const sy_json_value *relative = sy_json_member(object, "rtol");
    if (!absolute != !relative)
        sy_fake_fail(reader, object, "'atol' and 'rtol' come together");
    sy_fake_read_double(reader, object, "atol", 0, 1e30, &tolerance->absolute);
    sy_fake_read_double(reader, object, "rtol", 0, 1e30, &tolerance->relative);
}

static void read_case(sy_fake_reader *reader, const sy_json_value *object, sy_case *to, uint64_t *elements,
                      double *factor)
{
    static const char *const known[] = {"comment",
                                        "name",
                                        "weight",
                                        "n",
                                        "factor",
                                        "quick",
                                        "exact_stage",
                                        "own_inputs",
                                        "promises_determinism",
                                        "allows_nonfinite",
                                        "allows_zeros",
                                        "inputs_declared_equivalent",
                                        "atol",
                                        "rtol",
                                        "source",
                                        NULL};
    if (!sy_fake_expect(reader, object, SY_JSON_OBJECT))
        return;
    sy_fake_refuse_unknown(reader, object, known);
    (void)sy_fake_require(reader, object, "name", SY_JSON_TEXT);
    *elements = 64;
    *factor = 1;
    *to = (sy_case){.weight = 1, .dtype = SY_F32, .source = "scripted", .exact_stage = true, .exact_length = 2};
    sy_fake_read_text(reader, object, "name", NAME_LIMIT, &to->name);
    sy_fake_read_text(reader, object, "source", TEXT_LIMIT, &to->source);
    sy_fake_read_double(reader, object, "weight", 1e-9, 1e9, &to->weight);
    sy_fake_read_double(reader, object, "factor", 1e-6, 1e6, factor);
    sy_fake_read_u64(reader, object, "n", 2, ELEMENT_LIMIT, elements);
    sy_fake_read_bool(reader, object, "quick", &to->quick);
    sy_fake_read_bool(reader, object, "exact_stage", &to->exact_stage);
    sy_fake_read_bool(reader, object, "own_inputs", &to->own_inputs);
    sy_fake_read_bool(reader, object, "promises_determinism", &to->promises_determinism);
    sy_fake_read_bool(reader, object, "allows_nonfinite", &to->allows_nonfinite);
    sy_fake_read_bool(reader, object, "allows_zeros", &to->allows_zeros);
    sy_fake_read_bool(reader, object, "inputs_declared_equivalent", &to->inputs_declared_equivalent);
    read_tolerance(reader, object, &to->tolerance);
    to->flop_count = 2.0 * (double)*elements;
    to->byte_count = 12.0 * (double)*elements;
    sy_case_property *property = sy_arena_allocate(reader->arena, 1, sizeof *property);
    if (!property) {
        sy_fake_fail_memory(reader);
        return;
    }
    *property = (sy_case_property){"n", (int64_t)*elements};
    to->properties = property;
    to->property_count = 1;
}

static void read_cases(sy_fake_reader *reader, const sy_json_value *root, sy_fake_script *script, double **ret_factors)
{
    const sy_json_value *array = sy_fake_require(reader, root, "cases", SY_JSON_ARRAY);
    if (!array)
        return;
    if (array->count == 0 || array->count > CASE_LIMIT) {
        sy_fake_fail(reader, array, "holds %zu cases where 1 to %d are allowed", array->count, CASE_LIMIT);
        return;
    }
    sy_case *cases = sy_arena_allocate(reader->arena, array->count, sizeof *cases);
    uint64_t *elements = sy_arena_allocate(reader->arena, array->count, sizeof *elements);
    double *factors = sy_arena_allocate(reader->arena, array->count, sizeof *factors);
    if (!cases || !elements || !factors) {
        sy_fake_fail_memory(reader);
        return;
    }
    size_t count = 0;
    for (const sy_json_value *object = array->first; object && !reader->status; object = object->next) {
        read_case(reader, object, &cases[count], &elements[count], &factors[count]);
        for (size_t i = 0; i < count && !reader->status; i++)
            if (sy_text_equal(cases[i].name, cases[count].name))
                sy_fake_fail(reader, sy_json_member(object, "name"), "a second case is named '%s'", cases[i].name);
        count++;
    }
    script->elements = elements;
    script->suite.cases = cases;
    script->suite.case_count = count;
    *ret_factors = factors;
}

static void read_shortcut(sy_fake_reader *reader, const sy_json_value *root, sy_fake_script *script)
{
    static const char *const known[] = {"implementation", "evidence", "date", "largest_n", NULL};
    const sy_json_value *object = sy_json_member(root, "shortcut");
    if (!object || !sy_fake_expect(reader, object, SY_JSON_OBJECT))
        return;
    sy_fake_refuse_unknown(reader, object, known);
    const sy_json_value *name = sy_fake_require(reader, object, "implementation", SY_JSON_TEXT);
    (void)sy_fake_require(reader, object, "evidence", SY_JSON_TEXT);
    sy_fake_read_text(reader, object, "implementation", NAME_LIMIT, &script->shortcut.implementation);
    sy_fake_read_text(reader, object, "evidence", TEXT_LIMIT, &script->shortcut.evidence);
    sy_fake_read_text(reader, object, "date", NAME_LIMIT, &script->shortcut.date);
    script->shortcut_largest_n = ELEMENT_LIMIT;
    sy_fake_read_u64(reader, object, "largest_n", 1, ELEMENT_LIMIT, &script->shortcut_largest_n);
    if (reader->status)
        return;
    for (size_t i = 0; i < script->suite.implementation_count; i++)
        if (sy_text_equal(script->implementations[i].name, script->shortcut.implementation))
            return;
    sy_fake_fail(reader, name, "no implementation is named '%s'", script->shortcut.implementation);
}

static void read_schema(sy_fake_reader *reader, const sy_json_value *root)
{
    const sy_json_value *schema = sy_fake_require(reader, root, "schema", SY_JSON_TEXT);
    if (schema && !sy_text_equal(schema->text, SCHEMA)) {
        sy_fake_fail(reader, schema, "'%.40s' is not known, only " SCHEMA, schema->text);
        reader->status = SY_VERSION_UNSUPPORTED;
        if (reader->err)
            reader->err->status = SY_VERSION_UNSUPPORTED;
    }
}

static void refuse_findings(sy_fake_reader *reader)
{
    static const char *const words[] = {[SY_JSON_DUPLICATE_KEY] = "a member of this name stands before it",
                                        [SY_JSON_NON_FINITE] = "a number must be finite",
                                        [SY_JSON_BAD_UTF8] = "holds bytes that are not UTF-8"};
    size_t count;
    const sy_json_finding *findings = sy_json_findings(reader->json, &count);
    if (count == 0)
        return;
    sy_fake_fail(reader, findings[0].value, "%s", words[findings[0].kind]);
    if (reader->err)
        sy_error_at(reader->err, sy_json_position(reader->json, findings[0].offset));
}

static void read_document(sy_fake_reader *reader, sy_fake_script *script)
{
    static const char *const known[] = {
        "comment", "schema", "operation",       "version",  "seed", "isolation", "timer_resolution_ns",
        "device",  "cases",  "implementations", "shortcut", NULL};
    static const char *const isolations[] = {"none", "worker", NULL};
    const sy_json_value *root = sy_json_root(reader->json);
    if (!sy_fake_expect(reader, root, SY_JSON_OBJECT))
        return;
    read_schema(reader, root);
    refuse_findings(reader);
    sy_fake_refuse_unknown(reader, root, known);
    int isolation = 0;
    double *factors = NULL;
    script->seed = 1;
    script->timer_resolution_ns = 1;
    script->suite.struct_size = sizeof script->suite;
    script->suite.version = "1";
    (void)sy_fake_require(reader, root, "operation", SY_JSON_TEXT);
    sy_fake_read_text(reader, root, "operation", NAME_LIMIT, &script->suite.operation);
    sy_fake_read_text(reader, root, "version", NAME_LIMIT, &script->suite.version);
    sy_fake_read_u64(reader, root, "seed", 0, INTEGER_LIMIT, &script->seed);
    sy_fake_read_word(reader, root, "isolation", isolations, &isolation);
    sy_fake_read_u64(reader, root, "timer_resolution_ns", 1, UINT64_C(1000000000), &script->timer_resolution_ns);
    script->isolates = isolation == 1;
    read_machine(reader, root, &script->machine);
    read_cases(reader, root, script, &factors);
    const sy_json_value *implementations = sy_fake_require(reader, root, "implementations", SY_JSON_ARRAY);
    if (implementations)
        sy_fake_read_implementations(reader, implementations, factors, script);
    read_shortcut(reader, root, script);
}

sy_status sy_fake_script_parse(const void *bytes, size_t size, sy_fake_script **ret_script, sy_error *err)
{
    static const sy_json_limits limits = {SY_FAKE_SCRIPT_LIMIT_BYTES, 8, 16};
    sy_fake_script *script = NULL;
    sy_json *json = NULL;
    sy_fake_reader reader = {.err = err};
    reader.status = sy_json_parse(bytes, size, &limits, &json, err);
    if (reader.status)
        return reader.status;
    script = sy_allocate(1, sizeof *script);
    if (script)
        script->arena = sy_arena_create(0);
    if (!script || !script->arena) {
        sy_fake_fail_memory(&reader);
        goto out;
    }
    reader.json = json;
    reader.arena = script->arena;
    read_document(&reader, script);
out:
    sy_json_destroy(json);
    if (reader.status)
        sy_fake_script_destroy(script);
    else
        *ret_script = script;
    return reader.status;
}

void sy_fake_script_destroy(sy_fake_script *script)
{
    if (!script)
        return;
    sy_arena_destroy(script->arena);
    sy_free(script);
}
