// SPDX-License-Identifier: Apache-2.0
// The loop of spin_program.c under google-benchmark, for commands_bench: spin_google STEPS_A STEPS_B [flags].
#include <benchmark/benchmark.h>

#include <cstdlib>

static void spin(benchmark::State &state, unsigned long steps)
{
    for (auto _ : state) {
        volatile unsigned int chain = 1;

        for (unsigned long i = 0; i < steps; i++)
            chain = chain * 1664525u + 1013904223u;
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const unsigned long a = std::strtoul(argv[1], nullptr, 10);
    const unsigned long b = std::strtoul(argv[2], nullptr, 10);
    argv[2] = argv[0];
    argc -= 2;
    argv += 2;
    benchmark::Initialize(&argc, argv);
    benchmark::RegisterBenchmark("a", spin, a)->Unit(benchmark::kNanosecond)->UseRealTime();
    benchmark::RegisterBenchmark("b", spin, b)->Unit(benchmark::kNanosecond)->UseRealTime();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
