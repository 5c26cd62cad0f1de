/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a runbook asks of a machine in words that a machine understands: its list "checks". */
#include <string.h>

#include "base/text.h"
#include "registry/gates/gate_plan.h"

static const char *const check_words[] = {
#define CHECK_WORD(name, word) [SY_GATE_CHECK_##name] = (word),
    SY_GATE_CHECK_LIST(CHECK_WORD)
#undef CHECK_WORD
};
enum { CHECK_COUNT = sizeof check_words / sizeof check_words[0] };

const char *sy_gate_check_word(sy_gate_check_kind kind)
{
    return (size_t)kind < CHECK_COUNT ? check_words[kind] : "unknown";
}

typedef struct check_reading {
    sy_arena *arena;
    const sy_document *document;
    const sy_json_value *value; /* of the check, an object */
    sy_gate_check *to;
    bool out_of_memory;
} check_reading;

static bool read_size(const check_reading *r)
{
    const char *text = sy_look_text(r->document, r->value, "at_least");
    if (text == NULL) {
        return false;
    }
    if (sy_parse_bytes(text, &r->to->bytes, NULL) != SY_OK || r->to->bytes == 0) {
        sy_complain(r->document, sy_json_member(r->value, "at_least"), SY_RULE_RUNBOOK_CHECK,
                    "'at_least' must be a size such as 6GiB");
        return false;
    }
    return true;
}

static bool read_number(const check_reading *r, const char *name, double most, const char *what)
{
    const sy_json_value *value = sy_look(r->document, r->value, name, SY_JSON_NUMBER);
    if (value == NULL) {
        return false;
    }
    if (!(value->number > 0) || value->number > most) {
        sy_complain(r->document, value, SY_RULE_RUNBOOK_CHECK, "'%s' must be %s", name, what);
        return false;
    }
    r->to->number = value->number;
    return true;
}

static bool read_file(const check_reading *r)
{
    const char *path = sy_look_text(r->document, r->value, "path");
    const char *digest = "";
    if (path != NULL && !sy_document_stays_below(path)) {
        sy_complain(r->document, sy_json_member(r->value, "path"), SY_RULE_FILE_OUTSIDE,
                    "a path is relative and stays below the root");
        return false;
    }
    if (sy_json_member(r->value, "sha256") != NULL) {
        digest = sy_look_text(r->document, r->value, "sha256");
        if (digest != NULL && !sy_is_hex(digest, 64)) {
            sy_complain(r->document, sy_json_member(r->value, "sha256"), SY_RULE_DIGEST_FORM,
                        "a digest is 64 lower-case hexadecimal digits");
            digest = NULL;
        }
    }
    r->to->text = path;
    r->to->sha256 = digest;
    return path != NULL && digest != NULL;
}

static bool read_argv(check_reading *r)
{
    const sy_json_value *list = sy_look(r->document, r->value, "argv", SY_JSON_ARRAY);
    if (list == NULL) {
        return false;
    }
    if (list->count == 0) {
        sy_complain(r->document, list, SY_RULE_RUNBOOK_CHECK, "'argv' must name a program");
        return false;
    }
    const char **argv = sy_arena_allocate(r->arena, list->count + 1, sizeof *argv);
    if (argv == NULL) {
        r->out_of_memory = true;
        return false;
    }
    for (const sy_json_value *item = list->first; item != NULL; item = item->next) {
        bool is_program = r->to->argc == 0;
        if (item->kind != SY_JSON_TEXT || (is_program && sy_is_blank(item->text)) ||
            strlen(item->text) != item->text_length) {
            sy_complain(r->document, item, SY_RULE_RUNBOOK_CHECK, "each element of 'argv' must be a text%s",
                        is_program ? " that names a program" : "");
            return false;
        }
        argv[r->to->argc++] = item->text;
    }
    r->to->argv = argv;
    return true;
}

static bool read_kind(check_reading *r)
{
    switch (r->to->kind) {
    case SY_GATE_CHECK_FREE_MEMORY:
        return read_size(r);
    case SY_GATE_CHECK_LOAD:
        return read_number(r, "at_most", 1e6, "a number above 0");
    case SY_GATE_CHECK_CLOCK:
        return read_number(r, "at_least", 1, "a share of the highest clock, above 0 and at most 1");
    case SY_GATE_CHECK_GOVERNOR:
        r->to->text = sy_look_text(r->document, r->value, "is");
        return r->to->text != NULL;
    case SY_GATE_CHECK_FILE:
        return read_file(r);
    case SY_GATE_CHECK_COMMAND:
        return read_argv(r);
    case SY_GATE_CHECK_HARDWARE:
        return true;
    }
    return false;
}

/* The members that a check may have, besides "check" and "required". */
static bool has_only_its_members(const check_reading *r)
{
    static const char *const own[CHECK_COUNT][2] = {
        [SY_GATE_CHECK_FREE_MEMORY] = {"at_least", ""},
        [SY_GATE_CHECK_LOAD] = {"at_most", ""},
        [SY_GATE_CHECK_GOVERNOR] = {"is", ""},
        [SY_GATE_CHECK_CLOCK] = {"at_least", ""},
        [SY_GATE_CHECK_HARDWARE] = {"", ""},
        [SY_GATE_CHECK_FILE] = {"path", "sha256"},
        [SY_GATE_CHECK_COMMAND] = {"argv", ""},
    };
    const char *const *known = own[r->to->kind];
    for (const sy_json_value *member = r->value->first; member != NULL; member = member->next) {
        if (strcmp(member->name, "check") != 0 && strcmp(member->name, "required") != 0 &&
            strcmp(member->name, known[0]) != 0 && strcmp(member->name, known[1]) != 0) {
            sy_complain_name(r->document, member, SY_RULE_RUNBOOK_CHECK, "a check of %s has no member '%s'",
                             check_words[r->to->kind], member->name);
            return false;
        }
    }
    return true;
}

static bool find_kind(const check_reading *r)
{
    const char *word = sy_look_text(r->document, r->value, "check");
    for (size_t i = 0; word != NULL && i < CHECK_COUNT; i++) {
        if (strcmp(word, check_words[i]) == 0) {
            r->to->kind = (sy_gate_check_kind)i;
            return true;
        }
    }
    if (word != NULL) {
        sy_text known = SY_TEXT_INIT;
        for (size_t i = 0; i < CHECK_COUNT; i++) {
            sy_text_append_format(&known, "%s%s", i > 0 ? ", " : "", check_words[i]);
        }
        sy_complain(r->document, sy_json_member(r->value, "check"), SY_RULE_RUNBOOK_CHECK, "known checks are %s",
                    sy_text_bytes(&known));
        sy_text_finish(&known);
    }
    return false;
}

/* True: *r->to is whole. */
static bool read_check(check_reading *r)
{
    *r->to = (sy_gate_check){.text = "", .sha256 = "", .required = true};
    if (!sy_look_kind(r->document, r->value, "a check", SY_JSON_OBJECT) || !find_kind(r) || !has_only_its_members(r)) {
        return false;
    }
    if (sy_json_member(r->value, "required") != NULL &&
        !sy_look_bool(r->document, r->value, "required", &r->to->required)) {
        return false;
    }
    return read_kind(r);
}

bool sy_gate_checks_read(sy_arena *arena, const sy_document *document, const sy_json_value *runbook,
                         const sy_gate_check **ret_checks, size_t *ret_count, bool *ret_whole)
{
    const sy_json_value *at = sy_json_member(runbook, "checks");
    const sy_json_value *list = sy_look_optional(document, runbook, "checks", SY_JSON_ARRAY);
    bool whole = at == NULL || (list != NULL && !sy_json_is_cut(document->json, list));
    size_t count = 0;
    sy_gate_check *checks = NULL;
    if (list != NULL && list->count > 0) {
        checks = sy_arena_allocate(arena, list->count, sizeof *checks);
        if (checks == NULL) {
            return false;
        }
        for (const sy_json_value *value = list->first; value != NULL; value = value->next) {
            check_reading reading = {arena, document, value, &checks[count], false};
            bool is_read = read_check(&reading);
            if (reading.out_of_memory) {
                return false;
            }
            whole = whole && is_read;
            count += is_read;
        }
    }
    *ret_checks = checks;
    *ret_count = count;
    *ret_whole = whole;
    return true;
}
