/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of the coverage document: numbers and texts as the published documents show them. */
#include "registry/gates/coverage_columns.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "registry/files/python_text.h"
#include "registry/gates/measurements.h"

#define TIMES "\xc3\x97"
#define GIBIBYTE 1073741824.0

/* ---- columns ---- */

static bool read_kind(const char *word, sy_column_kind *ret_kind)
{
    static const char *const words[] = {
#define SY_COLUMN_WORD(name, word) word,
        SY_COLUMN_KINDS(SY_COLUMN_WORD)
#undef SY_COLUMN_WORD
    };
    for (size_t i = 0; i < SY_COLUMN_KIND_COUNT; i++) {
        if (strcmp(words[i], word) == 0) {
            *ret_kind = (sy_column_kind)i;
            return true;
        }
    }
    return false;
}

static bool read_column(const sy_gate_protocol *p, const sy_json_value *value, sy_column *to)
{
    if (!sy_look_kind(p->coverage_document, value, "a column", SY_JSON_OBJECT)) {
        return false;
    }
    const char *word = sy_look_text(p->coverage_document, value, "show");
    to->title = sy_look_text(p->coverage_document, value, "title");
    const sy_json_value *fields = sy_look(p->coverage_document, value, "of", SY_JSON_ARRAY);
    if (word == NULL || to->title == NULL || fields == NULL) {
        return false;
    }
    if (!read_kind(word, &to->kind)) {
        sy_complain(p->coverage_document, sy_json_member(value, "show"), SY_RULE_GATE_PROTOCOL,
                    "no column is shown like that");
        return false;
    }
    for (const sy_json_value *field = fields->first; field != NULL; field = field->next) {
        if (field->kind != SY_JSON_TEXT || to->field_count == 2) {
            sy_complain(p->coverage_document, field, SY_RULE_GATE_PROTOCOL,
                        "a column shows at most two fields, by their names");
            return false;
        }
        to->fields[to->field_count] = field->text;
        to->indices[to->field_count++] = sy_gate_protocol_field(p, field->text);
    }
    bool is_enough = to->field_count >= (to->kind == SY_COLUMN_DIMENSIONS ? 0u : to->kind == SY_COLUMN_SHAPE ? 2u : 1u);
    if (!is_enough) {
        sy_complain(p->coverage_document, fields, SY_RULE_GATE_PROTOCOL, "a column shows a field, a shape two");
    }
    return is_enough;
}

bool sy_columns_read(sy_arena *arena, const sy_gate_protocol *protocol, const char *name, sy_columns *ret_columns)
{
    const sy_json_value *list = sy_look(protocol->coverage_document, protocol->coverage, name, SY_JSON_ARRAY);
    size_t count = list != NULL ? list->count : 0;
    *ret_columns = (sy_columns){sy_arena_allocate(arena, count, sizeof *ret_columns->columns), 0};
    if (ret_columns->columns == NULL) {
        return false;
    }
    for (const sy_json_value *value = count > 0 ? list->first : NULL; value != NULL; value = value->next) {
        ret_columns->count += read_column(protocol, value, &ret_columns->columns[ret_columns->count]);
    }
    return true;
}

void sy_columns_append_head(sy_text *to, const sy_columns *columns)
{
    sy_text_append(to, "|");
    for (size_t i = 0; i < columns->count; i++) {
        sy_text_append(to, " ");
        sy_cell_append(to, columns->columns[i].title);
        sy_text_append(to, " |");
    }
    sy_text_append(to, "\n|");
    for (size_t i = 0; i < columns->count; i++) {
        sy_text_append(to, "---|");
    }
    sy_text_append(to, "\n");
}

/* ---- cells ---- */

static void append_bytes(sy_text *to, const char *text, size_t length)
{
    if (memchr(text, '|', length) == NULL && memchr(text, '\n', length) == NULL) {
        sy_text_append_bytes(to, text, length);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '|') {
            sy_text_append_bytes(to, "\\|", 2);
        } else {
            sy_text_append_bytes(to, text[i] == '\n' ? " " : text + i, 1);
        }
    }
}

void sy_cell_append(sy_text *to, const char *text)
{
    if (text == NULL || *text == '\0') {
        sy_text_append(to, "n/a");
        return;
    }
    append_bytes(to, text, strlen(text));
}

static bool is_given(const sy_measurement_field *field)
{
    return field->source == SY_FIELD_AS_TEXT || field->source == SY_FIELD_AS_WHOLE ||
           (field->source == SY_FIELD_IN_FILE && field->value->kind != SY_JSON_NULL);
}

static void append_value(sy_text *to, const sy_measurement_field *field)
{
    if (field->source == SY_FIELD_AS_TEXT) {
        append_bytes(to, field->text, strlen(field->text));
    } else if (field->source == SY_FIELD_AS_WHOLE) {
        sy_text_append_format(to, "%lld", (long long)field->whole);
    } else if (field->source == SY_FIELD_IN_FILE && field->value->kind == SY_JSON_TEXT) {
        append_bytes(to, field->value->text, field->value->text_length);
    } else {
        sy_python_append_str(to, field->value);
    }
}

static bool is_empty(const sy_measurement_field *field)
{
    return !is_given(field) ||
           (field->source == SY_FIELD_IN_FILE && field->value->kind == SY_JSON_TEXT && field->value->text_length == 0);
}

static void append_number(sy_text *to, sy_column_kind kind, const sy_measurement_field *field)
{
    bool is_number = field->source == SY_FIELD_IN_FILE && field->value->kind == SY_JSON_NUMBER;
    double value = is_number ? field->value->number : NAN;
    if (!isfinite(value)) {
        sy_text_append(to, "n/a");
    } else if (kind == SY_COLUMN_SECONDS) {
        bool is_short = value < 0.1;
        sy_text_append_format(to, is_short ? "%.3f ms" : "%.6f s", is_short ? value * 1000 : value);
    } else if (trunc(value) == 0) {
        sy_text_append(to, "0 B");
    } else {
        sy_text_append_format(to, "%.3f GiB", trunc(value) / GIBIBYTE);
    }
}

static const char *text_of(const sy_measurement_field *field)
{
    if (field->source == SY_FIELD_AS_TEXT) {
        return field->text;
    }
    return field->source == SY_FIELD_IN_FILE && field->value->kind == SY_JSON_TEXT ? field->value->text : NULL;
}

static void append_cell(sy_text *to, sy_column_kind kind, const sy_measurement_field fields[2])
{
    const sy_measurement_field *shown = is_empty(&fields[0]) ? &fields[1] : &fields[0];
    const char *text = text_of(&fields[0]);
    switch (kind) {
    case SY_COLUMN_SHAPE:
        if (is_given(&fields[0]) && is_given(&fields[1])) {
            append_value(to, &fields[0]);
            sy_text_append(to, " " TIMES " ");
            append_value(to, &fields[1]);
        } else {
            sy_text_append(to, "n/a");
        }
        break;
    case SY_COLUMN_SECONDS:
    case SY_COLUMN_BYTES:
        append_number(to, kind, &fields[0]);
        break;
    case SY_COLUMN_PARITY:
        sy_text_append(to, sy_parity_label(text));
        break;
    case SY_COLUMN_REVISION:
        if (text == NULL || *text == '\0') {
            sy_text_append(to, "n/a");
        } else {
            append_bytes(to, text, strnlen(text, 8));
        }
        break;
    case SY_COLUMN_STATE: {
        sy_gate_state state = sy_gate_state_read(text);
        sy_cell_append(to, state != SY_GATE_STATE_UNKNOWN ? sy_gate_state_label(state) : text);
        break;
    }
    case SY_COLUMN_CODE:
        sy_text_append(to, "`");
        append_value(to, &fields[0]);
        sy_text_append(to, "`");
        break;
    default:
        if (is_empty(shown)) {
            sy_text_append(to, "n/a");
        } else {
            append_value(to, shown);
        }
        break;
    }
}

/* ---- rows ---- */

static sy_measurement_field gate_field(const sy_gate *gate, const sy_json_value *const *own, size_t index)
{
    const sy_json_value *value = index != SIZE_MAX ? own[index] : NULL;
    if (value == NULL && index != SIZE_MAX && gate->inherited != NULL) {
        value = gate->inherited[index];
    }
    return (sy_measurement_field){value != NULL ? SY_FIELD_IN_FILE : SY_FIELD_ABSENT, NULL, value, NULL, 0};
}

/* One dimension of the many that such a cell shows. */
static void append_dimension(sy_text *to, const char *name, const sy_measurement_field *field, bool *is_first)
{
    if (is_given(field)) {
        sy_text_append(to, *is_first ? "" : ", ");
        sy_cell_append(to, name);
        sy_text_append(to, " ");
        append_value(to, field);
        *is_first = false;
    }
}

static void append_gate_dimensions(sy_text *to, const sy_gate_protocol *protocol, const sy_gate *gate,
                                   const sy_json_value *const *own)
{
    bool is_first = true;
    for (size_t i = SY_FIELD_COMMON_COUNT; i < protocol->field_count; i++) {
        sy_measurement_field field = gate_field(gate, own, i);
        if (protocol->fields[i].kind == SY_FIELD_IS_DIMENSION) {
            append_dimension(to, protocol->fields[i].name, &field, &is_first);
        }
    }
    sy_text_append(to, is_first ? "n/a" : "");
}

static void append_measurement_dimensions(sy_text *to, const sy_gate_protocol *protocol,
                                          const sy_measurement *measurement)
{
    bool is_first = true;
    for (size_t i = SY_FIELD_COMMON_COUNT; i < protocol->field_count; i++) {
        sy_measurement_field field = sy_measurement_get(measurement, protocol->fields[i].name);
        if (protocol->fields[i].kind == SY_FIELD_IS_DIMENSION) {
            append_dimension(to, protocol->fields[i].name, &field, &is_first);
        }
    }
    sy_text_append(to, is_first ? "n/a" : "");
}

void sy_columns_append_gate(sy_text *to, const sy_columns *columns, const sy_gate_protocol *protocol,
                            const sy_gate *gate, const sy_json_value **own)
{
    sy_gate_protocol_sort(protocol, gate->value, own);
    sy_text_append(to, "|");
    for (size_t i = 0; i < columns->count; i++) {
        const sy_column *column = &columns->columns[i];
        sy_text_append(to, " ");
        if (column->kind == SY_COLUMN_DIMENSIONS) {
            append_gate_dimensions(to, protocol, gate, own);
        } else {
            sy_measurement_field fields[2] = {{SY_FIELD_ABSENT, NULL, NULL, NULL, 0},
                                              {SY_FIELD_ABSENT, NULL, NULL, NULL, 0}};
            for (size_t k = 0; k < column->field_count; k++) {
                fields[k] = gate_field(gate, own, column->indices[k]);
            }
            append_cell(to, column->kind, fields);
        }
        sy_text_append(to, " |");
    }
    sy_text_append(to, "\n");
}

void sy_columns_append_measurement(sy_text *to, const sy_columns *columns, const sy_gate_protocol *protocol,
                                   const sy_measurement *measurement)
{
    sy_text_append(to, "|");
    for (size_t i = 0; i < columns->count; i++) {
        const sy_column *column = &columns->columns[i];
        sy_text_append(to, " ");
        if (column->kind == SY_COLUMN_DIMENSIONS) {
            append_measurement_dimensions(to, protocol, measurement);
        } else {
            sy_measurement_field fields[2] = {{SY_FIELD_ABSENT, NULL, NULL, NULL, 0},
                                              {SY_FIELD_ABSENT, NULL, NULL, NULL, 0}};
            for (size_t k = 0; k < column->field_count; k++) {
                fields[k] = sy_measurement_get(measurement, column->fields[k]);
            }
            append_cell(to, column->kind, fields);
        }
        sy_text_append(to, " |");
    }
    sy_text_append(to, "\n");
}
