#!/bin/sh
# The picture of README: a session with the bundled drive, as the programs print it.
# usage: make-picture.sh FOLDER-OF-THE-PROGRAMS >docs/replay.svg
set -eu
cd "$(dirname "$0")/.."
programs=$1
export TZ=Europe/Berlin
say() { printf '$ georemind %s\n' "$*"; }
replay='replay examples/drive.nmea --reminders examples/reminders.json'
{
  say "$replay"
  # shellcheck disable=SC2086  # words on purpose
  "$programs/georemind" $replay 2>&1
  echo
  say "$replay --to @1781279100 --why milk"
  # shellcheck disable=SC2086
  "$programs/georemind" $replay --to @1781279100 --why milk 2>/dev/null | sed 1d
} | Tools/terminal-picture.py 'A recorded drive against eight reminders'
