#!/bin/sh
# Whether the Swift toolchain is there, starts and is new enough: nothing where it does, else a sentence and
# exit code 69. Without a toolchain it needs no other program.
#
# usage: need-swift.sh [COMMAND OF SWIFT]
set -u
[ $# -gt 0 ] || set -- swift

stop() {
  echo "need-swift: $*" >&2
  exit 69
}
get_another() {
  stop "$1; install Swift 6.3 or newer from https://www.swift.org/install/linux/," \
    "or name its program: make SWIFT=/opt/swift/usr/bin/swift"
}

# The package of Debian 12 or later that has a library of the toolchain's programs.
package_of() {
  case $1 in
    libcurl.so.*) echo libcurl4 ;;
    libedit.so.*) echo libedit2 ;;
    libgcc_s.so.*) echo libgcc-s1 ;;
    libncurses.so.* | libtinfo.so.*) echo libncurses6 ;;
    libsqlite3.so.*) echo libsqlite3-0 ;;
    libstdc++.so.*) echo libstdc++6 ;;
    libuuid.so.*) echo libuuid1 ;;
    libxml2.so.*) echo libxml2 ;;
    libz.so.*) echo zlib1g ;;
    *) echo "(the package with $1)" ;;
  esac
}

# Ends with the names of the packages that the programs of a build lack, of all at once: the loader's own
# message names one library of one program.
name_missing_packages() {
  command -v readlink >/dev/null 2>&1 && command -v ldd >/dev/null 2>&1 || return 0
  folder=$(dirname "$(readlink -f "$(command -v "$1")")")
  missing=
  for library in $(
    for program in swift swift-driver swift-frontend swift-package clang lld; do
      ldd "$folder/$program" 2>/dev/null
    done | awk '/=> not found/ { print $1 }'
  ); do
    package=$(package_of "$library")
    case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
  done
  [ -z "$missing" ] ||
    stop "'$1' is there, but libraries that it needs are not; install them: apt-get install$missing"
}

command -v "$1" >/dev/null 2>&1 || get_another "there is no program '$1'"
name_missing_packages "$1"
found=$("$@" --version 2>&1) || get_another "'$*' does not start: $(echo "$found" | head -n 1)"
case $found in
  *"Swift version "[0-9]*) version=${found#*"Swift version "} ;;
  # On Debian, swift(1) is the client of a storage service.
  *) get_another "'$*' is not the Swift toolchain" ;;
esac
version=${version%%[!0-9.]*}
major=${version%%.*}
rest=${version#*.}
minor=${rest%%.*}
[ "$major" -gt 6 ] || { [ "$major" -eq 6 ] && [ "${minor:-0}" -ge 3 ]; } ||
  get_another "'$*' is Swift $version, which is too old"
