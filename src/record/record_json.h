/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that the JSON of more than one result holds. */
#ifndef STEELYARD_RECORD_RECORD_JSON_H
#define STEELYARD_RECORD_RECORD_JSON_H

#include <steelyard/record.h>

#include "base/json.h"

/* The object `parity` of docs/formats.md, as a value. */
void sy_parity_write_json(sy_json_writer *writer, const sy_parity *parity);
/* The member `identity` of docs/formats.md. */
void sy_identity_write_json(sy_json_writer *writer, const sy_identity *identity);

#endif
