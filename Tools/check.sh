#!/bin/bash
# The unit tests: what fails, with its messages, then one line. Its exit code is that of `swift test`.
#
# usage: check.sh [--all] [ARGUMENT OF `swift test`]…
#
#   --all   the slow suites as well, and a line for each suite
#
# The whole output is in .build/check.log, with --all in .build/test.log. A terminal shows the step at work.
set -uo pipefail
cd "$(dirname "$0")/.."

# Left out without --all: suites that take a second of a core or more in a debug build, by a run with
# --no-parallel, and the suites that start programs.
slow=(
  BoundedAnswerTests CalendarDocumentTests CalendarFolderTests CalendarWriterTests ControlServerTests
  CorpusTests DeliveryTests DepartureQueueTests DepartureSimulations FeedTests FenceMonitorSimulations
  FiringFollowerTests GzipTests HostLookUpTests HostileFileTests JSONStreamTests LifeCycleTests
  LoadingTests MonitorOracleTests NeighbourListTests PlaceAndCategoryTests ProcessTests
  RegionOptionTests ReminderOptionsTests RepeatInstantsTests RoutedLeavingSimulations SentenceScanTests
  SystemdTimeTests TimerHeapTests UnixSocketTests WalkTests WatchInTerminalTests
)

all=
log=.build/check.log
if [ "${1:-}" = --all ]; then
  shift
  all=yes
  log=.build/test.log
  slow=()
fi

# Prints of the lines of `swift test` what fails, what is skipped and the closing line, with all suites if they
# are wanted. A line without a mark goes on with the one before it.
report() {
  local line shown='' clear='' passed=0
  [ -t 1 ] && clear=$'\r\e[K'
  # Replaces the line of the terminal.
  step() { [ -z "$clear" ] || printf '%s%.*s' "$clear" $((${COLUMNS:-80} - 1)) "$1"; }
  while IFS= read -r line; do
    case $line in
      '◇ '* | 'Build complete!'* | "Test Suite '"*) shown='' ;;
      '✔ Test run with '* | '✘ '* | *'error: '* | *': warning: '* | '*** '* | '💣 '*) shown=yes ;;
      '✔ Suite '* | '➜ '*) shown=$all ;;
      '✔ '*)
        shown=''
        passed=$((passed + 1))
        step "$passed tests passed"
        ;;
      '['[0-9]*/[0-9]*'] '*)
        shown=''
        step "$line"
        ;;
    esac
    [ -z "$shown" ] || printf '%s%s\n' "$clear" "$line"
  done
  printf '%s' "$clear"
}

mkdir -p .build
# `SWIFT` may have arguments.
read -ra swift <<<"${SWIFT:-swift}"
"${swift[@]}" test --disable-xctest "${slow[@]/#/--skip=}" "$@" 2>&1 | tee "$log" | report
code=${PIPESTATUS[0]}
if ((code)); then
  # What is no failure of a test, such as a program that is not there.
  grep -qaE 'Test run with|error: ' "$log" || tail -n 20 "$log"
  echo "the whole output is in $log"
fi
exit "$code"
