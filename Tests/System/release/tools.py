#!/usr/bin/env python3
"""The tools of a release (Tools/release), in a copy of this tree with a tag, whose packages only pretend.

    Tests/System/release/tools.py

dpkg-deb, apt and gpg are real, with a key and folders of this script. The bill of materials is validated by
spdx-tools where Python has it, and the workflow files by yamllint where it is installed.
"""
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[3]
passed = failed = 0

# What `make deb VERSION=…` leaves, in a moment. The libraries are of this machine, and one is not.
MAKE = """#!/bin/bash
version=${2#VERSION=} architecture=$(dpkg --print-architecture)
mkdir -p .build/deb
for name in georemind georemind-web; do
  mkdir -p .build/$name/DEBIAN
  printf '%s\\n' "Package: $name" "Version: $version" "Architecture: $architecture" \\
    "Maintainer: a maintainer <maintainer@example.org>" "Description: a package" \\
    "Depends: libc6 (>= 2.36), zlib1g (>= 1:1.2) | zlib, libabsent9, georemind (= $version)" \\
    >.build/$name/DEBIAN/control
  dpkg-deb --root-owner-group -b .build/$name .build/deb/${name}_${version}_$architecture.deb
done
"""


def check(name, holds, shown=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print("ok   " if holds else "FAIL ", name, "" if holds else shown)


def run(*command, folder=None, **environment):
    """Its exit code, and all that it prints."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def copy_of_the_tree(folder):
    """A repository of one commit: the files that the tools read."""
    for name in ("Tools/release", "debian"):
        shutil.copytree(root / name, folder / name)
    (folder / "debian/changelog").unlink(missing_ok=True)
    (folder / "Sources/Companion").mkdir(parents=True)
    for name in ("Sources/Companion/GeoremindVersion.swift", "CHANGELOG.md", ".gitignore"):
        shutil.copy(root / name, folder / name)
    # Out of git, as in the tree.
    (folder / "Package.resolved").write_text(json.dumps({"version": 3, "pins": [{
        "identity": "swift-log", "location": "https://github.com/apple/swift-log.git",
        "state": {"revision": "c2cb5297956b2a95420f70d1f51e8dc4b4f94708", "version": "1.16.2"}}]}))
    (folder / ".build/checkouts/swift-log").mkdir(parents=True)
    (folder / ".build/checkouts/swift-log/LICENSE.txt").write_text("Apache License\nVersion 2.0, January 2004\n")
    git(folder, "init", "-q")
    commit(folder)


def git(folder, *arguments):
    return run("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "tag.gpgsign=false",
               "-c", "commit.gpgsign=false", *arguments, folder=folder)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "A release")


def program(folder, name, text):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def apt(folder, source, *arguments):
    """apt-get with lists and settings of its own, without the rights to change the machine."""
    for part in ("etc/apt/sources.list.d", "etc/apt/preferences.d", "etc/apt/trusted.gpg.d",
                 "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/lib/dpkg"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "var/lib/dpkg/status").touch()
    shutil.copy(source, folder / "etc/apt/sources.list.d")
    return run("apt-get", "-o", f"Dir={folder}", "-o", f"Dir::State::status={folder}/var/lib/dpkg/status",
               "-o", "APT::Sandbox::User=root", *arguments, folder=folder)


def check_release(work):
    tree, programs, keys = work / "tree", work / "programs", work / "keys"
    copy_of_the_tree(tree)
    program(programs, "make", MAKE)
    program(programs, "swift", "#!/bin/sh\necho 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'\n")
    keys.mkdir(mode=0o700)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "SWIFT": "swift", "GNUPGHOME": str(keys)}
    version = run(tree / "Tools/release/version.sh")[1].strip()

    def release(*arguments, **more):
        return run(tree / "Tools/release/release.sh", ".build/dist", *arguments, **environment, **more)

    check("the version is three numbers", re.fullmatch(r"\d+\.\d+\.\d+", version), version)
    code, text = release()
    check("without a tag it says how to go on", code == 1 and f"v{version}" in text and "VERSION=" in text, text)
    git(tree, "tag", "v0.0.9")
    code, text = release()
    check("a tag of another version is refused", code == 1 and f"have the version {version}, not 0.0.9" in text, text)
    git(tree, "tag", "-d", "v0.0.9")
    git(tree, "tag", f"v{version}")
    (tree / "stray").touch()
    code, text = release()
    check("a tree with changes is refused, and they are named", code == 1 and "?? stray" in text, text)
    (tree / "stray").unlink()
    code, text = run(tree / "Tools/release/notes.sh", "0.0.8")
    check("a version without notes is refused", code == 1 and "[0.0.8]" in text, text)

    code, text = run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "test@example.org",
                     "ed25519", "sign", "never", **environment)
    check("a throw-away key", code == 0, text)
    code, text = release(SIGN_KEY="test@example.org")
    check("a release of a tag", code == 0, text)
    dist = tree / ".build/dist"
    deb = next(dist.glob(f"georemind_{version}_*.deb"), None)
    check("it has the packages", deb and next(dist.glob(f"georemind-web_{version}_*.deb"), None))
    if not deb:
        return
    notes = (dist / "NOTES.md").read_text()
    check("its notes are the section of CHANGELOG.md", notes in (tree / "CHANGELOG.md").read_text()
          and "### Added" in notes and "## [" not in notes.replace("### ", ""))
    sums = dict(reversed(line.split("  ")) for line in (dist / "SHA256SUMS").read_text().splitlines())
    files = {file.name for file in dist.iterdir() if file.is_file()} - {"SHA256SUMS", "SHA256SUMS.asc"}
    check("each file has its checksum", sums == {
        name: hashlib.sha256((dist / name).read_bytes()).hexdigest() for name in files}, sums)
    code, text = run("gpg", "--verify", "SHA256SUMS.asc", "SHA256SUMS", folder=dist, **environment)
    check("they are signed", code == 0, text)
    before = sorted(dist.glob("*.spdx.json"))[0].read_bytes()
    check_materials(sorted(dist.glob("*.spdx.json"))[0], version, hashlib.sha256(deb.read_bytes()).hexdigest())
    check_repository(work, dist / "repository", version)

    code, text = release(f"{version}~rc1")
    check("a candidate has a suffix, and may be unsigned", code == 0 and "not signed" in text, text)
    check("apt takes it, and trusts it as told", apt(
        work / "candidate", dist / "repository/georemind.sources", "update")[0] == 0)
    again = run(tree / "Tools/release/release.sh", ".build/dist", **environment)
    check("the same commit gives the same bill", again[0] == 0
          and sorted(dist.glob("*.spdx.json"))[0].read_bytes() == before, again[1])


def check_materials(file, version, checksum):
    document = json.loads(file.read_text())
    packages = {entry["name"]: entry for entry in document["packages"]}
    check("the bill names what is linked, called and made", set(packages) == {
        "georemind", "georemind-web", "swift-log", "swift-runtime", "libstdc++", "libc6", "zlib1g",
        "libabsent9"}, sorted(packages))
    check("a package by its checksum", packages["georemind"]["checksums"][0]["checksumValue"] == checksum)
    installed = run("dpkg-query", "-W", "-f", "${Version}", "libc6")[1]
    check("a library by the version here", packages["libc6"]["versionInfo"] == installed)
    check("a version that is not known is not made up", packages["libabsent9"]["versionInfo"] == "NOASSERTION")
    check("a Swift package by its commit", packages["swift-log"]["downloadLocation"]
          == "git+https://github.com/apple/swift-log.git@c2cb5297956b2a95420f70d1f51e8dc4b4f94708")
    check("with the licence of its text", packages["swift-log"]["licenseDeclared"] == "Apache-2.0")
    kinds = {(entry["relationshipType"], entry["relatedSpdxElement"]) for entry in document["relationships"]}
    check("a library in the programs, and one beside them", {
        ("STATIC_LINK", "SPDXRef-swift-log"), ("DEPENDS_ON", "SPDXRef-zlib1g")} <= kinds, kinds)
    if importlib.util.find_spec("spdx_tools"):
        from spdx_tools.spdx.parser.parse_anything import parse_file
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
        problems = validate_full_spdx_document(parse_file(str(file)), "SPDX-2.3")
        check("it is valid SPDX 2.3", not problems, [problem.validation_message for problem in problems])
    else:
        print("skipped: the bill of materials is not validated: pip install spdx-tools")


def check_repository(work, repository, version):
    machine = work / "machine"
    source = repository / "georemind.sources"
    code, text = apt(machine, source, "update")
    check("apt takes the repository with its key", code == 0 and "Err" not in text and "W:" not in text, text)
    code, text = apt(machine, source, "download", "georemind-web")
    check("and gets a package from it", code == 0 and list(machine.glob(f"georemind-web_{version}_*.deb")), text)
    other = work / "moved"
    shutil.copytree(repository, other)
    (other / "georemind.sources").write_text(source.read_text().replace(str(repository), str(other)))
    for lists in other.glob("dists/stable/main/*/Packages"):
        lists.write_text(lists.read_text().replace("a package", "a changed package"))
        (lists.parent / "Packages.gz").unlink()
    code, text = apt(work / "another", other / "georemind.sources", "update")
    check("lists that someone has changed are refused", code != 0
          and re.search("(?i)sum mismatch|unexpected size", text), text)
    for file in (other / "dists/stable").glob("*Release*"):
        if file.suffix != ".gpg":
            file.write_text(file.read_text().replace("Label: georemind", "Label: another"))
    code, text = apt(work / "third", other / "georemind.sources", "update")
    check("a list of lists that someone has changed is refused", code != 0
          and re.search("BADSIG|invalid", text), text)


def check_key(work):
    """A key as the text that a runner has."""
    keys = work / "keys"
    text = subprocess.run(["gpg", "--armor", "--export-secret-keys"], env={**os.environ, "GNUPGHOME": str(keys)},
                          capture_output=True, text=True).stdout
    code, shown = run(root / "Tools/release/with-key.sh", "sh", "-c", "echo a | gpg -u $SIGN_KEY --clearsign; exit 3",
                      SIGN_KEY_TEXT=text)
    check("a key from a text signs, and the exit code stays", code == 3 and "BEGIN PGP SIGNATURE" in shown, shown)


def check_workflows():
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.M))
    files = sorted(root.glob(".github/workflows/*.yml")) + sorted(root.glob(".forgejo/workflows/*.yml"))
    steps = {step for file in files for step in re.findall(r"- run: *(.*)", file.read_text())}
    # A runner's image has no make: one step brings it.
    others = {step for step in steps if not step.startswith("make ")}
    check("workflows call targets of the Makefile", {step.split()[1] for step in steps - others} <= targets
          and all(re.fullmatch("apt-get update && apt-get install -y make[ a-z]*", step) for step in others), steps)
    names = [[file.name for file in files if folder in file.parts] for folder in (".github", ".forgejo")]
    check("both forges have the same workflows", names[0] == names[1] != [], names)
    check("with the same steps", all(
        re.findall(r"- run: (make .*)", file.read_text())
        == re.findall(r"- run: (make .*)", (root / ".forgejo/workflows" / file.name).read_text())
        for file in files if ".github" in file.parts))
    if shutil.which("yamllint"):
        code, text = run("yamllint", "-s", ".github", ".forgejo", ".yamllint", folder=root)
        check("yamllint has nothing against them", code == 0, text)
    else:
        print("skipped: there is no yamllint")


check_workflows()
with tempfile.TemporaryDirectory() as folder:
    lacking = [name for name in ("dpkg-deb", "apt-ftparchive", "gpg", "git") if not shutil.which(name)]
    if lacking:
        print("skipped: there is no", ", no ".join(lacking))
    else:
        check_release(pathlib.Path(folder))
        check_key(pathlib.Path(folder))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
