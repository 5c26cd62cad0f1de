#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The doctor: on this machine, on recorded ones, and on words that make no sense.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# put FOLDER PATH: stdin becomes a file of a recorded machine.
put() {
    mkdir -p "$1/$(dirname -- "$2")"
    cat >"$1/$2"
}

it 'this machine gets a verdict in a second or less'
run doctor --observe 0
expect_exit 0
expect_nothing_on err
expect_width 80
expect_says out 'This machine shows a gain of '
expect_says out 'timer '
expect_says out 'noise '

it 'the JSON form holds figures and checks'
run doctor --observe 0 --json
expect_exit 0
expect_nothing_on err
expect_json /schema steelyard.doctor/1
expect_json /max_pairs 60
expect_json /min_improvement 0.03
expect_members '' tool verdict first advice timer_step_ns timer_look_ns noise resolvable_gain target_gain alpha beta observed_ns
expect_json /checks/0/name timer
expect_members /checks/0 verdict value figure unit sentence remedy

it 'a recorded machine under load is told what to stop'
now=$work/now
later=$work/later
for folder in "$now" "$later"; do
    echo '0::/' | put "$folder" proc/self/cgroup
    echo 'Cpus_allowed_list: 0-1' | put "$folder" proc/self/status
    echo 'max 100000' | put "$folder" sys/fs/cgroup/cpu.max
done
put "$now" proc/stat <<'END'
cpu  100 0 100 1800 0 0 0 0
cpu0 50 0 50 900 0 0 0 0
cpu1 50 0 50 900 0 0 0 0
END
put "$later" proc/stat <<'END'
cpu  183 0 100 1917 0 0 0 0
cpu0 133 0 50 917 0 0 0 0
cpu1 50 0 50 1000 0 0 0 0
END
echo '4711 (python3) R 1 1 1 0 -1 4 1 0 0 0 10 0 0 0 20 0' | put "$now" proc/4711/stat
echo '4711 (python3) R 1 1 1 0 -1 4 1 0 0 0 93 0 0 0 20 0' | put "$later" proc/4711/stat
run doctor --root "$now" --later "$later"
expect_exit 0
expect_nothing_on err
expect_stdout <<'END'
What gain this machine can show is not known: nothing was measured.

Check       Verdict  What was found, and what it means
--------------------------------------------------------------------------------
timer       unknown  Only a running machine can be measured.
noise       unknown  Only a running machine can be measured.
switches    unknown  Only a running machine can be measured.
load        bad      others keep 0.83 of 2 processors busy, most by python3
                     (4711): 83 %. What runs beside takes time, caches and
                     memory bandwidth from what is measured. To do: python3
                     (4711) takes 83 % of a processor: stop it, or pin with
                     taskset -c 1.
pressure    unknown  The system does not tell.
steal       good     0.0 % now, 0.0 % since boot. No hypervisor takes processor
                     time away.
hypervisor  unknown  The system does not tell.
limit       good     2 of 2 processors (0-1), no quota. No control group cuts
                     this process short.
governor    unknown  The system does not tell, as in most virtual machines:
                     whoever runs them decides.
turbo       unknown  The system does not tell.
heat        unknown  The system does not tell.
power       unknown  The system does not tell.
smt         unknown  The system does not tell.
memory      unknown  The system does not tell.
swap        unknown  The system does not tell.
huge-pages  unknown  The system does not tell.
aslr        unknown  The system does not tell.
counters    unknown  The system does not tell.

Mend first: load: python3 (4711) takes 83 % of a processor: stop it, or pin with
  taskset -c 1.
END

it 'and so is a program'
run doctor --root "$now" --later "$later" --json
expect_exit 0
expect_json /verdict bad
expect_json /first load
expect_json /advice 'load: python3 (4711) takes 83 % of a processor: stop it, or pin with taskset -c 1'
expect_json /noise null
expect_json /checks/3/figure 0.83

it 'options that make no sense are refused'
run doctor now
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard doctor: 'now': doctor takes no words
  see: steelyard doctor --help
END
run doctor --later "$later"
expect_exit 2
expect_says err 'only with --root'
run doctor --root "$work/not-there"
expect_exit 2
expect_nothing_on out
expect_says err 'not-there: there is no such folder'
run doctor --root "$now" --later "$work/not-there"
expect_exit 2
run doctor --observe 3601
expect_exit 2
expect_nothing_on out

finish
