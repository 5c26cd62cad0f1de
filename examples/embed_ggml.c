/* SPDX-License-Identifier: Apache-2.0 */
/* A small engine on ggml that lets each of its modules compute attention and convolution in the way that is fastest on
 * the device it was sent to. The first run probes and keeps the decisions, every later one looks them up.
 *
 *     embed_ggml SHAPES [STORE] [--backend=ASSIGNMENT] [--attention=WAY] [--convolution=WAY]
 *                [--threads=N] [--budget=SECONDS]
 *     embed_ggml diffusion_shapes.txt my.profiles --backend=diffusion=gpu,vae=cpu --convolution=im2col
 *
 * A way is auto, which asks, or the name of an implementation: plain, flash; im2col, direct. Exit code 0: every layer
 * ran; 1: one did not; 2: what was asked for is wrong. */
#include "engine_ggml.h"

#include <steelyard/ggml.h>

typedef struct engine {
    const char *shapes;
    const char *store;   /* NULL: the user's own */
    const char *backend; /* an assignment */
    const char *wanted[2];
    long threads; /* 0: as many as this process may use */
    double budget_s;
    model model;
    sy_selector *selector;
} engine;

static const char *const operations[] = {"attention", "convolution"};

static int report(const char *what, const sy_error *err)
{
    fprintf(stderr, "%s: %s%s%s\n", what, err->what, err->hint[0] ? "; " : "", err->hint);
    return 2;
}

/* ---- the choice ---- */

/* The layers of one module and operation as cases: the model's shapes, completed by the suite that is asked. */
static sy_status cases_of(const engine *e, const char *module, const char *operation, const sy_suite *suite,
                          sy_case *cases, size_t *ret_count, sy_error *err)
{
    sy_status status = SY_OK;
    *ret_count = 0;
    for (size_t i = 0; i < e->model.count && !status; i++) {
        const layer *l = &e->model.layers[i];
        if (strcmp(l->module, module) != 0 || strcmp(l->operation, operation) != 0)
            continue;
        cases[*ret_count] = l->shape;
        status = sy_suite_complete_case(suite, &cases[(*ret_count)++], err);
    }
    return status;
}

/* Asks steelyard. Where it has no answer the engine goes on with its fallback: no decision is worth a crash. */
static const char *choose(const engine *e, const char *module, sy_device *device, const sy_suite *suite,
                          const char *fallback, sy_error *err)
{
    static sy_case cases[LAYERS_MAX];
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_request request = SY_REQUEST_INIT;
    sy_selection choice;
    sy_status status = cases_of(e, module, suite->operation, suite, cases, &request.case_count, err);
    probe.budget_ns = (uint64_t)(e->budget_s * 1e9);
    probe.wall_limit_ns = 4 * probe.budget_ns;
    request.suite = suite; /* ggml's own; an engine with kernels of its own brings its own suite */
    request.device = device;
    request.model_digest = e->model.name;
    request.cases = cases;
    request.mode = SY_SELECT_PROBE; /* one that must not wait leaves the default: a miss is written down */
    request.probe = &probe;
    if (!status)
        status = sy_select(e->selector, &request, &choice, err);
    if (status == SY_INVALID_ARGUMENT)
        return NULL;
    if (status) {
        printf("%s %s: %s, the fallback: %s\n", module, suite->operation, fallback, err->what);
        return fallback;
    }
    printf("%s %s: %s, from the %s, %u timed runs\n", module, suite->operation, choice.implementation,
           sy_selection_source_word(choice.source), choice.timed_runs);
    for (const char *line = choice.why; *line; line += strcspn(line, "\n") + 1)
        printf("    %.*s\n", (int)strcspn(line, "\n"), line);
    /* With this key somebody overrules it: steelyard profile override --here attention --backend D --model-digest K */
    printf("    key: %s\n", choice.model_digest);
    return choice.implementation;
}

/* ---- the run ---- */

/* Runs a layer in the chosen way and in the reference's, so that one sees what the choice saves. */
static int compare_layer(sy_device *device, const layer *l, const char *chosen, const char *reference)
{
    ggml_backend_t backend = sy_ggml_backend(device);
    double ms = 0, reference_ms = 0;
    size_t bytes = 0, reference_bytes = 0;
    if (!backend || run_layer(backend, l, chosen, &ms, &bytes) != 0 ||
        run_layer(backend, l, reference, &reference_ms, &reference_bytes) != 0) {
        fprintf(stderr, "%s %s %s: it could not be run\n", l->module, l->operation, l->name);
        return 1;
    }
    printf("    %-12s %s %.2f ms, %.2f MiB", l->name, chosen, ms, (double)bytes / (1 << 20));
    if (strcmp(chosen, reference) != 0)
        printf("; %s %.2f ms, %.2f MiB: saved %.0f %%, %.2f MiB", reference, reference_ms,
               (double)reference_bytes / (1 << 20), 100 * (1 - ms / reference_ms),
               ((double)reference_bytes - (double)bytes) / (1 << 20));
    printf("\n");
    return 0;
}

/* One module and operation: choose, then run each layer. */
static int run_operation(const engine *e, const char *module, sy_device *device, size_t operation)
{
    const sy_suite *suite = NULL;
    sy_error err = SY_ERROR_INIT;
    const char *wanted = e->wanted[operation];
    int result = 0;
    if (sy_device_suite(device, operations[operation], &suite, &err) != SY_OK)
        return report(module, &err);
    const char *reference = suite->implementations[0].name;
    bool is_known = strcmp(wanted, "auto") == 0;
    for (size_t i = 0; i < suite->implementation_count; i++) {
        is_known = is_known || strcmp(wanted, suite->implementations[i].name) == 0;
        if (suite->implementations[i].role == SY_ROLE_REFERENCE)
            reference = suite->implementations[i].name;
    }
    if (!is_known) {
        fprintf(stderr, "--%s=%s: there is no such way; there are auto", operations[operation], wanted);
        for (size_t i = 0; i < suite->implementation_count; i++)
            fprintf(stderr, ", %s", suite->implementations[i].name);
        fprintf(stderr, "\n");
        return 2;
    }
    const char *chosen = wanted;
    if (strcmp(wanted, "auto") == 0)
        chosen = choose(e, module, device, suite, reference, &err);
    else
        printf("%s %s: %s, as you said\n", module, operations[operation], wanted);
    if (!chosen)
        return report(e->shapes, &err);
    for (size_t i = 0; i < e->model.count && result == 0; i++)
        if (strcmp(e->model.layers[i].module, module) == 0 &&
            strcmp(e->model.layers[i].operation, operations[operation]) == 0)
            result = compare_layer(device, &e->model.layers[i], chosen, reference);
    return result;
}

static bool has(const engine *e, const char *module, const char *operation)
{
    bool found = false;
    for (size_t i = 0; i < e->model.count; i++)
        found = found || (strcmp(e->model.layers[i].module, module) == 0 &&
                          (!operation || strcmp(e->model.layers[i].operation, operation) == 0));
    return found;
}

/* Each module on the device that it was sent to. */
static int run_modules(const engine *e, const sy_assignment *assignment)
{
    int result = 0;
    for (size_t i = 0; i < assignment->module_count && result == 0; i++) {
        const sy_assignment_choice *to = &assignment->modules[i];
        sy_device *device = NULL;
        sy_error err = SY_ERROR_INIT;
        if (!has(e, to->module, NULL))
            continue;
        sy_device_options options = SY_DEVICE_OPTIONS_INIT;
        options.threads = (uint32_t)e->threads;
        if (sy_device_open(to->names[0], &options, &device, &err) != SY_OK)
            return report(to->module, &err);
        printf("%s runs on %s\n", to->module, to->names[0]);
        for (size_t operation = 0; operation < 2 && result == 0; operation++)
            if (has(e, to->module, operations[operation]))
                result = run_operation(e, to->module, device, operation);
        sy_device_close(device);
    }
    return result;
}

/* ---- from words to a run ---- */

/* The devices of ggml alone: this engine has no other code. */
static sy_status assign(const engine *e, sy_assignment **ret_assignment, sy_error *err)
{
    static sy_assignment_device own[SY_ASSIGNMENT_DEVICES_MAX];
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    sy_assignment_devices *all = NULL;
    sy_status status = sy_assignment_devices_of(NULL, 0, &all, err);
    for (size_t i = 0; !status && i < all->count && table.device_count < SY_ASSIGNMENT_DEVICES_MAX; i++)
        if (all->devices[i].backend && strcmp(all->devices[i].backend, "ggml") == 0)
            own[table.device_count++] = all->devices[i];
    table.modules = modules;
    table.module_count = MODULE_COUNT;
    table.devices = own;
    if (!status)
        status = sy_assignment_parse(&table, e->backend, ret_assignment, err);
    sy_assignment_devices_destroy(all);
    return status;
}

static int run(engine *e)
{
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_assignment *assignment = NULL;
    sy_error err = SY_ERROR_INIT;
    int result = 2;
    store.path = e->store;
    options.store_options = &store;
    options.worker_path = "/proc/self/exe"; /* main below: a driver that crashes then ends a worker, not the engine */
    for (size_t i = 0; i < e->model.count; i++) {
        const layer *l = &e->model.layers[i];
        bool known = strcmp(l->operation, "attention") == 0 || strcmp(l->operation, "convolution") == 0;
        size_t module = 0;
        while (module < MODULE_COUNT && strcmp(l->module, modules[module].name) != 0)
            module++;
        if (!known || module == MODULE_COUNT) {
            fprintf(stderr, "%s: this engine has no %s in %s\n", e->shapes, l->operation, l->module);
            return 2;
        }
    }
    if (assign(e, &assignment, &err) != SY_OK)
        return report("--backend", &err);
    if (sy_selector_open(&options, &e->selector, &err) != SY_OK)
        report("store", &err);
    else
        result = run_modules(e, assignment);
    sy_selector_close(e->selector);
    sy_assignment_destroy(assignment);
    return result;
}

int main(int argc, char **argv)
{
    static engine e = {.backend = "", .wanted = {"auto", "auto"}, .budget_s = 30};
    char *end = NULL;
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return sy_worker_main(argc - 1, argv + 1);
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (strncmp(argv[i], "--backend=", 10) == 0)
            e.backend = value + 1;
        else if (strncmp(argv[i], "--attention=", 12) == 0)
            e.wanted[0] = value + 1;
        else if (strncmp(argv[i], "--convolution=", 14) == 0)
            e.wanted[1] = value + 1;
        else if (strncmp(argv[i], "--threads=", 10) == 0 && (end == NULL || *end == '\0'))
            e.threads = strtol(value + 1, &end, 10);
        else if (strncmp(argv[i], "--budget=", 9) == 0 && (end == NULL || *end == '\0'))
            e.budget_s = strtod(value + 1, &end);
        else if (argv[i][0] == '-')
            e.budget_s = -1;
        else if (!e.shapes)
            e.shapes = argv[i];
        else if (!e.store)
            e.store = argv[i];
        else
            e.budget_s = -1;
    }
    if (!e.shapes || !(e.budget_s > 0 && e.budget_s < 1e6) || e.threads < 0 || e.threads > 512 || (end && *end)) {
        fprintf(stderr, "usage: embed_ggml SHAPES [STORE] [--backend=ASSIGNMENT] [--attention=WAY] "
                        "[--convolution=WAY] [--threads=N] [--budget=SECONDS]\n");
        return 2;
    }
    return read_model(e.shapes, &e.model) == 0 ? run(&e) : 2;
}
