/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables by which numerical libraries and OpenMP choose kernels, threads and their places. */
#include <string.h>

#include "base/text.h"
#include "identity/facts.h"

/* OpenBLAS and its ancestor, BLIS, OpenMP of GNU, LLVM and Intel, oneDNN under both of its names, MKL. */
static const char *const prefixes[] = {"OPENBLAS_", "GOTO_",   "BLIS_",   "OMP_",  "GOMP_",
                                       "KMP_",      "LIBOMP_", "ONEDNN_", "DNNL_", "MKL_"};

/* These make libraries talk, or dump what they made; what they run stays the same. */
static const char *const talk[] = {"*_VERBOSE", "*_VERBOSE_*", "*_JIT_DUMP", "OMP_DISPLAY_*", "KMP_SETTINGS"};

/* ggml's processor backend sets it in the process that starts it (ggml 0.23, ggml-cpu.c), to what the OpenMP of LLVM
 * and Intel does unsaid: were it a fact of the machine, a key would depend on who looked at ggml before. */
static const char set_by_ggml[] = "KMP_BLOCKTIME=200";

#define NAME_MAX_BYTES 128

bool sy_facts_variable_counts(const char *variable)
{
    char name[NAME_MAX_BYTES];
    const size_t length = strcspn(variable, "=");
    bool counts = false;
    if (length == 0 || length >= sizeof name)
        return false;
    memcpy(name, variable, length);
    name[length] = '\0';
    /* Other bytes cannot stand in a field's name, and no library looks for them. */
    if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != length)
        return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && !counts; i++)
        counts = sy_text_begins(name, prefixes[i]);
    for (size_t i = 0; i < sizeof talk / sizeof talk[0] && counts; i++)
        counts = !sy_text_matches(name, talk[i]);
    return counts;
}

void sy_facts_add_environment(const char *const *environment, sy_identity_builder *builder)
{
    size_t count = 0;
    while (environment != NULL && environment[count] != NULL)
        count++;
    /* From the end, since the later addition stays, and of two variables of one name getenv gives the first. */
    while (count-- > 0) {
        const char *variable = environment[count];
        const char *equals = strchr(variable, '=');
        if (equals == NULL || !sy_facts_variable_counts(variable) || strcmp(variable, set_by_ggml) == 0)
            continue;
        char name[NAME_MAX_BYTES + 5] = "env.";
        memcpy(name + 4, variable, (size_t)(equals - variable));
        sy_identity_builder_add(builder, name, equals[1] != '\0' ? equals + 1 : "(empty)", true);
    }
}
