/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries would do the work that a run is about, as far as this program knows the operation. */
#ifndef STEELYARD_EVIDENCE_SOFTWARE_H
#define STEELYARD_EVIDENCE_SOFTWARE_H

#include <steelyard/base.h>

/* The digest of sy_suite_software for that operation on a device of the host's processors; "" where the device is
 * another one, for which a driver would have to be loaded, or no operation of that name comes with it. SY_NO_MEMORY. */
sy_status sy_software_digest(const char *device, const char *operation, char ret_digest[65],
                             sy_error *err) SY_NODISCARD;

#endif
