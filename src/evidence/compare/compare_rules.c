/* SPDX-License-Identifier: Apache-2.0 */
/* By what a run is judged: options first, then its gate. */
#include <math.h>

#include "base/error.h"
#include "evidence/compare/compare_inside.h"
#include "evidence/compare/session_rules.h"

static sy_status check(const sy_session_rules *rules, sy_error *err)
{
    if (!(rules->alpha > 0 && rules->alpha <= 0.5)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "alpha %g is not in (0, .5]", rules->alpha);
    }
    if (!isnan(rules->delta) && !(rules->delta >= 0 && isfinite(rules->delta))) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the smallest effect %g is no ratio of 0 or more", rules->delta);
    }
    return SY_OK;
}

sy_status sy_compare_read_rules(sy_comparing *c, sy_error *err)
{
    const char *gate = c->run->row.gate;
    const sy_gate *known = NULL;
    if (gate[0] != '\0' && c->registry->gates != NULL) {
        known = sy_gates_find(c->registry->gates, gate);
    }
    sy_status status = sy_session_rules_read(c->registry, known, c->arena, &c->rules, err);
    if (status != SY_OK) {
        return status;
    }
    if (known == NULL) {
        sy_compare_add(c, &c->remarks,
                       gate[0] == '\0' ? "it has no gate: what is confirmed is reported, and blocks nothing"
                                       : sy_arena_format(c->arena,
                                                         "its gate '%s' is not in the registry any more: what "
                                                         "is confirmed is reported, and blocks nothing",
                                                         gate));
    }
    c->rules.alpha = isnan(c->options->alpha) ? c->rules.alpha : c->options->alpha;
    c->rules.delta = isnan(c->options->delta) ? c->rules.delta : c->options->delta;
    return check(&c->rules, err);
}
