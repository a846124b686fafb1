#!/bin/bash
# The pictures of README: what the programs print for the bundled drive.
#
# usage: make-picture.sh FOLDER-OF-THE-PROGRAMS replay >docs/replay.svg
#        make-picture.sh FOLDER-OF-THE-PROGRAMS watch >docs/watch.svg     needs tmux
set -euo pipefail
cd "$(dirname "$0")/.."
programs=$(realpath "$1")
export TZ=Europe/Berlin LANG=C.UTF-8
say() { printf '$ georemind %s\n' "$*"; }

replay() {
  local words='replay examples/drive.nmea --reminders examples/reminders.json'
  say "$words"
  # shellcheck disable=SC2086  # words on purpose
  "$programs/georemind" $words 2>&1
  echo
  say "$words --to @1781279100 --why milk"
  # shellcheck disable=SC2086
  "$programs/georemind" $words --to @1781279100 --why milk 2>/dev/null | sed 1d
}

watch() {
  work=$(mktemp -d)
  trap 'kill "$daemon" 2>/dev/null; tmux -S "$work/tmux" kill-server 2>/dev/null; rm -rf "$work"' EXIT
  printf '[Reminders]\nFile=%s/reminders.json\n' "$PWD/examples" >"$work/demo.conf"
  local georemind=("$programs/georemind" --socket "$work/control")
  "$programs/georemindd" --config "$work/demo.conf" --state-directory "$work" --socket "$work/control" \
    --feed "file://$PWD/examples/drive.nmea?speed=max" --foreground-journal >"$work/log" 2>&1 &
  daemon=$!
  for _ in {1..200}; do
    ! "${georemind[@]}" status --json 2>/dev/null | grep -q '"state":"ended"' || break
    sleep 0.05
  done
  "${georemind[@]}" add 'Call Mum' --due '2026-06-13 18:00' >/dev/null 2>&1
  "${georemind[@]}" add 'Pay harbour dues' --region examples/harbour.geojson --every-visit >/dev/null
  tmux -S "$work/tmux" -f /dev/null new-session -d -x 100 -y 22 "${georemind[*]} watch"
  for _ in {1..100}; do
    ! tmux -S "$work/tmux" capture-pane -p 2>/dev/null | grep -q 'Did you lock' || break
    sleep 0.05
  done
  say watch
  # The path as an installation has it.
  tmux -S "$work/tmux" capture-pane -p | sed -e "s|$PWD/examples|/usr/share/doc/georemind/examples|"
}

case ${2:-} in
replay) replay | Tools/terminal-picture.py 'A recorded drive against eight reminders' ;;
watch) watch | Tools/terminal-picture.py 'georemind watch after the recorded drive' ;;
*) sed -n 's/^# \?//; 3,5p' "$0" >&2; exit 64 ;;
esac
