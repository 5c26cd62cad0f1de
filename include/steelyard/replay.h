/* SPDX-License-Identifier: Apache-2.0 */
/* Decision rules tried on recorded timings: how often does a configuration "beat" itself, how often is a planted gain
 * found? And a recorded probe judged again, pair by pair. No clock and no files; docs/statistics.md, "Replay". */
#ifndef STEELYARD_REPLAY_H
#define STEELYARD_REPLAY_H

#include <steelyard/timings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* value: word, as in JSON */
#define SY_REPLAY_RULE_LIST(X)                  \
    X(STEELYARD, "steelyard")                   \
    X(MEDIANS_ALTERNATED, "medians_alternated") \
    X(MEDIANS_BLOCKS, "medians_blocks")         \
    X(MEAN_OF_N, "mean_of_n")

typedef enum sy_replay_rule {
#define SY_REPLAY_RULE_ENUM(name, word) SY_REPLAY_##name,
    SY_REPLAY_RULE_LIST(SY_REPLAY_RULE_ENUM)
#undef SY_REPLAY_RULE_ENUM
        SY_REPLAY_RULES
} sy_replay_rule;

SY_API const char *sy_replay_rule_word(sy_replay_rule rule); /* "unknown" outside the list */

/* True gains that are planted: 0, X, X + 2 and X + 5 points. */
#define SY_REPLAY_GAINS 4

typedef struct sy_replay_options {
    size_t struct_size;
    double min_improvement; /* X, in [0, .95) */
    double alpha;
    double beta;
    uint32_t pairs; /* N: a configuration with fewer than 2 N times is not played */
    uint64_t seed;  /* 0 = drawn from the system's entropy, below 2^53 */
} sy_replay_options;

#define SY_REPLAY_OPTIONS_INIT                                                                                     \
    {                                                                                                              \
        .struct_size = sizeof(sy_replay_options), .min_improvement = 0.03, .alpha = 0.05, .beta = 0.2, .pairs = 16 \
    }

/* Counts of configurations, so that several results add up to one. */
typedef struct sy_replay_tally {
    uint64_t faster[SY_REPLAY_GAINS]; /* called faster by X where the true gain is 0, X, X + 2, X + 5 points */
    uint64_t pairs_plus_2;            /* pairs used at X + 2 points, over all configurations */
} sy_replay_tally;

typedef struct sy_replay_result {
    double min_improvement;
    double alpha;
    double beta;
    uint32_t pairs;
    uint64_t seed;
    uint64_t configurations; /* played */
    uint64_t without_times;  /* not played: the file gives a reason instead of times */
    uint64_t too_short;      /* not played: fewer than 2 N times */
    uint64_t unusable;       /* not played: one of the first 2 N times is not above 0 */
    uint64_t most_times;     /* of any configuration */
    sy_replay_tally rules[SY_REPLAY_RULES];
    uint64_t right_wins;       /* at X + 2 points, before the guards of the rule */
    uint64_t overturned_order; /* of these, by the guard of that name */
    uint64_t overturned_drift;
} sy_replay_result;

/* Plays each configuration once: runs 2i and 2i+1 are pair i, a coin says which is the candidate, whose time is
 * multiplied by 1 - g. The capped rule stops when it knows, guards included; the others always take 2 N runs: medians
 * of pairs in alternating order, medians of N runs and then N runs, means of the same. SY_INVALID_ARGUMENT names the
 * option; SY_IO (no entropy), SY_NO_MEMORY. */
SY_API sy_status sy_replay(const sy_timing *list, size_t count, const sy_replay_options *options,
                           sy_replay_result *ret_result, sy_error *err) SY_NODISCARD;

/* Adds the counts of one result to a total that was played with the same options; an all-zero total takes them over. */
SY_API void sy_replay_add(sy_replay_result *total, const sy_replay_result *more);

/* The share of configurations called faster; NaN where none was played. gain indexes the planted gains. */
SY_API double sy_replay_share(const sy_replay_result *result, sy_replay_rule rule, uint32_t gain);
/* Mean pairs at X + 2 points; NaN where none was played. */
SY_API double sy_replay_mean_pairs(const sy_replay_result *result, sy_replay_rule rule);

/* What a recording shows of itself, before any rule is asked: what deceives those who take one mean a configuration.
 * Of configurations with at least 5 times, all above 0. */
typedef struct sy_recording_traits {
    uint64_t looked_at;        /* such configurations */
    uint64_t first_stands_out; /* their first run takes 1.5 times the median or more, and more than any other */
    double first_ratio;        /* the least first run / median among these; NaN */
    uint64_t falling;          /* without the first run: the later half is faster than the earlier, by medians */
    double fall;               /* median over all of 1 - later / earlier; NaN */
    bool warming_up;           /* more of them fall than chance makes in one recording of a thousand, by 1 % or more */
    double step_ns;            /* all times are multiples of it; 0 = no step is seen, or the unit is not known */
    uint64_t times;            /* of these configurations */
    uint64_t distinct;         /* different ones among them; 0 where the unit is not known */
    size_t leader;             /* the least median: an index into the list; SIZE_MAX = none */
    size_t mean_leader;        /* the least mean */
    uint64_t tied; /* configurations, the leader among them, whose 95 % interval of the median meets the leader's */
} sy_recording_traits;

/* unit_ns: of the times, NaN = unknown. SY_NO_MEMORY. */
SY_API sy_status sy_replay_look(const sy_timing *list, size_t count, double unit_ns, sy_recording_traits *ret_traits,
                                sy_error *err) SY_NODISCARD;

/* What the rule says when it is fed a recorded final again. */
typedef struct sy_replay_judgement {
    sy_decision decision;
    const char *reason; /* static */
    uint32_t pairs;
    uint32_t wins;
    double gain; /* NaN = none */
    double gain_low;
    double gain_high;
    char differs[128]; /* "gain_low", "decision, reason": what is not as it was recorded; "" = all is */
} sy_replay_judgement;

/* Judges a recorded final anew, with its own options, pairs and coins. SY_CORRUPT: it cannot have been recorded so (the
 * rule has its answer before the last pair, or none and nothing ended it). SY_INVALID_ARGUMENT: options that no rule
 * can have. SY_NO_MEMORY. */
SY_API sy_status sy_replay_final(const sy_recorded_final *final, sy_replay_judgement *ret_judgement,
                                 sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
