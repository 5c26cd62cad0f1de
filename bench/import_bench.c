/* SPDX-License-Identifier: Apache-2.0 */
/* Importing a large file of google-benchmark, beside Python's json.load of the same file in the same run, turn by turn;
 * each in a process of its own, for its processor time and peak memory. import_bench [MEGABYTES [REPEATS]], or
 * import_bench read FILE: reads it once, for a tool that counts instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <steelyard/import.h>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"

enum { REPETITIONS = 10, REPEATS_MAX = 101 };

typedef struct cost {
    double seconds; /* of the processor */
    double memory_bytes;
} cost;

static void need(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "import_bench: %s\n", what);
        exit(1);
    }
}

/* Benchmarks of ten repetitions with two counters each, as the tool prints them. */
static void make_file(sy_text *text, size_t size)
{
    sy_random random;

    sy_random_start(&random, 1, "import");
    sy_text_append(text,
                   "{\n  \"context\": {\n    \"date\": \"2026-11-29T23:43:21+00:00\",\n    \"host_name\": \"h\",\n"
                   "    \"library_build_type\": \"release\"\n  },\n  \"benchmarks\": [");
    for (unsigned i = 0; text->length < size; i++)
        sy_text_append_format(
            text,
            "%s\n    {\n      \"name\": \"BM_copy/bytes:%u/repeats:%d\",\n      \"family_index\": 0,\n"
            "      \"per_family_instance_index\": %u,\n"
            "      \"run_name\": \"BM_copy/bytes:%u/repeats:%d\",\n"
            "      \"run_type\": \"iteration\",\n      \"repetitions\": %d,\n"
            "      \"repetition_index\": %u,\n      \"threads\": 1,\n      \"iterations\": 1000,\n"
            "      \"real_time\": %.16e,\n      \"cpu_time\": %.16e,\n      \"time_unit\": \"ns\",\n"
            "      \"bytes_per_second\": %.16e,\n      \"items_per_second\": %.16e\n    }",
            i == 0 ? "" : ",", i / REPETITIONS, REPETITIONS, i / REPETITIONS, i / REPETITIONS, REPETITIONS, REPETITIONS,
            i % REPETITIONS, sy_random_unit(&random) * 1e3, sy_random_unit(&random) * 1e3,
            sy_random_unit(&random) * 1e10, sy_random_unit(&random) * 1e9);
    sy_text_append(text, "\n  ]\n}\n");
    need(!text->failed, "no memory for the file");
}

static int read_file(const char *path)
{
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_import_read(path, NULL, &imported, &err) != SY_OK) {
        fprintf(stderr, "import_bench: %s\n", err.what);
        return 1;
    }
    if (imported->row_count == 0 || imported->reject_count > 0)
        return 1;
    sy_imported_destroy(imported);
    return 0;
}

static cost run(bool python, const char *path)
{
    struct rusage usage;
    int status = 1;
    pid_t child = fork();

    need(child >= 0, "no child process");
    if (child == 0 && python)
        execlp("python3", "python3", "-c", "import json, sys; json.load(open(sys.argv[1]))", path, (char *)NULL);
    if (child == 0)
        _exit(python ? 127 : read_file(path));
    need(wait4(child, &status, 0, &usage) == child && status == 0, python ? "python3 failed" : "the import failed");
    return (cost){(double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                      ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e-6,
                  (double)usage.ru_maxrss * 1024};
}

static int compare_seconds(const void *left, const void *right)
{
    double a = ((const cost *)left)->seconds;
    double b = ((const cost *)right)->seconds;

    return (a > b) - (a < b);
}

static cost median(cost *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, compare_seconds);
    return list[count / 2];
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/steelyard-import-XXXXXX";
    double megabytes = argc > 1 ? strtod(argv[1], NULL) : 50;
    int repeats = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
    static cost ours[REPEATS_MAX];
    static cost theirs[REPEATS_MAX];
    sy_text text = SY_TEXT_INIT;
    sy_error err = SY_ERROR_INIT;
    int descriptor;
    size_t size;
    cost a;
    cost b;

    if (argc == 3 && strcmp(argv[1], "read") == 0)
        return read_file(argv[2]);
    need(megabytes > 0 && repeats > 0 && repeats <= REPEATS_MAX, "usage: import_bench [MEGABYTES [REPEATS]]");
    make_file(&text, (size_t)(megabytes * 1e6));
    descriptor = mkstemp(path);
    need(descriptor >= 0 && sy_file_write_descriptor(descriptor, text.bytes, text.length, &err) == SY_OK,
         "the file cannot be written");
    size = text.length;
    sy_text_finish(&text); /* the processes that are forked would seem to need it */
    for (int i = 0; i < repeats; i++) {
        ours[i] = run(false, path);
        theirs[i] = run(true, path);
    }
    a = median(ours, repeats);
    b = median(theirs, repeats);
    printf("%zu bytes of google-benchmark, median of %d, processor time in a process of its own\n", size, repeats);
    printf("sy_import_read     %.3f s  %.0f MB/s  %.0f MiB at most\n", a.seconds, (double)size / a.seconds / 1e6,
           a.memory_bytes / 1048576);
    printf("python3 json.load  %.3f s  %.0f MB/s  %.0f MiB at most\n", b.seconds, (double)size / b.seconds / 1e6,
           b.memory_bytes / 1048576);
    printf("import / json.load = %.2f\n", a.seconds / b.seconds);
    close(descriptor);
    unlink(path);
    return 0;
}
