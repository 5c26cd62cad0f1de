/* SPDX-License-Identifier: Apache-2.0 */
/* One row of an imported file as the events of a run: what is known of it before, its series, what went wrong, the file
 * that it came from. */
#include "evidence/imported/record_import.h"

#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "evidence/run_key.h"

/* Longer names of cells help nobody. */
enum { CELL_MAX = 8192 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for an imported row");
}

/* Its place in a list by name; count = it is not there. */
static size_t find(const sy_named_text *pairs, size_t count, const char *name)
{
    size_t at = 0;

    while (at < count && strcmp(pairs[at].name, name) != 0)
        at++;
    return at;
}

static const char *value_of(const sy_named_text *pairs, size_t count, const char *name)
{
    size_t at = find(pairs, count, name);

    return at < count ? pairs[at].value : NULL;
}

/* Names are lines: what would break one is a space. A lack of memory is kept in the job and told with the row. */
static const char *one_line(sy_import_job *job, const char *text)
{
    char *line = NULL;

    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c >= 0x20 && *c != 0x7f)
            continue;
        if (line == NULL)
            line = sy_arena_copy_text(job->scratch, text);
        job->failed = job->failed || line == NULL;
        if (line == NULL)
            return "";
        line[c - text] = ' ';
    }
    return line != NULL ? line : text;
}

/* A very long one is cut, and ends in digits of the whole, so that two of them stay two. */
static const char *limited(sy_import_job *job, const char *text)
{
    char cut[CELL_MAX];
    char digits[SY_DIGEST_TEXT];
    sy_digest digest;
    const char *shorter;

    if (strlen(text) < CELL_MAX)
        return text;
    sy_digest_of(text, strlen(text), &digest);
    sy_digest_format(&digest, digits);
    (void)sy_text_copy(cut, sizeof cut, text);
    shorter = sy_arena_format(job->scratch, "%s... %.16s", cut, digits);
    job->failed = job->failed || shorter == NULL;
    return shorter != NULL ? shorter : "";
}

/* "hyperfine::sleep{seed=1,size=2}" */
static const char *name_cell(sy_import_job *job, const sy_imported_row *row)
{
    sy_text text = SY_TEXT_INIT;
    const char *cell = NULL;

    sy_text_append_format(&text, "%s::%s", sy_import_format_word(job->imported->format), row->name);
    for (size_t i = 0; i < row->parameter_count; i++)
        sy_text_append_format(&text, "%s%s=%s", i == 0 ? "{" : ",", row->parameters[i].name,
                              row->parameters[i].value != NULL ? row->parameters[i].value : "");
    sy_text_append(&text, row->parameter_count > 0 ? "}" : "");
    if (!text.failed)
        cell = sy_arena_copy_text(job->scratch, limited(job, sy_text_bytes(&text)));
    sy_text_finish(&text);
    job->failed = job->failed || cell == NULL;
    return cell != NULL ? one_line(job, cell) : "";
}

/* What a row tells of its device, where devices differ from row to row. */
#define DEVICE_FACT "device"
/* Likewise of the revision: results of several builds may stand in one file. */
#define REVISION_FACT "source_revision"
/* Of what has no name, where one is needed. */
#define NAMELESS "(no name)"

static sy_named_text named(sy_import_job *job, const sy_named_text *pair)
{
    return (sy_named_text){pair->name[0] != '\0' ? one_line(job, limited(job, pair->name)) : NAMELESS, pair->value};
}

/* The parameters, and behind them what else the row tells that is neither of them nor a field of the key. */
static sy_status fill_parameters(sy_import_job *job, const sy_imported_row *row, sy_run_begin *begin, sy_error *err)
{
    const sy_comparison_key *key = &begin->key;
    sy_named_text *list = sy_arena_allocate(job->scratch, row->parameter_count + row->fact_count + 1, sizeof *list);
    size_t count = 0;

    if (list == NULL)
        return no_memory(err);
    for (size_t i = 0; i < row->parameter_count; i++)
        list[count++] = named(job, &row->parameters[i]);
    for (size_t i = 0; i < row->fact_count; i++) {
        const char *name = row->facts[i].name;
        bool is_told = strcmp(name, DEVICE_FACT) == 0 || find(key->fields, key->field_count, name) < key->field_count ||
                       find(row->parameters, row->parameter_count, name) < row->parameter_count;

        if (!is_told)
            list[count++] = named(job, &row->facts[i]);
    }
    begin->parameters = list;
    begin->parameter_count = count;
    return SY_OK;
}

/* Facts by the key's own names: those of the row win over those of the file. */
static sy_status fill_key(sy_import_job *job, const sy_imported_row *row, sy_run_begin *begin, sy_error *err)
{
    const sy_imported *imported = job->imported;
    sy_run_key_facts facts = {.protocol = begin->protocol, .cell = begin->cell, .source = &begin->source};
    sy_named_text *given;
    sy_comparison_key fields = {0};
    sy_status status = sy_run_key_fill(job->registry, &facts, job->scratch, &fields, err);

    if (status != SY_OK)
        return status;
    given = sy_arena_allocate(job->scratch, fields.field_count + 1, sizeof *given);
    if (given == NULL)
        return no_memory(err);
    for (size_t i = 0; i < fields.field_count; i++) {
        const char *name = fields.fields[i].name;
        const char *value = value_of(row->facts, row->fact_count, name);

        if (value == NULL)
            value = value_of(imported->facts, imported->fact_count, name);
        if (value != NULL && value[0] != '\0')
            given[facts.given_count++] = (sy_named_text){name, value};
    }
    facts.given = given;
    facts.is_elsewhere = true;
    return sy_run_key_fill(job->registry, &facts, job->scratch, &begin->key, err);
}

static sy_status fill_notes(sy_import_job *job, size_t index, sy_run_begin *begin, sy_error *err)
{
    const sy_imported_row *row = &job->imported->rows[index];
    const char **notes = sy_arena_allocate(job->scratch, row->note_count + 1, sizeof *notes);

    if (notes == NULL)
        return no_memory(err);
    if (row->note_count > 0)
        memcpy(notes, row->notes, row->note_count * sizeof *notes);
    begin->notes = notes;
    begin->note_count = row->note_count;
    if (job->ordinals[index] == 0)
        return SY_OK;
    notes[begin->note_count] = sy_arena_format(job->scratch, "row %llu of this name and these parameters in the file",
                                               (unsigned long long)job->ordinals[index] + 1);
    return notes[begin->note_count++] != NULL ? SY_OK : no_memory(err);
}

static sy_status add_begin(sy_import_job *job, size_t index, sy_error *err)
{
    const sy_imported *imported = job->imported;
    const sy_imported_row *row = &imported->rows[index];
    const char *word = sy_import_format_word(imported->format);
    const char *device = value_of(row->facts, row->fact_count, DEVICE_FACT);
    const char *revision = value_of(row->facts, row->fact_count, REVISION_FACT);
    bool has_time = row->time[0] != '\0';
    sy_run_begin begin = {.id = job->ids[index],
                          .kind = SY_RUN_KIND_IMPORT,
                          .status = SY_RUN_IMPORTED,
                          .question = "",
                          .gate = "",
                          .cell = job->cell != NULL ? one_line(job, job->cell) : name_cell(job, row),
                          .tier = "",
                          .protocol = sy_arena_format(job->scratch, "import/%s/1", word),
                          .cache_state = "",
                          .timing_boundary = "",
                          .source = {.control = "",
                                     .revision = one_line(job, revision != NULL ? revision : imported->revision),
                                     .branch = one_line(job, imported->branch),
                                     .shallow = -1,
                                     .dirty = imported->dirty,
                                     .ordinal = -1,
                                     .diff_digest = ""},
                          .place = {.host = one_line(job, imported->host),
                                    .backend = "",
                                    .device = one_line(job, device != NULL ? device : imported->device),
                                    .description = "",
                                    .hardware = -1},
                          .origin = word,
                          .origin_digest = imported->digest,
                          .origin_time = one_line(job, has_time ? row->time : imported->time),
                          .origin_zone_known = has_time ? row->zone_known : imported->zone_known};
    sy_status status = begin.protocol != NULL ? SY_OK : no_memory(err);

    if (status == SY_OK)
        status = fill_key(job, row, &begin, err);
    if (status == SY_OK)
        status = fill_parameters(job, row, &begin, err);
    if (status == SY_OK)
        status = fill_notes(job, index, &begin, err);
    if (status == SY_OK && job->failed)
        status = no_memory(err);
    return status == SY_OK ? sy_event_list_begin(&job->events, &begin, err) : status;
}

static sy_status add_series(sy_import_job *job, const sy_run_series *original, sy_error *err)
{
    sy_run_series series = *original;
    sy_named_number *figures = sy_arena_allocate(job->scratch, original->figure_count + 1, sizeof *figures);

    if (figures == NULL)
        return no_memory(err);
    for (size_t i = 0; i < original->figure_count; i++) {
        const sy_named_number *figure = &original->figures[i];

        figures[i] = (sy_named_number){figure->name[0] != '\0' ? one_line(job, figure->name) : NAMELESS,
                                       one_line(job, figure->unit), figure->value};
    }
    series.figures = figures;
    series.name = series.name[0] != '\0' ? one_line(job, series.name) : NAMELESS;
    series.unit = one_line(job, series.unit);
    return job->failed ? no_memory(err) : sy_event_list_series(&job->events, &series, err);
}

sy_status sy_import_add_row(sy_import_job *job, size_t index, sy_error *err)
{
    const sy_imported_row *row = &job->imported->rows[index];
    /* That it went wrong: a check that did not pass, which a machine can tell from a note. */
    const sy_run_check outcome = {.name = "outcome", .passed = 0, .found = row->reason, .expected = ""};
    const sy_run_artifact file = {.role = SY_ARTIFACT_SOURCE,
                                  .name = job->name[0] != '\0' ? job->name
                                                               : sy_import_format_word(job->imported->format),
                                  .digest = job->artifact,
                                  .size = job->imported->size};
    sy_status status;

    job->scratch = sy_arena_create(0);
    if (job->scratch == NULL)
        return no_memory(err);
    job->events.run = job->ids[index];
    status = add_begin(job, index, err);
    for (size_t i = 0; status == SY_OK && i < row->series_count; i++)
        status = add_series(job, &row->series[i], err);
    if (status == SY_OK && row->failed)
        status = sy_event_list_check(&job->events, &outcome, err);
    if (status == SY_OK && job->artifact[0] != '\0')
        status = sy_event_list_artifact(&job->events, &file, err);
    sy_arena_destroy(job->scratch);
    if (status != SY_OK)
        sy_error_prefix(err, "%.60s", row->name);
    return status;
}
