/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions, reasons and guards in plain words. Every claim names its figure and its error rate. */
#include "report/probe/probe_words.h"

#include <math.h>
#include <string.h>

#include "report/page/figures.h"

static const char *named(const char *name, const char *otherwise)
{
    return name != NULL && name[0] != '\0' ? name : otherwise;
}

const sy_candidate_result *sy_probe_finalist(const sy_probe_result *result)
{
    return result->finalist < result->candidate_count ? &result->candidates[result->finalist] : NULL;
}

bool sy_probe_covers(const sy_case_result *c)
{
    return c->left_out == NULL || c->left_out[0] == '\0';
}

size_t sy_probe_covered_count(const sy_probe_result *result)
{
    size_t count = 0;

    for (size_t i = 0; i < result->case_count; i++)
        count += sy_probe_covers(&result->cases[i]);
    return count;
}

const char *sy_probe_words_name(const sy_probe_result *result, const char *name, const char *otherwise)
{
    bool line = result->isolation == SY_ISOLATION_PROCESS && name != NULL && strchr(name, ' ') != NULL;

    return line ? otherwise : named(name, otherwise);
}

static const char *finalist_name(const sy_probe_result *result)
{
    const sy_candidate_result *finalist = sy_probe_finalist(result);

    return sy_probe_words_name(result, finalist != NULL ? finalist->name : NULL,
                               result->candidate_count > 1 ? "the finalist" : "the candidate");
}

static const char *reference_name(const sy_probe_result *result)
{
    return sy_probe_words_name(result, result->reference, "the reference");
}

sy_tone sy_probe_tone(sy_decision decision)
{
    switch (decision) {
    case SY_DECISION_WIN:
    case SY_DECISION_TIE:
    case SY_DECISION_NOT_SLOWER:
        return SY_TONE_GOOD;
    case SY_DECISION_NO_GAIN:
        return SY_TONE_STRONG;
    case SY_DECISION_INCONCLUSIVE:
    case SY_DECISION_VACUOUS:
        return SY_TONE_DOUBT;
    case SY_DECISION_SLOWER:
    case SY_DECISION_PARITY_FAILED:
    case SY_DECISION_UNAVAILABLE:
        return SY_TONE_BAD;
    }
    return SY_TONE_PLAIN;
}

void sy_probe_words_headline(const sy_probe_result *result, sy_text *to)
{
    if (result->interrupted)
        sy_text_append(to, "interrupted, ");
    sy_text_append_format(to, "%s: ", sy_decision_word(result->decision));
    if (result->decision == SY_DECISION_WIN || result->decision == SY_DECISION_TIE)
        sy_text_append_format(to, "use %s in place of %s", named(result->winner, finalist_name(result)),
                              named(result->reference, "the reference"));
    else if (result->prefer == SY_PREFER_MEMORY && result->decision == SY_DECISION_NOT_SLOWER)
        sy_text_append_format(to, "use %s in place of %s, for its memory", named(result->winner, finalist_name(result)),
                              reference_name(result));
    else if (result->decision == SY_DECISION_NOT_SLOWER)
        sy_text_append_format(to, "%s may take the place of %s",
                              sy_probe_finalist(result) != NULL
                                  ? named(sy_probe_finalist(result)->name, "the candidate")
                                  : "the candidate",
                              named(result->reference, "the reference"));
    else if (result->winner == NULL)
        sy_text_append(to, "there is nothing to use");
    else
        sy_text_append_format(to, "keep %s", result->winner);
    if (result->completed && sy_probe_covered_count(result) < result->case_count)
        sy_text_append_format(to, ", on %zu of %zu cases", sy_probe_covered_count(result), result->case_count);
}

void sy_probe_words_gain(const sy_probe_result *result, sy_text *to)
{
    char gain[SY_FIGURE_SIZE];
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];
    char level[SY_FIGURE_SIZE];

    if (isnan(result->gain))
        return;
    sy_text_append_format(to, "gain %s", sy_figure_share(gain, result->gain));
    sy_figure_setting(level, 1 - result->alpha);
    if (!isnan(result->gain_low))
        sy_text_append_format(to, ", at least %s (%s)", sy_figure_share_down(low, result->gain_low), level);
    if (!isnan(result->gain_high))
        sy_text_append_format(to, ", at most %s (%s)", sy_figure_share_up(high, result->gain_high), level);
    if (isnan(result->gain_low) && isnan(result->gain_high))
        sy_text_append(to, result->rule == SY_RULE_MEDIANS ? " (a point estimate, no bound)"
                                                           : " (too few pairs for a bound)");
}

/* ": gain ..." if there is one, and a period. */
static void append_gain(const sy_probe_result *result, sy_text *to)
{
    if (!isnan(result->gain))
        sy_text_append(to, ": ");
    sy_probe_words_gain(result, to);
    sy_text_append(to, ".");
}

static void append_pairs(const sy_probe_result *result, sy_text *to)
{
    bool rounds = sy_probe_covered_count(result) > 1;

    if (result->pairs == 0)
        sy_text_append_format(to, " No complete %s was weighed.", rounds ? "round" : "pair");
    else
        sy_text_append_format(to, " It won %u of %u %s (%scap %u).", result->wins, result->pairs,
                              rounds ? "rounds" : "pairs", rounds ? "each case once a round; " : "", result->max_pairs);
}

/* What the rule promises about the answer that it gave. */
static void append_promise(const sy_probe_result *result, sy_text *to)
{
    char asked[SY_FIGURE_SIZE];
    char alpha[SY_FIGURE_SIZE];
    char beta[SY_FIGURE_SIZE];

    sy_figure_setting(asked, result->min_improvement);
    sy_figure_setting(alpha, result->alpha);
    sy_figure_setting(beta, result->beta);
    if (result->rule == SY_RULE_MEDIANS) {
        sy_text_append_format(to,
                              " The rule compared medians over a fixed number of pairs: a point estimate without an "
                              "error rate, which takes about half of the candidates that sit exactly at %s.",
                              asked);
        return;
    }
    switch (result->decision) {
    case SY_DECISION_WIN:
    case SY_DECISION_TIE:
        sy_text_append_format(to, " At least %s was asked for; such a win is wrong in at most %s of probes.", asked,
                              alpha);
        break;
    case SY_DECISION_NO_GAIN:
        if (result->prefer == SY_PREFER_MEMORY)
            sy_text_append_format(to, " Such an answer is wrong in at most %s of probes.", alpha);
        else if (sy_text_equal(result->reason, "case-regression"))
            sy_text_append_format(to, " A case that is no slower than that is blamed so in at most %s of probes.",
                                  alpha);
        else
            sy_text_append_format(to, " A candidate that saves %s or more is turned away so in at most %s of probes.",
                                  asked, beta);
        break;
    case SY_DECISION_NOT_SLOWER:
    case SY_DECISION_SLOWER:
        sy_text_append_format(to, " Such an answer is wrong in at most %s of probes.", alpha);
        break;
    case SY_DECISION_INCONCLUSIVE:
    case SY_DECISION_PARITY_FAILED:
    case SY_DECISION_VACUOUS:
    case SY_DECISION_UNAVAILABLE:
        break;
    }
}

/* The names of cases for which `flag` holds, with commas; returns how many. */
static size_t append_case_names(const sy_probe_result *result, bool regression, sy_text *to)
{
    size_t count = 0;

    for (size_t i = 0; i < result->case_count; i++) {
        const sy_case_result *c = &result->cases[i];

        if (!sy_probe_covers(c) || (regression ? !c->regression : c->regression || c->resolved))
            continue;
        sy_text_append_format(to, "%s%s", count == 0 ? "" : ", ", named(c->name, "?"));
        count++;
    }
    return count;
}

/* What was weighed, in the middle of a sentence. */
static const char *metric_noun(const sy_probe_result *result)
{
    const char *name = named(result->metric.name, "wall");

    return sy_text_equal(name, "wall")   ? "time"
           : sy_text_equal(name, "user") ? "user time"
           : sy_text_equal(name, "cpu")  ? "processor time"
                                         : name;
}

static void append_better(const sy_probe_result *result, sy_text *to)
{
    const char *noun = metric_noun(result);

    if (sy_text_equal(noun, "time"))
        sy_text_append_format(to, "%s is faster than %s", finalist_name(result), reference_name(result));
    else if (sy_text_equal(noun, "memory"))
        sy_text_append_format(to, "%s needs less memory than %s", finalist_name(result), reference_name(result));
    else if (sy_text_equal(noun, "user time") || sy_text_equal(noun, "processor time"))
        sy_text_append_format(to, "%s takes less %s than %s", finalist_name(result), noun, reference_name(result));
    else
        sy_text_append_format(to, "%s is better than %s in %s", finalist_name(result), reference_name(result), noun);
}

static void append_not_worse(const sy_probe_result *result, sy_text *to)
{
    char margin[SY_FIGURE_SIZE];
    const char *noun = metric_noun(result);
    bool is_time = sy_text_equal(noun, "time");

    sy_text_append_format(to, "%s is %s%s than %s%s%s by more than %s", finalist_name(result),
                          result->decision == SY_DECISION_NOT_SLOWER ? "not " : "", is_time ? "slower" : "worse",
                          reference_name(result), is_time ? "" : " in ", is_time ? "" : noun,
                          sy_figure_setting(margin, result->margin));
}

static void append_no_gain(const sy_probe_result *result, sy_text *to)
{
    char asked[SY_FIGURE_SIZE];
    char veto[SY_FIGURE_SIZE];
    sy_text names = SY_TEXT_INIT;

    if (result->prefer == SY_PREFER_MEMORY && sy_text_equal(result->reason, "memory")) {
        sy_text_append_format(to, "No candidate that can be used needs less memory than %s.", reference_name(result));
        return;
    }
    if (result->prefer == SY_PREFER_MEMORY)
        sy_text_append_format(to, "%s needs less memory than %s, but is slower by more than %s", finalist_name(result),
                              reference_name(result), sy_figure_setting(asked, result->margin));
    else if (sy_text_equal(result->reason, "case-regression") && append_case_names(result, true, &names) > 0)
        sy_text_append_format(to, "%s is slower than %s by more than %s on %s, whatever it gains elsewhere; in all",
                              finalist_name(result), reference_name(result), sy_figure_setting(veto, result->veto),
                              sy_text_bytes(&names));
    else
        sy_text_append_format(to,
                              result->metric.higher_is_better ? "%s does not gain %s in the %s of %s"
                                                              : "%s does not save %s of the %s of %s",
                              finalist_name(result), sy_figure_setting(asked, result->min_improvement),
                              metric_noun(result), reference_name(result));
    to->failed = to->failed || names.failed;
    sy_text_finish(&names);
    append_gain(result, to);
    append_pairs(result, to);
    append_promise(result, to);
}

static void append_tie_set(const sy_probe_result *result, sy_text *to)
{
    size_t count = 0;

    sy_text_append(to, " Too close to tell apart: ");
    for (size_t i = 0; i < result->candidate_count; i++) {
        if (result->candidates[i].decision == SY_DECISION_TIE)
            sy_text_append_format(to, "%s%s", count++ == 0 ? "" : ", ", named(result->candidates[i].name, "?"));
    }
    sy_text_append_format(to, "%s; %s was chosen among the best before the last pairs.",
                          count == 0 ? "several candidates" : "", finalist_name(result));
}

/* A period is added to a sentence of the result unless it has one. */
static void append_sentence(const char *sentence, sy_text *to)
{
    sy_text_append(to, sentence);
    if (!sy_text_ends(sentence, ".") && !sy_text_ends(sentence, "!") && !sy_text_ends(sentence, "?"))
        sy_text_append(to, ".");
}

/* No answer: the reason first, then what had been seen until then. */
static void append_unanswered(const sy_probe_result *result, sy_text *to)
{
    const char *reason = result->reason != NULL ? result->reason : "";

    if (result->error != NULL && result->error[0] != '\0')
        append_sentence(result->error, to);
    else if (reason[0] != '\0')
        sy_text_append_format(to, "The reason: %s.", reason);
    else
        sy_text_append(to, "The pairs did not settle it.");
    if (result->error != NULL && result->error[0] != '\0' && strstr(result->error, reason) == NULL &&
        result->isolation != SY_ISOLATION_PROCESS) /* of a program it says the same in fewer words */
        sy_text_append_format(to, " Reason: %s.", reason);
    if (result->decision != SY_DECISION_INCONCLUSIVE && result->pairs == 0)
        return;
    if (!isnan(result->gain)) {
        sy_text_append_format(to, " So far, %s over %s", finalist_name(result), reference_name(result));
        append_gain(result, to);
    }
    append_pairs(result, to);
}

void sy_probe_words_finding(const sy_probe_result *result, sy_text *to)
{
    switch (result->decision) {
    case SY_DECISION_WIN:
    case SY_DECISION_TIE:
        append_better(result, to);
        append_gain(result, to);
        append_pairs(result, to);
        if (result->decision == SY_DECISION_TIE)
            append_tie_set(result, to);
        append_promise(result, to);
        break;
    case SY_DECISION_NO_GAIN:
        append_no_gain(result, to);
        break;
    case SY_DECISION_NOT_SLOWER:
    case SY_DECISION_SLOWER:
        append_not_worse(result, to);
        append_gain(result, to);
        append_pairs(result, to);
        append_promise(result, to);
        break;
    case SY_DECISION_INCONCLUSIVE:
    case SY_DECISION_PARITY_FAILED:
    case SY_DECISION_VACUOUS:
    case SY_DECISION_UNAVAILABLE:
        append_unanswered(result, to);
        break;
    }
}

void sy_probe_words_cases(const sy_probe_result *result, sy_text *to)
{
    char veto[SY_FIGURE_SIZE];
    sy_text names = SY_TEXT_INIT;

    if (sy_probe_covered_count(result) > 1 && result->pairs > 0 && result->rule == SY_RULE_CAPPED) {
        sy_figure_setting(veto, result->veto);
        if (append_case_names(result, true, &names) > 0)
            sy_text_append_format(to, "slower by more than %s: %s", veto, sy_text_bytes(&names));
        to->failed = to->failed || names.failed;
        sy_text_clear(&names);
        if (append_case_names(result, false, &names) > 0)
            sy_text_append_format(to, "%snot yet shown to be within %s: %s", to->length > 0 ? "; " : "", veto,
                                  sy_text_bytes(&names));
        else if (to->length == 0)
            sy_text_append_format(to, "none is slower by more than %s, shown for each", veto);
    }
    to->failed = to->failed || names.failed;
    sy_text_finish(&names);
}

void sy_probe_words_left_out(const sy_probe_result *result, sy_text *to)
{
    size_t covered = sy_probe_covered_count(result);
    const char *separator = "; left out: ";
    bool limited = false;
    char needed[SY_FIGURE_SIZE];
    char limit[SY_FIGURE_SIZE];

    if (covered == result->case_count)
        return;
    sy_text_append_format(to, "covers %zu of %zu cases", covered, result->case_count);
    for (size_t i = 0; i < result->case_count; i++) {
        const sy_case_result *c = &result->cases[i];

        if (sy_probe_covers(c))
            continue;
        sy_text_append_format(to, "%s%s (%s", separator, named(c->name, "?"), c->left_out);
        if (c->predicted_wall_ns > 0)
            sy_text_append_format(to, ": needs about %s of %s", sy_figure_time(needed, c->predicted_wall_ns),
                                  sy_figure_time(limit, (double)result->wall_limit_ns));
        sy_text_append(to, ")");
        limited = limited || sy_text_equal(c->left_out, "wall-limit");
        separator = ", ";
    }
    if (limited)
        sy_text_append(to, "; a larger --wall-limit covers more");
}

void sy_probe_words_parity(const sy_probe_result *result, sy_text *to)
{
    double largest = NAN;
    double rms = NAN;
    size_t covered = sy_probe_covered_count(result);
    size_t counts[SY_PARITY_FAILED + 1] = {0};
    bool oracle = false;
    char figure[SY_FIGURE_SIZE];

    for (size_t i = 0; i < result->case_count; i++) {
        const sy_parity *parity = &result->cases[i].parity;

        if (parity->outcome > SY_PARITY_FAILED || !sy_probe_covers(&result->cases[i]))
            continue;
        counts[parity->outcome]++;
        if (parity->outcome == SY_PARITY_NOT_PERFORMED)
            continue;
        oracle = oracle || parity->against_oracle;
        largest = fmax(largest, parity->error_in_tolerances);
        rms = fmax(rms, parity->rms_in_tolerances);
    }
    if (counts[SY_PARITY_NOT_PERFORMED] == covered)
        return;
    sy_text_append_format(to, "%s: ", finalist_name(result));
    if (counts[SY_PARITY_FAILED] > 0)
        sy_text_append_format(to, "wrong in %zu of %zu cases", counts[SY_PARITY_FAILED], covered);
    else
        sy_text_append_format(to, "right in %zu of %zu cases", counts[SY_PARITY_PASSED] + counts[SY_PARITY_QUALIFIED],
                              covered);
    if (counts[SY_PARITY_QUALIFIED] > 0)
        sy_text_append_format(to, " (%zu within tolerance but not exact on whole numbers)",
                              counts[SY_PARITY_QUALIFIED]);
    if (isfinite(largest))
        sy_text_append_format(to, ", largest error %s x allowed", sy_figure_ratio(figure, largest));
    else if (!isnan(largest))
        sy_text_append(to, ", an error beyond every bound");
    if (isfinite(rms))
        sy_text_append_format(to, ", rms %s x", sy_figure_ratio(figure, rms));
    sy_text_append(to, oracle ? ", against right values in double" : ", against the reference");
}
