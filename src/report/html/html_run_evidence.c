/* SPDX-License-Identifier: Apache-2.0 */
/* Of one run in the page's data: parity, memory, checks, commands, files; its key and how it differs from its baseline.
 */
#include <math.h>

#include "report/html/html_run_parts.h"
#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"

static void put_row(sy_json_writer *json, const char *const *cells, size_t count)
{
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        sy_json_text(json, cells[i]);
    sy_json_end_array(json);
}

/* ---- parity and memory ---- */

/* [outcome, case, implementation, error in tolerances, reason] */
static void put_parities(sy_html_run_writer *writer, const sy_run *run)
{
    sy_json_writer *json = writer->json;

    sy_json_member_text(json, "parity", sy_run_parity_word(run->row.parity));
    sy_json_name(json, "parities");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->parity_count; i++) {
        const sy_run_parity_event *parity = &run->parities[i];

        sy_json_begin_array(json);
        sy_json_text(json, sy_run_parity_word(parity->outcome));
        sy_json_text(json, parity->case_name);
        sy_json_text(json, parity->implementation);
        sy_json_double(json, parity->error_in_tolerances);
        sy_json_text(json, parity->reason);
        sy_json_end_array(json);
    }
    sy_json_end_array(json);
}

/* [name, bytes, basis, scope, how, who counted, swap, pressure, why it is a pre-check] */
static void put_memories(sy_html_run_writer *writer, const sy_run *run)
{
    sy_json_writer *json = writer->json;

    sy_json_name(json, "memories");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->memory_count; i++) {
        const sy_run_memory *memory = &run->memories[i];
        char share[SY_FIGURE_SIZE];

        sy_json_begin_array(json);
        sy_json_text(json, memory->name);
        sy_json_u64(json, memory->bytes);
        sy_json_text(json, sy_memory_basis_word(memory->basis));
        sy_json_text(json, sy_memory_scope_word(memory->scope));
        sy_json_text(json, memory->how);
        sy_json_text(json, memory->counted ? "counted by the kernel" : "as it was told");
        sy_json_double(json, memory->swap_bytes);
        sy_json_text(json, sy_figure_share(share, memory->pressure_share));
        sy_json_text(json, sy_run_memory_shortcoming(memory));
        sy_json_end_array(json);
    }
    sy_json_end_array(json);
}

/* ---- what was done ---- */

/* [outcome, name, required, found, expected] */
static void put_checks(sy_json_writer *json, const sy_run *run)
{
    sy_json_name(json, "checks");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->check_count; i++) {
        const sy_run_check *check = &run->checks[i];
        const char *const cells[] = {check->passed > 0    ? "ok"
                                     : check->passed == 0 ? "failed"
                                                          : "unknown",
                                     check->name, check->required ? "required" : "not required", check->found,
                                     check->expected};

        put_row(json, cells, sizeof(cells) / sizeof(cells[0]));
    }
    sy_json_end_array(json);
}

/* [phase, command, how it ended, peak memory] */
static void put_commands(sy_html_run_writer *writer, const sy_run *run)
{
    sy_json_writer *json = writer->json;

    sy_json_name(json, "commands");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->command_count; i++) {
        const sy_run_command *command = &run->commands[i];

        sy_json_begin_array(json);
        sy_json_text(json, command->phase);
        sy_ledger_words_command(&writer->words, command);
        sy_html_run_put_words(writer, NULL);
        sy_ledger_words_command_end(&writer->words, command);
        sy_html_run_put_words(writer, NULL);
        sy_json_u64(json, command->peak_memory_bytes);
        sy_json_end_array(json);
    }
    sy_json_end_array(json);
}

/* [role, name, size, digest]; a digest alone has no size. */
static void put_files(sy_json_writer *json, const sy_run *run)
{
    sy_json_name(json, "files");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->artifact_count; i++) {
        const sy_run_artifact *artifact = &run->artifacts[i];

        sy_json_begin_array(json);
        sy_json_text(json, sy_artifact_role_word(artifact->role));
        sy_json_text(json, artifact->name);
        sy_json_u64(json, artifact->size);
        sy_json_text(json, artifact->digest);
        sy_json_end_array(json);
    }
    for (size_t i = 0; i < run->digest_count; i++) {
        sy_json_begin_array(json);
        sy_json_text(json, run->digests[i].role);
        sy_json_text(json, "(not kept)");
        sy_json_null(json);
        sy_json_text(json, run->digests[i].digest);
        sy_json_end_array(json);
    }
    sy_json_end_array(json);
}

void sy_html_run_put_evidence(sy_html_run_writer *writer, const sy_run *run)
{
    put_parities(writer, run);
    put_memories(writer, run);
    put_checks(writer->json, run);
    put_commands(writer, run);
    put_files(writer->json, run);
}

/* ---- which comparison it belongs to ---- */

static void put_key(sy_html_run_writer *writer, const sy_run *run)
{
    const sy_comparison_key *key = &run->begin.key;
    sy_json_writer *json = writer->json;

    sy_json_member_text(json, "key_digest", run->row.key_digest);
    sy_json_member_u64(json, "key_unknown", sy_ledger_unknown_fields(key));
    sy_json_name(json, "key");
    sy_json_begin_array(json);
    for (size_t i = 0; i < key->field_count; i++) {
        const char *const cells[] = {key->fields[i].name,
                                     sy_ledger_field_is_known(&key->fields[i]) ? key->fields[i].value : NULL};

        put_row(json, cells, sizeof(cells) / sizeof(cells[0]));
    }
    sy_json_end_array(json);
}

static void put_facts_of_machine(sy_json_writer *json, const sy_identity *identity)
{
    sy_json_name(json, "identity");
    sy_json_begin_array(json);
    for (size_t i = 0; i < identity->field_count; i++) {
        const char *const cells[] = {identity->fields[i].name, identity->fields[i].value,
                                     identity->fields[i].key ? "separates" : ""};

        put_row(json, cells, sizeof(cells) / sizeof(cells[0]));
    }
    sy_json_end_array(json);
}

/* [field, here, there, in words whether both agree] */
static void put_differences(sy_json_writer *json, const sy_html_run *page)
{
    sy_json_member_text(json, "baseline", page->baseline_run);
    sy_json_name(json, "differences");
    sy_json_begin_array(json);
    for (size_t i = 0; i < page->difference_count; i++) {
        const sy_key_difference *field = &page->differences[i];
        const char *const cells[] = {field->name, field->a, field->b,
                                     field->agrees  ? "agrees"
                                     : !field->in_a ? "not here"
                                     : !field->in_b ? "not there"
                                                    : "differs"};

        put_row(json, cells, sizeof(cells) / sizeof(cells[0]));
    }
    sy_json_end_array(json);
}

void sy_html_run_put_identity(sy_html_run_writer *writer, const sy_html_run *page)
{
    put_key(writer, page->run);
    put_facts_of_machine(writer->json, &page->run->begin.place.identity);
    put_differences(writer->json, page);
}
