#!/bin/bash
# Plays the bundled drive to the daemon and shows its firings as journal entries: from the machine's
# journal where there is one, else on the terminal in journalctl's form.
# usage: run-demo.sh FOLDER-OF-THE-PROGRAMS
set -euo pipefail
programs=$(realpath "$1")
examples=$(realpath "$(dirname "$0")/../examples")

state=$(mktemp -d "${TMPDIR:-/tmp}/georemind-demo.XXXXXX")
daemon=
trap '[[ -z $daemon ]] || kill "$daemon" 2>/dev/null || :; rm -rf "$state"' EXIT

printf "[Reminders]\nFile=%s/reminders.json\n" "$examples" >"$state/demo.conf"
arguments=(--config "$state/demo.conf" --state-directory "$state" --socket "$state/control"
  --feed "file://$examples/drive.nmea?speed=max")

journal=
if [[ -S /run/systemd/journal/socket ]] && journalctl --quiet --lines 0 >/dev/null 2>&1; then
  journal=yes
else
  arguments+=(--foreground-journal)
fi

echo "A recorded drive through Hamburg ($(wc -l <"$examples/drive.nmea") NMEA lines) with the reminders of examples/reminders.json:"
echo
"$programs/georemindd" "${arguments[@]}" &
daemon=$!

# The recording is over when the daemon says its feed has ended.
for _ in {1..200}; do
  kill -0 "$daemon" 2>/dev/null || { wait "$daemon"; exit $?; }
  if [[ -S $state/control ]] &&
    "$programs/georemind" --socket "$state/control" status --json 2>/dev/null | grep -q '"state":"ended"'; then
    break
  fi
  sleep 0.05
done

pid=$daemon
if [[ $journal ]]; then
  journalctl --sync 2>/dev/null || :
  journalctl --no-pager --quiet -o short "_PID=$pid" SYSLOG_IDENTIFIER=georemindd
fi
echo
echo "The same from the ledger:"
"$programs/georemind" --socket "$state/control" log
fired=$("$programs/georemind" --socket "$state/control" log --json | grep -c '"firing_id"' || :)
kill "$daemon"
wait "$daemon" || :
daemon=
echo
echo "The daemon followed the drive, fired $fired times, and wrote each firing to its ledger and the journal."
echo "Next: $programs/georemind replay examples/drive.nmea --reminders examples/reminders.json --report drive.html"
