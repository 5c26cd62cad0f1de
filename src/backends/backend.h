/* SPDX-License-Identifier: Apache-2.0 */
/* What a backend gives the library: one static const table of functions. Warm-up, order, statistics and parity are not
 * its business. */
#ifndef STEELYARD_BACKENDS_BACKEND_H
#define STEELYARD_BACKENDS_BACKEND_H

#include <steelyard/suite.h>

#include "base/clock.h"
#include "base/float_environment.h"
#include "base/text.h"

/* Device memory. The backend's own struct begins with it. */
typedef struct sy_buffer {
    sy_device *device;
    uint64_t size;
    void *address; /* in the device's memory; a host pointer on cpu and fake */
} sy_buffer;

/* What the device says of its state; NaN or -1 = unknown. */
typedef struct sy_device_condition {
    double clock_hz;
    double temperature_celsius;
    double steal_share;    /* of the machine's time since boot that a hypervisor took */
    double pressure_share; /* cpu pressure, avg10 */
    double load_average;   /* over the last minute */
    int throttled;         /* 0, 1, -1 = unknown */
    /* Counters: what counts is how far each moves from one look to the next. */
    double processor_time;  /* of all processors together, in the unit of stolen_time */
    double stolen_time;     /* of it, taken by a hypervisor */
    double waited_ns;       /* wall time in which some task waited for a processor */
    double throttle_events; /* that the processor slowed itself down for heat or power */
} sy_device_condition;

/* What a backend of whole programs says of the run that has just been made. */
typedef struct sy_run_account {
    uint64_t elapsed_ns;   /* inside the program */
    double cost;           /* what is compared, lower is better; NaN = this run gave none */
    char void_reason[128]; /* why it cannot count; "" when it can */
    char wrong[160];       /* how its outputs differ from those that were verified; "" when they do not */
} sy_run_account;

typedef struct sy_backend sy_backend;

/* Every backend's device begins with this. */
struct sy_device {
    const sy_backend *backend;
    const sy_clock *clock;                   /* the clock that times runs here */
    char *name;                              /* as it was opened: "cpu" */
    char *script;                            /* option, owned; NULL */
    char *only;                              /* option, owned; NULL */
    char *plugin_path;                       /* resolved, owned; NULL */
    const struct sy_plugin *plugin;          /* NULL */
    sy_float_environment plugin_environment; /* as loading the plugin left it; the host's was restored */
    uint32_t threads;                        /* effective */
    uint32_t process; /* which fresh one of a probe this process is, from 0: for scripted times */
    bool own_memory;  /* its memory is not this process's: what a worker may take here says nothing of it */
    bool one_process; /* its runs stay in the caller's process, even where the backend isolates */
    /* Of the run to come, for backends that can end one. */
    uint64_t deadline_ns;          /* on sy_clock_system; 0 = none */
    bool (*cancelled)(void *user); /* NULL, or asked while it runs: SY_INTERRUPTED */
    void *cancelled_user;
};

struct sy_backend {
    size_t struct_size;
    const char *name;
    const char *summary;
    const char *needs;   /* what open must be told before there is a device to list: "a script"; NULL = nothing */
    const char *note;    /* what a list of it should say beside; NULL = nothing */
    const char *timer;   /* what clock times it: "CLOCK_MONOTONIC_RAW" */
    bool isolates;       /* implementations of it may run in worker processes */
    bool whole_programs; /* each run is a program of its own that begins anew: one run for parity is the warm-up, none
                            goes untimed before a slot, none are batched, nothing is left behind for the next */
    bool fixed_clock;    /* its clock is scripted: wall time is device time */
    uint64_t minimum_slot_ns; /* inner batch: a slot is at least so long (1 ms on a CPU, 50 us on a device) */
    /* SY_UNAVAILABLE with the reason when the driver is missing. count of devices. */
    sy_status (*count)(uint32_t *ret_count, sy_error *err);
    /* NULL, or the number of the device whose own name is `name`, for "<backend>:<name>". SY_NOT_FOUND: the hint lists
     * them. Asked behind count. */
    sy_status (*find)(const char *name, uint32_t *ret_index, sy_error *err);
    sy_status (*open)(uint32_t index, const sy_device_options *options, sy_device **ret_device, sy_error *err);
    void (*close)(sy_device *device);
    void (*describe)(sy_device *device, sy_device_info *ret_info);
    void (*condition)(sy_device *device, sy_device_condition *ret_condition);
    sy_status (*free_memory)(sy_device *device, uint64_t *ret_bytes, sy_error *err);
    sy_status (*allocate)(sy_device *device, uint64_t size, sy_buffer **ret_buffer, sy_error *err);
    void (*release)(sy_buffer *buffer);
    sy_status (*upload)(sy_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, sy_error *err);
    sy_status (*download)(sy_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, sy_error *err);
    sy_status (*fill)(sy_buffer *buffer, uint64_t offset, uint8_t byte, uint64_t size, sy_error *err);
    /* Enqueues one run; run is the graph's. */
    sy_status (*submit)(sy_device *device, sy_run_fn run, void *state, sy_error *err);
    sy_status (*synchronize)(sy_device *device, sy_error *err);
    /* NULL, or the device's own time of what was submitted since the last synchronize. */
    sy_status (*device_time)(sy_device *device, uint64_t *ret_ns, sy_error *err);
    /* Suites that come with it, NULL-terminated by ret NULL: index 0, 1, ... device NULL: of the table, for lists. */
    const sy_suite *(*suite_at)(sy_device *device, uint32_t index);
    /* Says, without loading anything, whether an implementation's library is there: fills reason when not, path when
     * found. */
    void (*look)(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                 char *path, size_t path_size);
    /* whole_programs: the account of the last run, in place of the clock around the call. */
    sy_status (*account)(sy_device *device, sy_run_account *ret_account, sy_error *err);
    /* NULL, or hands over sentences for people on the runs made so far. */
    void (*remark)(sy_device *device, void (*note)(void *user, const char *text), void *user);
    /* NULL, or appends lines on what all implementations here depend on (version and files of a library, driver,
     * device): a stored decision holds as long as they stay the same. */
    void (*versions)(sy_device *device, sy_text *text);
    /* Peak device memory that this process took since the device was opened; 0 = unknown. */
    uint64_t (*memory_peak)(sy_device *device);
    /* NULL, or how often the threads of this process were switched away involuntarily so far; UINT64_MAX = unknown.
     * Asked around every timed slot: a microsecond is what it may cost. */
    uint64_t (*switches)(sy_device *device);
};

/* Appends one line an implementation of suite: its library's resolved path, size and time of change, "absent", or the
 * version of steelyard for what is built in; none for implementations that a library lists. Nothing is loaded.
 * SY_NO_MEMORY. */
sy_status sy_suite_versions(sy_device *device, const sy_suite *suite, sy_text *text, sy_error *err) SY_NODISCARD;

/* "<resolved path> <size> <time of change>" of a file, or the path alone when it cannot be looked at. */
void sy_file_state_append(const char *path, sy_text *text);

/* The table: every backend of this build, in the order they are listed. */
const sy_backend *const *sy_backend_table(size_t *ret_count);
const sy_backend *sy_backend_find(const char *name); /* NULL if there is none */

/* Opens a device of a backend under a name. options is not NULL; errors are the backend's, or SY_NO_MEMORY. */
sy_status sy_device_open_on(const sy_backend *backend, uint32_t index, const char *name,
                            const sy_device_options *options, sy_device **ret_device, sy_error *err) SY_NODISCARD;
/* sy_backends_list of another table; freed by sy_backends_free. */
sy_status sy_backends_list_of(const sy_backend *const *backends, size_t count, sy_backend_info **ret_list,
                              sy_error *err) SY_NODISCARD;

/* The entries. */
extern const sy_backend sy_backend_command;
extern const sy_backend sy_backend_cpu;
extern const sy_backend sy_backend_fake;
extern const sy_backend sy_backend_ggml;

#endif
