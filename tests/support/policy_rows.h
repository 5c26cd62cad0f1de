/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every row of a table of what is known of devices, whatever it says. */
#ifndef STEELYARD_TESTS_POLICY_ROWS_H
#define STEELYARD_TESTS_POLICY_ROWS_H

#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "operations/policy.h"

static inline void expect_address(const char *text)
{
    if (!strstr(text, "https://") && !strstr(text, "docs/benchmarks.md")) {
        fail_msg("'%s' names no source", text);
    }
    assert_true(strlen(text) < 160); /* it must fit into a reason beside a case's name and two figures */
}

static inline void expect_date(const char *date)
{
    assert_int_equal(strlen(date), 10);
    for (size_t i = 0; i < 10; i++) {
        assert_true(i == 4 || i == 7 ? date[i] == '-' : date[i] >= '0' && date[i] <= '9');
    }
    assert_true(strcmp(date, "2023-01-01") > 0 && strcmp(date, "2027-01-01") < 0);
}

/* names: the implementations that a row may name, ended by NULL. */
static inline void expect_rows_well_formed(const sy_policy *policy, const char *const *names)
{
    assert_in_range(policy->measure_count, 1, SY_POLICY_MEASURES);
    for (size_t i = 0; i < policy->row_count; i++) {
        const sy_policy_row *row = &policy->rows[i];
        size_t name = 0;
        while (names[name] && strcmp(names[name], row->implementation) != 0) {
            name++;
        }
        assert_non_null(names[name]);
        expect_address(row->evidence);
        expect_date(row->date);
        if (row->limit) {
            expect_address(row->limit);
        }
        assert_true(row->dtypes != 0 && row->backend[0] && row->device[0] && row->description[0]);
        for (size_t j = 0; j < policy->measure_count; j++) {
            assert_true(row->ranges[j].least <= row->ranges[j].largest && row->ranges[j].largest > 0);
        }
        for (size_t j = policy->measure_count; j < SY_POLICY_MEASURES; j++) {
            assert_true(row->ranges[j].largest == 0); /* a range of no measure bounds nothing */
        }
    }
}

/* The device that a row is of: its patterns, the first of several, with nothing for each *. */
static inline sy_device_info device_of_row(const sy_policy_row *row)
{
    sy_device_info device = {.threads = row->threads};
    const char *const from[] = {row->backend, row->device, row->description};
    char *const to[] = {device.backend, device.name, device.description};
    const size_t sizes[] = {sizeof device.backend, sizeof device.name, sizeof device.description};
    for (size_t i = 0; i < 3; i++) {
        size_t length = 0;
        for (const char *at = from[i]; *at && *at != '|' && length + 1 < sizes[i]; at++) {
            if (*at != '*') {
                to[i][length++] = *at;
            }
        }
    }
    return device;
}

#endif
