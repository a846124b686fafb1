#!/usr/bin/env python3
"""Opens the reports of georemind in a headless Chromium, as people would.

usage: check.py GEOREMIND [FOLDER]   GEOREMIND is the program; pictures go to FOLDER where it is given

Prints a line a check and ends with "N passed, N failed". Skipped, saying so, where there is no Chromium
(Debian: apt-get install chromium).
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../map"))
import browser
import cross

program = os.path.abspath(sys.argv[1])
pictures = sys.argv[2] if len(sys.argv) > 2 else None
root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
passed = failed = 0


def check(name, holds, seen=""):
    global passed, failed
    print(f"{'ok   ' if holds else 'FAIL '} {name}{f': {seen}' if seen != '' else ''}")
    if holds:
        passed += 1
    else:
        failed += 1


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def angle(value, width):
    degrees = int(abs(value))
    return f"{degrees:0{width}d}{(abs(value) - degrees) * 60:07.4f}"


def day(path):
    """A day at 1 Hz: driving, resting, a receiver with 3 m of noise; seeded."""
    dice = random.Random(5)
    lat, lon, course, speed = 53.55, 9.99, 0.0, 0.0
    with open(path, "w", newline="") as file:
        for second in range(86400):
            if second % 20 == 0:
                course += dice.gauss(0, 0.4)
                speed = max(0, min(35, speed + dice.gauss(0, 5))) if second % 14400 < 9000 else 0
            lat += speed * math.cos(course) / 111195
            lon += speed * math.sin(course) / 111195 / math.cos(math.radians(lat))
            n, e = lat + dice.gauss(0, 3) / 111195, lon + dice.gauss(0, 3) / 66000
            clock = f"{second // 3600:02d}{second // 60 % 60:02d}{second % 60:02d}.00"
            place = f"{angle(n, 2)},{'N' if n >= 0 else 'S'},{angle(e, 3)},{'E' if e >= 0 else 'W'}"
            file.write(sentence(f"GPGGA,{clock},{place},1,09,0.9,12.0,M,45.0,M,,"))
            file.write(sentence(f"GPRMC,{clock},A,{place},{speed * 1.94384:.1f},"
                                f"{math.degrees(course) % 360:.1f},120626,,,A"))


def report(recording, reminders, path, *options):
    done = subprocess.run(
        [program, "replay", recording, "--reminders", reminders, "--report", path, "--json", *options],
        capture_output=True, text=True, env={**os.environ, "TZ": "Europe/Berlin"})
    if done.returncode != 0:
        sys.exit(f"georemind replay: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_keyboard(page, firings):
    """The titles that are found with Tab alone, each opened with Enter and described in words."""
    found = []
    page.ask("document.activeElement.blur()")
    for _ in range(len(firings) + 40):
        page.key("Tab", 9)
        item = page.ask("document.activeElement.closest?.('li')?.id ?? ''")
        if not item.startswith("firing-"):
            if found:
                break
            continue
        page.key("Enter", 13, "\r")
        found.append(page.ask("""(() => { const details = document.activeElement.parentElement;
          return { open: details.open, title: details.querySelector('.title').textContent,
            why: details.querySelector('.why').textContent, rows: details.querySelectorAll('dd').length } })()"""))
    return [f["title"] for f in found if f["open"] and f["why"] and f["rows"] >= 3]


def with_tiles(page, folder):
    """Tiles of the file are in the page: the square of each is under a mark at the same point."""
    for kind in ("vector", "raster"):
        made = cross.tiles(f"{folder}/{kind}.mbtiles", kind)
        zoom, _, lat, lon = next(point for point in made if point[0] == 15 and point[1] == "60")
        with open(f"{folder}/spot.nmea", "w", newline="") as file:
            place = f"{angle(lat, 2)},N,{angle(lon, 3)},E"
            for second in range(20):
                file.write(sentence(f"GPRMC,1000{second:02d}.00,A,{place},0.0,0.0,120626,,,A"))
        report(f"{folder}/spot.nmea", f"{root}/examples/reminders.json", f"{folder}/{kind}.html", "--map", f"{folder}/{kind}.mbtiles")
        page.open(f"{folder}/{kind}.html", 500, 700)
        page.ask(f"['fences', 'marks', 'lines', 'places', 'firings'].forEach(n => map.set(n, [])); map.set('me', null); map.go({lat}, {lon}, {zoom})")
        for _ in range(100):
            if page.ask("new Promise(d => setTimeout(d, 30)).then(() => !map.isBusy())"):
                break
        box = page.ask("(() => { const { left, top } = document.querySelector('#map > canvas').getBoundingClientRect(); return [left, top] })()")
        x, y = (a + b for a, b in zip(page.ask(f"map.at({lat}, {lon})"), box))
        if pictures:
            page.picture(f"{pictures}/{kind}.png")
        rows = cross.pixels(page, round(x) - 24, round(y) - 24, 48)
        colour, slack = (cross.WATER, 14) if kind == "vector" else (cross.RED, 90)
        square = cross.middle(rows, colour, slack)
        off = square and math.dist(square, (x - round(x) + 24, y - round(y) + 24))
        check(f"{kind} tiles are in the report, within a pixel", square and off <= 1, f"{off:.2f} px" if square else "no square")
        check(f"{kind}: the authors are named", page.ask("document.getElementById('credit').textContent") == ("© OpenStreetMap contributors" if kind == "vector" else ""))


def main():
    if pictures:
        os.makedirs(pictures, exist_ok=True)
    chromium = browser.find()
    if not chromium:
        print("report check skipped: there is no Chromium")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = browser.Browser(chromium)
        try:
            run(page, folder)
        finally:
            page.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


def run(page, folder):
    path = f"{folder}/drive.html"
    firings = report(f"{root}/examples/drive.nmea", f"{root}/examples/reminders.json", path)
    for width, height, dark in ((1280, 800, False), (390, 844, False), (1280, 800, True), (390, 844, True)):
        page.open(path, width, height, dark)
        size = f"{width}x{height}{' dark' if dark else ''}"
        # Each is in sight, and the canvas shows more than its ground.
        marks = page.ask("(() => { const { width, height } = document.querySelector('#map > canvas').getBoundingClientRect();"
                         " return data.firings.map(f => map.at(f.lat, f.lon)).filter(([x, y]) => x > 0 && y > 0 && x < width && y < height).length })()")
        check(f"{size}: every firing is on the map", marks == len(firings), marks)
        colours = page.ask("(() => { const c = document.querySelector('#map > canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                           " return new Set(new Uint32Array(d.buffer)).size })()")
        check(f"{size}: the map is drawn", colours > 20, colours)
        line = page.ask("document.querySelectorAll('#line .firing').length")
        check(f"{size}: every firing is on the time line", line == len(firings), line)
        wide = page.ask("document.documentElement.scrollWidth")
        check(f"{size}: nothing is wider than the screen", wide <= width, wide)
        if pictures:
            page.picture(f"{pictures}/drive-{width}x{height}{'-dark' if dark else ''}.png")
    page.open(path, 1280, 800)
    titles = by_keyboard(page, firings)
    check("every firing is found and described by keyboard", titles == [f["title"] for f in firings], len(titles))
    page.open(path, 1280, 800)
    page.ask("document.getElementById('map').focus()")
    named = []
    for _ in firings:
        page.key("n", 78, "n")
        named.append(page.ask("document.getElementById('cursor').textContent"))
    check("N goes from firing to firing on the map and says which",
          all(f["title"] in text for f, text in zip(firings, named)), named[-1])
    before = page.ask("[map.z, ...map.centre()].join()")
    page.key("+", 187, "+")
    page.key("ArrowLeft", 37)
    check("the map moves and scales by keyboard", page.ask(f"new Promise(d => setTimeout(d, 400)).then(() => [map.z, ...map.centre()].join() !== '{before}')"))
    page.ask("document.getElementById('slider').focus()")
    page.key("ArrowRight", 39)
    spoken = page.ask("document.getElementById('slider').getAttribute('aria-valuetext')")
    check("the moment is told in words", "km/h" in (spoken or ""), spoken)
    moved = page.ask("(async () => { document.getElementById('play').click(); await new Promise(d => setTimeout(d, 1200));"
                     " document.getElementById('play').click(); return Number(document.getElementById('slider').value) })()")
    check("the trip plays", moved > 5, f"{moved} s of it in 1.2 s")
    printed = page.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"]
    check("it can be printed", len(printed) > 20000, f"{len(printed) * 3 // 4} bytes of PDF")

    path = f"{folder}/day.html"
    day(f"{folder}/day.nmea")
    begun = time.monotonic()
    report(f"{folder}/day.nmea", f"{root}/examples/reminders.json", path)
    took = time.monotonic() - begun
    size = os.path.getsize(path)
    check("a day of 86400 fixes is at most 3 MB", size <= 3_000_000, f"{size} bytes, replayed in {took:.2f} s")
    ready = page.open(path, 1280, 800)
    check("it can be used within 2 s", ready <= 2, f"{ready:.2f} s")
    points = page.ask("track.t.length")
    frame = page.ask("""new Promise(done => { const begun = performance.now();
      document.getElementById('map').dispatchEvent(new KeyboardEvent('keydown', { key: '+' }));
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun))) })""")
    check("a step of the map is drawn within 0.5 s", frame <= 500, f"{frame:.0f} ms, {points} points")
    if pictures:
        page.picture(f"{pictures}/day.png")

    with_tiles(page, folder)

    path = f"{folder}/hostile.html"
    with open(f"{folder}/hostile.json", "w") as file:
        evil = "</script><script>window.caught=1</script><img src=x onerror=window.caught=1>\"'&"
        json.dump([{"id": evil.replace(" ", "_"), "kind": "location", "title": evil, "category": evil, "priority": 1,
                    "place": {"name": evil, "lat": 53.5549, "lon": 9.9126, "radius_m": 60}}], file)
    firings = report(f"{root}/examples/drive.nmea", f"{folder}/hostile.json", path)
    page.open(path, 1280, 800)
    check("words that look like markup are words",
          len(firings) == 1 and page.ask("window.caught") is None
          and page.ask("document.querySelector('.title').textContent") == firings[0]["title"])
    check("no request to any network", not page.requests, page.requests or "")
    check("no complaint in the console", not page.complaints, page.complaints or "")


main()
