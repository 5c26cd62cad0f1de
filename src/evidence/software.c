/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the processor's own backend for the libraries of an operation. */
#include "evidence/software.h"

#include <steelyard/suite.h>
#include <string.h>

#include "base/error.h"

sy_status sy_software_digest(const char *device, const char *operation, char ret_digest[65], sy_error *err)
{
    sy_device *opened = NULL;
    const sy_suite *suite = NULL;
    char digest[65] = "";
    if (strcmp(device, "cpu") == 0 && operation[0] != '\0') {
        sy_status status = sy_device_open(device, NULL, &opened, NULL);
        if (status == SY_OK) {
            status = sy_device_suite(opened, operation, &suite, NULL);
        }
        if (status == SY_OK) {
            status = sy_suite_software(opened, suite, digest, NULL);
        }
        sy_device_close(opened);
        if (status == SY_NO_MEMORY) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for the software of a run");
        }
    }
    memcpy(ret_digest, digest, sizeof digest);
    return SY_OK;
}
