/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that are wrong, one a FAULT: each is a shared object that the command must refuse and survive. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <steelyard/plugin.h>
#include <unistd.h>

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user, (void)c, (void)variant, (void)graph, (void)err;
    return SY_OK;
}

static const sy_implementation implementations[] = {{.name = "one", .role = SY_ROLE_REFERENCE},
                                                    {.name = "two", .role = SY_ROLE_CANDIDATE}};

static const sy_case cases[] = {
    {.name = "only", .weight = 1, .dtype = SY_F32, .tolerance = {1, 1, SY_F32, SY_NAN, SY_NAN}}};

#if defined FAULT_TAKEN
#define OPERATION "matmul"
#elif defined FAULT_MALFORMED
#define OPERATION "two words"
#else
#define OPERATION "faulty"
#endif

static const sy_suite suite = {.struct_size = sizeof(sy_suite),
                               .operation = OPERATION,
                               .version = "1",
                               .implementations = implementations,
                               .implementation_count = 2,
                               .cases = cases,
                               .case_count = 1,
                               .build = build};
static const sy_suite other = {.struct_size = sizeof(sy_suite),
                               .operation = "other",
                               .version = "1",
                               .implementations = implementations,
                               .implementation_count = 2,
                               .cases = cases,
                               .case_count = 1,
                               .build = build};
__attribute__((unused)) static const sy_suite *const suites[] = {&suite, &other};

#if defined FAULT_CRASH
__attribute__((constructor)) static void crash(void)
{
    abort();
}
#endif

#if defined FAULT_EXIT
__attribute__((constructor)) static void end_the_process(void)
{
    exit(0);
}
#endif

#if defined FAULT_NO_SYMBOL
SY_PLUGIN_EXPORT const sy_suite *const *const faulty_suites = suites;
#else
SY_PLUGIN_EXPORT const sy_plugin steelyard_plugin = {
#if defined FAULT_SMALL
    .struct_size = 4,
#else
    .struct_size = sizeof(sy_plugin),
#endif
#if defined FAULT_WILD
    .suites = (const sy_suite *const *)(uintptr_t)64,
#else
    .suites = suites,
#endif
#if defined FAULT_EMPTY
    .suite_count = 0,
#elif defined FAULT_TWO
    .suite_count = 2,
#else
    .suite_count = 1,
#endif
};
#endif
