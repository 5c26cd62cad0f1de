/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded timings from a file: unpacked, its format found by content, read by the reader of that format. */
#include <steelyard/timings.h>

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "importers/timings/timings_readers.h"
#include "importers/unclosed.h"
#include "importers/unpack.h"

/* Nothing that is read here is nested deeper; a tool's file may repeat many keys. */
static const uint32_t depth_max = 32;
static const size_t findings_max = 1000000;

const char *sy_timings_format_word(sy_timings_format format)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        SY_TIMINGS_FORMAT_LIST(WORD)
#undef WORD
    };

    return (size_t)format < sizeof words / sizeof *words ? words[(size_t)format] : "unknown";
}

/* What this version does not know of the options has its default. */
static sy_timings_options known_options(const sy_timings_options *options)
{
    sy_timings_options known = SY_TIMINGS_OPTIONS_INIT;

    if (options != NULL)
        memcpy(&known, options, options->struct_size < sizeof known ? options->struct_size : sizeof known);
    return known;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool may_be_unclosed(const sy_json *json)
{
    return sy_timings_format_of(json) == SY_TIMINGS_KERNEL_TUNER;
}

static sy_status parse(const char *text, size_t size, sy_json **ret_json, bool *ret_unclosed, sy_error *err)
{
    const sy_json_limits limits = {0, depth_max, findings_max};

    return sy_json_parse_unclosed(text, size, &limits, may_be_unclosed, ret_json, ret_unclosed, err);
}

static sy_status fail_unknown(const sy_json *json, sy_error *err)
{
    const char *schema = sy_timings_text(sy_json_root(json), "schema");
    const sy_json_value *at = sy_json_root(json);
    sy_status status = schema[0] != '\0' ? sy_json_fail(json, at, err, "records of '%.40s' hold no timings", schema)
                                         : sy_json_fail(json, at, err,
                                                        "no format that is known: there is no cache, no results "
                                                        "and no schema of ours");
    if (sy_text_begins(schema, "steelyard.weighings/"))
        sy_error_hint(err, "each of its `weighings` is a record that can be read");
    else
        sy_error_hint(err, "docs/formats.md, \"Recorded timings\", says what can be read");
    return status;
}

static sy_status read_json(const char *text, size_t size, const sy_timings_options *options, sy_timings_draft *draft,
                           sy_error *err)
{
    sy_timings_format format = options->format;
    bool unclosed = false;
    sy_json *json = NULL;
    sy_status status = parse(text, size, &json, &unclosed, err);

    if (status != SY_OK)
        return status;
    if (format == SY_TIMINGS_AUTO)
        format = sy_timings_format_of(json);
    if (unclosed)
        sy_timings_draft_note(draft, "session not closed: the file ends behind its last whole configuration");
    switch (format) {
    case SY_TIMINGS_KERNEL_TUNER:
        status = sy_timings_read_kernel_tuner(json, draft, err);
        break;
    case SY_TIMINGS_T4:
        status = sy_timings_read_t4(json, draft, err);
        break;
    case SY_TIMINGS_HYPERFINE:
        status = sy_timings_read_hyperfine(json, draft, err);
        break;
    case SY_TIMINGS_PROBE:
        status = sy_timings_read_probe(json, draft, err);
        break;
    case SY_TIMINGS_MEASURE:
        status = sy_timings_read_measure(json, draft, err);
        break;
    default:
        status = fail_unknown(json, err);
    }
    sy_json_destroy(json);
    return status;
}

static sy_status read_text(const char *text, size_t size, const sy_timings_options *options, sy_timings_draft *draft,
                           sy_error *err)
{
    size_t at = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < size && is_space(text[at]))
        at++;
    if (at == size)
        return sy_fail(err, SY_CORRUPT, "the file is empty");
    if (options->format == SY_TIMINGS_CSV)
        return sy_timings_read_csv(text, size, options, draft, err);
    if (options->format != SY_TIMINGS_AUTO || text[at] == '{' || text[at] == '[')
        return read_json(text, size, options, draft, err);
    return sy_timings_read_csv(text, size, options, draft, err);
}

/* bytes[size] is readable and 0. */
static sy_status read_bytes(const char *bytes, size_t size, const sy_timings_options *options, sy_timings **ret_timings,
                            sy_error *err)
{
    sy_timings_draft draft;
    char *unpacked = NULL;
    sy_status status = sy_timings_draft_init(&draft, err);

    if (status == SY_OK && sy_unpack_is_gzip(bytes, size)) {
        status = sy_unpack_gzip(bytes, size, options->limit_bytes, &unpacked, &size, err);
        bytes = unpacked;
    }
    if (status == SY_OK)
        status = read_text(bytes, size, options, &draft, err);
    if (status == SY_OK)
        status = sy_timings_draft_take(&draft, ret_timings, err);
    sy_free(unpacked);
    sy_timings_draft_finish(&draft);
    return status;
}

sy_status sy_timings_read(const char *path, const sy_timings_options *options, sy_timings **ret_timings, sy_error *err)
{
    const sy_timings_options known = known_options(options);
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_read_stream(path, known.limit_bytes, &bytes, &size, err);

    if (status == SY_OK)
        status = read_bytes(bytes, size, &known, ret_timings, err);
    sy_free(bytes);
    return status;
}

sy_status sy_timings_parse(const void *bytes, size_t size, const sy_timings_options *options, sy_timings **ret_timings,
                           sy_error *err)
{
    const sy_timings_options known = known_options(options);
    char *copy = NULL;
    sy_status status = sy_unpack_copy(bytes, size, known.limit_bytes, &copy, err);

    if (status == SY_OK)
        status = read_bytes(copy, size, &known, ret_timings, err);
    sy_free(copy);
    return status;
}

void sy_timings_destroy(sy_timings *timings)
{
    if (timings != NULL)
        sy_arena_destroy(timings->owner);
}
