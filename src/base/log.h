/* SPDX-License-Identifier: Apache-2.0 */
/* Sending a message to the sink that steelyard/base.h installs. */
#ifndef STEELYARD_BASE_LOG_H
#define STEELYARD_BASE_LOG_H

#include <steelyard/base.h>

/* Formats (at most 1023 bytes) and hands over, one message at a time in the process. Costs nothing without a sink. */
void sy_log(sy_log_level level, const char *format, ...) SY_PRINTF(2, 3);

#endif
