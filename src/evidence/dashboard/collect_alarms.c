/* SPDX-License-Identifier: Apache-2.0 */
/* What stands open: sessions whose verdict nothing later has settled, with their reason and what must run next, and
 * smokes that stop a device. */
#include <assert.h>
#include <stdlib.h>
#include <steelyard/compare.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evidence/blocks.h"
#include "evidence/compare/baseline.h"
#include "evidence/dashboard/collecting.h"
#include "record/comparison_key.h"

enum { COMPARED_MOST = 20 /* alarms of which compare is asked what to run next: more than a page shows */ };

/* ---- one verdict ---- */

typedef struct verdict_reading {
    uint64_t number;
    sy_arena *arena;
    sy_run_verdict *verdict;
    bool found;
} verdict_reading;

static sy_status read_verdict(void *user, const sy_ledger_event *event, const sy_json *json, const sy_json_value *body,
                              sy_error *err)
{
    verdict_reading *reading = user;
    if (event->number != reading->number) {
        return SY_OK;
    }
    reading->found = true;
    return sy_run_verdict_read(json, body, reading->arena, reading->verdict, err);
}

/* The verdict that the list names: the run's event of that number. */
static sy_status find_verdict(sy_collecting *c, const char *run, uint64_t number, sy_arena *arena,
                              sy_run_verdict *ret_verdict, sy_error *err)
{
    verdict_reading reading = {number, arena, ret_verdict, false};
    sy_status status = sy_collecting_each(c, run, number, SY_EVENT_VERDICT, read_verdict, &reading, err);
    if (status == SY_OK && !reading.found) {
        status = sy_fail(err, SY_CORRUPT, "the list names verdict %llu of the run '%.60s', which is not there",
                         (unsigned long long)number, run);
        sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
    }
    return status;
}

/* The verdict that the row stands for: the last one, or the earlier one that it leaves open. */
static sy_status find_alarm(sy_collecting *c, const sy_open_session *open, sy_arena *arena, sy_run_verdict *ret_verdict,
                            sy_error *err)
{
    sy_status status = find_verdict(c, open->alarm.run, open->verdict, arena, ret_verdict, err);
    uint64_t earlier = ret_verdict->leaves_open;
    if (status == SY_OK && ret_verdict->word < SY_JUDGEMENT_INVESTIGATE && earlier > 0) {
        status = find_verdict(c, open->alarm.run, earlier, arena, ret_verdict, err);
    }
    return status;
}

/* ---- lines: the same key at other revisions ---- */

static sy_status join_line(sy_collecting *c, sy_id_table *lines, sy_key_tally *tally, const sy_comparison_key *key,
                           sy_error *err)
{
    char digest[65];
    void *earlier = NULL;
    sy_status status = sy_comparison_key_line(key, sy_revision_field(c->registry), digest, err);
    if (status != SY_OK || digest[0] == '\0') {
        return status;
    }
    tally->line = sy_arena_copy_text(c->arena, digest);
    if (tally->line == NULL || !sy_id_table_put(lines, tally->line, tally, &earlier)) {
        return sy_collecting_no_memory(err);
    }
    if (earlier != NULL) {
        sy_key_tally *first = earlier;
        tally->kin = first->kin;
        first->kin = tally;
        tally->line = first->line;
    }
    return SY_OK;
}

/* Every key of a line hangs on the first that came: lines has it. */
static sy_status join_lines(sy_collecting *c, sy_id_table *lines, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_key_list *list = NULL;
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    sy_status status = sy_ledger_keys(c->ledger, &filter, false, &list, err);
    for (size_t i = 0; status == SY_OK && i < list->row_count; i++) {
        sy_key_tally *tally = sy_id_table_get(c->tallies, list->rows[i].key_digest);
        if (tally != NULL) {
            status = join_line(c, lines, tally, &list->rows[i].key, err);
        }
    }
    sy_key_list_destroy(list);
    return status;
}

/* Whether the pass answers what the alarm asked: held against the same sessions, of another revision than its own. */
static sy_status answers(sy_collecting *c, const sy_open_session *open, const sy_key_tally *kin, bool *ret_answers,
                         sy_error *err)
{
    sy_run_verdict passed = {.mode = SY_COMPARISON_SAME_KEY}, alarm = {0};
    sy_arena *arena = sy_arena_create(0);
    sy_status status = arena != NULL ? find_verdict(c, kin->passed, kin->passed_verdict, arena, &passed, err)
                                     : sy_collecting_no_memory(err);
    *ret_answers = false;
    if (status == SY_OK && passed.mode != SY_COMPARISON_SAME_KEY) {
        status = find_alarm(c, open, arena, &alarm, err);
        *ret_answers = status == SY_OK && strcmp(passed.baseline_key, alarm.baseline_key) == 0;
    }
    sy_arena_destroy(arena);
    return status;
}

/* A newer revision that passed when it was held against what an older one was held against has mended what that one
 * broke; a pass against its own sessions, or against a slower revision, says nothing of that. */
static sy_status ask_kin(sy_collecting *c, const sy_id_table *lines, const sy_open_session *open, bool *ret_settled,
                         sy_error *err)
{
    const sy_key_tally *kin = open->tally->line != NULL ? sy_id_table_get(lines, open->tally->line) : NULL;
    *ret_settled = false;
    for (; kin != NULL && !*ret_settled; kin = kin->kin) {
        bool newer = kin != open->tally && kin->passed[0] != '\0' && kin->passed_number > open->alarm.number &&
                     kin->first_number > open->tally->first_number;
        if (!newer) {
            continue;
        }
        sy_status status = answers(c, open, kin, ret_settled, err);
        if (status != SY_OK) {
            return status;
        }
    }
    return SY_OK;
}

/* Takes those out that a newer revision has settled. */
static sy_status settle(sy_collecting *c, sy_error *err)
{
    sy_id_table *lines = sy_id_table_create(c->arena, c->key_count);
    sy_status status = lines != NULL ? join_lines(c, lines, err) : sy_collecting_no_memory(err);
    for (sy_open_session **at = &c->open; status == SY_OK && *at != NULL;) {
        bool settled = false;
        status = ask_kin(c, lines, *at, &settled, err);
        if (settled) {
            *at = (*at)->next;
            c->open_count--;
        } else {
            at = &(*at)->next;
        }
    }
    return status;
}

/* ---- what must run next ---- */

/* The first that is no remark; NULL: there is none. */
static const char *first_command(const sy_compared *compared)
{
    for (size_t i = 0; i < compared->next_count; i++) {
        if (compared->next[i][0] != '#') {
            return compared->next[i];
        }
    }
    return NULL;
}

/* What `compare` says of the verdict as it is recorded; where it would say another one it is to be asked, as it stands
 * there already. */
static sy_status ask_compare(sy_collecting *c, bool over_revisions, sy_dashboard_alarm *to, sy_error *err)
{
    sy_compare_options options = SY_COMPARE_OPTIONS_INIT;
    sy_compared *compared = NULL;
    sy_error refused = SY_ERROR_INIT;
    options.run = to->run;
    options.revision_comparison = over_revisions;
    options.dry_run = true;
    sy_status status = sy_project_compare(c->project, &options, &compared, &refused);
    const char *command = status == SY_OK && compared->already_recorded ? first_command(compared) : NULL;
    if (command != NULL) {
        to->command = sy_arena_copy_text(c->arena, command);
    }
    sy_compared_destroy(compared);
    return status == SY_NO_MEMORY || to->command == NULL ? sy_collecting_no_memory(err) : SY_OK;
}

/* An alarm while it is described. */
typedef struct described {
    sy_dashboard_alarm alarm;
    bool over_revisions;
} described;

static sy_status describe(sy_collecting *c, const sy_open_session *open, described *to, sy_error *err)
{
    sy_run_verdict verdict = {0};
    sy_arena *arena = sy_arena_create(0);
    sy_status status = arena != NULL ? find_alarm(c, open, arena, &verdict, err) : sy_collecting_no_memory(err);
    *to = (described){open->alarm, verdict.mode != SY_COMPARISON_SAME_KEY};
    if (status == SY_OK) {
        const char *decisive = sy_run_verdict_decisive(&verdict);
        const char *text = decisive[0] != '\0' ? decisive : sy_judgement_reason_text(verdict.reason);
        to->alarm.text = sy_arena_copy_text(c->arena, text);
        to->alarm.command = sy_collecting_command(
            c, (const char *const[]){"steelyard", "compare", to->alarm.run,
                                     to->over_revisions ? "--revision-comparison" : NULL, NULL});
        status = to->alarm.text != NULL && to->alarm.command != NULL ? SY_OK : sy_collecting_no_memory(err);
    }
    sy_arena_destroy(arena);
    return status;
}

/* ---- smokes ---- */

typedef struct stops {
    sy_dashboard_alarm *alarms;
    size_t count;
} stops;

static sy_status add_stop(sy_collecting *c, const sy_block *block, sy_dashboard_alarm *to, sy_error *err)
{
    sy_run_row row;
    sy_status status = sy_ledger_row(c->ledger, c->arena, block->run, &row, err);
    if (status != SY_OK) {
        return status;
    }
    *to = (sy_dashboard_alarm){
        .run = block->run,
        .number = row.number,
        .cell = row.cell,
        .gate = row.gate,
        .device = row.device,
        .revision = row.revision,
        .key_digest = row.key_digest,
        .smoke = true,
        .verdict = SY_JUDGEMENT_BLOCK,
        .reason = SY_JUDGEMENT_REASON_EVIDENCE,
        .text = block->reason,
        .command = sy_collecting_command(c, (const char *const[]){"steelyard", "run", "show", block->run, NULL}),
        .began_utc_s = row.began_utc_s};
    return to->command != NULL ? SY_OK : sy_collecting_no_memory(err);
}

static sy_status find_stops(sy_collecting *c, const sy_stopped_device *stopped, stops *to, sy_error *err)
{
    const sy_block *blocks = NULL;
    size_t count = 0;
    sy_status status = sy_blocks_find(c->ledger, stopped->host, stopped->device, "", c->arena, &blocks, &count, err);
    if (status != SY_OK || count == 0) {
        return status;
    }
    sy_dashboard_alarm *grown = sy_arena_allocate(c->arena, to->count + count, sizeof *grown);
    if (grown == NULL) {
        return sy_collecting_no_memory(err);
    }
    if (to->count > 0) {
        memcpy(grown, to->alarms, to->count * sizeof *grown);
    }
    to->alarms = grown;
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        status = add_stop(c, &blocks[i], &grown[to->count], err);
        to->count += status == SY_OK;
    }
    return status;
}

/* ---- all of them ---- */

static int worst_first(const void *a, const void *b)
{
    const sy_dashboard_alarm *left = &((const described *)a)->alarm, *right = &((const described *)b)->alarm;
    if (left->verdict != right->verdict) {
        return left->verdict > right->verdict ? -1 : 1;
    }
    return (left->number < right->number) - (left->number > right->number);
}

/* Sorted, and the first ones with what `compare` says. */
static sy_status take_alarms(sy_collecting *c, described *all, size_t count, sy_error *err)
{
    sy_dashboard_alarm *alarms = sy_arena_allocate(c->arena, count, sizeof *alarms);
    sy_status status = alarms != NULL ? SY_OK : sy_collecting_no_memory(err);
    if (count > 1) {
        qsort(all, count, sizeof *all, worst_first);
    }
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        if (i < COMPARED_MOST && !all[i].alarm.smoke) {
            status = ask_compare(c, all[i].over_revisions, &all[i].alarm, err);
        }
        assert(alarms != NULL);
        alarms[i] = all[i].alarm;
        c->dashboard->block_count += alarms[i].verdict == SY_JUDGEMENT_BLOCK;
    }
    c->dashboard->alarms = alarms;
    c->dashboard->alarm_count = count;
    return status;
}

sy_status sy_collect_alarms(sy_collecting *c, sy_error *err)
{
    stops found = {NULL, 0};
    sy_status status = c->open_count > 0 ? settle(c, err) : SY_OK;
    for (const sy_stopped_device *stopped = c->stopped; status == SY_OK && stopped != NULL; stopped = stopped->next) {
        status = find_stops(c, stopped, &found, err);
    }
    if (status != SY_OK) {
        return status;
    }
    described *all = sy_allocate(c->open_count + found.count, sizeof *all);
    if (all == NULL) {
        return sy_collecting_no_memory(err);
    }
    size_t count = 0;
    for (const sy_open_session *open = c->open; status == SY_OK && open != NULL; open = open->next) {
        status = describe(c, open, &all[count++], err);
    }
    for (size_t i = 0; i < found.count; i++) {
        all[count++].alarm = found.alarms[i];
    }
    if (status == SY_OK) {
        status = take_alarms(c, all, count, err);
    }
    sy_free(all);
    return status;
}
