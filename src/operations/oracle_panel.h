/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loop of oracles that are sums of products: one row of doubles against a panel of them. What the panel holds
 * is each operation's business. */
#ifndef STEELYARD_OPERATIONS_ORACLE_PANEL_H
#define STEELYARD_OPERATIONS_ORACLE_PANEL_H

#include <stdint.h>

enum {
    SY_ORACLE_COLUMNS = 64, /* of a panel */
    SY_ORACLE_TERMS = 128   /* of a panel: 64 KiB, which stays in a second-level cache */
};

typedef struct sy_oracle_panel {
    double right[SY_ORACLE_TERMS][SY_ORACLE_COLUMNS]; /* beyond what was put there: leftovers, never read as sums */
    double left[SY_ORACLE_TERMS];
    double value[SY_ORACLE_COLUMNS];
    double scale[SY_ORACLE_COLUMNS];
} sy_oracle_panel;

/* Adds the products left[k] * right[k][j] of `terms` terms, k ascending, to each column's value, and their absolute
 * values to its scale. */
typedef void (*sy_oracle_add_fn)(sy_oracle_panel *panel, int64_t terms);

/* The quickest that this processor has; all of them give the same bits. */
sy_oracle_add_fn sy_oracle_add_here(void);

#endif
