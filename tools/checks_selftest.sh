#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The checks of tools/checks/ must be able to fail: in a small project made for it, each is shown one thing that is
# wrong, and must pass again when that is put right.
set -eu
cd "$(dirname -- "$0")/.."
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
trap 'exit 1' HUP INT TERM
cp -R tools "$project/tools"
rm -rf "$project/tools/size_exceptions.txt"
cp .clang-format "$project/"
cd "$project"
git init -q .
mkdir -p src/base src/stats src/probe/rule src/backends/cpu src/backends/fake include/steelyard cli
cat >src/base/good.h <<'TEXT'
/* SPDX-License-Identifier: Apache-2.0 */
/* A header without fault. */
#ifndef GOOD_H
#define GOOD_H
#include <steelyard/base.h>
int good(int value);
#endif
TEXT
cat >src/base/good.c <<'TEXT'
/* SPDX-License-Identifier: Apache-2.0 */
/* A file without fault: system(3) and malloc( are named in a comment only. */
#include "base/good.h"

static const char text[] = "free (system(\"x\"))";

int good(int value)
{
    return value + text[0];
}
TEXT
printf '# SPDX-License-Identifier: Apache-2.0\nsteelyard_module(base\n  SOURCES good.c)\n' >src/base/CMakeLists.txt
printf '/* SPDX-License-Identifier: Apache-2.0 */\ntypedef int number;\n' >include/steelyard/base.h
# What is said of a check that is wrong; a file, because most of it is said at the end of a pipe.
wrong=$project/wrong
: >"$wrong"

passes() {
    if ! output=$("tools/checks/$1.sh" 2>&1); then
        printf '%s\n' "$1 fails on a project without fault:" "$output" >>"$wrong"
    fi
}

# fails CHECK FILE WHAT: the file's text comes from stdin; WHAT must stand in what the check says.
fails() {
    cat >"$2"
    if output=$("tools/checks/$1.sh" 2>&1); then
        printf '%s\n' "$1 does not see: $3 in $2" >>"$wrong"
    elif ! printf '%s\n' "$output" | grep -qF -- "$3"; then
        printf '%s\n' "$1 says something else than '$3': $output" >>"$wrong"
    fi
    rm "$2"
}

# file_with TEXT: a C file that only TEXT makes wrong.
file_with() {
    printf '/* SPDX-License-Identifier: Apache-2.0 */\n/* Wrong on purpose. */\n%s\n' "$1"
}

lines() {
    awk -v count="$1" 'BEGIN { for (i = 0; i < count; i++) print "    value++;" }'
}

for check in docs format headers includes lists scripts sizes words; do
    passes $check
done
echo 'see [this](src/none.md)' | fails docs WRONG.md 'the link src/none.md leads nowhere'
echo "see \`src/base/none.c\`." | fails docs WRONG.md 'there is no src/base/none.c'
echo "see \`src/base/text_test.c\` there_is_no_such_test." | fails docs WRONG.md 'has no test there_is_no_such_test'
printf '<!-- generated: check_table -->\nold\n<!-- end of check_table -->\n' | fails docs WRONG.md 'not up to date'
file_with 'int  wide;' | fails format src/base/wrong.h 'code should be clang-formatted'
file_with 'unknown_t missing(void);' | fails headers src/base/wrong.h 'does not compile alone: base/wrong.h'
file_with 'int class;' | fails headers include/steelyard/wrong.h 'does not compile alone: steelyard/wrong.h (clang++'
file_with '#include "stats/median.h"' | fails includes src/base/wrong.h 'base may not include "stats/median.h"'
file_with '#include "good.h"' | fails includes src/base/wrong.c 'include paths begin at src/'
file_with '#include <time.h>' | fails includes src/stats/wrong.c 'stats may not include <time.h>'
file_with '#include <steelyard/probe.h>' | fails includes src/base/wrong.c 'base may not include <steelyard/probe.h>'
file_with '#include <unistd.h>' | fails includes include/steelyard/record.h 'not <unistd.h>'
file_with '#include "backends/fake/script.h"' | fails includes src/backends/cpu/wrong.c 'backends/cpu may not include'
file_with '#include <ggml.h>' | fails includes src/backends/cpu/wrong.c '<ggml.h> belongs to src/backends/ggml'
file_with '#include "probe/probe_steps.h"' | fails includes src/probe/rule/wrong.c 'probe/rule may not include'
file_with '#include "base/good.h"' | fails includes cli/wrong.c 'cli sees <steelyard/...>'
file_with 'int alone;' | fails lists src/base/forgotten.c 'in no CMakeLists.txt'
file_with 'int alone;' | fails lists src/stats/good.h 'two files are named good.h'
# shellcheck disable=SC2016 # meant for the file
printf '#!/bin/sh\necho $unquoted\n' | fails scripts tools/wrong.sh SC2086
file_with "$(lines 510)" | fails sizes src/base/long.c '512 lines, more than 500'
file_with "$(printf 'void longer(int value)\n{\n'; lines 60; echo '}')" |
    fails sizes src/base/long.c 'longer has 62 lines, more than 60'
echo 'int bare;' | fails words src/base/wrong.h 'no SPDX line'
file_with 'char *place = "/ho''me/somebody/file";' | fails words src/base/wrong.c 'the path of one machine'
file_with '/* TO''DO later */' | fails words src/base/wrong.c 'a note to self'
file_with '#if 0' | fails words src/base/wrong.c 'dead code'
file_with 'void *block = malloc(3);' | fails words src/base/wrong.c 'the heap is reached'
file_with 'int length = sprintf(text, "x");' | fails words src/base/wrong.c 'a banned call'
file_with 'void speak(void) { puts("x"); }' | fails words src/base/wrong.c 'the library is silent'
file_with 'void end(void) { exit(1); }' | fails words src/base/wrong.c 'never ends the process'
file_with 'void *file = fopen("x", "w");' | fails words src/stats/wrong.c 'files are written through'
file_with 'int file = open("x", O_RDONLY | O_CREAT);' | fails words src/stats/wrong.c 'files are written through'
file_with 'char *home = getenv("HOME");' | fails words src/stats/wrong.c 'the environment is read'

# counts WHAT CODE: the count of the JUnit file on stdin.
counts() {
    code=0
    output=$(awk -f tools/count_tests.awk) || code=$?
    if [ "$output" != "$1" ] || [ $code != "$2" ]; then
        printf '%s\n' "tests counted wrongly, exit code $code: $output; expected exit code $2: $1" >>"$wrong"
    fi
}

counts 'skipped: one_test: b (no such device)
2 passed, 1 failed, 1 skipped' 1 <<'TEXT'
<testsuite name="(empty)" tests="2">
	<testcase name="one_test" classname="one_test" time="0" status="fail">
		<failure message=""/>
		<system-out>[==========] Running 3 test(s).
[ RUN      ] a
[       OK ] a
[ RUN      ] b
no such device
[  SKIPPED ] b
[ RUN      ] c
[  FAILED  ] c
[==========] 3 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] b

 1 SKIPPED TEST(S)
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] c

 1 FAILED TEST(S)
</system-out>
	</testcase>
	<testcase name="two" classname="two" time="0" status="run">
		<system-out></system-out>
	</testcase>
TEXT
counts '1 passed, 1 failed, 0 skipped' 1 <<'TEXT'
	<testcase name="leaks_at_its_end" classname="x" time="0" status="fail">
[==========] Running 1 test(s).
[==========] 1 test(s) run.
[  PASSED  ] 1 test(s).
	</testcase>
TEXT
counts 'skipped: alone (needs root)
0 passed, 0 failed, 1 skipped' 1 <<'TEXT'
	<testcase name="alone" classname="x" time="0" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out>needs root
</system-out>
	</testcase>
TEXT
counts '0 passed, 0 failed, 0 skipped' 1 </dev/null
cat "$wrong"
[ ! -s "$wrong" ]
