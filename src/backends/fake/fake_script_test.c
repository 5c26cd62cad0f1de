/* SPDX-License-Identifier: Apache-2.0 */
/* Reading scripts: what a full one gives, and where and how each kind of mistake is refused. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "backends/fake/fake_script.h"
#include "base/text.h"
#include "fault_loop.h"

static const char full[] =
    "{\n"
    "  \"comment\": \"every member once\",\n"
    "  \"schema\": \"steelyard.fake/1\",\n"
    "  \"operation\": \"ring\", \"version\": \"7\", \"seed\": 42, \"isolation\": \"worker\", \"timer_resolution_ns\": "
    "100,\n"
    "  \"device\": {\"description\": \"a box\", \"memory_bytes\": 4096, \"free_memory_bytes\": 1024, "
    "\"clock_read_ns\": 8, \"allocate_ns\": "
    "5,\n"
    "    \"transfer_ns\": 6, \"clock_hz\": 3e9, \"temperature_celsius\": 40.5, \"steal_share\": 0.25,\n"
    "    \"pressure_share\": 0.5, \"load_average\": 1.5, \"throttled\": true, \"throttled_from_run\": 9},\n"
    "  \"cases\": [\n"
    "    {\"name\": \"small\", \"weight\": 2.5, \"n\": 16, \"factor\": 3, \"quick\": true, \"exact_stage\": false,\n"
    "     \"own_inputs\": true, \"promises_determinism\": true, \"allows_nonfinite\": true, \"allows_zeros\": true,\n"
    "     \"inputs_declared_equivalent\": true, \"atol\": 0.5, \"rtol\": 0.25, \"source\": \"a model\",\n"
    "     \"comment\": \"c\"},\n"
    "    {\"name\": \"plain\"}],\n"
    "  \"implementations\": [\n"
    "    {\"name\": \"old\", \"role\": \"reference\", \"error_class\": \"exact\", \"only_if_named\": true, "
    "\"summary\": \"s\", \"comment\": \"c\",\n"
    "     \"how_to_get\": \"buy it\", \"version\": \"1.2\", \"times\": [10, 20, 30], \"then\": \"hold\",\n"
    "     \"after\": {\"new\": 1.5}, \"after_runs\": 4, \"first_factor\": 1.25, \"second_factor\": 0.75,\n"
    "     \"drift\": {\"factor\": 2, \"from_run\": 10, \"to_run\": 20}, \"crash_at\": 3, \"crash_every\": 5, "
    "\"hang_every\": 6, \"crash_how\": \"exit\",\n"
    "     \"process_factors\": [1, 0.5], \"faults_from_process\": 3,\n"
    "     \"hang_at\": 4, \"memory_bytes\": 77, \"fail_build\": \"no compiler\",\n"
    "     \"cases\": {\"plain\": {\"law\": {\"base_ns\": 500, \"model\": \"bad\", \"sigma\": 0.5}, \"factor\": 2,\n"
    "                \"fault\": \"wrong\", \"fault_size\": 0.125, \"fault_from_run\": 6, \"unavailable\": \"too "
    "large\"}}},\n"
    "    {\"name\": \"new\", \"law\": {\"base_ns\": 100, \"spike_probability\": 0.5, \"spike_size\": 2, \"ramp\": -1,\n"
    "     \"ar\": 0.5, \"jump\": 0.25}, \"fault\": \"past-the-end\"}],\n"
    "  \"shortcut\": {\"implementation\": \"new\", \"evidence\": \"run 7\"}\n"
    "}\n";

static sy_fake_script *parse(const char *text)
{
    sy_fake_script *script = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_fake_script_parse(text, strlen(text), &script, &error))
        fail_msg("%u:%u: %s", error.position.line, error.position.column, error.what);
    return script;
}

static void a_full_script_gives_the_machine_and_the_suite(void **state)
{
    (void)state;
    sy_fake_script *script = parse(full);
    assert_int_equal(script->seed, 42);
    assert_true(script->isolates);
    assert_int_equal(script->timer_resolution_ns, 100);
    assert_string_equal(script->suite.operation, "ring");
    assert_string_equal(script->suite.version, "7");
    const sy_fake_machine *machine = &script->machine;
    assert_string_equal(machine->description, "a box");
    assert_int_equal(machine->memory_bytes, 4096);
    assert_int_equal(machine->free_memory_bytes, 1024);
    assert_int_equal(machine->allocate_ns, 5);
    assert_int_equal(machine->transfer_ns, 6);
    assert_int_equal(machine->clock_read_ns, 8);
    assert_true(machine->clock_hz == 3e9 && machine->temperature_celsius == 40.5 && machine->steal_share == 0.25);
    assert_true(machine->pressure_share == 0.5 && machine->load_average == 1.5);
    assert_int_equal(machine->throttled, 1);
    assert_int_equal(machine->throttled_from_run, 9);
    assert_int_equal(script->suite.case_count, 2);
    const sy_case *small = &script->suite.cases[0];
    assert_string_equal(small->name, "small");
    assert_string_equal(small->source, "a model");
    assert_true(small->weight == 2.5 && small->quick && !small->exact_stage && small->own_inputs);
    assert_true(small->promises_determinism && small->allows_nonfinite && small->allows_zeros);
    assert_true(small->inputs_declared_equivalent);
    assert_true(small->tolerance.absolute == 0.5 && small->tolerance.relative == 0.25);
    assert_int_equal(script->elements[0], 16);
    assert_string_equal(small->properties[0].name, "n");
    assert_int_equal(small->properties[0].value, 16);
    assert_string_equal(script->shortcut.implementation, "new");
    assert_string_equal(script->shortcut.evidence, "run 7");
    assert_null(script->shortcut.date);
    assert_int_equal(script->shortcut_largest_n, 1 << 20);
    sy_fake_script_destroy(script);
}

static void a_full_script_gives_the_implementations(void **state)
{
    (void)state;
    sy_fake_script *script = parse(full);
    assert_int_equal(script->suite.implementation_count, 2);
    const sy_implementation *head = &script->suite.implementations[0];
    assert_string_equal(head->name, "old");
    assert_int_equal(head->role, SY_ROLE_REFERENCE);
    assert_int_equal(head->error_class, SY_CLASS_EXACT);
    assert_string_equal(head->how_to_get, "buy it");
    assert_true(head->only_if_named && !script->suite.implementations[1].only_if_named);
    const sy_fake_implementation *old = &script->implementations[0];
    assert_string_equal(old->version, "1.2");
    assert_string_equal(old->fail_build, "no compiler");
    assert_true(old->after[0] == 1 && old->after[1] == 1.5 && old->after_runs == 4);
    assert_true(old->first_factor == 1.25 && old->second_factor == 0.75);
    assert_true(old->drift.factor == 2 && old->drift.from_run == 10 && old->drift.to_run == 20);
    assert_true(old->crash_at == 3 && old->crash_how == SY_FAKE_CRASH_EXIT && old->hang_at == 4);
    assert_true(old->crash_every == 5 && old->hang_every == 6);
    assert_int_equal(old->process_factor_count, 2);
    assert_true(old->process_factors[1] == 0.5 && old->faults_from_process == 3);
    assert_null(script->implementations[1].process_factors);
    assert_int_equal(old->memory_bytes, 77);
    const sy_fake_cell *small = &old->cells[0];
    assert_int_equal(small->time_count, 3);
    assert_int_equal(small->times_ns[2], 30);
    assert_int_equal(small->then, SY_FAKE_THEN_HOLD);
    assert_true(small->factor == 3); /* the case's */
    const sy_fake_cell *plain = &old->cells[1];
    assert_null(plain->times_ns);
    assert_true(plain->law.base_ns == 500 && plain->law.sigma == 0.5 && plain->law.ramp == 0.15 && plain->factor == 2);
    assert_true(plain->fault == SY_FAKE_FAULT_WRONG && plain->fault_size == 0.125 && plain->fault_from_run == 6);
    assert_string_equal(plain->unavailable, "too large");
    const sy_fake_law *law = &script->implementations[1].cells[0].law;
    assert_true(law->spike_probability == 0.5 && law->spike_size == 2 && law->ramp == -1 && law->ar == 0.5 &&
                law->jump == 0.25);
    assert_int_equal(script->implementations[1].cells[1].fault, SY_FAKE_FAULT_PAST_THE_END);
    sy_fake_script_destroy(script);
}

static void what_is_not_said_has_the_documented_default(void **state)
{
    (void)state;
    sy_fake_script *script = parse("{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": "
                                   "[{\"name\": \"c\"}], \"implementations\": [{\"name\": \"r\", \"role\": "
                                   "\"reference\", \"law\": {\"base_ns\": 1000}}]}");
    assert_int_equal(script->seed, 1);
    assert_false(script->isolates);
    assert_int_equal(script->timer_resolution_ns, 1);
    assert_string_equal(script->suite.version, "1");
    assert_true(script->machine.free_memory_bytes == 1 << 30 && script->machine.memory_bytes == 1 << 30);
    assert_true(isnan(script->machine.clock_hz) && isnan(script->machine.steal_share));
    assert_int_equal(script->machine.throttled, -1);
    const sy_case *c = &script->suite.cases[0];
    assert_true(c->weight == 1 && c->exact_stage && !c->quick && !c->own_inputs);
    assert_int_equal(script->elements[0], 64);
    assert_true(isnan(c->tolerance.absolute) && isnan(c->tolerance.relative) && c->tolerance.c == 16);
    const sy_fake_implementation *r = &script->implementations[0];
    assert_true(r->first_factor == 1 && r->second_factor == 1 && r->after[0] == 1 && r->after_runs == 2);
    assert_true(r->crash_at == 0 && r->hang_at == 0 && r->crash_every == 0 && r->hang_every == 0 &&
                r->memory_bytes == 0 && !r->fail_build);
    assert_true(r->drift.factor == 1);
    assert_true(r->cells[0].fault == SY_FAKE_FAULT_NONE && !r->cells[0].unavailable);
    assert_int_equal(script->suite.implementations[0].error_class, SY_CLASS_TOLERANCE);
    assert_null(script->shortcut.implementation);
    sy_fake_script_destroy(script);
}

/* The four models of docs/statistics.md: (s, p, q, r, a, j). */
static void the_named_noise_models_have_the_documented_figures(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double s, p, q, r, a, j;
    } wanted[] = {
        {"quiet", .005, .02, .05, 0, 0, 0},
        {"drifting", .01, .05, .05, .08, .003, .03},
        {"bad", .03, .1, .1, .15, .006, .05},
        {"cold", .01, .05, .05, -.3, 0, 0},
    };
    for (size_t i = 0; i < 4; i++) {
        sy_fake_law law = {.base_ns = 77, .jump = 9};
        assert_true(sy_fake_law_model(wanted[i].name, &law));
        assert_true(law.base_ns == 77 && law.sigma == wanted[i].s && law.spike_probability == wanted[i].p);
        assert_true(law.spike_size == wanted[i].q && law.ramp == wanted[i].r && law.ar == wanted[i].a);
        assert_true(law.jump == wanted[i].j);
    }
    sy_fake_law law = {0};
    assert_false(sy_fake_law_model("loud", &law));
}

/* ---- mistakes ---- */

/* text replaces the first `what` of the full script; the error must stand at the `at`-th byte of the new text. */
static void expect_refusal(const char *what, const char *text, size_t at, sy_status wanted, const char *words)
{
    sy_text script = SY_TEXT_INIT;
    const char *place = strstr(full, what);
    assert_non_null(place);
    sy_text_append_bytes(&script, full, (size_t)(place - full));
    const size_t offset = script.length + at;
    sy_text_append(&script, text);
    sy_text_append(&script, place + strlen(what));
    assert_false(script.failed);
    sy_error error = SY_ERROR_INIT;
    sy_fake_script *none = NULL;
    const sy_status status = sy_fake_script_parse(script.bytes, script.length, &none, &error);
    assert_null(none);
    if (status != wanted || error.status != wanted || !strstr(error.what, words))
        fail_msg("'%s' instead of '%s': status %d, '%s' holds no '%s'", text, what, status, error.what, words);
    uint32_t line = 1, column = 1;
    for (size_t i = 0; i < offset; i++) {
        column = script.bytes[i] == '\n' ? 1 : column + 1;
        line += script.bytes[i] == '\n';
    }
    if (error.position.line != line || error.position.column != column)
        fail_msg("'%s': found at %u:%u, not %u:%u (%s)", text, error.position.line, error.position.column, line, column,
                 error.what);
    sy_text_finish(&script);
}

static void a_wrong_type_is_located_by_pointer_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
        size_t at;
        const char *words;
    } wrong[] = {
        {"\"seed\": 42", "\"seed\": \"42\"", 8, "/seed"},
        {"\"seed\": 42", "\"seed\": 4.5", 8, "/seed"},
        {"\"seed\": 42", "\"seed\": -1", 8, "/seed"},
        {"\"operation\": \"ring\"", "\"operation\": 5", 13, "/operation"},
        {"\"version\": \"7\"", "\"version\": 7", 11, "/version"},
        {"\"isolation\": \"worker\"", "\"isolation\": true", 13, "/isolation"},
        {"{\"implementation\": \"new\", \"evidence\": \"run 7\"}", "[\"new\"]", 0, "/shortcut"},
        {"\"clock_hz\": 3e9", "\"clock_hz\": [3e9]", 12, "/device/clock_hz"},
        {"\"throttled\": true", "\"throttled\": 1", 13, "/device/throttled"},
        {"\"n\": 16", "\"n\": 16.0", 5, "/cases/0/n"},
        {"\"weight\": 2.5", "\"weight\": null", 10, "/cases/0/weight"},
        {"\"quick\": true", "\"quick\": \"yes\"", 9, "/cases/0/quick"},
        {"{\"name\": \"plain\"}]", "\"plain\"]", 0, "/cases/1"},
        {"\"times\": [10, 20, 30]", "\"times\": [10, \"20\", 30]", 14, "/implementations/0/times/1"},
        {"\"times\": [10, 20, 30]", "\"times\": [10, -20, 30]", 14, "/implementations/0/times/1"},
        {"\"times\": [10, 20, 30]", "\"times\": 10", 9, "/implementations/0/times"},
        {"{\"base_ns\": 100,", "{\"base_ns\": \"100\",", 12, "/implementations/1/law/base_ns"},
        {"\"after\": {\"new\": 1.5}", "\"after\": {\"new\": \"1.5\"}", 17, "/implementations/0/after/new"},
        {"\"drift\": {\"factor\": 2", "\"drift\": {\"factor\": {}", 20, "/implementations/0/drift/factor"},
        {"\"fault\": \"wrong\"", "\"fault\": [\"wrong\"]", 9, "/implementations/0/cases/plain/fault"},
        {"\"fail_build\": \"no compiler\"", "\"fail_build\": false", 14, "/implementations/0/fail_build"},
        {"\"process_factors\": [1, 0.5]", "\"process_factors\": 1", 19, "/implementations/0/process_factors"},
        {"\"process_factors\": [1, 0.5]", "\"process_factors\": [1, \"2\"]", 23,
         "/implementations/0/process_factors/1"},
        {"\"evidence\": \"run 7\"", "\"evidence\": 7", 12, "/shortcut/evidence"},
        {"\"evidence\": \"run 7\"", "\"evidence\": \"run 7\", \"date\": 7", 29, "/shortcut/date"},
        {"\"evidence\": \"run 7\"", "\"evidence\": \"run 7\", \"largest_n\": \"7\"", 34, "/shortcut/largest_n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_refusal(wrong[i].what, wrong[i].text, wrong[i].at, SY_CORRUPT, wrong[i].words);
}

static void a_value_out_of_range_is_located(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
        size_t at;
        const char *words;
    } wrong[] = {
        {"\"n\": 16", "\"n\": 1", 5, "2 to 1048576"},
        {"\"n\": 16", "\"n\": 1048577", 5, "2 to 1048576"},
        {"\"weight\": 2.5", "\"weight\": 0", 10, "/cases/0/weight"},
        {"\"weight\": 2.5", "\"weight\": -1", 10, "/cases/0/weight"},
        {"\"steal_share\": 0.25", "\"steal_share\": 1.01", 15, "0 to 1"},
        {"\"timer_resolution_ns\": 100", "\"timer_resolution_ns\": 0", 23, "1 to"},
        {"\"times\": [10, 20, 30]", "\"times\": []", 9, "no time"},
        {"\"times\": [10, 20, 30]", "\"times\": [10, 1000000000000001]", 14, "is not in 0 to"},
        {"{\"base_ns\": 100,", "{\"base_ns\": 0.5,", 12, "1 to 1e+15"},
        {"\"crash_at\": 3", "\"crash_at\": 0", 12, "1 to"},
        {"\"process_factors\": [1, 0.5]", "\"process_factors\": []", 19, "holds 0 factors"},
        {"\"process_factors\": [1, 0.5]", "\"process_factors\": [1, 0]", 23, "0.001 to 1000"},
        {"\"process_factors\": [1, 0.5]", "\"process_factors\": [2000]", 20, "0.001 to 1000"},
        {"\"faults_from_process\": 3", "\"faults_from_process\": 64", 23, "0 to 63"},
        {"\"to_run\": 20", "\"to_run\": 10", 10, "from_run"},
        {"\"operation\": \"ring\"", "\"operation\": \"\"", 13, "0 bytes"},
        {"\"operation\": \"ring\"", "\"operation\": \"a\\u0000b\"", 13, "control character"},
        {"\"operation\": \"ring\"",
         "\"operation\": \"0123456789012345678901234567890123456789012345678901234567890123\"", 13, "64 bytes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_refusal(wrong[i].what, wrong[i].text, wrong[i].at, SY_CORRUPT, wrong[i].words);
}

static void a_word_or_name_that_is_not_known_is_located(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
        size_t at;
        const char *words;
    } wrong[] = {
        {"\"fault\": \"wrong\"", "\"fault\": \"wong\"", 9, "'wong'"},
        {"\"fault\": \"wrong\"", "\"fault\": \"wrong\\u0000\"", 9, "none of its words"},
        {"\"role\": \"reference\"", "\"role\": \"boss\"", 8, "'boss'"},
        {"\"then\": \"hold\"", "\"then\": \"stop\"", 8, "'stop'"},
        {"\"model\": \"bad\"", "\"model\": \"good\"", 9, "'good' is no noise model"},
        {"\"isolation\": \"worker\"", "\"isolation\": \"thread\"", 13, "'thread'"},
        {"\"after\": {\"new\": 1.5}", "\"after\": {\"newer\": 1.5}", 19, "'newer'"},
        {"\"after\": {\"new\": 1.5}", "\"after\": {\"old\": 1.5}", 17, "'old'"},
        {"{\"plain\": {\"law\"", "{\"plane\": {\"law\"", 10, "'plane'"},
        {"{\"implementation\": \"new\"", "{\"implementation\": \"brand\"", 19, "'brand'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_refusal(wrong[i].what, wrong[i].text, wrong[i].at, SY_CORRUPT, wrong[i].words);
}

static void what_contradicts_itself_is_located(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
        size_t at;
        const char *words;
    } wrong[] = {
        {"{\"name\": \"plain\"}", "{\"name\": \"small\"}", 9, "a second case"},
        {"{\"name\": \"new\"", "{\"name\": \"old\"", 9, "a second implementation"},
        {"\"role\": \"reference\"", "\"role\": \"candidate\"", 0, "reference"},
        {"{\"name\": \"new\"", "{\"role\": \"reference\", \"name\": \"new\"", 9, "a second reference"},
        {"\"times\": [10, 20, 30]", "\"times\": [10], \"law\": {\"base_ns\": 1}", 22, "beside 'times'"},
        {"\"times\": [10, 20, 30], ", "", 0, "neither 'times' nor 'law'"},
        {"\"atol\": 0.5, ", "", 0, "come together"},
        {"\"seed\": 42", "\"seed\": 42, \"seed\": 43", 12, "this name"},
        {"\"clock_hz\": 3e9", "\"clock_hz\": NaN", 12, "finite"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        /* Where the whole object is at fault its first byte is the place; found here by the words alone. */
        sy_text script = SY_TEXT_INIT;
        if (wrong[i].at > 0) {
            expect_refusal(wrong[i].what, wrong[i].text, wrong[i].at, SY_CORRUPT, wrong[i].words);
            continue;
        }
        const char *place = strstr(full, wrong[i].what);
        sy_text_append_bytes(&script, full, (size_t)(place - full));
        sy_text_append(&script, wrong[i].text);
        sy_text_append(&script, place + strlen(wrong[i].what));
        sy_error error = SY_ERROR_INIT;
        sy_fake_script *none = NULL;
        assert_int_equal(sy_fake_script_parse(script.bytes, script.length, &none, &error), SY_CORRUPT);
        assert_true(error.position.line > 1);
        if (!strstr(error.what, wrong[i].words))
            fail_msg("'%s' holds no '%s'", error.what, wrong[i].words);
        sy_text_finish(&script);
    }
}

static void an_unknown_member_is_refused_with_a_near_name(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text, *near;
    } wrong[] = {
        {"\"seed\": 42", "\"sed\": 42", "seed"},
        {"\"weight\": 2.5", "\"wieght\": 2.5", "weight"},
        {"\"crash_at\": 3", "\"crash_att\": 3", "crash_at"},
        {"\"sigma\": 0.5", "\"sigmas\": 0.5", "sigma"},
        {"\"to_run\": 20", "\"to_runs\": 20", "to_run"},
        {"\"fault_size\": 0.125", "\"faultsize\": 0.125", "fault_size"},
        {"\"clock_hz\": 3e9", "\"clock_mhz\": 3e9", "clock_hz"},
        {"\"evidence\": \"run 7\"", "\"evidnce\": \"run 7\"", "evidence"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sy_text script = SY_TEXT_INIT;
        const char *place = strstr(full, wrong[i].what);
        sy_text_append_bytes(&script, full, (size_t)(place - full));
        sy_text_append(&script, wrong[i].text);
        sy_text_append(&script, place + strlen(wrong[i].what));
        sy_error error = SY_ERROR_INIT;
        sy_fake_script *none = NULL;
        assert_int_equal(sy_fake_script_parse(script.bytes, script.length, &none, &error), SY_CORRUPT);
        assert_true(error.position.line > 0);
        if (!strstr(error.hint, wrong[i].near))
            fail_msg("%s: the hint '%s' holds no '%s'", error.what, error.hint, wrong[i].near);
        sy_text_finish(&script);
    }
}

static void a_required_member_that_is_missing_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"{}", "'schema' is missing"},
        {"{\"schema\": \"steelyard.fake/1\"}", "'operation' is missing"},
        {"{\"schema\": \"steelyard.fake/1\", \"operation\": \"o\"}", "'cases' is missing"},
        {"{\"schema\": \"steelyard.fake/1\", \"operation\": \"o\", \"cases\": []}", "0 cases"},
        {"{\"schema\": \"steelyard.fake/1\", \"operation\": \"o\", \"cases\": [{}]}", "'name' is missing"},
        {"{\"schema\": \"steelyard.fake/1\", \"operation\": \"o\", \"cases\": [{\"name\": \"c\"}]}",
         "'implementations' is missing"},
        {"{\"schema\": \"steelyard.fake/1\", \"operation\": \"o\", \"cases\": [{\"name\": \"c\"}], "
         "\"implementations\": [{\"name\": \"r\", \"role\": \"reference\", \"law\": {}}]}",
         "'base_ns' is missing"},
        {"{\"seed\": 1, \"seed\": 2}", "'schema' is missing"}, /* the first of two mistakes is the one told */
        {"[]", "expected object"},
        {"{\"schema\": \"steelyard.fake/1\",", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sy_error error = SY_ERROR_INIT;
        sy_fake_script *none = NULL;
        assert_int_equal(sy_fake_script_parse(wrong[i].text, strlen(wrong[i].text), &none, &error), SY_CORRUPT);
        if (!strstr(error.what, wrong[i].words))
            fail_msg("'%s' holds no '%s'", error.what, wrong[i].words);
    }
    expect_refusal("\"steelyard.fake/1\"", "\"steelyard.fake/2\"", 0, SY_VERSION_UNSUPPORTED, "/schema");
}

static sy_status parse_and_destroy(void *user)
{
    sy_fake_script *script = NULL;
    sy_status status = sy_fake_script_parse(user, strlen(user), &script, NULL);
    sy_fake_script_destroy(script);
    return status;
}

static void every_failed_allocation_of_a_read_is_clean(void **state)
{
    (void)state;
    char text[sizeof full];
    memcpy(text, full, sizeof full);
    assert_true(fault_loop_allocations(parse_and_destroy, text, true) >= 3);
    assert_true(fault_loop_allocations(parse_and_destroy, text, false) >= 3);
    sy_fake_script_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_script_gives_the_machine_and_the_suite),
        cmocka_unit_test(a_full_script_gives_the_implementations),
        cmocka_unit_test(what_is_not_said_has_the_documented_default),
        cmocka_unit_test(the_named_noise_models_have_the_documented_figures),
        cmocka_unit_test(a_wrong_type_is_located_by_pointer_line_and_column),
        cmocka_unit_test(a_value_out_of_range_is_located),
        cmocka_unit_test(a_word_or_name_that_is_not_known_is_located),
        cmocka_unit_test(what_contradicts_itself_is_located),
        cmocka_unit_test(an_unknown_member_is_refused_with_a_near_name),
        cmocka_unit_test(a_required_member_that_is_missing_is_named),
        cmocka_unit_test(every_failed_allocation_of_a_read_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
