/* SPDX-License-Identifier: Apache-2.0 */
/* The body of the event that begins a run: all that is known before the work. And the end of a run in memory. */
#include <stddef.h>

#include "record/event_members.h"
#include "record/run_events.h"

#define AT(type, member) .offset = offsetof(type, member)
#define LIST_AT(type, member, count) .offset = offsetof(type, member), .count_offset = offsetof(type, count)

static const sy_member source_members[] = {
    {.name = "control", .kind = SY_MEMBER_NAME, AT(sy_run_source, control)},
    {.name = "revision", .kind = SY_MEMBER_NAME, AT(sy_run_source, revision)},
    {.name = "branch", .kind = SY_MEMBER_NAME, AT(sy_run_source, branch)},
    {.name = "shallow", .kind = SY_MEMBER_FLAG, AT(sy_run_source, shallow)},
    {.name = "dirty", .kind = SY_MEMBER_FLAG, AT(sy_run_source, dirty)},
    {.name = "ordinal", .kind = SY_MEMBER_ORDINAL, AT(sy_run_source, ordinal)},
    {.name = "untracked_count", .kind = SY_MEMBER_U64, AT(sy_run_source, untracked_count)},
    {.name = "dirty_submodules",
     .kind = SY_MEMBER_TEXTS,
     LIST_AT(sy_run_source, dirty_submodules, dirty_submodule_count)},
    {.name = "diff_digest", .kind = SY_MEMBER_DIGEST, AT(sy_run_source, diff_digest)},
};
static const sy_member_table source_table = {source_members, sizeof source_members / sizeof source_members[0],
                                             sizeof(sy_run_source)};

static const sy_member place_members[] = {
    {.name = "host", .kind = SY_MEMBER_NAME, AT(sy_run_place, host)},
    {.name = "backend", .kind = SY_MEMBER_NAME, AT(sy_run_place, backend)},
    {.name = "device", .kind = SY_MEMBER_NAME, AT(sy_run_place, device)},
    {.name = "description", .kind = SY_MEMBER_TEXT, AT(sy_run_place, description)},
    {.name = "hardware", .kind = SY_MEMBER_FLAG, AT(sy_run_place, hardware)},
    {.name = "synthetic", .kind = SY_MEMBER_BOOL, AT(sy_run_place, synthetic)},
    {.name = "identity", .kind = SY_MEMBER_IDENTITY, AT(sy_run_place, identity)},
};
static const sy_member_table place_table = {place_members, sizeof place_members / sizeof place_members[0],
                                            sizeof(sy_run_place)};

static const sy_member begin_members[] = {
    {.name = "id", .kind = SY_MEMBER_RUN, .required = true, AT(sy_run_begin, id)},
    {.name = "kind", .kind = SY_MEMBER_WORD, .words = &sy_run_kind_words, AT(sy_run_begin, kind)},
    {.name = "status",
     .kind = SY_MEMBER_WORD,
     .words = &sy_run_status_words,
     .allowed = 1U << SY_RUN_PLANNED | 1U << SY_RUN_IMPORTED,
     AT(sy_run_begin, status)},
    {.name = "question", .kind = SY_MEMBER_TEXT, AT(sy_run_begin, question)},
    {.name = "gate", .kind = SY_MEMBER_NAME, AT(sy_run_begin, gate)},
    {.name = "cell", .kind = SY_MEMBER_NAME, AT(sy_run_begin, cell)},
    {.name = "tier", .kind = SY_MEMBER_NAME, AT(sy_run_begin, tier)},
    {.name = "protocol", .kind = SY_MEMBER_NAME, AT(sy_run_begin, protocol)},
    {.name = "cache_state", .kind = SY_MEMBER_TEXT, AT(sy_run_begin, cache_state)},
    {.name = "timing_boundary", .kind = SY_MEMBER_TEXT, AT(sy_run_begin, timing_boundary)},
    {.name = "key", .kind = SY_MEMBER_KEY, AT(sy_run_begin, key)},
    {.name = "source", .kind = SY_MEMBER_OBJECT, .table = &source_table, AT(sy_run_begin, source)},
    {.name = "place", .kind = SY_MEMBER_OBJECT, .table = &place_table, AT(sy_run_begin, place)},
    {.name = "inputs", .kind = SY_MEMBER_NAMED_DIGESTS, LIST_AT(sy_run_begin, inputs, input_count)},
    {.name = "parameters", .kind = SY_MEMBER_NAMED_TEXTS, LIST_AT(sy_run_begin, parameters, parameter_count)},
    {.name = "planned_outputs", .kind = SY_MEMBER_TEXTS, LIST_AT(sy_run_begin, planned_outputs, planned_output_count)},
    {.name = "origin", .kind = SY_MEMBER_NAME, AT(sy_run_begin, origin)},
    {.name = "origin_digest", .kind = SY_MEMBER_DIGEST, AT(sy_run_begin, origin_digest)},
    {.name = "origin_time", .kind = SY_MEMBER_NAME, AT(sy_run_begin, origin_time)},
    {.name = "origin_zone_known", .kind = SY_MEMBER_BOOL, AT(sy_run_begin, origin_zone_known)},
    {.name = "notes", .kind = SY_MEMBER_TEXTS, LIST_AT(sy_run_begin, notes, note_count)},
};
const sy_member_table sy_run_begin_table = {begin_members, sizeof begin_members / sizeof begin_members[0],
                                            sizeof(sy_run_begin)};

sy_status sy_run_begin_write(const sy_run_begin *begin, sy_text *body, sy_error *err)
{
    return sy_members_write(&sy_run_begin_table, begin, body, err);
}

sy_status sy_run_begin_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_begin *ret_begin,
                            sy_error *err)
{
    return sy_members_read(&sy_run_begin_table, json, body, arena, ret_begin, err);
}

void sy_run_destroy(sy_run *run)
{
    if (run != NULL) {
        sy_arena_destroy(run->owner);
    }
}
