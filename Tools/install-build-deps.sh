#!/bin/sh
# Installs what the build needs beside the Swift toolchain, on Debian, Ubuntu and their kin.
# Does nothing, and needs no rights, where all of it is there.
#
# usage: install-build-deps.sh [FURTHER PACKAGE]…
set -eu

# The compiler of C++ brings that of C and the static libstdc++; the package manager of Swift calls git.
packages="g++ git libsystemd-dev libsqlite3-dev libexpat1-dev zlib1g-dev libcurl4-openssl-dev libmicrohttpd-dev libmosquitto-dev pkg-config"
packages="$packages${*:+ $*}"
missing=""
for package in $packages; do
  # pkgconf takes the place of pkg-config on newer systems.
  if [ "$package" = pkg-config ] && command -v pkg-config >/dev/null 2>&1; then continue; fi
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
  [ "$state" = installed ] || missing="$missing $package"
done
missing=${missing# }

if [ -z "$missing" ]; then
  echo "install-build-deps: all there: $packages"
  exit 0
fi

stop() {
  echo "install-build-deps: $1; install these by hand: $missing" >&2
  exit 1
}

command -v apt-get >/dev/null 2>&1 || stop "apt-get is not on this system"
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  stop "neither root nor sudo"
fi

echo "install-build-deps: installing $missing"
# Another package manager may be at work: each call waits for it up to two minutes.
apt_get() {
  $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=120 "$@"
}
# The timeout is for the lock of the packages alone, and the lists have one of their own.
update_lists() {
  tries=24
  until output=$(apt_get update 2>&1); do
    tries=$((tries - 1))
    case $output in *"Could not get lock"*) [ $tries -gt 0 ] && sleep 5 && continue ;; esac
    echo "$output" >&2
    return 1
  done
}
install_missing() {
  # shellcheck disable=SC2086  # words on purpose
  apt_get install -y --no-install-recommends $missing
}
# The lists may be old, or absent in a fresh container: then try once more with new ones.
install_missing || { update_lists && install_missing; } || stop "apt-get failed, see above"
