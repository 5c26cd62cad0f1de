/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that cannot be used safely, made unusable: the build puts this file in front of every file of the library
 * and the command. Headers that name them come first, for poison holds for all that follows. */
#ifndef STEELYARD_BASE_BANNED_H
#define STEELYARD_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Instead: sy_text_copy and the builder of base/text.h; snprintf; strcspn; base/process.h; base/clock.h; sy_parse_*. */
#pragma GCC poison strcpy stpcpy strcat sprintf vsprintf gets strtok system popen
#pragma GCC poison gmtime localtime asctime ctime atoi atol atoll atof

#endif
