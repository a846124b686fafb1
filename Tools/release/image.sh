#!/bin/bash
# Makes a container image, an OCI archive, of the packages georemind and georemind-web: Debian without systemd
# as its first process, and share/container/run instead.
#
# usage: image.sh ARCHIVE GEOREMIND.deb GEOREMIND-WEB.deb
#
# Environment: SUITE, the release of Debian, else bookworm. It needs root, mmdebstrap, apt-utils and buildah.
# The image's date is SOURCE_DATE_EPOCH, if that is set.
set -euo pipefail
[[ $# == 3 ]] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2 && exit 64; }
((EUID == 0)) || { echo "image: it needs root: try again with sudo" >&2 && exit 1; }
for pair in mmdebstrap=mmdebstrap apt-ftparchive=apt-utils buildah=buildah; do
  command -v "${pair%=*}" >/dev/null ||
    { echo "image: there is no ${pair%=*}: apt-get install ${pair#*=}" >&2 && exit 1; }
done
archive=$1 main=$2 web=$3 suite=${SUITE:-bookworm}
tools=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
version=$(dpkg-deb -f "$main" Version)

"$tools/repository.sh" "$work/repository" "$main" "$web" 2>/dev/null
# Hooks get the folder of the new system.
mmdebstrap --quiet --mode=root --variant=minbase --include=georemind,georemind-web,adduser \
  --aptopt='APT::Install-Recommends "false"' \
  --customize-hook='mkdir -p "$1/usr/share/georemind" && mv "$1/etc/georemind/georemind.conf" "$1/usr/share/georemind" &&
    rm -r "$1/etc/georemind" && ln -s /var/lib/georemind/etc "$1/etc/georemind"' \
  --customize-hook='grep -q ^georemind: "$1/etc/group" || chroot "$1" groupadd --system georemind' \
  --customize-hook='chroot "$1" useradd --system --gid georemind --home-dir /var/lib/georemind --no-create-home georemind &&
    chroot "$1" install -d -m700 -o georemind -g georemind /var/lib/georemind' \
  --customize-hook="install -Dm755 '$tools/../../share/container/run' \"\$1/usr/lib/georemind/container\"" \
  "$suite" "$work/root.tar" "deb http://deb.debian.org/debian $suite main" \
  "deb [trusted=yes] copy:$work/repository stable main"

builder() { buildah --storage-driver vfs --root "$work/store" --runroot "$work/run" "$@"; }
container=$(builder from scratch)
builder add --quiet "$container" "$work/root.tar" / >/dev/null
builder config --user georemind:georemind --entrypoint '["/usr/lib/georemind/container"]' --stop-signal SIGTERM \
  --env STATE_DIRECTORY=/var/lib/georemind --env RUNTIME_DIRECTORY=/var/lib/georemind/run \
  --env GEOREMIND_SOCKET=/var/lib/georemind/run/org.georemind --volume /var/lib/georemind \
  --port 8088 --label "org.opencontainers.image.title=georemind" \
  --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.licenses=Apache-2.0" \
  "$container"
mkdir -p "$(dirname "$archive")"
rm -f "$archive"
builder commit --quiet --disable-compression=false ${SOURCE_DATE_EPOCH:+--timestamp "$SOURCE_DATE_EPOCH"} "$container" \
  "oci-archive:$archive:georemind:${version//[~+]/-}" >/dev/null
