/* SPDX-License-Identifier: Apache-2.0 */
/* The process's log sink and the one way to it. Prints nothing itself. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "base/text.h"

static pthread_mutex_t sink_mutex = PTHREAD_MUTEX_INITIALIZER;
static sy_log_fn sink_function;
static void *sink_user;
static atomic_bool sink_installed; /* so that a message without a sink costs one load */
static _Thread_local bool inside_sink;

void sy_log_set_sink(sy_log_fn sink, void *user)
{
    pthread_mutex_lock(&sink_mutex);
    sink_function = sink;
    sink_user = user;
    atomic_store(&sink_installed, sink != NULL);
    pthread_mutex_unlock(&sink_mutex);
}

void sy_log(sy_log_level level, const char *format, ...)
{
    /* A sink whose own work logs would wait for itself: such a message is dropped. */
    if (!atomic_load(&sink_installed) || inside_sink) {
        return;
    }
    char whole[2048];
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    sy_format_list(whole, sizeof whole, format, arguments);
    va_end(arguments);
    sy_text_copy(message, sizeof message, whole);
    pthread_mutex_lock(&sink_mutex);
    if (sink_function != NULL) {
        inside_sink = true;
        sink_function(sink_user, level, message);
        inside_sink = false;
    }
    pthread_mutex_unlock(&sink_mutex);
}
