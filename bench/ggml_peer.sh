#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Attention and convolutions on ggml's processor: ggml_peer.sh BUILD_DIR [GFLOP [THREADS]], where BUILD_DIR is a release
# build with ggml (./dev ggml; cmake --preset release -Dggml_DIR=...). Tables for 1 thread and for THREADS (default: all);
# then the candidates' times beside those that ggml's own test-backend-ops perf tells of the same shapes, with THREADS,
# and their ratio. That program is built from the source that ./dev ggml keeps, with our shapes in place of its own.
set -eu
if [ $# -lt 1 ] || [ ! -x "$1/bench/ggml_bench" ]; then
    echo "usage: ggml_peer.sh BUILD_DIR [GFLOP [THREADS]]: BUILD_DIR/bench/ggml_bench must be there" >&2
    exit 2
fi
build=$1
most=${2:-6}
threads=${3:-$(nproc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

prefix=$(sed -n 's,^ggml_DIR:[A-Z]*=\(.*\)/lib/cmake/ggml/*$,\1,p' "$build/CMakeCache.txt")
bundle=$(dirname -- "$prefix")/ggml-0.23.0.bundle
has_peer=yes
if [ ! -f "$bundle" ]; then
    echo "no comparison with test-backend-ops: $bundle is not there"
    has_peer=no
else
    git -c advice.detachedHead=false clone --quiet "$bundle" "$work/source"
    source=$work/source/tests/test-backend-ops.cpp
    # Only our shapes, and as many threads.
    awk -v file="$work/peers.inc" -v threads="$threads" '
        { sub(/std::thread::hardware_concurrency\(\)/, threads); print }
        /^static std::vector<std::unique_ptr<test_case>> make_test_cases_perf\(\)/ { inside = 1 }
        inside && /test_cases;$/ { print "#include \"" file "\""; print "    return test_cases;"; inside = 0 }' \
        "$source" >"$work/peer.cpp"
fi

echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg)"
echo
if [ "$threads" != 1 ]; then
    echo "1 thread"
    echo
    "$build/bench/ggml_bench" 1 "$most"
    echo
fi
echo "threads: $threads"
echo
"$build/bench/ggml_bench" "$threads" "$most" "$work/peers.inc" | tee "$work/own.txt"
[ $has_peer = yes ] || exit 0

c++ -O2 -std=c++17 -w -I "$work/source/ggml/include" -I "$work/source/tests" -o "$work/peer" "$work/peer.cpp" \
    -L "$prefix/lib" -lggml -lggml-base -lggml-cpu -lpthread
LD_LIBRARY_PATH="$prefix/lib" "$work/peer" perf -b CPU >"$work/peer.txt" 2>"$work/peer.err" || {
    cat "$work/peer.err" >&2
    exit 1
}
echo
echo "the candidates' times, and those of test-backend-ops perf (threads: $threads)"
echo
echo "| operation | case | steelyard, ms | test-backend-ops, ms | ratio |"
echo "|---|---|---|---|---|"
sed -n 's,^/\* \(.*\) \*/ test_cases.*,\1,p' "$work/peers.inc" >"$work/names.txt"
awk -v own="$work/own.txt" -v names="$work/names.txt" '
    function strip(text) { gsub(/^ +| +$|"/, "", text); return text }
    BEGIN {
        while ((getline line < own) > 0)
            if (split(line, part, "|") > 10)
                time[strip(part[2]) " " strip(part[3])] = strip(part[6])
        while ((getline line < names) > 0)
            name[++count] = line
    }
    match($0, /[0-9.]+ us\/run/) {
        key = name[++seen]
        split(key, word, " ")
        peer = substr($0, RSTART, RLENGTH) / 1000
        ratio = time[key] / peer
        logs[seen] = log(ratio)
        printf "| %s | %s | %s | %.3f | %.2f |\n", word[1], word[2], time[key], peer, ratio
    }
    END {
        if (seen != count) { print "ggml_peer.sh: " count " shapes, " seen " answers" > "/dev/stderr"; exit 1 }
        for (i = 1; i <= seen; i++) sum += logs[i]
        printf "\ngeometric mean of the ratios: %.3f\n", exp(sum / seen)
    }' "$work/peer.txt"
echo
echo "load after: $(cut -d ' ' -f 1-3 /proc/loadavg)"
