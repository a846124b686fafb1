#!/usr/bin/env python3
"""Writes the bill of materials of a release: what its packages contain and which libraries they call.

usage: sbom.py VERSION DEB... >FILE

The form is SPDX 2.3 in JSON (https://spdx.github.io/spdx-spec/v2.3/). Swift packages come from
Package.resolved and their licences from .build/checkouts, the Swift library from the toolchain ($SWIFT),
static libstdc++ from the compiler, and the libraries that are called from the Depends of each package, with
the versions of this machine. The date is SOURCE_DATE_EPOCH, or now; the same packages and date give the same
bytes.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name)


def package(name, version, licence="NOASSERTION", location="NOASSERTION", purl=None, **more):
    """A package of SPDX. Nothing is said of the files inside it."""
    entry = {
        "SPDXID": identifier(name), "name": name, "versionInfo": version, "downloadLocation": location,
        "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
        "copyrightText": "NOASSERTION", **more,
    }
    if purl:
        entry["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
    return entry


def locator(kind, name, version=None, architecture=None):
    """The name of a package in the form of https://github.com/package-url/purl-spec."""
    quoted = "@" + urllib.parse.quote(version, safe="") if version else ""
    return f"pkg:{kind}/{name}{quoted}" + (f"?arch={architecture}" if architecture else "")


def swift_packages():
    """The packages that are linked into the programs, with the commit of each."""
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        location, state = pin["location"].removesuffix(".git"), pin["state"]
        text = (ROOT / ".build/checkouts" / pin["identity"] / "LICENSE.txt").read_text()
        exception = " WITH Swift-exception" if "Runtime Library Exception" in text else ""
        yield package(
            pin["identity"], state["version"],
            "Apache-2.0" + exception if "Apache License" in text else "NOASSERTION",
            f"git+{location}.git@{state['revision']}",
            locator("swift", location.removeprefix("https://"), state["version"]))


def static_libraries():
    """What the toolchain and the compiler put into the programs."""
    swift = output(*shlex.split(os.environ.get("SWIFT", "swift")), "--version")
    yield package(
        "swift-runtime", re.search(r"Swift version ([0-9.]+)", swift)[1],
        "Apache-2.0 WITH Swift-exception", "https://www.swift.org/install/linux/")
    compiler = output(os.environ.get("CC", "cc"), "-dumpversion")
    yield package("libstdc++", compiler, "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org")


def called_libraries(depends, own):
    """The Debian packages of a Depends line, but those of the release, with their versions here."""
    for clause in depends.split(","):
        name = re.split(r"[|(:]", clause)[0].strip()
        if not name or name in own:
            continue
        found = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version} ${Architecture}", name], capture_output=True, text=True)
        version, architecture = found.stdout.split() if not found.returncode else (None, None)
        yield package(
            name, version or "NOASSERTION", purl=locator("deb/debian", name, version, architecture))


def document(version, files):
    fields = {file: dict(line.split(": ", 1) for line in output(
        "dpkg-deb", "-f", file, "Package", "Version", "Architecture", "Depends", "Maintainer").splitlines())
        for file in files}
    own = {field["Package"] for field in fields.values()}
    packages, relations = {}, []

    def relate(one, kind, other):
        relations.append({
            "spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    static = [*swift_packages(), *static_libraries()]
    for file, field in fields.items():
        maker = re.sub(r"\s*<([^>]*)>", r" (\1)", field["Maintainer"])
        entry = package(
            field["Package"], field["Version"], "Apache-2.0", packageFileName=pathlib.Path(file).name,
            supplier=f"Organization: {maker}",
            purl=locator("deb/georemind", field["Package"], field["Version"], field["Architecture"]),
            checksums=[{"algorithm": "SHA256",
                        "checksumValue": hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()}])
        packages[entry["SPDXID"]] = entry
        relate("SPDXRef-DOCUMENT", "DESCRIBES", entry["SPDXID"])
        for kind, parts in (("STATIC_LINK", static),
                            ("DEPENDS_ON", called_libraries(field.get("Depends", ""), own))):
            for part in parts:
                packages[part["SPDXID"]] = part
                relate(entry["SPDXID"], kind, part["SPDXID"])
    sums = "".join(entry["checksums"][0]["checksumValue"]
                   for entry in packages.values() if "checksums" in entry)
    moment = datetime.datetime.fromtimestamp(
        int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp()),
        datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"georemind-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/georemind-{uuid.uuid5(uuid.NAMESPACE_URL, sums)}",
        "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": [f"Tool: georemind-sbom-{version}"]},
        "packages": list(packages.values()), "relationships": relations,
    }


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    json.dump(document(sys.argv[1], sorted(sys.argv[2:])), sys.stdout, indent=1)
    print()
