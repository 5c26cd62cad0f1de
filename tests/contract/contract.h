/* SPDX-License-Identifier: Apache-2.0 */
/* What every backend owes the library is asked of each entry of the table in turn. A backend that joins the table joins
 * the contract; what it needs to be opened stands in `openings`. */
#ifndef STEELYARD_TESTS_CONTRACT_H
#define STEELYARD_TESTS_CONTRACT_H

#include "cmocka_headers.h"

#include <stdio.h>
#include <steelyard/command.h>
#include <string.h>

#include "backends/backend.h"
#include "base/text.h"

#define SCRIPT STEELYARD_SOURCE_DIR "/tests/data/fake/contract.json"

/* One backend under test. */
typedef struct subject {
    const sy_backend *backend;
    const char *script;
    const sy_command_spec *commands;
} subject;

static const struct {
    const char *backend;
    const char *script;
} openings[] = {{"fake", SCRIPT}};

/* This program is the launcher of its own commands. */
static const sy_command commands[] = {{"one", "true", NULL}, {"other", "true", NULL}};
static const sy_command_spec command_spec = {.struct_size = sizeof(sy_command_spec),
                                             .commands = commands,
                                             .command_count = 2,
                                             .launcher_path = "/proc/self/exe"};

static inline sy_device *open_only(const subject *s, const char *only)
{
    const sy_device_options options = {.threads = 1, .script = s->script, .only = only, .commands = s->commands};
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_device_open(s->backend->name, &options, &device, &error))
        fail_msg("%s: %s", s->backend->name, error.what);
    return device;
}

static inline sy_device *open_subject(const subject *s)
{
    return open_only(s, NULL);
}

/* One clause of the contract. */
typedef struct clause {
    const char *name;
    void (*test)(void **state);
} clause;

#define CLAUSE(test) \
    {                \
#test, test  \
    }
#define CLAUSES_MAX 32

/* Every clause on every backend of the table, one group of tests a backend. Returns how many failed. */
static inline int run_contract(const clause *clauses, size_t clause_count)
{
    size_t count;
    int failures = 0;
    const sy_backend *const *table = sy_backend_table(&count);
    for (size_t b = 0; b < count; b++) {
        subject s = {table[b], NULL, sy_text_equal(table[b]->name, "command") ? &command_spec : NULL};
        char names[CLAUSES_MAX][128];
        struct CMUnitTest tests[CLAUSES_MAX];
        uint32_t devices;
        sy_error error = SY_ERROR_INIT;
        if (table[b]->count(&devices, &error) == SY_UNAVAILABLE) {
            (void)printf("[  NOTE    ] %s not run: %s\n", table[b]->name, error.what);
            continue;
        }
        for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++)
            if (sy_text_equal(openings[i].backend, table[b]->name))
                s.script = openings[i].script;
        for (size_t i = 0; i < clause_count && i < CLAUSES_MAX; i++) {
            (void)snprintf(names[i], sizeof names[i], "%s: %s", table[b]->name, clauses[i].name);
            tests[i] = (struct CMUnitTest){.name = names[i], .test_func = clauses[i].test, .initial_state = &s};
        }
        failures += _cmocka_run_group_tests(table[b]->name, tests, clause_count, NULL, NULL);
    }
    return failures;
}

#endif
