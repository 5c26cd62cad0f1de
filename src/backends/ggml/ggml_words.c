/* SPDX-License-Identifier: Apache-2.0 */
/* What ggml says, which is standard error's unless somebody listens: it goes to the log sink, and its last error into
 * messages. */
#include <ggml.h>
#include <string.h>
#include <unistd.h>

#include "backends/ggml/ggml_device.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"

static sy_log_level level_of(enum ggml_log_level level)
{
    switch (level) {
    case GGML_LOG_LEVEL_ERROR:
        return SY_LOG_ERROR;
    case GGML_LOG_LEVEL_WARN:
        return SY_LOG_WARNING;
    case GGML_LOG_LEVEL_INFO:
        return SY_LOG_INFO;
    default:
        return SY_LOG_DEBUG;
    }
}

/* One line, or a piece of one: ggml ends lines itself. */
static void hear(enum ggml_log_level level, const char *text, void *user)
{
    sy_ggml_listener *listener = user;
    char line[160];
    (void)sy_text_copy(line, sizeof line, text);
    size_t length = strlen(line);
    while (length > 0 && (unsigned char)line[length - 1] <= ' ')
        line[--length] = '\0';
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = ' ';
    if (length == 0)
        return;
    sy_log(level_of(level), "ggml: %s", line);
    if (level == GGML_LOG_LEVEL_ERROR)
        (void)sy_text_copy(listener->error, sizeof listener->error, line);
}

void sy_ggml_listen(sy_ggml_listener *listener)
{
    ggml_log_callback before = NULL;
    listener->error[0] = '\0';
    ggml_log_get(&before, &listener->before_user);
    listener->before = (void (*)(void))before;
    ggml_log_set(hear, listener);
}

void sy_ggml_listen_end(sy_ggml_listener *listener)
{
    ggml_log_set((ggml_log_callback)listener->before, listener->before_user);
}

static void say_last_words(const char *message)
{
    (void)!sy_file_write_descriptor(STDERR_FILENO, "ggml: ", strlen("ggml: "), NULL);
    (void)!sy_file_write_descriptor(STDERR_FILENO, message, strlen(message), NULL);
    (void)!sy_file_write_descriptor(STDERR_FILENO, "\n", 1, NULL);
}

void sy_ggml_leave_last_words(void)
{
    (void)ggml_set_abort_callback(say_last_words);
}
