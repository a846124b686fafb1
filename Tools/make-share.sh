#!/bin/sh
# What is made by asking the programs themselves: manual pages and completions.
# usage: make-share.sh FOLDER-OF-THE-PROGRAMS FOLDER
set -eu
programs=$1
share=$2
rm -rf "$share"
mkdir -p "$share/man" "$share/completions"

for template in man/*.in; do
  page=$(basename "$template" .in)
  program=$programs/${page%.*}
  set -- "$template"
  if [ -x "$program" ]; then
    "$program" --experimental-dump-help >"$share/help.json"
    set -- "$@" --help-of "$share/help.json"
  fi
  [ "$page" != georemind.conf.5 ] || set -- "$@" --settings etc/georemind.conf
  "$programs/make-manual" "$@" >"$share/man/$page"
done
rm -f "$share/help.json"

for shell in bash zsh fish; do
  "$programs/georemind" --generate-completion-script "$shell" >"$share/completions/georemind.$shell"
done
# It is read by a shell, not run.
sed -i '1{/^#!/d}' "$share/completions/georemind.bash"
