/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a command line, and as two outputs with the first byte's kind of comparison: words that are split join
 * and split again into themselves; an output is like itself; whatever differs is explained. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/command/command_compare.h"
#include "backends/command/command_words.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/shell_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void split(const char *line)
{
    sy_arena *arena = sy_arena_create(0);
    const char *const *words = NULL;
    const char *const *again = NULL;
    sy_error error = SY_ERROR_INIT;
    const sy_status status = sy_command_split(arena, line, &words, &error);
    if (status != error.status || (status && error.what[0] == '\0'))
        abort();
    if (!status) {
        if (sy_command_split(arena, sy_shell_join(arena, words), &again, NULL) != SY_OK)
            abort();
        for (size_t i = 0; words[i] || again[i]; i++) {
            if (!words[i] || !again[i] || strcmp(words[i], again[i]) != 0)
                abort();
        }
    }
    sy_arena_destroy(arena);
}

static int file_of(const uint8_t *bytes, size_t size)
{
    int descriptor = memfd_create("output", MFD_CLOEXEC);
    if (descriptor < 0 || sy_file_write_descriptor(descriptor, bytes, size, NULL) != SY_OK)
        abort();
    return descriptor;
}

static sy_output_verdict hold(const sy_output_rules *rules, int reference, int candidate)
{
    sy_output_verdict verdict = {0};
    if (sy_output_compare(rules, "output", reference, candidate, &verdict, NULL) != SY_OK)
        abort();
    if ((verdict.parity.outcome == SY_PARITY_FAILED) != (verdict.parity.reason[0] != '\0'))
        abort(); /* a failure without its reason, or a reason without a failure */
    return verdict;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const sy_output_rules rules = {.compare = data[0] % 2 ? SY_COMMAND_COMPARE_NUMBERS : SY_COMMAND_COMPARE_BYTES,
                                   .absolute = data[0] & 2 ? 0.5 : 0,
                                   .relative = data[0] & 4 ? 1e-3 : 0};
    size_t half = size / 2;
    char *line = sy_allocate(1, size);
    if (!line)
        return 0;
    memcpy(line, data + 1, size - 1); /* terminated: the block was zeroed */
    split(line);
    sy_free(line);
    int one = file_of(data + 1, half > 0 ? half - 1 : 0);
    int other = file_of(data + half, size - half);
    if (hold(&rules, one, one).parity.outcome != SY_PARITY_PASSED ||
        hold(&rules, other, other).parity.outcome != SY_PARITY_PASSED)
        abort();
    (void)hold(&rules, one, other);
    close(one);
    close(other);
    return 0;
}
