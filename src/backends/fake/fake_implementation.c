/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the implementations of the fake backend's script: what they are, how long they take on each case, what they get
 * wrong and how they end. */
#include <math.h>
#include <string.h>

#include "backends/fake/fake_reader.h"
#include "base/error.h"

#define IMPLEMENTATION_LIMIT 64
#define TIME_LIMIT UINT64_C(1000000000000000)
#define RUN_LIMIT ((uint64_t)INT64_MAX)
#define NAME_LIMIT 63
#define PROCESS_LIMIT 64
#define TEXT_LIMIT 200

bool sy_fake_law_model(const char *name, sy_fake_law *law)
{
    static const struct {
        const char *name;
        sy_fake_law law;
    } models[] = {
        {"quiet", {.sigma = .005, .spike_probability = .02, .spike_size = .05}},
        {"drifting", {.sigma = .01, .spike_probability = .05, .spike_size = .05, .ramp = .08, .ar = .003, .jump = .03}},
        {"bad", {.sigma = .03, .spike_probability = .1, .spike_size = .1, .ramp = .15, .ar = .006, .jump = .05}},
        {"cold", {.sigma = .01, .spike_probability = .05, .spike_size = .05, .ramp = -.3}},
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(models[i].name, name) == 0) {
            const double base_ns = law->base_ns;
            *law = models[i].law;
            law->base_ns = base_ns;
            return true;
        }
    return false;
}

static void read_law(sy_fake_reader *reader, const sy_json_value *object, sy_fake_law *law)
{
    static const char *const known[] = {"base_ns", "model", "sigma", "spike_probability", "spike_size", "ramp",
                                        "ar",      "jump",  NULL};
    if (!sy_fake_expect(reader, object, SY_JSON_OBJECT))
        return;
    sy_fake_refuse_unknown(reader, object, known);
    (void)sy_fake_require(reader, object, "base_ns", SY_JSON_NUMBER);
    const char *model = NULL;
    *law = (sy_fake_law){0};
    sy_fake_read_text(reader, object, "model", NAME_LIMIT, &model);
    if (model && !sy_fake_law_model(model, law)) {
        sy_fake_fail(reader, sy_json_member(object, "model"), "'%s' is no noise model", model);
        sy_error_hint(reader->err, "the models are quiet, drifting, bad, cold");
    }
    sy_fake_read_double(reader, object, "base_ns", 1, (double)TIME_LIMIT, &law->base_ns);
    sy_fake_read_double(reader, object, "sigma", 0, 10, &law->sigma);
    sy_fake_read_double(reader, object, "spike_probability", 0, 1, &law->spike_probability);
    sy_fake_read_double(reader, object, "spike_size", 0, 1e6, &law->spike_size);
    sy_fake_read_double(reader, object, "ramp", -10, 10, &law->ramp);
    sy_fake_read_double(reader, object, "ar", 0, 10, &law->ar);
    sy_fake_read_double(reader, object, "jump", 0, 10, &law->jump);
}

static void read_times(sy_fake_reader *reader, const sy_json_value *array, sy_fake_cell *cell)
{
    if (!sy_fake_expect(reader, array, SY_JSON_ARRAY))
        return;
    if (array->count == 0) {
        sy_fake_fail(reader, array, "holds no time");
        return;
    }
    uint64_t *times = sy_arena_allocate(reader->arena, array->count, sizeof *times);
    if (!times) {
        sy_fake_fail_memory(reader);
        return;
    }
    size_t count = 0;
    for (const sy_json_value *value = array->first; value && !reader->status; value = value->next) {
        int64_t ns = 0;
        reader->status = sy_json_get_i64(reader->json, value, &ns, reader->err);
        if (!reader->status && (ns < 0 || (uint64_t)ns > TIME_LIMIT))
            sy_fake_fail(reader, value, "%.*s is not in 0 to %llu", (int)value->text_length, value->text,
                         (unsigned long long)TIME_LIMIT);
        times[count++] = (uint64_t)ns;
    }
    cell->times_ns = times;
    cell->time_count = count;
}

/* The members that an implementation has for all of its cases, and again for one. */
#define CELL_MEMBERS "times", "then", "law", "fault", "fault_size", "fault_from_run", "unavailable"

static void read_cell(sy_fake_reader *reader, const sy_json_value *object, sy_fake_cell *cell)
{
    static const char *const thens[] = {"repeat", "hold", "end", NULL};
#define FAULT_WORD(name, word) word,
    static const char *const faults[] = {SY_FAKE_FAULT_LIST(FAULT_WORD) NULL};
#undef FAULT_WORD
    if (reader->status)
        return;
    const sy_json_value *times = sy_json_member(object, "times");
    const sy_json_value *law = sy_json_member(object, "law");
    if (times && law) {
        sy_fake_fail(reader, law, "stands beside 'times': one of them gives the times");
        return;
    }
    if (times)
        read_times(reader, times, cell);
    if (law) {
        cell->times_ns = NULL;
        read_law(reader, law, &cell->law);
    }
    int then = (int)cell->then, fault = (int)cell->fault;
    sy_fake_read_word(reader, object, "then", thens, &then);
    sy_fake_read_word(reader, object, "fault", faults, &fault);
    cell->then = (sy_fake_then)then;
    cell->fault = (sy_fake_fault)fault;
    sy_fake_read_double(reader, object, "fault_size", 1e-12, 1e12, &cell->fault_size);
    sy_fake_read_u64(reader, object, "fault_from_run", 1, RUN_LIMIT, &cell->fault_from_run);
    sy_fake_read_text(reader, object, "unavailable", TEXT_LIMIT, &cell->unavailable);
}

static void read_cell_of_case(sy_fake_reader *reader, const sy_json_value *object, sy_fake_cell *cell)
{
    static const char *const known[] = {CELL_MEMBERS, "factor", NULL};
    if (!sy_fake_expect(reader, object, SY_JSON_OBJECT))
        return;
    sy_fake_refuse_unknown(reader, object, known);
    double factor = 1;
    sy_fake_read_double(reader, object, "factor", 1e-6, 1e6, &factor);
    cell->factor *= factor;
    read_cell(reader, object, cell);
}

static const sy_fake_cell *read_cells(sy_fake_reader *reader, const sy_json_value *object, const double *case_factors,
                                      const sy_suite *suite)
{
    sy_fake_cell *cells = sy_arena_allocate(reader->arena, suite->case_count, sizeof *cells);
    if (!cells) {
        sy_fake_fail_memory(reader);
        return NULL;
    }
    sy_fake_cell all = {.fault_size = 1e-3, .fault_from_run = 1};
    read_cell(reader, object, &all);
    for (size_t c = 0; c < suite->case_count; c++) {
        cells[c] = all;
        cells[c].factor = case_factors[c];
    }
    const sy_json_value *overrides = sy_json_member(object, "cases");
    if (overrides && sy_fake_expect(reader, overrides, SY_JSON_OBJECT))
        for (const sy_json_value *one = overrides->first; one && !reader->status; one = one->next) {
            size_t c = 0;
            while (c < suite->case_count && !sy_text_equal(suite->cases[c].name, one->name))
                c++;
            if (c == suite->case_count)
                sy_fake_fail(reader, one, "no case is named '%.63s'", one->name);
            else
                read_cell_of_case(reader, one, &cells[c]);
        }
    for (size_t c = 0; c < suite->case_count && !reader->status; c++)
        if (!cells[c].times_ns && cells[c].law.base_ns == 0)
            sy_fake_fail(reader, object, "neither 'times' nor 'law' says how long case '%s' takes",
                         suite->cases[c].name);
    return cells;
}

void sy_fake_read_drift(sy_fake_reader *reader, const sy_json_value *object, const char *name, sy_fake_drift *drift)
{
    static const char *const known[] = {"factor", "from_run", "to_run", NULL};
    const sy_json_value *member = sy_json_member(object, name);
    *drift = (sy_fake_drift){.factor = 1};
    if (!member || !sy_fake_expect(reader, member, SY_JSON_OBJECT))
        return;
    sy_fake_refuse_unknown(reader, member, known);
    (void)sy_fake_require(reader, member, "factor", SY_JSON_NUMBER);
    (void)sy_fake_require(reader, member, "from_run", SY_JSON_NUMBER);
    sy_fake_read_double(reader, member, "factor", 1e-3, 1e3, &drift->factor);
    sy_fake_read_u64(reader, member, "from_run", 0, RUN_LIMIT - 1, &drift->from_run);
    drift->to_run = drift->from_run + 1;
    sy_fake_read_u64(reader, member, "to_run", 1, RUN_LIMIT, &drift->to_run);
    if (drift->to_run <= drift->from_run)
        sy_fake_fail(reader, sy_json_member(member, "to_run"), "is not behind 'from_run'");
}

static void read_after(sy_fake_reader *reader, const sy_json_value *object, const sy_fake_script *script,
                       sy_fake_implementation *to)
{
    const size_t count = script->suite.implementation_count;
    double *factors = sy_arena_allocate(reader->arena, count, sizeof *factors);
    if (!factors) {
        sy_fake_fail_memory(reader);
        return;
    }
    for (size_t i = 0; i < count; i++)
        factors[i] = 1;
    to->after = factors;
    const sy_json_value *after = sy_json_member(object, "after");
    if (!after || !sy_fake_expect(reader, after, SY_JSON_OBJECT))
        return;
    for (const sy_json_value *one = after->first; one && !reader->status; one = one->next) {
        size_t i = 0;
        while (i < count && !sy_text_equal(script->suite.implementations[i].name, one->name))
            i++;
        if (i == count || sy_text_equal(to->name, one->name))
            sy_fake_fail(reader, one, "no other implementation is named '%.63s'", one->name);
        else
            sy_fake_read_double(reader, after, one->name, 1e-3, 1e3, &factors[i]);
    }
}

static void read_process_factors(sy_fake_reader *reader, const sy_json_value *object, sy_fake_implementation *to)
{
    const sy_json_value *array = sy_json_member(object, "process_factors");
    if (!array || !sy_fake_expect(reader, array, SY_JSON_ARRAY))
        return;
    if (array->count == 0 || array->count > PROCESS_LIMIT) {
        sy_fake_fail(reader, array, "holds %zu factors where 1 to %d are allowed", array->count, PROCESS_LIMIT);
        return;
    }
    double *factors = sy_arena_allocate(reader->arena, array->count, sizeof *factors);
    if (!factors) {
        sy_fake_fail_memory(reader);
        return;
    }
    size_t count = 0;
    for (const sy_json_value *value = array->first; value && !reader->status; value = value->next) {
        if (!sy_fake_expect(reader, value, SY_JSON_NUMBER))
            return;
        factors[count] = value->number;
        if (!(factors[count] >= 1e-3 && factors[count] <= 1e3))
            sy_fake_fail(reader, value, "%.*s is not in 0.001 to 1000", (int)value->text_length, value->text);
        count++;
    }
    to->process_factors = factors;
    to->process_factor_count = count;
}

static void read_behaviour(sy_fake_reader *reader, const sy_json_value *object, sy_fake_implementation *to)
{
    static const char *const ways[] = {"abort", "segfault", "exit", "garbage", NULL};
    int way = SY_FAKE_CRASH_ABORT;
    to->version = "scripted";
    to->after_runs = 2;
    to->switch_runs = 1;
    to->first_factor = to->second_factor = to->switch_factor = 1;
    sy_fake_read_text(reader, object, "version", NAME_LIMIT, &to->version);
    sy_fake_read_text(reader, object, "fail_build", TEXT_LIMIT, &to->fail_build);
    sy_fake_read_u64(reader, object, "after_runs", 1, RUN_LIMIT, &to->after_runs);
    sy_fake_read_double(reader, object, "first_factor", 1e-3, 1e3, &to->first_factor);
    sy_fake_read_double(reader, object, "second_factor", 1e-3, 1e3, &to->second_factor);
    read_process_factors(reader, object, to);
    sy_fake_read_u64(reader, object, "faults_from_process", 0, PROCESS_LIMIT - 1, &to->faults_from_process);
    sy_fake_read_u64(reader, object, "crash_at", 1, RUN_LIMIT, &to->crash_at);
    sy_fake_read_u64(reader, object, "crash_every", 1, RUN_LIMIT, &to->crash_every);
    sy_fake_read_word(reader, object, "crash_how", ways, &way);
    to->crash_how = (sy_fake_crash)way;
    sy_fake_read_u64(reader, object, "hang_at", 1, RUN_LIMIT, &to->hang_at);
    sy_fake_read_u64(reader, object, "hang_every", 1, RUN_LIMIT, &to->hang_every);
    sy_fake_read_u64(reader, object, "switch_at", 1, RUN_LIMIT, &to->switch_at);
    sy_fake_read_u64(reader, object, "switch_every", 1, RUN_LIMIT, &to->switch_every);
    sy_fake_read_u64(reader, object, "switch_runs", 1, RUN_LIMIT, &to->switch_runs);
    sy_fake_read_double(reader, object, "switch_factor", 1, 1e3, &to->switch_factor);
    sy_fake_read_u64(reader, object, "memory_bytes", 1, UINT64_C(1) << 50, &to->memory_bytes);
}

static void read_head(sy_fake_reader *reader, const sy_json_value *object, sy_implementation *to)
{
    static const char *const known[] = {CELL_MEMBERS,
                                        "comment",
                                        "name",
                                        "role",
                                        "error_class",
                                        "summary",
                                        "how_to_get",
                                        "version",
                                        "after",
                                        "after_runs",
                                        "process_factors",
                                        "faults_from_process",
                                        "first_factor",
                                        "second_factor",
                                        "drift",
                                        "crash_at",
                                        "crash_every",
                                        "crash_how",
                                        "hang_at",
                                        "hang_every",
                                        "memory_bytes",
                                        "fail_build",
                                        "only_if_named",
                                        "cases",
                                        "switch_at",
                                        "switch_every",
                                        "switch_runs",
                                        "switch_factor",
                                        NULL};
    static const char *const roles[] = {"oracle", "reference", "candidate", NULL};
    static const char *const classes[] = {"exact", "tolerance", "approximate", "nondeterministic", NULL};
    if (!sy_fake_expect(reader, object, SY_JSON_OBJECT))
        return;
    sy_fake_refuse_unknown(reader, object, known);
    (void)sy_fake_require(reader, object, "name", SY_JSON_TEXT);
    int role = SY_ROLE_CANDIDATE, error_class = SY_CLASS_TOLERANCE;
    to->summary = "scripted";
    to->how_to_get = "";
    sy_fake_read_text(reader, object, "name", NAME_LIMIT, &to->name);
    sy_fake_read_text(reader, object, "summary", TEXT_LIMIT, &to->summary);
    sy_fake_read_text(reader, object, "how_to_get", TEXT_LIMIT, &to->how_to_get);
    sy_fake_read_word(reader, object, "role", roles, &role);
    sy_fake_read_word(reader, object, "error_class", classes, &error_class);
    sy_fake_read_bool(reader, object, "only_if_named", &to->only_if_named);
    to->role = (sy_role)role;
    to->error_class = (sy_error_class)error_class;
}

/* Names and roles first, since `after` may name an implementation that stands later. */
static void read_heads(sy_fake_reader *reader, const sy_json_value *array, sy_implementation *heads)
{
    size_t count = 0;
    const sy_json_value *reference = NULL;
    for (const sy_json_value *object = array->first; object && !reader->status; object = object->next) {
        sy_implementation *head = &heads[count];
        read_head(reader, object, head);
        for (size_t i = 0; i < count && !reader->status; i++)
            if (sy_text_equal(heads[i].name, head->name))
                sy_fake_fail(reader, sy_json_member(object, "name"), "a second implementation is named '%s'",
                             head->name);
        if (!reader->status && head->role == SY_ROLE_REFERENCE && reference)
            sy_fake_fail(reader, sy_json_member(object, "role"), "a second reference");
        if (head->role == SY_ROLE_REFERENCE)
            reference = object;
        count++;
    }
    if (!reader->status && !reference)
        sy_fake_fail(reader, array, "no implementation has the role 'reference'");
}

void sy_fake_read_implementations(sy_fake_reader *reader, const sy_json_value *array, const double *case_factors,
                                  sy_fake_script *script)
{
    if (array->count == 0 || array->count > IMPLEMENTATION_LIMIT) {
        sy_fake_fail(reader, array, "holds %zu implementations where 1 to %d are allowed", array->count,
                     IMPLEMENTATION_LIMIT);
        return;
    }
    sy_implementation *heads = sy_arena_allocate(reader->arena, array->count, sizeof *heads);
    sy_fake_implementation *bodies = sy_arena_allocate(reader->arena, array->count, sizeof *bodies);
    if (!heads || !bodies) {
        sy_fake_fail_memory(reader);
        return;
    }
    read_heads(reader, array, heads);
    script->suite.implementations = heads;
    script->suite.implementation_count = array->count;
    script->implementations = bodies;
    for (const sy_json_value *object = array->first; object && !reader->status; object = object->next) {
        bodies->name = heads->name;
        read_behaviour(reader, object, bodies);
        sy_fake_read_drift(reader, object, "drift", &bodies->drift);
        read_after(reader, object, script, bodies);
        bodies->cells = read_cells(reader, object, case_factors, &script->suite);
        heads++;
        bodies++;
    }
}
