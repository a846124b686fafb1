#!/bin/sh
# Whether the Swift toolchain is there and new enough: nothing where it is, else a sentence and exit code 69.
# It needs no program but the one it asks.
#
# usage: need-swift.sh [COMMAND OF SWIFT]
set -u
[ $# -gt 0 ] || set -- swift

stop() {
  echo "need-swift: $1; install Swift 6.3 or newer from https://www.swift.org/install/linux/," \
    "or name its program: make SWIFT=/opt/swift/usr/bin/swift" >&2
  exit 69
}

command -v "$1" >/dev/null 2>&1 || stop "there is no program '$1'"
found=$("$@" --version 2>/dev/null)
case $found in
  *"Swift version "[0-9]*) version=${found#*"Swift version "} ;;
  # On Debian, swift(1) is the client of a storage service.
  *) stop "'$*' is not the Swift toolchain" ;;
esac
version=${version%%[!0-9.]*}
major=${version%%.*}
rest=${version#*.}
minor=${rest%%.*}
[ "$major" -gt 6 ] || { [ "$major" -eq 6 ] && [ "${minor:-0}" -ge 3 ]; } ||
  stop "'$*' is Swift $version, which is too old"
