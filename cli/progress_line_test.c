/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line's text: never wider than asked, what matters most stays longest. */
#include "progress_line.h"

#include <string.h>

#include "cmocka_headers.h"

static sy_probe_progress sample(void)
{
    return (sy_probe_progress){.phase = SY_PHASE_ROUNDS,
                               .implementation = "blis",
                               .case_name = "square-512",
                               .done = 12,
                               .of = 60,
                               .gain = 0.0512,
                               .wall_ns = UINT64_C(8340000000)};
}

static void with_room_everything_is_there(void **state)
{
    const sy_probe_progress progress = sample();
    char text[256];

    (void)state;
    cli_progress_text(&progress, 79, text, sizeof(text));
    assert_string_equal(text, "weighing pairs 12 of 60  blis  square-512  gain 5.1 %  8.3 s");
}

static void in_little_room_the_figures_stay(void **state)
{
    sy_probe_progress progress = sample();
    char text[256];

    (void)state;
    cli_progress_text(&progress, 49, text, sizeof(text));
    assert_string_equal(text, "weighing pairs 12 of 60  blis  gain 5.1 %  8.3 s");
}

static void no_width_is_ever_passed(void **state)
{
    char name[4097];
    sy_probe_progress progress = sample();
    char text[256];

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    progress.case_name = name;
    for (uint32_t columns = 0; columns <= 300; columns++) {
        cli_progress_text(&progress, columns, text, sizeof(text));
        assert_true(strlen(text) <= columns);
        assert_null(strstr(text, "nnn"));
    }
}

static void names_cannot_steer_the_terminal(void **state)
{
    sy_probe_progress progress = sample();
    char text[256];

    (void)state;
    progress.implementation = "a\nb\033[2J\xc3\xa9";
    progress.case_name = NULL;
    progress.gain = SY_NAN;
    cli_progress_text(&progress, 79, text, sizeof(text));
    assert_string_equal(text, "weighing pairs 12 of 60  a?b?[2J??  8.3 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_room_everything_is_there),
        cmocka_unit_test(in_little_room_the_figures_stay),
        cmocka_unit_test(no_width_is_ever_passed),
        cmocka_unit_test(names_cannot_steer_the_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
