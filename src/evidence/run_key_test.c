/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison keys filled: the fields of the matrix in its order, values by the protocol's sources, what nobody knows
 * unknown. */
#include "registry_set.h"

#include "base/text.h"
#include "evidence/run_key.h"
#include "registry/registry.h"
#include "temporary_folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define REVISION "0123456789abcdef0123456789abcdef01234567"
#define DIFF "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const sy_identity_field machine_fields[] = {
    {"cpu.limit", "4", true},           {"cpu.vendor", "GenuineIntel", true},
    {"device.backend", "cpu", true},    {"device.description", "Intel Xeon, 2 CPUs", true},
    {"env.OMP_NUM_THREADS", "2", true}, {"library.openblas", "OpenBLAS 0.3.21", true},
    {"os.kernel", "6.1", false},        {"os.libc", "glibc 2.36", false},
};
static const sy_identity machine = {machine_fields, COUNT(machine_fields)};

static const sy_named_text scan_fields[] = {
    {"source_scan_rows", "512"},
    {"source_scan_columns", "256"},
    {"source_detector_rows", "192"},
    {"source_detector_columns", "96"},
    {"selected_scan_rows", "128"},
    {"selected_scan_columns", "64"},
    {"scan_bin", "1"},
    {"detector_bin", "4"},
    {"source_dtype", "uint16"},
    {"working_dtype", "float32"},
    {"cache_state", "hot"},
    {"timing_boundary", "the call"},
    {"mask_signature", NULL},
};

typedef struct fixture {
    sy_arena *arena;
    sy_registry *registry;
    sy_gate_plan plan;
    sy_run_source source;
    sy_run_key_facts facts;
    void *folder;
} fixture;

static void open_fixture(fixture *f, const char *root)
{
    sy_finding_list list;
    f->arena = sy_arena_create(0);
    f->registry = set_open(root, SY_REGISTRY_MATRIX, &list);
    f->plan = (sy_gate_plan){
        .cell = "detector.integer-products::cuda", .fields = scan_fields, .field_count = COUNT(scan_fields)};
    f->source = (sy_run_source){.revision = REVISION, .diff_digest = ""};
    f->facts = (sy_run_key_facts){.plan = &f->plan, .identity = &machine, .source = &f->source};
}

static void close_fixture(fixture *f)
{
    sy_registry_close(f->registry);
    sy_arena_destroy(f->arena);
}

/* A project with nothing in it has the standard key. */
static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL || make_temporary_folder(&f->folder) != 0) {
        return -1;
    }
    set_write(f->folder, "steelyard.json", "{\"schema_version\": 1}", 21);
    open_fixture(f, f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    close_fixture(f);
    (void)remove_temporary_folder(&f->folder);
    free(f);
    return 0;
}

static sy_comparison_key fill(fixture *f)
{
    sy_comparison_key key = {0};
    sy_error err = SY_ERROR_INIT;
    if (sy_run_key_fill(f->registry, &f->facts, f->arena, &key, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    return key;
}

static const char *value_of(const sy_comparison_key *key, const char *name)
{
    for (size_t i = 0; i < key->field_count; i++) {
        if (strcmp(key->fields[i].name, name) == 0) {
            return key->fields[i].value;
        }
    }
    fail_msg("the key has no %s", name);
    return NULL;
}

static void assert_value(const sy_comparison_key *key, const char *name, const char *expected)
{
    const char *value = value_of(key, name);
    if (expected == NULL) {
        assert_null(value);
    } else {
        assert_non_null(value);
        assert_string_equal(value, expected);
    }
}

static void the_standard_key_is_that_of_a_project_without_a_matrix(void **state)
{
    static const char *const names[] = {
        "protocol_version", "cell_id",         "source_identity", "source_shape",
        "source_dtype",     "scan_region",     "detector_region", "bad_pixel_policy",
        "scan_bin",         "detector_bin",    "mask_signature",  "calibration_signature",
        "objective",        "precision",       "cache_state",     "timing_boundary",
        "device_id",        "runtime_version", "source_revision"};
    fixture *f = *state;
    sy_comparison_key key = fill(f);
    assert_int_equal(key.field_count, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_string_equal(key.fields[i].name, names[i]);
    }
    assert_value(&key, "protocol_version", "steelyard-profile/v1");
    assert_string_equal(sy_run_key_unknown(&key, f->arena),
                        "source_identity, detector_region, bad_pixel_policy, mask_signature, calibration_signature, "
                        "objective");
}

static void values_come_from_the_gate_and_the_run_by_the_sources_of_the_protocol(void **state)
{
    fixture *f = *state;
    sy_comparison_key key = fill(f);
    assert_value(&key, "cell_id", "detector.integer-products::cuda");
    assert_value(&key, "source_shape", "512 x 256 x 192 x 96");
    assert_value(&key, "scan_region", "128 x 64");
    assert_value(&key, "scan_bin", "1");
    assert_value(&key, "detector_bin", "4");
    assert_value(&key, "source_dtype", "uint16");
    assert_value(&key, "precision", "float32");
    assert_value(&key, "cache_state", "hot");
    assert_value(&key, "timing_boundary", "the call");
    assert_value(&key, "source_revision", REVISION);
    assert_value(&key, "runtime_version",
                 "env.OMP_NUM_THREADS=2; library.openblas=OpenBLAS 0.3.21; os.libc=glibc 2.36");
    assert_true(sy_text_begins(value_of(&key, "device_id"), "cpu, Intel Xeon, 2 CPUs ["));
}

static void a_run_says_itself_what_no_gate_says(void **state)
{
    static const sy_named_text known[] = {{"run_shape", "512 x 512"}, {"run_dtype", "f32"}, {"run_source", DIFF}};
    fixture *f = *state;
    f->facts.plan = NULL;
    f->facts.cell = "matmul::cpu";
    f->facts.protocol = "steelyard-probe/1";
    f->facts.known = known;
    f->facts.known_count = COUNT(known);
    sy_comparison_key key = fill(f);
    assert_value(&key, "protocol_version", "steelyard-probe/1");
    assert_value(&key, "cell_id", "matmul::cpu");
    assert_value(&key, "source_shape", "512 x 512");
    assert_value(&key, "source_dtype", "f32");
    assert_value(&key, "precision", "f32");
    assert_value(&key, "source_identity", DIFF);
    assert_value(&key, "cache_state", NULL);
    assert_value(&key, "scan_bin", NULL);
}

static void what_is_given_wins_and_a_name_that_the_key_lacks_is_refused(void **state)
{
    static const sy_named_text given[] = {{"objective", "none"}, {"cache_state", "cold"}};
    static const sy_named_text slip[] = {{"cahce_state", "cold"}};
    static const sy_named_text foreign[] = {{"weather", "fine"}};
    static const sy_named_text twice[] = {{"objective", "a"}, {"objective", "b"}};
    fixture *f = *state;
    sy_comparison_key key = {0};
    sy_error err = SY_ERROR_INIT;
    f->facts.given = given;
    f->facts.given_count = COUNT(given);
    key = fill(f);
    assert_value(&key, "objective", "none");
    assert_value(&key, "cache_state", "cold");
    f->facts.given = slip;
    f->facts.given_count = 1;
    assert_int_equal(sy_run_key_fill(f->registry, &f->facts, f->arena, &key, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "the comparison key has no field 'cahce_state'");
    assert_string_equal(err.hint, "did you mean cache_state");
    f->facts.given = foreign;
    assert_int_equal(sy_run_key_fill(f->registry, &f->facts, f->arena, &key, &err), SY_INVALID_ARGUMENT);
    assert_true(sy_text_begins(err.hint, "it has: protocol_version, cell_id, source_identity, "));
    f->facts.given = twice;
    f->facts.given_count = 2;
    assert_int_equal(sy_run_key_fill(f->registry, &f->facts, f->arena, &key, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "the key's field 'objective' is given twice");
}

static void what_is_found_out_is_not_said_otherwise(void **state)
{
    static const char *const found_out[] = {"protocol_version", "cell_id", "device_id", "source_revision"};
    fixture *f = *state;
    sy_comparison_key key = fill(f);
    sy_named_text given = {"", ""};
    sy_error err = SY_ERROR_INIT;
    f->facts.given = &given;
    f->facts.given_count = 1;
    for (size_t i = 0; i < COUNT(found_out); i++) {
        given = (sy_named_text){found_out[i], value_of(&key, found_out[i])};
        (void)fill(f); /* the same is no matter */
        given.value = "another";
        assert_int_equal(sy_run_key_fill(f->registry, &f->facts, f->arena, &key, &err), SY_INVALID_ARGUMENT);
    }
    assert_string_equal(err.hint, "the run itself tells it: " REVISION);
    f->facts.is_elsewhere = true; /* what a file tells of a run of another tool */
    key = fill(f);
    assert_value(&key, "source_revision", "another");
    f->facts.is_elsewhere = false;
    given = (sy_named_text){"runtime_version", "python 3.11"}; /* a person may know more of it */
    key = fill(f);
    assert_value(&key, "runtime_version", "python 3.11");
    f->source.dirty = -1; /* nothing is found out */
    given = (sy_named_text){"source_revision", "as built on Monday"};
    key = fill(f);
    assert_value(&key, "source_revision", "as built on Monday");
}

static void blank_and_unknown_say_nothing(void **state)
{
    static const sy_named_text given[] = {{"cache_state", " "}, {"timing_boundary", "unknown"}, {"objective", ""}};
    fixture *f = *state;
    f->facts.given = given;
    f->facts.given_count = COUNT(given);
    f->facts.plan = NULL;
    sy_comparison_key key = fill(f);
    assert_value(&key, "cache_state", NULL);
    assert_value(&key, "timing_boundary", NULL);
    assert_value(&key, "objective", NULL);
    assert_value(&key, "cell_id", NULL);
}

static void a_dirty_tree_is_known_by_its_difference_alone(void **state)
{
    fixture *f = *state;
    f->source.dirty = 1;
    sy_comparison_key key = fill(f);
    assert_value(&key, "source_revision", NULL);
    f->source.diff_digest = DIFF;
    key = fill(f);
    assert_value(&key, "source_revision", REVISION "+" DIFF);
    f->source.dirty = -1;
    key = fill(f);
    assert_value(&key, "source_revision", NULL);
    f->source = (sy_run_source){.revision = ""};
    key = fill(f);
    assert_value(&key, "source_revision", NULL);
}

/* One fact of the machine that differs makes another device, one that is unknown makes none. */
static void every_fact_of_the_hardware_is_in_the_device(void **state)
{
    fixture *f = *state;
    sy_identity_field fields[COUNT(machine_fields)];
    sy_identity other = {fields, COUNT(fields)};
    sy_comparison_key key = fill(f);
    const char *device = value_of(&key, "device_id");
    const char *runtime = value_of(&key, "runtime_version");
    memcpy(fields, machine_fields, sizeof fields);
    f->facts.identity = &other;
    fields[0].value = "1.5";
    key = fill(f);
    assert_string_not_equal(value_of(&key, "device_id"), device);
    assert_string_equal(value_of(&key, "runtime_version"), runtime);
    fields[0].value = "unknown";
    key = fill(f);
    assert_value(&key, "device_id", NULL);
    assert_string_equal(value_of(&key, "runtime_version"), runtime);
    fields[0].value = "4";
    fields[5].value = "unknown"; /* the library */
    key = fill(f);
    assert_string_equal(value_of(&key, "device_id"), device);
    assert_value(&key, "runtime_version", NULL);
    fields[5].value = "OpenBLAS 0.3.21";
    f->facts.software = DIFF;
    key = fill(f);
    assert_value(&key, "runtime_version",
                 "software=aaaaaaaaaaaaaaaa; env.OMP_NUM_THREADS=2; library.openblas=OpenBLAS 0.3.21; os.libc=glibc "
                 "2.36");
    other.field_count = 2; /* nobody described a device */
    key = fill(f);
    assert_value(&key, "device_id", NULL);
    assert_value(&key, "runtime_version", NULL);
}

/* Of a device with a driver something must be known of that, else a driver's upgrade would change nothing. */
static void a_driver_that_nobody_knows_leaves_the_runtime_unknown(void **state)
{
    fixture *f = *state;
    sy_identity_field fields[COUNT(machine_fields)];
    sy_identity other = {fields, COUNT(fields)};
    memcpy(fields, machine_fields, sizeof fields);
    f->facts.identity = &other;
    fields[2].value = "cuda";
    fields[5] = (sy_identity_field){"memory.total", "1 KiB", false};
    sy_comparison_key key = fill(f);
    assert_value(&key, "runtime_version", NULL);
    fields[5] = (sy_identity_field){"device.driver", "550.54", true};
    key = fill(f);
    assert_value(&key, "runtime_version", "env.OMP_NUM_THREADS=2; device.driver=550.54; os.libc=glibc 2.36");
    fields[2].value = "cpu";
    fields[5] = (sy_identity_field){"memory.total", "1 KiB", false};
    key = fill(f);
    assert_value(&key, "runtime_version", "env.OMP_NUM_THREADS=2; os.libc=glibc 2.36");
}

static void the_published_matrix_orders_its_own_key(void **state)
{
    (void)state;
    fixture f = {0};
    const char *root = published_set(STEELYARD_SOURCE_DIR);
    if (root == NULL) {
        skip();
        return;
    }
    open_fixture(&f, root);
    sy_comparison_key key = fill(&f);
    assert_int_equal(key.field_count, 16);
    assert_string_equal(key.fields[0].name, "protocol_version");
    assert_string_equal(key.fields[0].value, "quantem-gpu-profile/v1");
    assert_string_equal(key.fields[5].name, "scan_region");
    assert_string_equal(key.fields[15].name, "source_revision");
    assert_value(&key, "precision", "float32");
    assert_value(&key, "source_shape", "512 x 256 x 192 x 96");
    assert_string_equal(sy_run_key_unknown(&key, f.arena), "source_identity, detector_region, mask_signature");
    close_fixture(&f);
}

static void fields_of_a_project_of_its_own_are_its_own(void **state)
{
    static const sy_named_text fields[] = {{"size", "4096"}, {"dtype", "f32"}, {"cache_state", "hot"}};
    (void)state;
    fixture f = {0};
    open_fixture(&f, STEELYARD_SOURCE_DIR "/examples/fft_evidence");
    f.plan = (sy_gate_plan){.cell = "fft-1d::cpu", .fields = fields, .field_count = COUNT(fields)};
    sy_comparison_key key = fill(&f);
    assert_int_equal(key.field_count, 8);
    assert_value(&key, "size", "4096");
    assert_value(&key, "dtype", "f32");
    assert_value(&key, "cache_state", "hot");
    assert_value(&key, "cell_id", "fft-1d::cpu");
    assert_string_equal(sy_run_key_unknown(&key, f.arena), "timing_boundary");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_standard_key_is_that_of_a_project_without_a_matrix, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_come_from_the_gate_and_the_run_by_the_sources_of_the_protocol, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_run_says_itself_what_no_gate_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_found_out_is_not_said_otherwise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_given_wins_and_a_name_that_the_key_lacks_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blank_and_unknown_say_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dirty_tree_is_known_by_its_difference_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_fact_of_the_hardware_is_in_the_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_driver_that_nobody_knows_leaves_the_runtime_unknown, set_up, tear_down),
        cmocka_unit_test(the_published_matrix_orders_its_own_key),
        cmocka_unit_test(fields_of_a_project_of_its_own_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
