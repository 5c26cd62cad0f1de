/* SPDX-License-Identifier: Apache-2.0 */
/* What a decision has cost and saved, what it replaced, and which measurement contradicts an override: in words and as
 * JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/page/figures.h"
#include "report/profile/report_profile.h"

#define DAYS_MAX 1e6

/* Seconds for people: "12.1 s", "9 min", "3.1 h", "12 days". */
static void append_span(sy_text *to, double seconds)
{
    char figure[SY_FIGURE_SIZE];

    if (seconds > DAYS_MAX * 86400)
        sy_text_append(to, "more than 1,000,000 days");
    else if (seconds < 120)
        sy_text_append(to, sy_figure_time(figure, seconds * 1e9));
    else if (seconds < 7200)
        sy_text_append_format(to, "%.0f min", seconds / 60);
    else if (seconds < 172800)
        sy_text_append_format(to, "%.1f h", seconds / 3600);
    else
        sy_text_append_format(to, "%.0f days", seconds / 86400);
}

/* 41000 as "41,000". */
static void append_calls(sy_text *to, uint64_t calls)
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, calls);

    for (int i = 0; i < length; i++)
        sy_text_append_format(to, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
    sy_text_append(to, calls == 1 ? " call" : " calls");
}

void sy_profile_words_balance(const sy_profile *profile, sy_text *to)
{
    sy_profile_balance balance;
    bool known;

    sy_profile_balance_of(profile, &balance);
    known = !isnan(balance.cost_s);
    if (!known && balance.calls == 0)
        return;
    sy_text_append(to, "cost ");
    if (known)
        append_span(to, balance.cost_s);
    else
        sy_text_append(to, "not known");
    if (balance.calls == 0) {
        sy_text_append(to, "; use is not reported");
        return;
    }
    if (balance.proven == 0) {
        sy_text_append(to, "; used in ");
        append_calls(to, balance.calls);
        sy_text_append(to, ", no saving is proven");
        return;
    }
    sy_text_append(to, ", saved at least ");
    append_span(to, balance.saved_s);
    sy_text_append(to, " in ");
    append_calls(to, balance.proven);
    if (!isnan(balance.pays_back_s)) {
        sy_text_append_format(to, ": %s after ", balance.saved_s >= balance.cost_s ? "paid back" : "pays back");
        append_span(to, balance.pays_back_s);
        sy_text_append(to, " of use");
    }
}

void sy_profile_words_contradiction(const sy_report_store *store, const sy_profile *profile, sy_text *to)
{
    sy_profile_view view;
    char gain[SY_FIGURE_SIZE];
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];
    char time[SY_PROFILE_TIME_SIZE];

    if (store->store == NULL || profile->kind != SY_PROFILE_OVERRIDE ||
        sy_store_contradiction(store->store, profile, &view, NULL) != SY_OK)
        return;
    sy_text_append(to, "calibration says ");
    sy_profile_words_policy(view.profile, to);
    if (view.profile->has_gain)
        sy_text_append_format(
            to, ", %s faster (%s to %s, %u pairs%s%.10s)", sy_figure_share(gain, view.profile->gain.gain),
            sy_figure_share_down(low, view.profile->gain.low), sy_figure_share_up(high, view.profile->gain.high),
            view.profile->gain.pairs, view.profile->created_utc_s != 0 ? ", " : "",
            sy_profile_words_time(time, view.profile->created_utc_s));
}

void sy_profile_words_earlier(const sy_profile_earlier *earlier, sy_text *to)
{
    sy_profile shown = {.policy = earlier->policy, .policy_size = earlier->policy_size};
    char figure[SY_FIGURE_SIZE];
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];
    char time[SY_PROFILE_TIME_SIZE];

    sy_profile_words_policy(&shown, to);
    if (earlier->has_decision)
        sy_text_append_format(to, ": %s",
                              earlier->decision == SY_DECISION_INCONCLUSIVE ? "undecided"
                                                                            : sy_decision_word(earlier->decision));
    if (earlier->has_gain)
        sy_text_append_format(to, ", %s (%s to %s), %u pairs", sy_figure_share(figure, earlier->gain.gain),
                              sy_figure_share_down(low, earlier->gain.low),
                              sy_figure_share_up(high, earlier->gain.high), earlier->gain.pairs);
    if (earlier->origin[0] != '\0')
        sy_text_append_format(to, ", from elsewhere: %s", earlier->origin);
    if (earlier->created_utc_s != 0)
        sy_text_append_format(to, ", of %s", sy_profile_words_time(time, earlier->created_utc_s));
    if (earlier->replaced_utc_s != 0)
        sy_text_append_format(to, ", replaced %s", sy_profile_words_time(time, earlier->replaced_utc_s));
    if (earlier->evidence_run[0] != '\0')
        sy_text_append_format(to, ", run %s", earlier->evidence_run);
    if (earlier->use.calls > 0) {
        sy_text_append(to, ", used in ");
        append_calls(to, earlier->use.calls);
    }
}

static void write_counts(sy_json_writer *writer, const sy_profile_cost *cost, const sy_profile_use *use)
{
    sy_json_name(writer, "cost");
    if (cost->probes > 0) {
        sy_json_begin_object(writer);
        sy_json_member_double(writer, "seconds", cost->seconds);
        sy_json_member_u64(writer, "probes", cost->probes);
        sy_json_end_object(writer);
    } else {
        sy_json_null(writer);
    }
    sy_json_name(writer, "use");
    if (use->calls > 0) {
        sy_json_begin_object(writer);
        sy_json_member_u64(writer, "calls", use->calls);
        sy_json_member_u64(writer, "timed_calls", use->timed_calls);
        sy_json_member_double(writer, "seconds", use->seconds);
        sy_profile_write_time_json(writer, "last", use->last_utc_s);
        sy_json_end_object(writer);
    } else {
        sy_json_null(writer);
    }
}

static void write_earlier(sy_json_writer *writer, const sy_profile_earlier *earlier)
{
    sy_profile shown = {.policy = earlier->policy, .policy_size = earlier->policy_size};

    sy_json_begin_object(writer);
    sy_profile_write_policy_json(writer, &shown);
    sy_json_member_text(writer, "origin", earlier->origin);
    sy_json_member_text(writer, "decision",
                        !earlier->has_decision                          ? NULL
                        : earlier->decision == SY_DECISION_INCONCLUSIVE ? "undecided"
                                                                        : sy_decision_word(earlier->decision));
    sy_json_member_double(writer, "gain", earlier->has_gain ? earlier->gain.gain : NAN);
    sy_json_member_double(writer, "gain_low", earlier->has_gain ? earlier->gain.low : NAN);
    sy_json_member_double(writer, "gain_high", earlier->has_gain ? earlier->gain.high : NAN);
    sy_json_member_u64(writer, "pairs", earlier->has_gain ? earlier->gain.pairs : 0);
    sy_json_member_double(writer, "reference_seconds", earlier->reference_s);
    sy_profile_write_time_json(writer, "created", earlier->created_utc_s);
    sy_profile_write_time_json(writer, "replaced", earlier->replaced_utc_s);
    sy_json_member_text(writer, "written_by", earlier->tool);
    sy_json_member_text(writer, "run", earlier->evidence_run);
    sy_json_member_text(writer, "sha256", earlier->evidence_digest);
    write_counts(writer, &earlier->cost, &earlier->use);
    sy_json_end_object(writer);
}

void sy_profile_write_history_json(sy_json_writer *writer, const sy_report_store *store, const sy_profile *profile)
{
    sy_profile_balance balance;
    sy_text words = SY_TEXT_INIT;

    sy_profile_balance_of(profile, &balance);
    write_counts(writer, &profile->cost, &profile->use);
    sy_json_name(writer, "balance");
    sy_json_begin_object(writer);
    sy_profile_words_balance(profile, &words);
    sy_json_member_text(writer, "words", sy_text_bytes(&words));
    sy_json_member_double(writer, "cost_seconds", balance.cost_s);
    sy_json_member_u64(writer, "calls", balance.calls);
    sy_json_member_u64(writer, "proven_calls", balance.proven);
    sy_json_member_double(writer, "saved_seconds_low", balance.saved_s);
    sy_json_member_double(writer, "saved_seconds", balance.saved_likely_s);
    sy_json_member_double(writer, "saved_seconds_high", balance.saved_high_s);
    sy_json_member_double(writer, "pays_back_seconds", balance.pays_back_s);
    sy_json_end_object(writer);
    sy_text_clear(&words);
    sy_profile_words_contradiction(store, profile, &words);
    sy_json_member_text(writer, "contradiction", words.length > 0 ? sy_text_bytes(&words) : NULL);
    sy_json_name(writer, "earlier");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < profile->earlier_count; i++)
        write_earlier(writer, &profile->earlier[i]);
    sy_json_end_array(writer);
    sy_json_member_u64(writer, "earlier_dropped", profile->earlier_dropped);
    sy_text_finish(&words);
}
