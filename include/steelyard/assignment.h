/* SPDX-License-Identifier: Apache-2.0 */
/* Which module of an engine runs on which device, and how much memory it may take there, as people type it:
 *
 *     all=cuda0,te=cpu,diffusion=cuda0&cuda1          all=8,vae=1.5,te=-0.5
 *
 * Modules and devices are tables that the engine hands in; the grammar is docs/assignments.md. Nothing is opened here.
 */
#ifndef STEELYARD_ASSIGNMENT_H
#define STEELYARD_ASSIGNMENT_H

#include <steelyard/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SY_ASSIGNMENT_PARTS_MAX 4096
#define SY_ASSIGNMENT_DEVICES_MAX 64 /* in one list */
#define SY_ASSIGNMENT_BYTES_MAX ((size_t)1 << 20)

/* A part of the engine that can be sent somewhere. Names and aliases are alike whatever their case and with or without
 * '-' and '_'. */
typedef struct sy_assignment_module {
    const char *name;           /* "clip_vision" */
    const char *const *aliases; /* NULL, or NULL-terminated: {"vision", NULL} */
} sy_assignment_module;

/* A device that may be named. */
typedef struct sy_assignment_device {
    const char *name;    /* "cuda0", "ggml:Vulkan0"; none of , & = and no blank at its ends */
    const char *backend; /* its backend or registry: "cuda", "ggml"; NULL or "" = none to be named by */
    sy_device_kind kind;
    const char *absent; /* NULL, or why it cannot be used: it is then never chosen, and its name says why */
} sy_assignment_device;

/* What an engine hands in. Everything is borrowed for the call alone. */
typedef struct sy_assignment_table {
    size_t struct_size;
    const sy_assignment_module *modules;
    size_t module_count;
    const sy_assignment_device *devices;
    size_t device_count;
    size_t default_device;   /* index of what `default` means; SIZE_MAX = the same as `auto` */
    const char *module_word; /* what messages call a module: "operation"; NULL = "module" */
} sy_assignment_table;

#define SY_ASSIGNMENT_TABLE_INIT                                                          \
    {                                                                                     \
        .struct_size = sizeof(sy_assignment_table), .default_device = (size_t)UINTPTR_MAX \
    }

/* SY_INVALID_ARGUMENT names the entry: an empty name, two modules by one name or alias, a module called all, default or
 * *, a device that no text could mean. */
SY_API sy_status sy_assignment_table_check(const sy_assignment_table *table, sy_error *err) SY_NODISCARD;

/* A part that a later one of the same key overruled. */
typedef struct sy_assignment_overruled {
    const char *part; /* as it was written, without blanks around */
    sy_position position;
    const char *by; /* the part that counts */
    sy_position by_position;
} sy_assignment_overruled;

/* The devices of one module. */
typedef struct sy_assignment_choice {
    const char *module;       /* its name in the table; "all" for the default */
    bool stated;              /* a part speaks of it; else it has the default's devices */
    sy_position position;     /* of that part */
    const size_t *devices;    /* indices into the table's devices, in the order written; each once */
    const char *const *names; /* their names in the table */
    size_t device_count;      /* >= 1 */
} sy_assignment_choice;

/* What a text says. It owns all that it points to, and needs the table no longer. */
typedef struct sy_assignment {
    sy_assignment_choice fallback;       /* what modules without a part of their own have */
    const sy_assignment_choice *modules; /* one for each module of the table, in its order */
    size_t module_count;
    const sy_assignment_overruled *overruled; /* in the order written */
    size_t overruled_count;
} sy_assignment;

/* Reads an assignment; "" leaves all modules with the table's default. A module's own part counts before the default,
 * wherever both stand; of two parts for the same module, or two for the default, the later one counts. The position of
 * an error is that of the part, or of the device in it: offset in bytes from 0, line 1, column from 1. SY_NOT_FOUND: no
 * such module or device, with a near name as hint. SY_INVALID_ARGUMENT: the grammar, a name that several devices begin
 * with, or the table. SY_UNAVAILABLE: a device that is absent. SY_LIMIT_EXCEEDED: more parts, devices or bytes than the
 * limits above. SY_NO_MEMORY. The caller destroys the result. */
SY_API sy_status sy_assignment_parse(const sy_assignment_table *table, const char *text, sy_assignment **ret_assignment,
                                     sy_error *err) SY_NODISCARD;
SY_API void sy_assignment_destroy(sy_assignment *assignment); /* NULL is allowed */

/* The shortest way to write an assignment: the default first, then what differs by a part of its own, by full names.
 * Read again with the same table it means the same. The caller frees it by sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_assignment_text(const sy_assignment *assignment, char **ret_text, sy_error *err) SY_NODISCARD;

/* What one device name means: `default`, `auto` (the first GPU, else the first integrated one, else the first CPU, else
 * the first device), `gpu` (the first GPU, else the first integrated one), a backend's name (its first device), a
 * device's name, also without what stands before its ':', or the beginning of one device's name. Case does not count.
 * Errors as of sy_assignment_parse, without position. */
SY_API sy_status sy_assignment_device_find(const sy_assignment_table *table, const char *name, size_t *ret_device,
                                           sy_error *err) SY_NODISCARD;

/* The devices of backends, and those backends that have none with the reason why; for sy_assignment_table.devices. */
typedef struct sy_assignment_devices {
    const sy_assignment_device *devices;
    size_t count;
} sy_assignment_devices;

/* Of a list of sy_backends_list; NULL means that of this build. What it points to is its own. SY_NO_MEMORY. The caller
 * destroys it. */
SY_API sy_status sy_assignment_devices_of(const sy_backend_info *list, size_t count,
                                          sy_assignment_devices **ret_devices, sy_error *err) SY_NODISCARD;
SY_API void sy_assignment_devices_destroy(sy_assignment_devices *devices); /* NULL is allowed */

/* ---- memory ---- */

typedef enum sy_budget_kind {
    SY_BUDGET_OFF,       /* 0: no limit is kept */
    SY_BUDGET_CAP,       /* > 0: at most so many bytes */
    SY_BUDGET_FREE_MINUS /* < 0: what is free then, less so many bytes */
} sy_budget_kind;

typedef struct sy_memory_budget {
    const char *module; /* "all" for the default */
    bool stated;        /* a part speaks of it; else it has the default's */
    sy_position position;
    sy_budget_kind kind;
    uint64_t bytes; /* 0 only where off; at most 2^63 */
} sy_memory_budget;

/* What a text says. It owns all that it points to, and needs the table no longer. */
typedef struct sy_memory_budgets {
    sy_memory_budget fallback; /* off, unless a part says otherwise */
    const sy_memory_budget *modules;
    size_t module_count;
    const sy_assignment_overruled *overruled;
    size_t overruled_count;
} sy_memory_budgets;

/* Reads budgets in GiB (2^30 bytes) for the modules of the table, whose devices are not looked at: `8`,
 * `all=8,vae=1.5`. A value without a key may only be the first part: `vae=1,5` is somebody's decimal comma. Rules,
 * errors and ownership as of sy_assignment_parse; SY_INVALID_ARGUMENT also for what is no finite decimal number, and
 * for one that is less than a byte or more than 2^63. */
SY_API sy_status sy_memory_budgets_parse(const sy_assignment_table *table, const char *text,
                                         sy_memory_budgets **ret_budgets, sy_error *err) SY_NODISCARD;
SY_API void sy_memory_budgets_destroy(sy_memory_budgets *budgets); /* NULL is allowed */
/* As sy_assignment_text. */
SY_API sy_status sy_memory_budgets_text(const sy_memory_budgets *budgets, char **ret_text, sy_error *err) SY_NODISCARD;
/* The bytes that a budget allows where free_bytes are free: no more than these; UINT64_MAX where it is off. */
SY_API uint64_t sy_memory_budget_bytes(const sy_memory_budget *budget, uint64_t free_bytes);

#ifdef __cplusplus
}
#endif
#endif
