/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a job that choose differently deadlock or diverge. N processes, each with a store of its own as on N nodes,
 * compare 32 bytes before they start, and refuse when two differ, naming the rank, both digests and the first key that
 * differs. Usage: rank_digest STORE STORE...; exit 0 they agree, 1 they do not, 2 a rank failed. */
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/store.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DIGEST = 32, RANKS_MAX = 256, QUESTIONS = 3 };

/* What this job will ask for, in the same order on all ranks: all that its choices depend on, and nothing else. */
static const char *const operators[QUESTIONS] = {"attention", "convolution", "matmul"};
static const sy_property shape = {"dtype", "f16"};

static void ask(sy_lookup lookups[QUESTIONS])
{
    for (size_t i = 0; i < QUESTIONS; i++)
        lookups[i] = (sy_lookup){.key = {.backend = "cpu",
                                         .operator_name = operators[i],
                                         .implementation_version = "1",
                                         .structure = &shape,
                                         .structure_count = 1}};
}

/* What a rank sends to rank 0: the digest of all, and of each question, to name the one that differs. */
typedef struct report {
    uint8_t all[DIGEST];
    uint8_t each[QUESTIONS][DIGEST];
} report;

static sy_status look(const char *path, report *ret_report, sy_error *err)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_lookup lookups[QUESTIONS];
    sy_store *store = NULL;
    sy_layer_info info;

    ask(lookups);
    options.path = path;
    options.environment_layers = false;
    sy_status status = sy_store_open(&options, &store, err);
    if (!status)
        status = sy_store_layer(store, 0, &info, err);
    /* A rank whose file is damaged would go on without it: for one process right, for a job not. */
    if (!status && info.status != SY_OK && info.status != SY_NOT_FOUND) {
        snprintf(err->what, sizeof(err->what), "%s", info.message);
        status = info.status;
    }
    if (!status)
        status = sy_store_digest(store, lookups, QUESTIONS, ret_report->all, err);
    for (size_t i = 0; !status && i < QUESTIONS; i++)
        status = sy_store_digest(store, &lookups[i], 1, ret_report->each[i], err);
    sy_store_close(store);
    return status;
}

/* One rank: a process of its own. Under MPI this is the whole of it, and rank 0's loop below is
 *     MPI_Allreduce(digest, lowest, 32, MPI_UNSIGNED_CHAR, MPI_MIN, MPI_COMM_WORLD), and the same with MPI_MAX:
 * all agree where both are equal, on every rank, without rank 0. */
static int run_rank(int rank, const char *path, int out)
{
    report mine;
    sy_error err = SY_ERROR_INIT;

    if (look(path, &mine, &err)) {
        fprintf(stderr, "rank %d: %s\n", rank, err.what);
        return 2;
    }
    return write(out, &mine, sizeof(mine)) == (ssize_t)sizeof(mine) ? 0 : 2;
}

static void print_digest(const uint8_t digest[DIGEST])
{
    for (size_t i = 0; i < DIGEST; i++)
        fprintf(stderr, "%02x", digest[i]);
}

static bool agree(const report *first, const report *other, int rank)
{
    if (memcmp(first->all, other->all, DIGEST) == 0)
        return true;
    fprintf(stderr, "rank %d decides otherwise than rank 0: nothing is started\n  rank 0: ", rank);
    print_digest(first->all);
    fprintf(stderr, "\n  rank %d: ", rank);
    print_digest(other->all);
    for (size_t i = 0; i < QUESTIONS; i++) {
        if (memcmp(first->each[i], other->each[i], DIGEST) != 0) {
            fprintf(stderr, "\n  first at: cpu %s %s=%s\n", operators[i], shape.name, shape.value);
            break;
        }
    }
    return false;
}

static int start_rank(int rank, const char *path)
{
    int ends[2];

    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(run_rank(rank, path, ends[1]));
    }
    close(ends[1]);
    if (child < 0)
        close(ends[0]);
    return child < 0 ? -1 : ends[0];
}

int main(int argc, char **argv)
{
    int count = argc - 1;
    int from[RANKS_MAX];
    static report reports[RANKS_MAX];
    int code = 0;

    if (count < 2 || count > RANKS_MAX) {
        fprintf(stderr, "usage: rank_digest STORE STORE...\n");
        return 2;
    }
    for (int rank = 0; rank < count; rank++)
        from[rank] = start_rank(rank, argv[rank + 1]);
    for (int rank = 0; rank < count; rank++) {
        /* A report is smaller than a pipe's unit of writing: it comes whole or not at all. */
        if (from[rank] < 0 || read(from[rank], &reports[rank], sizeof(reports[rank])) != (ssize_t)sizeof(reports[rank]))
            code = 2;
        if (from[rank] >= 0)
            close(from[rank]);
    }
    while (wait(NULL) > 0)
        continue;
    if (code != 0)
        fprintf(stderr, "not all ranks could say what they would choose: nothing is started\n");
    for (int rank = 1; code == 0 && rank < count; rank++)
        code = agree(&reports[0], &reports[rank], rank) ? 0 : 1;
    if (code == 0)
        printf("%d ranks choose alike: starting\n", count);
    return code;
}
