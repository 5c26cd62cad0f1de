/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, texts and numbers of JSON files; every value that is not understood is told with its place. */
#include "importers/import/import_json.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "importers/import/import_inside.h"

enum { SETTINGS_MAX = 4096, SETTING_NAME_MAX = 256 };

sy_position sy_import_position(const sy_import_draft *draft, const sy_json *json, const sy_json_value *value)
{
    const sy_json_value *element = value;

    while (element->depth > 1)
        element = element->parent;
    return sy_import_place(draft, sy_json_position(json, value->offset), element->depth == 1 ? element->index : 0);
}

void sy_import_reject_value(sy_import_draft *draft, const sy_json *json, const sy_json_value *value, const char *format,
                            ...)
{
    sy_text pointer = SY_TEXT_INIT;
    va_list arguments;

    sy_json_pointer(value, &pointer);
    draft->failed = draft->failed || pointer.failed;
    va_start(arguments, format);
    sy_import_reject_add(draft, sy_import_position(draft, json, value),
                         pointer.length <= SY_IMPORT_TEXT_MAX ? sy_text_bytes(&pointer) : "", format, arguments);
    va_end(arguments);
    sy_text_finish(&pointer);
}

void sy_import_reject_findings(sy_import_draft *draft, const sy_json *json)
{
    size_t count;
    const sy_json_finding *findings = sy_json_findings(json, &count);

    for (size_t i = 0; i < count; i++) {
        if (findings[i].kind == SY_JSON_DUPLICATE_KEY)
            sy_import_reject_value(draft, json, findings[i].value, "this name stood there before: the first is read");
        else if (findings[i].kind == SY_JSON_BAD_UTF8)
            sy_import_reject_value(draft, json, findings[i].value, "a byte of this text is no UTF-8: read as U+FFFD");
    }
}

void sy_import_reject_rest(sy_import_draft *draft, const sy_json *json, const sy_error *rest)
{
    const sy_json_value *cut = sy_json_root(json);
    size_t element = cut->kind == SY_JSON_ARRAY && cut->count > 0 ? cut->count - 1 : 0;
    sy_text pointer = SY_TEXT_INIT;

    for (const sy_json_value *child = cut; child != NULL;) {
        cut = sy_json_is_cut(json, child) ? child : cut;
        child = cut == child ? child->first : child->next;
    }
    sy_json_pointer(cut, &pointer);
    draft->failed = draft->failed || pointer.failed;
    sy_import_reject_at(draft, sy_import_place(draft, rest->position, element),
                        pointer.length <= SY_IMPORT_TEXT_MAX ? sy_text_bytes(&pointer) : "",
                        "nothing is read from here on: %s", rest->what);
    sy_text_finish(&pointer);
}

static bool is_blank(const sy_import_list *blanks, uint64_t offset)
{
    const uint64_t *places = blanks != NULL ? blanks->items : NULL;
    size_t low = 0;
    size_t high = blanks != NULL ? blanks->count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (places[middle] == offset)
            return true;
        if (places[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* The first from value on that is a row. */
static const sy_json_value *find_row(const sy_import_input *input, sy_import_draft *draft, const sy_json_value *value)
{
    for (; value != NULL; value = value->next) {
        if (is_blank(input->blanks, value->offset) || sy_json_is_cut(input->json, value))
            continue;
        if (value->kind == SY_JSON_OBJECT)
            return value;
        sy_import_reject_value(draft, input->json, value, "expected a result, found %s",
                               sy_json_kind_word(value->kind));
    }
    return NULL;
}

const sy_json_value *sy_import_first_row(const sy_import_input *input, sy_import_draft *draft,
                                         const sy_json_value *array)
{
    return array == NULL || array->kind != SY_JSON_ARRAY ? NULL : find_row(input, draft, array->first);
}

const sy_json_value *sy_import_next_row(const sy_import_input *input, sy_import_draft *draft, const sy_json_value *row)
{
    return find_row(input, draft, row->next);
}

const char *sy_import_text(sy_import_draft *draft, const sy_json *json, const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_json_member(object, name);

    if (value == NULL || value->kind == SY_JSON_NULL)
        return "";
    if (value->kind != SY_JSON_TEXT) {
        sy_import_reject_value(draft, json, value, "expected a text, found %s", sy_json_kind_word(value->kind));
        return "";
    }
    if (value->text_length > SY_IMPORT_TEXT_MAX) {
        sy_import_reject_value(draft, json, value, "a text of %zu bytes is longer than %d", value->text_length,
                               SY_IMPORT_TEXT_MAX);
        return "";
    }
    return sy_import_copy(draft, value->text, value->text_length);
}

const char *sy_import_words(sy_import_draft *draft, const sy_json *json, const sy_json_value *value)
{
    if (value == NULL)
        return NULL;
    if (value->kind == SY_JSON_TRUE)
        return "true";
    if (value->kind == SY_JSON_FALSE)
        return "false";
    if (value->kind != SY_JSON_TEXT && value->kind != SY_JSON_NUMBER)
        return NULL;
    if (value->text_length > SY_IMPORT_TEXT_MAX) {
        sy_import_reject_value(draft, json, value, "a text of %zu bytes is longer than %d", value->text_length,
                               SY_IMPORT_TEXT_MAX);
        return NULL;
    }
    return sy_import_copy(draft, value->text, value->text_length);
}

static bool is_listed(const sy_json_value *member, const char *const *names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        if (strlen(names[i]) == member->name_length && memcmp(names[i], member->name, member->name_length) == 0)
            return true;
    }
    return false;
}

typedef struct walk {
    sy_import_draft *draft;
    const sy_json *json;
    sy_import_visit *visit;
    sy_text name;
    size_t count;
} walk;

static void walk_value(walk *w, const sy_json_value *value, const char *const *skipped);

static void walk_child(walk *w, const sy_json_value *child)
{
    size_t length = w->name.length;

    if (length > 0)
        sy_text_append(&w->name, ".");
    if (child->name == NULL)
        sy_text_append_format(&w->name, "%zu", child->index);
    else if (child->name_length <= SETTING_NAME_MAX)
        sy_text_append_bytes(&w->name, child->name, child->name_length);
    if (w->name.length > SETTING_NAME_MAX || (child->name != NULL && child->name_length > SETTING_NAME_MAX))
        sy_import_reject_value(w->draft, w->json, child, "a name of more than %d bytes", SETTING_NAME_MAX);
    else
        walk_value(w, child, NULL);
    w->draft->failed = w->draft->failed || w->name.failed;
    if (length < w->name.length) {
        w->name.length = length;
        w->name.bytes[length] = '\0';
    }
}

/* JSON's depth is limited, so recursion is. */
static void walk_value(walk *w, const sy_json_value *value, const char *const *skipped)
{
    if (value->kind != SY_JSON_OBJECT && value->kind != SY_JSON_ARRAY) {
        const char *words = sy_import_words(w->draft, w->json, value);

        if (words != NULL || value->kind == SY_JSON_NULL)
            w->visit(w->draft, sy_text_bytes(&w->name), words);
        return;
    }
    for (const sy_json_value *child = value->first; child != NULL && !w->draft->failed; child = child->next) {
        if (child->name != NULL && is_listed(child, skipped))
            continue;
        if (w->count > SETTINGS_MAX) /* told before */
            return;
        if (w->count++ == SETTINGS_MAX) {
            sy_import_reject_value(w->draft, w->json, child, "from here on more than %d values", SETTINGS_MAX);
            return;
        }
        walk_child(w, child);
    }
}

void sy_import_walk(sy_import_draft *draft, const sy_json *json, const char *prefix, const sy_json_value *value,
                    const char *const *skipped, sy_import_visit *visit)
{
    walk w = {.draft = draft, .json = json, .visit = visit};

    if (value == NULL)
        return;
    sy_text_append(&w.name, prefix);
    walk_value(&w, value, skipped);
    draft->failed = draft->failed || w.name.failed;
    sy_text_finish(&w.name);
}

static void visit_setting(sy_import_draft *draft, const char *name, const char *value)
{
    if (value != NULL)
        sy_import_setting(draft, name, value);
}

void sy_import_settings(sy_import_draft *draft, const sy_json *json, const char *prefix, const sy_json_value *value,
                        const char *const *skipped)
{
    sy_import_walk(draft, json, prefix, value, skipped, visit_setting);
}

void sy_import_reject_unknown(sy_import_draft *draft, const sy_json *json, const sy_json_value *object,
                              const char *const *known)
{
    for (const sy_json_value *member = object->first; member != NULL; member = member->next) {
        if (!is_listed(member, known))
            sy_import_reject_value(draft, json, member, "a member that is not read");
    }
}
