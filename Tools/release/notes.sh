#!/bin/sh
# Prints the section of CHANGELOG.md for a version; ends with 1 where it has none with a date.
#
# usage: notes.sh VERSION [CHANGELOG]
set -eu
awk -v heading="## [$1] - " '
  /^## / { inside = index($0, heading) == 1 && $0 ~ / - 20[0-9][0-9]-[01][0-9]-[0-3][0-9]$/ }
  inside && !/^## / && (found || NF) { print; found = 1 }
  END { exit !found }
' "${2:-$(dirname "$0")/../../CHANGELOG.md}" ||
  { echo "notes: CHANGELOG.md has no section '## [$1] - YYYY-MM-DD': give it one" >&2 && exit 1; }
