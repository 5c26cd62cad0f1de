/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of identities as data. */
#include "record/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fault.h"

static sy_identity make(sy_arena *arena, const sy_identity_field *fields, size_t count)
{
    sy_identity identity = {NULL, 0};
    sy_identity_builder *builder = sy_identity_builder_create(arena);
    assert_non_null(builder);
    for (size_t i = 0; i < count; i++)
        sy_identity_builder_add(builder, fields[i].name, fields[i].value, fields[i].key);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    return identity;
}

#define MAKE(arena, ...)                                  \
    make(arena, (const sy_identity_field[]){__VA_ARGS__}, \
         sizeof((const sy_identity_field[]){__VA_ARGS__}) / sizeof(sy_identity_field))

static void fields_come_out_sorted_by_bytes_and_each_once(void **state)
{
    sy_arena *arena = *state;
    sy_identity identity = MAKE(arena, {"cpu.model", "85", true}, {"Zebra", "z", false}, {"cpu.isa", "old", false},
                                {"cpu", "x", true}, {"cpu.isa", "avx2", true});
    assert_int_equal(identity.field_count, 4);
    assert_string_equal(identity.fields[0].name, "Zebra");
    assert_string_equal(identity.fields[1].name, "cpu");
    assert_string_equal(identity.fields[2].name, "cpu.isa");
    assert_string_equal(identity.fields[3].name, "cpu.model");
    assert_string_equal(sy_identity_get(&identity, "cpu.isa"), "avx2"); /* the later one */
    assert_true(sy_identity_find(&identity, "cpu.isa")->key);
    assert_null(sy_identity_get(&identity, "cpu.is"));
    assert_null(sy_identity_get(&identity, "zz"));
    assert_null(sy_identity_get(&(sy_identity){NULL, 0}, "cpu"));
}

static void the_last_level_of_the_caches_is_counted_together(void **state)
{
    sy_arena *arena = *state;
    static const struct {
        const char *name;
        const char *value;
        uint64_t bytes;
    } all[] = {
        {"cpu.cache.l3", "480 MiB x 1 (0-1)", UINT64_C(480) << 20},
        {"cpu.cache.l3", "32 MiB x 4 (0-7, 8 apart) + 16 MiB x 1 (32-35)", UINT64_C(144) << 20},
        {"cpu.cache.l2", "1280 KiB x 2 (0, 1 apart)", 2560 << 10},
        {"cpu.cache.l1d", "1000 B x 3 (0, 1 apart)", 3000},
        {"cpu.cache.l1i", "32 KiB x 3 (0, 1 apart)", 0}, /* no data go there */
        {"cpu.cache.l3", "unknown", 0},
        {"cpu.cache.l3", "32 MB x 1 (0)", 0},
        {"cpu.cache.l3", "MiB x 1 (0)", 0},
        {"cpu.cache.l3", "32 MiB x (0)", 0},
        {"cpu.cache.l3", "99999999999999999999999999 MiB x 1 (0)", 0},
        {"cpu.cache.l3", "2000000 MiB x 1 (0)", 0},
        {"cpu.cache.l3", "32 MiB x 1 (0) + ", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sy_identity identity = MAKE(arena, {"cpu.isa", "avx2", true}, {all[i].name, all[i].value, true});
        assert_int_equal(sy_identity_last_cache_bytes(&identity), all[i].bytes);
    }
    sy_identity levels = MAKE(arena, {"cpu.cache.l1d", "48 KiB x 2 (0, 1 apart)", true},
                              {"cpu.cache.l2", "2 MiB x 2 (0, 1 apart)", true},
                              {"cpu.cache.l3", "16 MiB x 1 (0-1)", true});
    assert_int_equal(sy_identity_last_cache_bytes(&levels), 16 << 20);
    assert_int_equal(sy_identity_last_cache_bytes(&(sy_identity){NULL, 0}), 0);
}

static void a_missing_value_becomes_unknown(void **state)
{
    sy_arena *arena = *state;
    sy_identity identity = MAKE(arena, {"a", NULL, true}, {"b", "", false});
    assert_string_equal(sy_identity_get(&identity, "a"), "unknown");
    assert_string_equal(sy_identity_get(&identity, "b"), "unknown");
    assert_true(sy_identity_is_uncertain(&identity));
    sy_text names = SY_TEXT_INIT;
    sy_identity_append_unknown(&identity, &names);
    assert_string_equal(sy_text_bytes(&names), "a");
    sy_text_clear(&names);
    sy_identity two = MAKE(arena, {"z", "", true}, {"b", "1", true}, {"a", NULL, true});
    sy_identity_append_unknown(&two, &names);
    assert_string_equal(sy_text_bytes(&names), "a, z");
    sy_text_finish(&names);
    sy_identity recorded_only = MAKE(arena, {"a", "1", true}, {"b", "", false});
    assert_false(sy_identity_is_uncertain(&recorded_only));
}

static void a_formatted_value_is_kept_whole(void **state)
{
    sy_arena *arena = *state;
    sy_identity identity;
    char long_text[600];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    sy_identity_builder *builder = sy_identity_builder_create(arena);
    sy_identity_builder_add_format(builder, "short", true, "%d of %s", 3, "four");
    sy_identity_builder_add_format(builder, "long", true, "%s", long_text);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    assert_string_equal(sy_identity_get(&identity, "short"), "3 of four");
    assert_string_equal(sy_identity_get(&identity, "long"), long_text);
}

static void a_field_without_a_name_is_refused(void **state)
{
    sy_arena *arena = *state;
    static const char *const bad[] = {"", NULL};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sy_identity identity = {NULL, 99};
        sy_error err = SY_ERROR_INIT;
        sy_identity_builder *builder = sy_identity_builder_create(arena);
        sy_identity_builder_add(builder, bad[i], "v", true);
        sy_identity_builder_add(builder, "good", "v", true);
        assert_int_equal(sy_identity_builder_finish(builder, &identity, &err), SY_INVALID_ARGUMENT);
        assert_non_null(strstr(err.what, "no name"));
        assert_int_equal(identity.field_count, 99);
    }
}

static void a_name_is_free_and_escaped_where_it_would_confuse(void **state)
{
    sy_arena *arena = *state;
    sy_text text = SY_TEXT_INIT;
    sy_digest one;
    sy_digest two;
    sy_identity odd = MAKE(arena, {"implementation.flash (v2)", "1", true}, {"a=b;%\xc3\xa9", "2", true});
    sy_identity_append_key(&odd, &text);
    assert_string_equal(sy_text_bytes(&text), "a%3Db%3B%25%C3%A9=2;implementation.flash (v2)=1");
    sy_text_finish(&text);
    sy_identity name = MAKE(arena, {"a=b", "c", true});
    sy_identity value = MAKE(arena, {"a", "b=c", true});
    assert_int_equal(sy_identity_digest(&name, &one, NULL), SY_OK);
    assert_int_equal(sy_identity_digest(&value, &two, NULL), SY_OK);
    assert_false(sy_digest_equal(&one, &two));
}

static void the_key_text_holds_key_fields_only_and_escapes_what_would_confuse_it(void **state)
{
    sy_arena *arena = *state;
    sy_text text = SY_TEXT_INIT;
    sy_identity identity = MAKE(arena, {"b", "x=1; 100%", true}, {"a", "two words", true}, {"host", "h", false},
                                {"c", "\x01\xc3\xa9", true});
    sy_identity_append_key(&identity, &text);
    assert_string_equal(sy_text_bytes(&text), "a=two words;b=x=1%3B 100%25;c=%01%C3%A9");
    sy_text_finish(&text);
}

static void two_identities_never_share_a_key_text_by_moving_a_separator(void **state)
{
    sy_arena *arena = *state;
    sy_digest a;
    sy_digest b;
    sy_identity one = MAKE(arena, {"a", "1;b=2", true});
    sy_identity two = MAKE(arena, {"a", "1", true}, {"b", "2", true});
    assert_int_equal(sy_identity_digest(&one, &a, NULL), SY_OK);
    assert_int_equal(sy_identity_digest(&two, &b, NULL), SY_OK);
    assert_false(sy_digest_equal(&a, &b));
}

static void the_digest_is_sha256_of_the_key_text_and_ignores_recorded_fields(void **state)
{
    sy_arena *arena = *state;
    char text[SY_DIGEST_TEXT];
    sy_digest digest;
    sy_identity identity = MAKE(arena, {"b", "2", true}, {"a", "1", true}, {"host", "one", false});
    assert_int_equal(sy_identity_digest(&identity, &digest, NULL), SY_OK);
    sy_digest_format(&digest, text);
    /* printf 'a=1;b=2' | sha256sum */
    assert_string_equal(text, "0102cc59af8359da9de22d38dfd12fad5e6262fa426309e0a273a53c2bc9d97d");
    sy_digest again;
    sy_identity moved = MAKE(arena, {"a", "1", true}, {"b", "2", true}, {"host", "two", false}, {"load", "9", false});
    assert_int_equal(sy_identity_digest(&moved, &again, NULL), SY_OK);
    assert_true(sy_digest_equal(&digest, &again));
}

static void an_unknown_key_value_equals_nothing_not_even_itself(void **state)
{
    sy_arena *arena = *state;
    sy_identity known = MAKE(arena, {"a", "1", true}, {"host", "x", false});
    sy_identity other_host = MAKE(arena, {"a", "1", true}, {"host", "y", false});
    sy_identity unknown = MAKE(arena, {"a", "", true});
    sy_identity more = MAKE(arena, {"a", "1", true}, {"b", "1", true});
    sy_identity other_name = MAKE(arena, {"c", "1", true});
    assert_true(sy_identity_same_key(&known, &known));
    assert_true(sy_identity_same_key(&known, &other_host));
    assert_false(sy_identity_same_key(&unknown, &unknown));
    assert_false(sy_identity_same_key(&known, &unknown));
    assert_false(sy_identity_same_key(&known, &more));
    assert_false(sy_identity_same_key(&more, &known));
    assert_false(sy_identity_same_key(&known, &other_name));
}

static void a_difference_has_a_line_for_each_field_that_differs(void **state)
{
    sy_arena *arena = *state;
    sy_text text = SY_TEXT_INIT;
    sy_identity here = MAKE(arena, {"cpu.cache.l2", "2 MiB x 2", true}, {"cpu.model", "85", true},
                            {"env.OMP_X", "\x1b[31m", true}, {"host", "one", false}, {"quota", "", true});
    sy_identity there = MAKE(arena, {"cpu.cache.l2", "1 MiB x 2", true}, {"cpu.model", "85", true},
                             {"host", "two", false}, {"quota", "", true}, {"zone", "3", true});
    assert_int_equal(sy_identity_append_diff(&here, &there, true, &text), 5);
    assert_string_equal(sy_text_bytes(&text), "cpu.cache.l2: 2 MiB x 2 here, 1 MiB x 2 there\n"
                                              "env.OMP_X: \\x1B[31m here, absent there\n"
                                              "host: one here, two there (recorded only)\n"
                                              "quota: unknown here, unknown there\n"
                                              "zone: absent here, 3 there\n");
    sy_text_clear(&text);
    assert_int_equal(sy_identity_append_diff(&here, &there, false, &text), 4);
    assert_null(strstr(sy_text_bytes(&text), "host"));
    sy_text_clear(&text);
    sy_identity known = MAKE(arena, {"a", "1", true});
    assert_int_equal(sy_identity_append_diff(&known, &known, true, &text), 0);
    assert_int_equal(text.length, 0);
    sy_text_finish(&text);
}

static void a_copy_shares_no_bytes_with_its_model(void **state)
{
    sy_arena *arena = *state;
    sy_arena *other = sy_arena_create(0);
    sy_identity copy;
    sy_identity model = MAKE(arena, {"a", "1", true}, {"b", "2", false});
    assert_int_equal(sy_identity_copy(&model, other, &copy, NULL), SY_OK);
    assert_int_equal(copy.field_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(copy.fields[i].name, model.fields[i].name);
        assert_string_equal(copy.fields[i].value, model.fields[i].value);
        assert_int_equal(copy.fields[i].key, model.fields[i].key);
        assert_ptr_not_equal(copy.fields[i].name, model.fields[i].name);
        assert_ptr_not_equal(copy.fields[i].value, model.fields[i].value);
    }
    sy_arena_destroy(other);
}

static void short_memory_is_an_error_at_every_allocation(void **state)
{
    (void)state;
    bool succeeded = false;
    int failures = 0;
    for (uint64_t n = 1; !succeeded && n < 100; n++) {
        sy_arena *arena = sy_arena_create(0);
        sy_arena *other = sy_arena_create(0);
        sy_identity identity = {NULL, 0};
        sy_identity copy = {NULL, 0};
        sy_digest digest;
        sy_status status = SY_NO_MEMORY;
        char value[20000]; /* larger than an arena's block, so that the arena must ask again */
        memset(value, 'v', sizeof value - 1);
        value[sizeof value - 1] = '\0';
        sy_fault_fail_allocation(n, true);
        sy_identity_builder *builder = sy_identity_builder_create(arena);
        if (builder != NULL) {
            sy_identity_builder_add(builder, "a", value, true);
            sy_identity_builder_add_format(builder, "b", true, "%s", value);
            status = sy_identity_builder_finish(builder, &identity, NULL);
        }
        if (status == SY_OK)
            status = sy_identity_copy(&identity, other, &copy, NULL);
        if (status == SY_OK)
            status = sy_identity_digest(&copy, &digest, NULL);
        sy_fault_reset();
        if (status == SY_OK)
            succeeded = true;
        else
            assert_int_equal(status, SY_NO_MEMORY);
        failures += status != SY_OK;
        sy_arena_destroy(arena);
        sy_arena_destroy(other);
    }
    assert_true(succeeded);
    assert_true(failures >= 3); /* builder, copy and digest each had their turn */
}

static int start_arena(void **state)
{
    *state = sy_arena_create(0);
    return *state == NULL;
}

static int end_arena(void **state)
{
    sy_arena_destroy(*state);
    return 0;
}

#define ARENA_TEST(name) cmocka_unit_test_setup_teardown(name, start_arena, end_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(fields_come_out_sorted_by_bytes_and_each_once),
        ARENA_TEST(the_last_level_of_the_caches_is_counted_together),
        ARENA_TEST(a_missing_value_becomes_unknown),
        ARENA_TEST(a_formatted_value_is_kept_whole),
        ARENA_TEST(a_field_without_a_name_is_refused),
        ARENA_TEST(a_name_is_free_and_escaped_where_it_would_confuse),
        ARENA_TEST(the_key_text_holds_key_fields_only_and_escapes_what_would_confuse_it),
        ARENA_TEST(two_identities_never_share_a_key_text_by_moving_a_separator),
        ARENA_TEST(the_digest_is_sha256_of_the_key_text_and_ignores_recorded_fields),
        ARENA_TEST(an_unknown_key_value_equals_nothing_not_even_itself),
        ARENA_TEST(a_difference_has_a_line_for_each_field_that_differs),
        ARENA_TEST(a_copy_shares_no_bytes_with_its_model),
        cmocka_unit_test(short_memory_is_an_error_at_every_allocation),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
