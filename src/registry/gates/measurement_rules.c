/* SPDX-License-Identifier: Apache-2.0 */
/* Holds a measurement against its rules: times, parity, provenance, dimensions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "registry/files/instant.h"
#include "registry/gates/measurements.h"

#define NAMES_BYTES_MAX 600 /* of ids in one note */

typedef struct check {
    sy_registry *registry;
    const sy_gates_part *part;
    const sy_measurement *m;
    bool is_measured;
} check;

/* A finding at the field, where there is one, else at the measurement. */
#define TELL(c, field, rule, ...)                                                                                 \
    sy_complain((field).source != SY_FIELD_ABSENT ? (field).document : (c)->m->document,                          \
                (field).source != SY_FIELD_ABSENT && (field).value != NULL ? (field).value : (c)->m->value, rule, \
                __VA_ARGS__)

static bool is_null(const sy_measurement_field *field)
{
    return field->source == SY_FIELD_ABSENT ||
           (field->source == SY_FIELD_IN_FILE && field->value->kind == SY_JSON_NULL);
}

/* Whether the field is a text that says something. One that is no text, or that a measured row lacks, is a finding. */
static bool look_text(const check *c, const char *name, sy_measurement_field *ret_field)
{
    sy_measurement_field field = sy_measurement_get(c->m, name);
    *ret_field = field;
    if (is_null(&field)) {
        if (c->is_measured && !sy_json_is_cut(c->m->document->json, c->m->value)) {
            TELL(c, field, SY_RULE_MEASUREMENT_INCOMPLETE, "a measured row has no '%s'", name);
        }
        return false;
    }
    char what[160];
    (void)snprintf(what, sizeof what, "'%s'", field.value != NULL ? field.value->name : name);
    if (field.source == SY_FIELD_IN_FILE && !sy_look_kind(field.document, field.value, what, SY_JSON_TEXT)) {
        return false;
    }
    const char *text = sy_measurement_text(c->m, name);
    if (sy_is_blank(text)) {
        TELL(c, field, SY_RULE_FIELD_BLANK, "%s says nothing", what);
    }
    return !sy_is_blank(text);
}

/* ---- times ---- */

/* One of the three times; NAN: it is not there, or not a time. */
static double look_time(const check *c, const char *name)
{
    sy_measurement_field field = sy_measurement_get(c->m, name);
    if (is_null(&field)) {
        if (c->is_measured && !sy_json_is_cut(c->m->document->json, c->m->value)) {
            TELL(c, field, SY_RULE_MEASUREMENT_INCOMPLETE, "a measured row has no '%s'", name);
        }
        return NAN;
    }
    if (field.source != SY_FIELD_IN_FILE || field.value->kind != SY_JSON_NUMBER || !isfinite(field.value->number)) {
        return NAN; /* whoever reads figures tells of other kinds, whoever read the file of numbers not finite */
    }
    return field.value->number;
}

static void check_order(const check *c, double smaller, double larger, const char *smaller_name,
                        const char *larger_name)
{
    sy_measurement_field field = sy_measurement_get(c->m, smaller_name);
    sy_measurement_field other = sy_measurement_get(c->m, larger_name);
    if (smaller > larger && field.value != NULL && other.value != NULL) { /* false where one is no number */
        TELL(c, field, SY_RULE_MEASUREMENT_TIMES, "'%s' is above '%s', which is %.*s", field.value->name,
             other.value->name, (int)other.value->text_length, other.value->text);
    }
}

static void check_times(const check *c)
{
    double p50 = look_time(c, "p50_seconds");
    double p95 = look_time(c, "p95_seconds");
    double most = look_time(c, "max_seconds");
    check_order(c, p50, p95, "p50_seconds", "p95_seconds");
    check_order(c, p95, most, "p95_seconds", "max_seconds");
    if (isnan(p95)) {
        check_order(c, p50, most, "p50_seconds", "max_seconds");
    }
    sy_measurement_field count = sy_measurement_get(c->m, "sample_count");
    int64_t samples = 0;
    if (is_null(&count)) {
        if (c->is_measured && !sy_json_is_cut(c->m->document->json, c->m->value)) {
            TELL(c, count, SY_RULE_MEASUREMENT_INCOMPLETE, "a measured row has no 'sample_count'");
        }
    } else if (count.source != SY_FIELD_IN_FILE || !sy_json_is_integer(count.document->json, count.value, &samples) ||
               samples < 1) {
        TELL(c, count, SY_RULE_MEASUREMENT_SAMPLES, "'sample_count' must be a positive whole number, written as one");
    }
}

static bool is_time(const char *name)
{
    static const char *const names[] = {"p50_seconds", "p95_seconds", "max_seconds", "single_wall_seconds"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(sy_text_begins(name, "wall_") ? name + strlen("wall_") : name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Figures of a row: bytes and seconds are numbers or null, and not below zero unless they are a difference. Groups of
 * them are passed over. */
static void check_figures(const sy_document *document, const sy_json_value *object)
{
    const sy_json_value *member = object != NULL ? object->first : NULL;
    for (; member != NULL; member = member->next) {
        bool is_bytes = sy_text_ends(member->name, "_bytes");
        bool is_figure = is_bytes || sy_text_ends(member->name, "_seconds");
        bool is_group = member->kind == SY_JSON_OBJECT && !is_bytes && !is_time(member->name);
        if (!is_figure || is_group || member->kind == SY_JSON_NULL) {
            continue;
        }
        char what[160];
        (void)snprintf(what, sizeof what, "'%s'", member->name);
        if (sy_look_kind(document, member, what, SY_JSON_NUMBER) && member->number < 0 &&
            strstr(member->name, "delta") == NULL && !isinf(member->number)) {
            sy_complain(document, member, SY_RULE_MEASUREMENT_FIGURE, "'%s' is below zero", member->name);
        }
    }
}

/* ---- parity ---- */

#define READABLE "only a text that begins with passed, failed, incomplete or not performed is read"

/* Whether the coverage document reads something else than a pass out of a text that is unknown to machines. */
static bool is_shown_otherwise(const sy_measurement *m)
{
    return strcmp(sy_parity_label(sy_measurement_text(m, "parity")), "Pass") != 0;
}

static bool is_unknown(const sy_measurement *m)
{
    return m->state == SY_GATE_MEASURED && m->parity == SY_PARITY_WORD_UNKNOWN &&
           sy_measurement_text(m, "parity") != NULL && !is_shown_otherwise(m);
}

/* Tells of the rows from first to last, which stand in one document, where the first of them stands. */
static void remark_unknown(const sy_measurement *first, const sy_measurement *last, size_t count)
{
    sy_text names = SY_TEXT_INIT;
    size_t left = count;
    for (const sy_measurement *m = first; m <= last && names.length < NAMES_BYTES_MAX; m++) {
        if (is_unknown(m)) {
            sy_text_append_format(&names, "%s%s", left == count ? "" : ", ", m->id);
            left--;
        }
    }
    if (left > 0) {
        sy_text_append_format(&names, " and %zu more", left);
    }
    sy_measurement_field field = sy_measurement_get(first, "parity");
    sy_remark(field.document, field.value, SY_RULE_PARITY_UNKNOWN,
              "the parity of %zu measured %s is unknown (%s): " READABLE, count, count == 1 ? "row" : "rows",
              sy_text_bytes(&names));
    sy_text_finish(&names);
}

void sy_measurements_remark(const sy_gates_part *part)
{
    const sy_measurement *first = NULL, *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < part->measurement_count; i++) {
        const sy_measurement *m = &part->measurements[i];
        if (!is_unknown(m)) {
            continue;
        }
        if (first != NULL && first->document != m->document) {
            remark_unknown(first, last, count);
            first = NULL;
        }
        count = first == NULL ? 1 : count + 1;
        first = first == NULL ? m : first;
        last = m;
    }
    if (first != NULL) {
        remark_unknown(first, last, count);
    }
}

static void check_parity(const check *c)
{
    sy_measurement_field field;
    if (!look_text(c, "parity", &field) || !c->is_measured) {
        return;
    }
    switch (c->m->parity) {
    case SY_PARITY_WORD_FAILED:
        TELL(c, field, SY_RULE_MEASUREMENT_PARITY, "a row is called measured although its parity failed");
        break;
    case SY_PARITY_WORD_INCOMPLETE:
    case SY_PARITY_WORD_NOT_PERFORMED:
        TELL(c, field, SY_RULE_MEASUREMENT_PARITY, "a row is called measured although its parity was %s",
             sy_parity_word_text(c->m->parity));
        break;
    case SY_PARITY_WORD_UNKNOWN:
        if (is_shown_otherwise(c->m)) {
            sy_remark(field.document, field.value, SY_RULE_PARITY_SHOWN,
                      "the parity of the measured row '%s' is unknown, although the coverage document calls it \"%s\" "
                      "for a word in its text: " READABLE,
                      c->m->id, sy_parity_label(sy_measurement_text(c->m, "parity")));
        }
        break;
    default:
        break;
    }
}

/* ---- provenance ---- */

static void check_date(const check *c)
{
    sy_measurement_field field;
    const char *why = NULL;
    if (look_text(c, "tested_date", &field) && field.value != NULL &&
        !sy_date_read(sy_measurement_text(c->m, "tested_date"), &why)) {
        TELL(c, field, SY_RULE_MEASUREMENT_DATE, "'%s' %s", field.value->name, why);
    }
}

static void check_digits(const check *c, const char *name, size_t digits, sy_rule_id rule)
{
    sy_measurement_field field;
    if (!look_text(c, name, &field) || sy_is_hex(sy_measurement_text(c->m, name), digits)) {
        return;
    }
    /* An imported revision is the artifact's, where it is told already. */
    bool is_told = c->m->is_imported && field.value->parent == c->m->artifact;
    if (!is_told) {
        TELL(c, field, rule, "'%s' must be %zu lower-case hexadecimal digits", name, digits);
    }
}

/* Where the registry's own row says that its evidence lies: a file below the root, perhaps with a part of it behind
 * '#'. One that is not there may be kept elsewhere. */
static void check_evidence(const check *c)
{
    sy_measurement_field field;
    if (c->m->is_imported || !look_text(c, "evidence", &field)) {
        return;
    }
    const sy_json_value *value = field.value;
    char path[1024];
    size_t length = strcspn(value->text, "#");
    if (length >= sizeof path) {
        sy_complain(c->m->document, value, SY_RULE_FILE_UNREADABLE, "'evidence' is too long a path");
        return;
    }
    memcpy(path, value->text, length);
    path[length] = '\0';
    if (sy_is_blank(path)) {
        sy_complain(c->m->document, value, SY_RULE_FIELD_BLANK, "'evidence' names no file");
    } else if (!sy_document_stays_below(path)) {
        sy_complain(c->m->document, value, SY_RULE_FILE_OUTSIDE,
                    "evidence must lie below the root and be named from there");
    } else if (!sy_document_exists(c->registry->set, path)) {
        sy_remark(c->m->document, value, SY_RULE_EVIDENCE_UNVERIFIED, "the evidence '%s' is not here to be verified",
                  path);
    }
}

/* ---- what was measured ---- */

/* A dimension's value; false: null, or none, or wrong, which is a finding. */
static bool look_dimension(const check *c, const char *name, int64_t *ret_value, bool *ret_is_wrong)
{
    sy_measurement_field field = sy_measurement_get(c->m, name);
    *ret_is_wrong = false;
    if (is_null(&field)) {
        return false;
    }
    bool is_whole = field.source == SY_FIELD_AS_WHOLE;
    *ret_value = field.whole;
    is_whole = is_whole ||
               (field.source == SY_FIELD_IN_FILE && sy_json_is_integer(field.document->json, field.value, ret_value));
    if (!is_whole || *ret_value < 1) {
        *ret_is_wrong = true;
        TELL(c, field, SY_RULE_DIMENSION, "'%s' must be a positive whole number, written as one, or null", name);
        return false;
    }
    return true;
}

static void check_dimensions(const check *c)
{
    const sy_gate_protocol *p = c->part->protocol;
    int64_t value = 0;
    bool is_wrong = false;
    for (size_t i = SY_FIELD_COMMON_COUNT; i < p->field_count; i++) {
        if (p->fields[i].kind == SY_FIELD_IS_DIMENSION) {
            (void)look_dimension(c, p->fields[i].name, &value, &is_wrong);
            continue;
        }
        sy_measurement_field field = sy_measurement_get(c->m, p->fields[i].name);
        if (p->fields[i].is_required || !is_null(&field)) {
            (void)look_text(c, p->fields[i].name, &field);
        }
    }
    for (size_t i = 0; i < p->quotient_count; i++) {
        const char *name = p->fields[p->quotients[i].quotient].name;
        int64_t dividend = 0, divisor = 0, quotient = 0;
        if (!look_dimension(c, p->fields[p->quotients[i].dividend].name, &dividend, &is_wrong) ||
            !look_dimension(c, p->fields[p->quotients[i].divisor].name, &divisor, &is_wrong)) {
            continue;
        }
        bool is_there = look_dimension(c, name, &quotient, &is_wrong);
        if (!is_wrong && (!is_there || quotient != dividend / divisor)) {
            sy_measurement_field field = sy_measurement_get(c->m, name);
            TELL(c, field, SY_RULE_QUOTIENT, "'%s' must be %lld, which is '%s' by '%s'", name,
                 (long long)(dividend / divisor), p->fields[p->quotients[i].dividend].name,
                 p->fields[p->quotients[i].divisor].name);
        }
    }
}

static void check_computer(const check *c)
{
    const sy_gate_protocol *p = c->part->protocol;
    bool is_own_word = !c->m->is_imported || sy_json_member(c->m->override, "computer") != NULL;
    if (is_own_word && c->m->computer != NULL && p->computer_count > 0 &&
        sy_id_table_get(p->computers, c->m->computer) == NULL) {
        sy_measurement_field field = sy_measurement_get(c->m, "computer");
        TELL(c, field, SY_RULE_COMPUTER_UNKNOWN, "no such computer is known");
    }
}

void sy_measurement_check(sy_registry *registry, const sy_gates_part *part, const sy_measurement *measurement)
{
    check c = {registry, part, measurement, measurement->state == SY_GATE_MEASURED};
    sy_measurement_field field;
    check_computer(&c);
    check_times(&c);
    check_figures(measurement->document, measurement->value);
    check_figures(measurement->override_source, measurement->override);
    check_parity(&c);
    check_date(&c);
    (void)look_text(&c, "device", &field);
    if (!measurement->is_imported || measurement->artifact != NULL) { /* else that is what is wrong */
        check_digits(&c, "source_revision", 40, SY_RULE_REVISION_FORM);
    }
    check_digits(&c, "fixture_sha256", 64, SY_RULE_DIGEST_FORM);
    (void)look_text(&c, "fixture_id", &field);
    check_evidence(&c);
    check_dimensions(&c);
}
