/* SPDX-License-Identifier: Apache-2.0 */
/* The list of backends as a page and as JSON: all of them, what cannot run with its reason. */
#include <inttypes.h>
#include <steelyard/report.h>

#include "base/error.h"
#include "base/json.h"
#include "report/page/text_table.h"

enum { B_OPERATION, B_NAME, B_STATE, B_ROLE, B_CLASS, B_REMARKS, B_COUNT };

static const sy_column columns[B_COUNT] = {
    [B_OPERATION] = {.title = "Operation", .least = 7},
    [B_NAME] = {.title = "Implementation", .least = 8},
    [B_STATE] = {.title = "State"},
    [B_ROLE] = {.title = "Role", .drop = 1},
    [B_CLASS] = {.title = "Class", .drop = 2},
    [B_REMARKS] = {.title = "Remarks", .wraps = true, .least = 10},
};

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static void put_device(sy_page *page, const sy_device_info *device)
{
    sy_text text = SY_TEXT_INIT;
    char memory[32];

    sy_text_append_format(&text, "%s: %s", device->name, device->description);
    if (device->threads > 0)
        sy_text_append_format(&text, ", %" PRIu32 " %s", device->threads, device->threads == 1 ? "thread" : "threads");
    if (device->memory_bytes > 0) {
        sy_format_bytes(memory, sizeof(memory), device->memory_bytes);
        sy_text_append_format(&text, ", %s", memory);
    }
    page->text.failed = page->text.failed || text.failed;
    sy_page_field(page, "device", sy_text_bytes(&text));
    sy_text_finish(&text);
}

static void put_implementations(sy_page *page, const sy_backend_info *backend)
{
    sy_text_table *table = sy_text_table_create(page, columns, B_COUNT);
    sy_text remarks = SY_TEXT_INIT;

    for (size_t i = 0; table != NULL && i < backend->implementation_count; i++) {
        const sy_backend_implementation *row = &backend->implementations[i];

        sy_text_clear(&remarks);
        sy_text_append(&remarks, or_empty(row->version));
        if (!row->available)
            sy_text_append_format(&remarks, "%s%s", remarks.length > 0 ? "; " : "", or_empty(row->reason));
        else if (row->path != NULL && row->path[0] != '\0')
            sy_text_append_format(&remarks, "%s%s", remarks.length > 0 ? "; " : "", row->path);
        sy_text_table_row(table, row->available ? SY_TONE_PLAIN : SY_TONE_DOUBT,
                          (const char *const[B_COUNT]){
                              [B_OPERATION] = row->operation,
                              [B_NAME] = row->name,
                              [B_STATE] = row->available ? "available" : "missing",
                              [B_ROLE] = sy_role_word(row->role),
                              [B_CLASS] = sy_error_class_word(row->error_class),
                              [B_REMARKS] = sy_text_bytes(&remarks),
                          });
    }
    page->text.failed = page->text.failed || remarks.failed;
    if (table != NULL && backend->implementation_count > 0) {
        sy_page_blank(page);
        sy_text_table_print(table);
    }
    sy_text_finish(&remarks);
    sy_text_table_destroy(table);
}

static void put_backend(sy_page *page, const sy_backend_info *backend)
{
    sy_text text = SY_TEXT_INIT;

    sy_text_append_format(&text, "%s: %s", or_empty(backend->name), backend->available ? "available" : "unavailable");
    sy_page_paragraph(page, 0, 2, backend->available ? SY_TONE_GOOD : SY_TONE_DOUBT, sy_text_bytes(&text));
    sy_page_field(page, "what", backend->summary);
    sy_page_field(page, backend->available ? "note" : "why not", or_empty(backend->reason));
    for (size_t i = 0; i < backend->device_count; i++)
        put_device(page, &backend->devices[i]);
    put_implementations(page, backend);
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

sy_status sy_report_backends(const sy_backend_info *list, size_t count, const sy_report_style *style, char **ret_text,
                             sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            sy_page_blank(&page);
        put_backend(&page, &list[i]);
    }
    return sy_page_take(&page, ret_text, err);
}

static void write_device(sy_json_writer *writer, const sy_device_info *device)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", device->name);
    sy_json_member_text(writer, "description", device->description);
    sy_json_member_u64(writer, "threads", device->threads);
    sy_json_member_u64(writer, "memory_bytes", device->memory_bytes);
    sy_json_member_text(writer, "kind", sy_device_kind_word(device->kind));
    sy_json_end_object(writer);
}

static void write_implementation(sy_json_writer *writer, const sy_backend_implementation *row)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "operation", or_empty(row->operation));
    sy_json_member_text(writer, "name", or_empty(row->name));
    sy_json_member_text(writer, "role", sy_role_word(row->role));
    sy_json_member_text(writer, "error_class", sy_error_class_word(row->error_class));
    sy_json_member_bool(writer, "available", row->available);
    sy_json_member_text(writer, "reason", or_empty(row->reason));
    sy_json_member_text(writer, "version", or_empty(row->version));
    sy_json_member_text(writer, "path", or_empty(row->path));
    sy_json_end_object(writer);
}

static void write_backend(sy_json_writer *writer, const sy_backend_info *backend)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", or_empty(backend->name));
    sy_json_member_text(writer, "summary", or_empty(backend->summary));
    sy_json_member_bool(writer, "available", backend->available);
    sy_json_member_text(writer, "reason", or_empty(backend->reason));
    sy_json_name(writer, "devices");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < backend->device_count; i++)
        write_device(writer, &backend->devices[i]);
    sy_json_end_array(writer);
    sy_json_name(writer, "implementations");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < backend->implementation_count; i++)
        write_implementation(writer, &backend->implementations[i]);
    sy_json_end_array(writer);
    sy_json_end_object(writer);
}

sy_status sy_report_backends_json(const sy_backend_info *list, size_t count, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    char *json;
    sy_status status;

    if (writer != NULL) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "schema", "steelyard.backends/1");
        sy_json_member_text(writer, "tool", sy_version());
        sy_json_name(writer, "backends");
        sy_json_begin_array(writer);
        for (size_t i = 0; i < count; i++)
            write_backend(writer, &list[i]);
        sy_json_end_array(writer);
        sy_json_end_object(writer);
    }
    status = sy_json_writer_finish(writer, err);
    sy_text_append(&text, "\n");
    json = status == SY_OK ? sy_text_take(&text) : NULL;
    sy_text_finish(&text);
    if (status == SY_OK && json == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the JSON form of the backends");
    if (status == SY_OK)
        *ret_json = json;
    return status;
}
