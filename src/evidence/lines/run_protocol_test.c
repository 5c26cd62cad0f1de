/* SPDX-License-Identifier: Apache-2.0 */
/* The line protocol: what each statement says, what is not taken and why, and that nobody can make it grow. */
#include "evidence/lines/run_protocol.h"

#include "cmocka_headers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fault_loop.h"

static sy_protocol *reader;
static sy_protocol_account account;

/* Reads size bytes in pieces of at most step; what was read lives until the next call. */
static void read_pieces(const sy_protocol_limits *limits, const char *bytes, size_t size, size_t step)
{
    sy_protocol_destroy(reader);
    reader = sy_protocol_create(limits);
    assert_non_null(reader);
    for (size_t at = 0; at < size; at += step) {
        size_t piece = size - at < step ? size - at : step;
        assert_int_equal(sy_protocol_feed(reader, bytes + at, piece, NULL), SY_OK);
    }
    assert_int_equal(sy_protocol_finish(reader, &account, NULL), SY_OK);
}

static void read_text(const char *text)
{
    read_pieces(NULL, text, strlen(text), 7);
}

static int end_reader(void **state)
{
    (void)state;
    sy_protocol_destroy(reader);
    reader = NULL;
    return 0;
}

static void expect_rejected(const char *line, const char *cause)
{
    read_text(line);
    if (account.rejected_count != 1)
        fail_msg("'%s' was taken", line);
    assert_string_equal(account.rejects[0].cause, cause);
    assert_int_equal(account.rejects[0].line, 1);
    assert_int_equal(account.series_count + account.parity_count + account.memory_count + account.digest_count +
                         account.file_count + account.note_count,
                     0);
}

static void samples_make_series_in_order_of_measurement(void **state)
{
    (void)state;
    read_text("sample wall 12.5 ms\n"
              "sample wall 3 ms warmup\n"
              "sample wall 13 ms\n"
              "# what follows is another case\n"
              "\n"
              "sample wall 20 us case=\"4096 x \\\"4096\\\"\" implementation=mine\n"
              "sample rate 7 GB/s\n"
              "sample wall 11e-3 s");
    assert_int_equal(account.rejected_count, 0);
    assert_int_equal(account.line_count, 8);
    assert_int_equal(account.sample_count, 6);
    assert_int_equal(account.series_count, 4);
    const sy_run_series *wall = &account.series[0];
    assert_string_equal(wall->name, "wall");
    assert_string_equal(wall->unit, "s");
    assert_false(wall->higher_is_better);
    assert_int_equal(wall->role, SY_SERIES_SAMPLE);
    assert_string_equal(wall->case_name, "");
    assert_int_equal(wall->count, 3);
    assert_true(wall->samples[0] == 0.0125 && wall->samples[1] == 0.013 && wall->samples[2] == 0.011);
    assert_int_equal(account.series[1].role, SY_SERIES_WARM_UP);
    assert_true(account.series[1].samples[0] == 0.003);
    assert_string_equal(account.series[2].case_name, "4096 x \"4096\"");
    assert_string_equal(account.series[2].implementation, "mine");
    assert_true(account.series[2].samples[0] == 0.00002);
    assert_string_equal(account.series[3].unit, "bytes/s");
    assert_true(account.series[3].higher_is_better);
    assert_true(account.series[3].samples[0] == 7e9);
}

static void units_of_one_kind_are_one_unit(void **state)
{
    (void)state;
    static const struct {
        const char *said;
        const char *unit;
        double value;
        bool higher;
    } cases[] = {
        {"1 ns", "s", 1e-9, false},         {"1 us", "s", 1e-6, false},     {"1 \xc2\xb5s", "s", 1e-6, false},
        {"1 \xce\xbcs", "s", 1e-6, false},  {"2 min", "s", 120, false},     {"1 h", "s", 3600, false},
        {"1.5 KiB", "bytes", 1536, false},  {"2 kB", "bytes", 2000, false}, {"1 GiB", "bytes", 1073741824, false},
        {"5 /s", "1/s", 5, true},           {"5 kHz", "1/s", 5000, true},   {"1 MiB/s", "bytes/s", 1048576, true},
        {"3 GFLOP/s", "flop/s", 3e9, true}, {"5 mJ", "J", 0.005, false},    {"2 kW", "W", 2000, false},
        {"50 %", "", 0.5, false},           {"50 1", "", 50, false},        {"9 tokens/s", "tokens/s", 9, true},
        {"9 cycles", "cycles", 9, false},   {"1 MS", "MS", 1, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[64];
        snprintf(line, sizeof(line), "sample x %s", cases[i].said);
        read_text(line);
        assert_int_equal(account.series_count, 1);
        assert_string_equal(account.series[0].unit, cases[i].unit);
        assert_true(account.series[0].samples[0] == cases[i].value);
        assert_int_equal(account.series[0].higher_is_better, cases[i].higher);
    }
    read_text("sample x 3 tokens/s better=lower");
    assert_false(account.series[0].higher_is_better);
}

static void an_attempt_without_a_number_is_kept_as_unusable(void **state)
{
    (void)state;
    read_text("sample a nan s\nsample a INF s\nsample a -inf s\nsample a failed ms\nsample a -1 s\nsample a -1 B\n"
              "sample a 1e308 h\nsample d -1 1\n");
    assert_int_equal(account.rejected_count, 1); /* a is in seconds, and B are bytes */
    assert_int_equal(account.series[0].count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(isnan(account.series[0].samples[i]));
    assert_true(account.series[1].samples[0] == -1); /* a difference may be below 0 */
}

static void a_series_keeps_its_unit_and_direction(void **state)
{
    (void)state;
    read_text("sample a 1 s\nsample a 1 B\nsample a 5 ms better=higher\nsample a 2 us better=lower\n");
    assert_int_equal(account.series[0].count, 2);
    assert_int_equal(account.rejected_count, 2);
    assert_int_equal(account.rejects[0].line, 2);
    assert_string_equal(account.rejects[0].cause, "the series is in 's', not in 'bytes'");
    assert_string_equal(account.rejects[0].text, "sample a 1 B");
    assert_string_equal(account.rejects[1].cause, "more was worse before");
}

static void parity_says_its_outcome_and_cannot_lie_about_its_error(void **state)
{
    (void)state;
    read_text("parity passed\n"
              "parity failed case=big implementation=mine reason=\"off by 3\\nlines\" error=4.5\n"
              "parity passed error=1.5\n"
              "parity not-performed reason=none\n"
              "parity passed error=1\n");
    assert_int_equal(account.rejected_count, 0);
    assert_int_equal(account.parity_count, 5);
    assert_int_equal(account.parities[0].outcome, SY_RUN_PARITY_PASSED);
    assert_true(isnan(account.parities[0].error_in_tolerances));
    assert_int_equal(account.parities[1].outcome, SY_RUN_PARITY_FAILED);
    assert_string_equal(account.parities[1].case_name, "big");
    assert_string_equal(account.parities[1].implementation, "mine");
    assert_string_equal(account.parities[1].reason, "off by 3\nlines");
    assert_true(account.parities[1].error_in_tolerances == 4.5);
    assert_int_equal(account.parities[2].outcome, SY_RUN_PARITY_FAILED);
    assert_string_equal(account.parities[2].reason, "said to have passed, with an error above 1 tolerance");
    assert_int_equal(account.parities[3].outcome, SY_RUN_PARITY_NOT_PERFORMED);
    assert_int_equal(account.parities[4].outcome, SY_RUN_PARITY_PASSED);
    expect_rejected("parity passed error=nan", "passed with an error that is no number");
    expect_rejected("parity PASSED", "unknown outcome 'PASSED'");
    expect_rejected("parity", "parity has an outcome");
    expect_rejected("parity passed error=-1", "an error below 0");
}

static void memory_figures_say_how_they_came_about(void **state)
{
    (void)state;
    read_text("memory peak 1048576 basis=physical scope=process-tree\n"
              "memory card 6GiB basis=constrained scope=device-used how=\"a ballast of 90 GiB\"\n");
    assert_int_equal(account.memory_count, 2);
    assert_int_equal(account.memories[0].bytes, 1048576);
    assert_int_equal(account.memories[0].basis, SY_MEMORY_PHYSICAL);
    assert_int_equal(account.memories[0].scope, SY_MEMORY_PROCESS_TREE);
    assert_true(isnan(account.memories[0].swap_bytes));
    assert_int_equal(account.memories[1].bytes, UINT64_C(6) << 30);
    assert_int_equal(account.memories[1].scope, SY_MEMORY_DEVICE_USED);
    assert_string_equal(account.memories[1].how, "a ballast of 90 GiB");
    expect_rejected("memory peak 5 basis=constrained scope=process", "a constrained figure says how=");
    expect_rejected("memory peak 5 scope=process", "basis is none of physical, constrained, estimate, calculated");
    expect_rejected("memory peak -5 basis=physical scope=process", "'-5' is no size in bytes");
    expect_rejected("memory peak 5 basis=physical scope=all",
                    "scope is none of process, process-tree, device-allocated, device-used, unified");
}

static void digests_notes_and_files_are_kept(void **state)
{
    (void)state;
    read_text("digest output 0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef\n"
              "note  it was \"warm\" today\t \n"
              "artifact profiler out dir/trace 1.json \n");
    assert_int_equal(account.rejected_count, 0);
    assert_string_equal(account.digests[0].role, "output");
    assert_string_equal(account.digests[0].digest, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    assert_string_equal(account.notes[0], "it was \"warm\" today");
    assert_int_equal(account.files[0].role, SY_ARTIFACT_PROFILER);
    assert_string_equal(account.files[0].path, "out dir/trace 1.json");
    expect_rejected("digest output 0123", "'0123' has not 64 hexadecimal digits");
    expect_rejected("artifact treasure x", "unknown role 'treasure' of an artifact");
    expect_rejected("artifact log", "an artifact has a role and a path");
    expect_rejected("note", "a note without a text");
}

static void what_says_nothing_known_is_not_taken(void **state)
{
    (void)state;
    char line[700];
    expect_rejected("smaple wall 1 s", "unknown statement 'smaple'");
    expect_rejected("sample wall 1", "a sample has a name, a value and a unit");
    expect_rejected("sample wall 1,5 s", "'1,5' is no number");
    expect_rejected("sample wall 0x10 s", "'0x10' is no number");
    expect_rejected("sample wall 1 s bettr=higher", "unknown word 'bettr=higher'");
    expect_rejected("sample wall 1 s better=more", "better=more is neither higher nor lower");
    expect_rejected("sample wall 1 s case=a case=b", "'case' stands there twice");
    expect_rejected("sample wall 1 s warmup warmup", "'warmup' stands there twice");
    expect_rejected("sample \"\" 1 s", "the name is empty");
    expect_rejected("sample \"a\\nb\" 1 s", "the name holds a new line");
    expect_rejected("sample \"wall 1 s", "a quotation mark without its end");
    expect_rejected("sample \"wa\\ll\" 1 s", "a backslash that stands for nothing");
    expect_rejected("sample a 1 s b c d e f g h i j", "too many words");
    expect_rejected("sample wall 1 s reason=x", "unknown word 'reason=x'");
    expect_rejected("parity passed warmup", "unknown word 'warmup'");
    expect_rejected("sample wa\x1b[31mll 1 s", "the name holds a control character");
    expect_rejected("sample wa\xffll 1 s", "is no UTF-8");
    assert_string_equal(account.rejects[0].text, "sample wa?ll 1 s");
    expect_rejected("sam\fple \x1b[31m", "unknown statement 'sam?ple'"); /* quoted, and harmless */
    expect_rejected("sample a aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa4 s",
                    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa?' is no number");
    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    memcpy(line, "sample ", 7);
    memcpy(line + 400, " 1 s", 5);
    expect_rejected(line, "the name has more than 256 bytes");
    assert_int_equal(strlen(account.rejects[0].text), 120);
}

static void ends_of_lines_and_nuls(void **state)
{
    (void)state;
    read_text("sample a 1 s\r\nsample a 2 s\r");
    assert_int_equal(account.series[0].count, 2);
    assert_int_equal(account.rejected_count, 0);
    static const char nul[] = "sample a\0b 1 s\nsample a 1 s\n";
    read_pieces(NULL, nul, sizeof(nul) - 1, 3);
    assert_int_equal(account.rejected_count, 1);
    assert_string_equal(account.rejects[0].cause, "holds a NUL");
    assert_string_equal(account.rejects[0].text, "sample a?b 1 s");
    assert_int_equal(account.sample_count, 1);
    read_text("");
    assert_int_equal(account.line_count, 0);
    read_text("\r\n  \n\t# x\n");
    assert_int_equal(account.line_count, 3);
    assert_int_equal(account.rejected_count, 0);
}

static void a_line_of_10_megabytes_is_dropped_whole(void **state)
{
    (void)state;
    size_t size = 10000000;
    char *line = malloc(size + 20);
    assert_non_null(line);
    memset(line, 'a', size);
    memcpy(line, "note ", 5);
    memcpy(line + size, "\nsample a 1 s\n", 15);
    int64_t before = sy_fault_live_allocations();
    read_pieces(NULL, line, size + 14, 65536);
    assert_int_equal(account.rejected_count, 1);
    assert_string_equal(account.rejects[0].cause, "longer than 65536 bytes");
    assert_int_equal(account.rejects[0].line, 1);
    assert_int_equal(account.sample_count, 1);
    assert_true(sy_fault_live_allocations() - before < 20);
    free(line);
}

static void what_passes_a_limit_is_counted_and_the_first_limit_is_named(void **state)
{
    (void)state;
    sy_protocol_limits limits = {
        .lines = 8, .bytes = 1 << 20, .series = 2, .samples = 3, .statements = 1, .artifacts = 1};
    static const char many[] = "sample a 1 s\nsample b 1 s\nsample c 1 s\nsample a 1 s\nsample a 1 s\nparity passed\n"
                               "parity failed\nnote x\nnote y\nnote z\n";
    read_pieces(&limits, many, strlen(many), 5);
    assert_int_equal(account.series_count, 2);
    assert_int_equal(account.sample_count, 3);
    assert_int_equal(account.parity_count, 1);
    assert_int_equal(account.note_count, 1);
    assert_int_equal(account.line_count, 10);
    assert_int_equal(account.dropped_count, 5);
    assert_int_equal(account.rejected_count, 0);
    assert_string_equal(account.limit, "more than 2 series");
    limits = (sy_protocol_limits){
        .lines = 100, .bytes = 30, .series = 2, .samples = 3, .statements = 1, .artifacts = 1};
    read_pieces(&limits, many, strlen(many), 100);
    assert_int_equal(account.sample_count, 2);
    assert_string_equal(account.limit, "more than 30 bytes");
    read_text("x\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\n");
    assert_int_equal(account.rejected_count, 25);
    assert_int_equal(account.reject_count, SY_PROTOCOL_REJECTS);
    assert_string_equal(account.limit, "");
}

static void many_series_are_told_apart(void **state)
{
    (void)state;
    char line[64];
    sy_protocol_destroy(reader);
    reader = sy_protocol_create(NULL);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 3000; i++) {
            int length = snprintf(line, sizeof(line), "sample s%d %d 1 case=c%d\n", i % 50, i, i);
            assert_int_equal(sy_protocol_feed(reader, line, (size_t)length, NULL), SY_OK);
        }
    }
    assert_int_equal(sy_protocol_finish(reader, &account, NULL), SY_OK);
    assert_int_equal(account.series_count, 3000);
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(account.series[i].count, 3);
        assert_true(account.series[i].samples[2] == i);
    }
}

static sy_status say_everything(void)
{
    static const char text[] = "sample a 1 s\nparity passed\nmemory m 1 basis=physical scope=process\nnote x\nbad\n"
                               "artifact log x\nsample b 1 s case=y\n";
    sy_protocol *one = sy_protocol_create(NULL);
    sy_protocol_account all;
    sy_status status = one == NULL ? SY_NO_MEMORY : sy_protocol_feed(one, text, sizeof(text) - 1, NULL);
    if (status == SY_OK)
        status = sy_protocol_finish(one, &all, NULL);
    sy_protocol_destroy(one);
    return status;
}

static void a_failing_allocation_is_said_and_leaks_nothing(void **state)
{
    (void)state;
    int64_t before = sy_fault_live_allocations();
    for (uint64_t n = 1;; n++) {
        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = say_everything();
        bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        assert_int_equal(sy_fault_live_allocations(), before);
        assert_int_equal(status, reached ? SY_NO_MEMORY : SY_OK);
        if (!reached)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_make_series_in_order_of_measurement),
        cmocka_unit_test(units_of_one_kind_are_one_unit),
        cmocka_unit_test(an_attempt_without_a_number_is_kept_as_unusable),
        cmocka_unit_test(a_series_keeps_its_unit_and_direction),
        cmocka_unit_test(parity_says_its_outcome_and_cannot_lie_about_its_error),
        cmocka_unit_test(memory_figures_say_how_they_came_about),
        cmocka_unit_test(digests_notes_and_files_are_kept),
        cmocka_unit_test(what_says_nothing_known_is_not_taken),
        cmocka_unit_test(ends_of_lines_and_nuls),
        cmocka_unit_test(a_line_of_10_megabytes_is_dropped_whole),
        cmocka_unit_test(what_passes_a_limit_is_counted_and_the_first_limit_is_named),
        cmocka_unit_test(many_series_are_told_apart),
        cmocka_unit_test_teardown(a_failing_allocation_is_said_and_leaks_nothing, end_reader),
    };
    return cmocka_run_group_tests(tests, NULL, end_reader);
}
