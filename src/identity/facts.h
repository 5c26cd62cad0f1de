/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of facts, each added to an identity by one function. root: "" for this machine, or a recorded tree. All return
 * SY_OK or SY_NO_MEMORY; what cannot be found out becomes "unknown". */
#ifndef STEELYARD_IDENTITY_FACTS_H
#define STEELYARD_IDENTITY_FACTS_H

#include "record/identity.h"

/* Key: cpu.vendor, cpu.family, cpu.model, cpu.stepping, cpu.isa. Recorded: cpu.name, cpu.microcode,
 * host.hypervisor, host.machine. */
sy_status sy_facts_add_processor(const char *root, sy_identity_builder *builder, sy_error *err) SY_NODISCARD;
/* Key: cpu.usable, cpu.kinds, cpu.cache.*, cpu.quota, cpu.limit. Recorded: cpu.usable.list, cpu.limit.source. */
sy_status sy_facts_add_allowance(const char *root, sy_identity_builder *builder, sy_error *err) SY_NODISCARD;
/* Key: env.NAME for each variable that makes a numerical library choose other kernels. environment: NULL-terminated
 * NAME=VALUE list. */
void sy_facts_add_environment(const char *const *environment, sy_identity_builder *builder);
/* True when the variable (NAME=VALUE or NAME) belongs into the key. */
bool sy_facts_variable_counts(const char *variable);
/* Recorded only: name, kernel, libc, compiler, governor, SMT, load, memory and the like. */
sy_status sy_facts_add_host(const char *root, sy_identity_builder *builder, sy_error *err) SY_NODISCARD;

#endif
