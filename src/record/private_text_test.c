/* SPDX-License-Identifier: Apache-2.0 */
/* What is private, what is not, and what is left when it was taken out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault_loop.h"
#include "record/private_text.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Pieces of a secret's shape stand apart in this file, so that no scanner of sources takes them for one. */
#define A20 "ABCDEFGHIJ0123456789"
#define A40 A20 A20
#define PEM(label) "-----BEGIN " label "-----"
#define PEM_END(label) "-----END " label "-----"

typedef struct cleaned {
    const char *text;
    const char *clean;
} cleaned;

static void expect_clean(const cleaned *cases, size_t count, sy_private_kind kind)
{
    for (size_t i = 0; i < count; i++) {
        sy_arena *arena = sy_arena_create(0);
        const char *clean = sy_private_clean(arena, cases[i].text);
        if (strcmp(clean, cases[i].clean) != 0) {
            fail_msg("'%s' became '%s', not '%s'", cases[i].text, clean, cases[i].clean);
        }
        if (sy_private_find(cases[i].text, strlen(cases[i].text), NULL) != kind) {
            fail_msg("'%s' is of another kind", cases[i].text);
        }
        if (sy_private_find(clean, strlen(clean), NULL) != SY_PRIVATE_NONE) {
            fail_msg("'%s' is still private", clean);
        }
        sy_arena_destroy(arena);
    }
}

static void a_home_becomes_a_tilde(void **state)
{
    (void)state;
    static const cleaned cases[] = {
        {"/home/phil", "~"},
        {"/home/phil/x.json", "~/x.json"},
        {"/Users/phil/data", "~/data"},
        {"/uSeRs/phil/a b", "~/a b"},
        {"/home/", "~/"},
        {"/home//phil//x", "~//x"},
        {"C:\\Users\\phil\\x", "~\\x"},
        {"c:/users/phil/x", "~/x"},
        {"\\\\server\\Users\\phil\\x", "~\\x"},
        {"/mnt/c/Users/phil/x", "~/x"},
        {"/export/home/phil/x", "~/x"},
        {"../../home/phil/x", "~/x"},
        {"host:/home/phil/x", "host:~/x"},
        {"file:///home/phil/x", "file:~/x"},
        {"/usr/bin:/home/phil/bin:/home/ann/bin:/bin", "/usr/bin:~/bin:~/bin:/bin"},
        {"PATH=/home/phil/bin", "PATH=~/bin"},
        {"--input=/home/phil/x --output /home/phil/y", "--input=~/x --output ~/y"},
        {"-I/opt -L/home/phil/lib", "-I/opt -L~/lib"},
        {"-I/export/home/phil/include @/home/phil/arguments", "-I~/include @~/arguments"},
        {"-Wl,-rpath,/home/phil/lib", "-Wl,-rpath,~/lib"},
        {"(\"/home/phil/a\", '/Users/ann/b')", "(\"~/a\", '~/b')"},
        {"/home/phil/project/home/x.json", "~/project/home/x.json"},
        {"https://a.example/x?file=/home/phil/y", "https://a.example/x?file=~/y"},
        {"\n/home/phil\n", "\n~\n"},
    };
    expect_clean(cases, COUNT(cases), SY_PRIVATE_PATH);
}

static void what_names_nobody_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "~/data/x",
        "~/project/home/x.json",
        "host:~/project/home/x",
        ("/ro"
         "ot/x"),
        "/home",
        "/homes/phil",
        "docs/users/guide.md",
        "a-b/home/x",
        "-I~/home/x",
        "-n8/home/x",
        "https://example.org/users/x",
        "/usr/share/data",
        "C:\\Windows\\x",
    };
    sy_arena *arena = sy_arena_create(0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (sy_private_clean(arena, texts[i]) != texts[i]) {
            fail_msg("'%s' was changed", texts[i]);
        }
    }
    sy_arena_destroy(arena);
}

static void a_secret_is_taken_out(void **state)
{
    (void)state;
    static const cleaned cases[] = {
        {"--password=x", "--password=[secret]"},
        {"--password=two words -n 5", "--password=[secret]"},
        {"tool --password=x -n 5", "tool --password=[secret] -n 5"},
        {"--token x", "--token [secret]"},
        {"-token x -n 5", "-token [secret] -n 5"},
        {"sh -c 'tool --api-key \"a b\" -n 5'", "sh -c 'tool --api-key \"[secret]\" -n 5'"},
        {"MY_SECRET=x", "MY_SECRET=[secret]"},
        {"env MY_SECRET='a b' make", "env MY_SECRET='[secret]' make"},
        {"'MY_SECRET=a b' c", "'MY_SECRET=[secret]' c"},
        {"HF_TOKEN=abc run", "HF_TOKEN=[secret] run"},
        {"TOKEN_2=abc", "TOKEN_2=[secret]"},
        {"apiKey=abc", "apiKey=[secret]"},
        {"OPENAI_API_KEY=abc", "OPENAI_API_KEY=[secret]"},
        {"AWS_SECRET_ACCESS_KEY=abc", "AWS_SECRET_ACCESS_KEY=[secret]"},
        {"PGPASSWORD=1234", "PGPASSWORD=[secret]"},
        {"MYSQL_PWD=x", "MYSQL_PWD=[secret]"},
        {"db.password1=x", "db.password1=[secret]"},
        {"credentials=x", "credentials=[secret]"},
        {"passwd=x&y;z", "passwd=[secret]"},
        {"access_token=1234567890123456", "access_token=[secret]"},
        {"{\"password\": \"a b\", \"n\": 1}", "{\"password\": \"[secret]\", \"n\": 1}"},
        {"{'client_secret':'x'}", "{'client_secret':'[secret]'}"},
        {"https://user:pass@example.org/x", "https://[secret]@example.org/x"},
        {"see https://u:p@s@host:80/home/x.", "see https://[secret]@host:80/home/x."},
        {"postgresql://u:p@db", "postgresql://[secret]@db"},
        {"AKIA"
         "IOSFODNN7EXAMPLE",
         "[secret]"},
        {"key AKIA"
         "IOSFODNN7EXAMPLE, say",
         "key [secret], say"},
        {"ghp_" A40 ".", "[secret]."},
        {"github_pat_" A20 "_" A40, "[secret]"},
        {"glpat-" A20, "[secret]"},
        {"xoxb-"
         "1234-5678-abcd",
         "[secret]"},
        {"hf_" A40, "[secret]"},
        {"sk-ant-" A20, "[secret]"},
        {"eyJ"
         "hbGciOi.eyJ"
         "zdWIiOiI.abc-_1 x",
         "[secret] x"},
        {"Authorization: Bearer " A20, "Authorization: Bearer [secret]"},
        {PEM("RSA PRIVATE KEY") "\nabc\n" PEM_END("RSA PRIVATE KEY") "\nx", "[secret]\nx"},
        {PEM("PRIVATE KEY") "\nabc", "[secret]"},
        {"k: " PEM("PGP PRIVATE KEY BLOCK") "\\nabc\\n" PEM_END("PGP PRIVATE KEY BLOCK") "y", "k: [secret]y"},
        {"a=1 MY_SECRET=x b=2 --token y c=3", "a=1 MY_SECRET=[secret] b=2 --token [secret] c=3"},
        {"--token /home/phil/x", "--token [secret]"},
    };
    expect_clean(cases, COUNT(cases), SY_PRIVATE_SECRET);
}

static void a_header_or_a_field_gives_its_secret_away(void **state)
{
    (void)state;
    static const cleaned cases[] = {
        {"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [secret]"},
        {"curl -H 'proxy-authorization: basic YTpi' x", "curl -H 'proxy-authorization: basic [secret]' x"},
        {"{\"Authorization\": \"Basic dXNlcjpwYXNz\"}", "{\"Authorization\": \"Basic [secret]\"}"},
        {"password: hunter2hunter2", "password: [secret]"},
        {"log in with password: correct-horse now", "log in with password: [secret] now"},
        {"a: 1\n  passwd:\thunter2\n", "a: 1\n  passwd:\t[secret]\n"},
        {"db_password: \"a b c\"", "db_password: \"[secret]\""},
        {"secret: patience", "secret: [secret]"},
        {"token: abcdefgh", "token: [secret]"},
        {"x-api-key: abcdefgh", "x-api-key: [secret]"},
        {"sent token: abc123", "sent token: [secret]"},
    };
    expect_clean(cases, COUNT(cases), SY_PRIVATE_SECRET);
}

static void a_field_of_a_figure_or_in_a_sentence_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Basic dXNlcjpwYXNz",
        "Authorization: Basic authentication is needed",
        "authorization basic",
        "password:",
        "password: ",
        "password:\nnext line",
        "password: none",
        "passwd: required.",
        "password: [secret]",
        "password: <your password>",
        "token: $TOKEN",
        "passwords: 1204",
        "token: 128",
        "eos_token: </s>",
        "time per token: 35.91 ms",
        "time per token: 12.3ms",
        "unexpected token: return",
        "the secret: patience and time",
        "tokens: abc123def",
        "cache key: abc123def",
        "a::token::b",
    };
    sy_arena *arena = sy_arena_create(0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *clean = sy_private_clean(arena, texts[i]);
        if (clean != texts[i]) {
            fail_msg("'%s' became '%s'", texts[i], clean);
        }
    }
    sy_arena_destroy(arena);
}

static void what_only_looks_like_a_secret_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "--tokens 128",
        "n_tokens=5",
        "max_token=128",
        "seconds_per_token=1.5e-3",
        "token_embd.weight=q4_0",
        "--tokenizer llama",
        "author=ann",
        "key=matmul",
        "--key exact",
        "cache_key=abc",
        "PWD=/srv",
        "password=",
        "password == x",
        "--password",
        "--token --verbose",
        "--password=[secret]",
        "--password-file x",
        "the token is long",
        "https://git@example.org/x",
        "ssh://git@example.org:22/x",
        "https://example.org:8080/a@b",
        "https://[secret]@example.org/x",
        "AKIA-IOSFODNN7EXAMPLE",
        "XAKIA"
        "IOSFODNN7EXAMPLE",
        "ghp_short",
        "sk-learn-some-benchmark-of-a-long-name-0123456789",
        "task-ABCDEFGHIJ0123456789ABCDEFGHIJ0123456789",
        "a bearer token",
        PEM("PUBLIC KEY") "\nabc\n" PEM_END("PUBLIC KEY"),
        PEM("CERTIFICATE") "\nabc\n" PEM_END("CERTIFICATE"),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "-----",
        "://",
        "=",
        "\"\":",
    };
    sy_arena *arena = sy_arena_create(0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *clean = sy_private_clean(arena, texts[i]);
        if (clean != texts[i]) {
            fail_msg("'%s' became '%s'", texts[i], clean);
        }
    }
    sy_arena_destroy(arena);
}

static void the_first_private_thing_is_told_with_its_place(void **state)
{
    (void)state;
    size_t at = 0;
    const char *text = "a /home/phil/x --token y";
    assert_int_equal(sy_private_find(text, strlen(text), &at), SY_PRIVATE_PATH);
    assert_int_equal(at, 2);
    text = "a --token y /home/phil/x";
    assert_int_equal(sy_private_find(text, strlen(text), &at), SY_PRIVATE_SECRET);
    assert_int_equal(at, 10);
    assert_int_equal(sy_private_find("a\0/home/x", 9, &at), SY_PRIVATE_PATH);
    assert_int_equal(at, 2);
    assert_true(sy_private_is_secret_name("GITHUB_TOKEN"));
    assert_false(sy_private_is_secret_name("PATH"));
    assert_false(sy_private_is_secret_name(""));
}

static void a_value_is_cleaned_by_its_name(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    assert_string_equal(sy_private_clean_value(arena, "HF_TOKEN", "abc"), "[secret]");
    assert_string_equal(sy_private_clean_value(arena, "HF_TOKEN", ""), "");
    assert_string_equal(sy_private_clean_value(arena, "eos_token", "2"), "2");
    assert_string_equal(sy_private_clean_value(arena, "PATH", "/home/phil/bin"), "~/bin");
    assert_null(sy_private_clean_value(arena, "HF_TOKEN", NULL));
    sy_arena_destroy(arena);
}

static void an_argument_behind_its_option_is_cleaned(void **state)
{
    (void)state;
    static const char *const argv[] = {"/home/phil/tool", "--token", "abc", "--tokens", "5", "--password", "-n", "--x"};
    static const char *const wanted[] = {"~/tool", "--token", "[secret]", "--tokens", "5", "--password", "-n", "--x"};
    sy_arena *arena = sy_arena_create(0);
    const char *const *clean = sy_private_clean_arguments(arena, argv, COUNT(argv));
    for (size_t i = 0; i < COUNT(argv); i++) {
        assert_string_equal(clean[i], wanted[i]);
    }
    sy_arena_destroy(arena);
}

/* ---- JSON ---- */

typedef struct json_case {
    const char *text;
    const char *pointer; /* NULL = nothing private */
    sy_private_kind kind;
    bool in_name;
} json_case;

static void private_things_are_found_anywhere_in_json(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {"{\"a\":[\"x\",{\"b\":\"/home/phil\"}]}", "/a/1/b", SY_PRIVATE_PATH, false},
        {"{\"a\":{\"/Users/phil/x\":1}}", "/a/~1Users~1phil~1x", SY_PRIVATE_PATH, true},
        {"{\"a\":{\"--token x\":1}}", "/a/--token x", SY_PRIVATE_SECRET, true},
        {"{\"password\":\"x\"}", "/password", SY_PRIVATE_SECRET, false},
        {"{\"password\":\"[secret]\",\"n_token\":\"5\"}", NULL, SY_PRIVATE_NONE, false},
        {"{\"environment\":[[\"HF_TOKEN\",\"x\"]]}", "/environment/0/1", SY_PRIVATE_SECRET, false},
        {"{\"environment\":[[\"HF_TOKEN\",\"[secret]\"],[\"HF_TOKEN\",null]]}", NULL, SY_PRIVATE_NONE, false},
        {"{\"argv\":[\"get-token\",\"x\"]}", NULL, SY_PRIVATE_NONE, false},
        {"{\"argv\":[\"a\",\"--token\",\"x\"]}", "/argv/2", SY_PRIVATE_SECRET, false},
        {"{\"argv\":[\"a\",\"--tokens\",\"x\",\"--token\",\"--b\",\"--token\"]}", NULL, SY_PRIVATE_NONE, false},
        {"\"/home/phil\"", "", SY_PRIVATE_PATH, false},
        {"[]", NULL, SY_PRIVATE_NONE, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sy_json *json = NULL;
        sy_text pointer = SY_TEXT_INIT;
        bool in_name = false;
        sy_private_kind kind = SY_PRIVATE_NONE;
        assert_int_equal(sy_json_parse(cases[i].text, strlen(cases[i].text), NULL, &json, NULL), SY_OK);
        const sy_json_value *found = sy_private_in_json(json, sy_json_root(json), &in_name, &kind);
        if (found != NULL) {
            sy_json_pointer(found, &pointer);
        }
        if ((found != NULL) != (cases[i].pointer != NULL) || kind != cases[i].kind || in_name != cases[i].in_name ||
            (found != NULL && strcmp(sy_text_bytes(&pointer), cases[i].pointer) != 0)) {
            fail_msg("%s: '%s'", cases[i].text, sy_text_bytes(&pointer));
        }
        sy_text_finish(&pointer);
        sy_json_destroy(json);
    }
}

/* ---- size and memory ---- */

/* Hostile repetitions that a careless search would go through again and again. */
static void a_long_text_costs_one_pass(void **state)
{
    (void)state;
    static const char *const pieces[] = {"/home",   "://a:",       "--token ", "eyJ.x.",
                                         "a=",      "-----BEGIN ", "\"x\":",   "sk-",
                                         "token: ", "token: '",    "basic ",   "authorization: basic ",
                                         ": ",      "\\Users\\"};
    size_t length = (size_t)4 << 20;
    char *text = malloc(length);
    assert_non_null(text);
    for (size_t p = 0; p < COUNT(pieces); p++) {
        size_t piece = strlen(pieces[p]);
        for (size_t i = 0; i < length; i++) {
            text[i] = pieces[p][i % piece];
        }
        (void)sy_private_find(text, length, NULL);
    }
    free(text);
}

static sy_status clean_something(void *user)
{
    (void)user;
    sy_arena *arena = sy_arena_create(0);
    if (arena == NULL) {
        return SY_NO_MEMORY;
    }
    const char *clean = sy_private_clean(arena, "/home/phil/x --token y");
    sy_status status = clean == NULL ? SY_NO_MEMORY : SY_OK;
    assert_true(clean == NULL || strcmp(clean, "~/x --token [secret]") == 0);
    sy_arena_destroy(arena);
    return status;
}

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(clean_something, NULL, true) > 2);
    assert_true(fault_loop_allocations(clean_something, NULL, false) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_home_becomes_a_tilde),
        cmocka_unit_test(what_names_nobody_stays),
        cmocka_unit_test(a_secret_is_taken_out),
        cmocka_unit_test(a_header_or_a_field_gives_its_secret_away),
        cmocka_unit_test(a_field_of_a_figure_or_in_a_sentence_stays),
        cmocka_unit_test(what_only_looks_like_a_secret_stays),
        cmocka_unit_test(the_first_private_thing_is_told_with_its_place),
        cmocka_unit_test(a_value_is_cleaned_by_its_name),
        cmocka_unit_test(an_argument_behind_its_option_is_cleaned),
        cmocka_unit_test(private_things_are_found_anywhere_in_json),
        cmocka_unit_test(a_long_text_costs_one_pass),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
