/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the cpu backend, and the suite that each device makes of one: what is built in, what a library
 * lists on this machine, what the testing library adds. */
#include <stdio.h>
#include <string.h>

#include "backends/cpu/cpu.h"
#include "base/error.h"

static const sy_cpu_operation *const operations[] = {&sy_cpu_matmul_operation, &sy_cpu_attention_operation,
                                                     &sy_cpu_convolution_operation};

#define OPERATION_COUNT (sizeof operations / sizeof operations[0])

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    sy_cpu_suite *own = user;
    size_t extras_from = own->suite.implementation_count - own->extra_count;
    if (variant >= own->suite.implementation_count) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s on cpu has no implementation number %u", own->suite.operation,
                       variant);
    }
    const char *only = sy_graph_device(graph)->only;
    if (only != NULL && strcmp(only, own->suite.implementations[variant].name) != 0) {
        char reason[128];
        snprintf(reason, sizeof reason, "this process runs %s alone", only);
        sy_graph_unavailable(graph, reason);
        return SY_OK;
    }
    if (variant >= extras_from) {
        return own->extras[variant - extras_from].build(c, variant - extras_from, graph, err);
    }
    return own->operation->suite->build(own, c, variant, graph, err);
}

static sy_status describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                          sy_error *err)
{
    const sy_cpu_suite *own = user;
    if (variant < own->suite.implementation_count - own->extra_count) {
        return own->operation->suite->describe(user, variant, device, ret_info, err);
    }
    *ret_info = (sy_implementation_info){.threads = device->threads};
    snprintf(ret_info->version, sizeof ret_info->version, "steelyard %s", sy_version());
    return SY_OK;
}

/* Puts static, listed and extra implementations into one list. */
static sy_status join(sy_cpu_suite *own, sy_arena *arena, const sy_implementation *listed, size_t listed_count,
                      sy_error *err)
{
    const sy_suite *from = own->operation->suite;
    size_t count = from->implementation_count + listed_count + own->extra_count;
    sy_implementation *all = sy_arena_allocate(arena, count, sizeof *all);
    if (all == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the suites of device cpu");
    }
    size_t at = from->implementation_count;
    memcpy(all, from->implementations, at * sizeof *all);
    for (size_t i = 0; i < listed_count; i++) {
        all[at++] = listed[i];
    }
    for (size_t i = 0; i < own->extra_count; i++) {
        all[at++] = own->extras[i].implementation;
    }
    own->suite.implementations = all;
    own->suite.implementation_count = count;
    own->listed_count = listed_count;
    return SY_OK;
}

sy_status sy_cpu_suites_create(sy_arena *arena, sy_cpu_suite **ret_suites, sy_error *err)
{
    sy_cpu_suite *suites = sy_arena_allocate(arena, OPERATION_COUNT, sizeof *suites);
    if (suites == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the suites of device cpu");
    }
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        sy_cpu_suite *own = &suites[i];
        own->operation = operations[i];
        own->suite = *operations[i]->suite;
        own->suite.build = build;
        own->suite.describe = describe;
        own->suite.user = own;
        own->extras = sy_cpu_extras(own->suite.operation, &own->extra_count);
        sy_status status = join(own, arena, NULL, 0, err);
        if (status != SY_OK) {
            return status;
        }
    }
    *ret_suites = suites;
    return SY_OK;
}

const sy_suite *sy_cpu_suite_at(sy_device *device, uint32_t index)
{
    if (index >= OPERATION_COUNT) {
        return NULL;
    }
    if (device == NULL) {
        return operations[index]->suite;
    }
    sy_cpu_device *cpu = sy_cpu_device_of(device);
    sy_cpu_suite *own = &cpu->suites[index];
    if (!own->is_listed && own->operation->list != NULL) {
        const sy_implementation *listed = NULL;
        size_t count = 0;
        /* Without memory for the list the suite stays as it is: an implementation of that name is then not found. */
        if (own->operation->list(device, cpu->arena, &listed, &count, NULL) == SY_OK && count > 0) {
            (void)!join(own, cpu->arena, listed, count, NULL);
        }
    }
    own->is_listed = true;
    return &own->suite;
}

void sy_cpu_suite_look(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                       char *path, size_t path_size)
{
    /* A device's suite is its own user; the static ones have none. */
    const sy_cpu_suite *own = suite->user;
    size_t real_count = suite->implementation_count - (own != NULL ? own->extra_count : 0);
    *ret_available = true;
    for (size_t i = 0; i < OPERATION_COUNT && variant < real_count; i++) {
        if (strcmp(operations[i]->suite->operation, suite->operation) == 0) {
            *ret_available = operations[i]->look(variant, "", path, path_size, reason, reason_size);
            return;
        }
    }
    if (path_size > 0) {
        path[0] = '\0';
    }
}
