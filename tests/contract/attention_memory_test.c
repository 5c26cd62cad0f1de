/* SPDX-License-Identifier: Apache-2.0 */
/* An attention whose scores no memory holds: what it would take is said without taking it, and a probe of it ends
 * before anything is allocated. */
#include "attention_job.h"

#include <steelyard/probe.h>

enum { PLAIN, FLASH };

static const attention_size huge = {1, 32, 32, 1 << 20, 1 << 20, 128, 0, 0, 0}; /* scores of 128 TiB */

static void what_no_memory_holds_is_refused_before_anything_is_allocated(void **state)
{
    (void)state;
    sy_case_property properties[9];
    sy_case c = attention_case(&huge, SY_F32, properties);
    sy_device *device = open_cpu(1);
    sy_suite suite = *attention_suite(device);
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_availability plain = {.available = false};
    sy_availability flash = {.available = false};
    assert_int_equal(sy_probe_supported(device, &suite, &c, PLAIN, &plain, NULL), SY_OK);
    assert_int_equal(sy_probe_supported(device, &suite, &c, FLASH, &flash, NULL), SY_OK);
    assert_true(flash.available && flash.memory_bytes < UINT64_C(1) << 37);
    assert_int_equal(device->backend->memory_peak(device), 0);
    if (!plain.available) {
        print_message("skipped: %s\n", plain.reason);
        sy_device_close(device);
        return;
    }
    assert_true(plain.memory_bytes > UINT64_C(1) << 47);
    suite.cases = &c;
    suite.case_count = 1;
    assert_int_equal(sy_probe(device, &suite, &options, &result, NULL), SY_OK);
    assert_int_equal(result->decision, SY_DECISION_UNAVAILABLE);
    assert_string_equal(result->reason, "memory");
    assert_int_equal(device->backend->memory_peak(device), 0);
    sy_probe_result_destroy(result);
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_memory_holds_is_refused_before_anything_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
