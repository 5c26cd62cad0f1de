/* SPDX-License-Identifier: Apache-2.0 */
/* What a secret key is, for the files of this folder. */
#ifndef STEELYARD_STORE_SECRET_KEY_H
#define STEELYARD_STORE_SECRET_KEY_H

#include <steelyard/sharing.h>

#include "base/signing.h"

struct sy_secret_key {
    uint8_t seed[SY_SEED_BYTES];
    uint8_t secret[SY_SECRET_BYTES];
    sy_public_key public_half;
};

#endif
