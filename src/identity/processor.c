/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc/cpuinfo says of the processor's design, on x86 and ARM, and as far as others use the same words. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "identity/facts.h"
#include "identity/tree.h"

/* The file is there, but this architecture's kernel does not say it. */
#define NOT_GIVEN "none given"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the description of the processor");
}

typedef struct span {
    const char *bytes;
    size_t length;
} span;

static int compare_spans(const void *a, const void *b)
{
    const span *x = a;
    const span *y = b;
    const size_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->bytes, y->bytes, shorter);
    if (order != 0)
        return order;
    return (x->length > y->length) - (x->length < y->length);
}

#define DISTINCT_MAX 16

/* Appends the different values that the processors have under `name`, sorted and joined by "+". */
static void append_distinct(const char *cpuinfo, const char *name, sy_text *text)
{
    span values[DISTINCT_MAX];
    size_t count = 0;
    size_t length = 0;
    const char *at = cpuinfo;
    const char *value;
    while (count < DISTINCT_MAX && (value = sy_tree_next_value(&at, name, &length)) != NULL) {
        const span found = {value, length};
        size_t i = 0;
        while (i < count && compare_spans(&values[i], &found) != 0)
            i++;
        if (i == count && length > 0)
            values[count++] = found;
    }
    if (count > 1)
        qsort(values, count, sizeof values[0], compare_spans);
    for (size_t i = 0; i < count; i++) {
        sy_text_append(text, i > 0 ? "+" : "");
        sy_text_append_bytes(text, values[i].bytes, values[i].length);
    }
}

/* One field of the identity and the names that architectures give it. */
typedef struct design_field {
    const char *name;
    const char *sources[4];
    bool key;
} design_field;

static const design_field design_fields[] = {
    {"cpu.vendor", {"vendor_id", "CPU implementer", "mvendorid", NULL}, true},
    {"cpu.family", {"cpu family", "CPU architecture", "cpu", NULL}, true},
    {"cpu.model", {"model", "CPU part", "uarch", NULL}, true},
    {"cpu.stepping", {"stepping", "CPU revision", "revision", NULL}, true},
    {"cpu.name", {"model name", "Model", NULL}, false},
    {"cpu.microcode", {"microcode", NULL}, false},
};

/* Adds what the first of the names gives that the file has; `absent` when it has none (NULL: no field then). */
static sy_status add_first(const char *cpuinfo, const char *const *sources, const char *name, bool key,
                           const char *absent, sy_identity_builder *builder, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; sources[i] != NULL && text.length == 0; i++)
        append_distinct(cpuinfo, sources[i], &text);
    const bool failed = text.failed;
    if (!failed && (text.length > 0 || absent != NULL))
        sy_identity_builder_add(builder, name, text.length > 0 ? sy_text_bytes(&text) : absent, key);
    sy_text_finish(&text);
    return failed ? no_memory(err) : SY_OK;
}

static sy_status add_design(const char *cpuinfo, sy_identity_builder *builder, sy_error *err)
{
    static const char *const variant[] = {"CPU variant", NULL}; /* ARM only: the major half of the revision */
    sy_status status = add_first(cpuinfo, variant, "cpu.variant", true, NULL, builder, err);
    for (size_t i = 0; i < sizeof design_fields / sizeof design_fields[0] && status == SY_OK; i++) {
        const design_field *field = &design_fields[i];
        status = add_first(cpuinfo, field->sources, field->name, field->key, NOT_GIVEN, builder, err);
    }
    return status;
}

/* ---- instruction sets ---- */

/* Instructions that numerical kernels are chosen by, as Linux names them; a '*' stands for any ending. The lists are
 * apart because names mean other things elsewhere: "sme" is matrices on ARM and memory encryption on x86. */
static const char *const x86_flags[] = {"amx*", "avx*", "bmi1",   "bmi2", "f16c",  "fma", "fma4",
                                        "gfni", "pni",  "popcnt", "sse*", "ssse3", "xop", NULL};
static const char *const arm_features[] = {"asimd*", "bf16",  "ebf16", "fphp",  "i8mm", "neon",  "sme", "sme_*",
                                           "sme2*",  "smeb*", "smef*", "smei*", "sve*", "vfpv4", NULL};
static const char *const z_features[] = {"vx*", NULL};

static bool flag_counts(const char *flag, const char *const *patterns)
{
    for (size_t i = 0; patterns[i] != NULL; i++)
        if (sy_text_matches(flag, patterns[i]))
            return true;
    return false;
}

#define FLAGS_MAX 1024

/* Splits the flags of the first processor at blanks, keeps those that count, sorted, each once, joined by commas. */
static void append_flags(const char *value, size_t length, const char *const *patterns, sy_text *text)
{
    span flags[FLAGS_MAX];
    size_t count = 0;
    for (size_t start = 0; start < length && count < FLAGS_MAX;) {
        size_t end = start;
        while (end < length && value[end] != ' ')
            end++;
        char flag[32];
        if (end > start && end - start < sizeof flag) {
            memcpy(flag, value + start, end - start);
            flag[end - start] = '\0';
            if (flag_counts(flag, patterns))
                flags[count++] = (span){value + start, end - start};
        }
        start = end + 1;
    }
    if (count > 1)
        qsort(flags, count, sizeof flags[0], compare_spans);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && compare_spans(&flags[i - 1], &flags[i]) == 0)
            continue;
        sy_text_append(text, text->length > 0 ? "," : "");
        sy_text_append_bytes(text, flags[i].bytes, flags[i].length);
    }
}

static sy_status add_flags(const char *cpuinfo, sy_identity_builder *builder, sy_error *err)
{
    static const struct {
        const char *name;
        const char *const *patterns;
    } sources[] = {{"flags", x86_flags}, {"Features", arm_features}, {"features", z_features}};
    sy_text text = SY_TEXT_INIT;
    const char *value = NULL;
    size_t length = 0;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0] && value == NULL; i++) {
        const char *at = cpuinfo;
        value = sy_tree_next_value(&at, sources[i].name, &length);
        if (value != NULL)
            append_flags(value, length, sources[i].patterns, &text);
    }
    if (value == NULL) {
        const char *at = cpuinfo;
        value = sy_tree_next_value(&at, "isa", &length); /* RISC-V: one word that says it all */
        if (value != NULL)
            sy_text_append_bytes(&text, value, length);
    }
    sy_identity_builder_add(builder, "cpu.isa", text.length > 0 ? sy_text_bytes(&text) : NOT_GIVEN, true);
    const bool failed = text.failed;
    sy_text_finish(&text);
    return failed ? no_memory(err) : SY_OK;
}

static bool runs_under_hypervisor(const char *cpuinfo)
{
    size_t length = 0;
    const char *value = sy_tree_next_value(&cpuinfo, "flags", &length);
    static const char word[] = "hypervisor";
    for (size_t i = 0; value != NULL && i + sizeof word - 1 <= length; i++)
        if (memcmp(value + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

static sy_status add_hypervisor(const char *root, const char *cpuinfo, sy_identity_builder *builder, sy_error *err)
{
    char *type = NULL;
    char *vendor = NULL;
    char *product = NULL;
    sy_status status = sy_tree_read_line(root, &type, err, "/sys/hypervisor/type");
    if (status == SY_OK)
        status = sy_tree_read_line(root, &vendor, err, "/sys/class/dmi/id/sys_vendor");
    if (status == SY_OK)
        status = sy_tree_read_line(root, &product, err, "/sys/class/dmi/id/product_name");
    if (status == SY_OK) {
        const bool virtual = type != NULL || runs_under_hypervisor(cpuinfo);
        if (vendor != NULL || product != NULL)
            sy_identity_builder_add_format(builder, "host.machine", false, "%s, %s",
                                           vendor != NULL ? vendor : "unknown vendor",
                                           product != NULL ? product : "unknown product");
        else
            sy_identity_builder_add(builder, "host.machine", NULL, false);
        sy_identity_builder_add(builder, "host.hypervisor", type != NULL ? type : (virtual ? "yes" : "none seen"),
                                false);
    }
    sy_free(type);
    sy_free(vendor);
    sy_free(product);
    return status;
}

sy_status sy_facts_add_processor(const char *root, sy_identity_builder *builder, sy_error *err)
{
    char *cpuinfo = NULL;
    sy_status status = sy_tree_read(root, &cpuinfo, err, "/proc/cpuinfo");
    if (status != SY_OK)
        return status;
    if (cpuinfo == NULL || cpuinfo[0] == '\0') {
        for (size_t i = 0; i < sizeof design_fields / sizeof design_fields[0]; i++)
            sy_identity_builder_add(builder, design_fields[i].name, NULL, design_fields[i].key);
        sy_identity_builder_add(builder, "cpu.isa", NULL, true);
        sy_identity_builder_add(builder, "host.hypervisor", NULL, false);
        sy_identity_builder_add(builder, "host.machine", NULL, false);
    } else {
        status = add_design(cpuinfo, builder, err);
        if (status == SY_OK)
            status = add_flags(cpuinfo, builder, err);
        if (status == SY_OK)
            status = add_hypervisor(root, cpuinfo, builder, err);
    }
    sy_free(cpuinfo);
    return status;
}
