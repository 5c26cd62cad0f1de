/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as implementations: two or more commands are weighed like any operation, their outputs compared first. */
#ifndef STEELYARD_COMMAND_H
#define STEELYARD_COMMAND_H

#include <steelyard/suite.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The other end of a launcher path: starts one program for the process that started this one, and waits for it.
 * argv begins with the word "launcher". Returns the process's exit code. */
SY_API int sy_launcher_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
