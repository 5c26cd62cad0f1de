/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of judgement from a gate and the matrix. */
#include "evidence/compare/session_rules.h"

#include <math.h>

#include "base/error.h"
#include "registry/matrix/matrix.h"

static double number_of(const sy_gate *gate, const char *name)
{
    const sy_json_value *value = gate != NULL ? sy_gate_field(gate, name) : NULL;
    return value != NULL && value->kind == SY_JSON_NUMBER && isfinite(value->number) ? value->number : NAN;
}

static bool read_primaries(const sy_gate *gate, sy_arena *arena, sy_session_rules *rules)
{
    const sy_json_value *names = gate != NULL ? sy_gate_field(gate, "primary_metrics") : NULL;
    if (names == NULL || names->kind != SY_JSON_ARRAY) {
        return true;
    }
    const char **primary = sy_arena_allocate(arena, names->count + 1, sizeof *primary);
    if (primary == NULL) {
        return false;
    }
    for (const sy_json_value *name = names->first; name != NULL; name = name->next) {
        if (name->kind == SY_JSON_TEXT && name->text[0] != '\0') {
            primary[rules->primary_count++] = name->text;
        }
    }
    rules->primary = primary;
    return true;
}

sy_status sy_session_rules_read(sy_registry *registry, const sy_gate *gate, sy_arena *arena,
                                sy_session_rules *ret_rules, sy_error *err)
{
    const struct sy_matrix_part *matrix = sy_registry_matrix_part(registry);
    sy_session_rules rules = SY_SESSION_RULES_INIT;
    double alpha = number_of(gate, "alpha");
    double delta = number_of(gate, "delta");
    double quantum = number_of(gate, "memory_quantum_bytes");
    rules.alpha = isnan(alpha) ? rules.alpha : alpha;
    rules.delta = delta;
    rules.memory_quantum_bytes = quantum >= 0 ? quantum : rules.memory_quantum_bytes;
    rules.only_reports = gate == NULL;
    if (matrix != NULL && matrix->minimum_accepted_sessions > SY_BASELINE_SESSIONS) {
        rules.hard_sessions = (size_t)matrix->minimum_accepted_sessions;
    }
    if (!read_primaries(gate, arena, &rules)) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the primary metrics of a gate");
    }
    *ret_rules = rules;
    return SY_OK;
}
