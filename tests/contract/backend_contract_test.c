/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of a backend's device: its entry in the table, its memory, its condition, its runs, its failures. */
#include "contract.h"

#include <math.h>
#include <string.h>

#include "backends/graph.h"
#include "base/fault.h"
#include "fault_loop.h"

/* ---- the table's entry ---- */

static void an_entry_is_complete_and_found_by_its_name(void **state)
{
    const subject *s = *state;
    const sy_backend *b = s->backend;
    assert_int_equal(b->struct_size, sizeof *b);
    assert_non_null(b->name);
    assert_string_not_equal(b->summary, "");
    assert_string_not_equal(b->timer, "");
    assert_ptr_equal(sy_backend_find(b->name), b);
    assert_true(b->count && b->open && b->close && b->describe && b->condition && b->free_memory);
    assert_true(b->allocate && b->release && b->upload && b->download && b->fill && b->submit && b->synchronize);
    assert_true(b->suite_at && b->look && b->memory_peak);
    size_t count, named = 0;
    const sy_backend *const *table = sy_backend_table(&count);
    for (size_t i = 0; i < count; i++)
        named += sy_text_equal(table[i]->name, b->name);
    assert_int_equal(named, 1);
    /* A name that ends in a digit could not be told from a device's number. */
    const char last = b->name[strlen(b->name) - 1];
    assert_true(last < '0' || last > '9');
}

static void a_device_beyond_the_last_is_refused_with_a_hint(void **state)
{
    const subject *s = *state;
    uint32_t count = 0;
    char name[64];
    const sy_device_options options = {.script = s->script, .commands = s->commands};
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(s->backend->count(&count, &error), SY_OK);
    assert_true(count >= 1);
    (void)snprintf(name, sizeof name, "%s%u", s->backend->name, count);
    assert_int_equal(sy_device_open(name, &options, &device, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.what, name));
    assert_string_not_equal(error.hint, "");
    (void)snprintf(name, sizeof name, "%s99999999999999999999", s->backend->name);
    assert_int_equal(sy_device_open(name, &options, &device, &error), SY_NOT_FOUND);
    assert_null(device);
    (void)snprintf(name, sizeof name, "%s0", s->backend->name);
    assert_int_equal(sy_device_open(name, &options, &device, &error), SY_OK);
    assert_string_equal(device->name, name);
    sy_device_close(device);
}

static void a_device_describes_itself(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    sy_device_info info;
    assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
    assert_string_equal(info.backend, s->backend->name);
    assert_true(sy_text_begins(info.name, s->backend->name));
    assert_string_not_equal(info.description, "");
    assert_int_equal(info.threads, 1);
    assert_ptr_equal(device->backend, s->backend);
    assert_non_null(device->clock);
    const uint64_t now = sy_clock_now(device->clock);
    assert_true(now > 0 && sy_clock_now(device->clock) >= now);
    sy_device_close(device);
    sy_device_close(NULL);
}

static void more_threads_are_told_to_the_device_when_asked_for(void **state)
{
    const subject *s = *state;
    const sy_device_options three = {.threads = 3, .script = s->script, .commands = s->commands};
    const sy_device_options as_many_as_there_are = {.threads = 0, .script = s->script, .commands = s->commands};
    sy_device *device = NULL;
    assert_int_equal(sy_device_open(s->backend->name, &three, &device, NULL), SY_OK);
    assert_int_equal(device->threads, 3);
    sy_device_close(device);
    assert_int_equal(sy_device_open(s->backend->name, &as_many_as_there_are, &device, NULL), SY_OK);
    assert_true(device->threads >= 1);
    sy_device_close(device);
}

/* ---- memory ---- */

static void bytes_come_back_as_they_were_put_at_odd_offsets_and_sizes(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_backend *b = s->backend;
    enum { SIZE = 1013 };
    static const struct {
        uint64_t offset, size;
    } pieces[] = {{0, SIZE}, {0, 1}, {SIZE - 1, 1}, {1, 7}, {3, 64}, {61, 131}, {509, 504}, {SIZE, 0}, {5, 0}};
    sy_buffer *buffer = NULL;
    unsigned char wanted[SIZE], found[SIZE], piece[SIZE];
    assert_int_equal(b->allocate(device, SIZE, &buffer, NULL), SY_OK);
    assert_ptr_equal(buffer->device, device);
    assert_int_equal(buffer->size, SIZE);
    assert_int_equal(b->fill(buffer, 0, 0x5a, SIZE, NULL), SY_OK);
    memset(wanted, 0x5a, SIZE);
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        for (uint64_t i = 0; i < pieces[p].size; i++)
            piece[i] = (unsigned char)(i * 31 + p * 7 + 1);
        assert_int_equal(b->upload(buffer, pieces[p].offset, piece, pieces[p].size, NULL), SY_OK);
        memcpy(wanted + pieces[p].offset, piece, pieces[p].size);
        memset(found, 0, SIZE);
        assert_int_equal(b->download(buffer, 0, found, SIZE, NULL), SY_OK);
        assert_memory_equal(found, wanted, SIZE);
        assert_int_equal(b->download(buffer, pieces[p].offset, found, pieces[p].size, NULL), SY_OK);
        assert_memory_equal(found, piece, pieces[p].size);
        assert_int_equal(b->fill(buffer, pieces[p].offset, (uint8_t)p, pieces[p].size, NULL), SY_OK);
        memset(wanted + pieces[p].offset, (int)p, pieces[p].size);
    }
    assert_int_equal(b->download(buffer, 0, found, SIZE, NULL), SY_OK);
    assert_memory_equal(found, wanted, SIZE);
    b->release(buffer);
    b->release(NULL);
    sy_device_close(device);
}

static void what_reaches_beyond_a_buffer_is_refused_and_changes_nothing(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_backend *b = s->backend;
    enum { SIZE = 100 };
    static const struct {
        uint64_t offset, size;
    } wrong[] = {{0, SIZE + 1}, {SIZE, 1}, {SIZE + 1, 0}, {50, 51}, {UINT64_MAX, 2}, {1, UINT64_MAX}, {UINT64_MAX, 0}};
    sy_buffer *buffer = NULL;
    unsigned char wanted[SIZE], found[SIZE], bytes[2 * SIZE];
    assert_int_equal(b->allocate(device, SIZE, &buffer, NULL), SY_OK);
    assert_int_equal(b->fill(buffer, 0, 0x11, SIZE, NULL), SY_OK);
    memset(wanted, 0x11, SIZE);
    memset(bytes, 0x22, sizeof bytes);
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        sy_error error = SY_ERROR_INIT;
        const uint64_t offset = wrong[w].offset, size = wrong[w].size;
        assert_int_equal(b->upload(buffer, offset, bytes, size, &error), SY_INVALID_ARGUMENT);
        assert_string_not_equal(error.what, "");
        assert_int_equal(b->download(buffer, offset, bytes, size, &error), SY_INVALID_ARGUMENT);
        assert_int_equal(b->fill(buffer, offset, 0x33, size, &error), SY_INVALID_ARGUMENT);
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0x22);
    assert_int_equal(b->download(buffer, 0, found, SIZE, NULL), SY_OK);
    assert_memory_equal(found, wanted, SIZE);
    b->release(buffer);
    sy_device_close(device);
}

static void memory_that_cannot_be_had_is_an_error_and_leaves_the_device_usable(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_backend *b = s->backend;
    sy_buffer *buffer = NULL;
    sy_error error = SY_ERROR_INIT;
    const uint64_t impossible[] = {UINT64_C(1) << 62, UINT64_MAX, UINT64_MAX - 63};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(b->allocate(device, impossible[i], &buffer, &error), SY_NO_MEMORY);
        assert_null(buffer);
        assert_string_not_equal(error.what, "");
    }
    assert_int_equal(b->allocate(device, 64, &buffer, &error), SY_OK);
    b->release(buffer);
    sy_device_close(device);
}

static void buffers_do_not_overlap_and_the_peak_counts_them(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_backend *b = s->backend;
    sy_buffer *buffers[8] = {NULL};
    const int64_t alive = sy_fault_live_allocations();
    for (uint8_t i = 0; i < 8; i++) {
        assert_int_equal(b->allocate(device, 100 + i, &buffers[i], NULL), SY_OK);
        assert_int_equal(b->fill(buffers[i], 0, i, 100 + i, NULL), SY_OK);
    }
    for (uint8_t i = 0; i < 8; i++) {
        unsigned char bytes[108];
        assert_int_equal(b->download(buffers[i], 0, bytes, 100 + i, NULL), SY_OK);
        for (size_t k = 0; k < 100u + i; k++)
            assert_int_equal(bytes[k], i);
    }
    for (size_t i = 0; i < 8; i++)
        b->release(buffers[i]);
    const uint64_t peak = b->memory_peak(device);
    assert_true(peak == 0 || peak >= 8 * 100 + 28);
    assert_int_equal(sy_fault_live_allocations(), alive);
    sy_device_close(device);
}

static void free_memory_is_told_or_refused_with_a_reason(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    uint64_t bytes = 0;
    sy_error error = SY_ERROR_INIT;
    sy_device_info info;
    assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
    const sy_status status = sy_device_free_memory(device, &bytes, &error);
    assert_true(status == SY_OK || status == SY_UNAVAILABLE);
    if (status == SY_OK)
        assert_true(bytes > 0 && (info.memory_bytes == 0 || bytes <= info.memory_bytes));
    else
        assert_string_not_equal(error.what, "");
    sy_device_close(device);
}

static bool is_share(double value)
{
    return isnan(value) || (value >= 0 && value <= 1);
}

static void a_condition_is_plausible_or_not_known(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    sy_device_condition c;
    memset(&c, 0x7f, sizeof c); /* what is not set would be an impossible number */
    s->backend->condition(device, &c);
    assert_true(isnan(c.clock_hz) || (c.clock_hz > 1e6 && c.clock_hz < 1e11));
    assert_true(isnan(c.temperature_celsius) || (c.temperature_celsius > -273 && c.temperature_celsius < 200));
    assert_true(is_share(c.steal_share) && is_share(c.pressure_share));
    assert_true(isnan(c.load_average) || (c.load_average >= 0 && c.load_average < 1e6));
    assert_true(c.throttled >= -1 && c.throttled <= 1);
    sy_device_close(device);
}

/* ---- work ---- */

typedef struct work {
    int runs;
    sy_status answer;
} work;

static sy_status count_run(void *state, sy_error *err)
{
    work *w = state;
    (void)err;
    w->runs++;
    return w->answer;
}

static void a_submitted_run_happens_once_and_its_error_comes_back(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    work w = {0, SY_OK};
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(s->backend->submit(device, count_run, &w, NULL), SY_OK);
        assert_int_equal(sy_device_synchronize(device, NULL), SY_OK);
        assert_int_equal(w.runs, i);
    }
    w.answer = SY_TIMED_OUT;
    sy_status status = s->backend->submit(device, count_run, &w, NULL);
    if (!status)
        status = sy_device_synchronize(device, NULL);
    assert_int_equal(status, SY_TIMED_OUT);
    sy_device_close(device);
}

/* ---- lists and failures ---- */

static void the_list_has_it_with_a_state_and_a_reason(void **state)
{
    const subject *s = *state;
    sy_backend_info *list = NULL;
    size_t count = 0, found = 0;
    assert_int_equal(sy_backends_list(&list, &count, NULL), SY_OK);
    for (size_t i = 0; i < count; i++) {
        if (!sy_text_equal(list[i].name, s->backend->name))
            continue;
        found++;
        assert_string_equal(list[i].summary, s->backend->summary);
        assert_true(list[i].available || list[i].reason[0]);
        assert_true(list[i].device_count >= 1 || list[i].reason[0]);
        for (size_t k = 0; k < list[i].implementation_count; k++) {
            const sy_backend_implementation *one = &list[i].implementations[k];
            assert_true(one->name[0] && one->operation[0]);
            assert_int_equal(one->available, one->reason[0] == '\0');
        }
    }
    assert_int_equal(found, 1);
    sy_backends_free(list);
    sy_backends_free(NULL);
}

static sy_status open_describe_close(void *user)
{
    const subject *s = user;
    const sy_device_options options = {.threads = 2, .script = s->script, .commands = s->commands};
    sy_device *device = NULL;
    sy_device_info info;
    sy_buffer *buffer = NULL;
    sy_status status = sy_device_open(s->backend->name, &options, &device, NULL);
    if (!status)
        status = sy_device_describe(device, &info, NULL);
    if (!status)
        status = s->backend->allocate(device, 100, &buffer, NULL);
    if (!status)
        s->backend->release(buffer);
    sy_device_close(device);
    return status;
}

static sy_status list_and_free(void *user)
{
    sy_backend_info *list = NULL;
    size_t count = 0;
    (void)user;
    sy_status status = sy_backends_list(&list, &count, NULL);
    sy_backends_free(list);
    return status;
}

static void every_failed_allocation_is_an_error_and_leaves_nothing(void **state)
{
    assert_true(fault_loop_allocations(open_describe_close, *state, true) >= 3);
    assert_true(fault_loop_allocations(open_describe_close, *state, false) >= 3);
    assert_true(fault_loop_allocations(list_and_free, NULL, true) >= 3);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launcher") == 0)
        return sy_launcher_main(argc - 1, argv + 1);
    static const clause clauses[] = {
        CLAUSE(an_entry_is_complete_and_found_by_its_name),
        CLAUSE(a_device_beyond_the_last_is_refused_with_a_hint),
        CLAUSE(a_device_describes_itself),
        CLAUSE(more_threads_are_told_to_the_device_when_asked_for),
        CLAUSE(bytes_come_back_as_they_were_put_at_odd_offsets_and_sizes),
        CLAUSE(what_reaches_beyond_a_buffer_is_refused_and_changes_nothing),
        CLAUSE(memory_that_cannot_be_had_is_an_error_and_leaves_the_device_usable),
        CLAUSE(buffers_do_not_overlap_and_the_peak_counts_them),
        CLAUSE(free_memory_is_told_or_refused_with_a_reason),
        CLAUSE(a_condition_is_plausible_or_not_known),
        CLAUSE(a_submitted_run_happens_once_and_its_error_comes_back),
        CLAUSE(the_list_has_it_with_a_state_and_a_reason),
        CLAUSE(every_failed_allocation_is_an_error_and_leaves_nothing),
    };
    return run_contract(clauses, sizeof clauses / sizeof clauses[0]);
}
