#!/bin/sh
# Prints the version of the project, such as 1.0.0. It has one place: what the programs answer to --version.
set -eu
sed -n 's/.*static let text = "\([0-9][0-9.]*\)".*/\1/p' \
  "$(dirname "$0")/../../Sources/Companion/GeoremindVersion.swift"
