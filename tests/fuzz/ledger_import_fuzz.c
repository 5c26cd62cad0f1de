/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the import of a ledger: any bytes leave it empty with an error that says why, or make one that is proven
 * sound and is exported and imported again with the same head. Every input is tried as it is, and once more with its
 * chain mended, for no mutation would ever hit a digest. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "ledger/ledger.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

typedef struct source {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    size_t step; /* bytes a call at most */
} source;

static sy_status read_source(void *user, void *bytes, size_t size, size_t *ret_size, sy_error *err)
{
    source *s = user;
    size_t some = s->size - s->at;

    (void)err;
    some = some < size ? some : size;
    some = some < s->step ? some : s->step;
    if (some > 0)
        memcpy(bytes, s->bytes + s->at, some);
    s->at += some;
    *ret_size = some;
    return SY_OK;
}

static sy_status write_text(void *user, const void *bytes, size_t size, sy_error *err)
{
    (void)err;
    sy_text_append_bytes(user, bytes, size);
    return SY_OK;
}

static sy_ledger *open_empty(const sy_clock *clock)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;

    CHECK(sy_ledger_open_with(&options, clock, &ledger, NULL) == SY_OK);
    return ledger;
}

static sy_ledger_head head_of(sy_ledger *ledger)
{
    sy_ledger_head head;

    CHECK(sy_ledger_read_head(ledger, &head, NULL) == SY_OK);
    return head;
}

/* What came in is sound, and comes back. */
static void check_imported(sy_ledger *ledger, const sy_clock *clock, uint64_t added)
{
    sy_ledger_verdict *verdict = NULL;
    sy_text lines = SY_TEXT_INIT;
    sy_ledger *again = open_empty(clock);
    sy_ledger_head head = head_of(ledger);
    uint64_t count = 0;

    CHECK(sy_ledger_verify(ledger, NULL, &verdict, NULL) == SY_OK);
    CHECK(verdict->fault_total == 0 && verdict->event_count == added && head.number == added);
    sy_ledger_verdict_destroy(verdict);
    CHECK(sy_ledger_export(ledger, true, write_text, &lines, NULL, NULL) == SY_OK && !lines.failed);
    source s = {(const uint8_t *)lines.bytes, lines.length, 0, 100000};
    CHECK(sy_ledger_import(again, read_source, &s, &count, NULL) == SY_OK && count == added);
    CHECK(strcmp(head_of(again).digest, head.digest) == 0);
    sy_text_finish(&lines);
    sy_ledger_close(again);
}

/* Puts the digest behind the last such name of a line, where 64 bytes are. */
static void put_digest(char *line, size_t size, const char *name, const char *digest)
{
    size_t length = strlen(name);

    for (size_t at = size; at-- > 0;) {
        if (size - at >= length + 64 && memcmp(line + at, name, length) == 0) {
            memcpy(line + at + length, digest, 64);
            return;
        }
    }
}

/* Chains the events of the lines anew, and says so in the first line and the last. */
static void mend(char *bytes, size_t size)
{
    static const char event[] = "{\"at\":";
    char digest[65] = "0000000000000000000000000000000000000000000000000000000000000000";

    for (int pass = 0; pass < 2; pass++) {
        for (size_t at = 0; at < size;) {
            const char *end = memchr(bytes + at, '\n', size - at);
            size_t length = end == NULL ? size - at : (size_t)(end - bytes) - at;
            bool is_event = length > sizeof(event) && memcmp(bytes + at, event, sizeof(event) - 1) == 0;

            if (is_event && pass == 0) {
                sy_digest hashed;

                put_digest(bytes + at, length, "\"previous\":\"", digest);
                sy_digest_of(bytes + at, length, &hashed);
                sy_digest_format(&hashed, digest);
            } else if (!is_event && pass == 1) {
                put_digest(bytes + at, length, "\"head\":\"", digest);
            }
            at += length + 1;
        }
    }
}

static void try_lines(const uint8_t *data, size_t size)
{
    sy_clock_manual clock;
    sy_error err = SY_ERROR_INIT;
    uint64_t added = 0;
    source s = {data, size, 0, size % 3 == 0 ? 1 : size % 3 == 1 ? 17 : 100000};

    sy_clock_manual_start(&clock, 0, 1795953600);
    sy_ledger *ledger = open_empty(&clock.clock);
    if (sy_ledger_import(ledger, read_source, &s, &added, &err) == SY_OK)
        check_imported(ledger, &clock.clock, added);
    else
        CHECK(head_of(ledger).number == 0 && err.status != SY_OK && err.what[0] != '\0');
    sy_ledger_close(ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *mended = malloc(size + 1);

    CHECK(mended != NULL);
    if (size > 0)
        memcpy(mended, data, size);
    mend(mended, size);
    try_lines(data, size);
    try_lines((const uint8_t *)mended, size);
    free(mended);
    return 0;
}
