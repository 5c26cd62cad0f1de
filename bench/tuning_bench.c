/* SPDX-License-Identifier: Apache-2.0 */
/* What it costs to read a tuner's file, for callgrind and for time: `tuning_bench make N` prints a file of TunableOp
 * with N problems; `tuning_bench plain|import|lint FILE` reads it in that way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/tuning.h>

static int make(unsigned long count)
{
    printf("Validator,PT_VERSION,2.4.0\nValidator,ROCM_VERSION,6.0.0.0-91-08e5094\nValidator,GCN_ARCH_NAME,gfx942\n");
    for (unsigned long i = 0; i < count; i++) {
        unsigned long m = 64 * (1 + i % 97);
        unsigned long n = 1 + i / 97 % 64;
        unsigned long k = 64 * (1 + i / (97 * 64));

        printf("GemmTunableOp_Half_TN,tn_%lu_%lu_%lu,Gemm_Hipblaslt_TN_%lu,%.7g\n", m, n, k, 10000 + i % 12345,
               1e-9 * (double)m * (double)n * (double)k + 0.004);
    }
    return 0;
}

/* The least that a reader can do: all bytes into memory, and one look at each. */
static int read_plain(const char *path)
{
    static char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    unsigned long lines = 0;
    size_t size;

    if (file == NULL)
        return 1;
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0) {
        for (size_t i = 0; i < size; i++)
            lines += bytes[i] == '\n';
    }
    printf("%lu lines\n", lines);
    return fclose(file);
}

static int fail(const char *path, const sy_error *err)
{
    fprintf(stderr, "%s: %s\n", path, err->what);
    return 1;
}

static int import(const char *path)
{
    sy_tuning *tuning = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_tuning_read(path, NULL, &tuning, &err) != SY_OK)
        return fail(path, &err);
    printf("%zu profiles\n", tuning->count);
    sy_tuning_destroy(tuning);
    return 0;
}

static int lint(const char *path)
{
    sy_tuning_lint *result = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_tuning_lint_file(path, NULL, &result, &err) != SY_OK)
        return fail(path, &err);
    printf("%zu findings\n", result->finding_total);
    sy_tuning_lint_destroy(result);
    return 0;
}

int main(int argc, char **argv)
{
    const char *verb = argc == 3 ? argv[1] : "";

    if (strcmp(verb, "make") == 0)
        return make(strtoul(argv[2], NULL, 10));
    if (strcmp(verb, "plain") == 0)
        return read_plain(argv[2]);
    if (strcmp(verb, "import") == 0)
        return import(argv[2]);
    if (strcmp(verb, "lint") == 0)
        return lint(argv[2]);
    fprintf(stderr, "usage: tuning_bench make N | plain FILE | import FILE | lint FILE\n");
    return 2;
}
