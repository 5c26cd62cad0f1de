/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people type them. Whole strings only: no spaces, no hexadecimal, no "inf"; '.' is the decimal point. */
#ifndef STEELYARD_CLI_ARGUMENT_NUMBER_H
#define STEELYARD_CLI_ARGUMENT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Each returns false, leaving its output untouched, when the text is not such a number or does not fit. */
bool cli_number_double(const char *text, double *ret_value);
bool cli_number_whole(const char *text, uint64_t *ret_value);
/* A whole number with an optional unit, kB MB GB TB (powers of 1000) or KiB MiB GiB TiB (powers of 1024). */
bool cli_number_bytes(const char *text, uint64_t *ret_bytes);
/* Seconds with a fraction, up to 1e9, as nanoseconds; rounded to the nearest. */
bool cli_number_seconds(const char *text, uint64_t *ret_ns);

#endif
