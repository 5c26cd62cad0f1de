/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe of each case will take, and which cases are left out. */
#include "probe/coverage.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "operations/oracle.h"
#include "stats/order.h"
#include "stats/sign.h"

/* The runs that the least decision is made of; docs/statistics.md, "What does not fit". */
#define PARITY_RUNS 5    /* two exact stages of one, the real one of three */
#define OWN_RUNS 3       /* on the case's own inputs */
#define WARM_UP_RUNS 6   /* two medians of three */
#define BATCH_SLOTS 4    /* two crossings on two contenders */
#define NOISE_SLOTS 16   /* eight pairs */
#define CONTROL_SLOTS 33 /* half of them the finalist's */
#define HALVING_ROUNDS 4

#define BYTE_NS 3.0   /* of inputs and outputs, in one stage, for each that holds them */
#define COPY_NS 2.0   /* of a cold buffer that is made and filled: most of it is the pages' first use */
#define ORACLE_NS 0.5 /* an operation in double */
#define WORK_NS 2.0   /* a hundred runs at 50 operations a nanosecond: for the order of the cases alone */

#define FAVOUR_UNSEEN 8.0    /* a rate may be so much better on a larger case than on smaller ones */
#define FAVOUR_COLD 2.0      /* a first run may take so much longer than those behind it */
#define LEAST_PATIENCE_S 5.0 /* nothing is stopped before */
#define CRAWL 8.0            /* times the reference's run */

#define CONTENDERS_MOST 64 /* that a prediction looks at */

/* The element at `from` moves back to the place `to`; those between move one forward. */
static void to_back(void *array, size_t size, uint32_t from, uint32_t to)
{
    char kept[sizeof(sy_weighed_case)];
    char *bytes = array;
    assert(size <= sizeof(kept));
    memcpy(kept, bytes + from * size, size);
    memmove(bytes + from * size, bytes + (from + 1) * size, (to - from) * size);
    memcpy(bytes + to * size, kept, size);
}

#define TO_BACK(array, from, to) to_back((array), sizeof(*(array)), (from), (to))

/* Built anew, a case holds no device memory. A worker that does not answer is found out by its next call. */
static void give_back(sy_weighing *w, uint32_t case_index)
{
    for (uint32_t i = 0; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        sy_subject_shape shape;
        if (!contender->live || !contender->subject)
            continue;
        if (sy_contender_wake(w, contender, 5, NULL) == SY_OK)
            (void)!contender->subject->table->build(contender->subject, case_index, &shape, NULL);
        (void)!sy_contender_rest(w, contender, NULL);
    }
}

void sy_coverage_leave_out(sy_weighing *w, uint32_t k, const char *reason, double predicted_wall_ns)
{
    uint32_t index = w->cases[k].index;
    uint32_t to = --w->case_count;
    if (w->allocated)
        give_back(w, index);
    w->cases[k].left_out = reason;
    w->cases[k].predicted_wall_ns = predicted_wall_ns;
    for (uint32_t other = 0; other < w->left_out_count; other++)
        to += w->cases[w->case_count + 1 + other].index < index;
    w->left_out_count++;
    TO_BACK(w->cases, k, to);
    TO_BACK(w->weights, k, to);
    for (uint32_t i = 0; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        TO_BACK(contender->parity, k, to);
        TO_BACK(contender->checked_ns, k, to);
        TO_BACK(contender->run_ns, k, to);
        TO_BACK(contender->slot_ns, k, to);
        TO_BACK(contender->slot_wall_ns, k, to);
        TO_BACK(contender->exact_failure, k, to);
        TO_BACK(contender->case_bytes, k, to);
        TO_BACK(contender->case_scratch_bytes, k, to);
        TO_BACK(contender->case_copies_bytes, k, to);
    }
}

/* ---- the prediction ---- */

/* One run: as it was warm, or at first, else by the best rate of this contender on other cases; 0 = not known. */
static double run_of(const sy_weighing *w, const sy_contender *contender, uint32_t k)
{
    double flop_count = w->cases[k].c->flop_count;
    double best_rate = 0;
    if (contender->run_ns[k] > 0)
        return contender->run_ns[k];
    if (contender->checked_ns[k] > 0)
        return contender->checked_ns[k];
    for (uint32_t other = 0; other < w->case_count + w->left_out_count && flop_count > 0; other++) {
        if (contender->checked_ns[other] > 0)
            best_rate = fmax(best_rate, w->cases[other].c->flop_count / contender->checked_ns[other]);
    }
    return best_rate > 0 ? flop_count / best_rate : 0;
}

/* An untimed run and a timed one, or a batch that is long enough. */
static double slot_of(const sy_weighing *w, const sy_contender *contender, uint32_t k)
{
    double run_ns = run_of(w, contender, k);
    return run_ns + fmax(run_ns, sy_weighing_least_slot(w)) + sy_weighing_wake_ns(w);
}

/* The halving's rounds of a case if its slower candidates leave first. slots: of `count` candidates, ascending. */
static double halving_of(double reference_slot, const double *slots, uint32_t count)
{
    double sum = 0;
    while (count > 1) {
        double round = reference_slot;
        for (uint32_t i = 0; i < count; i++)
            round += slots[i];
        sum += HALVING_ROUNDS * round;
        count -= count / 2;
    }
    return sum;
}

/* Control and pairs: twice the least pairs that can win, and not less than what the control asks to be there before it
 * begins. */
static double final_rounds(const sy_weighing *w)
{
    double least = sy_sign_least_cap(w->options->alpha);
    double most = w->options->max_pairs;
    if (w->options->rule == SY_RULE_MEDIANS) /* it has no control, and what ends it earlier is the budget */
        return fmin(2 * least, most);
    double more = w->options->processes > 1 ? w->options->processes - 1.0 : 0; /* each with a control of its own */
    return fmax(CONTROL_SLOTS / 2.0 + fmin(2 * least, most), 1.5 * (CONTROL_SLOTS / 2.0 + least)) +
           more * (CONTROL_SLOTS / 2.0 + least);
}

static double stages_of(const sy_case *c)
{
    return (c->exact_stage ? 2 : 0) + 1 + (c->own_inputs ? 1 : 0);
}

static double bytes_of(const sy_weighing *w, uint32_t k)
{
    return (double)(w->contenders[0].case_bytes[k] - w->contenders[0].case_scratch_bytes[k]);
}

/* Operations of the oracle in one stage. */
static double computed_of(const sy_weighing *w, uint32_t k, bool sampled)
{
    const sy_weighed_case *wc = &w->cases[k];
    uint64_t elements = 0;
    for (uint32_t o = 0; o < wc->shape.output_count; o++) {
        uint64_t count = 0;
        if (sy_tensor_desc_check(&wc->shape.outputs[o], &count, NULL, NULL) == SY_OK)
            elements += count;
    }
    if (!w->suite->oracle || elements == 0)
        return 0;
    double asked = (double)sy_oracle_count(wc->c, elements);
    return wc->c->flop_count * (sampled ? fmin(asked, SY_ORACLE_SAMPLE) : asked) / (double)elements;
}

/* What parity does beside the runs, ns: inputs are filled, summed, digested and read back, outputs compared, and the
 * oracle computes all of them or a sample. */
static double effort_of(const sy_weighing *w, uint32_t k)
{
    double holders = 2 + sy_weighing_candidates(w); /* the probe itself is one */
    return stages_of(w->cases[k].c) * (BYTE_NS * bytes_of(w, k) * holders + ORACLE_NS * computed_of(w, k, false));
}

static double runs_of_parity(const sy_weighing *w, uint32_t k)
{
    const sy_case *c = w->cases[k].c;
    double runs = (c->exact_stage ? PARITY_RUNS : PARITY_RUNS - 2) + (c->own_inputs ? OWN_RUNS : 0);
    double sum = run_of(w, &w->contenders[0], k); /* another seed's output */
    for (uint32_t i = 0; i < w->contender_count; i++)
        sum += w->contenders[i].live ? runs * run_of(w, &w->contenders[i], k) : 0;
    return sum;
}

/* Effort here against what it is taken for; 1 before anything was seen. */
static double effort_scale(const sy_weighing *w)
{
    double took = 0;
    double expected = 0;
    for (uint32_t k = 0; k < w->case_count; k++) {
        if (!w->cases[k].verified)
            continue;
        took += fmax(w->cases[k].parity_wall_ns - runs_of_parity(w, k), 0);
        expected += effort_of(w, k);
    }
    return expected > 0 ? took / expected : 1;
}

/* Parity again, on the last timed outputs: the oracle computes a sample at most. */
static double check_of(const sy_weighing *w, uint32_t k)
{
    return effort_scale(w) * (BYTE_NS * bytes_of(w, k) * 3 + ORACLE_NS * computed_of(w, k, true));
}

/* Cold buffers are made before the warm-up, and again in each further process. */
static double copies_of(const sy_weighing *w, uint32_t k)
{
    double reference = (double)w->contenders[0].case_copies_bytes[k];
    double least = INFINITY;
    double all = reference;
    for (uint32_t i = 1; i < w->contender_count; i++) {
        if (!w->contenders[i].live)
            continue;
        all += (double)w->contenders[i].case_copies_bytes[k];
        least = fmin(least, (double)w->contenders[i].case_copies_bytes[k]);
    }
    double more = isfinite(least) ? (w->options->processes - 1.0) * (reference + least) : 0;
    return COPY_NS * fmax(effort_scale(w), 1) * ((w->warm ? 0 : all) + more);
}

/* Everything behind parity, ns. */
static double rest_of(const sy_weighing *w, uint32_t k)
{
    double slots[CONTENDERS_MOST];
    uint32_t count = 0;
    const sy_contender *reference = &w->contenders[0];
    double warm_runs = w->warm ? 0 : w->options->warmup >= 0 ? w->options->warmup : WARM_UP_RUNS;
    double reference_slot = slot_of(w, reference, k);
    double sum = copies_of(w, k) + check_of(w, k) + warm_runs * run_of(w, reference, k) +
                 (NOISE_SLOTS + (w->warm ? 0 : BATCH_SLOTS)) * reference_slot;
    for (uint32_t i = 1; i < w->contender_count && count < CONTENDERS_MOST; i++) {
        if (!w->contenders[i].live)
            continue;
        sum += warm_runs * run_of(w, &w->contenders[i], k);
        slots[count++] = slot_of(w, &w->contenders[i], k);
    }
    if (count == 0 || sy_order_sort(slots, count, NULL) != SY_OK)
        return sum;
    return sum + halving_of(reference_slot, slots, count) + final_rounds(w) * (reference_slot + slots[0]);
}

static double parity_of(const sy_weighing *w, uint32_t k)
{
    const sy_weighed_case *wc = &w->cases[k];
    if (wc->verified)
        return wc->parity_wall_ns;
    return fmax(runs_of_parity(w, k) + effort_scale(w) * effort_of(w, k), wc->parity_wall_ns);
}

double sy_coverage_predict(const sy_weighing *w, uint32_t k)
{
    return parity_of(w, k) + rest_of(w, k);
}

bool sy_coverage_next(const sy_weighing *w, uint32_t *ret_k)
{
    double least = INFINITY;
    for (uint32_t k = 0; k < w->case_count; k++) {
        double work = effort_of(w, k) + WORK_NS * w->cases[k].c->flop_count;
        if (!w->cases[k].verified && work < least) {
            least = work;
            *ret_k = k;
        }
    }
    return isfinite(least);
}

/* ---- what fits ---- */

/* Wall time left when every covered case behind its parity has what it needs, ns. */
static double left(const sy_weighing *w)
{
    double taken = (double)sy_weighing_wall(w);
    for (uint32_t k = 0; k < w->case_count; k++)
        taken += w->cases[k].verified ? rest_of(w, k) : 0;
    return (double)w->options->wall_limit_ns - taken;
}

/* The same for case k: dearer cases would be left out before it. */
static double left_for(const sy_weighing *w, uint32_t k)
{
    double own = rest_of(w, k);
    double taken = (double)sy_weighing_wall(w) - w->cases[k].parity_wall_ns;
    for (uint32_t other = 0; other < w->case_count; other++) {
        double needs = w->cases[other].verified ? rest_of(w, other) : 0;
        taken += needs <= own ? needs : 0;
    }
    return fmax((double)w->options->wall_limit_ns - taken, 0);
}

bool sy_coverage_admits(sy_weighing *w, uint32_t k)
{
    double runs = runs_of_parity(w, k) + rest_of(w, k);
    double effort = parity_of(w, k) - runs_of_parity(w, k);
    if (!w->covers || runs / FAVOUR_UNSEEN + effort <= left_for(w, k))
        return true;
    sy_coverage_leave_out(w, k, "wall-limit", runs + effort);
    return false;
}

/* The candidate's weighted time over the reference's, on the cases on which both have run; 0 = none yet. */
static double slowness(const sy_weighing *w, const sy_contender *contender)
{
    double own = 0;
    double reference = 0;
    for (uint32_t k = 0; k < w->case_count; k++) {
        if (!(contender->checked_ns[k] > 0) || !(w->contenders[0].checked_ns[k] > 0))
            continue;
        own += w->weights[k] * contender->checked_ns[k];
        reference += w->weights[k] * w->contenders[0].checked_ns[k];
    }
    return reference > 0 ? own / reference : 0;
}

/* Takes out a candidate that the other candidates need not wait for. */
static void drop_crawling(sy_weighing *w, sy_contender *contender)
{
    double times = slowness(w, contender);
    contender->gain = 1 - times;
    sy_weighing_drop(
        w, contender, SY_DECISION_INCONCLUSIVE, "slower",
        "its first runs took %.3g times as long as the reference's: too slow to be weighed within the wall "
        "limit",
        times);
}

static bool crawls(const sy_weighing *w, const sy_contender *contender)
{
    return contender != &w->contenders[0] && contender->live && sy_weighing_candidates(w) > 1 &&
           slowness(w, contender) > CRAWL;
}

bool sy_coverage_still_admits(sy_weighing *w, uint32_t k, sy_contender *contender)
{
    bool fits = sy_coverage_predict(w, k) <= FAVOUR_COLD * left_for(w, k);
    if (!w->covers || fits || !crawls(w, contender))
        return !w->covers || fits;
    contender->live = false; /* for the moment: does the case fit without it? */
    fits = sy_coverage_predict(w, k) <= FAVOUR_COLD * left_for(w, k);
    contender->live = true;
    if (fits)
        drop_crawling(w, contender);
    return fits;
}

double sy_coverage_patience(const sy_weighing *w)
{
    /* A case takes more than a hundred runs; an eighth of the time for one of them is far beyond what can fit. */
    return w->covers ? fmax(left(w) / 8 * 1e-9, LEAST_PATIENCE_S) : INFINITY;
}

/* "conv-large needs about 310 s" and so on, of those that are left out for time. */
static void list_left_out(const sy_weighing *w, sy_text *to)
{
    const char *separator = "";
    for (uint32_t k = w->case_count; k < w->case_count + w->left_out_count; k++) {
        const sy_weighed_case *wc = &w->cases[k];
        if (isnan(wc->predicted_wall_ns))
            sy_text_append_format(to, "%s%s: %s", separator, wc->c->name, wc->left_out);
        else
            sy_text_append_format(to, "%s%s needs about %.3g s", separator, wc->c->name, wc->predicted_wall_ns * 1e-9);
        separator = ", ";
    }
}

double sy_coverage_wall_limit(const sy_weighing *w, bool cheapest)
{
    double sum = 0;
    double least = INFINITY;
    for (uint32_t k = w->case_count; k < w->case_count + w->left_out_count; k++) {
        double predicted = w->cases[k].predicted_wall_ns;
        if (isnan(predicted))
            continue;
        sum += predicted;
        least = fmin(least, predicted);
    }
    return 1.2e-9 * (cheapest ? least : sum); /* a fifth for what is not predicted */
}

void sy_coverage_end_if_empty(sy_weighing *w)
{
    sy_text list = SY_TEXT_INIT;
    if (w->ended || w->case_count > 0)
        return;
    list_left_out(w, &list);
    sy_weighing_end(w, SY_DECISION_INCONCLUSIVE, "wall-limit", "no case fits the wall limit of %.3g s: %s",
                    (double)w->options->wall_limit_ns * 1e-9, sy_text_bytes(&list));
    sy_text_finish(&list);
}

/* The covered case that needs most from here on; the later one among equals. */
static uint32_t dearest(const sy_weighing *w)
{
    uint32_t worst = 0;
    for (uint32_t k = 1; k < w->case_count; k++) {
        if (rest_of(w, k) >= rest_of(w, worst))
            worst = k;
    }
    return worst;
}

/* The candidate that crawls most; NULL = none does. */
static sy_contender *most_crawling(const sy_weighing *w)
{
    sy_contender *worst = NULL;
    for (uint32_t i = 1; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        if (crawls(w, contender) && (!worst || slowness(w, contender) > slowness(w, worst)))
            worst = contender;
    }
    return worst;
}

void sy_coverage_settle(sy_weighing *w)
{
    if (!w->covers || w->ended)
        return;
    while (w->case_count > 0 && left(w) < 0) {
        uint32_t k = dearest(w);
        sy_contender *crawling = most_crawling(w);
        if (crawling)
            drop_crawling(w, crawling);
        else
            sy_coverage_leave_out(w, k, "wall-limit", sy_coverage_predict(w, k));
    }
    sy_coverage_end_if_empty(w);
    w->check_wall_ns = 0;
    for (uint32_t k = 0; k < w->case_count; k++) {
        w->cases[k].predicted_wall_ns = sy_coverage_predict(w, k);
        w->check_wall_ns += check_of(w, k);
    }
}
