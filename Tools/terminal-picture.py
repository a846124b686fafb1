#!/usr/bin/env python3
"""A picture of a terminal session, as SVG: text in, with the few colours that the programs use.

usage: terminal-picture.py TITLE <SESSION >PICTURE.svg

Lines that begin with "$ " are commands. It can be read on light and on dark ground.
"""

import html
import re
import sys

SIZE, LINE, MARGIN, BAR, COLUMNS = 13, 19, 18, 34, 118


def wrapped(line):
    while len(line) > COLUMNS:
        cut = line.rfind(" ", 0, COLUMNS)
        cut = cut if cut > COLUMNS // 2 else COLUMNS
        yield line[:cut]
        line = "    " + line[cut:].lstrip()
    yield line


def tinted(line):
    text = html.escape(line)
    if line.startswith("$ "):
        return f'<tspan class="p">$</tspan><tspan class="c">{text[1:]}</tspan>'
    # journalctl's stamp, and what it is of.
    if match := re.match(r"(\w{3} \d\d [\d:]{8} \S+ )(georemindd\[\d+\]:)(.*)", text):
        return f'<tspan class="s">{match[1]}</tspan><tspan class="g">{match[2]}</tspan>{match[3]}'
    return text


lines = [part for line in sys.stdin.read().rstrip("\n").split("\n") for part in wrapped(line)]
width, height = 2 * MARGIN + round(COLUMNS * SIZE * 0.602), BAR + 2 * MARGIN + LINE * (len(lines) - 1) + 4
print(f'''<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(sys.argv[1])}">
<style>text {{ font: {SIZE}px ui-monospace, "DejaVu Sans Mono", Menlo, monospace; fill: #e6eaec; white-space: pre }} .p {{ fill: #58c7bf }} .c {{ fill: #fff; font-weight: 700 }} .s {{ fill: #8a969e }} .g {{ fill: #f0b45a }} .t {{ fill: #8a969e }}</style>
<rect width="{width}" height="{height}" rx="10" fill="#161b1f"/>
<g fill="#3a444b"><circle cx="20" cy="18" r="6"/><circle cx="40" cy="18" r="6"/><circle cx="60" cy="18" r="6"/></g>
<text class="t" x="{width / 2:.0f}" y="22" text-anchor="middle">{html.escape(sys.argv[1])}</text>''')
for number, line in enumerate(lines):
    if line:
        print(f'<text x="{MARGIN}" y="{BAR + MARGIN + LINE * number}" xml:space="preserve">{tinted(line)}</text>')
print("</svg>")
