/* SPDX-License-Identifier: Apache-2.0 */
/* The library's version as it runs. */
#include <steelyard/base.h>

const char *sy_version(void)
{
    return SY_VERSION;
}
