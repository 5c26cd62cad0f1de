/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison while it is made. Private to the files of this folder. */
#ifndef STEELYARD_EVIDENCE_COMPARE_INSIDE_H
#define STEELYARD_EVIDENCE_COMPARE_INSIDE_H

#include <steelyard/compare.h>

#include "evidence/compare/judge_session.h"
#include "evidence/open_project.h"

enum {
    SY_COMPARE_TEXTS_MAX = 64,    /* commands, remarks */
    SY_COMPARE_REVISIONS_MAX = 64 /* of one line that are looked at, the newest */
};

/* A list of texts that grows up to SY_COMPARE_TEXTS_MAX. */
typedef struct sy_compare_texts {
    const char *texts[SY_COMPARE_TEXTS_MAX];
    size_t count;
} sy_compare_texts;

/* One verdict to be written. */
typedef struct sy_compare_draft {
    const sy_session *session;
    sy_session_answer answer;
    const sy_session *const *sessions; /* of the alarm */
    size_t session_count;
    const sy_session *const *baseline;
    size_t baseline_count;
    uint64_t replaces;
    uint64_t leaves_open;
    sy_run_verdict verdict;
} sy_compare_draft;

typedef struct sy_comparing {
    sy_project *project;
    const sy_compare_options *options;
    sy_ledger *ledger;
    sy_registry *registry;
    sy_arena *arena; /* of the result, as all that follows */
    sy_compared *to;
    const char *revision_field;
    sy_run *run;
    sy_session_rules rules;
    const char *evidence; /* "" = nothing failed before any time counts */
    sy_session_set own;   /* the sessions of its key; of an incomplete key it alone */
    sy_key_list *keys;    /* NULL: nobody has asked */

    sy_comparison_mode mode;
    const char *baseline_key;
    const char *baseline_revision;
    sy_session_set others[SY_COMPARE_REVISIONS_MAX]; /* of other revisions */
    size_t other_count;
    const sy_session *const *baseline;
    size_t baseline_count;
    const sy_session *begins; /* of its own key's baseline */

    const sy_session *judged;
    sy_compare_draft *drafts; /* the judged session's is the last */
    size_t draft_count;
    bool is_recorded; /* to->verdict was read, and nothing is to be written */
    sy_compare_texts next;
    sy_compare_texts remarks;
    bool failed; /* no memory for a text */
} sy_comparing;

/* Adds a text; NULL: no memory was left for it. What passes the limit is left out. */
void sy_compare_add(sy_comparing *c, sy_compare_texts *to, const char *text);
/* "compare": no memory. */
sy_status sy_compare_no_memory(sy_error *err);

/* ---- compare_rules.c: by what the run's gate has it judged ---- */

/* Fills rules from options, gate and matrix. SY_INVALID_ARGUMENT: alpha or delta out of range; SY_NO_MEMORY. */
sy_status sy_compare_read_rules(sy_comparing *c, sy_error *err) SY_NODISCARD;

/* ---- compare_evidence.c: what comes before any figure ---- */

/* SY_REFUSED: the run cannot be compared at all. */
sy_status sy_compare_refuse(const sy_run *run, sy_error *err) SY_NODISCARD;
/* What failed of parity, provenance, memory admission and ownership, parted by "; "; "" = nothing. NULL: no memory. */
const char *sy_compare_evidence(const sy_run *run, sy_arena *arena);
/* The same of a row alone: whether nothing of what a row tells failed. */
bool sy_compare_row_counts(const sy_run_row *row);

/* ---- compare_revisions.c: the baseline of another revision ---- */

/* Fills baseline, its key and revision, and the mode. SY_REFUSED: fields other than the revision differ, or nobody
 * knows which revision is older; SY_NOT_FOUND: no such revision; as the ledger. */
sy_status sy_compare_find_revision(sy_comparing *c, sy_error *err) SY_NODISCARD;
/* options.against of a comparison within one key: SY_REFUSED with the fields that differ. */
sy_status sy_compare_check_against(sy_comparing *c, sy_error *err) SY_NODISCARD;
/* The keys of the ledger, read once. */
sy_status sy_compare_read_keys(sy_comparing *c, sy_error *err) SY_NODISCARD;

/* ---- compare_alarm.c: the sessions of an alarm ---- */

/* Reads what was recorded, finds the open alarm, and judges: fills drafts, or to->verdict and is_recorded. */
sy_status sy_compare_judge(sy_comparing *c, sy_error *err) SY_NODISCARD;

/* ---- compare_draft.c: from an answer to the event's members ---- */

sy_status sy_compare_finish_draft(sy_comparing *c, sy_compare_draft *draft, sy_error *err) SY_NODISCARD;

/* ---- compare_rates.c ---- */

void sy_compare_count_alarms(sy_comparing *c);
/* Sessions of the set that began before a number (0 = all) and were held against a baseline; *ret_raised of them. */
uint64_t sy_compare_judged_before(const sy_session_set *set, uint64_t before, uint64_t *ret_raised);

/* ---- compare_neighbours.c, compare_next.c, recalibrate.c: what else could be done ---- */

sy_status sy_compare_find_neighbours(sy_comparing *c, sy_error *err) SY_NODISCARD;
void sy_compare_add_next(sy_comparing *c);
/* Whether a stored decision rests on what this verdict has overturned; fills the last draft's recalibrate. */
sy_status sy_compare_recalibrate(sy_comparing *c, sy_error *err) SY_NODISCARD;

#endif
