/* SPDX-License-Identifier: Apache-2.0 */
/* The field table of both formats and the readers of single fields. */
#include "store/format/format_record.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/format/format.h"
#include "store/format/format_earlier.h"
#include "store/profile.h"

static bool same_word(const char *word, size_t size, const char *other)
{
    return strlen(other) == size && memcmp(word, other, size) == 0;
}

/* Room for one more item behind count; the list moves. */
static bool make_room(sy_record *record, void **list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t more = *capacity == 0 ? 8 : *capacity * 2;
    void *moved = sy_reallocate(*list, more, size);
    if (moved == NULL) {
        record->no_memory = true;
        return false;
    }
    *list = moved;
    *capacity = more;
    return true;
}

bool sy_record_text(sy_record *record, sy_cursor *cursor, const char **ret_text)
{
    char *text;
    size_t size;
    if (!sy_cursor_quoted(cursor, record->format, &text, &size) || strlen(text) != size) {
        return false;
    }
    *ret_text = text;
    return true;
}

static bool read_backend(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.key.backend);
}

static bool read_operator(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.key.operator_name);
}

static bool read_implementation(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.key.implementation_version);
}

static bool read_model_digest(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.key.model_digest);
}

static bool read_processor(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.key.processor);
}

static bool read_thread_count(sy_record *record, sy_cursor *cursor)
{
    return sy_cursor_u32(cursor, &record->profile.key.thread_count) && record->profile.key.thread_count > 0;
}

static bool read_structure(sy_record *record, sy_cursor *cursor)
{
    sy_property property = {"", ""};
    size_t *count = &record->profile.key.structure_count;
    void *list = record->structure;
    if (!sy_record_text(record, cursor, &property.name) || !sy_record_text(record, cursor, &property.value) ||
        !make_room(record, &list, *count, &record->structure_capacity, sizeof property)) {
        return false;
    }
    record->structure = list;
    record->structure[(*count)++] = property;
    record->profile.key.structure = record->structure;
    return true;
}

static bool read_measurement(sy_record *record, sy_cursor *cursor)
{
    sy_measurement measurement = {"", 0, ""};
    size_t *count = &record->profile.measurement_count;
    void *list = record->measurements;
    if (!sy_record_text(record, cursor, &measurement.name) || !sy_cursor_double(cursor, &measurement.value) ||
        !sy_record_text(record, cursor, &measurement.unit) || *measurement.name == '\0' ||
        !make_room(record, &list, *count, &record->measurement_capacity, sizeof measurement)) {
        return false;
    }
    record->measurements = list;
    record->measurements[(*count)++] = measurement;
    record->profile.measurements = record->measurements;
    return true;
}

static bool read_policy(sy_record *record, sy_cursor *cursor)
{
    char *policy;
    if (!sy_cursor_quoted(cursor, record->format, &policy, &record->profile.policy_size)) {
        return false;
    }
    record->profile.policy = policy;
    return true;
}

static bool read_decision(sy_record *record, sy_cursor *cursor)
{
    sy_profile_trial *trial = &record->profile.trial;
    char *word;
    char *rule;
    size_t size;
    size_t rule_size;
    if (!sy_cursor_word(cursor, &word, &size) || !sy_cursor_word(cursor, &rule, &rule_size) ||
        strlen(rule) != rule_size) {
        return false;
    }
    trial->rule = rule;
    record->profile.has_trial = true;
    return sy_profile_decision_of_word(word, size, &trial->decision) && sy_cursor_u32(cursor, &trial->max_pairs) &&
           sy_cursor_u32(cursor, &trial->pairs) && sy_cursor_u32(cursor, &trial->wins) &&
           sy_cursor_maybe_double(cursor, &trial->e_value) && sy_cursor_u32(cursor, &trial->attempt);
}

static bool read_parity(sy_record *record, sy_cursor *cursor)
{
    static const char *const words[] = {"not-performed", "passed", "qualified", "failed"};
    sy_profile_parity *parity = &record->profile.parity;
    char *word;
    size_t size;
    if (!sy_cursor_word(cursor, &word, &size)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        if (same_word(word, size, words[i])) {
            parity->outcome = (sy_parity_outcome)i;
            record->profile.has_parity = true;
        }
    }
    return record->profile.has_parity && sy_cursor_maybe_double(cursor, &parity->error_in_tolerances);
}

static bool read_gain(sy_record *record, sy_cursor *cursor)
{
    sy_profile_gain *gain = &record->profile.gain;
    record->profile.has_gain = true;
    return sy_cursor_double(cursor, &gain->gain) && sy_cursor_maybe_double(cursor, &gain->low) &&
           sy_cursor_maybe_double(cursor, &gain->high) && sy_cursor_u32(cursor, &gain->pairs);
}

static bool read_alternative(sy_record *record, sy_cursor *cursor)
{
    sy_alternative alternative = {"", "", NAN};
    size_t *count = &record->profile.alternative_count;
    void *list = record->alternatives;
    if (!sy_record_text(record, cursor, &alternative.name) || !sy_record_text(record, cursor, &alternative.reason) ||
        !sy_cursor_maybe_double(cursor, &alternative.ratio) || *alternative.name == '\0' ||
        !make_room(record, &list, *count, &record->alternative_capacity, sizeof alternative)) {
        return false;
    }
    record->alternatives = list;
    record->alternatives[(*count)++] = alternative;
    record->profile.alternatives = record->alternatives;
    return true;
}

static bool read_evidence(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.evidence_run) &&
           sy_record_text(record, cursor, &record->profile.evidence_digest);
}

static bool read_reason(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.reason);
}

static bool read_created(sy_record *record, sy_cursor *cursor)
{
    return sy_cursor_time(cursor, &record->profile.created_utc_s);
}

static bool read_expires(sy_record *record, sy_cursor *cursor)
{
    return sy_cursor_time(cursor, &record->profile.expires_utc_s);
}

static bool read_tool(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.tool);
}

typedef enum field_use { IN_BOTH_KINDS, IN_EXACT, IN_PORTABLE } field_use;

typedef struct field {
    const char *word;
    bool (*read)(sy_record *record, sy_cursor *cursor);
    uint32_t since; /* the first format that has it */
    field_use use;
    bool repeats;
} field;

/* In the writer's order, so that the search mostly finds the next word at once. `check` is read by itself. */
static const field fields[] = {
    {"backend", read_backend, 1, IN_BOTH_KINDS, false},
    {"operator", read_operator, 1, IN_BOTH_KINDS, false},
    {"implementation", read_implementation, 1, IN_BOTH_KINDS, false},
    {"model_digest", read_model_digest, 1, IN_EXACT, false},
    {"processor", read_processor, 1, IN_EXACT, false},
    {"thread_count", read_thread_count, 1, IN_EXACT, false},
    {"structure", read_structure, 1, IN_PORTABLE, true},
    {"measurement", read_measurement, 1, IN_BOTH_KINDS, true},
    {"policy", read_policy, 1, IN_BOTH_KINDS, false},
    {"decision", read_decision, 2, IN_BOTH_KINDS, false},
    {"parity", read_parity, 2, IN_BOTH_KINDS, false},
    {"gain", read_gain, 2, IN_BOTH_KINDS, false},
    {"alternative", read_alternative, 2, IN_BOTH_KINDS, true},
    {"evidence", read_evidence, 2, IN_BOTH_KINDS, false},
    {"reason", read_reason, 2, IN_BOTH_KINDS, false},
    {"created", read_created, 2, IN_BOTH_KINDS, false},
    {"expires", read_expires, 2, IN_BOTH_KINDS, false},
    {"tool", read_tool, 2, IN_BOTH_KINDS, false},
    {"signed_by", sy_record_read_signed_by, 2, IN_BOTH_KINDS, false},
    {"cost", sy_record_read_cost, 2, IN_BOTH_KINDS, false},
    {"use", sy_record_read_use, 2, IN_BOTH_KINDS, false},
    {"earlier", sy_record_read_earlier, 2, IN_BOTH_KINDS, true},
    {"earlier_dropped", sy_record_read_dropped, 2, IN_BOTH_KINDS, false},
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])
#define CHECK_BIT (1u << FIELD_COUNT)

/* FIELD_COUNT when there is none of that name. */
static size_t find_field(const sy_record *record, const char *word, size_t size)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        size_t at = (record->next_field + i) % FIELD_COUNT;
        if (same_word(word, size, fields[at].word)) {
            return fields[at].since <= record->format ? at : FIELD_COUNT;
        }
    }
    return FIELD_COUNT;
}

static void read_check(sy_record *record, uint32_t line, sy_cursor *cursor)
{
    char *word;
    size_t size;
    record->given |= CHECK_BIT;
    if (!sy_cursor_word(cursor, &word, &size) || size != 16 || !sy_cursor_at_end(cursor)) {
        sy_store_findings_add(record->findings, line, "invalid field: 'check' wants 16 hexadecimal digits");
        record->broken = true;
    } else if (record->check == NULL || memcmp(word, record->check, 16) != 0) {
        sy_store_findings_add(record->findings, line, "check does not match: the profile's lines above were changed");
        record->broken = true;
    }
}

void sy_record_field(sy_record *record, uint32_t line, sy_cursor cursor)
{
    char *word;
    size_t size;
    if (!sy_cursor_word(&cursor, &word, &size)) {
        return;
    }
    if (record->given & CHECK_BIT) {
        sy_store_findings_add(record->findings, line, "invalid field: 'check' must be the last before 'end'");
        record->broken = true;
        return;
    }
    if (record->format >= SY_FORMAT_OWN && same_word(word, size, "check")) {
        read_check(record, line, &cursor);
        return;
    }
    size_t at = find_field(record, word, size);
    if (at == FIELD_COUNT) {
        sy_store_findings_add(record->findings, line, "invalid or unknown field: '%.60s'", word);
        record->broken = true;
        return;
    }
    size_t findings = record->findings->total;
    const field *found = &fields[at];
    if (record->kind_known && found->use == (record->portable ? IN_EXACT : IN_PORTABLE)) {
        sy_store_findings_add(record->findings, line, "invalid or unknown field: '%s' in %s profile", found->word,
                              record->portable ? "a portable" : "an exact");
    } else if (!found->repeats && (record->given & (1u << at))) {
        sy_store_findings_add(record->findings, line, "invalid or unknown field: '%s' is given twice", found->word);
    } else if ((!found->read(record, &cursor) || !sy_cursor_at_end(&cursor)) && !record->no_memory) {
        sy_store_findings_add(record->findings, line, "invalid or unknown field: '%s' cannot be read", found->word);
    }
    record->broken = record->broken || record->findings->total > findings;
    record->given |= 1u << at;
    record->next_field = found->repeats ? at : at + 1;
}

void sy_record_finish(sy_record *record)
{
    sy_free(record->structure);
    sy_free(record->measurements);
    sy_free(record->alternatives);
}

void sy_record_declare(sy_record *record, uint32_t line, sy_cursor rest)
{
    char *word = NULL;
    char *kind = NULL;
    size_t size;
    memset(&record->profile, 0, sizeof record->profile);
    record->given = 0;
    record->next_field = 0;
    record->check = NULL;
    bool known = sy_cursor_word(&rest, &word, &size) && sy_cursor_word(&rest, &kind, &size) && sy_cursor_at_end(&rest);
    record->portable = known && strcmp(word, "portable") == 0;
    known = known && (record->portable || strcmp(word, "exact") == 0);
    sy_profile_kind last = record->format >= SY_FORMAT_OWN ? SY_PROFILE_IMPORTED : SY_PROFILE_OVERRIDE;
    sy_profile_kind at = SY_PROFILE_CALIBRATED;
    while (known && at <= last && strcmp(kind, sy_profile_kind_word(at)) != 0) {
        at++;
    }
    known = known && at <= last;
    record->profile.kind = at;
    record->kind_known = known;
    record->broken = !known;
    if (!known) {
        sy_store_findings_add(record->findings, line, "invalid profile declaration");
    }
}

static const char *missing_field(const sy_record *record)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        bool needed = fields[i].since == SY_FORMAT_INTERCHANGE && fields[i].read != read_measurement &&
                      fields[i].use != (record->portable ? IN_EXACT : IN_PORTABLE);
        if (needed && !(record->given & (1u << i))) {
            return fields[i].word;
        }
    }
    return record->format >= SY_FORMAT_OWN && !(record->given & CHECK_BIT) ? "check" : NULL;
}

bool sy_record_complete(sy_record *record, uint32_t line)
{
    if (record->broken || record->no_memory) {
        return false;
    }
    const char *missing = missing_field(record);
    if (missing != NULL) {
        sy_store_findings_add(record->findings, line, "incomplete profile: no '%s'", missing);
        return false;
    }
    sy_error problem;
    if (sy_profile_check(&record->profile, &problem) != SY_OK) {
        sy_store_findings_add(record->findings, line, "incomplete profile: %s", problem.what);
        return false;
    }
    return true;
}
