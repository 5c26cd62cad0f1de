/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over the files of a corpus, without libFuzzer: each file whole, and each small one cut at every
 * byte, because a half-written file is the damage that really happens. It finds nothing new; that is the fuzzer's work.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SIZE_LIMIT_BYTES (16L * 1024 * 1024)
#define CUT_LIMIT_BYTES 2048

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input gets a block of its exact size, so that a read past its end is seen by the address checker. */
static bool run_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        return false;
    memcpy(exact, bytes, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return true;
}

static bool run_stream(FILE *stream)
{
    bool done = false;
    uint8_t *bytes = NULL;
    if (fseek(stream, 0, SEEK_END) != 0)
        return false;
    long end = ftell(stream);
    if (end < 0 || end > SIZE_LIMIT_BYTES || fseek(stream, 0, SEEK_SET) != 0)
        return false;
    size_t size = (size_t)end;
    bytes = malloc(size + 1);
    if (bytes == NULL || fread(bytes, 1, size, stream) != size || !run_bytes(bytes, size))
        goto out;
    for (size_t cut = 0; size <= CUT_LIMIT_BYTES && cut < size; cut++) {
        if (!run_bytes(bytes, cut))
            goto out;
    }
    done = true;
out:
    free(bytes);
    return done;
}

static bool run_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return false;
    bool done = run_stream(stream);
    if (fclose(stream) != 0)
        done = false;
    return done;
}

/* Adds the files that ran to *ret_files; the first that cannot be read ends the run and is named. */
static bool run_folder(const char *folder, size_t *ret_files)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    bool done = count >= 0;
    if (!done)
        perror(folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat status;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        if (!done || length < 0 || (size_t)length >= sizeof path || stat(path, &status) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        done = run_file(path);
        if (!done)
            fprintf(stderr, "cannot replay %s\n", path);
        *ret_files += done ? 1 : 0;
    }
    free(entries);
    return done;
}

int main(int argc, char **argv)
{
    size_t files = 0;
    for (int i = 1; i < argc; i++) {
        if (!run_folder(argv[i], &files))
            return 1;
    }
    printf("%zu corpus files replayed\n", files);
    if (files == 0)
        fprintf(stderr, "the corpus is empty: nothing was tested\n");
    return files > 0 ? 0 : 1;
}
