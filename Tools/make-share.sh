#!/bin/sh
# What is made by asking the programs themselves: manual pages, and completions of those that have one.
# usage: make-share.sh FOLDER-OF-THE-PROGRAMS FOLDER
set -eu
programs=$1
share=$2
rm -rf "$share"
mkdir -p "$share/man" "$share/bash" "$share/zsh" "$share/fish"

for template in man/*.in; do
  page=$(basename "$template" .in)
  name=${page%.*}
  set -- "$template"
  if [ -x "$programs/$name" ]; then
    "$programs/$name" --experimental-dump-help >"$share/help.json"
    set -- "$@" --help-of "$share/help.json"
    # bash's is read by a shell, not run: it needs no first line that says by which.
    "$programs/$name" --generate-completion-script bash | sed '1{/^#!/d}' >"$share/bash/$name"
    "$programs/$name" --generate-completion-script zsh >"$share/zsh/_$name"
    "$programs/$name" --generate-completion-script fish >"$share/fish/$name.fish"
  fi
  [ "$page" != georemind.conf.5 ] || set -- "$@" --settings etc/georemind.conf
  "$programs/make-manual" "$@" >"$share/man/$page"
done
rm -f "$share/help.json"
