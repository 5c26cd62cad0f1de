/* SPDX-License-Identifier: Apache-2.0 */
/* Rules tried on recorded timings: gains are planted, answers counted. */
#include <steelyard/replay.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/replay/replay_play.h"
#include "stats/order.h"
#include "stats/sign.h"

static const double points_above[SY_REPLAY_GAINS] = {NAN, 0, .02, .05}; /* of X; the first gain is none at all */

enum { PLUS_2 = 2 };

/* What all configurations share. */
typedef struct replaying {
    const sy_replay_options *options;
    sy_rule *capped;
    sy_rule *medians;
    double *halves[2]; /* room for the runs of each side */
    sy_replay_result *result;
} replaying;

const char *sy_replay_rule_word(sy_replay_rule rule)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        SY_REPLAY_RULE_LIST(WORD)
#undef WORD
    };

    return (size_t)rule < sizeof words / sizeof *words ? words[(size_t)rule] : "unknown";
}

sy_status sy_replay_pairs(sy_rule *rule, const double *times, uint32_t pairs, double gain, sy_random *coins,
                          sy_rule_state *ret_before, sy_rule_state *ret_after, sy_error *err)
{
    sy_rule_evidence evidence = {.end = SY_RULE_END_RULE, .resolvable_gain = NAN};
    sy_status status = SY_OK;

    ret_before->answer = SY_RULE_CONTINUE;
    for (uint32_t i = 0; i < pairs && status == SY_OK && ret_before->answer == SY_RULE_CONTINUE; i++) {
        bool reference_first = coins != NULL ? sy_random_coin(coins) : i % 2 == 0;
        const double *pair = times + 2 * (size_t)i;
        const sy_rule_pair fed = {pair[reference_first ? 0 : 1], (1 - gain) * pair[reference_first ? 1 : 0],
                                  reference_first, SY_USABLE};

        status = sy_rule_step(rule, &fed, ret_before, err);
    }
    if (status == SY_OK)
        status = sy_rule_finish(rule, &evidence, ret_after, err);
    return status;
}

/* The last run of the first half is the reference's, as when one program is timed after the other. */
static void split(replaying *r, const double *times, double gain)
{
    for (uint32_t i = 0; i < r->options->pairs; i++) {
        r->halves[0][i] = times[i];
        r->halves[1][i] = (1 - gain) * times[r->options->pairs + i];
    }
}

static bool is_faster(const replaying *r, double reference, double candidate)
{
    double least = r->options->min_improvement;

    return least > 0 ? candidate <= reference * (1 - least) : candidate < reference;
}

static bool means_say_faster(const replaying *r)
{
    double sums[2] = {0, 0};

    for (uint32_t i = 0; i < r->options->pairs; i++) {
        sums[0] += r->halves[0][i];
        sums[1] += r->halves[1][i];
    }
    return is_faster(r, sums[0], sums[1]);
}

static sy_status ask_medians(const replaying *r, bool *ret_faster, sy_error *err)
{
    uint32_t count = r->options->pairs;
    sy_status status = sy_order_sort(r->halves[0], count, err);

    if (status == SY_OK)
        status = sy_order_sort(r->halves[1], count, err);
    if (status == SY_OK)
        *ret_faster = is_faster(r, sy_order_median(r->halves[0], count), sy_order_median(r->halves[1], count));
    return status;
}

static sy_status play_capped(replaying *r, const sy_timing *timing, double gain, uint32_t g, sy_error *err)
{
    sy_replay_result *result = r->result;
    sy_rule_state before;
    sy_rule_state after;
    sy_random coins;
    sy_status status;

    /* of the configuration's own name: what stands beside it in the file changes nothing of its answer */
    sy_random_start(&coins, r->options->seed, timing->name);
    sy_rule_restart(r->capped);
    status = sy_replay_pairs(r->capped, timing->times, r->options->pairs, gain, &coins, &before, &after, err);
    if (status != SY_OK)
        return status;
    result->rules[SY_REPLAY_STEELYARD].faster[g] += after.answer == SY_RULE_WIN;
    if (g != PLUS_2)
        return SY_OK;
    result->rules[SY_REPLAY_STEELYARD].pairs_plus_2 += after.rounds;
    result->right_wins += before.answer == SY_RULE_WIN;
    result->overturned_order += before.answer == SY_RULE_WIN && strcmp(after.reason, "order") == 0;
    result->overturned_drift += before.answer == SY_RULE_WIN && strcmp(after.reason, "drift") == 0;
    return SY_OK;
}

static sy_status play_others(replaying *r, const double *times, double gain, uint32_t g, sy_error *err)
{
    sy_replay_tally *rules = r->result->rules;
    sy_rule_state before;
    sy_rule_state after;
    bool faster = false;
    sy_status status;

    sy_rule_restart(r->medians);
    status = sy_replay_pairs(r->medians, times, r->options->pairs, gain, NULL, &before, &after, err);
    if (status != SY_OK)
        return status;
    split(r, times, gain);
    rules[SY_REPLAY_MEDIANS_ALTERNATED].faster[g] += after.answer == SY_RULE_WIN;
    rules[SY_REPLAY_MEAN_OF_N].faster[g] += means_say_faster(r);
    status = ask_medians(r, &faster, err);
    rules[SY_REPLAY_MEDIANS_BLOCKS].faster[g] += faster;
    for (int rule = SY_REPLAY_STEELYARD + 1; g == PLUS_2 && rule < SY_REPLAY_RULES; rule++)
        rules[rule].pairs_plus_2 += r->options->pairs;
    return status;
}

static bool are_times(const double *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(isfinite(times[i]) && times[i] > 0))
            return false;
    }
    return true;
}

static sy_status play(replaying *r, const sy_timing *timing, sy_error *err)
{
    size_t needed = 2 * (size_t)r->options->pairs;
    sy_replay_result *result = r->result;
    sy_status status = SY_OK;

    if (timing->count > result->most_times)
        result->most_times = timing->count;
    if (timing->reason[0] != '\0' || timing->count < needed || !are_times(timing->times, needed)) {
        result->without_times += timing->reason[0] != '\0';
        result->too_short += timing->reason[0] == '\0' && timing->count < needed;
        result->unusable += timing->reason[0] == '\0' && timing->count >= needed;
        return SY_OK;
    }
    for (uint32_t g = 0; status == SY_OK && g < SY_REPLAY_GAINS; g++) {
        double gain = g == 0 ? 0 : r->options->min_improvement + points_above[g];

        status = play_capped(r, timing, gain, g, err);
        if (status == SY_OK)
            status = play_others(r, timing->times, gain, g, err);
    }
    result->configurations++;
    return status;
}

static sy_status check(const sy_replay_options *options, sy_error *err)
{
    if (!(options->min_improvement >= 0 && options->min_improvement < .95))
        return sy_fail(err, SY_INVALID_ARGUMENT, "min_improvement %g is outside [0, 0.95)", options->min_improvement);
    if (options->pairs < 1 || options->pairs > SY_SIGN_PAIRS_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "pairs %u is outside 1..%d", options->pairs, SY_SIGN_PAIRS_MAX);
    if (options->alpha > 0 && options->alpha < 1 && options->pairs < sy_sign_least_cap(options->alpha))
        return sy_fail(err, SY_INVALID_ARGUMENT, "%u pairs can never decide at alpha %g: the least is %u",
                       options->pairs, options->alpha, sy_sign_least_cap(options->alpha));
    return SY_OK;
}

static sy_status make_rules(replaying *r, sy_error *err)
{
    static const double weight = 1;
    sy_rule_options rule = {.question = SY_QUESTION_FASTER,
                            .kind = SY_RULE_CAPPED,
                            .max_pairs = r->options->pairs,
                            .alpha = r->options->alpha,
                            .beta = r->options->beta,
                            .min_improvement = r->options->min_improvement,
                            .case_count = 1,
                            .weights = &weight};
    sy_status status = sy_rule_create(&rule, &r->capped, err);

    rule.kind = SY_RULE_MEDIANS;
    if (status == SY_OK)
        status = sy_rule_create(&rule, &r->medians, err);
    for (int side = 0; status == SY_OK && side < 2; side++) {
        r->halves[side] = sy_allocate(r->options->pairs, sizeof(double));
        if (r->halves[side] == NULL)
            status = sy_fail(err, SY_NO_MEMORY, "no memory to replay %u pairs", r->options->pairs);
    }
    return status;
}

sy_status sy_replay(const sy_timing *list, size_t count, const sy_replay_options *options, sy_replay_result *ret_result,
                    sy_error *err)
{
    sy_replay_options known = SY_REPLAY_OPTIONS_INIT;
    sy_replay_result result = {0};
    replaying r = {.options = &known, .result = &result};
    sy_status status;

    if (options != NULL)
        memcpy(&known, options, options->struct_size < sizeof known ? options->struct_size : sizeof known);
    status = check(&known, err);
    if (status == SY_OK && known.seed == 0) {
        status = sy_random_seed(&known.seed, err);
        known.seed = known.seed >> 11 | 1; /* below 2^53, and never the 0 that asks for another */
    }
    if (status == SY_OK)
        status = make_rules(&r, err);
    if (status == SY_OK) {
        result.min_improvement = known.min_improvement;
        result.alpha = known.alpha;
        result.beta = known.beta;
        result.pairs = known.pairs;
        result.seed = known.seed;
    }
    for (size_t i = 0; status == SY_OK && i < count; i++)
        status = play(&r, &list[i], err);
    sy_rule_destroy(r.capped);
    sy_rule_destroy(r.medians);
    sy_free(r.halves[0]);
    sy_free(r.halves[1]);
    if (status == SY_OK)
        *ret_result = result;
    return status;
}

void sy_replay_add(sy_replay_result *total, const sy_replay_result *more)
{
    if (total->pairs == 0) {
        *total = *more;
        return;
    }
    total->configurations += more->configurations;
    total->without_times += more->without_times;
    total->too_short += more->too_short;
    total->unusable += more->unusable;
    total->most_times = more->most_times > total->most_times ? more->most_times : total->most_times;
    total->right_wins += more->right_wins;
    total->overturned_order += more->overturned_order;
    total->overturned_drift += more->overturned_drift;
    for (int rule = 0; rule < SY_REPLAY_RULES; rule++) {
        for (int g = 0; g < SY_REPLAY_GAINS; g++)
            total->rules[rule].faster[g] += more->rules[rule].faster[g];
        total->rules[rule].pairs_plus_2 += more->rules[rule].pairs_plus_2;
    }
}

double sy_replay_share(const sy_replay_result *result, sy_replay_rule rule, uint32_t gain)
{
    if (result->configurations == 0 || (size_t)rule >= SY_REPLAY_RULES || gain >= SY_REPLAY_GAINS)
        return NAN;
    return (double)result->rules[rule].faster[gain] / (double)result->configurations;
}

double sy_replay_mean_pairs(const sy_replay_result *result, sy_replay_rule rule)
{
    if (result->configurations == 0 || (size_t)rule >= SY_REPLAY_RULES)
        return NAN;
    return (double)result->rules[rule].pairs_plus_2 / (double)result->configurations;
}
