/* SPDX-License-Identifier: Apache-2.0 */
/* A file of another tool into the ledger: rows become runs of status `imported`, in as many transactions as bound
 * the memory. Their ids follow from the file's bytes and the row, so that the same file again is known by them, and an
 * import that was killed goes on where it ended. */
#include "evidence/imported/record_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "importers/unpack.h"
#include "record/private_text.h"

enum { ID_DIGITS = 16, FILE_NAME_MAX = 255 };

/* What one transaction holds; the row that goes beyond it still belongs to it. */
enum { PART_EVENTS = 2048, PART_WEIGHT = 16 * 1024 * 1024 };

/* Rows that are recorded in one transaction. */
typedef struct sy_import_part {
    size_t first;
    size_t end;
    uint64_t added;
    uint64_t known;
    size_t weight; /* bytes of bodies and samples */
} sy_import_part;

/* ---- which rows are there ---- */

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* By name, then by parameters in their order. */
static int compare_rows(const sy_imported_row *a, const sy_imported_row *b)
{
    int order = strcmp(a->name, b->name);

    if (order == 0)
        order = (a->parameter_count > b->parameter_count) - (a->parameter_count < b->parameter_count);
    for (size_t i = 0; order == 0 && i < a->parameter_count; i++) {
        order = strcmp(a->parameters[i].name, b->parameters[i].name);
        if (order == 0)
            order = compare_texts(a->parameters[i].value, b->parameters[i].value);
    }
    return order;
}

/* Equal rows in the file's order: all of them stand in one list. */
static int by_name(const void *a, const void *b)
{
    const sy_imported_row *left = *(const sy_imported_row *const *)a;
    const sy_imported_row *right = *(const sy_imported_row *const *)b;
    int order = compare_rows(left, right);

    return order != 0 ? order : (left > right) - (left < right);
}

static int compare_offsets(const sy_imported_row *a, const sy_imported_row *b)
{
    return (a->position.offset > b->position.offset) - (a->position.offset < b->position.offset);
}

static int by_offset(const void *a, const void *b)
{
    const sy_imported_row *left = *(const sy_imported_row *const *)a;
    const sy_imported_row *right = *(const sy_imported_row *const *)b;
    int order = compare_offsets(left, right);

    return order != 0 ? order : (left > right) - (left < right);
}

/* How many rows before each are equal to it in one respect. */
static sy_status count_equal(const sy_imported *imported, int (*sort)(const void *, const void *),
                             int (*compare)(const sy_imported_row *, const sy_imported_row *), uint64_t *ordinals,
                             sy_error *err)
{
    const sy_imported_row **sorted = sy_allocate(imported->row_count + 1, sizeof *sorted);

    if (sorted == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu imported rows", imported->row_count);
    for (size_t i = 0; i < imported->row_count; i++)
        sorted[i] = &imported->rows[i];
    qsort(sorted, imported->row_count, sizeof *sorted, sort);
    for (size_t i = 1; i < imported->row_count; i++) {
        if (compare(sorted[i - 1], sorted[i]) == 0)
            ordinals[sorted[i] - imported->rows] = ordinals[sorted[i - 1] - imported->rows] + 1;
    }
    sy_free(sorted);
    return SY_OK;
}

/* "import-" and digits of a digest of the file's digest, the row's place in it, and which of several at one place it
 * is. What else is told of a row may depend on other files, as the names of asv's parameters do. */
static const char *make_id(sy_import_job *job, size_t index, uint64_t ordinal)
{
    sy_text text = SY_TEXT_INIT;
    sy_digest digest;
    char digits[SY_DIGEST_TEXT];
    const char *id = NULL;

    sy_text_append_format(&text, "%s %llu %llu", job->imported->digest,
                          (unsigned long long)job->imported->rows[index].position.offset, (unsigned long long)ordinal);
    if (!text.failed) {
        sy_digest_of(text.bytes, text.length, &digest);
        sy_digest_format(&digest, digits);
        id = sy_arena_format(job->arena, "import-%.*s", ID_DIGITS, digits);
    }
    sy_text_finish(&text);
    return id;
}

static sy_status name_rows(sy_import_job *job, sy_import_account *account, sy_error *err)
{
    const sy_imported *imported = job->imported;
    size_t count = imported->row_count;
    uint64_t *places = sy_arena_allocate(job->arena, count + 1, sizeof *places);
    sy_status status;

    job->ordinals = sy_arena_allocate(job->arena, count + 1, sizeof *job->ordinals);
    job->ids = sy_arena_allocate(job->arena, count + 1, sizeof *job->ids);
    if (places == NULL || job->ordinals == NULL || job->ids == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu imported rows", count);
    status = count_equal(imported, by_name, compare_rows, job->ordinals, err);
    if (status == SY_OK)
        status = count_equal(imported, by_offset, compare_offsets, places, err);
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        job->ids[i] = make_id(job, i, places[i]);
        account->failed_count += imported->rows[i].failed;
        account->repeated_count += job->ordinals[i] > 0;
        if (job->ids[i] == NULL)
            status = sy_fail(err, SY_NO_MEMORY, "no memory for %zu imported rows", count);
    }
    account->runs = job->ids;
    account->run_count = count;
    return status;
}

static sy_status is_known(sy_ledger *ledger, const char *id, bool *ret_known, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    sy_run_row row;
    sy_error wrong = SY_ERROR_INIT;
    sy_status status = arena != NULL ? sy_ledger_row(ledger, arena, id, &row, &wrong)
                                     : sy_fail(&wrong, SY_NO_MEMORY, "no memory to look for a run");

    sy_arena_destroy(arena);
    if (status != SY_OK && status != SY_NOT_FOUND) {
        if (err != NULL)
            *err = wrong;
        return status;
    }
    *ret_known = status == SY_OK;
    return SY_OK;
}

/* ---- the file itself ---- */

static const char *what_is_private(sy_private_kind kind)
{
    return kind == SY_PRIVATE_PATH     ? "a path into somebody's home stands in it"
           : kind == SY_PRIVATE_SECRET ? "a secret stands in it"
                                       : "";
}

/* Why the file is not kept; "" when it is. */
static sy_status judge_file(const sy_imported *imported, const char **ret_reason, sy_error *err)
{
    char *unpacked = NULL;
    const char *text = imported->bytes;
    size_t size = imported->size;
    sy_status status = SY_OK;

    if (sy_unpack_is_gzip(text, size)) {
        status = sy_unpack_gzip(text, size, 0, &unpacked, &size, err);
        text = unpacked;
    }
    if (status == SY_OK)
        *ret_reason = what_is_private(sy_private_find(text, size, NULL));
    sy_free(unpacked);
    return status;
}

static sy_status keep_file(sy_import_job *job, sy_ledger *ledger, const sy_project_import_options *options,
                           sy_import_account *account, sy_error *err)
{
    sy_status status = options->keep_file ? SY_OK : judge_file(job->imported, &job->not_kept, err);

    account->not_kept = job->not_kept;
    account->file_is_kept = job->not_kept[0] == '\0';
    if (status != SY_OK || !account->file_is_kept)
        return status;
    if (!options->dry_run)
        status = sy_ledger_keep(ledger, job->imported->bytes, job->imported->size, job->artifact, err);
    return status;
}

/* ---- the whole ---- */

/* Adds a row and counts what it weighs. */
static sy_status add_row(sy_import_job *job, size_t row, sy_import_part *part, sy_error *err)
{
    size_t before = job->events.count;
    sy_status status = sy_import_add_row(job, row, err);

    for (size_t i = before; status == SY_OK && i < job->events.count; i++)
        part->weight += job->events.entries[i].body_size + job->events.entries[i].sample_count * sizeof(double);
    return status;
}

/* Entries of the rows from first to end that the ledger does not have yet; those that are too many for one transaction
 * are left, and end is moved before them. Behind the last row stands the event of the file. */
static sy_status gather(sy_import_job *job, sy_ledger *ledger, bool dry_run, const sy_import_account *account,
                        sy_import_part *part, sy_error *err)
{
    sy_status status = SY_OK;
    size_t row = part->first;

    part->added = 0;
    part->known = 0;
    part->weight = 0;
    job->events.count = 0;
    for (; status == SY_OK && row < part->end; row++) {
        bool known = false;

        status = ledger != NULL ? is_known(ledger, job->ids[row], &known, err) : SY_OK;
        if (status != SY_OK)
            break;
        if (!known && (job->events.count >= PART_EVENTS || part->weight >= PART_WEIGHT))
            break;
        part->known += known;
        part->added += !known;
        if (!known && !dry_run)
            status = add_row(job, row, part, err);
    }
    part->end = row;
    if (status == SY_OK && row == job->imported->row_count && part->added > 0 && !dry_run) {
        sy_import_account told = *account;

        told.added_count += part->added;
        status = sy_import_add_file(job, &told, err);
    }
    if (status == SY_OK)
        status = sy_event_list_clean(&job->events, err);
    return status;
}

static sy_status append(sy_import_job *job, sy_ledger *ledger, const sy_import_account *account, sy_import_part *part,
                        sy_error *err)
{
    sy_error wrong = SY_ERROR_INIT;
    sy_status status = SY_OK;

    while (status == SY_OK && job->events.count > 0) {
        uint64_t known = part->known;

        status = sy_event_list_append(&job->events, ledger, NULL, &wrong);
        /* Another process may have recorded the same file meanwhile: its ids are taken then. */
        if (status == SY_REFUSED) {
            status = gather(job, ledger, false, account, part, err);
            if (status != SY_OK)
                return status;
            status = part->known > known ? SY_OK : SY_REFUSED;
        }
    }
    if (status != SY_OK && err != NULL)
        *err = wrong;
    return status;
}

/* Some of the rows, in one transaction, and what their events need of memory. */
static sy_status record_part(sy_import_job *job, sy_ledger *ledger, bool dry_run, sy_import_account *account,
                             sy_import_part *part, sy_error *err)
{
    sy_status status;

    job->events = (sy_event_list){.arena = sy_arena_create(0)};
    if (job->events.arena == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory to record imported rows");
    status = gather(job, ledger, dry_run, account, part, err);
    if (status == SY_OK && !dry_run)
        status = append(job, ledger, account, part, err);
    sy_arena_destroy(job->events.arena);
    if (status == SY_OK) {
        account->known_count += part->known;
        account->added_count += part->added;
    }
    return status;
}

/* Part by part in the file's order: what is recorded of a file is always a beginning of it, and the event of the file
 * stands in one transaction with its last row. */
static sy_status record(sy_import_job *job, sy_ledger *ledger, bool dry_run, sy_import_account *account, sy_error *err)
{
    sy_import_part part = {0};
    sy_status status = SY_OK;

    while (status == SY_OK && part.end < job->imported->row_count) {
        part = (sy_import_part){.first = part.end, .end = job->imported->row_count};
        status = record_part(job, ledger, dry_run, account, &part, err);
    }
    if (status != SY_OK && account->added_count > 0)
        sy_error_prefix(err, "%llu rows are recorded, the same import again goes on behind them",
                        (unsigned long long)account->added_count);
    return status == SY_OK && ledger != NULL ? sy_ledger_read_head(ledger, &account->head, err) : status;
}

/* What follows the last slash, on one line and no longer than a file's name. */
static sy_status name_file(sy_import_job *job, const char *path, sy_error *err)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    char name[FILE_NAME_MAX + 1];

    (void)sy_text_copy(name, sizeof name, slash != NULL ? slash + 1 : path != NULL ? path : "");
    for (char *c = name; *c != '\0'; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c;
    job->name = sy_arena_copy_text(job->arena, name);
    return job->name != NULL ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for the name of an imported file");
}

/* What this version does not know of the options has its default. */
static sy_project_import_options known_options(const sy_project_import_options *options)
{
    sy_project_import_options known = SY_PROJECT_IMPORT_OPTIONS_INIT;

    if (options != NULL)
        memcpy(&known, options, options->struct_size < sizeof known ? options->struct_size : sizeof known);
    return known;
}

sy_status sy_project_import(sy_project *project, const sy_imported *imported, const sy_project_import_options *options,
                            sy_import_account **ret_account, sy_error *err)
{
    const sy_project_import_options known = known_options(options);
    sy_ledger *ledger = project != NULL ? sy_project_ledger(project) : NULL;
    sy_import_job job = {.imported = imported, .cell = known.cell, .not_kept = ""};
    sy_import_account *account = NULL;
    sy_status status = SY_NO_MEMORY;

    if (project == NULL && !known.dry_run)
        return sy_fail(err, SY_INVALID_ARGUMENT, "rows are recorded in a project");
    job.arena = sy_arena_create(0);
    if (job.arena != NULL)
        account = sy_arena_allocate(job.arena, 1, sizeof *account);
    if (account == NULL) {
        sy_fail(err, SY_NO_MEMORY, "no memory to record an imported file");
        goto out;
    }
    account->owner = job.arena;
    account->not_kept = "";
    status = known.dry_run ? SY_OK : sy_project_registry(project, &job.registry, err);
    if (status == SY_OK)
        status = name_file(&job, known.name, err);
    if (status == SY_OK)
        status = name_rows(&job, account, err);
    if (status == SY_OK)
        status = keep_file(&job, ledger, &known, account, err);
    if (status == SY_OK)
        status = record(&job, ledger, known.dry_run, account, err);
    if (status == SY_OK) {
        *ret_account = account;
        job.arena = NULL;
    }
out:
    sy_arena_destroy(job.arena);
    return status;
}

void sy_import_account_destroy(sy_import_account *account)
{
    if (account != NULL)
        sy_arena_destroy(account->owner);
}
