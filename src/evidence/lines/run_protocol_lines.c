/* SPDX-License-Identifier: Apache-2.0 */
/* What a line says: each statement with its own words, everything else with the cause why it is not taken. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/digest.h"
#include "base/text.h"
#include "evidence/lines/run_protocol_inside.h"
#include "record/units.h"

/* The words behind a statement's own, as KEY=VALUE and "warmup". NULL = not said. */
typedef struct statement {
    const char *better;
    const char *case_name;
    const char *implementation;
    const char *reason;
    const char *error;
    const char *basis;
    const char *scope;
    const char *how;
    bool warm_up;
} statement;

typedef struct option {
    const char *name;
    size_t at; /* in the statement */
    size_t most;
    const char *of; /* the statements that know it, by their first letters */
} option;

static const option options[] = {
    {"better", offsetof(statement, better), SY_PROTOCOL_TEXT, "s"},
    {"case", offsetof(statement, case_name), SY_PROTOCOL_TEXT, "sp"},
    {"implementation", offsetof(statement, implementation), SY_PROTOCOL_TEXT, "sp"},
    {"reason", offsetof(statement, reason), SY_PROTOCOL_LONG_TEXT, "p"},
    {"error", offsetof(statement, error), SY_PROTOCOL_TEXT, "p"},
    {"basis", offsetof(statement, basis), SY_PROTOCOL_TEXT, "m"},
    {"scope", offsetof(statement, scope), SY_PROTOCOL_TEXT, "m"},
    {"how", offsetof(statement, how), SY_PROTOCOL_LONG_TEXT, "m"},
};

static bool check_text(sy_protocol *p, const char *name, const char *text, size_t most)
{
    if (strlen(text) > most)
        return sy_protocol_reject_line(p, "%s has more than %zu bytes", name, most);
    for (const char *c = text; *c != '\0'; c++) {
        if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f)
            return sy_protocol_reject_line(p, "%s holds a control character", name);
    }
    return true;
}

static bool check_name(sy_protocol *p, const char *what, const char *name)
{
    if (name[0] == '\0')
        return sy_protocol_reject_line(p, "%s is empty", what);
    if (strchr(name, '\n') != NULL)
        return sy_protocol_reject_line(p, "%s holds a new line", what);
    return check_text(p, what, name, SY_PROTOCOL_TEXT);
}

static bool take_option(sy_protocol *p, char kind, const char *word, statement *s)
{
    const char *equals = strchr(word, '=');
    size_t length = equals == NULL ? 0 : (size_t)(equals - word);
    if (kind == 's' && strcmp(word, "warmup") == 0) {
        if (s->warm_up)
            return sy_protocol_reject_line(p, "'warmup' stands there twice");
        s->warm_up = true;
        return true;
    }
    for (size_t i = 0; equals != NULL && i < sizeof(options) / sizeof(options[0]); i++) {
        const option *o = &options[i];
        if (strlen(o->name) != length || memcmp(o->name, word, length) != 0 || strchr(o->of, kind) == NULL)
            continue;
        const char **value = (const char **)((char *)s + o->at);
        if (*value != NULL)
            return sy_protocol_reject_line(p, "'%s' stands there twice", o->name);
        *value = equals + 1;
        return check_text(p, o->name, *value, o->most);
    }
    return sy_protocol_reject_line(p, "unknown word '%.40s'", word);
}

static bool take_options(sy_protocol *p, char kind, const char *const *words, int count, statement *s)
{
    for (int i = 0; i < count; i++) {
        if (!take_option(p, kind, words[i], s))
            return false;
    }
    return true;
}

/* NaN for an attempt that gave no number. */
static bool read_value(sy_protocol *p, const char *word, double *ret_value)
{
    static const char *const unusable[] = {"nan", "inf", "+inf", "-inf", "infinity", "-infinity", "failed"};
    for (size_t i = 0; i < sizeof(unusable) / sizeof(unusable[0]); i++) {
        if (strcasecmp(word, unusable[i]) == 0) {
            *ret_value = NAN;
            return true;
        }
    }
    if (sy_parse_double(word, ret_value, NULL) != SY_OK)
        return sy_protocol_reject_line(p, "'%.40s' is no number", word);
    return true;
}

static bool take_sample(sy_protocol *p, const char *const *words, int count)
{
    statement s = {0};
    double value = 0;
    if (count < 4)
        return sy_protocol_reject_line(p, "a sample has a name, a value and a unit");
    if (!check_name(p, "the name", words[1]) || !check_name(p, "the unit", words[3]) ||
        !read_value(p, words[2], &value) || !take_options(p, 's', words + 4, count - 4, &s))
        return false;
    if (strlen(words[3]) > 32)
        return sy_protocol_reject_line(p, "a unit has more than 32 bytes");
    if (s.better != NULL && strcmp(s.better, "higher") != 0 && strcmp(s.better, "lower") != 0)
        return sy_protocol_reject_line(p, "better=%.40s is neither higher nor lower", s.better);
    const sy_unit *unit = sy_unit_of(words[3]); /* NULL: a unit of its own */
    bool higher = unit != NULL ? unit->higher_is_better : sy_text_ends(words[3], "/s");
    if (s.better != NULL)
        higher = strcmp(s.better, "higher") == 0;
    if (unit != NULL)
        value = unit->never_negative && value < 0 ? NAN : sy_unit_convert(unit, value);
    sy_run_series series = {
        .name = words[1],
        .unit = unit != NULL ? unit->unit : words[3],
        .higher_is_better = higher,
        .role = s.warm_up ? SY_SERIES_WARM_UP : SY_SERIES_SAMPLE,
        .case_name = s.case_name == NULL ? "" : s.case_name,
        .implementation = s.implementation == NULL ? "" : s.implementation,
    };
    return sy_protocol_take_sample(p, &series, s.better != NULL, isfinite(value) ? value : NAN);
}

/* An outcome that its own figure gives the lie is a failure. */
static void hold_against_error(sy_run_parity_event *parity)
{
    if (parity->outcome == SY_RUN_PARITY_PASSED && parity->error_in_tolerances > 1) {
        parity->outcome = SY_RUN_PARITY_FAILED;
        parity->reason = parity->reason[0] == '\0' ? "said to have passed, with an error above 1 tolerance"
                                                   : parity->reason;
    }
}

static bool take_parity(sy_protocol *p, const char *const *words, int count)
{
    statement s = {0};
    sy_run_parity outcome = SY_RUN_PARITY_UNKNOWN;
    double error = NAN;
    if (count < 2)
        return sy_protocol_reject_line(p, "parity has an outcome");
    if (!sy_run_parity_read(words[1], &outcome))
        return sy_protocol_reject_line(p, "unknown outcome '%.40s'", words[1]);
    if (!take_options(p, 'p', words + 2, count - 2, &s))
        return false;
    if (s.error != NULL && !read_value(p, s.error, &error))
        return false;
    if (error < 0)
        return sy_protocol_reject_line(p, "an error below 0");
    /* An error was looked for and is no number: nobody can say that it passed. */
    if (s.error != NULL && isnan(error) && outcome == SY_RUN_PARITY_PASSED)
        return sy_protocol_reject_line(p, "passed with an error that is no number");
    if (p->parities.count >= p->limits.statements)
        return sy_protocol_drop_line(p, p->limits.statements, "outcomes of parity");
    sy_run_parity_event *parity = sy_protocol_add(p, &p->parities, sizeof(*parity));
    if (parity == NULL)
        return true;
    *parity = (sy_run_parity_event){
        .outcome = outcome,
        .case_name = sy_protocol_keep(p, s.case_name == NULL ? "" : s.case_name),
        .implementation = sy_protocol_keep(p, s.implementation == NULL ? "" : s.implementation),
        .reason = sy_protocol_keep(p, s.reason == NULL ? "" : s.reason),
        .error_in_tolerances = error,
    };
    hold_against_error(parity);
    return true;
}

static bool take_digest(sy_protocol *p, const char *const *words, int count)
{
    sy_digest digest;
    char text[SY_DIGEST_TEXT];
    if (count != 3)
        return sy_protocol_reject_line(p, "a digest has a role and 64 hexadecimal digits");
    if (!check_name(p, "the role", words[1]))
        return false;
    if (sy_digest_parse(words[2], &digest, NULL) != SY_OK)
        return sy_protocol_reject_line(p, "'%.40s' has not 64 hexadecimal digits", words[2]);
    if (p->digests.count >= p->limits.statements)
        return sy_protocol_drop_line(p, p->limits.statements, "digests");
    sy_run_digest *kept = sy_protocol_add(p, &p->digests, sizeof(*kept));
    sy_digest_format(&digest, text);
    if (kept != NULL)
        *kept = (sy_run_digest){sy_protocol_keep(p, words[1]), sy_protocol_keep(p, text)};
    return true;
}

static bool read_basis(const char *word, sy_memory_basis *ret_basis)
{
    for (int i = SY_MEMORY_PHYSICAL; i <= SY_MEMORY_CALCULATED; i++) {
        if (sy_text_equal(word, sy_memory_basis_word((sy_memory_basis)i))) {
            *ret_basis = (sy_memory_basis)i;
            return true;
        }
    }
    return false;
}

static bool read_scope(const char *word, sy_memory_scope *ret_scope)
{
    for (int i = SY_MEMORY_PROCESS; i <= SY_MEMORY_UNIFIED; i++) {
        if (sy_text_equal(word, sy_memory_scope_word((sy_memory_scope)i))) {
            *ret_scope = (sy_memory_scope)i;
            return true;
        }
    }
    return false;
}

static bool take_memory(sy_protocol *p, const char *const *words, int count)
{
    statement s = {0};
    sy_run_memory memory = {.swap_bytes = NAN, .pressure_share = NAN};
    if (count < 3)
        return sy_protocol_reject_line(p, "memory has a name, bytes, a basis and a scope");
    if (!check_name(p, "the name", words[1]) || !take_options(p, 'm', words + 3, count - 3, &s))
        return false;
    if (sy_parse_bytes(words[2], &memory.bytes, NULL) != SY_OK)
        return sy_protocol_reject_line(p, "'%.40s' is no size in bytes", words[2]);
    if (s.basis == NULL || !read_basis(s.basis, &memory.basis))
        return sy_protocol_reject_line(p, "basis is none of physical, constrained, estimate, calculated");
    if (s.scope == NULL || !read_scope(s.scope, &memory.scope))
        return sy_protocol_reject_line(p, "scope is none of process, process-tree, device-allocated, device-used, "
                                          "unified");
    if (memory.basis == SY_MEMORY_CONSTRAINED && (s.how == NULL || s.how[0] == '\0'))
        return sy_protocol_reject_line(p, "a constrained figure says how=");
    if (p->memories.count >= p->limits.statements)
        return sy_protocol_drop_line(p, p->limits.statements, "memory figures");
    sy_run_memory *kept = sy_protocol_add(p, &p->memories, sizeof(*kept));
    if (kept == NULL)
        return true;
    memory.name = sy_protocol_keep(p, words[1]);
    memory.how = sy_protocol_keep(p, s.how == NULL ? "" : s.how);
    *kept = memory;
    return true;
}

/* The rest of the line behind the first word, without the blanks around. */
static char *rest_of(char *line)
{
    char *rest = line + strcspn(line, " \t");
    rest += strspn(rest, " \t");
    size_t length = strlen(rest);
    while (length > 0 && (rest[length - 1] == ' ' || rest[length - 1] == '\t'))
        rest[--length] = '\0';
    return rest;
}

static bool take_note(sy_protocol *p, char *line)
{
    const char *note = rest_of(line);
    if (note[0] == '\0')
        return sy_protocol_reject_line(p, "a note without a text");
    for (char *c = line; *c != '\0'; c++)
        *c = *c == '\t' ? ' ' : *c;
    if (!check_text(p, "the note", note, SY_PROTOCOL_NOTE))
        return false;
    if (p->notes.count >= p->limits.statements)
        return sy_protocol_drop_line(p, p->limits.statements, "notes");
    const char **kept = sy_protocol_add(p, &p->notes, sizeof(*kept));
    if (kept != NULL)
        *kept = sy_protocol_keep(p, note);
    return true;
}

static bool take_artifact(sy_protocol *p, char *line)
{
    char *role = rest_of(line);
    char *path = rest_of(role);
    sy_protocol_file file;
    if (path[0] == '\0')
        return sy_protocol_reject_line(p, "an artifact has a role and a path");
    role[strcspn(role, " \t")] = '\0';
    if (!sy_artifact_role_read(role, &file.role))
        return sy_protocol_reject_line(p, "unknown role '%.40s' of an artifact", role);
    if (!check_text(p, "the path", path, SY_PROTOCOL_LONG_TEXT))
        return false;
    if (p->files.count >= p->limits.artifacts)
        return sy_protocol_drop_line(p, p->limits.artifacts, "artifacts");
    sy_protocol_file *kept = sy_protocol_add(p, &p->files, sizeof(*kept));
    file.path = sy_protocol_keep(p, path);
    if (kept != NULL)
        *kept = file;
    return true;
}

bool sy_protocol_take(sy_protocol *protocol, char *line)
{
    static const struct {
        const char *word;
        bool (*take)(sy_protocol *protocol, const char *const *words, int count);
    } statements[] = {
        {"sample", take_sample}, {"parity", take_parity}, {"digest", take_digest}, {"memory", take_memory}};
    const char *words[SY_PROTOCOL_WORDS];
    const char *cause = NULL;
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t");
    if (length == 0 || line[0] == '#')
        return true;
    if (length == 4 && memcmp(line, "note", 4) == 0)
        return take_note(protocol, line);
    if (length == 8 && memcmp(line, "artifact", 8) == 0)
        return take_artifact(protocol, line);
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (length != strlen(statements[i].word) || memcmp(line, statements[i].word, length) != 0)
            continue;
        int count = sy_protocol_split(line, words, &cause);
        return count < 0 ? sy_protocol_reject_line(protocol, "%s", cause) : statements[i].take(protocol, words, count);
    }
    return sy_protocol_reject_line(protocol, "unknown statement '%.*s'", length < 40 ? (int)length : 40, line);
}
