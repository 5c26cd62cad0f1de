/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the draft share. Readers see import_draft.h. */
#ifndef STEELYARD_IMPORTERS_IMPORT_INSIDE_H
#define STEELYARD_IMPORTERS_IMPORT_INSIDE_H

#include <stdarg.h>

#include "importers/import/import_draft.h"

/* The items, copied into the arena; the list stays. NULL: draft->failed. */
void *sy_import_list_keep(sy_import_draft *draft, sy_import_list *list, size_t size);
/* A message of at most SY_IMPORT_MESSAGE_MAX bytes, kept; never NULL. */
const char *sy_import_message(sy_import_draft *draft, const char *format, va_list arguments) SY_PRINTF(2, 0);
void sy_import_named_add(sy_import_draft *draft, sy_import_list *list, const char *name, const char *value);
void sy_import_note_add(sy_import_draft *draft, sy_import_list *list, const char *format, va_list arguments)
    SY_PRINTF(3, 0);
void sy_import_reject_add(sy_import_draft *draft, sy_position position, const char *pointer, const char *format,
                          va_list arguments) SY_PRINTF(4, 0);

#endif
