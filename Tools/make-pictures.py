#!/usr/bin/env python3
"""Makes the pictures of README from the programs and the bundled drive.

usage: make-pictures.py FOLDER-OF-THE-PROGRAMS [--check]

    docs/watch.svg    what `georemind watch` shows along the drive, animated
    docs/report.png   the page of `georemind replay --report`
    docs/map.png      the live map along the drive
    docs/arrival.svg  the live map while a reminder fires, animated

All but the first need Chromium, else they stay. With --check nothing is written; it ends with 1 if
docs/watch.svg is stale. The others depend on the browser and its fonts, so they are not compared.
"""

import datetime
import fcntl
import html
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

root = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, f"{root}/Tests/System/report")
sys.path.insert(0, f"{root}/Tests/System/map")
import browser
from live import Live, Machine

COLUMNS, ROWS = 100, 21
# The drive pauses after these sentences (UTC); each ends the second before it.
PAUSES = {"154001", "154106", "154500", "155056", "155256", "155817", "160011", "160546", "161230", "161357"}
SECONDS, LAST_SECONDS = 2, 6
SIZE, LINE, MARGIN, BAR = 13, 19, 18, 34
CLASSES = {"1": "c", "2": "s", "1;31": "a"}


def parts(drive):
    """The drive in pieces, each with the local time that the page shows after it."""
    piece, last = [], None
    for line in drive:
        piece.append(line)
        if not line.startswith("$GNRMC"):
            continue
        if line[7:13] in PAUSES:
            yield "".join(piece), last
            piece = []
        last = (datetime.datetime.strptime(line[7:13], "%H%M%S") + datetime.timedelta(hours=2)).strftime("%H:%M:%S")


def draw(screen, output):
    """`watch` writes whole lines, each after the position of its row."""
    for row, text in re.findall(r"\x1b\[(\d+);1H(.*?)(?=\x1b\[\d+;1H|\x1b\[\?|\Z)", output, re.S):
        screen[int(row) - 1] = text.replace("\x1b[K", "").rstrip()


def frames(programs):
    environment = {**os.environ, "TZ": "Europe/Berlin", "LANG": "C.UTF-8", "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory() as folder, open(f"{root}/examples/drive.nmea", newline="") as drive:
        fifo, socket = f"{folder}/drive.nmea", f"{folder}/control"
        os.mkfifo(fifo)
        with open(f"{folder}/conf", "w") as file:
            file.write(f"[Reminders]\nFile={root}/examples/reminders.json\n")
        # A FIFO is a recording that goes on when this script writes.
        receiver = os.open(fifo, os.O_RDWR)
        daemon = subprocess.Popen(
            [f"{programs}/georemindd", "--config", f"{folder}/conf", "--state-directory", folder, "--socket", socket,
             "--feed", f"file://{fifo}?speed=max", "--foreground-journal"], env=environment,
            stdout=subprocess.DEVNULL)
        terminal, other_end = pty.openpty()
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        while not os.path.exists(socket) and daemon.poll() is None:
            time.sleep(0.05)
        watch = subprocess.Popen([f"{programs}/georemind", "--socket", socket, "watch"], env=environment,
                                 stdin=other_end, stdout=other_end, start_new_session=True)
        screen = [""] * ROWS
        try:
            for piece, clock in parts(drive):
                data, limit, quiet = piece.encode(), time.monotonic() + 20, 20
                # The page asks once a second; its firings may come after its clock.
                while quiet:
                    if time.monotonic() > limit:
                        sys.exit(f"make-pictures: the page does not come to {clock}: {screen[0]}")
                    readable, writable, _ = select.select([terminal], [receiver] if data else [], [], 0.05)
                    if writable:
                        data = data[os.write(receiver, data[:4096]):]
                    if readable:
                        draw(screen, os.read(terminal, 1 << 16).decode())
                    quiet = quiet - 1 if not data and not readable and clock in screen[0] else 20
                yield [line.replace(fifo, "/usr/share/doc/georemind/examples/drive.nmea") for line in screen]
        finally:
            for process in (watch, daemon):
                process.terminate()
                process.wait()
            for descriptor in (receiver, terminal, other_end):
                os.close(descriptor)


def tinted(line):
    text = ""
    for code, piece in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", line):
        piece, name = html.escape(piece), CLASSES.get(code)
        text += f'<tspan class="{name}">{piece}</tspan>' if name and piece else piece
    return text


def picture(title, frames):
    """One group for each frame. Without animation the last one is shown."""
    total = SECONDS * (len(frames) - 1) + LAST_SECONDS
    width, height = 2 * MARGIN + round(COLUMNS * SIZE * 0.602), BAR + 2 * MARGIN + LINE * (ROWS - 1) + 4
    lines = [f'''<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">
<style>
text {{ font: {SIZE}px ui-monospace, "DejaVu Sans Mono", Menlo, monospace; fill: #e6eaec; white-space: pre }}
.c {{ fill: #fff; font-weight: 700 }} .s {{ fill: #8a969e }} .a {{ fill: #ff7b72; font-weight: 700 }}
.f {{ visibility: hidden; animation: frame {total}s step-end infinite }} .l {{ animation: last {total}s step-end infinite }}
@keyframes frame {{ 0% {{ visibility: visible }} {SECONDS / total:.4%} {{ visibility: hidden }} }}
@keyframes last {{ 0% {{ visibility: hidden }} {1 - LAST_SECONDS / total:.4%} {{ visibility: visible }} }}
@media (prefers-reduced-motion) {{ .f, .l {{ animation: none }} }}
</style>
<rect width="{width}" height="{height}" rx="10" fill="#161b1f"/>
<g fill="#3a444b"><circle cx="20" cy="18" r="6"/><circle cx="40" cy="18" r="6"/><circle cx="60" cy="18" r="6"/></g>
<text class="s" x="{width / 2:.0f}" y="22" text-anchor="middle">{title}</text>''']
    for number, screen in enumerate(frames):
        last = number == len(frames) - 1
        lines.append('<g class="l">' if last else f'<g class="f" style="animation-delay: {number * SECONDS}s">')
        lines += [f'<text x="{MARGIN}" y="{BAR + MARGIN + LINE * row}" xml:space="preserve">{tinted(line)}</text>'
                  for row, line in enumerate(screen) if line]
        lines.append("</g>")
    return "\n".join(lines) + "\n</svg>\n"


def report(programs, path):
    program = browser.find()
    if not program:
        return print("docs/report.png stays as it is: making it needs Chromium")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{programs}/georemind", "replay", "examples/drive.nmea", "--reminders",
                        "examples/reminders.json", "--report", f"{folder}/trip.html"], cwd=root, check=True,
                       capture_output=True, env={**os.environ, "TZ": "Europe/Berlin", "LANG": "C.UTF-8"})
        page = browser.Browser(program)
        try:
            page.call("Emulation.setScrollbarsHidden", hidden=True)
            page.open(f"{folder}/trip.html", 1280, 820)
            page.picture(path, whole=True)
        finally:
            page.close()
    print("docs/report.png made anew")


# The arrival at the supermarket (UTC), and what stands before it and after it on the page.
ARRIVAL = [f"1550{second}" for second in range(30, 60, 3)] + ["155103", "155110"]
ARRIVAL_SIZE, STILL_TIME = (900, 480), "155330"


def until(drive, time):
    """The sentences of the drive before a time that are not read yet."""
    lines = []
    for line in drive:
        lines.append(line)
        if line.startswith("$GNRMC") and line[7:13] >= time:
            break
    return "".join(lines).encode()


def animated(pictures, width, height):
    """Pictures of the browser (WebP) one after the other. Without animation the last one is shown."""
    total = 0.8 * (len(pictures) - 1) + 4
    style = (f".f {{ visibility: hidden; animation: f {total}s step-end infinite }} .l {{ animation: l {total}s step-end infinite }} "
             f"@keyframes f {{ 0% {{ visibility: visible }} {0.8 / total:.4%} {{ visibility: hidden }} }} "
             f"@keyframes l {{ 0% {{ visibility: hidden }} {1 - 4 / total:.4%} {{ visibility: visible }} }} "
             "@media (prefers-reduced-motion) { .f, .l { animation: none } }")
    def role(number):
        return 'class="l"' if number == len(pictures) - 1 else f'class="f" style="animation-delay: {0.8 * number:.1f}s"'
    frames = "\n".join(f'<image {role(number)} width="{width}" height="{height}" href="data:image/webp;base64,{data}"/>'
                       for number, data in enumerate(pictures))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="A reminder fires on the map">\n<style>{style}</style>\n{frames}\n</svg>\n')


def live(programs):
    """The live map along the drive, as a picture and as an animated one."""
    program = browser.find()
    if not program or not os.path.exists(f"{programs}/georemind-web"):
        return print("docs/map.png and docs/arrival.svg stay as they are: making them needs Chromium and georemind-web")
    os.environ["TZ"] = "Europe/Berlin"
    machine, page = Machine(programs, feed="?time=own", settings=f"[Reminders]\nFile={root}/examples/reminders.json\n"), None
    with open(f"{root}/examples/drive.nmea", newline="") as drive:
        try:
            for name, place in (("Fish market", "53.5446,9.9530"), ("Altona station", "53.5527,9.9352"), ("Elbe tunnel", "53.5465,9.9180")):
                machine.run("place", "add", name, *place.split(","), "--category", "Travel")
            page = Live(program)
            page.call("Emulation.setScrollbarsHidden", hidden=True)
            machine.receiver.sendall(until(drive, "154800"))
            page.go(machine.link(), *ARRIVAL_SIZE)
            page.until("state.me && state.fences.length > 2")
            pictures = []
            for time_of_day in ARRIVAL:
                machine.receiver.sendall(until(drive, time_of_day))
                time.sleep(0.5)
                page.ask("follow(true); map.go(...map.centre(), 15.2)")
                page.calm()
                shot = page.call("Page.captureScreenshot", format="webp", quality=70)
                pictures.append(shot["data"])
            text = animated(pictures, *ARRIVAL_SIZE)
            with open(f"{root}/docs/arrival.svg", "w", encoding="utf-8") as file:
                file.write(text)
            machine.receiver.sendall(until(drive, STILL_TIME))
            page.go(machine.link("--name", "still").split("#")[0], 1280, 720)
            page.until("state.me && state.fences.length > 2")
            page.ask("loadTrail(); follow(false); map.fit([[53.530, 9.900], [53.5570, 10.006]])")
            time.sleep(0.6)
            page.calm()
            page.picture(f"{root}/docs/map.png")
        finally:
            if page:
                page.close()
            machine.stop()
    print(f"docs/map.png and docs/arrival.svg ({len(text) >> 10} kB) made anew")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__.split("\n\n")[1])
    programs, path = os.path.abspath(arguments[0]), f"{root}/docs/watch.svg"
    made = picture("georemind watch along the recorded drive", list(frames(programs)))
    with open(path, encoding="utf-8") as file:
        stale = file.read() != made
    if "--check" in sys.argv:
        print(f"docs/watch.svg is {'stale: make docs' if stale else 'up to date'}")
        sys.exit(stale)
    with open(path, "w", encoding="utf-8") as file:
        file.write(made)
    print("docs/watch.svg made anew" if stale else "docs/watch.svg is up to date")
    report(programs, f"{root}/docs/report.png")
    live(programs)


main()
