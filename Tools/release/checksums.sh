#!/bin/bash
# Writes SHA256SUMS of the files in a folder of a release, signed where SIGN_KEY names a key.
#
# usage: checksums.sh FOLDER
set -euo pipefail
cd "$1"
rm -f SHA256SUMS SHA256SUMS.asc
find . -maxdepth 1 -type f ! -name '.*' -printf '%P\0' | sort -z | xargs -0 sha256sum >.sums
mv .sums SHA256SUMS
[[ ! ${SIGN_KEY:-} ]] || gpg --batch --yes --quiet --local-user "$SIGN_KEY" --armor --detach-sign SHA256SUMS
