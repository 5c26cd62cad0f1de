/* SPDX-License-Identifier: Apache-2.0 */
/* What reading and lint share: a text of any format into a draft, and what is suspicious in a list of profiles. Private
 * to this folder. */
#ifndef STEELYARD_IMPORTERS_TUNING_INSIDE_H
#define STEELYARD_IMPORTERS_TUNING_INSIDE_H

#include "importers/tuning/tuning_readers.h"

/* Unpacks, finds the format and reads. bytes[size] is readable and 0. A file of ours only sets draft->format; its text,
 * unpacked, is then in *ret_own (to be freed, NULL: it was not packed). Errors as sy_tuning_parse's. */
sy_status sy_tuning_read_bytes(const char *bytes, size_t size, sy_tuning_draft *draft, char **ret_own, size_t *ret_size,
                               sy_error *err) SY_NODISCARD;

/* tuning_suspicions.c: rules that look at one profile alone, and at versions that are mixed. */
void sy_tuning_suspect_each(sy_tuning_draft *draft, const sy_tuned *list, size_t count);
/* tuning_sizes.c: a larger problem that is faster than a smaller one of its kind. SY_NO_MEMORY. */
sy_status sy_tuning_suspect_sizes(sy_tuning_draft *draft, const sy_tuned *list, size_t count,
                                  sy_error *err) SY_NODISCARD;

/* The time that a profile's winner took, in seconds; NaN = it does not say. */
double sy_tuning_seconds(const sy_profile *profile);

/* What a result owns besides its arena. */
typedef struct sy_tuning_owner {
    sy_arena *arena;
    sy_findings *findings;
    sy_tuned *list;
} sy_tuning_owner;
/* Moves them out of the draft, into its arena; sorts the findings. SY_NO_MEMORY. */
sy_status sy_tuning_own(sy_tuning_draft *draft, sy_tuning_owner **ret_owner, sy_finding_list *ret_findings,
                        sy_error *err) SY_NODISCARD;
void sy_tuning_disown(sy_tuning_owner *owner); /* NULL is allowed */

#endif
