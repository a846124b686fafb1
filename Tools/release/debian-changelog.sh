#!/bin/sh
# Prints debian/changelog: the version and its date. What has changed is in CHANGELOG.md alone.
#
# usage: debian-changelog.sh [VERSION OF THE PACKAGES]
#
# The date is SOURCE_DATE_EPOCH, or the commit's, or that of CHANGELOG.md, so that the same source gives the
# same packages.
set -eu
cd "$(dirname "$0")/../.."
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)}
cat <<END
georemind (${1:-$(Tools/release/version.sh)}) unstable; urgency=medium

  * CHANGELOG.md, among the documents of this package, lists the changes.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(LC_ALL=C date -u -R -d "@$seconds")
END
