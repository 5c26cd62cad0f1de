/* SPDX-License-Identifier: Apache-2.0 */
/* The coverage document: every gate, measurement and runbook as Markdown, byte for byte as it must stand in its file.
 */
#ifndef STEELYARD_REGISTRY_GATE_COVERAGE_H
#define STEELYARD_REGISTRY_GATE_COVERAGE_H

#include "base/text.h"
#include "registry/gates/gates.h"

/* Appends the document. What could not be read is left out or shown as "n/a". False: no memory. */
bool sy_coverage_append(sy_registry *registry, const sy_gates_part *part, sy_text *to);
/* Holds the file that the settings name against it. False: no memory. */
bool sy_coverage_check(sy_registry *registry, const sy_gates_part *part);

#endif
