/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of a probe's final, as its rule was fed them: sums over the cases by their weights. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/html/html_decision.h"
#include "stats/sign.h"

/* As the rule has it: a difference that equals the threshold but for rounding is no win. */
#define TIE_GUARD 1e-9

typedef struct round_sums {
    double reference; /* weighted sums of costs; NaN = a pair of it was unusable */
    double candidate;
    double reference_first; /* of the first sum: pairs whose reference ran first */
    uint32_t pairs;
} round_sums;

/* What the rule adds up: times as they are, rates by their reciprocal. */
static double cost_of(const sy_probe_result *result, double value)
{
    bool is_number = isfinite(value) && value > 0;
    return !is_number ? NAN : result->metric.higher_is_better ? 1 / value : value;
}

static double threshold_of(const sy_probe_result *result)
{
    return result->question == SY_QUESTION_FASTER ? result->min_improvement : -result->margin;
}

static void add_pair(const sy_probe_result *result, const sy_sample *sample, round_sums *to)
{
    bool usable = sample->unusable == NULL || sample->unusable[0] == '\0';
    double weight = result->cases[sample->case_index].weight;
    double reference = usable ? weight * cost_of(result, sample->reference_ns) : NAN;
    double candidate = usable ? weight * cost_of(result, sample->candidate_ns) : NAN;
    to->reference += reference;
    to->candidate += candidate;
    to->reference_first += sample->reference_first ? reference : 0;
    to->pairs++;
}

static size_t add_pairs(const sy_probe_result *result, round_sums *rounds, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < result->sample_count; i++) {
        const sy_sample *sample = &result->samples[i];
        if (!sample->final || !sample->fed || sample->round >= most || sample->case_index >= result->case_count)
            continue;
        add_pair(result, sample, &rounds[sample->round]);
        count = sample->round >= count ? sample->round + 1 : count;
    }
    return count;
}

static void put_gains(sy_json_writer *json, const round_sums *rounds, size_t count)
{
    sy_json_name(json, "gain");
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        sy_json_double(json, rounds[i].pairs > 0 ? 1 - rounds[i].candidate / rounds[i].reference : NAN);
    sy_json_end_array(json);
    sy_json_name(json, "reference_first");
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        sy_json_u64(json, rounds[i].reference_first >= rounds[i].reference - rounds[i].reference_first);
    sy_json_end_array(json);
}

static bool is_won(const sy_probe_result *result, const round_sums *round)
{
    return log(round->reference) - log(round->candidate) > -log1p(-threshold_of(result)) + TIE_GUARD;
}

static void put_wins(sy_json_writer *json, const sy_probe_result *result, const round_sums *rounds, size_t count)
{
    uint32_t wins = 0;
    sy_json_name(json, "wins");
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        wins += is_won(result, &rounds[i]);
        sy_json_u64(json, wins);
    }
    sy_json_end_array(json);
}

/* needed[n] wins after n rounds; above n none do. from_top: they are losses, and what is written are the wins left. */
static void put_boundary(sy_json_writer *json, const char *name, const sy_sign_table *table, size_t most, bool from_top)
{
    sy_json_name(json, name);
    sy_json_begin_array(json);
    for (size_t n = 1; n <= most; n++) {
        if (table->needed[n] > n)
            sy_json_null(json);
        else
            sy_json_u64(json, from_top ? n - table->needed[n] : table->needed[n]);
    }
    sy_json_end_array(json);
}

/* The other end of a question on not being slower counts rounds that are surely slower, which is no number of wins. */
static sy_status put_boundaries(sy_json_writer *json, const sy_probe_result *result, sy_error *err)
{
    sy_sign_table win = SY_SIGN_TABLE_INIT, stop = SY_SIGN_TABLE_INIT;
    bool has_boundary = result->rule == SY_RULE_CAPPED && result->max_pairs > 0;
    sy_status status = has_boundary ? sy_sign_table_init(&win, result->max_pairs, result->alpha, err) : SY_OK;
    if (status == SY_OK && has_boundary)
        status = sy_sign_table_init(&stop, result->max_pairs, result->beta, err);
    has_boundary = has_boundary && status == SY_OK;
    if (has_boundary)
        put_boundary(json, "needed", &win, result->max_pairs, false);
    else
        sy_json_member_null(json, "needed");
    if (has_boundary && result->question == SY_QUESTION_FASTER)
        put_boundary(json, "given_up", &stop, result->max_pairs, true);
    else
        sy_json_member_null(json, "given_up");
    sy_sign_table_finish(&win);
    sy_sign_table_finish(&stop);
    return status == SY_INVALID_ARGUMENT ? SY_OK : status;
}

sy_status sy_html_put_decision_rounds(sy_json_writer *json, const sy_probe_result *result, sy_error *err)
{
    round_sums *rounds = sy_allocate(result->sample_count + 1, sizeof *rounds);
    if (rounds == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the rounds of a decision");
    size_t count = add_pairs(result, rounds, result->sample_count + 1);
    sy_json_name(json, "rounds");
    sy_json_begin_object(json);
    sy_json_member_double(json, "threshold", threshold_of(result));
    sy_json_member_u64(json, "most", result->max_pairs);
    sy_json_member_u64(json, "won", result->wins);
    sy_json_member_bool(json, "not_slower", result->question != SY_QUESTION_FASTER);
    sy_json_member_double(json, "e_value", result->e_value);
    sy_json_member_double(json, "alpha", result->alpha);
    put_gains(json, rounds, count);
    put_wins(json, result, rounds, count);
    sy_status status = put_boundaries(json, result, err);
    sy_json_end_object(json);
    sy_free(rounds);
    return status;
}
