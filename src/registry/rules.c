/* SPDX-License-Identifier: Apache-2.0 */
/* The rules as a table. */
#include "registry/rules.h"

#include <steelyard/registry.h>

static const struct {
    const char *id;
    const char *summary;
} rules[] = {
#define SY_RULE_ROW(name, id, summary) {id, summary},
    SY_RULE_LIST(SY_RULE_ROW)
#undef SY_RULE_ROW
};

#define RULE_COUNT (sizeof rules / sizeof rules[0])

const char *sy_rule_word(sy_rule_id rule)
{
    return (size_t)rule < RULE_COUNT ? rules[rule].id : "unknown";
}

bool sy_registry_rule(size_t index, const char **ret_id, const char **ret_summary)
{
    if (index >= RULE_COUNT) {
        return false;
    }
    *ret_id = rules[index].id;
    *ret_summary = rules[index].summary;
    return true;
}
