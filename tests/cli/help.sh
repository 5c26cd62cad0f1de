#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# help, version, man pages, completion, unknown commands and options.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

it 'no command is a usage error that says how to start'
run
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard: no command is given
  all commands: steelyard help; to start: steelyard probe matmul --cases quick
END

it 'a mistyped command is answered with the one that was meant'
run porbe matmul
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard: 'porbe' is not a command
  did you mean: steelyard probe
END

it 'a word that is near to nothing is not guessed at'
run frobnicate
expect_exit 2
expect_stderr <<'END'
steelyard: 'frobnicate' is not a command
  all commands: steelyard help
END

it 'a hostile word cannot steer the terminal'
run "$(printf 'a\033[2Jb\nc')"
expect_exit 2
expect_says err "'a\\x1b[2Jb\\x0ac' is not a command"

it 'the version is one line, or one object'
run --version
expect_exit 0
expect_nothing_on err
expect_stdout <<'END'
steelyard 0.1.0
END
run version --json
expect_exit 0
expect_json /schema steelyard.version/1
expect_json /tool 0.1.0

it 'help lists every command but the hidden one'
run help
expect_exit 0
expect_nothing_on err
expect_width 80
for command in probe select profile backends doctor help version; do
    expect_says out " $command "
done
expect_not_says out 'run one implementation for a probe'

it '--help, -h and help are one'
run help probe
expect_exit 0
cp "$work/out" "$work/expected_help"
run probe --help
expect_exit 0
expect_stdout <"$work/expected_help"
run probe -h
expect_stdout <"$work/expected_help"

it 'every option of the contract is in the help, within 80 columns, with its default'
expect_width 80
for option in backend implementations cases min-improvement alpha beta max-pairs budget wall-limit warmup threads margin \
    allow-approximate require-parity atol rtol min-free-memory veto rule question seed metadata-capacity json; do
    expect_says out " --$option "
done
expect_says out '--min-improvement X share of the reference'\''s time that a win must save; at least 0 and below 1 (default: 0.03)'
expect_says out 'how often a win may be wrong; above 0 and at most 0.5 (default: 0.05)'
expect_says out '130 interrupted'

it 'help of an unknown command suggests a near one'
run help prob
expect_exit 2
expect_stderr <<'END'
steelyard help: 'prob' is not a command
  did you mean: steelyard help probe
END

it 'the hidden command has no help'
run help worker
expect_exit 2
expect_says err 'all commands: steelyard help'

it 'an unknown option is named, with its neighbour'
run probe matmul --max-piars 7
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard probe: --max-piars: no such option
  did you mean --max-pairs?
END

it 'man pages are clean roff'
for page in '' probe backends help version; do
    # shellcheck disable=SC2086 # no page is no word
    run help --man $page
    expect_exit 0
    expect_says out '.SH NAME'
    expect_says out '.SH DESCRIPTION'
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww -z "$work/out" >"$work/err" 2>&1 || true
        expect_nothing_on err
    fi
done
run help --man probe
expect_says out '\fB\-\-min\-improvement\fR \fIX\fR'
expect_says out '.SH EXIT STATUS'

it 'the completion script is valid and knows commands, options, values and names'
run help --completion bash
expect_exit 0
if command -v bash >/dev/null; then
    cp "$work/out" "$work/completion"
    complete_words() {
        # shellcheck disable=SC2016 # the inner shell expands
        bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _steelyard; echo "${COMPREPLY[*]}"' \
            complete "$work/completion" "$@" >"$work/out" 2>"$work/err" || true
    }
    complete_words steelyard pro
    expect_stdout <<'END'
probe profile promote
END
    complete_words steelyard profile con
    expect_stdout <<'END'
convert
END
    complete_words steelyard profile convert --fo
    expect_stdout <<'END'
--format
END
    complete_words steelyard profile convert --format ''
    expect_stdout <<'END'
1 2
END
    complete_words steelyard probe --max
    expect_stdout <<'END'
--max-pairs
END
    complete_words steelyard probe --rule ''
    expect_stdout <<'END'
capped medians
END
    complete_words steelyard probe mat
    expect_stdout <<'END'
matmul
END
    complete_words steelyard import hyp
    expect_stdout <<'END'
hyperfine
END
    : >"$work/own_suite.so"
    complete_words steelyard import auto "$work/own_su"
    expect_stdout <<END
$work/own_suite.so
END
    complete_words steelyard probe "$work/own_su"
    expect_stdout <<END
$work/own_suite.so
END
    complete_words steelyard run list --status ref
    expect_stdout <<'END'
refuted
END
    complete_words steelyard run list --status ok,re
    expect_stdout <<'END'
ok,refuted
END
    complete_words steelyard run list --kind ''
    expect_stdout <<'END'
session decision import
END
    complete_words steelyard help ru
    expect_stdout <<'END'
run
END
    complete_words steelyard help run ex
    expect_stdout <<'END'
exec
END
    complete_words steelyard help probe ex
    expect_stdout <<'END'

END
    complete_words steelyard probe --reference open
    expect_stdout <<'END'
openblas
END
    expect_nothing_on err
fi

it 'a shell without completion is refused'
run help --completion fish
expect_exit 2
expect_stderr <<'END'
steelyard help: --completion fish: must be bash
  see: steelyard help --help
END

it 'a long option stands there whole'
run help run finish
expect_says out ',error=NUMBER][,reason=TEXT]'

finish
