/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles to and from decimal digits, the same in every locale. What a text may look like is the caller's business. */
#ifndef STEELYARD_BASE_NUMBER_H
#define STEELYARD_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for any double in any form that is made here, terminator included. */
#define SY_NUMBER_TEXT 32

/* The end of the longest number at text: [-] digits [. digits] [e [+-] digits], where strict asks for JSON's grammar
 * (no leading zeros, digits on both sides of the point); else one side of the point may be empty. NULL when there is no
 * number. text ends at end. */
const char *sy_number_scan(const char *text, const char *end, bool strict);
/* The nearest double of length bytes that sy_number_scan accepted; infinite on overflow. text[length] must be readable,
 * and is a byte at which the scan ended. */
double sy_number_read(const char *text, size_t length);
/* The shortest decimal that reads back as the same finite double, terminated. Returns its length. */
size_t sy_number_write_shortest(double value, char to[SY_NUMBER_TEXT]);
/* Decimal digits of a whole number, terminated. Returns its length. */
size_t sy_number_write_whole(uint64_t magnitude, bool negative, char to[SY_NUMBER_TEXT]);
/* "%.17g" of a finite double. */
size_t sy_number_write_17(double value, char to[SY_NUMBER_TEXT]);

#endif
