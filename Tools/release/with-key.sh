#!/bin/bash
# Runs a command with the secret key of SIGN_KEY_TEXT, as a runner has it, in a gpg home that is removed at the
# end, and names it in SIGN_KEY. Without SIGN_KEY_TEXT it only runs the command.
#
# usage: with-key.sh COMMAND [ARGUMENT]…
set -euo pipefail
[[ ${SIGN_KEY_TEXT:-} ]] || exec "$@"
GNUPGHOME=$(mktemp -d)
export GNUPGHOME
trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
gpg --batch --quiet --import <<<"$SIGN_KEY_TEXT"
SIGN_KEY=$(gpg --batch --with-colons --list-secret-keys | awk -F: '/^fpr/ { print $10; exit }') "$@"
