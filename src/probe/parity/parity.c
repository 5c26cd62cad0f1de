/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of stage 2, 3 and 4, and the test of the test (stage 8). A verdict is always written !(error <=
 * allowed), so that NaN fails; sums are kept in double. */
#include "probe/parity/parity.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "operations/half.h"

#define CHUNK 1024
#define OUTSIDE_OF_TOLERANCE "outside of the tolerance"
#define OUTSIDE_OF_RMS "the rms error is outside of its tolerance"

/* Running figures of one comparison. */
typedef struct tally {
    sy_parity figures;
    double squared_errors;
    double squared_right;
    double squared_rms;
    uint64_t rms_count;
    uint64_t unwritten;
    uint64_t nonfinite_found;
    uint64_t nonfinite_right;
    double largest_ratio;
} tally;

static int64_t signed_at(sy_dtype dtype, const void *bytes, uint64_t i)
{
    switch (dtype) {
    case SY_I8:
        return ((const int8_t *)bytes)[i];
    case SY_I16:
        return ((const int16_t *)bytes)[i];
    case SY_I32:
        return ((const int32_t *)bytes)[i];
    default:
        return ((const int64_t *)bytes)[i];
    }
}

static uint64_t unsigned_at(sy_dtype dtype, const void *bytes, uint64_t i)
{
    switch (dtype) {
    case SY_U8:
        return ((const uint8_t *)bytes)[i];
    case SY_U16:
        return ((const uint16_t *)bytes)[i];
    case SY_U32:
        return ((const uint32_t *)bytes)[i];
    default:
        return ((const uint64_t *)bytes)[i];
    }
}

double sy_element_difference(sy_dtype dtype, const void *a, const void *b, uint64_t index)
{
    double x;
    double y;
    switch (dtype) {
    case SY_I8:
    case SY_I16:
    case SY_I32:
    case SY_I64: {
        int64_t s = signed_at(dtype, a, index);
        int64_t t = signed_at(dtype, b, index);
        return (double)(s > t ? (uint64_t)s - (uint64_t)t : (uint64_t)t - (uint64_t)s);
    }
    case SY_U8:
    case SY_U16:
    case SY_U32:
    case SY_U64: {
        uint64_t s = unsigned_at(dtype, a, index);
        uint64_t t = unsigned_at(dtype, b, index);
        return (double)(s > t ? s - t : t - s);
    }
    default:
        sy_elements_to_double(dtype, a, index, 1, &x);
        sy_elements_to_double(dtype, b, index, 1, &y);
        return fabs(x - y);
    }
}

static bool is_poison(const void *bytes, size_t element_size, uint64_t index, uint8_t poison)
{
    const uint8_t *at = (const uint8_t *)bytes + index * element_size;
    for (size_t i = 0; i < element_size; i++) {
        if (at[i] != poison)
            return false;
    }
    return true;
}

/* Same kind and, for infinities, same sign. */
static bool same_nonfinite(double a, double b)
{
    return (isnan(a) && isnan(b)) || (isinf(a) && isinf(b) && (a > 0) == (b > 0));
}

static void note_worst(tally *t, uint64_t index, double ratio, double right, double found)
{
    if (!(ratio <= t->largest_ratio)) {
        t->largest_ratio = isnan(ratio) ? INFINITY : ratio;
        t->figures.worst_index = index;
        t->figures.worst_expected = right;
        t->figures.worst_found = found;
    }
}

/* One element against the value that is right there. */
static void judge(tally *t, const sy_parity_model *model, uint64_t index, double right, double found, double error,
                  double allowed)
{
    if (!isfinite(found) || !isfinite(right)) {
        t->nonfinite_found += !isfinite(found);
        t->nonfinite_right += !isfinite(right);
        bool agrees = model->allows_nonfinite && same_nonfinite(right, found);
        if (!agrees) {
            t->figures.wrong_count++;
            note_worst(t, index, INFINITY, right, found);
        }
        return;
    }
    double ratio = error == 0 ? 0 : error / allowed; /* allowed 0: infinite */
    if (!(error <= allowed))
        t->figures.wrong_count++;
    note_worst(t, index, ratio, right, found);
    t->figures.max_abs = fmax(t->figures.max_abs, error);
    if (right != 0)
        t->figures.max_rel = fmax(t->figures.max_rel, error / fabs(right));
    t->squared_errors += error * error;
    t->squared_right += right * right;
}

static double roundoff_of_output(const sy_parity_model *model, sy_dtype output)
{
    return output == model->tolerance.accumulator ? 0 : sy_dtype_roundoff(output);
}

static bool has_own_tolerance(const sy_parity_model *model)
{
    return !isnan(model->tolerance.absolute) || !isnan(model->tolerance.relative);
}

static double own_allowance(const sy_parity_model *model, double right)
{
    double absolute = isnan(model->tolerance.absolute) ? 0 : model->tolerance.absolute;
    double relative = isnan(model->tolerance.relative) ? 0 : model->tolerance.relative;
    return absolute + relative * fabs(right);
}

static double allowance(const sy_parity_model *model, sy_dtype output, double scale, double right)
{
    if (model->exact)
        return 0;
    if (has_own_tolerance(model))
        return own_allowance(model, right);
    if (sy_dtype_is_integer(output))
        return 0;
    return model->tolerance.c * sy_dtype_roundoff(model->tolerance.accumulator) * scale +
           roundoff_of_output(model, output) * fabs(right) + sy_dtype_smallest_normal(output);
}

static void compare_with_oracle(tally *t, const sy_parity_model *model, const sy_expectation *e, const void *found)
{
    double u_acc = sy_dtype_roundoff(model->tolerance.accumulator);
    double u_out = roundoff_of_output(model, e->desc->dtype);
    for (uint64_t i = 0; i < e->oracle_count; i++) {
        uint64_t index = e->indices ? e->indices[i] : i;
        double right = e->values[i];
        double x;
        sy_elements_to_double(e->desc->dtype, found, index, 1, &x);
        double error = fabs(x - right);
        judge(t, model, index, right, x, error, allowance(model, e->desc->dtype, e->scales[i], right));
        if (isfinite(error) && e->scales[i] > 0) {
            double excess = fmax(0, error - u_out * fabs(right)) / (u_acc * e->scales[i]);
            t->squared_rms += excess * excess;
            t->rms_count++;
        }
    }
}

/* What two correct outputs may differ by where the oracle did not look. */
static double scale_for_reference(const sy_expectation *e)
{
    double largest = 0;
    if (e->oracle_count > 0) {
        for (uint64_t i = 0; i < e->oracle_count; i++)
            largest = fmax(largest, e->scales[i]);
        return 2 * largest;
    }
    for (uint64_t i = 0; i < e->element_count; i++) {
        double x;
        sy_elements_to_double(e->desc->dtype, e->reference, i, 1, &x);
        if (isfinite(x))
            largest = fmax(largest, fabs(x));
    }
    return largest;
}

static void compare_with_reference(tally *t, const sy_parity_model *model, const sy_expectation *e, const void *found)
{
    double scale = scale_for_reference(e);
    sy_parity_model both = *model;
    both.tolerance.c = fmax(model->tolerance.c, model->reference_c);
    double right[CHUNK];
    double x[CHUNK];
    for (uint64_t at = 0; at < e->element_count; at += CHUNK) {
        uint64_t count = e->element_count - at < CHUNK ? e->element_count - at : CHUNK;
        sy_elements_to_double(e->desc->dtype, e->reference, at, count, right);
        sy_elements_to_double(e->desc->dtype, found, at, count, x);
        for (uint64_t i = 0; i < count; i++)
            judge(t, &both, at + i, right[i], x[i], sy_element_difference(e->desc->dtype, e->reference, found, at + i),
                  allowance(&both, e->desc->dtype, scale, right[i]));
    }
}

/* Everywhere, whoever else looked: poison that was left, and what is not finite. */
static void scan_found(tally *t, const sy_parity_model *model, const sy_expectation *e, const void *found)
{
    size_t element_size = sy_dtype_size(e->desc->dtype);
    bool integer = sy_dtype_is_integer(e->desc->dtype);
    double x[CHUNK];
    uint64_t nonfinite = 0;
    for (uint64_t at = 0; at < e->element_count; at += CHUNK) {
        uint64_t count = e->element_count - at < CHUNK ? e->element_count - at : CHUNK;
        if (!integer)
            sy_elements_to_double(e->desc->dtype, found, at, count, x);
        for (uint64_t i = 0; i < count; i++) {
            bool strange = !integer && !isfinite(x[i]);
            if (strange && nonfinite++ == 0 && !model->allows_nonfinite)
                note_worst(t, at + i, INFINITY, NAN, x[i]);
            if ((strange || integer || model->poison != 0xff) && is_poison(found, element_size, at + i, model->poison))
                t->unwritten++;
        }
    }
    if (nonfinite > t->nonfinite_found)
        t->nonfinite_found = nonfinite;
}

static void say_numbers(sy_parity *figures, const char *what, bool subnormal)
{
    sy_text text = SY_TEXT_INIT;
    sy_text_append_format(&text, "%s: %llu of %llu elements, worst at %llu: %.9g, expected %.9g%s", what,
                          (unsigned long long)figures->wrong_count, (unsigned long long)figures->element_count,
                          (unsigned long long)figures->worst_index, figures->worst_found, figures->worst_expected,
                          subnormal ? " (subnormal)" : "");
    (void)sy_text_copy(figures->reason, sizeof(figures->reason), sy_text_bytes(&text));
    sy_text_finish(&text);
}

/* The reason of a failure, the most telling first. */
static void conclude(tally *t, const sy_parity_model *model, const sy_expectation *e)
{
    sy_parity *figures = &t->figures;
    bool nonfinite = t->nonfinite_found > 0 && !model->allows_nonfinite;
    bool rms_failed = !model->exact && !has_own_tolerance(model) && !(figures->rms_in_tolerances <= 1);
    figures->outcome = SY_PARITY_FAILED;
    if (t->unwritten > 0 && (t->unwritten == e->element_count || figures->wrong_count > 0 || nonfinite)) {
        sy_text text = SY_TEXT_INIT;
        sy_text_append_format(&text, "%llu of %llu elements were not written", (unsigned long long)t->unwritten,
                              (unsigned long long)e->element_count);
        (void)sy_text_copy(figures->reason, sizeof(figures->reason), sy_text_bytes(&text));
        sy_text_finish(&text);
    } else if (nonfinite || (t->nonfinite_right > 0 && figures->wrong_count > 0)) {
        (void)sy_text_copy(figures->reason, sizeof(figures->reason),
                           t->nonfinite_right == 0   ? (e->reference ? "nonfinite: candidate" : "nonfinite: reference")
                           : t->nonfinite_found == 0 ? "nonfinite: reference"
                                                     : "nonfinite: both");
    } else if (figures->wrong_count > 0) {
        double tiny = sy_dtype_smallest_normal(e->desc->dtype);
        double right = fabs(figures->worst_expected);
        say_numbers(figures, OUTSIDE_OF_TOLERANCE, right > 0 && right < tiny && figures->worst_found == 0);
    } else if (rms_failed) {
        (void)sy_text_copy(figures->reason, sizeof(figures->reason), OUTSIDE_OF_RMS);
    } else {
        figures->outcome = SY_PARITY_PASSED;
        figures->reason[0] = '\0';
    }
}

void sy_parity_compare(const sy_parity_model *model, const sy_expectation *e, const void *found, sy_parity *ret_parity)
{
    tally t = {.figures = {.element_count = e->element_count, .nmse = NAN, .rms_in_tolerances = NAN},
               .largest_ratio = -1};
    /* A double holds no whole number of 64 bits exactly: there the reference has a say beside the oracle. */
    bool wide = sy_dtype_is_integer(e->desc->dtype) && sy_dtype_size(e->desc->dtype) == 8;
    bool everywhere = e->oracle_count > 0 && !e->indices && !wide;
    if (e->oracle_count > 0)
        compare_with_oracle(&t, model, e, found);
    if (e->reference && !everywhere)
        compare_with_reference(&t, model, e, found);
    scan_found(&t, model, e, found);

    if (t.figures.wrong_count > e->element_count)
        t.figures.wrong_count = e->element_count; /* seen by the oracle and beside the reference */
    t.figures.against_oracle = e->oracle_count > 0;
    t.figures.error_in_tolerances = fmax(t.largest_ratio, 0);
    if (t.squared_right > 0)
        t.figures.nmse = t.squared_errors / t.squared_right;
    double rms = t.rms_count > 0 ? sqrt(t.squared_rms / (double)t.rms_count) : 0;
    t.figures.rms_in_tolerances = model->tolerance.c_rms > 0 ? rms / model->tolerance.c_rms : 0;
    conclude(&t, model, e);
    *ret_parity = t.figures;
}

bool sy_parity_failure_is_absolute(const sy_parity *parity)
{
    return parity->outcome == SY_PARITY_FAILED && !sy_text_begins(parity->reason, OUTSIDE_OF_TOLERANCE) &&
           !sy_text_begins(parity->reason, OUTSIDE_OF_RMS);
}

/* ---- the test of the test ---- */

static bool passes(const sy_parity_model *model, const sy_expectation *e, const sy_passing *passing, const void *output)
{
    sy_parity parity;
    if (passing)
        return passing->passes(passing->user, output);
    sy_parity_compare(model, e, output, &parity);
    return parity.outcome == SY_PARITY_PASSED;
}

static const char *tolerance_above_signal(const sy_parity_model *model, const sy_expectation *e, const void *right,
                                          bool allows_zeros)
{
    double squares = 0;
    double allowed = 0;
    uint64_t zeros = 0;
    double scale = e->oracle_count > 0 ? 0
                                       : scale_for_reference(&(sy_expectation){
                                             .element_count = e->element_count, .desc = e->desc, .reference = right});
    uint64_t count = e->oracle_count > 0 ? e->oracle_count : e->element_count;
    for (uint64_t i = 0; i < count; i++) {
        double r = 0;
        if (e->oracle_count > 0)
            r = e->values[i];
        else
            sy_elements_to_double(e->desc->dtype, right, i, 1, &r);
        if (!isfinite(r))
            continue;
        squares += r * r;
        zeros += r == 0;
        allowed += allowance(model, e->desc->dtype, e->oracle_count > 0 ? e->scales[i] : scale, r);
    }
    if (!allows_zeros && (double)zeros > 0.3 * (double)count)
        return "more than 30 % of the right values are 0";
    if (!(allowed / (double)count < sqrt(squares / (double)count)))
        return "the tolerance is not below the signal";
    return NULL;
}

const char *sy_parity_vacuous(const sy_parity_model *model, const sy_expectation *e, const void *right,
                              const void *const others[], size_t other_count, bool allows_zeros,
                              const sy_passing *passing)
{
    size_t element_size = sy_dtype_size(e->desc->dtype);
    size_t size = (size_t)e->element_count * element_size;
    const char *why = passing ? NULL : tolerance_above_signal(model, e, right, allows_zeros);
    if (why)
        return why;
    char *bytes = sy_allocate(1, size);
    if (!bytes)
        return "out of memory";
    if (passes(model, e, passing, bytes))
        why = "an output of zeros passes";
    memset(bytes, model->poison, size);
    if (!why && passes(model, e, passing, bytes))
        why = "an output that was never written passes";
    if (!why && e->element_count > 1) {
        memcpy(bytes, (const char *)right + element_size, size - element_size);
        memcpy(bytes + size - element_size, right, element_size);
        if (passes(model, e, passing, bytes))
            why = "an output moved by one element passes";
    }
    size_t passing_count = 0;
    while (!why && passing_count < other_count && passes(model, e, passing, others[passing_count]))
        passing_count++;
    if (!why && other_count > 0 && passing_count == other_count)
        why = "the output of other inputs passes";
    sy_free(bytes);
    return why;
}
