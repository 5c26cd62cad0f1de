/* SPDX-License-Identifier: Apache-2.0 */
/* The part of `profile import` and `profile export` that is about our own format: what is handed on, signed, verified.
 */
#ifndef STEELYARD_CLI_PROFILE_SHARE_H
#define STEELYARD_CLI_PROFILE_SHARE_H

#include "command_profile.h"

/* Whether an import is of our own format: its first word says so, or a key to verify with is given. */
bool cli_profile_shares(const cli_profile_call *call);
/* Imports the files behind the first word, all of them or none. The store is open. */
sy_status cli_profile_import_shared(cli_profile_call *call, sy_error *err) SY_NODISCARD;
/* The proven profiles as text of that format, signed if --signed is given. The caller frees it with sy_text_free. */
sy_status cli_profile_export_shared(cli_profile_call *call, uint32_t format, char **ret_text,
                                    sy_error *err) SY_NODISCARD;

#endif
