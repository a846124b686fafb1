#!/usr/bin/env python3
"""Makes the generated parts of docs/reference from the programs and the sources.

usage: make-docs.py FOLDER-OF-THE-PROGRAMS [--check]

    verbs.md            the verbs of georemind, as it describes them (--experimental-dump-help)
    verbs-for-places.md those for places, coordinates and recordings
    verbs-for-phones.md those for phones, browsers, hooks and other destinations
    command-line.md     the options of the other programs, in the same way
    configuration.md    settings, from etc/georemind.conf
    configuration-of-helpers.md   the sections of programs beside the daemon
    calendar-properties.md
                        what is done with each property, from Sources/Interchange
    varlink.md          the interface org.georemind, from Sources/Control
    varlink-for-places.md
                        its methods for places and categories
    varlink-for-maps.md its methods for maps and links
    varlink-for-destinations.md
                        its methods for past firings, hooks and other destinations

A generated part stands between `<!-- generated … -->` and `<!-- end generated -->`; the rest of a page is
written by hand. With --check nothing is written: it prints the pages that are stale, and what the reference
lacks (message ids in journal.md, fields in reminder-json.md), and ends with 1 if there are any.
"""

import json
import os
import re
import subprocess
import sys

root = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
arguments = [word for word in sys.argv[1:] if word != "--check"]
if len(arguments) != 1:
    sys.exit(__doc__.split("\n\n")[1])
programs, only_check = os.path.abspath(arguments[0]), "--check" in sys.argv
COMMON = {"help", "version", "json", "socket"}
# The verbs of verbs-for-places.md.
FOR_PLACES = {"place", "category", "where", "tracker", "anchor", "replay", "decode", "convert", "when",
              "report", "travel", "trips", "calendars"}
# The verbs of verbs-for-phones.md.
FOR_PHONES = {"phone", "web", "hook", "delivery", "test", "mute"}


def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


# --- command line

def help_of(program):
    text = subprocess.run([f"{programs}/{program}", "--experimental-dump-help"], capture_output=True, text=True,
                          check=True).stdout
    return json.loads(text)["command"]


def cell(text):
    return re.sub(r"\s+", " ", text).strip()


def rows(command, hidden, sections=None):
    """A list of arguments and options; a flag and its inverse are one item. That an id may be shortened is said
    once, at the head of the page."""
    found, last = [], None
    for argument in command.get("arguments", []):
        name = argument.get("preferredName", {}).get("name", "")
        if not argument.get("shouldDisplay", True) or name in hidden:
            continue
        if sections and argument.get("sectionTitle") in sections:
            continue
        text = argument.get("abstract", "")
        if argument["kind"] == "positional" and re.match("The ids? of the reminders?, ", text):
            continue
        value = argument.get("valueName", "")
        if argument["kind"] == "positional":
            label = f"`{value}`"
        else:
            names = [("--" if each["kind"] == "long" else "-") + each["name"] for each in argument.get("names", [])]
            label = ", ".join(f"`{each}`" for each in names)
            if argument["kind"] == "option":
                label += f" *{value}*"
        if argument["kind"] == "flag" and last == text:
            found[-1][0] += f", {label}"
            continue
        last = text
        if argument.get("allValues"):
            text += f" ({', '.join(argument['allValues'])})"
        if argument.get("defaultValue"):
            text += f" Default: `{argument['defaultValue']}`."
        if argument.get("isRepeating") and argument["kind"] != "positional":
            text += " May be repeated."
        found.append([label, text])
    if not found:
        return []
    return [""] + [f"- {label}: {cell(text)}" for label, text in found]


def usage(name, command):
    words = [name]
    for argument in command.get("arguments", []):
        if argument["kind"] == "positional":
            word = argument["valueName"].upper() + ("…" if argument.get("isRepeating") else "")
            words.append(f"[{word}]" if argument.get("isOptional") else word)
    return " ".join(words)


def discussion(command):
    """Lines that begin with the program's name are examples."""
    lines, code = [], []
    for line in (command.get("discussion") or "").split("\n"):
        if line.startswith("georemind "):
            code.append(line)
            continue
        if code:
            lines += ["", "```", *code, "```", ""]
            code = []
        lines.append(line)
    if code:
        lines += ["", "```", *code, "```"]
    return "\n".join(lines).strip()


def verbs(command, before, wanted=lambda name: True):
    lines = []
    for verb in command.get("subcommands", []):
        if verb["commandName"] == "help" or not verb.get("shouldDisplay", True) or not wanted(verb["commandName"]):
            continue
        name = f"{before} {verb['commandName']}"
        if verb.get("subcommands"):
            lines += verbs(verb, name)
            continue
        lines += ["", f"## {name}", ""]
        if (words := usage(name, verb)) != name:
            lines += [f"`{words}`", ""]
        lines.append(verb.get("abstract", ""))
        if text := discussion(verb):
            lines += ["", text]
        sections = None
        if verb["commandName"] == "edit" and before == "georemind":
            sections = {"The reminder", "Filter"}
            lines += ["", "It takes the options of [georemind add](#georemind-add) that describe the reminder, those of "
                      "[georemind list](#georemind-list) that choose reminders, but for the two below, and:"]
        elif verb["commandName"] in ("rm", "done", "snooze") and before == "georemind":
            sections = {"Filter"}
            lines += ["", "It takes the options of [georemind list](#georemind-list) that choose reminders, and:"]
        lines += rows(verb, COMMON, sections)
    return lines


def command_line():
    """The options of the programs without verbs."""
    lines = ["## The other programs"]
    for program in (
        "georemindd", "georemind-notify", "georemind-hook", "georemind-route", "georemind-web", "georemind-mqtt",
    ):
        command = help_of(program)
        lines += ["", f"### {program}", "", command.get("abstract", "")] + rows(command, {"help", "version"})
    return "\n".join(lines)


# --- configuration

def paragraphs(comment):
    """Indented lines are a table."""
    text, table = [], []
    for line in comment + [""]:
        if line.startswith("  "):
            table.append(line[2:])
            continue
        if table:
            text += ["", "```", *table, "```", ""]
            table = []
        text.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(text)).strip("\n")


# Sections of programs beside the daemon, which have a page of their own.
OF_HELPERS = ("Route", "Hook", "Web", "Map", "MQTT")


def configuration(of_helpers):
    """The keys below a comment, then the comment."""
    lines, comment, keys, started = [], [], [], False

    def close():
        if comment or keys:
            lines.extend(["", "\\\n".join(f"**`{key}`**" for key in keys)] if keys else [])
            lines.extend(["", paragraphs(comment)])
        comment.clear()
        keys.clear()

    for line in read("etc/georemind.conf").split("\n"):
        if section := re.fullmatch(r"\[(\w+)\]", line):
            close()
            started = (section[1] in OF_HELPERS) == of_helpers
            if started:
                lines += ["", f"## [{section[1]}]"]
        elif not started:
            continue
        elif re.fullmatch(r"#[A-Z][A-Za-z]+=.*", line):
            keys.append(line[1:])
        elif line.startswith("#"):
            if keys:
                close()
            comment.append(line[2:])
    close()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


# --- varlink

def varlink():
    path = "Sources/Control/org.georemind.varlink"
    if os.path.exists(os.path.join(root, path)):
        text = read(path)
    else:
        text = re.search(r'static let text = """\n(.*?)\n    """',
                         read("Sources/Control/GeoremindInterface.swift"), re.S)[1]
        text = re.sub(r"^    ", "", text, flags=re.M)
    ledger, places, rest, maps, errors = (text.index(word) for word in (
        "# Past firings from the ledger", "# Adds a place.", "# The current fix", "# Each position that counts",
        "# Nothing has this id"))
    parts = (text[:ledger] + text[rest:maps] + text[errors:], text[places:rest], text[ledger:places],
             text[maps:errors])
    return ["```varlink\n" + part.strip("\n") + "\n```" for part in parts]


# --- calendar properties

def calendar_properties():
    """A row for each RFC, from the table of the reader."""
    source = read("Sources/Interchange/ICalendar/CalendarProperties.swift")
    table = re.search(r'static let table = """\n(.*?)\n    """', source, re.S)[1]
    found = {}
    for line in table.split("\n"):
        standard, treatment, names = line.strip().split("|")
        found.setdefault(standard, {}).setdefault(treatment, []).extend(f"`{name}`" for name in names.split())
    lines = ["| standard | honoured | kept | named |", "| --- | --- | --- | --- |"]
    for standard, treatments in found.items():
        label = f"[RFC {standard}](https://www.rfc-editor.org/rfc/rfc{standard})" if standard.isdigit() else standard + " 1.0"
        lines.append(" | ".join(["| " + label] + [
            ", ".join(treatments.get(name, ["–"])) for name in ("honoured", "kept", "named")]) + " |")
    return "\n".join(lines)


# --- pages

def put(page, text):
    """Answers whether the page had another text."""
    path = f"docs/reference/{page}"
    old = read(path)
    new = re.sub(r"(<!-- generated [^\n]*-->\n).*?(<!-- end generated -->)",
                 lambda found: f"{found[1]}\n{text}\n\n{found[2]}", old, flags=re.S)
    if new != old and not only_check:
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(new)
    return new != old


def lacking():
    """Facts of the sources that a page written by hand does not have."""
    journal, fields = read("docs/reference/journal.md"), read("docs/reference/reminder-json.md")
    ids = re.findall(r'case \w+ = "([0-9a-f]{32})"', read("Sources/Daemon/Journal/MessageIDs.swift"))
    yield from (f"docs/reference/journal.md lacks the message id {name}" for name in ids if name not in journal)
    entry = re.findall(r'entry\.add\("(GEOREMIND_\w+)"', read("Sources/Daemon/Journal/Announcer.swift"))
    yield from (f"docs/reference/journal.md lacks {name}" for name in sorted(set(entry)) if name not in journal)
    known = re.findall(r"\.Va ((?:[a-z_]+ ?(?:, )?)+)$", read("man/georemind-reminders.7.in"), re.M)
    for name in sorted({word for line in known for word in re.findall(r"[a-z_]+", line)}):
        if f"`{name}`" not in fields:
            yield f"docs/reference/reminder-json.md lacks {name}"


def main():
    help = help_of("georemind")
    interface, for_places, for_destinations, for_maps = varlink()
    pages = [
        ("verbs.md", "\n".join(verbs(help, "georemind", lambda name: name not in FOR_PLACES | FOR_PHONES)).strip()),
        ("verbs-for-places.md", "\n".join(verbs(help, "georemind", lambda name: name in FOR_PLACES)).strip()),
        ("verbs-for-phones.md", "\n".join(verbs(help, "georemind", lambda name: name in FOR_PHONES)).strip()),
        ("command-line.md", command_line()), ("configuration.md", configuration(False)),
        ("configuration-of-helpers.md", configuration(True)), ("calendar-properties.md", calendar_properties()),
        ("varlink.md", interface),
        ("varlink-for-places.md", for_places),
        ("varlink-for-maps.md", for_maps),
        ("varlink-for-destinations.md", for_destinations)]
    stale = [page for page, text in pages if put(page, text)]
    missing = list(lacking())
    for page in stale:
        print(f"docs/reference/{page} {'is stale: make docs' if only_check else 'made anew'}")
    print("\n".join(missing) or f"{len(pages) - (len(stale) if only_check else 0)} pages of docs/reference are up to date")
    sys.exit(bool(missing) or only_check and bool(stale))


main()
