/* SPDX-License-Identifier: Apache-2.0 */
/* A stored decision as data: its key, what was measured, what proves it, what it cost, how it was used and what it
 * replaced. Keeping and asking for them is store.h. */
#ifndef STEELYARD_PROFILE_H
#define STEELYARD_PROFILE_H

#include <steelyard/base.h>
#include <steelyard/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keys ---- */

typedef struct sy_property {
    const char *name;
    const char *value;
} sy_property;

/* The identity of a profile. Exact: the first six, all non-empty, thread_count > 0. Portable: the first three and the
 * structure (at least one property, each name once, any order). Anything else is SY_INVALID_ARGUMENT naming the field.
 * The texts have no structure for the store; `processor` is built by the identity module. */
typedef struct sy_profile_key {
    const char *backend;
    const char *operator_name;
    const char *implementation_version;
    const char *model_digest; /* NULL and "" both mean: not given */
    const char *processor;
    uint32_t thread_count;
    const sy_property *structure;
    size_t structure_count;
} sy_profile_key;

#define SY_PROFILE_KEY_INIT                      \
    {                                            \
        NULL, NULL, NULL, NULL, NULL, 0, NULL, 0 \
    }

/* Says which kind of key it is. SY_INVALID_ARGUMENT names the first field that is empty, doubled or of the other kind.
 */
SY_API sy_status sy_profile_key_check(const sy_profile_key *key, bool *ret_portable, sy_error *err) SY_NODISCARD;

/* ---- profiles ---- */

typedef enum sy_profile_kind {
    SY_PROFILE_CALIBRATED,
    SY_PROFILE_OVERRIDE, /* set by a person: wins over what was measured */
    SY_PROFILE_IMPORTED  /* from a foreign tuner: never selected until it is probed here */
} sy_profile_kind;

SY_API const char *sy_profile_kind_word(sy_profile_kind kind); /* "calibrated" */

typedef struct sy_measurement {
    const char *name; /* not empty */
    double value;     /* finite */
    const char *unit; /* may be "" or NULL */
} sy_measurement;

/* A measurement of this name, in ns, is what a call of the reference takes: the mean over the cases by their weights.
 * What was saved is worked out from it (docs/statistics.md). */
#define SY_MEASUREMENT_REFERENCE_CALL "reference_call"

/* An implementation that was not chosen. */
typedef struct sy_alternative {
    const char *name;   /* not empty */
    const char *reason; /* "slower", "parity", ... */
    double ratio;       /* its time over the chosen one's; NaN = unknown */
} sy_alternative;

/* How a probe came to its answer: the decision line of format 2. SY_DECISION_INCONCLUSIVE is written `undecided`. */
typedef struct sy_profile_trial {
    sy_decision decision;
    const char *rule;   /* "capped" */
    uint32_t max_pairs; /* N */
    uint32_t pairs;     /* n */
    uint32_t wins;      /* S */
    double e_value;     /* E; NaN = unknown */
    uint32_t attempt;   /* k: which probe of this key it was, from 1 */
} sy_profile_trial;

typedef struct sy_profile_gain {
    double gain; /* share of the reference's time saved */
    double low;  /* NaN = unknown */
    double high; /* NaN = unknown */
    uint32_t pairs;
} sy_profile_gain;

typedef struct sy_profile_parity {
    sy_parity_outcome outcome;
    double error_in_tolerances; /* NaN = unknown */
} sy_profile_parity;

#define SY_SECONDS_MAX 1e15 /* sums stay there */

/* What the probes that made a decision took. */
typedef struct sy_profile_cost {
    double seconds;  /* on the wall's clock; from 0 to SY_SECONDS_MAX */
    uint32_t probes; /* 0 = not known, as seconds are then */
} sy_profile_cost;

/* How much a decision was used, as engines reported it: sy_store_tally. */
typedef struct sy_profile_use {
    uint64_t calls;       /* 0 = none was reported */
    uint64_t timed_calls; /* of them: those that were reported with their time */
    double seconds;       /* that the timed ones took; from 0 to SY_SECONDS_MAX */
    int64_t last_utc_s;   /* when the last ones were written; 0 = never */
} sy_profile_use;

#define SY_EARLIER_MAX 8 /* kept; of older ones the number */

/* A measurement that another one has replaced: what is kept of it. */
typedef struct sy_profile_earlier {
    const char *policy;
    size_t policy_size;
    const char *origin; /* where it stood, if not in this very entry: "imported", "portable", or the outdated
                           implementation version that it was of; "" = here */
    bool has_decision;
    bool has_gain;
    sy_decision decision;
    sy_profile_gain gain;
    double reference_s;     /* a call of the reference took; NaN = unknown */
    int64_t created_utc_s;  /* 0 = unknown */
    int64_t replaced_utc_s; /* 0 = unknown */
    const char *tool;
    const char *evidence_run; /* both or neither */
    const char *evidence_digest;
    sy_profile_cost cost;
    sy_profile_use use;
} sy_profile_earlier;

/* One stored profile. Texts that were not given are "", lists empty. Immutable. What a lookup needs comes first. */
typedef struct sy_profile {
    sy_profile_kind kind;
    bool portable;
    bool has_trial;
    bool has_gain;
    bool has_parity;
    sy_profile_key key; /* structure sorted by the bytes of its names */
    const char *policy; /* what the engine stored; a 0 byte stands behind it and may stand in it */
    size_t policy_size;
    int64_t expires_utc_s;    /* 0 = never */
    const char *evidence_run; /* id of the run that proves it */
    sy_profile_trial trial;
    const char *evidence_digest; /* SHA-256 of that run, 64 hexadecimal digits */
    const sy_measurement *measurements;
    size_t measurement_count;
    const sy_alternative *alternatives;
    size_t alternative_count;
    sy_profile_gain gain;
    sy_profile_parity parity;
    const char *reason;    /* of an override */
    const char *tool;      /* that wrote it: "steelyard 0.1.0" */
    int64_t created_utc_s; /* 0 = unknown */
    sy_profile_cost cost;
    sy_profile_use use;
    const sy_profile_earlier *earlier; /* that it replaced, the oldest first */
    size_t earlier_count;              /* up to SY_EARLIER_MAX */
    uint32_t earlier_dropped;          /* older ones that are not kept: at least so many */
    sy_profile_cost dropped_cost;      /* of those */
    const char *signed_by;             /* id of the key that vouched for the file from which it was taken; "" = none */
} sy_profile;

/* What a caller knows of a new calibrated profile; the store adds policy, time and tool. All is borrowed by the call
 * and copied. */
typedef struct sy_profile_draft {
    sy_profile_key key;
    const sy_measurement *measurements;
    size_t measurement_count;
    const sy_alternative *alternatives;
    size_t alternative_count;
    const sy_profile_trial *trial;   /* NULL = none */
    const sy_profile_gain *gain;     /* NULL = none */
    const sy_profile_parity *parity; /* NULL = none */
    const char *evidence_run;        /* both or neither */
    const char *evidence_digest;
    int64_t expires_utc_s;             /* 0 = never */
    const sy_profile_cost *cost;       /* NULL = not known */
    const sy_profile_earlier *earlier; /* of other entries, which this measurement confirms or refutes */
    size_t earlier_count;
} sy_profile_draft;

#define SY_PROFILE_DRAFT_INIT                                                                 \
    {                                                                                         \
        SY_PROFILE_KEY_INIT, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0 \
    }

/* What is kept of a profile that another one settles: texts are the profile's. origin as in sy_profile_earlier. */
SY_API sy_profile_earlier sy_profile_as_earlier(const sy_profile *profile, const char *origin, int64_t replaced_utc_s);

/* Whether a calibrated profile, which is asked for an override's key, says otherwise than it: another policy, by a
 * decided win. What has expired, of either, is not held against the other. */
SY_API bool sy_profile_contradicts(const sy_profile *calibrated, const sy_profile *override, int64_t now_utc_s);

/* What a decision, and those that stood in its entry before, have cost and saved. The formulas and what they assume:
 * docs/statistics.md, "What a decision has saved". */
typedef struct sy_profile_balance {
    double cost_s;         /* of all probes of the entry; NaN = not known */
    uint32_t probes;       /* 0 = not known */
    uint64_t calls;        /* reported in all */
    uint64_t proven;       /* of them: calls under a proven gain, with a time known */
    double saved_s;        /* by them, at least: from the lower bound of each gain; 0 when none is proven */
    double saved_likely_s; /* from the estimate of each gain */
    double saved_high_s;   /* from the upper bound; NaN = unknown */
    double pays_back_s; /* time in calls of this decision after which the least saving is the cost; NaN = no proof or no
                           cost */
    bool is_proven;     /* this decision's own gain: an exact win, measured here, whose lower bound is above 0 */
} sy_profile_balance;

SY_API void sy_profile_balance_of(const sy_profile *profile, sy_profile_balance *ret_balance);

#ifdef __cplusplus
}
#endif
#endif
