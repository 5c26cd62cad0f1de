/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a probe fails once: no crash, nothing left alive, and either a clean status or a result that says
 * so. */
#include "probe_support.h"

#include "backends/graph.h"
#include "base/fault.h"

typedef struct scenario {
    const char *script;
    uint64_t cache_bytes; /* cold; 0 = hot */
    sy_decision decisions[16];
    size_t count;
} scenario;

static sy_status run_once(const scenario *s, bool *ret_changed)
{
    sy_probe_options options = seeded(1);
    options.max_pairs = 8;
    options.cache = s->cache_bytes > 0 ? SY_CACHE_COLD : SY_CACHE_HOT;
    options.cache_bytes = s->cache_bytes;
    weighed w = weigh(s->script, &options);
    *ret_changed = w.status == SY_OK && w.result->decision != SY_DECISION_WIN;
    if (w.status == SY_OK) {
        char *json = NULL;
        sy_status status = sy_probe_result_to_json(w.result, &json, &w.err);
        sy_text_free(json);
        w.status = status;
    }
    if (w.status != SY_OK && w.status != SY_NO_MEMORY)
        print_error("%s: %s\n", sy_status_word(w.status), w.err.what);
    finish(&w);
    return w.status;
}

/* A failed allocation may be an implementation's own (it is then unavailable: memory) or the harness's (SY_NO_MEMORY).
 */
static void survive_every_failed_allocation(const scenario *s)
{
    int64_t alive = sy_fault_live_allocations();
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        bool changed = false;
        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = run_once(s, &changed);
        bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        assert_int_equal(sy_fault_live_allocations(), alive);
        assert_int_equal(sy_graph_live_count(), 0);
        if (status != SY_OK)
            assert_int_equal(status, SY_NO_MEMORY);
        failures += status != SY_OK || changed;
        if (!reached)
            break;
    }
    assert_true(failures > 50);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    const scenario s = {
        .script = SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "500000", "") "," CANDIDATE("g", "900000", ""))};
    survive_every_failed_allocation(&s);
}

/* Three copies of 768 bytes exceed three times 512. */
static void every_failed_allocation_of_cold_buffers_is_survived(void **state)
{
    (void)state;
    const scenario s = {.script = SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "500000", "")), .cache_bytes = 512};
    survive_every_failed_allocation(&s);
}

/* What a probe allocates does not grow with its pairs beyond the samples it keeps. */
static void pairs_allocate_only_their_samples(void **state)
{
    (void)state;
    uint64_t counts[2];
    for (int i = 0; i < 2; i++) {
        sy_probe_options options = seeded(1);
        options.rule = SY_RULE_MEDIANS;
        options.max_pairs = i == 0 ? 100 : 1000;
        sy_fault_reset();
        weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
        counts[i] = sy_fault_allocations();
        assert_int_equal(w.result->pairs, options.max_pairs);
        finish(&w);
    }
    assert_true(counts[1] - counts[0] < 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(every_failed_allocation_of_cold_buffers_is_survived),
        cmocka_unit_test(pairs_allocate_only_their_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
