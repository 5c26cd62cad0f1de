/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance with swaps (optimal string alignment), for words of a command line. */
#include "suggest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Distance of two words of at most LONGEST bytes; three rows of the table are enough. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0];
    size_t *above = rows[1];
    size_t *row = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *spare = before;

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        before = above;
        above = row;
        row = spare;
    }
    return above[b_length];
}

const char *cli_suggest(const char *typed, const char *const *words, size_t count)
{
    size_t typed_length = strlen(typed);
    const char *best = NULL;
    size_t best_distance = 0;

    if (typed_length == 0 || typed_length > LONGEST)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]);
        size_t longer = length > typed_length ? length : typed_length;
        size_t slips;

        if (length > LONGEST)
            continue;
        slips = typed_length >= 3 && strncmp(typed, words[i], typed_length) == 0
                    ? 1
                    : distance(typed, typed_length, words[i], length);
        if (slips * 3 > longer && slips > 1)
            continue;
        if (slips >= longer)
            continue;
        if (best == NULL || slips < best_distance) {
            best = words[i];
            best_distance = slips;
        }
    }
    return best;
}
