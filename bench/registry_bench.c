/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and validating a project's evidence files: the set below ROOT as it is, and a copy of it with its gates many
 * times over, beside Python's json.load of the same file in the same run. Each is done in a process of its own, for its
 * peak memory. registry_bench ROOT [COPIES [REPEATS]] */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <steelyard/registry.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

#define GATES_FILE "benchmarks/benchmark_registry.json"

enum { PATH_SIZE = 700 };

static char folder[] = "/tmp/steelyard-bench-XXXXXX";

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void need(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "registry_bench: %s\n", what);
        exit(1);
    }
}

static void check(sy_status status, const sy_error *err)
{
    need(status == SY_OK, status == SY_OK ? "" : err->what);
}

/* ---- the large set ---- */

/* Writes a value; a member named id of the outermost object gets a suffix. */
static void copy_value(sy_json_writer *writer, const sy_json_value *value, unsigned copy, bool outermost)
{
    if (value->kind == SY_JSON_OBJECT || value->kind == SY_JSON_ARRAY) {
        bool is_object = value->kind == SY_JSON_OBJECT;
        is_object ? sy_json_begin_object(writer) : sy_json_begin_array(writer);
        for (const sy_json_value *child = value->first; child != NULL; child = child->next) {
            if (is_object) {
                sy_json_name(writer, child->name);
            }
            if (outermost && is_object && copy > 0 && strcmp(child->name, "id") == 0) {
                char id[300];
                snprintf(id, sizeof id, "%s.copy-%u", child->text, copy);
                sy_json_text(writer, id);
            } else {
                copy_value(writer, child, copy, false);
            }
        }
        is_object ? sy_json_end_object(writer) : sy_json_end_array(writer);
    } else if (value->kind == SY_JSON_TEXT) {
        sy_json_text_sized(writer, value->text, value->text_length);
    } else if (value->kind == SY_JSON_NUMBER) {
        sy_json_double(writer, value->number);
    } else if (value->kind == SY_JSON_NULL) {
        sy_json_null(writer);
    } else {
        sy_json_bool(writer, value->kind == SY_JSON_TRUE);
    }
}

static size_t write_large(const char *root, unsigned copies, const char *to)
{
    char path[PATH_SIZE];
    char *bytes = NULL;
    size_t size = 0;
    sy_json *json = NULL;
    sy_text text = SY_TEXT_INIT;
    sy_error err;
    snprintf(path, sizeof path, "%s/%s", root, GATES_FILE);
    check(sy_file_read(path, 0, &bytes, &size, &err), &err);
    check(sy_json_parse(bytes, size, NULL, &json, &err), &err);
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    sy_json_begin_object(writer);
    for (const sy_json_value *member = sy_json_root(json)->first; member != NULL; member = member->next) {
        sy_json_name(writer, member->name);
        if (strcmp(member->name, "gates") != 0) {
            copy_value(writer, member, 0, false);
            continue;
        }
        sy_json_begin_array(writer);
        for (unsigned copy = 0; copy < copies; copy++) {
            for (const sy_json_value *gate = member->first; gate != NULL; gate = gate->next) {
                copy_value(writer, gate, copy, true);
            }
        }
        sy_json_end_array(writer);
    }
    sy_json_end_object(writer);
    check(sy_json_writer_finish(writer, &err), &err);
    check(sy_file_write(to, text.bytes, text.length, NULL, &err), &err);
    size = text.length;
    sy_text_finish(&text);
    sy_json_destroy(json);
    sy_free(bytes);
    return size;
}

/* ---- measuring ---- */

typedef struct outcome {
    double wall_s; /* the least of the repeats */
    double cpu_s;
    size_t findings;
    size_t notes;
    long peak_kib; /* of the process that did it */
} outcome;

static void open_and_list(const char *root, unsigned parts, outcome *to)
{
    sy_registry *registry = NULL;
    sy_finding_list list;
    sy_error err;
    double wall = seconds(CLOCK_MONOTONIC);
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    check(sy_registry_open(root, parts, &registry, &err), &err);
    check(sy_registry_findings(registry, &list, &err), &err);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    to->wall_s = to->wall_s == 0 || wall < to->wall_s ? wall : to->wall_s;
    to->cpu_s = to->cpu_s == 0 || cpu < to->cpu_s ? cpu : to->cpu_s;
    to->findings = list.finding_count;
    to->notes = list.note_count;
    sy_registry_close(registry);
}

static outcome measure(const char *root, unsigned parts, unsigned repeats)
{
    outcome found = {0};
    int ends[2];
    need(pipe(ends) == 0, "no pipe");
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "no process");
    if (child == 0) {
        struct rusage usage;
        for (unsigned i = 0; i < repeats; i++) {
            open_and_list(root, parts, &found);
        }
        getrusage(RUSAGE_SELF, &usage);
        found.peak_kib = usage.ru_maxrss;
        _exit(write(ends[1], &found, sizeof found) == (ssize_t)sizeof found ? 0 : 1);
    }
    close(ends[1]);
    need(read(ends[0], &found, sizeof found) == (ssize_t)sizeof found, "the measuring process died");
    close(ends[0]);
    waitpid(child, NULL, 0);
    return found;
}

static void print(const char *what, const outcome *found)
{
    printf("%-34s %9.2f ms wall %9.2f ms cpu %8.1f MiB  %zu findings, %zu notes\n", what, found->wall_s * 1e3,
           found->cpu_s * 1e3, (double)found->peak_kib / 1024, found->findings, found->notes);
}

/* Processor time of one json.load in an interpreter of its own; 0: no Python here. */
static double python_seconds(const char *path, unsigned repeats)
{
    char script[PATH_SIZE + 300];
    double best = 0;
    int ends[2];
    snprintf(script, sizeof script,
             "import json,time\nbest=9e9\nfor _ in range(%u):\n t=time.process_time()\n json.load(open('%s'))\n"
             " best=min(best,time.process_time()-t)\nprint(best)",
             repeats, path);
    need(pipe(ends) == 0, "no pipe");
    pid_t child = fork();
    need(child >= 0, "no process");
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execlp("python3", "python3", "-c", script, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char text[64] = "";
    ssize_t length = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    waitpid(child, NULL, 0);
    if (length > 0) {
        best = strtod(text, NULL);
    }
    return best;
}

static void run(const char *command, const char *from, const char *to)
{
    pid_t child = fork();
    int state = 0;
    need(child >= 0, "no process");
    if (child == 0) {
        execlp(command, command, "-r", from, to, (char *)NULL);
        _exit(127);
    }
    need(waitpid(child, &state, 0) == child && state == 0, command);
}

int main(int argc, char **argv)
{
    const char *root = argc > 1 ? argv[1] : "";
    unsigned copies = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000;
    unsigned repeats = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 5;
    char path[PATH_SIZE];
    char large[PATH_SIZE];
    need(argc > 1 && copies > 0 && repeats > 0, "usage: registry_bench ROOT [COPIES [REPEATS]]");

    outcome all = measure(root, SY_REGISTRY_ALL, repeats * 10);
    print("as it is, everything", &all);
    outcome gates = measure(root, SY_REGISTRY_GATES, repeats * 10);
    print("as it is, the gates", &gates);
    snprintf(path, sizeof path, "%s/%s", root, GATES_FILE);
    double small_python = python_seconds(path, repeats * 10);

    need(mkdtemp(folder) != NULL, "no temporary folder");
    snprintf(path, sizeof path, "%s/.", root);
    run("cp", path, folder);
    snprintf(large, sizeof large, "%s/%s", folder, GATES_FILE);
    (void)chmod(large, 0600);
    (void)unlink(large);
    size_t size = write_large(root, copies, large);
    printf("gates %u times over: %.1f MB\n", copies, (double)size / 1e6);
    outcome many = measure(folder, SY_REGISTRY_GATES, repeats);
    print("the gates", &many);
    outcome whole = measure(folder, SY_REGISTRY_ALL, repeats);
    print("everything", &whole);
    double python = python_seconds(large, repeats);
    if (python > 0) {
        printf("python3 json.load of the file alone: %.2f ms as it is, %.2f ms the large one, processor time\n",
               small_python * 1e3, python * 1e3);
        printf("gates read and validated in %.2f times that of the large one, everything in %.2f\n",
               many.cpu_s / python, whole.cpu_s / python);
    } else {
        printf("python3 is not here: no peer\n");
    }
    run("rm", folder, "-f");
    return 0;
}
