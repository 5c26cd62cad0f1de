/* SPDX-License-Identifier: Apache-2.0 */
/* The command table: picks the command that argv names and hands over. */
#include <stdio.h>
#include <steelyard/steelyard.h>

int main(void)
{
    return puts(sy_version()) < 0 ? 4 : 0;
}
