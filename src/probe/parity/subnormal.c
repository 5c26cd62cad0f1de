/* SPDX-License-Identifier: Apache-2.0 */
/* What the times may tell of beside the operation: data so small that processors treat it apart, and floating-point
 * environments that an implementation sets for itself. Counted outside of all timing. */
#include <math.h>

#include "base/float_environment.h"
#include "operations/half.h"
#include "probe/weighing.h"

#define CHUNK 256
#define WORTH_A_NOTE 0.0001 /* of a tensor's elements */

uint64_t sy_subnormal_count(const sy_tensor_desc *desc, const void *bytes, uint64_t element_count)
{
    double values[CHUNK];
    double least = sy_dtype_smallest_normal(desc->dtype);
    uint64_t found = 0;
    if (sy_dtype_is_integer(desc->dtype))
        return 0;
    for (uint64_t at = 0; at < element_count; at += CHUNK) {
        uint64_t count = element_count - at < CHUNK ? element_count - at : CHUNK;
        sy_elements_to_double(desc->dtype, bytes, at, count, values);
        for (uint64_t i = 0; i < count; i++)
            found += values[i] != 0 && fabs(values[i]) < least;
    }
    return found;
}

static void note_share(sy_weighing *w, const sy_weighed_case *wc, const sy_tensor_desc *desc, const void *bytes,
                       const char *what, uint32_t index)
{
    uint64_t elements = 0;
    if (sy_tensor_desc_check(desc, &elements, NULL, NULL) != SY_OK || elements == 0)
        return;
    double share = (double)sy_subnormal_count(desc, bytes, elements) / (double)elements;
    if (share >= WORTH_A_NOTE)
        sy_weighing_note(w,
                         "subnormal: %.2g %% of %s %u of case %s: times may tell of denormal handling, not of the "
                         "operation",
                         100 * share, what, index, wc->c->name);
}

void sy_weighing_note_subnormal_inputs(sy_weighing *w, const sy_weighed_case *wc, void *const inputs[])
{
    for (uint32_t i = 0; i < wc->shape.input_count; i++)
        note_share(w, wc, &wc->shape.inputs[i], inputs[i], "input", i);
}

void sy_weighing_note_subnormal_output(sy_weighing *w, const sy_weighed_case *wc, uint32_t index, const void *bytes)
{
    note_share(w, wc, &wc->shape.outputs[index], bytes, "output", index);
}

void sy_weighing_note_environments(sy_weighing *w)
{
    for (uint32_t i = 0; i < w->contender_count; i++) {
        char words[SY_FLOAT_WORDS_SIZE];
        const sy_contender *contender = &w->contenders[i];
        uint32_t called = contender->float_changed & ~contender->float_loaded;
        if (contender->float_loaded) {
            sy_float_environment_words(contender->float_loaded, words, sizeof(words));
            sy_weighing_note(w,
                             "%s changed the floating-point environment (%s) when it was loaded; only its own runs "
                             "have it",
                             contender->name, words);
        }
        if (called) {
            sy_float_environment_words(called, words, sizeof(words));
            sy_weighing_note(w,
                             "%s changed the floating-point environment (%s) when it was called; only its own runs "
                             "have it",
                             contender->name, words);
        }
    }
}
