#!/bin/bash
# The fast suites: what fails, then one line. Its exit code is that of `swift test`.
#
# usage: check.sh [ARGUMENT OF `swift test`]…
set -uo pipefail
cd "$(dirname "$0")/.."

# Left out: suites that take a second of a core or more in a debug build, by a run with --no-parallel,
# and those that start programs. `make test` runs them too.
slow=(
  BoundedAnswerTests CalendarDocumentTests CalendarFolderTests CalendarWriterTests ControlServerTests
  CorpusTests DeliveryTests DepartureQueueTests DepartureSimulations FeedTests FenceMonitorSimulations
  FiringFollowerTests GzipTests HostLookUpTests HostileFileTests JSONStreamTests LifeCycleTests
  LoadingTests MonitorOracleTests NeighbourListTests PlaceAndCategoryTests ProcessTests
  RegionOptionTests ReminderOptionsTests RepeatInstantsTests RoutedLeavingSimulations SentenceScanTests
  SystemdTimeTests TimerHeapTests UnixSocketTests WalkTests WatchInTerminalTests
)

log=.build/check.log
mkdir -p .build
# `SWIFT` may have arguments.
read -ra swift <<<"${SWIFT:-swift}"
"${swift[@]}" test --disable-xctest "${slow[@]/#/--skip=}" "$@" >"$log" 2>&1
code=$?
((code == 0)) || grep -aE '✘|error:|unexpected signal' "$log" | grep -av 'Test run with' | head -100
grep -aE 'Test run with' "$log" | tail -n 1 | cut -d ' ' -f 2- || tail -n 20 "$log"
exit "$code"
