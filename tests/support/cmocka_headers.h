/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers that it wants first. */
#ifndef STEELYARD_TESTS_CMOCKA_HEADERS_H
#define STEELYARD_TESTS_CMOCKA_HEADERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
