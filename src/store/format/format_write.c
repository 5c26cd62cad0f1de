/* SPDX-License-Identifier: Apache-2.0 */
/* Books as text, and what the interchange format cannot hold. */
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "store/format/format.h"
#include "store/format/format_earlier.h"
#include "store/format/quoted.h"

static void write_word(sy_text *out, const char *word)
{
    sy_text_append(out, word);
}

static void write_quoted(sy_text *out, uint32_t format, const char *before, const char *text)
{
    write_word(out, before);
    sy_append_quoted(out, format, text, strlen(text));
}

static void write_field(sy_text *out, uint32_t format, const char *field_and_blank, const char *text)
{
    write_quoted(out, format, field_and_blank, text);
    write_word(out, "\n");
}

static void write_double(sy_text *out, double value)
{
    write_word(out, " ");
    sy_append_double(out, value);
}

static void write_u32(sy_text *out, uint32_t value)
{
    char digits[11];
    char *at = digits + sizeof digits;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    write_word(out, " ");
    sy_text_append_bytes(out, at, (size_t)(digits + sizeof digits - at));
}

static void write_time(sy_text *out, const char *field_and_blank, int64_t utc_s)
{
    char time[32];
    if (sy_time_format_utc(utc_s, time, sizeof time, NULL) != SY_OK) {
        out->failed = true; /* sy_profile_check lets no such time in */
        return;
    }
    write_word(out, field_and_blank);
    write_word(out, time);
    write_word(out, "\n");
}

static void write_key(const sy_profile *profile, uint32_t format, sy_text *out)
{
    const sy_profile_key *key = &profile->key;
    write_word(out, profile->portable ? "profile portable " : "profile exact ");
    write_word(out, sy_profile_kind_word(profile->kind));
    write_word(out, "\n");
    write_field(out, format, "backend ", key->backend);
    write_field(out, format, "operator ", key->operator_name);
    write_field(out, format, "implementation ", key->implementation_version);
    if (!profile->portable) {
        write_field(out, format, "model_digest ", key->model_digest);
        write_field(out, format, "processor ", key->processor);
        write_word(out, "thread_count");
        write_u32(out, key->thread_count);
        write_word(out, "\n");
    }
    for (size_t i = 0; i < key->structure_count; i++) {
        write_quoted(out, format, "structure ", key->structure[i].name);
        write_field(out, format, " ", key->structure[i].value);
    }
}

static void write_trial(const sy_profile_trial *trial, sy_text *out)
{
    write_word(out, "decision ");
    write_word(out, sy_profile_decision_word(trial->decision));
    write_word(out, " ");
    write_word(out, trial->rule);
    write_u32(out, trial->max_pairs);
    write_u32(out, trial->pairs);
    write_u32(out, trial->wins);
    write_double(out, trial->e_value);
    write_u32(out, trial->attempt);
    write_word(out, "\n");
}

static void write_figures(const sy_profile *profile, uint32_t format, sy_text *out)
{
    static const char *const outcomes[] = {"not-performed", "passed", "qualified", "failed"};
    if (profile->has_trial) {
        write_trial(&profile->trial, out);
    }
    if (profile->has_parity) {
        write_word(out, "parity ");
        write_word(out, outcomes[profile->parity.outcome]);
        write_double(out, profile->parity.error_in_tolerances);
        write_word(out, "\n");
    }
    if (profile->has_gain) {
        write_word(out, "gain");
        write_double(out, profile->gain.gain);
        write_double(out, profile->gain.low);
        write_double(out, profile->gain.high);
        write_u32(out, profile->gain.pairs);
        write_word(out, "\n");
    }
    for (size_t i = 0; i < profile->alternative_count; i++) {
        write_quoted(out, format, "alternative ", profile->alternatives[i].name);
        write_quoted(out, format, " ", profile->alternatives[i].reason);
        write_double(out, profile->alternatives[i].ratio);
        write_word(out, "\n");
    }
}

/* The lines that format 1 does not have. start: where the profile's first line stands in out. */
static void write_own_lines(const sy_profile *profile, uint32_t format, size_t start, sy_text *out)
{
    write_figures(profile, format, out);
    if (*profile->evidence_run != '\0') {
        write_quoted(out, format, "evidence ", profile->evidence_run);
        write_field(out, format, " ", profile->evidence_digest);
    }
    if (*profile->reason != '\0') {
        write_field(out, format, "reason ", profile->reason);
    }
    if (profile->created_utc_s != 0) {
        write_time(out, "created ", profile->created_utc_s);
    }
    if (profile->expires_utc_s != 0) {
        write_time(out, "expires ", profile->expires_utc_s);
    }
    if (*profile->tool != '\0') {
        write_field(out, format, "tool ", profile->tool);
    }
    sy_earlier_write(profile, format, out);
    if (!out->failed) {
        sy_digest digest;
        char digits[SY_DIGEST_TEXT];
        sy_digest_of(out->bytes + start, out->length - start, &digest);
        sy_digest_format(&digest, digits);
        write_word(out, "check ");
        sy_text_append_bytes(out, digits, 16);
        write_word(out, "\n");
    }
}

static void write_entry(const sy_entry *entry, uint32_t format, sy_text *out)
{
    const sy_profile *profile = &entry->profile;
    sy_text_append_bytes(out, entry->comment, entry->comment_size);
    size_t start = out->length;
    write_key(profile, format, out);
    for (size_t i = 0; i < profile->measurement_count; i++) {
        const sy_measurement *measurement = &profile->measurements[i];
        write_quoted(out, format, "measurement ", measurement->name);
        write_double(out, measurement->value);
        write_field(out, format, " ", measurement->unit);
    }
    write_word(out, "policy ");
    sy_append_quoted(out, format, profile->policy, profile->policy_size);
    write_word(out, "\n");
    if (format >= SY_FORMAT_OWN) {
        write_own_lines(profile, format, start, out);
    }
    write_word(out, "end\n");
}

void sy_format_write(const sy_book *book, uint32_t format, sy_text *out)
{
    write_word(out, format == SY_FORMAT_INTERCHANGE ? SY_INTERCHANGE_WORD " 1\n" : SY_OWN_WORD " 2\n");
    for (uint32_t i = 0; i < book->count && !out->failed; i++) {
        write_entry(book->entries[i], format, out);
    }
    sy_text_append_bytes(out, book->tail_comment, book->tail_comment_size);
}

static bool has_control(const char *text)
{
    return sy_has_control_byte(text, strlen(text));
}

/* The field of the interchange format that holds a control byte; NULL = none. */
static const char *control_field(const sy_profile *profile)
{
    const sy_profile_key *key = &profile->key;
    const struct {
        const char *name;
        const char *text;
    } texts[] = {{"backend", key->backend},
                 {"operator", key->operator_name},
                 {"implementation version", key->implementation_version},
                 {"model digest", sy_text_or_empty(key->model_digest)},
                 {"processor", sy_text_or_empty(key->processor)}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (has_control(texts[i].text)) {
            return texts[i].name;
        }
    }
    for (size_t i = 0; i < key->structure_count; i++) {
        if (has_control(key->structure[i].name) || has_control(sy_text_or_empty(key->structure[i].value))) {
            return "structure";
        }
    }
    for (size_t i = 0; i < profile->measurement_count; i++) {
        if (has_control(profile->measurements[i].name) ||
            has_control(sy_text_or_empty(profile->measurements[i].unit))) {
            return "measurement";
        }
    }
    return sy_has_control_byte(profile->policy, profile->policy_size) ? "policy" : NULL;
}

sy_status sy_format_check(const sy_profile *profile, uint32_t format, sy_error *err)
{
    if (format != SY_FORMAT_INTERCHANGE) {
        return SY_OK;
    }
    const char *field = control_field(profile);
    if (field != NULL) {
        sy_fail(err, SY_REFUSED, "format 1 cannot hold control bytes: the %s has one", field);
    } else if (profile->expires_utc_s != 0) {
        sy_fail(err, SY_REFUSED, "format 1 cannot hold an expiry: the profile would never end");
    } else if (profile->has_trial && profile->trial.decision == SY_DECISION_INCONCLUSIVE) {
        sy_fail(err, SY_REFUSED, "format 1 cannot hold an undecided entry: it would read as a decision");
    } else if (profile->kind == SY_PROFILE_IMPORTED) {
        sy_fail(err, SY_REFUSED, "format 1 cannot hold an imported profile: it would read as measured here");
    } else {
        return SY_OK;
    }
    sy_error_hint(err, "convert the file to format 2");
    return SY_REFUSED;
}

unsigned sy_format_losses(const sy_profile *profile, uint32_t format)
{
    if (format != SY_FORMAT_INTERCHANGE) {
        return 0;
    }
    return (profile->has_trial ? SY_LOSS_DECISION : 0) | (profile->has_parity ? SY_LOSS_PARITY : 0) |
           (profile->has_gain ? SY_LOSS_GAIN : 0) | (profile->alternative_count > 0 ? SY_LOSS_ALTERNATIVES : 0) |
           (*sy_text_or_empty(profile->evidence_run) != '\0' ? SY_LOSS_EVIDENCE : 0) |
           (*sy_text_or_empty(profile->reason) != '\0' ? SY_LOSS_REASON : 0) |
           (profile->created_utc_s != 0 ? SY_LOSS_CREATED : 0) |
           (*sy_text_or_empty(profile->tool) != '\0' ? SY_LOSS_TOOL : 0) |
           (*sy_text_or_empty(profile->signed_by) != '\0' ? SY_LOSS_SIGNED_BY : 0) |
           (profile->cost.probes > 0 ? SY_LOSS_COST : 0) | (profile->use.calls > 0 ? SY_LOSS_USE : 0) |
           (profile->earlier_count > 0 || profile->earlier_dropped > 0 ? SY_LOSS_HISTORY : 0);
}

void sy_format_describe_losses(unsigned losses, char to[128])
{
    static const char *const words[] = {"decision", "parity", "gain",      "alternatives", "evidence", "reason",
                                        "created",  "tool",   "signed_by", "cost",         "use",      "history"};
    size_t length = 0;
    to[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (losses & (1u << i)) {
            const char *parts[] = {length > 0 ? ", " : "", words[i]};
            for (size_t j = 0; j < 2; j++) {
                size_t size = strlen(parts[j]);
                memcpy(to + length, parts[j], size + 1); /* all words and commas together are below 128 bytes */
                length += size;
            }
        }
    }
}

sy_profile sy_format_reduce(const sy_profile *profile, uint32_t format)
{
    sy_profile reduced = *profile;
    if (format == SY_FORMAT_INTERCHANGE) {
        reduced.has_trial = reduced.has_parity = reduced.has_gain = false;
        reduced.trial = (sy_profile_trial){0};
        reduced.parity = (sy_profile_parity){0};
        reduced.gain = (sy_profile_gain){0};
        reduced.alternatives = NULL;
        reduced.alternative_count = 0;
        reduced.evidence_run = reduced.evidence_digest = reduced.reason = reduced.tool = "";
        reduced.created_utc_s = reduced.expires_utc_s = 0;
        reduced.signed_by = "";
        reduced.cost = reduced.dropped_cost = (sy_profile_cost){0, 0};
        reduced.use = (sy_profile_use){0};
        reduced.earlier = NULL;
        reduced.earlier_count = 0;
        reduced.earlier_dropped = 0;
    }
    return reduced;
}
