/* SPDX-License-Identifier: Apache-2.0 */
/* Holds gates against their rules. A field that is inherited is told where it stands, once. */
#include "registry/gates/gate_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const sy_json_value *sy_gate_reading_field(const sy_gate_reading *reading, size_t field)
{
    const sy_json_value *own = reading->own[field];
    return own != NULL || reading->configuration == NULL ? own : reading->configuration->fields[field];
}

/* ---- dimensions ---- */

static bool is_dimension(const sy_document *document, const sy_json_value *value, int64_t *ret_value)
{
    return value != NULL && sy_json_is_integer(document->json, value, ret_value) && *ret_value > 0;
}

static void check_field(const sy_document *document, const sy_gate_field_name *field, const sy_json_value *value)
{
    int64_t number = 0;
    if (field->kind == SY_FIELD_IS_DIMENSION) {
        if (value->kind != SY_JSON_NULL && !is_dimension(document, value, &number) &&
            !sy_json_is_cut(document->json, value)) {
            sy_complain(document, value, SY_RULE_DIMENSION,
                        "'%s' must be a positive whole number, written as one, or null", field->name);
        }
    } else {
        char what[160];
        (void)snprintf(what, sizeof what, "'%s'", field->name);
        if (sy_look_kind(document, value, what, SY_JSON_TEXT) && sy_is_blank(value->text)) {
            sy_complain(document, value, SY_RULE_FIELD_BLANK, "'%s' says nothing", field->name);
        }
    }
}

/* quotient = floor(dividend / divisor): what stands there for it, or NULL; where: the place of a finding. */
static void check_quotient(const sy_document *document, const sy_gate_protocol *p, const sy_quotient *rule,
                           const sy_json_value *quotient, const sy_json_value *dividend, const sy_json_value *divisor,
                           const sy_json_value *where)
{
    int64_t above = 0, below = 0, is = 0;
    if (!is_dimension(document, dividend, &above) || !is_dimension(document, divisor, &below)) {
        return;
    }
    bool is_there = is_dimension(document, quotient, &is);
    bool is_wrong = !is_there && quotient != NULL && quotient->kind != SY_JSON_NULL; /* told already */
    if (quotient != NULL && !is_wrong && (!is_there || is != above / below)) {
        sy_complain(document, where, SY_RULE_QUOTIENT, "'%s' must be %lld, which is '%s' by '%s'",
                    p->fields[rule->quotient].name, (long long)(above / below), p->fields[rule->dividend].name,
                    p->fields[rule->divisor].name);
    }
}

void sy_configuration_check(const sy_gates_part *part, const sy_configuration *configuration)
{
    const sy_gate_protocol *p = part->protocol;
    for (size_t i = SY_FIELD_COMMON_COUNT; i < p->field_count; i++) {
        if (configuration->fields[i] != NULL) {
            check_field(part->document, &p->fields[i], configuration->fields[i]);
        }
    }
    for (size_t i = 0; i < p->quotient_count; i++) {
        const sy_quotient *rule = &p->quotients[i];
        const sy_json_value *quotient = configuration->fields[rule->quotient];
        check_quotient(part->document, p, rule, quotient, configuration->fields[rule->dividend],
                       configuration->fields[rule->divisor], quotient);
    }
}

static void check_dimensions(const sy_gate_reading *r)
{
    const sy_gate_protocol *p = r->protocol;
    const sy_document *document = r->part->document;
    for (size_t i = SY_FIELD_COMMON_COUNT; i < p->field_count; i++) {
        if (r->own[i] != NULL) {
            check_field(document, &p->fields[i], r->own[i]);
        }
    }
    for (size_t i = 0; i < p->quotient_count; i++) {
        const sy_quotient *rule = &p->quotients[i];
        const sy_json_value *own = r->own[rule->quotient];
        own = own != NULL ? own : r->own[rule->dividend];
        own = own != NULL ? own : r->own[rule->divisor];
        if (own != NULL) { /* else the configuration was held against it */
            check_quotient(document, p, rule, sy_gate_reading_field(r, rule->quotient),
                           sy_gate_reading_field(r, rule->dividend), sy_gate_reading_field(r, rule->divisor), own);
        }
    }
}

/* ---- what must be there ---- */

/* Fields that a gate owes and has neither itself nor from its configuration. What the configuration could give is told
 * at the configuration, once; of a gate whose configuration is not known only the fields that no configuration gives.
 */
static void check_complete(const sy_gate_reading *r, const sy_gate *gate)
{
    const sy_gate_protocol *p = r->protocol;
    const sy_document *document = r->part->document;
    for (size_t i = 0; i < p->field_count; i++) {
        const sy_json_value *field = sy_gate_reading_field(r, i);
        bool is_left_open = field != NULL && field != r->own[i] && field->kind == SY_JSON_TEXT &&
                            field->text[0] != '\0' && strcmp(field->text, p->left_to_gates) == 0;
        if (!p->fields[i].is_required || (field != NULL && !is_left_open)) {
            continue;
        }
        if (i < SY_FIELD_COMMON_COUNT || is_left_open) {
            if (!sy_json_is_cut(document->json, gate->value)) {
                sy_complain(document, gate->value, SY_RULE_FIELD_MISSING, "'%s' is missing here", p->fields[i].name);
            }
        } else if (r->configuration != NULL && !r->configuration->is_missing_told[i] &&
                   !sy_json_is_cut(document->json, r->configuration->value)) {
            r->configuration->is_missing_told[i] = true;
            sy_complain(document, r->configuration->value, SY_RULE_FIELD_MISSING,
                        "'%s' is missing here and in a gate that uses this", p->fields[i].name);
        }
    }
}

/* A text that says something, own or inherited; NULL: else, which is a finding where something stands there. */
static const char *look_text(const sy_gate_reading *r, size_t field)
{
    const sy_json_value *value = sy_gate_reading_field(r, field);
    if (value == NULL) {
        return NULL;
    }
    if (value->kind != SY_JSON_TEXT || sy_is_blank(value->text) || strlen(value->text) != value->text_length) {
        check_field(r->part->document, &r->protocol->fields[field], value);
        return NULL;
    }
    return value->text;
}

static void tell(const sy_gate_reading *r, size_t field, sy_rule_id rule, const char *message)
{
    sy_complain(r->part->document, sy_gate_reading_field(r, field), rule, "%s", message);
}

/* ---- words ---- */

/* Lists print an id between tabs, and people type it. */
static bool is_id(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
            return false;
        }
    }
    return text[0] != ' ' && text[length - 1] != ' ';
}

static void read_words(sy_gate_reading *r, sy_gate *gate)
{
    const sy_gate_protocol *p = r->protocol;
    gate->id = look_text(r, SY_FIELD_ID);
    if (gate->id != NULL && !is_id(gate->id)) {
        tell(r, SY_FIELD_ID, SY_RULE_GATE_ID_FORM, "an id has no space around it and no control characters");
    }
    gate->module = look_text(r, SY_FIELD_MODULE);
    gate->operation = look_text(r, SY_FIELD_OPERATION);
    gate->platform = look_text(r, SY_FIELD_PLATFORM);
    gate->computer = look_text(r, SY_FIELD_COMPUTER);
    const char *capability = look_text(r, SY_FIELD_CAPABILITY);
    gate->capability = capability != NULL ? capability : sy_gate_protocol_capability(p, gate->module, gate->operation);
    gate->backend = sy_id_table_get(p->platforms, gate->platform);
    if (gate->computer != NULL && p->computer_count > 0 && sy_id_table_get(p->computers, gate->computer) == NULL) {
        tell(r, SY_FIELD_COMPUTER, SY_RULE_COMPUTER_UNKNOWN, "no such computer is known");
    }
    const char *state = look_text(r, SY_FIELD_STATE);
    gate->state = sy_gate_state_read(state);
    if (state != NULL && gate->state == SY_GATE_STATE_UNKNOWN) {
        tell(r, SY_FIELD_STATE, SY_RULE_STATE_UNKNOWN, "there is no such state");
    }
    const char *runbook = look_text(r, SY_FIELD_RUNBOOK);
    gate->runbook = sy_id_table_get(r->part->runbook_ids, runbook);
    if (runbook != NULL && gate->runbook == NULL && r->part->has_runbooks) {
        tell(r, SY_FIELD_RUNBOOK, SY_RULE_GATE_RUNBOOK, "there is no runbook of that name");
    }
}

static void read_priority(const sy_gate_reading *r, sy_gate *gate)
{
    const sy_json_value *value = sy_gate_reading_field(r, SY_FIELD_PRIORITY);
    int64_t priority = 0;
    if (value == NULL) {
        return;
    }
    if (!sy_json_is_integer(r->part->document->json, value, &priority) || priority < 1 || priority > 5) {
        tell(r, SY_FIELD_PRIORITY, SY_RULE_GATE_PRIORITY, "'priority' must be a whole number from 1 to 5");
        return;
    }
    gate->priority = (int)priority;
}

/* A concrete next step is owed by open gates; elsewhere the text may be empty. */
static void read_next(const sy_gate_reading *r, sy_gate *gate)
{
    const sy_json_value *value = sy_gate_reading_field(r, SY_FIELD_NEXT_GATE);
    bool is_open = sy_gate_state_is_open(gate->state);
    if (value != NULL && value->kind == SY_JSON_TEXT) {
        gate->next_gate = value->text;
    }
    if (value == NULL || (gate->next_gate != NULL && !(is_open && sy_is_placeholder(value->text)))) {
        return;
    }
    if (is_open && (value->kind == SY_JSON_NULL || value->kind == SY_JSON_TEXT)) {
        tell(r, SY_FIELD_NEXT_GATE, SY_RULE_GATE_NEXT_STEP,
             "a gate that is open must say its next step, in more than a placeholder");
    } else {
        (void)sy_look_kind(r->part->document, value, "'next_gate'", SY_JSON_TEXT);
    }
}

/* ---- evidence ---- */

static bool is_named(const sy_gate *gate, const sy_measurement *measurement)
{
    for (size_t i = 0; i < gate->satisfied_count; i++) {
        if (gate->satisfied_by[i] == measurement) {
            return true;
        }
    }
    return false;
}

static void add_evidence(const sy_gate_reading *r, sy_gate *gate, const sy_json_value *name)
{
    const sy_document *document = r->part->document;
    if (name->kind != SY_JSON_TEXT || sy_is_blank(name->text)) {
        if (sy_look_kind(document, name, "a measurement's id", SY_JSON_TEXT)) {
            sy_complain(document, name, SY_RULE_FIELD_BLANK, "a measurement's id is blank");
        }
        return;
    }
    sy_measurement *measurement = sy_id_table_get(r->part->measurement_ids, name->text);
    if (measurement == NULL) {
        if (r->part->has_measurements) {
            sy_complain(document, name, SY_RULE_GATE_EVIDENCE_UNKNOWN, "there is no measurement of that id");
        }
        return;
    }
    if (is_named(gate, measurement)) {
        sy_remark(document, name, SY_RULE_GATE_EVIDENCE_TWICE, "this measurement is named twice");
        return;
    }
    gate->satisfied_by[gate->satisfied_count++] = measurement;
    measurement->gate_count++;
    if (gate->state == SY_GATE_MEASURED && measurement->state != SY_GATE_MEASURED &&
        measurement->state != SY_GATE_STATE_UNKNOWN) {
        sy_complain(document, name, SY_RULE_GATE_EVIDENCE_STATE,
                    "a gate that is measured rests on a measurement that is %s",
                    sy_gate_state_word(measurement->state));
    }
    bool is_elsewhere = (gate->computer != NULL && measurement->computer != NULL &&
                         strcmp(gate->computer, measurement->computer) != 0) ||
                        (gate->platform != NULL && measurement->platform != NULL &&
                         strcmp(gate->platform, measurement->platform) != 0);
    if (is_elsewhere) {
        sy_remark(document, name, SY_RULE_GATE_EVIDENCE_ELSEWHERE,
                  "this measurement was made on another computer or platform than the gate's");
    }
}

/* What cannot be done was not timed: no measurement, and no figure of the gate's own. */
static void check_untimed(const sy_gate_reading *r, const sy_gate *gate, const sy_json_value *names)
{
    const sy_document *document = r->part->document;
    if (names != NULL && names->kind == SY_JSON_ARRAY && names->count > 0) {
        sy_complain(document, names, SY_RULE_GATE_EVIDENCE_UNSUPPORTED,
                    "a gate that is unsupported cannot rest on measurements");
    }
    for (const sy_json_value *member = gate->value->first; member != NULL; member = member->next) {
        if (sy_text_ends(member->name, "_seconds") && member->kind != SY_JSON_NULL) {
            sy_complain(document, member, SY_RULE_GATE_EVIDENCE_UNSUPPORTED,
                        "a gate that is unsupported has no timing, such as '%s'", member->name);
        }
    }
}

static void read_evidence(const sy_gate_reading *r, sy_gate *gate)
{
    const sy_document *document = r->part->document;
    const sy_json_value *names = sy_gate_reading_field(r, SY_FIELD_SATISFIED_BY);
    bool is_list = names != NULL && names->kind == SY_JSON_ARRAY;
    if (names != NULL && !is_list) {
        (void)sy_look_kind(document, names, "'satisfied_by'", SY_JSON_ARRAY);
    }
    for (const sy_json_value *name = is_list ? names->first : NULL; name != NULL; name = name->next) {
        add_evidence(r, gate, name);
    }
    if (gate->state == SY_GATE_MEASURED && (names == NULL || (is_list && names->count == 0)) &&
        !sy_json_is_cut(document->json, gate->value)) {
        sy_complain(document, names != NULL ? names : gate->value, SY_RULE_GATE_EVIDENCE_MISSING,
                    "a gate that is measured must name at least one measurement in 'satisfied_by'");
    }
    const char *reason = look_text(r, SY_FIELD_REASON);
    gate->reason = reason;
    if (gate->state != SY_GATE_UNSUPPORTED) {
        return;
    }
    if (sy_gate_reading_field(r, SY_FIELD_REASON) == NULL && !sy_json_is_cut(document->json, gate->value)) {
        sy_complain(document, gate->value, SY_RULE_GATE_REASON, "a gate that is unsupported must say its reason");
    }
    check_untimed(r, gate, names);
}

/* ---- what a gate of ours may add ---- */

static void check_number(const sy_gate_reading *r, size_t field, double below, const char *message)
{
    const sy_json_value *value = sy_gate_reading_field(r, field);
    if (value == NULL) {
        return;
    }
    bool is_number = value->kind == SY_JSON_NUMBER && isfinite(value->number);
    if (!is_number || value->number <= 0 || value->number >= below) {
        tell(r, field, SY_RULE_GATE_THRESHOLD, message);
    }
}

static void check_additions(const sy_gate_reading *r)
{
    const sy_json_value *metrics = sy_gate_reading_field(r, SY_FIELD_PRIMARY_METRICS);
    if (metrics != NULL && sy_look_kind(r->part->document, metrics, "'primary_metrics'", SY_JSON_ARRAY)) {
        for (const sy_json_value *metric = metrics->first; metric != NULL; metric = metric->next) {
            if (metric->kind != SY_JSON_TEXT || sy_is_blank(metric->text)) {
                sy_complain(r->part->document, metric, SY_RULE_GATE_METRIC,
                            "a primary metric must be a text that says something");
            }
        }
    }
    check_number(r, SY_FIELD_DELTA, (double)INFINITY, "'delta' must be a number above zero");
    check_number(r, SY_FIELD_ALPHA, 1.0, "'alpha' must be a number between zero and one");
}

void sy_gate_check(sy_gate_reading *reading, sy_gate *gate)
{
    read_words(reading, gate);
    read_priority(reading, gate);
    read_next(reading, gate);
    read_evidence(reading, gate);
    check_dimensions(reading);
    check_complete(reading, gate);
    check_additions(reading);
}
