#!/bin/bash
# Makes an apt repository of packages: a folder for a web server, a disk or a share.
#
# usage: repository.sh FOLDER DEB…
#
# Environment:
#   ADDRESS    where the folder will be found, such as https://example.org/georemind; without, where it is
#              on this machine
#   SIGN_KEY   the key that signs it, as gpg --local-user takes it; without, apt must be told to trust it
#
# In the folder, georemind.sources is the file for /etc/apt/sources.list.d, with the address and the key.
# A repository may have packages of several architectures. It needs apt-utils, and gpg for a signature.
set -euo pipefail
[[ $# -ge 2 ]] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2 && exit 64; }
folder=$1
shift
for program in apt-ftparchive ${SIGN_KEY:+gpg}; do
  command -v "$program" >/dev/null ||
    { echo "repository: there is no $program: apt-get install ${program/apt-ftparchive/apt-utils}" >&2 && exit 1; }
done

rm -rf "$folder"
pool=pool/main/g/georemind
mkdir -p "$folder/$pool"
cp "$@" "$folder/$pool"
cd "$folder"
read -ra architectures < <(for deb in "$pool"/*.deb; do dpkg-deb -f "$deb" Architecture; done | sort -u | xargs)
for architecture in "${architectures[@]}"; do
  lists=dists/stable/main/binary-$architecture
  mkdir -p "$lists"
  apt-ftparchive --arch "$architecture" packages pool >"$lists/Packages"
  gzip -kn9 "$lists/Packages"
done
release() { printf -- '-o APT::FTPArchive::Release::%s ' "$@"; }
# shellcheck disable=SC2046  # words on purpose
apt-ftparchive $(release Origin=georemind Label=georemind Suite=stable Codename=stable Components=main) \
  -o "APT::FTPArchive::Release::Architectures=${architectures[*]}" release dists/stable >Release
mv Release dists/stable/Release

{
  echo "Types: deb"
  echo "URIs: ${ADDRESS:-file:$PWD}"
  echo "Suites: stable"
  echo "Components: main"
  if [[ ${SIGN_KEY:-} ]]; then
    sign() { gpg --batch --yes --quiet --local-user "$SIGN_KEY" --digest-algo SHA512 "$@"; }
    sign --clearsign --output dists/stable/InRelease dists/stable/Release
    sign --armor --detach-sign --output dists/stable/Release.gpg dists/stable/Release
    # A key within a field (sources.list(5)): each line begins with a blank, and an empty one has a point.
    echo "Signed-By:"
    gpg --batch --armor --export-options export-minimal --export "$SIGN_KEY" | sed -e 's/^$/./' -e 's/^/ /'
  else
    echo "repository: it is not signed: SIGN_KEY=KEY names the key that signs it" >&2
    echo "Trusted: yes"
  fi
} >georemind.sources
