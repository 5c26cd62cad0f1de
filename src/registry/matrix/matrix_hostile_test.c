/* SPDX-License-Identifier: Apache-2.0 */
/* Every value of a valid set in its turn is another one, gone or there twice: nothing crashes, and wherever the value
 * matters something is found. */
#include "registry_set.h"

#include "base/json.h"
#include "fault_loop.h"
#include "temporary_folder.h"

#define SMALL STEELYARD_SOURCE_DIR "/tests/data/registry/small"
#define MATRIX "benchmarks/profile_matrix.json"
#define PARITY "tests/parity/backend_matrix.json"
#define SETTINGS "steelyard.json"
#define OWN "protocols/own.json"

static const char own[] = "{\"schema_version\": 1, \"protocol_version\": \"own/v3\", \"tiers\": [\"smoke\", \"full\"],"
                          " \"schedules\": [\"nightly\", \"none\"], \"portable_runners\": [\"hosted\"],"
                          " \"key_fields\": [\"shape\", \"device\"], \"advised_key_fields\": [\"colour\"],"
                          " \"required_statistics\": [\"p50\"], \"required_run_fields\": [\"host\"],"
                          " \"parity_contract\": {\"texts\": [\"order\"], \"lists\": [\"provenance\"]},"
                          " \"minimum_accepted_sessions\": 7}";

typedef enum mutation {
    TO_NULL = 1,
    TO_TRUE = 2,
    TO_ONE = 4,
    TO_FRACTION = 8,
    TO_BLANK = 16,
    TO_ARRAY = 32,
    TO_OBJECT = 64,
    TO_LONG_TEXT = 128,
    GONE = 256,
    TWICE = 512,
    LAST = TWICE
} mutation;

/* What may happen to which values without being a fault. */
typedef struct silence {
    const char *file;
    const char *pointer; /* '*' stands for anything */
    unsigned mutations;
} silence;

static const silence silences[] = {
    /* Words for people: any other ones will do. */
    {MATRIX, "/tiers/*/purpose", TO_LONG_TEXT},
    {MATRIX, "/tiers/*/cadence", TO_LONG_TEXT | GONE},
    {MATRIX, "/tiers/*/timing_policy", TO_LONG_TEXT | GONE},
    {MATRIX, "/cells/*/reason", TO_LONG_TEXT | GONE},
    {PARITY, "/capabilities/*/parity", TO_LONG_TEXT},
    {SETTINGS, "", TO_OBJECT},
    {SETTINGS, "/schema_version", GONE},
    {SETTINGS, "/project", TO_LONG_TEXT | GONE},
    {SETTINGS, "/platforms/*/scheduled_responsibility", TO_LONG_TEXT | GONE},
    {SETTINGS, "/platforms/*/minimum_memory/how", TO_LONG_TEXT},
    /* Names that nothing else gives. */
    {MATRIX, "/platforms/*/authority", TO_LONG_TEXT},
    {MATRIX, "/capabilities/*/required_metrics/*", TO_LONG_TEXT | GONE},
    {MATRIX, "/cells/[01234]/pr_gate", TO_LONG_TEXT},
    {PARITY, "/capabilities/*/coverage/*/gates/*", TO_LONG_TEXT},
    {PARITY, "/capabilities/0/coverage/gpu/gates/*", GONE},
    {PARITY, "/contract/coordinate_order", TO_TRUE | TO_ONE | TO_FRACTION | TO_OBJECT | TO_LONG_TEXT | GONE},
    {PARITY, "/contract/integer_outputs", TO_TRUE | TO_ONE | TO_FRACTION | TO_OBJECT | TO_LONG_TEXT | GONE},
    {PARITY, "/contract/required_provenance", TO_TRUE | TO_ONE | TO_FRACTION | TO_OBJECT | TO_LONG_TEXT | GONE},
    {PARITY, "/contract/required_provenance/*", TO_LONG_TEXT | GONE},
    /* A gate that nobody's other words contradict. */
    {MATRIX, "/platforms/[gn]pu/minimum_memory_gate", TO_LONG_TEXT},
    /* Both values are legal. */
    {MATRIX, "/cells/[01234]/release_signoff", TO_TRUE},
    {SETTINGS, "/platforms/npu", TO_OBJECT | GONE},
    {SETTINGS, "/platforms/npu/runner", GONE},
    {SETTINGS, "/platforms/[cg]pu", TO_OBJECT | GONE},
    {SETTINGS, "/platforms/[cg]pu/runner", GONE},
    {SETTINGS, "/platforms/*/minimum_memory", GONE},
    {SETTINGS, "/platforms", TO_OBJECT | GONE},
    /* Another place for files that these tests do not read, or the published place. */
    {SETTINGS, "/files", TO_OBJECT | GONE},
    {SETTINGS, "/files/coverage", TO_LONG_TEXT | GONE},
    {SETTINGS, "/files/evidence", TO_LONG_TEXT | GONE},
    {SETTINGS, "/files/matrix", GONE},
    {SETTINGS, "/files/parity_matrix", GONE},
    {SETTINGS, "/files/protocols", GONE},
    /* A protocol that this matrix does not follow may say anything of the right type. */
    {OWN, "/protocol_version", TO_LONG_TEXT},
    {OWN, "/[tkrsap]*/*[01]", TO_LONG_TEXT},
    {OWN, "/[tks]*/[01]", GONE},
    {OWN, "/[rap]*/0", GONE},
    {OWN, "/portable_runners", TO_ARRAY | GONE},
    {OWN, "/advised_key_fields", TO_ARRAY | GONE},
    {OWN, "/required_*s", TO_ARRAY},
    {OWN, "/parity_contract", TO_OBJECT | GONE},
    {OWN, "/parity_contract/[tl]*ts", TO_ARRAY | GONE},
    {OWN, "/parity_contract/*/0", GONE},
};

/* Like sy_text_matches, and [abc] is one of these characters. */
static bool matches(const char *text, const char *pattern)
{
    if (*pattern == '\0') {
        return *text == '\0';
    }
    if (*pattern == '*') {
        return matches(text, pattern + 1) || (*text != '\0' && matches(text + 1, pattern));
    }
    if (*pattern == '[') {
        const char *end = strchr(pattern, ']');
        const char *at = *text != '\0' ? memchr(pattern, *text, (size_t)(end - pattern)) : NULL;
        return at != NULL && matches(text + 1, end + 1);
    }
    return *text == *pattern && matches(text + 1, pattern + 1);
}

static bool may_be_silent(const char *file, const char *pointer, mutation how)
{
    for (size_t i = 0; i < sizeof silences / sizeof silences[0]; i++) {
        if (strcmp(silences[i].file, file) == 0 && (silences[i].mutations & how) != 0 &&
            matches(pointer, silences[i].pointer)) {
            return true;
        }
    }
    return false;
}

static char long_text[70001];

static void write_instead(sy_json_writer *writer, mutation how)
{
    switch (how) {
    case TO_NULL:
        sy_json_null(writer);
        break;
    case TO_TRUE:
        sy_json_bool(writer, true);
        break;
    case TO_ONE:
        sy_json_i64(writer, 1);
        break;
    case TO_FRACTION:
        sy_json_double(writer, 1.5);
        break;
    case TO_BLANK:
        sy_json_text(writer, "");
        break;
    case TO_ARRAY:
        sy_json_begin_array(writer);
        sy_json_end_array(writer);
        break;
    case TO_OBJECT:
        sy_json_begin_object(writer);
        sy_json_end_object(writer);
        break;
    default:
        sy_json_text(writer, long_text);
        break;
    }
}

/* Writes value with what happens to target. */
static void write_mutant(sy_json_writer *writer, const sy_json_value *value, const sy_json_value *target, mutation how)
{
    if (value == target && how < GONE) {
        write_instead(writer, how);
        return;
    }
    switch (value->kind) {
    case SY_JSON_OBJECT:
    case SY_JSON_ARRAY:
        (value->kind == SY_JSON_OBJECT ? sy_json_begin_object : sy_json_begin_array)(writer);
        for (const sy_json_value *at = value->first; at != NULL; at = at->next) {
            int times = at != target ? 1 : how == GONE ? 0 : how == TWICE ? 2 : 1;
            for (int i = 0; i < times; i++) {
                if (at->name != NULL) {
                    sy_json_name(writer, at->name);
                }
                write_mutant(writer, at, target, how);
            }
        }
        (value->kind == SY_JSON_OBJECT ? sy_json_end_object : sy_json_end_array)(writer);
        break;
    case SY_JSON_NUMBER:
        sy_json_i64(writer, (int64_t)value->number);
        break;
    case SY_JSON_TEXT:
        sy_json_text(writer, value->text);
        break;
    case SY_JSON_NULL:
        sy_json_null(writer);
        break;
    default:
        sy_json_bool(writer, value->kind == SY_JSON_TRUE);
        break;
    }
}

static bool changes_nothing(const sy_json_value *value, mutation how)
{
    return (how == TO_NULL && value->kind == SY_JSON_NULL) || (how == TO_TRUE && value->kind == SY_JSON_TRUE) ||
           (how == TO_ONE && value->kind == SY_JSON_NUMBER && value->number == 1) ||
           (how == TO_ARRAY && value->kind == SY_JSON_ARRAY && value->count == 0) ||
           (value->parent == NULL && how >= GONE);
}

/* Tries one mutation; returns whether it was judged as it must be. */
static bool try_mutant(const char *root, const char *file, const sy_json_value *top, const sy_json_value *target,
                       mutation how)
{
    sy_text text = SY_TEXT_INIT, pointer = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    sy_finding_list list;
    write_mutant(writer, top, target, how);
    assert_int_equal(sy_json_writer_finish(writer, NULL), SY_OK);
    set_write(root, file, sy_text_bytes(&text), text.length);
    sy_json_pointer(target, &pointer);
    sy_registry *registry = set_open(root, SY_REGISTRY_MATRIX, &list);
    bool silent = may_be_silent(file, sy_text_bytes(&pointer), how);
    bool right = (list.finding_count > 0) != silent;
    if (!right) {
        printf("%s%s, mutation %d: %zu findings\n", file, sy_text_bytes(&pointer), (int)how, list.finding_count);
        print_findings("  found", &list);
    }
    sy_registry_close(registry);
    sy_text_finish(&text);
    sy_text_finish(&pointer);
    return right;
}

/* The value behind `at` in the order of the file; NULL behind the last. */
static const sy_json_value *behind(const sy_json_value *at)
{
    if (at->first != NULL) {
        return at->first;
    }
    while (at != NULL && at->next == NULL) {
        at = at->parent;
    }
    return at != NULL ? at->next : NULL;
}

static void try_file(const char *root, const char *file)
{
    size_t size = 0, tried = 0, wrong = 0;
    char *bytes = set_read(root, file, &size);
    sy_json *json = NULL;
    assert_int_equal(sy_json_parse(bytes, size, NULL, &json, NULL), SY_OK);
    const sy_json_value *top = sy_json_root(json);
    for (const sy_json_value *at = top; at != NULL; at = behind(at)) {
        for (int how = TO_NULL; how <= LAST; how *= 2) {
            if (!changes_nothing(at, (mutation)how)) {
                wrong += !try_mutant(root, file, top, at, (mutation)how);
                tried++;
            }
        }
    }
    set_write(root, file, bytes, size);
    sy_json_destroy(json);
    free(bytes);
    assert_true(tried > 200);
    if (wrong > 0) {
        fail_msg("%zu of %zu mutants of %s were not judged as they must be", wrong, tried, file);
    }
}

static void every_value_of_the_matrix_matters(void **state)
{
    try_file(*state, MATRIX);
}

static void every_value_of_the_parity_matrix_matters(void **state)
{
    try_file(*state, PARITY);
}

static void every_value_of_the_settings_matters(void **state)
{
    try_file(*state, SETTINGS);
}

static void every_value_of_a_protocol_description_matters(void **state)
{
    try_file(*state, OWN);
}

/* Cut anywhere, a file is told to be damaged, and nothing is told missing that the damage may have taken. */
static void a_cut_file_is_one_finding(void **state)
{
    static const char *const files[] = {MATRIX, PARITY, SETTINGS, OWN};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        size_t size = 0;
        char *bytes = set_read(*state, files[i], &size);
        for (size_t cut = 1; cut + 2 < size; cut += 1 + size / 300) {
            sy_finding_list list;
            set_write(*state, files[i], bytes, cut);
            sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
            if (list.finding_count != 1 || strcmp(list.findings[0].rule, "json-syntax") != 0) {
                print_findings(files[i], &list);
                fail_msg("%s cut behind %zu bytes: %zu findings", files[i], cut, list.finding_count);
            }
            sy_registry_close(registry);
        }
        set_write(*state, files[i], bytes, size);
        free(bytes);
    }
}

/* Whatever stands in place of a file, it is one finding of that file, and the others are read all the same. */
static void what_is_no_such_file_is_one_finding(void **state)
{
    static const char utf16[] = "\xff\xfe{\0\"\0a\0\"\0:\0\x31\0}\0";
    static char deep[5000];
    memset(deep, '[', sizeof deep);
    const struct {
        const char *bytes;
        size_t size;
        const char *rule;
    } wrong[] = {
        {"", 0, "json-syntax"},
        {"[]", 2, "field-type"},
        {"null", 4, "field-type"},
        {"7", 1, "field-type"},
        {"\"{}\"", 4, "field-type"},
        {"{'a': 1}", 8, "json-syntax"},
        {"\0\0\0\0\0\0", 6, "json-syntax"},
        {utf16, sizeof utf16 - 1, "json-syntax"},
        {deep, sizeof deep, "json-syntax"},
    };
    static const char *const files[] = {MATRIX, PARITY, SETTINGS, OWN};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        size_t size = 0;
        char *bytes = set_read(*state, files[i], &size);
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            sy_finding_list list;
            set_write(*state, files[i], wrong[j].bytes, wrong[j].size);
            sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
            if (list.finding_count != 1 || strcmp(list.findings[0].rule, wrong[j].rule) != 0 ||
                strcmp(list.findings[0].file, files[i]) != 0) {
                print_findings(files[i], &list);
                fail_msg("%s, case %zu: %zu findings", files[i], j, list.finding_count);
            }
            if (wrong[j].bytes == utf16) {
                assert_non_null(strstr(list.findings[0].message, "UTF-16"));
            }
            sy_registry_close(registry);
        }
        set_write(*state, files[i], bytes, size);
        free(bytes);
    }
}

/* Places from which nothing is read: a link that leads to itself, one that leaves the root, a folder. */
static void what_cannot_be_read_is_one_finding(void **state)
{
    static const char *const targets[] = {"profile_matrix.json", "/etc/passwd", "../tests", "nowhere"};
    static const char *const rules[] = {"file-unreadable", "file-outside-root", "file-unreadable", "file-missing"};
    char path[1024];
    set_path(path, sizeof path, *state, MATRIX);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        sy_finding_list list;
        sy_matrix matrix;
        assert_int_equal(remove(path), 0);
        assert_int_equal(symlink(targets[i], path), 0);
        sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
        if (list.finding_count != 1 || strcmp(list.findings[0].rule, rules[i]) != 0) {
            print_findings(targets[i], &list);
            fail_msg("a link to %s: %zu findings", targets[i], list.finding_count);
        }
        assert_string_equal(list.findings[0].pointer, "/files/matrix");
        assert_int_equal(sy_registry_matrix(registry, &matrix, NULL), SY_NOT_FOUND);
        sy_registry_close(registry);
    }
}

static sy_status open_and_list(void *user)
{
    sy_registry *registry = NULL;
    sy_finding_list list;
    sy_status status = sy_registry_open(user, SY_REGISTRY_MATRIX, &registry, NULL);
    if (status == SY_OK) {
        status = sy_registry_findings(registry, &list, NULL);
    }
    sy_registry_close(registry);
    return status;
}

static void without_memory_nothing_is_half_read(void **state)
{
    set_edit(*state, MATRIX, "\"daily\"", "\"hourly\"");
    set_edit(*state, PARITY, "\"cpu\", \"gpu\", \"npu\"", "\"cpus\", \"gpu\", \"npu\"");
    assert_true(fault_loop_allocations(open_and_list, *state, true) > 20);
    assert_true(fault_loop_allocations(open_and_list, *state, false) > 20);
}

static int set_up(void **state)
{
    int failed = make_temporary_folder(state);
    if (failed == 0) {
        set_copy_all(SMALL, *state, "");
        set_write(*state, OWN, own, sizeof own - 1);
        set_edit(*state, SETTINGS, "\"evidence\":", "\"protocols\": \"protocols\", \"evidence\":");
    }
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_value_of_the_matrix_matters, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(every_value_of_the_parity_matrix_matters, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(every_value_of_the_settings_matters, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(every_value_of_a_protocol_description_matters, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(what_is_no_such_file_is_one_finding, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_one_finding, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(a_cut_file_is_one_finding, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(without_memory_nothing_is_half_read, set_up, remove_temporary_folder),
    };
    memset(long_text, 'x', sizeof long_text - 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
