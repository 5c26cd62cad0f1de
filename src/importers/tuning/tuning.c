/* SPDX-License-Identifier: Apache-2.0 */
/* Results of other tuners from a file: unpacked, their format found by content, read by the reader of that format. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "importers/tuning/tuning_inside.h"
#include "importers/unclosed.h"
#include "importers/unpack.h"

/* Nothing that is read here is nested deeper; a tool's file may repeat many keys. */
static const sy_json_limits limits = {0, 32, 1000000};

static const char *const format_words[] = {
#define WORD(name, word) word,
    SY_TUNING_FORMAT_LIST(WORD)
#undef WORD
};
enum { FORMAT_COUNT = sizeof format_words / sizeof *format_words };

const char *sy_tuning_format_word(sy_tuning_format format)
{
    return (size_t)format < FORMAT_COUNT ? format_words[(size_t)format] : "unknown";
}

bool sy_tuning_format_read(const char *word, sy_tuning_format *ret_format)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (sy_text_equal(word, format_words[i])) {
            *ret_format = (sy_tuning_format)i;
            return true;
        }
    }
    return false;
}

sy_tuning_format sy_tuning_format_of(const sy_json *json)
{
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *results = sy_json_member(root, "results");
    const sy_json_value *cache = sy_json_member(root, "cache");

    if (cache != NULL && cache->kind == SY_JSON_OBJECT && sy_json_member(root, "tune_params_keys") != NULL)
        return SY_TUNING_KERNEL_TUNER;
    if (results != NULL && results->kind == SY_JSON_ARRAY &&
        (results->first == NULL || sy_json_member(results->first, "configuration") != NULL))
        return SY_TUNING_T4;
    return SY_TUNING_AUTO;
}

static bool may_be_unclosed(const sy_json *json)
{
    return sy_tuning_format_of(json) == SY_TUNING_KERNEL_TUNER;
}

static sy_status fail_unknown(sy_error *err)
{
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "the format is none that is known by its content");
    sy_error_hint(err, "docs/importing.md says which tuners' files can be read; name the format if it is one of these");
    return SY_INVALID_ARGUMENT;
}

static sy_status read_json(const char *text, size_t size, sy_tuning_draft *draft, sy_error *err)
{
    sy_tuning_format format = draft->options->format;
    bool unclosed = false;
    sy_json *json = NULL;
    sy_status status = sy_json_parse_unclosed(text, size, &limits, may_be_unclosed, &json, &unclosed, err);

    if (status != SY_OK)
        return status;
    if (format == SY_TUNING_AUTO)
        format = sy_tuning_format_of(json);
    if (unclosed)
        sy_tuning_note(draft, SY_TUNING_RULE_ENTRY, (sy_position){0, 1, 1},
                       "the search was not closed: the file ends behind its last whole configuration");
    if (format == SY_TUNING_KERNEL_TUNER)
        status = sy_tuning_read_kernel_tuner(json, draft, err);
    else if (format == SY_TUNING_T4)
        status = sy_tuning_read_t4(json, draft, err);
    else
        status = fail_unknown(err);
    sy_json_destroy(json);
    return status;
}

static bool is_ours(const char *text)
{
    return sy_text_begins(text, "steelyard_profiles ") || sy_text_begins(text, "onnx_light_calibration_profiles ");
}

/* text[size] is readable and 0. */
static sy_status read_text(const char *text, size_t size, sy_tuning_draft *draft, sy_error *err)
{
    sy_tuning_format format = draft->options->format;
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t at = mark;

    while (at < size && strchr(" \n\r\t", text[at]) != NULL && text[at] != '\0')
        at++;
    if (at == size)
        return sy_fail(err, SY_CORRUPT, "the file is empty");
    if (format == SY_TUNING_PROFILES || (format == SY_TUNING_AUTO && is_ours(text + at))) {
        draft->format = SY_TUNING_PROFILES;
        return SY_OK;
    }
    if (format == SY_TUNING_KERNEL_TUNER || format == SY_TUNING_T4 ||
        (format == SY_TUNING_AUTO && (text[at] == '{' || text[at] == '[')))
        return read_json(text, size, draft, err);
    if (format == SY_TUNING_MIOPEN || format == SY_TUNING_MIOPEN_1 ||
        (format == SY_TUNING_AUTO && sy_tuning_knows_miopen(text + mark, size - mark)))
        return sy_tuning_read_miopen(text + mark, size - mark, draft, err);
    if (format == SY_TUNING_TUNABLE_OP || sy_tuning_knows_tunable_op(text + mark, size - mark))
        return sy_tuning_read_tunable_op(text + mark, size - mark, draft, err);
    return fail_unknown(err);
}

sy_status sy_tuning_read_bytes(const char *bytes, size_t size, sy_tuning_draft *draft, char **ret_own, size_t *ret_size,
                               sy_error *err)
{
    char *unpacked = NULL;
    sy_status status = SY_OK;

    if (sy_unpack_is_gzip(bytes, size)) {
        status = sy_unpack_gzip(bytes, size, draft->options->limit_bytes, &unpacked, &size, err);
        bytes = unpacked;
    }
    if (status == SY_OK)
        status = read_text(bytes, size, draft, err);
    if (status == SY_OK && draft->failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for what '%s' holds", draft->name);
    *ret_own = unpacked;
    *ret_size = size;
    return status;
}

sy_status sy_tuning_own(sy_tuning_draft *draft, sy_tuning_owner **ret_owner, sy_finding_list *ret_findings,
                        sy_error *err)
{
    sy_tuning_owner *owner = sy_arena_allocate(draft->arena, 1, sizeof *owner);
    sy_finding_list findings;
    sy_status status = sy_findings_list(draft->findings, &findings, err);

    if (status != SY_OK)
        return status;
    if (owner == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for what '%s' holds", draft->name);
    *owner = (sy_tuning_owner){draft->arena, draft->findings, draft->list};
    draft->arena = NULL;
    draft->findings = NULL;
    draft->list = NULL;
    *ret_owner = owner;
    *ret_findings = findings;
    return SY_OK;
}

void sy_tuning_disown(sy_tuning_owner *owner)
{
    if (owner == NULL)
        return;
    sy_findings_destroy(owner->findings);
    sy_free(owner->list);
    sy_arena_destroy(owner->arena);
}

static sy_status take(sy_tuning_draft *draft, sy_tuning **ret_tuning, sy_error *err)
{
    sy_tuning *tuning = sy_arena_allocate(draft->arena, 1, sizeof *tuning);
    sy_tuning_owner *owner = NULL;
    sy_finding_list findings;
    sy_status status;

    if (draft->format == SY_TUNING_PROFILES) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "it is a file of profiles: there is nothing to import from");
        sy_error_hint(err, "steelyard profile merge takes the profiles of such a file");
        return SY_INVALID_ARGUMENT;
    }
    if (tuning == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for what '%s' holds", draft->name);
    status = sy_tuning_own(draft, &owner, &findings, err);
    if (status != SY_OK)
        return status;
    *tuning = (sy_tuning){.format = draft->format,
                          .list = owner->list,
                          .count = draft->count,
                          .entry_count = draft->entries,
                          .passed_over = draft->passed_over,
                          .findings = findings,
                          .finding_total = draft->finding_total,
                          .owner = owner};
    *ret_tuning = tuning;
    return SY_OK;
}

/* bytes[size] is readable and 0. */
static sy_status parse(const char *bytes, size_t size, const char *name, const sy_tuning_options *options,
                       sy_tuning **ret_tuning, sy_error *err)
{
    sy_tuning_draft draft;
    char *own = NULL;
    size_t own_size;
    sy_status status = sy_tuning_draft_init(&draft, name, options, err);

    if (status == SY_OK)
        status = sy_tuning_read_bytes(bytes, size, &draft, &own, &own_size, err);
    if (status == SY_OK)
        status = take(&draft, ret_tuning, err);
    sy_free(own);
    sy_tuning_draft_finish(&draft);
    return status;
}

static uint64_t limit_of(const sy_tuning_options *options)
{
    const sy_tuning_options known = SY_TUNING_OPTIONS_INIT;

    return options != NULL && options->struct_size >= sizeof *options ? options->limit_bytes : known.limit_bytes;
}

sy_status sy_tuning_read(const char *path, const sy_tuning_options *options, sy_tuning **ret_tuning, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_read_stream(path, limit_of(options), &bytes, &size, err);

    if (status == SY_OK)
        status = parse(bytes, size, path, options, ret_tuning, err);
    sy_free(bytes);
    return status;
}

sy_status sy_tuning_parse(const void *bytes, size_t size, const char *name, const sy_tuning_options *options,
                          sy_tuning **ret_tuning, sy_error *err)
{
    char *copy = NULL;
    sy_status status = sy_unpack_copy(bytes, size, limit_of(options), &copy, err);

    if (status == SY_OK)
        status = parse(copy, size, name, options, ret_tuning, err);
    sy_free(copy);
    return status;
}

void sy_tuning_destroy(sy_tuning *tuning)
{
    if (tuning != NULL)
        sy_tuning_disown(tuning->owner);
}
