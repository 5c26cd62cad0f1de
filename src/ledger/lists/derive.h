/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the lists anew from the events. */
#ifndef STEELYARD_LEDGER_DERIVE_H
#define STEELYARD_LEDGER_DERIVE_H

#include "ledger/storage.h"

/* Puts the row of every run and all figures into a storage that has none of them, inside of its open transaction for
 * writing. Events that cannot be read or may not be are passed by: `ledger verify` tells of them. Errors of the
 * storage, SY_NO_MEMORY. */
sy_status sy_ledger_derive(const sy_storage *storage, void *state, sy_error *err) SY_NODISCARD;

#endif
