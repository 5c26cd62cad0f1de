/* SPDX-License-Identifier: Apache-2.0 */
/* Runs git and says how it ended. What its answers mean is for source.c. */
#include "evidence/source/git.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"

enum { WORDS_MAX = 40, MESSAGE_LIMIT_BYTES = 64 * 1024 };

/* Messages in English, no question to a person, no lock, no look at a server for objects that are missing here. */
static const char *const own_variables[] = {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
                                            "GIT_NO_LAZY_FETCH=1"};
enum { OWN_COUNT = sizeof own_variables / sizeof own_variables[0] };

sy_status sy_git_init(sy_git *git, const char *program, const char *folder, const sy_clock *clock, uint64_t deadline_ns,
                      sy_error *err)
{
    size_t count = 0;
    for (char **at = environ; at != NULL && *at != NULL; at++) {
        count++;
    }
    const char **environment = sy_allocate(count + OWN_COUNT + 1, sizeof *environment);
    if (environment == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the surroundings of git");
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!sy_text_begins(environ[i], "GIT_") && !sy_text_begins(environ[i], "LC_ALL=")) {
            environment[kept++] = environ[i];
        }
    }
    memcpy(environment + kept, own_variables, sizeof own_variables);
    *git = (sy_git){program, folder, environment, clock, deadline_ns};
    return SY_OK;
}

void sy_git_finish(sy_git *git)
{
    sy_free(git->environment);
    git->environment = NULL;
}

/* git's own words before the question: nothing that a repository's settings name is run, and paths stay as they are. */
static size_t put_common_words(const char **argv, const char *program, const char *folder)
{
    const char *const common[] = {program,
                                  "--no-optional-locks",
                                  "--no-pager",
                                  "-c",
                                  "core.fsmonitor=false",
                                  "-c",
                                  "core.quotePath=false",
                                  "-c",
                                  "core.untrackedCache=false",
                                  "-c",
                                  "submodule.recurse=false",
                                  "-C",
                                  folder};
    memcpy(argv, common, sizeof common);
    return sizeof common / sizeof common[0];
}

sy_status sy_git_ask(const sy_git *git, const char *folder, const char *const *words, size_t limit_bytes,
                     sy_git_answer *ret_answer, sy_error *err)
{
    const char *argv[WORDS_MAX];
    size_t count = put_common_words(argv, git->program, folder != NULL ? folder : git->folder);
    for (; *words != NULL; words++) {
        if (count + 1 >= WORDS_MAX) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "too many words for git");
        }
        argv[count++] = *words;
    }
    argv[count] = NULL;
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    options.argv = argv;
    options.environment = git->environment;
    sy_process_report report = {0};
    sy_error error = SY_ERROR_INIT;
    uint64_t deadline = sy_clock_now(git->clock) + git->deadline_ns;
    *ret_answer = (sy_git_answer){.text = SY_TEXT_INIT, .message = SY_TEXT_INIT};
    sy_status status = sy_process_run(&options, git->clock, deadline, limit_bytes, &ret_answer->text,
                                      &ret_answer->message, &report, &error);
    if (status == SY_NO_MEMORY) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for an answer of git");
    }
    if (status == SY_TIMED_OUT) {
        ret_answer->end = SY_GIT_TOO_SLOW;
    } else if (status != SY_OK) {
        ret_answer->end = SY_GIT_ABSENT;
    } else {
        bool good = report.end == SY_PROCESS_EXITED && report.code == 0;
        ret_answer->end = !good ? SY_GIT_SAID_NO : ret_answer->text.failed ? SY_GIT_TOO_LONG : SY_GIT_ANSWERED;
        ret_answer->code = report.end == SY_PROCESS_EXITED ? report.code : -1;
    }
    return SY_OK;
}

void sy_git_answer_finish(sy_git_answer *answer)
{
    sy_text_finish(&answer->text);
    sy_text_finish(&answer->message);
}
