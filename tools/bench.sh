#!/usr/bin/env bash
# Prints the figures of docs/performance.md: exploration, floor and peer in one
# run, what a page costs in a browser, and instruction counts where valgrind is
# installed.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "commit $(git rev-parse --short HEAD), $(go version | cut -d' ' -f3,4), $(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg)"

echo "== exploration, server time of maps"
go test ./engine/explore ./engine/sim ./engine/check -run '^$' -bench . -benchtime 1s | grep -E '^Benchmark'

echo "== floor and peer, interleaved (median of 9 rounds)"
(cd tests/bench && go test -run '^$' -bench 'Engine|Peer|Floor' -benchtime 200ms -count 9) | grep -E '^Benchmark' |
  awk '{for (i = 3; i < NF; i++) if ($(i+1) == "ns/record" || $1 ~ /Floor/ && $(i+1) == "ns/op") print $1, $i}' |
  sort -k1,1 -k2,2n | awk '{v[$1, ++n[$1]] = $2} END {for (k in n) printf "%-32s %10.1f ns\n", k, v[k, int((n[k]+1)/2)]}'

echo "== the live engine, nine rounds of every row in turn, medians"
(cd tests/bench && go test -run '^$' -bench LiveRounds -benchtime 9x) | grep -E '^Benchmark' |
  awk '{for (i = 3; i < NF; i += 2) printf "%-20s %10s\n", $(i+1), $i}'

echo "== script per frame with 200 chips on their way, heap over ${LOOP:-10m} of looping playback (LOOP=1m is shorter)"
go test -count=1 -tags bench -timeout 20m -v -run 'ScriptPerFrame|HeapOfALoop' ./tests/e2e | grep -E '_test.go|^(---|ok|FAIL)'

if ! command -v valgrind >/dev/null; then
  echo "== instruction counts: valgrind is not installed"
  exit 0
fi
echo "== instructions per record (callgrind, GOMAXPROCS=1, GOGC=off, difference of 40 and 20 runs of 500 records)"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 - "$tmp" <<'PY'
import json, sys
tmp = sys.argv[1]
parts = open('tests/bench/untraced.patch.txt').read().split('----\n')
text = open('engine/trace/trace.go').read()
for old, new in zip(parts[::2], parts[1::2]):
    assert text.count(old) == 1, 'tests/bench/untraced.patch.txt no longer fits engine/trace/trace.go'
    text = text.replace(old, new)
open(tmp + '/trace.go', 'w').write(text)
import os
json.dump({'Replace': {os.path.abspath('engine/trace/trace.go'): tmp + '/trace.go'}}, open(tmp + '/overlay.json', 'w'))
PY
(cd tests/bench && go test -c -o "$tmp/traced" . && go test -c -overlay "$tmp/overlay.json" -o "$tmp/untraced" .)
count() { # binary interval runs
  RUNS=$3 INTERVAL=$2 GOMAXPROCS=1 GOGC=off valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" -test.run TestInstructions 2>&1 |
    awk '/Collected/ {print $4}'
}
per() { echo $((($(count "$1" "$2" 40) - $(count "$1" "$2" 20)) / 20 / 500)); }
traced=$(per "$tmp/traced" 100ms)
echo "checkpoint every 100 ms, traced     $traced"
echo "checkpoint every 100 ms, untraced   $(per "$tmp/untraced" 100ms)"
echo "one checkpoint at the end, traced   $(per "$tmp/traced" 30s)"
