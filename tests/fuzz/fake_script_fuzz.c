/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a script of the fake backend: read or refused with an account, never a crash; a script that is accepted
 * also plays. */
#include <stdint.h>
#include <stdlib.h>

#include "backends/fake/fake_script.h"
#include "backends/fake/fake_time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void play(const sy_fake_script *script)
{
    sy_fake_time *time = NULL;
    sy_fake_run run;
    if (sy_fake_time_create(script, &time, NULL))
        return;
    for (uint32_t i = 0; i < 64; i++)
        (void)!sy_fake_time_next(time, i % (uint32_t)script->suite.implementation_count,
                                 i / 2 % (uint32_t)script->suite.case_count, &run, NULL);
    sy_fake_time_destroy(time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sy_fake_script *script = NULL;
    sy_error error = SY_ERROR_INIT;
    const sy_status status = sy_fake_script_parse(data, size, &script, &error);
    if (status != error.status || (status && error.what[0] == '\0'))
        abort(); /* a refusal without its account */
    if (!status)
        play(script);
    sy_fake_script_destroy(script);
    return 0;
}
