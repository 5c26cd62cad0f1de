/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a lease's file: one line of JSON, "steelyard.lease/1", padded to a fixed size so that it is replaced by
 * one write. Any user of the host can write such a file: a reader believes nothing that is not well formed. */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/system.h"
#include "evidence/lease/lease_file.h"

#define RECORD_SIZE 4096 /* one page: a reader sees the old one or the new one */
#define SCHEMA "steelyard.lease/1"

sy_status sy_lease_record_write(int fd, const sy_lease_record *record, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *json = sy_json_writer_create(&text, SY_JSON_CANONICAL);
    sy_json_begin_object(json);
    sy_json_member_text(json, "boot", record->boot);
    sy_json_member_text(json, "device", record->device);
    sy_json_member_u64(json, "fence", record->fence);
    sy_json_member_text(json, "host", record->host);
    sy_json_member_i64(json, "process", record->process);
    sy_json_member_text(json, "project", record->project);
    sy_json_member_text(json, "run", record->run);
    sy_json_member_text(json, "schema", SCHEMA);
    sy_json_member_i64(json, "since", record->since_utc_s);
    sy_json_member_i64(json, "until", record->until_utc_s);
    sy_json_member_u64(json, "user", record->user);
    sy_json_end_object(json);
    sy_status status = sy_json_writer_finish(json, err);
    if (status == SY_OK && text.length >= RECORD_SIZE)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "the lease of '%.40s' has %zu bytes", record->device, text.length);
    while (status == SY_OK && !text.failed && text.length < RECORD_SIZE)
        sy_text_append(&text, text.length + 1 < RECORD_SIZE ? " " : "\n");
    if (status == SY_OK && text.failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a lease");
    if (status == SY_OK && lseek(fd, 0, SEEK_SET) != 0)
        status = sy_fail(err, SY_IO, "cannot go to the beginning of a lease");
    if (status == SY_OK)
        status = sy_file_write_descriptor(fd, text.bytes, text.length, err);
    if (status == SY_OK && sy_system_fsync(fd) != 0)
        status = sy_fail(err, SY_IO, "cannot write the lease of '%.40s' to the disk", record->device);
    sy_text_finish(&text);
    return status;
}

static bool get_text(const sy_json *json, const char *name, size_t most, sy_arena *arena, const char **ret_text)
{
    const char *text = NULL;
    if (sy_json_get_text(json, sy_json_member(sy_json_root(json), name), &text, NULL) != SY_OK || strlen(text) > most)
        return false;
    /* What is shown on a terminal must not command it. */
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    }
    *ret_text = sy_arena_copy_text(arena, text);
    return *ret_text != NULL;
}

static bool get_number(const sy_json *json, const char *name, int64_t *ret_value)
{
    return sy_json_get_i64(json, sy_json_member(sy_json_root(json), name), ret_value, NULL) == SY_OK && *ret_value >= 0;
}

bool sy_lease_record_read(int fd, sy_arena *arena, sy_lease_record *ret_record)
{
    char bytes[RECORD_SIZE];
    sy_lease_record record;
    sy_json *json = NULL;
    const char *schema = NULL;
    int64_t fence = 0;
    int64_t user = 0;
    ssize_t size = pread(fd, bytes, sizeof(bytes), 0);
    if (size <= 0 || sy_json_parse(bytes, (size_t)size, NULL, &json, NULL) != SY_OK)
        return false;
    bool whole = get_text(json, "schema", 32, arena, &schema) && strcmp(schema, SCHEMA) == 0 &&
                 get_text(json, "device", 1024, arena, &record.device) &&
                 get_text(json, "host", 256, arena, &record.host) && get_text(json, "boot", 64, arena, &record.boot) &&
                 get_text(json, "run", 128, arena, &record.run) &&
                 get_text(json, "project", 64, arena, &record.project) && get_number(json, "fence", &fence) &&
                 get_number(json, "process", &record.process) && get_number(json, "user", &user) &&
                 get_number(json, "since", &record.since_utc_s) && get_number(json, "until", &record.until_utc_s);
    sy_json_destroy(json);
    if (!whole)
        return false;
    record.fence = (uint64_t)fence;
    record.user = (unsigned)user;
    *ret_record = record;
    return true;
}
