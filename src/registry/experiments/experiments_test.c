/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests and their index: each single fault has its finding at its place, and what is allowed has none. Files are
 * put in memory. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/registry.h"
#include "temporary_folder.h"

#define DIGEST "1be810b96fdff8e384ad4cb6ebd49adff9b4ab0a6503cd5fed9106e09f5aa286"
#define OTHER_DIGEST "33ec049dd3f61cb6bbf2633eaa0510dbb2963e2b4ab4c731092b2662333d5083"

static const char manifest[] =
    "{\n"
    "  \"schema_version\": 1,\n"
    "  \"experiment_id\": \"run-a\",\n"
    "  \"status\": \"completed\",\n"
    "  \"question\": \"does it hold?\",\n"
    "  \"code\": {\"repository\": \"r\", \"revision\": \"334b7b5135fe29787540370a00f280fa138430a2\",\n"
    "    \"entrypoint\": \"e\", \"dirty\": false, \"diff_sha256\": null},\n"
    "  \"inputs\": [{\"dataset_id\": \"d\", \"path\": \"p\", \"sha256\": \"" DIGEST "\"}],\n"
    "  \"parameters\": {\"bins\": [1, 2]},\n"
    "  \"execution\": {\"host\": \"h\", \"backend\": \"b\"},\n"
    "  \"outputs\": [{\"artifact\": \"o\", \"sha256_manifest\": \"" OTHER_DIGEST "\", \"result\": \"it does\"}],\n"
    "  \"timestamps\": {\"created\": \"2026-08-22T00:55:56-07:00\", \"started\": \"2026-08-22T07:55:56Z\",\n"
    "    \"finished\": \"2026-08-22T08:10:16Z\"}\n"
    "}\n";

static const char index_text[] = "# Runs\n"
                                 "\n"
                                 "| id | hypothesis | setup | status | result | artifact |\n"
                                 "|---|---|---|---|---|---|\n"
                                 "| run-a | h | s | ok | r | [manifest](run-a/manifest.json) |\n"
                                 "\n"
                                 "More.\n";

/* The text with the first `from` replaced; heap. */
static char *edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (at == NULL) {
        fail_msg("the text has no '%s'", from);
    }
    size_t size = strlen(text) + strlen(to) + 1;
    char *result = malloc(size);
    assert_non_null(result);
    (void)snprintf(result, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return result;
}

/* What was found, as "rule line:column pointer" in lines; notes begin with "note ". Freed by the caller. */
static char *found_in(const char *root, const sy_document_bytes *files, size_t count)
{
    sy_registry *registry = NULL;
    sy_finding_list list;
    assert_int_equal(sy_registry_open_with(root, SY_REGISTRY_EXPERIMENTS, files, count, &registry, NULL), SY_OK);
    assert_int_equal(sy_registry_findings(registry, &list, NULL), SY_OK);
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; i < list.finding_count + list.note_count; i++) {
        bool note = i >= list.finding_count;
        const sy_finding *finding = note ? &list.notes[i - list.finding_count] : &list.findings[i];
        sy_text_append_format(&text, "%s%s %u:%u %s\n", note ? "note " : "", finding->rule,
                              (unsigned)finding->position.line, (unsigned)finding->position.column, finding->pointer);
    }
    sy_registry_close(registry);
    char *taken = strdup(sy_text_bytes(&text));
    sy_text_finish(&text);
    return taken;
}

static char *found(const char *root, const char *manifest_bytes, const char *index_bytes)
{
    const sy_document_bytes files[] = {
        {"experiments/run-a/manifest.json", manifest_bytes, strlen(manifest_bytes)},
        {"experiments/RUNS.md", index_bytes, strlen(index_bytes)},
    };
    return found_in(root, files, 2);
}

typedef struct edit {
    const char *from;
    const char *to;
    const char *expected; /* as found() tells it, without line ends where it is one; "" = nothing */
} edit;

static void try_edits(const char *root, bool of_index, const edit *edits, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        char *text = edited(of_index ? index_text : manifest, edits[i].from, edits[i].to);
        char *answer = of_index ? found(root, manifest, text) : found(root, text, index_text);
        size_t length = strlen(answer);
        if (length > 0 && strchr(answer, '\n') == answer + length - 1) {
            answer[length - 1] = '\0';
        }
        if (strcmp(answer, edits[i].expected) != 0) {
            print_error("'%s' for '%s': found '%s', expected '%s'\n", edits[i].to, edits[i].from, answer,
                        edits[i].expected);
            wrong++;
        }
        free(answer);
        free(text);
    }
    assert_int_equal(wrong, 0);
}

#define TRY(root, of_index, edits) try_edits(root, of_index, edits, sizeof(edits) / sizeof((edits)[0]))

static void a_whole_manifest_with_its_row_has_no_finding(void **state)
{
    char *answer = found(*state, manifest, index_text);
    assert_string_equal(answer, "");
    free(answer);
}

static void a_manifest_says_what_it_is(void **state)
{
    static const edit edits[] = {
        {"\"schema_version\": 1", "\"schema_version\": true", "schema-version 2:21 /schema_version"},
        {"\"schema_version\": 1", "\"schema_version\": 1.0", "schema-version 2:21 /schema_version"},
        {"\"schema_version\": 1", "\"schema_version\": 2", "schema-version 2:21 /schema_version"},
        {"\"schema_version\": 1,", "", "field-missing 1:1 "},
        {"\"run-a\"", "\"run-A\"", "run-id 3:20 /experiment_id"},
        {"\"run-a\"", "\"run-a \"", "run-id 3:20 /experiment_id"},
        {"\"run-a\"", "\"run-a\\u0000\"", "field-type 3:20 /experiment_id"},
        {"\"completed\"", "\"okay\"", "run-status 4:13 /status"},
        {"\"completed\"", "\"ok\"", "run-status 4:13 /status"},
        {"\"completed\"", "\"Completed\"", "run-status 4:13 /status"},
        {"\"completed\"", "\"completed (partly)\"", "run-status 4:13 /status"},
        {"\"completed\"", "null", "field-type 4:13 /status"},
        {"\"does it hold?\"", "\" \\t\"", "field-blank 5:15 /question"},
        {"\"does it hold?\"", "\"\\u00a0\\u2003\\u200b\"", "field-blank 5:15 /question"},
        {"\"does it hold?\"", "[\"does it hold?\"]", "field-type 5:15 /question"},
        {"\"bins\": [1, 2]", "\"at\": \"file:///home/a\"", "private-path 9:24 /parameters/at"},
        {"\"bins\": [1, 2]", "\"/uSers/a\": 1", "private-path 9:18 /parameters/~1uSers~1a"},
        {"\"bins\": [1, 2]", "\"a\": 1, \"a\": 2", "json-duplicate-key 9:26 /parameters/a"},
        {"\"bins\": [1, 2]", "\"a\": NaN", "json-non-finite 9:23 /parameters/a"},
        {"{\"bins\": [1, 2]}", "[]", "field-type 9:17 /parameters"},
        {"{\"bins\": [1, 2]}", "{}", ""},
        {"\"host\": \"h\", ", "", "field-missing 10:16 /execution"},
        {"\"b\"", "\"\"", "field-blank 10:41 /execution/backend"},
        {"\"question\"", "\"paper\": {\"manifest_path\": \"experiments/run-b/manifest.json\"}, \"question\"",
         "note run-id 5:30 /paper/manifest_path"},
    };
    TRY(*state, false, edits);
}

static void code_inputs_and_outputs_are_pinned(void **state)
{
    static const edit edits[] = {
        {"334b7b5135", "334B7B5135", "run-revision 6:43 /code/revision"},
        {"334b7b5135", "34b7b5135", "run-revision 6:43 /code/revision"},
        {"\"dirty\": false", "\"dirty\": true", "run-diff 7:54 /code/diff_sha256"},
        {"\"dirty\": false, \"diff_sha256\": null", "\"dirty\": true", "run-diff 6:11 /code"},
        {"\"dirty\": false, \"diff_sha256\": null", "\"dirty\": false", ""},
        {"false, \"diff_sha256\": null", "true, \"diff_sha256\": \"" DIGEST "\"", ""},
        {"false, \"diff_sha256\": null", "true, \"diff_sha256\": \"" DIGEST "0\"", "run-diff 7:54 /code/diff_sha256"},
        {"\"diff_sha256\": null", "\"diff_sha256\": \"" DIGEST "\"", "run-diff 7:55 /code/diff_sha256"},
        {"\"diff_sha256\": null",
         "\"diff_sha256\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"", ""},
        {"\"dirty\": false", "\"dirty\": 0", "field-type 7:33 /code/dirty"},
        {"\"dirty\": false", "\"dirty\": \"false\"", "field-type 7:33 /code/dirty"},
        {"1be810b96f", "1BE810b96f", "run-input-digest 8:57 /inputs/0/sha256"},
        {"\"sha256\": \"" DIGEST "\"", "\"sha256\": null", "field-type 8:57 /inputs/0/sha256"},
        {", \"sha256\": \"" DIGEST "\"", "", "field-missing 8:14 /inputs/0"},
        {"\"dataset_id\": \"d\"", "\"dataset_id\": \"\"", "field-blank 8:29 /inputs/0/dataset_id"},
        {"[{\"dataset_id\"", "[3, {\"dataset_id\"", "field-type 8:14 /inputs/0"},
        {"33ec049dd3", "33ec049dd", "run-output-digest 11:52 /outputs/0/sha256_manifest"},
        {"\"sha256_manifest\": \"" OTHER_DIGEST "\", ", "", "run-output-digest 11:15 /outputs/0"},
        {"\"sha256_manifest\"", "\"sha256\"", ""},
        {"\"sha256_manifest\"", "\"sha256\": null, \"sha256_manifest\"", ""},
        {"\"it does\"", "\"  \"", "field-blank 11:130 /outputs/0/result"},
        {", \"result\": \"it does\"", "", "field-missing 11:15 /outputs/0"},
        {"\"artifact\": \"o\"", "\"path\": \"o\"", ""},
        {"\"artifact\": \"o\"", "\"path\": \"o\", \"artifact\": null", ""},
        {"\"artifact\": \"o\", ", "", "field-missing 11:15 /outputs/0"},
        {"\"artifact\": \"o\"", "\"path\": \"\"", "field-blank 11:24 /outputs/0/path"},
        {"[{\"artifact\": \"o\", \"sha256_manifest\": \"" OTHER_DIGEST "\", \"result\": \"it does\"}]", "[]",
         "run-output-missing 11:14 /outputs"},
    };
    TRY(*state, false, edits);
}

static void times_are_moments_in_order(void **state)
{
    static const edit edits[] = {
        {"\"2026-08-22T08:10:16Z\"", "\"2026-08-22T07:55:55Z\"", "run-time-order 13:17 /timestamps/finished"},
        {"\"2026-08-22T08:10:16Z\"", "\"2026-08-22T00:55:56-07:00\"", ""},
        {"\"2026-08-22T08:10:16Z\"", "\"2026-08-22T01:10:16\"", "run-time 13:17 /timestamps/finished"},
        {"\"2026-08-22T08:10:16Z\"", "\"2026-13-22T08:10:16Z\"", "run-time 13:17 /timestamps/finished"},
        {"\"2026-08-22T08:10:16Z\"", "null", "run-time-missing 13:17 /timestamps/finished"},
        {"\"2026-08-22T08:10:16Z\"", "1787386216", "field-type 13:17 /timestamps/finished"},
        {",\n    \"finished\": \"2026-08-22T08:10:16Z\"", "", "run-time-missing 12:17 /timestamps"},
        {"\"2026-08-22T07:55:56Z\"", "\"2026-08-22T07:55:55Z\"", "run-time-order 12:69 /timestamps/started"},
        {"\"2026-08-22T07:55:56Z\"", "null", "run-time-missing 12:69 /timestamps/started"},
        {"\"2026-08-22T00:55:56-07:00\"", "\"2026-08-22T00:55:56-08:00\"",
         "run-time-order 12:69 /timestamps/started\nrun-time-order 13:17 /timestamps/finished\n"},
        {"\"2026-08-22T00:55:56-07:00\"", "null", "run-time-missing 12:29 /timestamps/created"},
        {"\"timestamps\"", "\"timestamp\"", "field-missing 1:1 "},
    };
    TRY(*state, false, edits);
}

/* A run that has not ended owes less, and its row may leave cells empty. */
static void a_run_owes_what_its_status_can_have(void **state)
{
    static const char outputs[] = "{\"artifact\": \"o\", \"sha256_manifest\": \"" OTHER_DIGEST
                                  "\", \"result\": \"it does\"}";
    char *running = edited(manifest, "\"completed\"", "\"running\"");
    char *index_running = edited(index_text, "| s | ok | r | [manifest](run-a/manifest.json) |", "| | running | | |");
    char *unfinished = edited(running, "\"2026-08-22T08:10:16Z\"", "null");
    char *planned_outputs = edited(unfinished, outputs, "{\"artifact\": \"o\"}");
    char *answer = found(*state, planned_outputs, index_running);
    assert_string_equal(answer, "");
    free(answer);
    answer = found(*state, running, index_running);
    assert_string_equal(answer, "note run-time 13:17 /timestamps/finished\n");
    free(answer);
    char *never_started = edited(unfinished, "\"2026-08-22T07:55:56Z\"", "null");
    answer = found(*state, never_started, index_running);
    assert_string_equal(answer, "run-time-missing 12:69 /timestamps/started\n");
    free(answer);
    char *planned = edited(never_started, "\"running\"", "\"planned\"");
    char *index_planned = edited(index_running, "running", "planned");
    answer = found(*state, planned, index_planned);
    assert_string_equal(answer, "");
    free(answer);
    free(running);
    free(index_running);
    free(unfinished);
    free(planned_outputs);
    free(never_started);
    free(planned);
    free(index_planned);
}

static void the_index_is_held_against_the_manifests(void **state)
{
    static const edit edits[] = {
        {"| ok |", "| completed |", ""},
        {"| ok |", "| okay |", "run-status 5:19 "},
        {"| ok |", "| OK |", "run-status 5:19 "},
        {"| ok |", "| `ok` |", "run-status 5:19 "},
        {"| ok |", "| completed (partly) |", "run-status 5:19 "},
        {"| ok |", "| failed |", "run-index-status 5:19 "},
        {"| ok |", "| |", "run-status 5:19 "},
        {"| run-a | h", "| run-a |", "field-blank 5:11 "},
        {"| ok | r |", "| ok |  |", "field-blank 5:25 "},
        {"| run-a", "| ", "field-blank 5:4 \nrun-index-no-row 1:1 \n"},
        {"| run-a | h", "| run-b | h", "run-index-no-manifest 5:3 "},
        {"(run-a/manifest.json)", "(../experiments/run-a/manifest.json#x)", ""},
        {"(run-a/manifest.json)", "(other/MORNING.md)", ""},
        {"(run-a/manifest.json)", "(run-b/manifest.json)", "run-index-link 5:28 "},
        {"(run-a/manifest.json)", "(brun-a/manifest.json)", "run-index-link 5:28 "},
        {"(run-a/manifest.json)", "(run-b/manifest.json), [b](run-a/manifest.json)", ""},
        {"More.", "| run-a | h | s | ok | r | a |", "run-index-twice 7:3 \nnote run-index-table 7:1 \n"},
        {"\n\nMore.", "\n| run-b | h | s | ok | r | a |\n", "run-index-no-manifest 6:3 "},
        {"\n\nMore.", "\n| run-a | h | s | failed | r | a |\n", "run-index-twice 6:3 "},
        {"| run-a | h | s | ok | r | [manifest](run-a/manifest.json) |\n", "", "run-index-no-row 1:1 "},
        {"More.", "see /Users/a/b", "private-path 7:5 "},
        {"| s |", "| /home/a/s |", "private-path 5:15 "},
    };
    TRY(*state, true, edits);
}

static void the_table_is_read_as_markdown_does(void **state)
{
    static const edit edits[] = {
        {"| h |", "| h \\| h \\\\ |", ""},
        {"| h |", "| h | h |", "run-index-cells 5:1 "},
        {"| h |", "|", "run-index-cells 5:1 "},
        {"| h |", "| h \\\\| h |", "run-index-cells 5:1 "},
        {"json) |\n", "json)\n", ""},
        {"| run-a", "  |  run-a", ""},
        {"| id |", "| ID |", ""},
        {"| status |", "| state |", "run-index-table 3:1 "},
        {"| result | artifact |", "| artifact | result |", "run-index-table 3:1 "},
        {"| artifact |\n", "| artifact | owner |\n",
         "run-index-table 3:1 \nrun-index-table 4:1 \nrun-index-cells 5:1 \n"},
        {"|---|---|---|---|---|---|", "|:--|:-:|--:|---|---|---|", ""},
        {"|---|---|---|---|---|---|", "|---|---|---|---|---|", "run-index-table 4:1 "},
        {"|---|---|---|---|---|---|\n", "", "run-index-table 4:1 "},
        {"| id | hypothesis | setup | status | result | artifact |\n", "", "run-index-table 3:1 "},
        {"# Runs\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", ""},
        {"More.", "| a | b |\n|---|---|\n| 1 | 2 |\n", ""},
        {"More.", "```\n| run-b | h | s | ok | r | a |\n````\n", ""},
        {"More.", "<!--\n| run-b | h | s | ok | r | a |\n-->\n", ""},
        {"# Runs\n", "\xef\xbb\xbf# Runs\n", ""},
        {"# Runs\n", "# R\xfcns\n", "text-encoding 1:4 "},
        {"\n\nMore.", "\nMore.", "run-index-cells 6:1 "},
    };
    TRY(*state, true, edits);
    char *dos = edited(index_text, "# Runs\n", "# Runs\r\n");
    char *answer = found(*state, manifest, dos);
    assert_string_equal(answer, "");
    free(answer);
    free(dos);
}

static void other_encodings_are_named(void **state)
{
    static const char marked[] = "\xff\xfe#\0 \0R\0\n\0";
    static const char bare[] = "#\0 \0R\0u\0n\0\n\0";
    static const char bytes[] = "{\"a\": 1}";
    const sy_document_bytes files[][2] = {
        {{"experiments/RUNS.md", marked, sizeof marked - 1}, {"experiments/x", bytes, 8}},
        {{"experiments/RUNS.md", bare, sizeof bare - 1}, {"experiments/x", bytes, 8}},
        {{"experiments/RUNS.md", index_text, sizeof index_text - 1},
         {"experiments/run-a/manifest.json", "\xff\xfe{\0}\0", 6}},
    };
    static const char *const expected[] = {"text-encoding 1:1 \n", "text-encoding 1:1 \n", "json-syntax 1:1 \n"};
    for (size_t i = 0; i < 3; i++) {
        char *answer = found_in(*state, files[i], 2);
        assert_string_equal(answer, expected[i]);
        free(answer);
    }
}

/* Of what damage has cut nothing is said to be missing. */
static void a_cut_manifest_has_one_finding(void **state)
{
    static char cut[sizeof manifest];
    for (size_t length = 1; length + 2 < sizeof manifest; length++) {
        memcpy(cut, manifest, length);
        cut[length] = '\0';
        char *answer = found(*state, cut, index_text);
        if (strncmp(answer, "json-syntax ", 12) != 0 || strchr(answer, '\n') != answer + strlen(answer) - 1) {
            fail_msg("cut behind %zu bytes: %s", length, answer);
        }
        free(answer);
    }
}

static void write_file(const char *root, const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_link(const char *root, const char *to, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(symlink(to, path), 0);
}

static void make_folder(const char *root, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void the_folder_is_walked_whatever_lies_in_it(void **state)
{
    const char *root = *state;
    make_folder(root, "experiments");
    make_folder(root, "experiments/run-a");
    make_folder(root, "experiments/.hidden");
    make_folder(root, "experiments/empty");
    make_folder(root, "experiments/folder");
    make_folder(root, "experiments/folder/manifest.json");
    write_file(root, "experiments/RUNS.md", index_text);
    write_file(root, "experiments/run-a/manifest.json", manifest);
    write_file(root, "experiments/notes.txt", "/home/nobody/reads/this");
    make_link(root, "loop", "experiments/loop");
    make_link(root, "/etc", "experiments/outside");
    make_link(root, "nowhere", "experiments/dangling");
    make_link(root, "run-a", "experiments/run-b");
    make_link(root, ".", "experiments/itself");
    char *answer = found_in(root, NULL, 0);
    assert_string_equal(answer, "file-missing 0:0 \n"      /* dangling */
                                "file-unreadable 0:0 \n"   /* folder/manifest.json */
                                "run-index-no-row 0:0 \n"  /* the same */
                                "file-unreadable 0:0 \n"   /* loop */
                                "file-outside-root 0:0 \n" /* outside */
                                "run-index-no-row 1:1 \n"  /* run-b: the manifest is another's */
                                "run-id 3:20 /experiment_id\n"
                                "note run-manifest-missing 0:0 \n"
                                "note run-manifest-missing 0:0 \n");
    free(answer);
}

static void missing_files_are_findings(void **state)
{
    char *answer = found_in(*state, NULL, 0);
    assert_string_equal(answer, "file-missing 0:0 \n");
    free(answer);
    const sy_document_bytes only_index = {"experiments/RUNS.md", index_text, strlen(index_text)};
    answer = found_in(*state, &only_index, 1);
    assert_string_equal(answer, "run-index-no-manifest 5:3 \n");
    free(answer);
    const sy_document_bytes only_manifest = {"experiments/run-a/manifest.json", manifest, strlen(manifest)};
    answer = found_in(*state, &only_manifest, 1);
    assert_string_equal(answer, "file-missing 0:0 \n");
    free(answer);
}

static void what_manifests_claim_of_others_is_remarked(void **state)
{
    char *other = edited(manifest, "\"run-a\"", "\"run-b\"");
    char *other_data = edited(other, "1be810b96f", "1be810b960");
    char *two_rows = edited(index_text, "\n\nMore.", "\n| run-b | h | s | ok | r | a |\n");
    /* SHA-256 of "o\n", from sha256sum. */
    char *kept = edited(manifest, "\"sha256_manifest\": \"" OTHER_DIGEST "\"",
                        "\"sha256\": \"7427d152005f9ed0fa31c76ef9963cf4bb47dce6e2768111d9eb0edbfe59c704\"");
    sy_document_bytes files[] = {
        {"experiments/run-a/manifest.json", kept, strlen(kept)},
        {"experiments/run-b/manifest.json", other, strlen(other)},
        {"experiments/RUNS.md", two_rows, strlen(two_rows)},
        {"experiments/run-a/o", "o\n", 2},
    };
    char *answer = found_in(*state, files, 4);
    assert_string_equal(answer, "");
    free(answer);
    files[1].bytes = other_data;
    files[3].bytes = "O\n";
    answer = found_in(*state, files, 4);
    assert_string_equal(answer, "note run-artifact 11:43 /outputs/0/sha256\nnote run-dataset 8:57 /inputs/0/sha256\n");
    free(answer);
    free(other);
    free(other_data);
    free(two_rows);
    free(kept);
}

static void a_folder_that_is_named_and_not_there_is_a_finding(void **state)
{
    const sy_document_bytes files[] = {
        {"steelyard.json", "{\"files\": {\"experiments\": \"runs\", \"run_index\": \"runs.md\"}}", 58},
    };
    char *answer = found_in(*state, files, 1);
    assert_non_null(strstr(answer, "file-missing 1:27 /files/experiments\n"));
    assert_non_null(strstr(answer, "file-missing 1:48 /files/run_index\n"));
    free(answer);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_whole_manifest_with_its_row_has_no_finding),
        IN_FOLDER(a_manifest_says_what_it_is),
        IN_FOLDER(code_inputs_and_outputs_are_pinned),
        IN_FOLDER(times_are_moments_in_order),
        IN_FOLDER(a_run_owes_what_its_status_can_have),
        IN_FOLDER(the_index_is_held_against_the_manifests),
        IN_FOLDER(the_table_is_read_as_markdown_does),
        IN_FOLDER(other_encodings_are_named),
        IN_FOLDER(a_cut_manifest_has_one_finding),
        IN_FOLDER(the_folder_is_walked_whatever_lies_in_it),
        IN_FOLDER(missing_files_are_findings),
        IN_FOLDER(what_manifests_claim_of_others_is_remarked),
        IN_FOLDER(a_folder_that_is_named_and_not_there_is_a_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
