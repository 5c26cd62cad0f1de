/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin is loaded in a process of its own first: one that crashes, hangs or ends its process does so where nothing
 * is lost. */
#include <string.h>

#include <steelyard/probe.h>

#include "base/error.h"
#include "base/process.h"
#include "probe/subject/wire.h"

#define PATIENCE_NS UINT64_C(20000000000)
#define LAST_WORDS_BYTES 4096

sy_status sy_plugin_check(const char *worker_path, const char *path, sy_error *err)
{
    const char *argv[] = {worker_path, "worker", "--check-plugin", path, NULL};
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_process_report report = {SY_PROCESS_RUNNING, 0, 0, 0, 0};
    sy_text words = SY_TEXT_INIT;
    sy_text errors = SY_TEXT_INIT;
    uint64_t deadline_ns = sy_clock_now(&sy_clock_system) + PATIENCE_NS;
    options.argv = argv;
    sy_status status = sy_process_run(&options, &sy_clock_system, deadline_ns, LAST_WORDS_BYTES, &words, &errors,
                                      &report, err);
    if (status == SY_TIMED_OUT)
        status = sy_fail(err, SY_TIMED_OUT, "plugin %s: it was not loaded within 20 s", path);
    else if (!status && !sy_text_equal(sy_text_bytes(&words), SY_PLUGIN_CHECKED)) {
        char end[64];
        const char *line = errors.length > 0 ? sy_text_bytes(&errors) : "";
        sy_process_describe_end(&report, end, sizeof end);
        status = sy_fail(err, SY_DIED, "plugin %s: the process that loaded it %s%s%.*s", path, end, line[0] ? ": " : "",
                         (int)strcspn(line, "\n"), line);
        sy_error_hint(err, "something in it runs when it is loaded: a constructor, or a library that it needs");
    }
    sy_text_finish(&words);
    sy_text_finish(&errors);
    return status;
}
