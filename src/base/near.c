/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance with swaps, and the choice of the nearest name. */
#include "base/near.h"

#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t sy_near_slips(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][SY_NEAR_LONGEST + 1];
    if (a_length > SY_NEAR_LONGEST || b_length > SY_NEAR_LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void sy_nearest_offer(sy_nearest *nearest, const char *name)
{
    const size_t length = strlen(name), typed = nearest->typed_length;
    const size_t longer = length > typed ? length : typed;
    size_t slips = sy_near_slips(nearest->typed, typed, name, length);
    if (slips == SIZE_MAX)
        return;
    if (typed >= 3 && length > typed && memcmp(nearest->typed, name, typed) == 0)
        slips = 1;
    if (slips >= longer || (slips > 1 && slips > longer / 3))
        return;
    if (!nearest->found || slips < nearest->slips) {
        nearest->found = name;
        nearest->slips = slips;
    }
}
