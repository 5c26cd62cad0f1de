/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of the events of a run but its begin and its series: a table a kind, and what a table cannot say. */
#include "record/run_events.h"

#include <stddef.h>

#include "base/error.h"
#include "record/event_members.h"

#define STATUS_BIT(name) (1U << SY_RUN_##name)

/* The members of a struct, by their names there. */
#define AT(type, member) .offset = offsetof(type, member)
#define LIST_AT(type, member, count) .offset = offsetof(type, member), .count_offset = offsetof(type, count)
#define TABLE(name, type)                                                                                          \
    static const sy_member_table name##_table = {name##_members, sizeof name##_members / sizeof name##_members[0], \
                                                 sizeof(type)}

static const sy_member lease_members[] = {
    {.name = "device", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_lease, device)},
    {.name = "fence", .kind = SY_MEMBER_U64, AT(sy_run_lease, fence)},
    {.name = "host", .kind = SY_MEMBER_NAME, AT(sy_run_lease, host)},
    {.name = "boot", .kind = SY_MEMBER_NAME, AT(sy_run_lease, boot)},
    {.name = "process", .kind = SY_MEMBER_I64, AT(sy_run_lease, process)},
    {.name = "until_utc_s", .kind = SY_MEMBER_I64, AT(sy_run_lease, until_utc_s)},
};
TABLE(lease, sy_run_lease);

static const sy_member check_members[] = {
    {.name = "name", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_check, name)},
    {.name = "passed", .kind = SY_MEMBER_FLAG, AT(sy_run_check, passed)},
    {.name = "required", .kind = SY_MEMBER_BOOL, AT(sy_run_check, required)},
    {.name = "found", .kind = SY_MEMBER_TEXT, AT(sy_run_check, found)},
    {.name = "expected", .kind = SY_MEMBER_TEXT, AT(sy_run_check, expected)},
};
TABLE(check, sy_run_check);

static const sy_member command_members[] = {
    {.name = "phase", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_command, phase)},
    {.name = "argv", .kind = SY_MEMBER_TEXTS, .required = true, LIST_AT(sy_run_command, argv, argc)},
    {.name = "environment", .kind = SY_MEMBER_NAMED_TEXTS, LIST_AT(sy_run_command, environment, environment_count)},
    {.name = "exit_code", .kind = SY_MEMBER_INT, .required = true, AT(sy_run_command, exit_code)},
    {.name = "signal", .kind = SY_MEMBER_INT, AT(sy_run_command, signal)},
    {.name = "wall_ns", .kind = SY_MEMBER_U64, AT(sy_run_command, wall_ns)},
    {.name = "user_ns", .kind = SY_MEMBER_U64, AT(sy_run_command, user_ns)},
    {.name = "system_ns", .kind = SY_MEMBER_U64, AT(sy_run_command, system_ns)},
    {.name = "peak_memory_bytes", .kind = SY_MEMBER_U64, AT(sy_run_command, peak_memory_bytes)},
    {.name = "fence", .kind = SY_MEMBER_U64, AT(sy_run_command, fence)},
    {.name = "lease_held", .kind = SY_MEMBER_BOOL, AT(sy_run_command, lease_held)},
    {.name = "line_count", .kind = SY_MEMBER_U64, AT(sy_run_command, line_count)},
    {.name = "rejected_count", .kind = SY_MEMBER_U64, AT(sy_run_command, rejected_count)},
};
TABLE(command, sy_run_command);

static const sy_member parity_members[] = {
    {.name = "outcome", .kind = SY_MEMBER_WORD, .words = &sy_run_parity_words, AT(sy_run_parity_event, outcome)},
    {.name = "case", .kind = SY_MEMBER_TEXT, AT(sy_run_parity_event, case_name)},
    {.name = "implementation", .kind = SY_MEMBER_TEXT, AT(sy_run_parity_event, implementation)},
    {.name = "reason", .kind = SY_MEMBER_TEXT, AT(sy_run_parity_event, reason)},
    {.name = "error_in_tolerances", .kind = SY_MEMBER_DOUBLE, AT(sy_run_parity_event, error_in_tolerances)},
};
TABLE(parity, sy_run_parity_event);

static const sy_member memory_members[] = {
    {.name = "name", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_memory, name)},
    {.name = "bytes", .kind = SY_MEMBER_U64, .required = true, AT(sy_run_memory, bytes)},
    {.name = "basis", .kind = SY_MEMBER_WORD, .words = &sy_memory_basis_words, AT(sy_run_memory, basis)},
    {.name = "scope", .kind = SY_MEMBER_WORD, .words = &sy_memory_scope_words, AT(sy_run_memory, scope)},
    {.name = "how", .kind = SY_MEMBER_TEXT, AT(sy_run_memory, how)},
    {.name = "swap_bytes", .kind = SY_MEMBER_DOUBLE, AT(sy_run_memory, swap_bytes)},
    {.name = "pressure_share", .kind = SY_MEMBER_DOUBLE, AT(sy_run_memory, pressure_share)},
    {.name = "counted", .kind = SY_MEMBER_TRUE, AT(sy_run_memory, counted)},
};
TABLE(memory, sy_run_memory);

static const sy_member artifact_members[] = {
    {.name = "role", .kind = SY_MEMBER_WORD, .words = &sy_artifact_role_words, AT(sy_run_artifact, role)},
    {.name = "name", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_artifact, name)},
    {.name = "digest", .kind = SY_MEMBER_DIGEST, .required = true, AT(sy_run_artifact, digest)},
    {.name = "size", .kind = SY_MEMBER_U64, .required = true, AT(sy_run_artifact, size)},
};
TABLE(artifact, sy_run_artifact);

static const sy_member digest_members[] = {
    {.name = "role", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_digest, role)},
    {.name = "digest", .kind = SY_MEMBER_DIGEST, .required = true, AT(sy_run_digest, digest)},
};
TABLE(digest, sy_run_digest);

typedef struct note_body {
    const char *note;
} note_body;

static const sy_member note_members[] = {
    {.name = "note", .kind = SY_MEMBER_TEXT, .required = true, AT(note_body, note)},
};
TABLE(note, note_body);

static const sy_member decision_members[] = {
    {.name = "decision", .kind = SY_MEMBER_WORD, .words = &sy_run_decision_words, AT(sy_run_decision, decision)},
    {.name = "reason", .kind = SY_MEMBER_TEXT, AT(sy_run_decision, reason)},
    {.name = "operation", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_decision, operation)},
    {.name = "reference", .kind = SY_MEMBER_NAME, AT(sy_run_decision, reference)},
    {.name = "winner", .kind = SY_MEMBER_NAME, AT(sy_run_decision, winner)},
    {.name = "gain", .kind = SY_MEMBER_DOUBLE, AT(sy_run_decision, gain)},
    {.name = "gain_low", .kind = SY_MEMBER_DOUBLE, AT(sy_run_decision, gain_low)},
    {.name = "gain_high", .kind = SY_MEMBER_DOUBLE, AT(sy_run_decision, gain_high)},
    {.name = "pairs", .kind = SY_MEMBER_U32, AT(sy_run_decision, pairs)},
    {.name = "wins", .kind = SY_MEMBER_U32, AT(sy_run_decision, wins)},
    {.name = "alpha", .kind = SY_MEMBER_DOUBLE, AT(sy_run_decision, alpha)},
};
TABLE(decision, sy_run_decision);

static const sy_member profile_members[] = {
    {.name = "store", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_profile, store)},
    {.name = "key", .kind = SY_MEMBER_TEXT, AT(sy_run_profile, key)},
    {.name = "implementation", .kind = SY_MEMBER_NAME, AT(sy_run_profile, implementation)},
};
TABLE(profile, sy_run_profile);

static const sy_member end_members[] = {
    {.name = "status",
     .kind = SY_MEMBER_WORD,
     .words = &sy_run_status_words,
     .allowed = STATUS_BIT(OK) | STATUS_BIT(FAILED) | STATUS_BIT(REFUTED) | STATUS_BIT(SUPERSEDED),
     AT(sy_run_end, status)},
    {.name = "conclusion", .kind = SY_MEMBER_TEXT, AT(sy_run_end, conclusion)},
    {.name = "reason", .kind = SY_MEMBER_TEXT, AT(sy_run_end, reason)},
    {.name = "superseded_by", .kind = SY_MEMBER_RUN, AT(sy_run_end, superseded_by)},
};
TABLE(end, sy_run_end);

static const sy_member accept_members[] = {
    {.name = "by", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_accept, by)},
    {.name = "reason", .kind = SY_MEMBER_TEXT, AT(sy_run_accept, reason)},
    {.name = "new_baseline", .kind = SY_MEMBER_TRUE, AT(sy_run_accept, new_baseline)},
};
TABLE(accept, sy_run_accept);

static const sy_member_table *const tables[] = {
    [SY_EVENT_BEGIN] = &sy_run_begin_table,
    [SY_EVENT_LEASE] = &lease_table,
    [SY_EVENT_CHECK] = &check_table,
    [SY_EVENT_COMMAND] = &command_table,
    [SY_EVENT_SERIES] = &sy_run_series_table,
    [SY_EVENT_PARITY] = &parity_table,
    [SY_EVENT_MEMORY] = &memory_table,
    [SY_EVENT_ARTIFACT] = &artifact_table,
    [SY_EVENT_DIGEST] = &digest_table,
    [SY_EVENT_DECISION] = &decision_table,
    [SY_EVENT_PROFILE] = &profile_table,
    [SY_EVENT_END] = &end_table,
    [SY_EVENT_ACCEPT] = &accept_table,
    [SY_EVENT_VERDICT] = &sy_run_verdict_table,
    [SY_EVENT_CHANGE] = &sy_run_change_table,
    [SY_EVENT_SIGNOFF] = &sy_run_signoff_table,
    [SY_EVENT_PROMOTE] = &sy_run_promotion_table,
    [SY_EVENT_SELFTEST] = &sy_gate_selftest_table,
};

sy_status sy_event_put(sy_json_writer *writer, sy_event_kind kind, const void *event, sy_error *err)
{
    const sy_member_table *table = (size_t)kind < sizeof tables / sizeof tables[0] ? tables[kind] : NULL;
    if (kind == SY_EVENT_NOTE) {
        const note_body note = {event};
        return sy_members_put(writer, &note_table, &note, err);
    }
    if (table == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "an event of kind %s has no struct", sy_event_kind_word(kind));
    }
    return sy_members_put(writer, table, event, err);
}

/* ---- those of which the table says all ---- */

#define EVENT_WRITE(function, type, name)                              \
    sy_status function(const type *name, sy_text *body, sy_error *err) \
    {                                                                  \
        return sy_members_write(&name##_table, name, body, err);       \
    }
#define EVENT_READ(function, type, name)                                                                  \
    sy_status function(const sy_json *json, const sy_json_value *body, sy_arena *arena, type *ret_##name, \
                       sy_error *err)                                                                     \
    {                                                                                                     \
        return sy_members_read(&name##_table, json, body, arena, ret_##name, err);                        \
    }

EVENT_WRITE(sy_run_lease_write, sy_run_lease, lease)
EVENT_READ(sy_run_lease_read, sy_run_lease, lease)
EVENT_WRITE(sy_run_check_write, sy_run_check, check)
EVENT_READ(sy_run_check_read, sy_run_check, check)
EVENT_WRITE(sy_run_command_write, sy_run_command, command)
EVENT_READ(sy_run_command_read, sy_run_command, command)
EVENT_WRITE(sy_run_parity_write, sy_run_parity_event, parity)
EVENT_READ(sy_run_parity_read_body, sy_run_parity_event, parity)
EVENT_WRITE(sy_run_memory_write, sy_run_memory, memory)
EVENT_READ(sy_run_memory_read, sy_run_memory, memory)
EVENT_WRITE(sy_run_artifact_write, sy_run_artifact, artifact)
EVENT_READ(sy_run_artifact_read, sy_run_artifact, artifact)
EVENT_WRITE(sy_run_digest_write, sy_run_digest, digest)
EVENT_READ(sy_run_digest_read, sy_run_digest, digest)
EVENT_WRITE(sy_run_decision_write, sy_run_decision, decision)
EVENT_READ(sy_run_decision_read, sy_run_decision, decision)
EVENT_WRITE(sy_run_profile_write, sy_run_profile, profile)
EVENT_READ(sy_run_profile_read, sy_run_profile, profile)
EVENT_WRITE(sy_run_accept_write, sy_run_accept, accept)
EVENT_READ(sy_run_accept_read, sy_run_accept, accept)

/* ---- the others ---- */

sy_status sy_run_note_write(const char *note, sy_text *body, sy_error *err)
{
    const note_body from = {note};
    return sy_members_write(&note_table, &from, body, err);
}

sy_status sy_run_note_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, const char **ret_note,
                           sy_error *err)
{
    note_body to;
    sy_status status = sy_members_read(&note_table, json, body, arena, &to, err);
    if (status == SY_OK) {
        *ret_note = to.note;
    }
    return status;
}

/* What was refuted is worth nothing without what was learnt from it. */
static bool lacks_conclusion(const sy_run_end *end)
{
    return end->status == SY_RUN_REFUTED && (end->conclusion == NULL || end->conclusion[0] == '\0');
}

sy_status sy_run_end_write(const sy_run_end *end, sy_text *body, sy_error *err)
{
    if (lacks_conclusion(end)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "conclusion: a refuted run must have one");
    }
    return sy_members_write(&end_table, end, body, err);
}

sy_status sy_run_end_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_end *ret_end,
                          sy_error *err)
{
    sy_run_end end;
    sy_status status = sy_members_read(&end_table, json, body, arena, &end, err);
    if (status == SY_OK && lacks_conclusion(&end)) {
        status = sy_json_fail(json, body, err, "a refuted run must have a conclusion");
    }
    if (status == SY_OK) {
        *ret_end = end;
    }
    return status;
}
