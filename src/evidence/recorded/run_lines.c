/* SPDX-License-Identifier: Apache-2.0 */
/* Results as lines of the protocol that a run listens to: the same events that a recording would hold, so that a
 * session says the same whether it records itself or is recorded. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "evidence/recorded/recording.h"
#include "record/run_events.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the lines of a run");
}

/* A word of the protocol: in quotation marks where it needs them. */
static void append_word(sy_text *to, const char *text)
{
    if (text[0] != '\0' && strpbrk(text, " \t\r\n\"\\") == NULL) {
        sy_text_append(to, text);
        return;
    }
    sy_text_append(to, "\"");
    for (const char *at = text; *at != '\0'; at++) {
        const char *escaped = *at == '"' ? "\\\"" : *at == '\\' ? "\\\\" : *at == '\n' ? "\\n" : NULL;
        bool is_blank = *at == '\t' || *at == '\r';
        sy_text_append_bytes(to, escaped != NULL ? escaped : is_blank ? " " : at, escaped != NULL ? 2 : 1);
    }
    sy_text_append(to, "\"");
}

static void append_named(sy_text *to, const char *name, const char *value)
{
    if (value[0] != '\0') {
        sy_text_append_format(to, " %s=", name);
        append_word(to, value);
    }
}

static sy_status append_series(sy_text *to, const sy_ledger_entry *entry, const sy_run_series *series)
{
    sy_text head = SY_TEXT_INIT;
    sy_text tail = SY_TEXT_INIT;
    sy_text_append(&head, "sample ");
    append_word(&head, series->name);
    sy_text_append(&tail, " ");
    append_word(&tail, series->unit[0] != '\0' ? series->unit : "1");
    sy_text_append_format(&tail, " better=%s", series->higher_is_better ? "higher" : "lower");
    append_named(&tail, "case", series->case_name);
    append_named(&tail, "implementation", series->implementation);
    sy_text_append(&tail, series->role == SY_SERIES_WARM_UP ? " warmup\n" : "\n");
    for (size_t i = 0; series->role != SY_SERIES_PAIR && i < entry->sample_count; i++) {
        sy_text_append_format(to, "%s ", sy_text_bytes(&head));
        if (isfinite(entry->samples[i])) {
            sy_text_append_double(to, entry->samples[i]);
        } else {
            sy_text_append(to, "failed");
        }
        sy_text_append(to, sy_text_bytes(&tail));
    }
    bool failed = head.failed || tail.failed;
    sy_text_finish(&head);
    sy_text_finish(&tail);
    return failed ? SY_NO_MEMORY : SY_OK;
}

static void append_parity(sy_text *to, const sy_run_parity_event *parity)
{
    sy_text_append_format(to, "parity %s", sy_run_parity_word(parity->outcome));
    append_named(to, "case", parity->case_name);
    append_named(to, "implementation", parity->implementation);
    append_named(to, "reason", parity->reason);
    if (isfinite(parity->error_in_tolerances)) {
        sy_text_append(to, " error=");
        sy_text_append_double(to, parity->error_in_tolerances);
    }
    sy_text_append(to, "\n");
}

static void append_memory(sy_text *to, const sy_run_memory *memory)
{
    sy_text_append(to, "memory ");
    append_word(to, memory->name);
    sy_text_append_format(to, " %llu basis=%s scope=%s\n", (unsigned long long)memory->bytes,
                          sy_memory_basis_word(memory->basis), sy_memory_scope_word(memory->scope));
}

static void append_note(sy_text *to, const char *note)
{
    sy_text_append(to, "note ");
    for (const char *at = note; *at != '\0'; at++) {
        sy_text_append_bytes(to, *at == '\n' || *at == '\r' ? " " : at, 1);
    }
    sy_text_append(to, "\n");
}

/* One event as lines; kinds that the protocol has no words for say nothing. */
static sy_status append_event(sy_text *to, const sy_ledger_entry *entry, sy_arena *arena, sy_error *err)
{
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    sy_json *json = NULL;
    sy_run_series series;
    sy_run_parity_event parity;
    sy_run_memory memory;
    sy_run_digest digest;
    const char *note = NULL;
    sy_status status = sy_json_parse(entry->body, entry->body_size, &limits, &json, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_json_value *body = sy_json_root(json);
    if (entry->kind == SY_EVENT_SERIES) {
        status = sy_run_series_read(json, body, arena, &series, err);
        if (status == SY_OK && append_series(to, entry, &series) != SY_OK) {
            status = no_memory(err);
        }
    } else if (entry->kind == SY_EVENT_PARITY) {
        status = sy_run_parity_read_body(json, body, arena, &parity, err);
        if (status == SY_OK) {
            append_parity(to, &parity);
        }
    } else if (entry->kind == SY_EVENT_MEMORY) {
        status = sy_run_memory_read(json, body, arena, &memory, err);
        if (status == SY_OK) {
            append_memory(to, &memory);
        }
    } else if (entry->kind == SY_EVENT_DIGEST) {
        status = sy_run_digest_read(json, body, arena, &digest, err);
        if (status == SY_OK) {
            sy_text_append(to, "digest ");
            append_word(to, digest.role);
            sy_text_append_format(to, " %s\n", digest.digest);
        }
    } else if (entry->kind == SY_EVENT_NOTE) {
        status = sy_run_note_read(json, body, arena, &note, err);
        if (status == SY_OK) {
            append_note(to, note);
        }
    }
    sy_json_destroy(json);
    return status;
}

static sy_status hand_over(sy_recording *scratch, sy_status status, char **ret_lines, sy_error *err)
{
    sy_text lines = SY_TEXT_INIT;
    for (size_t i = 0; status == SY_OK && i < scratch->events.count; i++) {
        status = append_event(&lines, &scratch->events.entries[i], scratch->arena, err);
    }
    if (status == SY_OK) {
        char *taken = sy_text_take(&lines);
        status = taken != NULL ? SY_OK : no_memory(err);
        if (taken != NULL) {
            *ret_lines = taken;
        }
    }
    sy_text_finish(&lines);
    sy_arena_destroy(scratch->arena);
    return status;
}

static bool start(sy_recording *scratch, sy_device_kind kind)
{
    *scratch = (sy_recording){.arena = sy_arena_create(0), .device_kind = kind};
    scratch->events = (sy_event_list){.arena = scratch->arena, .run = ""};
    return scratch->arena != NULL;
}

sy_status sy_run_lines_of_probe(const sy_probe_result *result, char **ret_lines, sy_error *err)
{
    sy_recording scratch;
    if (!start(&scratch, result->device_info.kind)) {
        return no_memory(err);
    }
    return hand_over(&scratch, sy_recording_add_probe(&scratch, result, err), ret_lines, err);
}

sy_status sy_run_lines_of_measure(const sy_measure_result *result, char **ret_lines, sy_error *err)
{
    sy_recording scratch;
    if (!start(&scratch, result->device_info.kind)) {
        return no_memory(err);
    }
    return hand_over(&scratch, sy_recording_add_measure(&scratch, result, err), ret_lines, err);
}
