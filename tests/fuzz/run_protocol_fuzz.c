/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what a command says by the line protocol: every line is taken, rejected or dropped; nothing passes its
 * limit; what is kept is fit for a terminal; and where the bytes are cut does not matter. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "evidence/lines/run_protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const sy_protocol_limits limits = {
    .lines = 200, .bytes = 100000, .series = 5, .samples = 50, .statements = 3, .artifacts = 2};

static void check_text(const char *text)
{
    size_t left = strlen(text);
    for (size_t step = 1; left > 0; text += step, left -= step) {
        step = sy_text_character_length(text, left);
        if (step == 0 || ((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
            abort();
    }
}

static void check_account(const sy_protocol_account *account)
{
    if (account->series_count > limits.series || account->sample_count > limits.samples ||
        account->parity_count > limits.statements || account->memory_count > limits.statements ||
        account->note_count > limits.statements || account->digest_count > limits.statements ||
        account->file_count > limits.artifacts || account->reject_count > SY_PROTOCOL_REJECTS)
        abort();
    if (account->rejected_count + account->dropped_count > account->line_count ||
        (account->dropped_count > 0) != (account->limit[0] != '\0'))
        abort();
    uint64_t samples = 0;
    for (size_t i = 0; i < account->series_count; i++) {
        samples += account->series[i].count;
        check_text(account->series[i].name);
        check_text(account->series[i].unit);
        check_text(account->series[i].case_name);
        check_text(account->series[i].implementation);
        for (size_t k = 0; k < account->series[i].count; k++)
            if (account->series[i].samples[k] - account->series[i].samples[k] != 0 &&
                account->series[i].samples[k] == account->series[i].samples[k])
                abort(); /* an infinity */
    }
    if (samples != account->sample_count)
        abort();
    for (size_t i = 0; i < account->parity_count; i++) {
        check_text(account->parities[i].reason);
        if (account->parities[i].outcome == SY_RUN_PARITY_PASSED && account->parities[i].error_in_tolerances > 1)
            abort();
    }
    for (size_t i = 0; i < account->note_count; i++)
        check_text(account->notes[i]);
    for (size_t i = 0; i < account->file_count; i++)
        check_text(account->files[i].path);
    for (size_t i = 0; i < account->reject_count; i++) {
        check_text(account->rejects[i].text);
        check_text(account->rejects[i].cause);
    }
}

static sy_protocol *read_all(const uint8_t *data, size_t size, size_t step, sy_protocol_account *ret_account)
{
    sy_protocol *protocol = sy_protocol_create(&limits);
    if (protocol == NULL)
        abort();
    for (size_t at = 0; at < size; at += step) {
        if (sy_protocol_feed(protocol, data + at, size - at < step ? size - at : step, NULL) != SY_OK)
            abort();
    }
    if (sy_protocol_finish(protocol, ret_account, NULL) != SY_OK)
        abort();
    check_account(ret_account);
    return protocol;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sy_protocol_account whole;
    sy_protocol_account cut;
    sy_protocol *first = read_all(data, size, size + 1, &whole);
    sy_protocol *second = read_all(data, size, 3, &cut);
    if (whole.line_count != cut.line_count || whole.rejected_count != cut.rejected_count ||
        whole.dropped_count != cut.dropped_count || whole.sample_count != cut.sample_count ||
        strcmp(whole.limit, cut.limit) != 0)
        abort();
    sy_protocol_destroy(first);
    sy_protocol_destroy(second);
    return 0;
}
