/* SPDX-License-Identifier: Apache-2.0 */
/* Complains about paths into somebody's home; what is one, record/home_path.h says. */
#include "registry/files/private_path.h"

#include "record/home_path.h"
#include "registry/files/look.h"

bool sy_find_private_path(const char *text, size_t length, size_t *ret_at)
{
    sy_home_scan scan = {.text = text, .length = length, .tilde_too = true};
    sy_home_path path;
    if (!sy_home_scan_next(&scan, &path)) {
        return false;
    }
    *ret_at = path.word;
    return true;
}

/* The next value in file order below top; NULL behind the last. */
static const sy_json_value *next_value(const sy_json_value *value, const sy_json_value *top)
{
    if (value->first != NULL) {
        return value->first;
    }
    while (value != top && value->next == NULL) {
        value = value->parent;
    }
    return value == top ? NULL : value->next;
}

void sy_complain_private_paths(const sy_document *document, const sy_json_value *value)
{
    size_t at = 0;
    for (const sy_json_value *each = value; each != NULL; each = next_value(each, value)) {
        if (each->name != NULL && sy_find_private_path(each->name, each->name_length, &at)) {
            sy_complain_name(document, each, SY_RULE_PRIVATE_PATH, "the name '%s' holds a path in somebody's home",
                             each->name);
        }
        if (each->kind == SY_JSON_TEXT && sy_find_private_path(each->text, each->text_length, &at)) {
            sy_complain(document, each, SY_RULE_PRIVATE_PATH,
                        "a path in somebody's home; name the data instead, or a path from the root");
        }
    }
}
