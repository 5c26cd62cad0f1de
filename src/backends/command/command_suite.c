/* SPDX-License-Identifier: Apache-2.0 */
/* The commands as a suite: one implementation each, one case, a run that is a process, a receipt as its output. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/command/command_device.h"
#include "base/error.h"
#include "base/text.h"

typedef struct one_run {
    sy_command_device *device;
    uint32_t variant;
    sy_tensor *receipt;
} one_run;

/* The reference's first outputs are kept: the others are held against them. */
static sy_status keep_first(sy_command_device *device, const sy_command_receipt *receipt, sy_error *err)
{
    sy_command_variant *reference = &device->variants[0];
    if (receipt->variant != 0 || reference->verified || device->account.void_reason[0])
        return SY_OK;
    sy_status status = sy_command_keep_reference(device, err);
    if (status)
        return status;
    reference->verified = true;
    reference->digest = receipt->digest;
    reference->exit_code = receipt->exit_code;
    return SY_OK;
}

static sy_status run(void *state, sy_error *err)
{
    one_run *r = state;
    sy_command_receipt receipt;
    sy_status status = sy_command_job(r->device, r->variant, &receipt, err);
    if (!status)
        status = keep_first(r->device, &receipt, err);
    if (!status)
        status = sy_tensor_write(r->receipt, 0, &receipt, sizeof(receipt), err);
    return status;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    sy_tensor_desc desc = {.name = "receipt", .dtype = SY_U8, .rank = 1, .dims = {sizeof(sy_command_receipt)}};
    one_run *r = sy_graph_metadata(graph, sizeof(*r));
    const sy_command_device *device = user;
    (void)c;
    if (device->base.only && !sy_text_equal(device->base.only, device->variants[variant].name)) {
        sy_graph_unavailable(graph, "another one of the commands is run here");
        return SY_OK;
    }
    if (!r)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "the metadata of a command needs %zu bytes", sizeof(*r));
    r->device = user;
    r->variant = variant;
    sy_status status = sy_graph_output(graph, &desc, &r->receipt, err);
    if (!status)
        sy_graph_on_run(graph, run, NULL, r);
    return status;
}

static bool read_receipt(const sy_command_device *device, const sy_output *output, sy_command_receipt *ret_receipt)
{
    if (output->size != sizeof(*ret_receipt))
        return false;
    memcpy(ret_receipt, output->bytes, sizeof(*ret_receipt));
    return memcmp(ret_receipt->mark, SY_COMMAND_RECEIPT_MARK, sizeof(SY_COMMAND_RECEIPT_MARK)) == 0 &&
           ret_receipt->variant < device->variant_count;
}

/* The first outputs of a command are held against the reference's; later ones were, right after each run. */
static sy_status compare(void *user, const sy_output *reference, const sy_output *candidate, sy_parity *ret_parity,
                         sy_error *err)
{
    sy_command_device *device = user;
    sy_command_receipt r;
    sy_command_receipt c;
    if (!read_receipt(device, reference, &r) || !read_receipt(device, candidate, &c))
        return SY_OK; /* no run has made it: the figures say nothing, which is a failure */
    sy_command_variant *variant = &device->variants[c.variant];
    sy_parity parity = variant->parity;
    sy_status status = SY_OK;
    if (!variant->verified || c.variant == 0) {
        status = sy_command_check(device, c.variant, c.exit_code, &parity, err);
        if (status)
            return status;
        sy_digest_format(&c.digest, parity.digest);
        sy_digest_format(&device->variants[0].digest, parity.reference_digest);
        if (device->spec.input)
            sy_digest_format(&device->input_digest, parity.input_digest);
        variant->verified = parity.outcome == SY_PARITY_PASSED;
        variant->digest = c.digest;
        variant->exit_code = c.exit_code;
        variant->parity = parity;
    }
    *ret_parity = parity;
    return SY_OK;
}

static sy_status describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                          sy_error *err)
{
    sy_command_device *self = user;
    sy_implementation_info info = {0};
    (void)device;
    (void)err;
    (void)snprintf(info.version, sizeof(info.version), "sha256:%.16s", self->variants[variant].program_digest);
    (void)sy_text_copy(info.path, sizeof(info.path), self->variants[variant].resolved);
    self->described = variant; /* whose memory is asked for next */
    *ret_info = info;
    return SY_OK;
}

/* "run", or what the parameters are: "size=100 mode=fast". */
static const char *name_case(sy_command_device *device, const sy_command_parameter *parameters, size_t count)
{
    sy_text name = SY_TEXT_INIT;
    char quoted[256];
    for (size_t i = 0; i < count; i++)
        sy_text_append_format(&name, "%s%s=%s", i > 0 ? " " : "", parameters[i].name, parameters[i].value);
    sy_output_quote(sy_text_bytes(&name), name.length, 60, quoted, sizeof(quoted));
    bool failed = name.failed;
    sy_text_finish(&name);
    return failed ? NULL : sy_arena_copy_text(device->arena, quoted[0] ? quoted : "run");
}

sy_status sy_command_make_suite(sy_command_device *device, sy_error *err)
{
    sy_implementation *list = sy_arena_allocate(device->arena, device->variant_count, sizeof(*list));
    const char *name = name_case(device, device->spec.parameters, device->spec.parameter_count);
    if (!list || !name)
        return sy_fail(err, SY_NO_MEMORY, "no memory to make commands ready");
    for (uint32_t i = 0; i < device->variant_count; i++)
        list[i] = (sy_implementation){.name = device->variants[i].name,
                                      .role = i == 0 ? SY_ROLE_REFERENCE : SY_ROLE_CANDIDATE,
                                      .error_class = SY_CLASS_EXACT,
                                      .summary = device->variants[i].name,
                                      .how_to_get = ""};
    device->one_case = (sy_case){.name = name,
                                 .weight = 1,
                                 .quick = true,
                                 .dtype = SY_U8,
                                 .source = "the command line",
                                 .tolerance = {.absolute = 0, .relative = 0}};
    device->suite = (sy_suite){.struct_size = sizeof(sy_suite),
                               .operation = "command",
                               .version = "1",
                               .implementations = list,
                               .implementation_count = device->variant_count,
                               .cases = &device->one_case,
                               .case_count = 1,
                               .build = build,
                               .compare = compare,
                               .describe = describe,
                               .user = device,
                               .metric = device->metric.kind == SY_COMMAND_WALL ? NULL : &device->metric.metric,
                               .free_names = true,
                               .outputs_not_compared = device->spec.compare == SY_COMMAND_COMPARE_NONE};
    return SY_OK;
}
