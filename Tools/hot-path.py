#!/usr/bin/env python3
"""Names the functions that a program runs on one way through it, for the linker to lay side by side.

usage: hot-path.py PROGRAM DUMP…

PROGRAM has its symbols; each DUMP is of `valgrind --tool=callgrind --dump-instr=yes`. Prints what
`lld --symbol-ordering-file` reads. docs/performance.md says how Tools/hot-path.order was made.
"""
import bisect
import os
import re
import subprocess
import sys


def functions(program):
    """Addresses and names, in the order of the addresses."""
    listing = subprocess.run(
        ["nm", "-n", "--defined-only", program], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tTwWvV":
            yield int(address, 16), name


def executed(dump, program):
    """Addresses of instructions of the program, as the file has them (callgrind's format)."""
    names, current, address, is_call = {}, None, 0, False
    for line in open(dump, errors="replace"):
        named = re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line)
        if named:
            names.setdefault(named[2], named[3])
            if not named[1]:
                current = os.path.basename(names[named[2]] or "")
        elif line.startswith("calls="):
            is_call = True
        elif line[:1] in "+-*0" and " " in line:
            first = line.split()[0]
            if first[0] in "+-":
                address += int(first, 0)
            elif first != "*":
                address = int(first, 16)
            # The line behind a call has the cost of what was called.
            if not is_call and current == os.path.basename(program):
                yield address
            is_call = False


def main(program, dumps):
    known = list(functions(program))
    starts = [address for address, _ in known]
    printed = set()
    for dump in dumps:
        for address in executed(dump, program):
            place = bisect.bisect_right(starts, address) - 1
            if place >= 0 and known[place] not in printed:
                printed.add(known[place])
                print(known[place][1])


main(sys.argv[1], sys.argv[2:])
