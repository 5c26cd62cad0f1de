/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, loads and describes OpenBLAS, BLIS and oneDNN. Each is loaded by full path and keeps its symbols to itself;
 * what it computes is not judged here. */
#include "backends/cpu/cpu_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#if defined(__x86_64__)
#define MULTIARCH "/usr/lib/x86_64-linux-gnu/"
#elif defined(__aarch64__)
#define MULTIARCH "/usr/lib/aarch64-linux-gnu/"
#elif defined(__powerpc64__)
#define MULTIARCH "/usr/lib/powerpc64le-linux-gnu/"
#else
#define MULTIARCH "/usr/lib/"
#endif

typedef struct place {
    const char *folder;
    const char *file;
} place;

typedef struct library_spec {
    const char *soname;  /* for messages */
    const place *places; /* best first */
    bool (*bind)(void *handle, uint32_t threads, sy_cpu_library *library, char *reason, size_t reason_size);
} library_spec;

/* Builds are tried in the order that Debian's alternatives prefer. It is also what speed says of BLIS: its pthread
 * build makes and joins threads in every call, and at n = 256 on 2 cores was measured at .26 to 20 ms where the openmp
 * build takes .2 ms. */
static const place openblas_places[] = {{MULTIARCH "openblas-pthread/", "libopenblas.so.0"},
                                        {MULTIARCH "openblas-openmp/", "libopenblas.so.0"},
                                        {MULTIARCH, "libopenblas.so.0"},
                                        {"/usr/lib64/", "libopenblasp.so.0"},
                                        {"/usr/lib64/", "libopenblas.so.0"},
                                        {"/usr/lib/", "libopenblas.so.0"},
                                        {"/usr/local/lib64/", "libopenblas.so.0"},
                                        {"/usr/local/lib/", "libopenblas.so.0"},
                                        {"/opt/OpenBLAS/lib/", "libopenblas.so.0"},
                                        {NULL, NULL}};
static const place blis_places[] = {{MULTIARCH "blis-openmp/", "libblis.so.4"},
                                    {MULTIARCH "blis-pthread/", "libblis.so.4"},
                                    {MULTIARCH, "libblis.so.4"},
                                    {"/usr/lib64/", "libblis.so.4"},
                                    {"/usr/lib/", "libblis.so.4"},
                                    {"/usr/local/lib64/", "libblis.so.4"},
                                    {"/usr/local/lib/", "libblis.so.4"},
                                    {NULL, NULL}};
static const place onednn_places[] = {{MULTIARCH, "libdnnl.so.3"},
                                      {MULTIARCH, "libdnnl.so.2"},
                                      {"/usr/lib64/", "libdnnl.so.3"},
                                      {"/usr/lib64/", "libdnnl.so.2"},
                                      {"/usr/lib/", "libdnnl.so.3"},
                                      {"/usr/lib/", "libdnnl.so.2"},
                                      {"/usr/local/lib64/", "libdnnl.so.3"},
                                      {"/usr/local/lib64/", "libdnnl.so.2"},
                                      {"/usr/local/lib/", "libdnnl.so.3"},
                                      {"/usr/local/lib/", "libdnnl.so.2"},
                                      {NULL, NULL}};

/* ISO C has no cast from an object pointer to a function pointer; POSIX promises that the bits serve as both. */
#define BIND(to, handle, symbol)                    \
    do {                                            \
        void *address_ = dlsym((handle), (symbol)); \
        memcpy(&(to), &address_, sizeof address_);  \
    } while (0)

/* Whether a function's code lies in the library that was loaded, and not in one that it depends on. */
static bool comes_from(const void *function_bits, const char *path, const char *symbol, char *reason,
                       size_t reason_size)
{
    void *address;
    memcpy(&address, function_bits, sizeof address);
    if (address == NULL) {
        snprintf(reason, reason_size, "%s has no function %s", path, symbol);
        return false;
    }
    Dl_info where;
    char resolved[PATH_MAX];
    if (dladdr(address, &where) == 0 || realpath(where.dli_fname, resolved) == NULL || strcmp(resolved, path) != 0) {
        snprintf(reason, reason_size, "%s of %s comes from another library", symbol, path);
        return false;
    }
    return true;
}

static bool bind_openblas(void *handle, uint32_t threads, sy_cpu_library *library, char *reason, size_t reason_size)
{
    void (*set_threads)(int) = NULL;
    int (*get_threads)(void) = NULL;
    const char *(*get_config)(void) = NULL;
    const char *(*get_core)(void) = NULL;
    BIND(library->cblas_sgemm, handle, "cblas_sgemm");
    BIND(set_threads, handle, "openblas_set_num_threads");
    BIND(get_threads, handle, "openblas_get_num_threads");
    BIND(get_config, handle, "openblas_get_config");
    BIND(get_core, handle, "openblas_get_corename");
    const char *path = library->info.path;
    if (!comes_from(&library->cblas_sgemm, path, "cblas_sgemm", reason, reason_size) ||
        !comes_from(&set_threads, path, "openblas_set_num_threads", reason, reason_size) ||
        !comes_from(&get_threads, path, "openblas_get_num_threads", reason, reason_size)) {
        return false;
    }
    const char *config = get_config != NULL ? get_config() : "OpenBLAS";
    if (strstr(config, "USE64BITINT") != NULL) {
        snprintf(reason, reason_size, "%s takes 64-bit integers: it is the ILP64 build", path);
        return false;
    }
    if (threads != 0) {
        set_threads((int)threads);
    }
    library->info.threads = (uint32_t)get_threads();
    char version[32] = "";
    if (sscanf(config, "OpenBLAS %31s", version) != 1) {
        sy_text_copy(version, sizeof version, "of unknown version");
    }
    snprintf(library->info.version, sizeof library->info.version, "OpenBLAS %s%s%s", version,
             get_core != NULL ? " " : "", get_core != NULL ? get_core() : "");
    return true;
}

/* dim_t is a signed integer of the width that the library names. */
static bool set_blis_threads(void *handle, int64_t width, uint32_t threads, sy_cpu_library *library)
{
    if (width == 64) {
        void (*set_threads)(int64_t) = NULL;
        int64_t (*get_threads)(void) = NULL;
        BIND(set_threads, handle, "bli_thread_set_num_threads");
        BIND(get_threads, handle, "bli_thread_get_num_threads");
        if (set_threads == NULL || get_threads == NULL) {
            return false;
        }
        if (threads != 0) {
            set_threads((int64_t)threads);
        }
        library->info.threads = (uint32_t)get_threads();
        return true;
    }
    void (*set_threads)(int32_t) = NULL;
    int32_t (*get_threads)(void) = NULL;
    BIND(set_threads, handle, "bli_thread_set_num_threads");
    BIND(get_threads, handle, "bli_thread_get_num_threads");
    if (set_threads == NULL || get_threads == NULL) {
        return false;
    }
    if (threads != 0) {
        set_threads((int32_t)threads);
    }
    library->info.threads = (uint32_t)get_threads();
    return true;
}

static bool bind_blis(void *handle, uint32_t threads, sy_cpu_library *library, char *reason, size_t reason_size)
{
    const char *(*get_version)(void) = NULL;
    const char *(*get_width_text)(void) = NULL;
    int64_t (*get_blas_width)(void) = NULL;
    int (*query_arch)(void) = NULL;
    const char *(*arch_text)(int) = NULL;
    BIND(library->cblas_sgemm, handle, "cblas_sgemm");
    BIND(get_version, handle, "bli_info_get_version_str");
    BIND(get_width_text, handle, "bli_info_get_int_type_size_str");
    BIND(get_blas_width, handle, "bli_info_get_blas_int_type_size");
    BIND(query_arch, handle, "bli_arch_query_id");
    BIND(arch_text, handle, "bli_arch_string");
    const char *path = library->info.path;
    if (!comes_from(&library->cblas_sgemm, path, "cblas_sgemm", reason, reason_size)) {
        return false;
    }
    /* gint_t is 32 or 64 bits wide; on the machines at hand the low half of the result holds a small number of both. */
    if (get_blas_width == NULL || (int32_t)get_blas_width() != 32) {
        snprintf(reason, reason_size, "%s takes integers of another size than 32 bits", path);
        return false;
    }
    int64_t width = get_width_text != NULL && strcmp(get_width_text(), "32") == 0 ? 32 : 64;
    if (!set_blis_threads(handle, width, threads, library)) {
        snprintf(reason, reason_size, "%s has no function bli_thread_set_num_threads", path);
        return false;
    }
    bool has_arch = query_arch != NULL && arch_text != NULL;
    snprintf(library->info.version, sizeof library->info.version, "BLIS %s%s%s",
             get_version != NULL ? get_version() : "of unknown version", has_arch ? " " : "",
             has_arch ? arch_text(query_arch()) : "");
    return true;
}

/* The head of oneDNN's dnnl_version_t, the same in versions 1 to 3. */
typedef struct onednn_version {
    int major;
    int minor;
    int patch;
    const char *hash;
    unsigned cpu_runtime; /* 1 sequential, 2 OpenMP, 4 TBB, 8 the caller's thread pool */
} onednn_version;

static bool bind_onednn(void *handle, uint32_t threads, sy_cpu_library *library, char *reason, size_t reason_size)
{
    const onednn_version *(*get_version)(void) = NULL;
    void (*set_threads)(int) = NULL;
    int (*get_threads)(void) = NULL;
    BIND(library->dnnl_sgemm, handle, "dnnl_sgemm");
    BIND(get_version, handle, "dnnl_version");
    const char *path = library->info.path;
    if (!comes_from(&library->dnnl_sgemm, path, "dnnl_sgemm", reason, reason_size) ||
        !comes_from(&get_version, path, "dnnl_version", reason, reason_size)) {
        return false;
    }
    const onednn_version *version = get_version();
    const char *runtime = "one thread";
    library->info.threads = 1;
    if (version->cpu_runtime == 2) {
        BIND(set_threads, handle, "omp_set_num_threads");
        BIND(get_threads, handle, "omp_get_max_threads");
        if (set_threads == NULL || get_threads == NULL) {
            snprintf(reason, reason_size, "the OpenMP runtime of %s cannot be told a number of threads", path);
            return false;
        }
        if (threads != 0) {
            set_threads((int)threads);
        }
        library->info.threads = (uint32_t)get_threads();
        runtime = "OpenMP";
    } else if (version->cpu_runtime != 1) {
        snprintf(reason, reason_size, "%s runs on TBB or a caller's threads: its thread count cannot be set", path);
        return false;
    }
    snprintf(library->info.version, sizeof library->info.version, "oneDNN %d.%d.%d, %s", version->major, version->minor,
             version->patch, runtime);
    return true;
}

static const library_spec specs[SY_CPU_LIBRARY_COUNT] = {
    [SY_CPU_OPENBLAS] = {"libopenblas.so.0", openblas_places, bind_openblas},
    [SY_CPU_BLIS] = {"libblis.so.4", blis_places, bind_blis},
    [SY_CPU_ONEDNN] = {"libdnnl.so.2 or .3", onednn_places, bind_onednn},
};

bool sy_cpu_library_find(sy_cpu_library_id id, const char *root, char *path, size_t path_size, char *reason,
                         size_t reason_size)
{
    const library_spec *spec = &specs[id];
    for (const place *at = spec->places; at->folder != NULL; at++) {
        char candidate[PATH_MAX];
        int length = snprintf(candidate, sizeof candidate, "%s%s%s", root, at->folder, at->file);
        if (length > 0 && (size_t)length < path_size && (size_t)length < sizeof candidate &&
            access(candidate, R_OK) == 0) {
            sy_text_copy(path, path_size, candidate);
            return true;
        }
    }
    snprintf(reason, reason_size, "%s not found in %s, /usr/lib64, /usr/lib, /usr/local/lib64, /usr/local/lib",
             spec->soname, MULTIARCH);
    return false;
}

/* The loader's own word on where the library lies, all links resolved. */
static bool resolve(void *handle, sy_cpu_library *library, const char *path, char *reason, size_t reason_size)
{
    struct link_map *map = NULL;
    char resolved[PATH_MAX];
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || realpath(map->l_name, resolved) == NULL ||
        !sy_text_copy(library->info.path, sizeof library->info.path, resolved)) {
        snprintf(reason, reason_size, "the path of %s cannot be resolved", path);
        return false;
    }
    return true;
}

bool sy_cpu_library_load(sy_cpu_library_id id, const char *root, uint32_t threads, sy_cpu_library *library,
                         char *reason, size_t reason_size)
{
    char path[sizeof library->info.path];
    if (!sy_cpu_library_find(id, root, path, sizeof path, reason, reason_size)) {
        return false;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        const char *why = dlerror();
        snprintf(reason, reason_size, "%s", why != NULL ? why : path);
        return false;
    }
    sy_cpu_library loading = {0};
    if (!resolve(handle, &loading, path, reason, reason_size) ||
        !specs[id].bind(handle, threads, &loading, reason, reason_size)) {
        (void)dlclose(handle);
        return false;
    }
    loading.loaded = true;
    loading.handle = handle;
    *library = loading;
    return true;
}
