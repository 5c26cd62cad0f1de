/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that is damaged in one of its rows. The rows of a benchmark file are the elements of an array that is the root
 * or one of its members: those that are no JSON are taken out of the text, each with its place, and the rest is read.
 * Whatever the damage, the text is passed over a fixed number of times. */
#include <string.h>

#include "base/error.h"
#include "importers/import/import_inside.h"
#include "importers/import/import_readers.h"

/* Nothing that benchmark tools write is nested deeper; NaN may be many. */
static const sy_json_limits limits = {0, 64, 1000000};

typedef struct mending {
    char *text;
    size_t size;
    sy_import_draft *draft;
    sy_import_list *blanks;
    const char *array; /* the name of the array, "" = the root */
    size_t index;      /* of the element */
    bool separated;    /* the array's bracket, or a comma, stands before what comes next */
    uint32_t junk_line;
    uint64_t budget;  /* of looking for ends */
    uint64_t counted; /* how far lines were counted, */
    uint64_t line_start;
    uint32_t line;
} mending;

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* In the text. Offsets must not go backwards: lines are counted on from the last. */
static sy_position position_of(mending *m, uint64_t offset)
{
    for (; m->counted < offset; m->counted++) {
        if (m->text[m->counted] == '\n') {
            m->line++;
            m->line_start = m->counted + 1;
        }
    }
    return (sy_position){offset, m->line, (uint32_t)(offset - m->line_start) + 1};
}

static void blank(mending *m, size_t from, size_t to, bool as_element)
{
    uint64_t *place = as_element ? sy_import_list_add(m->draft, m->blanks, sizeof *place) : NULL;

    for (size_t i = from; i < to; i++)
        m->text[i] = m->text[i] == '\n' ? '\n' : ' ';
    if (place != NULL) {
        m->text[from] = '0';
        *place = from;
    }
}

static sy_status reject(mending *m, size_t offset, const char *what)
{
    const char *slash = m->array[0] != '\0' ? "/" : "";
    char pointer[128];
    sy_text text = SY_TEXT_INIT;

    sy_text_append_format(&text, "%s%.60s/%zu", slash, m->array, m->index);
    (void)sy_text_copy(pointer, sizeof pointer, sy_text_bytes(&text));
    m->draft->failed = m->draft->failed || text.failed;
    sy_text_finish(&text);
    sy_import_reject_at(m->draft, sy_import_place(m->draft, position_of(m, offset), m->index), pointer,
                        "this row is no JSON: %s", what);
    return m->draft->failed ? SY_NO_MEMORY : SY_OK;
}

static size_t skip_space(const mending *m, size_t at)
{
    while (at < m->size && is_space(m->text[at]))
        at++;
    return at;
}

/* What is between from and to and is no JSON. It stood for an element if a comma is on both sides of it; else it is a
 * line that something else printed. */
static sy_status mend_junk(mending *m, size_t from, size_t to, const sy_error *wrong)
{
    size_t next = skip_space(m, to);
    bool is_element = m->separated && (m->text[from] == '{' || m->text[from] == '[' || m->text[from] == '"' ||
                                       (next < m->size && (m->text[next] == ',' || m->text[next] == ']')));
    sy_status status = SY_OK;

    if (is_element || position_of(m, from).line != m->junk_line)
        status = reject(m, from + (size_t)wrong->position.offset, wrong->what);
    m->junk_line = m->line;
    blank(m, from, to, is_element);
    m->index += is_element;
    m->separated = m->separated && !is_element;
    return status;
}

/* One element, from its first byte to behind its last. */
static sy_status mend_element(mending *m, size_t from, size_t to)
{
    sy_error wrong = SY_ERROR_INIT;
    sy_json *json = NULL;
    sy_status status;

    while (to > from && is_space(m->text[to - 1]))
        to--;
    status = sy_json_parse(m->text + from, to - from, &limits, &json, &wrong);
    sy_json_destroy(json);
    if (status == SY_NO_MEMORY)
        return status;
    if (status != SY_OK)
        return mend_junk(m, from, to, &wrong);
    if (m->separated) {
        m->separated = false;
        m->index++;
        return SY_OK;
    }
    blank(m, from, to, false);
    return reject(m, from, "no comma stands before it");
}

/* Goes through the array that begins before `at`. What ends before the damage is known to be whole. */
static sy_status mend_elements(mending *m, size_t at, size_t damage)
{
    size_t comma = 0;
    sy_status status = SY_OK;

    m->separated = true;
    while (status == SY_OK && at < m->size && m->text[at] != ']' && m->text[at] != '}') {
        size_t end = at + 1;

        if (m->text[at] == ',') {
            if (m->separated)
                m->text[at] = ' ';
            else
                comma = at;
            m->separated = true;
        } else if (!is_space(m->text[at])) {
            end = sy_import_element_end(m->text, m->size, at, &m->budget);
            if (end == m->size) /* it is cut: the reader will see it so */
                return SY_OK;
            if (end >= damage) {
                status = mend_element(m, at, end);
            } else {
                m->separated = false;
                m->index++;
            }
        }
        at = end;
    }
    if (at < m->size && m->separated && comma > 0)
        m->text[comma] = ' ';
    return status;
}

/* The array of rows in which the damage stands, or NULL. An array of numbers is none: what would stand in the place of
 * one that was taken out? */
static const sy_json_value *damaged_array(const sy_json *json)
{
    const sy_json_value *value = sy_json_root(json);

    if (value != NULL && value->kind == SY_JSON_OBJECT) {
        value = value->first;
        while (value != NULL && !sy_json_is_cut(json, value))
            value = value->next;
    }
    return value != NULL && value->kind == SY_JSON_ARRAY && sy_json_is_cut(json, value) && value->first != NULL &&
                   value->first->kind == SY_JSON_OBJECT
               ? value
               : NULL;
}

static sy_status mend_rows(const sy_json *json, size_t damage, mending *m)
{
    const sy_json_value *array = damaged_array(json);
    sy_text name = SY_TEXT_INIT;
    sy_status status = SY_OK;

    if (array == NULL)
        return SY_OK;
    if (array->name != NULL)
        sy_text_append_bytes(&name, array->name, array->name_length);
    m->array = sy_text_bytes(&name);
    status = name.failed ? SY_NO_MEMORY : mend_elements(m, (size_t)array->offset + 1, damage);
    sy_text_finish(&name);
    return status;
}

static bool mend_known(char *text, size_t size, uint64_t damage, const sy_import_reader *const *readers,
                       size_t reader_count, sy_import_draft *draft)
{
    bool mended = false;

    for (size_t i = 0; i < reader_count && !mended; i++)
        mended = readers[i]->mend != NULL && readers[i]->mend(text, size, damage, draft);
    return mended;
}

sy_status sy_import_parse_damaged(char *text, size_t size, const sy_import_reader *const *readers, size_t reader_count,
                                  sy_import_draft *draft, sy_import_list *blanks, sy_json **ret_json,
                                  sy_error *ret_rest, sy_error *err)
{
    mending m = {.text = text,
                 .size = size,
                 .draft = draft,
                 .blanks = blanks,
                 .array = "",
                 .line = 1,
                 .budget = SY_IMPORT_LOOKS * (uint64_t)size};
    sy_error wrong = SY_ERROR_INIT;
    sy_json *json = NULL;
    sy_status status = sy_json_parse_prefix(text, size, &limits, &json, &wrong);

    if (status == SY_CORRUPT && mend_known(text, size, wrong.position.offset, readers, reader_count, draft)) {
        sy_json_destroy(json);
        json = NULL;
        status = sy_json_parse_prefix(text, size, &limits, &json, &wrong);
    }
    if ((status == SY_CORRUPT || status == SY_LIMIT_EXCEEDED) && json != NULL && damaged_array(json) != NULL) {
        status = mend_rows(json, (size_t)wrong.position.offset, &m);
        sy_json_destroy(json);
        json = NULL;
        if (status == SY_OK)
            status = sy_json_parse_prefix(text, size, &limits, &json, &wrong);
    }
    if (status == SY_NO_MEMORY) {
        sy_json_destroy(json);
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu bytes of JSON", size);
    }
    if (status != SY_OK && json == NULL) {
        if (err != NULL)
            *err = wrong;
        return status;
    }
    if (status != SY_OK)
        *ret_rest = wrong;
    *ret_json = json;
    return SY_OK;
}
