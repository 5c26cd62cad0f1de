/* SPDX-License-Identifier: Apache-2.0 */
/* A program of known length for commands_bench: spin_program STEPS runs so many dependent steps, which no compiler can
 * shorten; "forever" never ends; "steps MS" prints how many steps take so many milliseconds here, the median of nine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void spin(unsigned long steps)
{
    volatile unsigned int chain = 1;

    for (unsigned long i = 0; i < steps; i++)
        chain = chain * 1664525u + 1013904223u;
}

static double seconds_of(unsigned long steps)
{
    struct timespec from;
    struct timespec to;

    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    spin(steps);
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

static unsigned long steps_of(double milliseconds)
{
    const unsigned long tried = 2000000;
    double seconds[9];

    for (int i = 0; i < 9; i++)
        seconds[i] = seconds_of(tried);
    qsort(seconds, 9, sizeof seconds[0], ascending);
    return (unsigned long)((double)tried * milliseconds / 1000 / seconds[4]);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "steps") == 0) {
        printf("%lu\n", steps_of(strtod(argv[2], NULL)));
        return 0;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: spin_program STEPS|forever|steps MS\n");
        return 2;
    }
    for (; strcmp(argv[1], "forever") == 0;)
        spin(1000000);
    spin(strtoul(argv[1], NULL, 10));
    puts("done");
    return 0;
}
