#!/bin/bash
# Makes a release for the architecture of this machine: the packages, their checksums, a bill of materials,
# release notes, and an apt repository. `make release` calls it.
#
# usage: release.sh FOLDER [VERSION]
#
# Without VERSION the commit has a tag, such as v1.0.0. The version is that of the programs, which may have
# a suffix for a candidate: 1.0.0~rc1. It may be written as a tag. For ADDRESS and SIGN_KEY see repository.sh; the key signs the
# checksums, too.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$1 version=${2:-}
fail() { echo "release: $*" >&2 && exit 1; }

changed=$(git status --porcelain) || fail "this is no copy of the git repository"
[[ ! $changed ]] || fail "the tree has changes that are not committed:"$'\n'"$changed"
if [[ ! $version ]]; then
  tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null) ||
    fail "the commit has no tag such as v$(Tools/release/version.sh): make one, or name a version: make release VERSION=…"
  version=$tag
fi
version=${version#v}
programs=$(Tools/release/version.sh)
[[ ${version%%[~+-]*} == "$programs" ]] ||
  fail "the programs have the version $programs, not $version: change Sources/Companion/GeoremindVersion.swift"
notes=$(Tools/release/notes.sh "$programs")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

make deb VERSION="$version"
rm -rf "$folder"
mkdir -p "$folder"
architecture=$(dpkg --print-architecture)
cp .build/deb/*_"${version}_$architecture".deb "$folder"
Tools/release/sbom.py "$version" "$folder"/*.deb >"$folder/georemind_${version}_$architecture.spdx.json"
printf '%s\n' "$notes" >"$folder/NOTES.md"
Tools/release/repository.sh "$folder/repository" "$folder"/*.deb
Tools/release/checksums.sh "$folder"
echo "the release $version is in $folder"
