/* SPDX-License-Identifier: Apache-2.0 */
/* Profile files of both formats: no bytes crash the reader; what it accepts is stored, written and read again as the
 * same text, and converting to format 2 loses nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include <steelyard/store.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int right)
{
    if (!right) {
        abort();
    }
}

static sy_store *open_in_memory(void)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_store *store = NULL;
    options.persistence = false;
    need(sy_store_open(&options, &store, NULL) == SY_OK);
    return store;
}

/* The text of format 2 after one trip through a store; the caller frees it. */
static char *trip(const char *text, size_t size, size_t *ret_size)
{
    sy_store *store = open_in_memory();
    char *written = NULL;
    need(sy_store_read_text(store, text, size, NULL, NULL) == SY_OK);
    need(sy_store_write_text(store, 2, &written, ret_size, NULL, NULL) == SY_OK);
    sy_store_close(store);
    return written;
}

static void use(const char *text, size_t size)
{
    sy_store_report *report = NULL;
    need(sy_store_check_text(text, size, &report, NULL) == SY_OK);
    need((report->status == SY_OK) == (report->finding_total == 0));
    for (size_t i = 1; i < report->finding_count; i++) {
        need(report->findings[i - 1].line <= report->findings[i].line);
    }
    if (report->status == SY_OK) {
        size_t once_size;
        size_t twice_size;
        char *once = trip(text, size, &once_size);
        char *twice = trip(once, once_size, &twice_size);
        need(once_size == twice_size && memcmp(once, twice, once_size) == 0);
        sy_text_free(once);
        sy_text_free(twice);
    }
    sy_store_report_destroy(report);
}

/* Puts the right digits into each check line: no mutation would guess them, and what lies behind would stay unknown. */
static void mend_checks(char *text, size_t size)
{
    const char *record = text;
    for (size_t at = 0; at < size;) {
        char *line = text + at;
        const char *feed = memchr(line, '\n', size - at);
        size_t length = feed == NULL ? size - at : (size_t)(feed - line);
        if (length >= 7 && memcmp(line, "profile", 7) == 0) {
            record = line;
        } else if (length >= 22 && memcmp(line, "check ", 6) == 0) {
            sy_digest digest;
            char digits[SY_DIGEST_TEXT];
            sy_digest_of(record, (size_t)(line - record), &digest);
            sy_digest_format(&digest, digits);
            memcpy(line + 6, digits, 16);
        }
        at += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    use((const char *)data, size);
    char *mended = malloc(size + 1);
    need(mended != NULL);
    memcpy(mended, data, size);
    mend_checks(mended, size);
    use(mended, size);
    free(mended);
    return 0;
}
