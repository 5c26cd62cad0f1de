/* SPDX-License-Identifier: Apache-2.0 */
/* Reads runbooks and holds each against its rules. */
#include "registry/gates/runbooks.h"

#include <string.h>

#include "base/text.h"
#include "registry/gates/gate_plan.h"

/* ---- commands ---- */

static size_t name_length(const char *at)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return strspn(at, letters) > 0 ? strspn(at, more) : 0;
}

/* The length of "{name}" (braces 1) or "{{name}}" (2) at `at`; 0: it is none. */
static size_t field_length(const char *at, size_t braces)
{
    if (strncmp(at, "{{", braces) != 0) {
        return 0;
    }
    size_t length = name_length(at + braces);
    return length > 0 && strncmp(at + braces + length, "}}", braces) == 0 ? length + 2 * braces : 0;
}

bool sy_command_next(const char **at, sy_command_piece *ret_piece)
{
    const char *from = *at;
    if (*from == '\0') {
        return false;
    }
    for (size_t braces = 2; braces > 0; braces--) {
        size_t length = field_length(from, braces);
        if (length > 0) {
            *ret_piece = (sy_command_piece){braces == 2 ? SY_PIECE_QUOTED : SY_PIECE_FIELD, from + braces,
                                            length - 2 * braces};
            *at = from + length;
            return true;
        }
    }
    const char *end = from + 1;
    while (*end != '\0' && field_length(end, 2) == 0 && field_length(end, 1) == 0) {
        end++;
    }
    *ret_piece = (sy_command_piece){SY_PIECE_TEXT, from, (size_t)(end - from)};
    *at = end;
    return true;
}

/* Whether a gate is asked to fill the piece: "${name}" is the shell's. */
static bool is_placeholder(const sy_runbook *runbook, const sy_command_piece *piece)
{
    const char *brace = piece->text - 1;
    return piece->kind == SY_PIECE_FIELD && (brace == runbook->command || brace[-1] != '$');
}

static bool read_placeholders(sy_arena *arena, sy_runbook *runbook)
{
    size_t most = 0;
    sy_command_piece piece;
    for (const char *at = runbook->command; sy_command_next(&at, &piece);) {
        most += is_placeholder(runbook, &piece);
    }
    if (most == 0) {
        return true;
    }
    sy_id_table *names = sy_id_table_create(arena, most);
    runbook->placeholders = sy_arena_allocate(arena, most, sizeof *runbook->placeholders);
    if (names == NULL || runbook->placeholders == NULL) {
        return false;
    }
    for (const char *at = runbook->command; sy_command_next(&at, &piece);) {
        if (!is_placeholder(runbook, &piece)) {
            continue;
        }
        sy_placeholder *placeholder = &runbook->placeholders[runbook->placeholder_count];
        placeholder->name = sy_arena_copy_bytes(arena, piece.text, piece.length);
        void *earlier = NULL;
        if (placeholder->name == NULL || !sy_id_table_put(names, placeholder->name, placeholder, &earlier)) {
            return false;
        }
        runbook->placeholder_count += earlier == NULL;
    }
    return true;
}

void sy_runbook_use(sy_runbook *runbook, const sy_gate *gate)
{
    runbook->gate_count++;
    for (size_t i = 0; i < runbook->placeholder_count; i++) {
        sy_placeholder *placeholder = &runbook->placeholders[i];
        if (!placeholder->is_filled) {
            const sy_json_value *value = sy_gate_field(gate, placeholder->name);
            placeholder->is_filled = value != NULL && value->kind != SY_JSON_NULL;
        }
    }
}

void sy_runbooks_remark(const sy_gates_part *part)
{
    for (size_t i = 0; i < part->runbook_count; i++) {
        const sy_runbook *runbook = &part->runbooks[i];
        for (size_t k = 0; k < runbook->placeholder_count && runbook->gate_count > 0; k++) {
            if (!runbook->placeholders[k].is_filled) {
                sy_remark(part->document, sy_json_member(runbook->value, "command"), SY_RULE_RUNBOOK_FIELD,
                          "no gate that uses this runbook has a value for {%s}", runbook->placeholders[k].name);
            }
        }
    }
}

/* ---- reading ---- */

/* Whether a reader of lines would see more than one: Unicode's breaks (UAX 14, classes BK, CR, LF, NL) and the
 * separators of ASCII count, too. */
static bool breaks_line(const char *text)
{
    return strpbrk(text, "\r\n\v\f\x1c\x1d\x1e") != NULL || strstr(text, "\xc2\x85") != NULL ||
           strstr(text, "\xe2\x80\xa8") != NULL || strstr(text, "\xe2\x80\xa9") != NULL;
}

/* A text that is there, not blank and on one line, else NULL. */
static const char *look_line(const sy_document *document, const sy_json_value *object, const char *name)
{
    const char *text = sy_look_text(document, object, name);
    if (text != NULL && breaks_line(text)) {
        sy_complain(document, sy_json_member(object, name), SY_RULE_RUNBOOK_COMMAND, "'%s' must stay on one line",
                    name);
        return NULL;
    }
    return text;
}

static void check_list(const sy_document *document, const sy_json_value *object, const char *name)
{
    const sy_json_value *list = sy_look(document, object, name, SY_JSON_ARRAY);
    for (const sy_json_value *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        if ((item->kind != SY_JSON_TEXT || sy_is_blank(item->text)) && !sy_json_is_cut(document->json, item)) {
            sy_complain(document, item, SY_RULE_RUNBOOK_LIST, "each element of '%s' must be a text that says something",
                        name);
        }
    }
}

static void complain_of_tier(const sy_gates_part *part, const sy_json_value *at)
{
    const sy_document *protocol = part->protocol->document;
    const sy_json_value *root = protocol != NULL ? sy_json_root(protocol->json) : NULL;
    const sy_json_value *tiers = root != NULL ? sy_json_member(root, "tiers") : NULL;
    sy_text known = SY_TEXT_INIT;
    for (const sy_json_value *tier = tiers != NULL ? tiers->first : NULL; tier != NULL; tier = tier->next) {
        if (tier->kind == SY_JSON_TEXT) {
            sy_text_append_format(&known, "%s'%s'", known.length > 0 ? ", " : "; known are ", tier->text);
        }
    }
    sy_complain(part->document, at, SY_RULE_RUNBOOK_TIER, "the protocol knows no such tier%s", sy_text_bytes(&known));
    sy_text_finish(&known);
}

/* The tier as the matrix names it; NULL: there is none, or no such tier is known, which is a finding where the protocol
 * is known. */
static const char *look_tier(const sy_gates_part *part, const sy_json_value *runbook)
{
    const char *text = sy_look_text(part->document, runbook, "tier");
    const char *tier = sy_id_table_get(part->protocol->tiers, text);
    if (text != NULL && tier == NULL && sy_id_table_count(part->protocol->tiers) > 0) {
        complain_of_tier(part, sy_json_member(runbook, "tier"));
    }
    return tier;
}

static bool read_runbook(sy_arena *arena, const sy_gates_part *part, const sy_json_value *value, sy_runbook *to)
{
    const sy_document *document = part->document;
    *to = (sy_runbook){.id = value->name, .value = value};
    if (sy_is_blank(value->name)) {
        sy_complain_name(document, value, SY_RULE_FIELD_BLANK, "a runbook has a blank name");
    }
    if (!sy_look_kind(document, value, "a runbook", SY_JSON_OBJECT)) {
        return true;
    }
    to->title = sy_look_text(document, value, "title");
    to->owner = sy_look_text(document, value, "owner");
    to->tier = look_tier(part, value);
    to->evidence_level = sy_look_text(document, value, "evidence_level");
    to->is_performance = sy_text_equal(to->evidence_level, part->protocol->performance_evidence);
    to->command = look_line(document, value, "command");
    check_list(document, value, "preflight");
    check_list(document, value, "required_environment");
    check_list(document, value, "required_artifacts");
    if (!sy_gate_checks_read(arena, document, value, &to->checks, &to->check_count, &to->checks_are_whole)) {
        return false;
    }
    if (sy_json_member(value, "question") != NULL) {
        (void)sy_look_text(document, value, "question");
    }
    if (sy_json_member(value, "promotion_boundary") != NULL) {
        (void)sy_look_text(document, value, "promotion_boundary");
    }
    if (sy_json_member(value, "wall_clock") != NULL) {
        (void)sy_look_text(document, value, "wall_clock");
    }
    if (sy_json_member(value, "smoke") != NULL) {
        (void)look_line(document, value, "smoke");
    }
    return to->command == NULL || read_placeholders(arena, to);
}

bool sy_runbooks_read(sy_registry *registry, sy_gates_part *part)
{
    const sy_json_value *root = sy_json_root(part->document->json);
    const sy_json_value *runbooks = sy_look(part->document, root, "runbooks", SY_JSON_OBJECT);
    size_t count = runbooks != NULL ? runbooks->count : 0;
    part->has_runbooks = runbooks != NULL && !sy_json_is_cut(part->document->json, runbooks);
    part->runbook_ids = sy_id_table_create(registry->arena, count);
    part->runbooks = sy_arena_allocate(registry->arena, count, sizeof *part->runbooks);
    if (part->runbook_ids == NULL || part->runbooks == NULL) {
        return false;
    }
    for (const sy_json_value *value = count > 0 ? runbooks->first : NULL; value != NULL; value = value->next) {
        sy_runbook *runbook = &part->runbooks[part->runbook_count++];
        void *earlier = NULL;
        if (!read_runbook(registry->arena, part, value, runbook) ||
            !sy_id_table_put(part->runbook_ids, runbook->id, runbook, &earlier)) {
            return false;
        }
    }
    return true;
}
