/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run of a gate will be: the device as this build's backends list it, and who measures. */
#ifndef STEELYARD_EVIDENCE_PLACE_H
#define STEELYARD_EVIDENCE_PLACE_H

#include <steelyard/identity.h>
#include <steelyard/run.h>

#include "base/arena.h"

/* device: as it is asked for ("cpu", "ggml:Vulkan0"), a backend's name stands for its first one; one that no backend of
 * ours has is taken as it is named. said:
 * what a person says of it: 1 = a physical device, 0 = software, -1 = nothing. machine: "" = this one, else a folder of
 * recorded trees. Texts live in the arena, as long as *ret_identity, which the caller destroys, or as long as what was
 * handed in. SY_NO_MEMORY. */
sy_status sy_place_find(const char *backend, const char *device, int said, const char *machine, sy_arena *arena,
                        sy_run_place *ret_place, sy_identity **ret_identity, sy_error *err) SY_NODISCARD;

/* What the lease of a device is called: devices whose work the host's processors do are one, "cpu"; else its name. */
const char *sy_place_lease_name_of(const sy_device_info *device);
/* The same of a device by its name, as sy_place_find knows it: *ret_name is "cpu", or device itself. SY_NO_MEMORY. */
sy_status sy_place_lease_name(const char *device, const char **ret_name, sy_error *err) SY_NODISCARD;

#endif
