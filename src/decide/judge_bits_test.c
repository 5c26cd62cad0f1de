/* SPDX-License-Identifier: Apache-2.0 */
/* The same questions give the same answers whatever compiled the code: digests over many seeded questions, held against
 * those that are written here. Words, counts and places must agree everywhere; the last bits of figures wherever the
 * mathematical library gives the bits that it gave when they were written. */
#include <steelyard/judge.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/drift.h"

enum { QUESTIONS = 20000, HISTORIES = 300, HISTORY_VALUES = 60, SERIES = 200, SERIES_VALUES = 40 };

/* Digests of: what log, exp and the like give here; words and counts; figures. */
static const char library_digest[] = "44a5abedfaf9b2615ce9debf4ec6532fd521884dd06266e8ef5ac05a751224c2";
static const char words_digest[] = "6c2354386e898fde3c1ca1215542dc5c2a5a942f0a2c918f03e0a5bc30ed1db5";
static const char figures_digest[] = "dbf1dc8caacaae783a6a2845134179bbadcb2b903400c7680b5b7ae9ed73e179";

static void add_number(sy_digest_state *state, double number)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);

    if (!isnan(number))
        memcpy(&bits, &number, sizeof bits);
    sy_digest_add(state, &bits, sizeof bits);
}

static void add_count(sy_digest_state *state, uint64_t count)
{
    sy_digest_add(state, &count, sizeof count);
}

static void finish(sy_digest_state *state, char text[SY_DIGEST_TEXT])
{
    sy_digest digest;

    sy_digest_finish(state, &digest);
    sy_digest_format(&digest, text);
}

/* Exact arithmetic alone: the questions are the same everywhere. */
static double draw(sy_random *random, double spread)
{
    double sum = 0;

    for (int i = 0; i < 4; i++)
        sum += sy_random_unit(random) - .5;
    return 100 * (1 + spread * sum);
}

static void add_verdict(const sy_judgement *v, sy_digest_state *words, sy_digest_state *figures)
{
    const uint64_t counts[] = {v->word,
                               v->reason,
                               v->raised,
                               v->lowered,
                               v->sessions_needed,
                               v->confirms_to_come,
                               v->sessions_to_baseline,
                               v->control_missing,
                               v->hard};
    const double numbers[] = {v->p,           v->p_achievable, v->delta,          v->threshold,     v->prediction,
                              v->median,      v->value,        v->ratio,          v->effect,        v->effect_low,
                              v->effect_high, v->effect_level, v->control_effect, v->visible_effect};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        add_count(words, counts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_number(figures, numbers[i]);
}

static void ask(sy_random *random, sy_digest_state *words, sy_digest_state *figures)
{
    double baseline[40], sessions[6], controls[6];
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;
    sy_judgement verdict;
    sy_error err = SY_ERROR_INIT;

    q.baseline = baseline;
    q.baseline_count = sy_random_below(random, 41);
    q.sessions = sessions;
    q.session_count = 1 + sy_random_below(random, 6);
    q.controls = sy_random_below(random, 4) > 0 ? controls : NULL;
    q.higher_is_better = sy_random_coin(random);
    q.primary = sy_random_below(random, 5) > 0;
    q.metric = q.higher_is_better ? SY_METRIC_TIME : (sy_judgement_metric)sy_random_below(random, 3);
    q.quantum = (double)sy_random_below(random, 3);
    q.alpha = .005 * (double)(1 + sy_random_below(random, 8));
    q.delta = sy_random_coin(random) ? NAN : .01 * (double)sy_random_below(random, 4);
    q.judged_count = sy_random_below(random, 60);
    q.raised_count = sy_random_below(random, q.judged_count + 1);
    double shift = .85 + .3 * sy_random_unit(random);
    bool constant = q.metric == SY_METRIC_MEMORY && sy_random_coin(random);
    for (size_t i = 0; i < q.baseline_count; i++)
        baseline[i] = constant ? 100 : draw(random, .03);
    for (size_t i = 0; i < q.session_count; i++) {
        sessions[i] = sy_random_below(random, 200) == 0 ? NAN : shift * draw(random, .03);
        controls[i] = sy_random_below(random, 10) == 0 ? NAN : draw(random, .03);
    }
    if (sy_judge(&q, &verdict, &err) != SY_OK)
        fail_msg("%s", err.what);
    add_verdict(&verdict, words, figures);
}

static void find(sy_random *random, sy_digest_state *words, sy_digest_state *figures)
{
    double values[HISTORY_VALUES];
    sy_history_options options = SY_HISTORY_OPTIONS_INIT;
    sy_history *history = NULL;
    sy_error err = SY_ERROR_INIT;
    size_t count = 5 + sy_random_below(random, HISTORY_VALUES - 4);
    size_t at = sy_random_below(random, count);

    for (size_t i = 0; i < count; i++)
        values[i] = draw(random, .04) * (i >= at ? 1.06 : 1);
    if (sy_history_find(values, count, &options, &history, &err) != SY_OK)
        fail_msg("%s", err.what);
    add_count(words, history->change_count);
    add_number(figures, history->lag1);
    for (size_t i = 0; i < history->change_count; i++) {
        const sy_history_change *c = &history->changes[i];
        const double numbers[] = {c->before,      c->after,        c->effect,    c->effect_low,
                                  c->effect_high, c->effect_level, c->statistic, c->critical};

        add_count(words, c->index);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            add_number(figures, numbers[k]);
    }
    sy_history_destroy(history);
}

static void follow(sy_random *random, sy_digest_state *figures)
{
    sy_drift drift = SY_DRIFT_INIT;

    for (int i = 0; i < SERIES_VALUES; i++) {
        double value = draw(random, .03);

        drift.sum = sy_drift_look(&drift, value);
        add_number(figures, drift.sum);
        sy_drift_learn(&drift, value);
    }
}

/* What the functions that verdicts rest on give, on arguments that no compiler knows beforehand. */
static void describe_library(char text[SY_DIGEST_TEXT])
{
    sy_digest_state state;
    sy_random random;

    sy_digest_start(&state);
    sy_random_start(&random, 59, "library");
    for (int i = 0; i < QUESTIONS; i++) {
        double x = sy_random_unit(&random);

        add_number(&state, log(100 * x + 1e-9));
        add_number(&state, log1p(x / 10));
        add_number(&state, exp(10 * (x - .5)));
        add_number(&state, expm1(x / 10));
        add_number(&state, atan(10 * x));
        add_number(&state, erfc(3 * (x - .5)));
        add_number(&state, lgamma(1 + 200 * x));
    }
    finish(&state, text);
}

static void answers_are_the_same_to_the_last_bit(void **state)
{
    char library[SY_DIGEST_TEXT], word[SY_DIGEST_TEXT], figure[SY_DIGEST_TEXT];
    sy_digest_state words, figures;
    sy_random random;

    (void)state;
    sy_digest_start(&words);
    sy_digest_start(&figures);
    sy_random_start(&random, 61, "bits");
    for (int i = 0; i < QUESTIONS; i++)
        ask(&random, &words, &figures);
    for (int i = 0; i < HISTORIES; i++)
        find(&random, &words, &figures);
    for (int i = 0; i < SERIES; i++)
        follow(&random, &figures);
    describe_library(library);
    finish(&words, word);
    finish(&figures, figure);
    assert_string_equal(word, words_digest);
    if (strcmp(library, library_digest) == 0)
        assert_string_equal(figure, figures_digest);
    else
        printf("not compared: figures, for this mathematical library rounds otherwise\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_to_the_last_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
