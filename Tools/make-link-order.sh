#!/bin/bash
# The functions of the Swift library that run in the bundled drive and in a hook's service, one name a line,
# for the option --symbol-ordering-file of ld.lld(1). It needs valgrind.
# usage: make-link-order.sh PROGRAM-WITH-SYMBOLS
set -euo pipefail
program=$(realpath "$1")
examples=$(realpath "$(dirname "$0")/../examples")
command -v valgrind >/dev/null || { echo "make-link-order: valgrind is missing; apt-get install valgrind" >&2; exit 69; }
library=$(dirname "$(readlink -f "$(command -v swift)")")/../lib/swift_static/linux/libswiftCore.a

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || :; rm -rf "$folder"' EXIT
cd "$folder"
printf '[Reminders]\nFile=%s/reminders.json\n[Hook]\nExec=/bin/true\n' "$examples" >demo.conf
for name in georemindd georemind-hook; do ln -s "$program" "$name"; done

# traced NAME SECONDS ARGUMENT…: runs the program under this name, and notes what it calls.
traced() {
  timeout --signal=INT "$2" valgrind --quiet --tool=callgrind --demangle=no \
    --callgrind-out-file="$1.calls" "./$1" "${@:3}" --config demo.conf --socket control >&2 || :
}
traced georemindd 40 --state-directory state --feed "file://$examples/drive.nmea?speed=max" \
  --foreground-journal &
for _ in {1..100}; do [[ -S control ]] && break; sleep 0.2; done
traced georemind-hook 20 &
wait

# Of the names in the library those that the program has once: a name that many files have would bring
# them all. Those that both services call come first.
echo "# Functions of Swift $(swift --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1); see make link-order."
for calls in ./*.calls; do
  sed -nE "s/^c?fn=\([0-9]+\) ([^']+).*/\1/p" "$calls" | sort -u
done | sort | uniq -c | sort -k1,1nr -k2 | awk '{ print $2 }' >called
{ nm --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u
  nm --defined-only "$program" | awk '{ print $3 }' | sort | uniq -u
} | sort | uniq -d >single
awk 'NR == FNR { single[$0]; next } $0 in single && length < 150' single called
