/* SPDX-License-Identifier: Apache-2.0 */
/* Power of the probe's rule by exact recursion, and its two inverses: the gain that a cap resolves, the cap that a gain
 * needs. */
#include "stats/gain.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/order.h"
#include "stats/sign.h"

static const double normal_upper_quartile = 0.6744897501960817;

double sy_gain_normal_cdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

sy_status sy_gain_noise(const double *differences, size_t count, double *ret_noise, sy_error *err)
{
    double *magnitudes;
    double middle;
    sy_status status;

    if (count == 0)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no pairs to take the noise from");
    magnitudes = sy_allocate(count, sizeof *magnitudes);
    if (magnitudes == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu pairs", count);
    for (size_t i = 0; i < count; i++)
        magnitudes[i] = fabs(differences[i]);
    status = sy_order_sort(magnitudes, count, err);
    if (status == SY_OK) {
        middle = sy_order_median(magnitudes, count);
        *ret_noise = middle / normal_upper_quartile;
    }
    sy_free(magnitudes);
    return status;
}

typedef struct gain_tables {
    sy_sign_table win;
    sy_sign_table stop;
} gain_tables;

static sy_status tables_init(gain_tables *tables, uint32_t pairs_max, double alpha, double beta, sy_error *err)
{
    gain_tables made = {SY_SIGN_TABLE_INIT, SY_SIGN_TABLE_INIT};
    sy_status status = sy_sign_table_init(&made.win, pairs_max, alpha, err);

    if (status == SY_OK)
        status = sy_sign_table_init(&made.stop, pairs_max, beta, err);
    if (status == SY_OK)
        *tables = made;
    else
        sy_sign_table_finish(&made.win);
    return status;
}

static void tables_finish(gain_tables *tables)
{
    sy_sign_table_finish(&tables->win);
    sy_sign_table_finish(&tables->stop);
}

sy_status sy_gain_resolution(uint32_t pairs_max, double alpha, double beta, double *ret_z, sy_error *err)
{
    gain_tables tables;
    double low = 0;
    double high = 40; /* Phi(40) is 1 in doubles */
    sy_status status = tables_init(&tables, pairs_max, alpha, beta, err);

    if (status != SY_OK)
        return status;
    if (pairs_max < sy_sign_least_cap(alpha)) {
        high = INFINITY;
        goto out;
    }
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;

        if (sy_sign_crossing_probability(&tables.win, &tables.stop, sy_gain_normal_cdf(middle)) >= SY_GAIN_POWER)
            high = middle;
        else
            low = middle;
    }
out:
    tables_finish(&tables);
    *ret_z = high;
    return SY_OK;
}

static sy_status cap_suffices(uint32_t pairs_max, double win_probability, double alpha, double beta, bool *ret_suffices,
                              sy_error *err)
{
    gain_tables tables;
    sy_status status = tables_init(&tables, pairs_max, alpha, beta, err);

    if (status != SY_OK)
        return status;
    *ret_suffices = sy_sign_crossing_probability(&tables.win, &tables.stop, win_probability) >= SY_GAIN_POWER;
    tables_finish(&tables);
    return SY_OK;
}

sy_status sy_gain_pairs_needed(double win_probability, double alpha, double beta, uint32_t *ret_pairs, sy_error *err)
{
    uint32_t low = 0; /* does not suffice */
    uint32_t high = 8;
    bool suffices = false;

    if (!(win_probability >= 0 && win_probability <= 1))
        return sy_fail(err, SY_INVALID_ARGUMENT, "a win probability of %g is outside 0..1", win_probability);
    for (;;) {
        sy_status status = cap_suffices(high, win_probability, alpha, beta, &suffices, err);

        if (status != SY_OK)
            return status;
        if (suffices)
            break;
        if (high == SY_SIGN_PAIRS_MAX) {
            *ret_pairs = 0;
            return SY_OK;
        }
        low = high;
        high = high * 2 < SY_SIGN_PAIRS_MAX ? high * 2 : SY_SIGN_PAIRS_MAX;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        sy_status status = cap_suffices(middle, win_probability, alpha, beta, &suffices, err);

        if (status != SY_OK)
            return status;
        if (suffices)
            high = middle;
        else
            low = middle;
    }
    *ret_pairs = high;
    return SY_OK;
}
