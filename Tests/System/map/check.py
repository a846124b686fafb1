#!/usr/bin/env python3
"""Opens the live map in a headless Chromium, as people would.

usage: check.py PROGRAMS [FOLDER]   PROGRAMS is the folder with georemind and georemind-web; pictures go to
FOLDER where it is given

Prints a line a check and ends with "N passed, N failed". Skipped, saying so, where there is no Chromium
(Debian: apt-get install chromium).
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
import cross
import crowd
import firefox
from live import Live, Machine, browser

passed = failed = 0
pictures = sys.argv[2] if len(sys.argv) > 2 else None


def check(name, holds, seen=""):
    global passed, failed
    print(f"{'ok   ' if holds else 'FAIL '} {name}{f': {seen}' if seen != '' else ''}", flush=True)
    if holds:
        passed += 1
    else:
        failed += 1


def picture(page, name):
    if pictures:
        os.makedirs(pictures, exist_ok=True)
        page.calm()
        page.picture(f"{pictures}/{name}.png")


def fill(machine):
    """A harbour with reminders and places, and someone on the quay."""
    closed = (time.localtime().tm_hour + 12) % 24
    for name, lat, lon, category in (("Baker", 47.141, 9.522, "Food"), ("Market", 47.142, 9.526, "Shopping"),
                                     ("Clinic", 47.137, 9.518, "Health"), ("<b>Odd & Co</b>", 47.1385, 9.5155, "Other")):
        machine.run("place", "add", name, str(lat), str(lon), "--category", category)
    for arguments in (("Bread", "--at", "47.141,9.522", "--radius", "120", "--category", "Food"),
                      ("Lock the door", "--at", "47.1395,9.5215", "--radius", "150", "--on", "depart", "--category", "Home"),
                      ("<img src=x onerror=alert(1)>", "--at", "47.145,9.53", "--radius", "200"),
                      ("Office hours", "--at", "47.1395,9.5215", "--radius", "90", "--hours", f"{closed:02}:00-{closed:02}:01", "--category", "Work")):
        machine.run("add", *arguments)


def pan(page, machine):
    """Fingers, mouse and keys."""
    page.ask("follow(false); map.go(47.14, 9.52, 13)")
    page.calm()
    before = page.ask("map.z")
    page.touch("touchStart", (165, 250), (225, 250))
    for step in range(1, 13):
        page.touch("touchMove", (165 - step * 5, 250), (225 + step * 5, 250))
        time.sleep(0.02)
    page.touch("touchEnd")
    time.sleep(0.8)
    change = page.ask("map.z") - before
    check("two fingers three times as far apart zoom by log2 3", abs(change - 1.585) < 0.3, round(change, 2))
    west = page.ask("map.centre()[1]")
    page.touch("touchStart", (100, 250))
    for step in range(1, 11):
        page.touch("touchMove", (100 + step * 10, 250))
        time.sleep(0.02)
    page.touch("touchEnd")
    time.sleep(0.8)
    check("a finger drags the map", page.ask("map.centre()[1]") < west - 1e-4)
    page.touch("touchStart", (190, 200))
    time.sleep(0.9)
    page.touch("touchEnd")
    check("a long press opens the form", page.until("state.view === 'add'", 3))
    picture(page, "add-390")
    page.ask("document.querySelector('#body [name=title]').value = 'From the page'; "
             "document.querySelector('#body .main').click()")
    check("the form adds a reminder", page.until("state.note.startsWith('Added')", 5), page.ask("state.note"))
    check("georemind list has it", "From the page" in machine.titles())
    page.ask("undo()")
    check("undo takes it back", page.until("state.note.startsWith('Took back')", 5), page.ask("state.note"))
    check("georemind list has it no more", "From the page" not in machine.titles())
    check("the page has it no more",
          page.until("![...state.reminders.values()].some(r => r.title === 'From the page')", 5))


def keys(page, machine):
    page.ask("follow(false); document.getElementById('map').focus(); map.go(47.14, 9.52, 13)")
    page.calm()
    before = page.ask("[map.centre()[1], map.z]")
    page.key("ArrowRight", 39)
    page.key("+", 187, "+")
    time.sleep(0.6)
    after = page.ask("[map.centre()[1], map.z]")
    check("arrow and plus move and zoom", after[0] > before[0] and after[1] > before[1] + 0.5, after)
    page.key("a", 65, "a")
    check("A opens the form", page.until("state.view === 'add'", 3))
    check("with the title in the focus", page.ask("document.activeElement.name") == "title")
    for letter in "Keys":
        page.key(letter, ord(letter.upper()), letter)
    page.key("Enter", 13, "\r")
    check("the keyboard alone adds a reminder", page.until("state.note.startsWith('Added')", 5), page.ask("state.note"))
    check("as the list shows", "Keys" in machine.titles())
    page.ask("undo()")
    page.until("state.note.startsWith('Took back')", 5)
    page.ask("document.getElementById('map').focus()")
    page.key("g", 71, "g")
    check("G supposes another position", page.until("state.ghost && state.fences.every(f => f.presence)", 3))


def search(page, machine):
    page.ask("follow(false); map.go(47.14, 9.52, 14)")
    page.ask("document.getElementById('words').value = 'mark'; document.getElementById('words').dispatchEvent(new Event('input'))")
    check("a search lists places", page.until("document.querySelector('#found .row')", 5))
    check("by their beginning", "Market" in page.ask("document.getElementById('found').textContent"))
    picture(page, "search-390")
    page.ask("document.querySelector('#found .row').click()")
    check("a result opens", page.until("state.view === 'place'", 3))
    page.ask("document.getElementById('words').value = ''; document.getElementById('words').dispatchEvent(new Event('input'))")


def ghost(page, machine):
    page.ask("map.go(47.14, 9.522, 15); setGhost({ lat: 47.141, lon: 9.522 })")
    inside = "state.fences.find(f => f.title === 'Bread')?.presence"
    check("the ghost is inside", page.until(f"{inside} === 'inside'", 5), page.ask(inside))
    page.ask("openReminder(state.fences.find(f => f.title === 'Bread').id)")
    check("why answers as if there", page.until("document.getElementById('body').textContent.includes('As if you were at')", 5))
    picture(page, "ghost-1400")
    time.sleep(2.5)  # What is open is read again.
    page.ask("openList(); openReminder(state.fences.find(f => f.title === 'Bread').id)")
    check("a reminder that was closed opens again", page.until("state.view === 'reminder'", 3))
    page.ask("setGhost(null); openList()")
    check("without it, one is where one is", page.until(f"{inside} === 'outside'", 5), page.ask(inside))


def anchor(page, machine):
    machine.fix(47.1393, 9.5213)
    time.sleep(0.5)
    machine.run("anchor", "set", "--radius", "60m", "--bearing", "90", "--distance", "30m")
    page.ask("openReminder('anchor')")
    shown = "document.querySelector('#anchor .anchor')?.textContent"
    check("the anchor's distance and bearing are large", page.until(f"/^30 m +090° E$/.test({shown})", 5), page.ask(shown))
    machine.fix(47.1393, 9.5211)
    check("and follow each position", page.until(f"/^4[56] m +090° E$/.test({shown})", 3), page.ask(shown))
    page.ask("night('red')")
    picture(page, "anchor-1400")
    alarm(page, machine)
    page.ask("night('auto'); [...document.querySelectorAll('.acts button')].find(b => b.textContent === 'Raise').click()")
    check("Raise ends the watch", page.until("state.note.startsWith('The anchor is up')", 5) and "Anchor" not in str(machine.titles()), machine.titles())


def alarm(page, machine):
    """The boat drags: the alarm is in words, and boat and circle are in sight."""
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    page.ask("night('auto')")
    machine.run("anchor", "set", "--hold", "1s")
    for step in range(12):
        machine.fix(47.1393 + step * 0.0002, 9.5211)
        time.sleep(0.5)
    said = "document.querySelector('#anchor .alarm')?.textContent"
    check("a drag is an alarm in words", page.until(f"/^ALARM: dragging since \\d\\d:\\d\\d$/.test({said})", 8), page.ask(said))
    check("and in the line of the state", page.until("byId('state').textContent.includes('ALARM: dragging')", 5))
    seen = "(b => [[state.me.lat, state.me.lon], [47.1393, 9.5217]].every(([y, x]) => y > b.south && y < b.north && x > b.west && x < b.east))(map.bounds())"
    check("boat and anchor are in sight", page.until(seen, 5), page.ask("JSON.stringify(map.bounds())"))
    clear = "[map.at(state.me.lat, state.me.lon)[1], document.getElementById('chips').getBoundingClientRect().bottom]"
    y, covered = page.ask(clear)
    check("and nothing lies over the boat", page.until(f"(([y, b]) => y > b)({clear})", 5), [y, covered])
    check("the reasons have the whole width", page.ask("document.querySelector('.gate span').getBoundingClientRect().width") > 200)
    check("no gate of an alarm has a tick", page.ask("!document.querySelector('.gate b')"))
    picture(page, "alarm-390")
    page.ask("showAnchor.isHeld = true; map.go(47.2, 9.6, 14)")
    machine.fix(47.1421, 9.5212)
    time.sleep(2.5)
    check("a map that a hand has moved stays", page.ask("Math.abs(map.centre()[0] - 47.2) < 1e-6"))
    machine.run("done", "anchor")
    check("an acknowledged drift says so", page.until("document.getElementById('anchor')?.textContent.includes('acknowledged')", 5))
    page.call("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)


def resume(page, machine):
    """The service is away while reminders fire."""
    had = page.ask("state.seq")
    machine.web.terminate()
    machine.web.wait()
    check("the page says that it is away", page.until("document.getElementById('state').textContent.includes('No connection')", 5))
    for number in range(3):
        machine.run("add", f"Gap {number}", "--due", "in 1s")
    time.sleep(4)
    machine.web = machine.start_web()
    check("the gap arrives", page.until(f"state.seq === {had} + 3", 20), page.ask("state.seq"))
    check("each firing once", page.ask("new Set(state.firings.map(f => f.seq)).size === state.firings.length"))
    check("the connection is back", page.until("!document.getElementById('state').textContent.includes('No connection')", 8))


def fixes(page, machine):
    page.ask("window.seen = []; window.set = map.set; map.set = (n, v) => { if (n === 'me') requestAnimationFrame(() => seen.push([v.lat, Date.now() - Date.parse(v.time)])); window.set(n, v); }")
    for number in range(40):
        machine.fix(47.1393 + number * 1e-6, 9.5213)
        time.sleep(0.15)
    page.until("seen.length >= 40", 5)
    seen = page.ask("seen")
    check("40 of 40 positions arrive", len(seen) == 40 and len({s[0] for s in seen}) == 40, len(seen))
    late = sorted(s[1] for s in seen)
    check("95 % are drawn within 0.3 s", late and late[int(len(late) * 0.95)] <= 300, f"{late[int(len(late) * 0.95)]} ms")


def palettes(page):
    # The bytes of tiles are here, and their frame is yet to come.
    page.ask("""(async () => { map.go(-20, 100, map.z); const frame = requestAnimationFrame, held = [];
      await new Promise(frame); window.requestAnimationFrame = job => held.push(job);
      await new Promise(next => setTimeout(next, 500)); night('dark');
      window.requestAnimationFrame = frame; held.forEach(job => frame(job)); })()""")
    check("tiles that come while the palette changes are drawn", page.until("!map.isBusy()", 5))


def contrast(page):
    """The least contrast of the panel's texts (WCAG 2.1), in each palette."""
    script = """(() => { const rgb = c => c.match(/[\\d.]+/g).map(Number), lum = c => { const [r, g, b] = rgb(c).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgb(c).length < 4 || rgb(c)[3] === 1) return c; } return 'rgb(255,255,255)'; };
      let least = 99; for (const e of document.querySelectorAll('#panel *, #chips button, #buttons button')) { if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue; const a = lum(getComputedStyle(e).color), b = lum(behind(e)); least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)); } return least; })()"""
    for name in ("day", "dark", "red"):
        page.ask(f"night('{name}')")
        page.ask("openReminder(state.fences[0].id)")
        page.until("document.querySelector('.gate')", 5)
        least = page.ask(script)
        check(f"contrast in the palette {name}", least >= 4.5, round(least, 2))


# Tiles of noise, and a good one with changed bytes: each is read and drawn, or left empty.
HOSTILE = """(async () => { let seed = 7; const next = n => (seed = seed * 48271 % 2147483647) % n;
  const good = new Uint8Array(await (await fetch('tiles/NAME')).arrayBuffer()), canvas = document.createElement('canvas');
  const begun = performance.now(); let drawn = 0;
  for (let round = 0; round < 3000; round++) {
    const tile = round % 2 ? Uint8Array.from(good) : new Uint8Array(next(300)).map(() => next(256));
    for (let i = 0; i < 1 + next(6) && tile.length; i++) tile[next(tile.length)] = next(256);
    const layers = VectorTiles.decode(tile);
    if (Object.keys(layers).length) { VectorTiles.draw(canvas, layers, 64, 14, 1, 'light'); drawn++; }
  }
  return good.length > 20 && drawn > 100 && performance.now() - begun < 20000; })()"""


def against_tiles(program, kind):
    with tempfile.TemporaryDirectory() as folder:
        made = cross.tiles(f"{folder}/{kind}.mbtiles", kind)
        machine, page = Machine(sys.argv[1], f"{folder}/{kind}.mbtiles"), None
        try:
            page = Live(program)
            page.go(machine.link(), 500, 400)
            distance, where = cross.worst(page, f"http://127.0.0.1:{machine.port}/map/", made, kind)
            check(f"marks are on the {kind} tiles, within a pixel", distance <= 1, f"{distance} px at {where}")
            if kind == "vector":
                zoom, _, lat, lon = made[0]
                name = f"{zoom}/{int((lon + 180) / 360 * 2 ** zoom)}/{int(2 ** zoom / 2 - 1)}"
                check("tiles of noise are read to their end", page.ask(HOSTILE.replace("NAME", name)))
                palettes(page)
        finally:
            if page:
                page.close()
            machine.stop()


def quick(name, holds, seen):
    """A check of times, which a machine with other work cannot make."""
    if (load := os.getloadavg()[0]) > os.cpu_count():
        print(f"not judged: {name}: {seen} at a load of {load:.1f}", flush=True)
    else:
        check(name, holds, seen)


def many(program):
    """Figures of a release build; a debug build takes more memory."""
    machine, page = Machine(sys.argv[1], os.environ.get("GEOREMIND_TILES")), None
    try:
        crowd.fill(machine)
        for _ in range(4):
            machine.fix(47.1393, 9.5213)
            time.sleep(0.3)
        url = machine.link()
        page = Live(program)
        page.go(url, 1400, 900)
        seconds = page.go(url.split("#")[0], 1400, 900)
        first = page.ask("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        quick("10 000 places: the first paint takes 0.5 s", first <= 500, f"{first:.0f} ms")
        quick("the page is ready in 0.5 s", seconds <= 0.5, f"{seconds:.2f} s")
        page.until("state.fences.length === 200", 5)
        check("500 firings are on the page", page.until("state.firings.length >= 500", 10), page.ask("state.firings.length"))
        page.ask("follow(false); map.go(47.2, 9.595, 14)")
        picture(page, "crowd-1400")
        cost = crowd.zoom_step(page)
        quick("a zoom step takes 150 ms of the renderer", cost <= 150, f"{cost:.0f} ms")
        late = crowd.drag(page)
        quick("95 % of the frames of a drag take 40 ms", late <= 40, f"{late:.0f} ms")
        page.close()
        page = None
        # The service notices by its next events that the page has closed: the first one is answered by a reset.
        for _ in range(3):
            machine.fix(47.1393, 9.5213)
            time.sleep(1)
        share, memory, fewest = crowd.pages(machine, url.split("#")[1], 20, 10)
        quick("20 pages: 1 % of a core", share <= 0.01, f"{share * 100:.2f} %")
        check("14 MB", memory <= 14, f"{memory:.1f} MB")
        check("and each position", fewest >= 10, fewest)
    finally:
        if page:
            page.close()
        machine.stop()


def seeds(page, machine):
    """Search places, see the results as marks with the nearest first, save one, give it a category with a
    colour, and see it after a restart."""
    machine.run("category", "add", "Harbour", "#0B7285")
    for name, lat, lon in (("Bakery Far", 47.16, 9.56), ("Bakery Near", 47.1402, 9.5222), ("Bakery Middle", 47.15, 9.53)):
        machine.run("place", "add", name, str(lat), str(lon))
    page.ask("openList(); follow(false); map.go(47.14, 9.522, 14); document.getElementById('words').focus()")
    for letter in "bakery":
        page.key(letter, ord(letter.upper()), letter)
    page.until("document.querySelectorAll('#found .row').length === 3", 5)
    names = page.ask("[...document.querySelectorAll('#found .row span:nth-child(2)')].map(e => e.textContent)")
    check("results come nearest first", names == ["Bakery Near", "Bakery Middle", "Bakery Far"], names)
    picture(page, "seed-search-1400")
    page.key("Escape", 27)
    x, y = page.ask("(() => { const { left, top } = document.getElementById('map').getBoundingClientRect(), [x, y] = map.at(47.1405, 9.5275); return [left + x, top + y] })()")
    page.mouse("mousePressed", x, y, "right", 2)
    page.mouse("mouseReleased", x, y, "right", 0)
    check("a right click opens the form", page.until("state.view === 'add'", 3))
    page.until("document.activeElement.name === 'title'", 3)
    for letter in "Jetty":
        page.key(letter, ord(letter.upper()), letter)
    page.ask("document.querySelector('#body [name=category]').value = 'Harbour'; "
             "[...document.querySelectorAll('#body button')].find(b => b.textContent === 'Save as place').click()")
    check("it is saved as a place", page.until("state.note.startsWith('Saved Jetty')", 5), page.ask("state.note"))
    machine.restart()
    page.until("!document.getElementById('state').textContent.includes('No connection')", 20)
    page.ask("location.reload()")
    time.sleep(0.5)
    page.until("document.documentElement.dataset.ready && state.me !== undefined", 20)
    page.ask("follow(false); map.go(47.14, 9.525, 15)")
    found = "state.places.find(p => p.name === 'Jetty')"
    check("it is there after a restart, with the colour of its category",
          page.until(f"{found}?.color === '#0B7285'", 10), page.ask(f"JSON.stringify({found} ?? null)"))
    picture(page, "seed-place-1400")


def trips(page, machine):
    """A drive of an hour ago is kept as a trip, drawn, and played with what would have fired."""
    machine.run("add", "Half way", "--at", "47.146,9.53", "--radius", "150")
    begun = time.time() - 3600
    for second in range(0, 2400, 10):
        part = min(1, max(0, (second - 600) / 900))
        machine.fix(47.14 + 0.012 * part, 9.522 + 0.016 * part, at=begun + second)
    listed = machine.run("trips", "--json").splitlines()
    check("georemind trips lists the drive", len(listed) == 1, listed)
    gpx = machine.run("trips", "export", "last")
    check("its GPX has the way", gpx.count("<trkpt") > 60 and "</gpx>" in gpx, gpx.count("<trkpt"))
    page.ask("openPast()")
    check("the page lists it", page.until("document.querySelectorAll('#body .row').length === 2", 5))
    page.ask("document.querySelectorAll('#body .row')[1].click()")
    check("its way is drawn and what would have fired", page.until("state.view === 'track' && [...document.querySelectorAll('#body .row')].some(r => r.textContent.includes('Half way'))", 5),
          page.ask("document.getElementById('body').textContent"))
    page.ask("document.getElementById('slider').value = 60; document.getElementById('slider').dispatchEvent(new Event('input'))")
    check("before its time it has not fired", page.ask("!!document.querySelector('#body .row.ahead')"))
    page.ask("document.getElementById('play').click()")
    check("the trip plays", page.until("Number(document.getElementById('slider').value) > 70", 5), page.ask("document.getElementById('moment').textContent"))
    page.ask("document.getElementById('play').click()")
    picture(page, "trip-1400")
    page.ask("openList()")
    check("the list is back and the way of the last hours", page.ask("state.past === null"))


def region(program):
    """The how-to of a map of one's region, with the extract that GEOREMIND_EXTRACT names."""
    extract = os.environ.get("GEOREMIND_EXTRACT")
    if not extract or not shutil.which("tilemaker"):
        return print("skipped: a map of a region needs tilemaker, and GEOREMIND_EXTRACT with the path of an .osm.pbf")
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/../../../docs/how-to/map.md", encoding="utf-8") as guide:
        command = re.search(r"^tilemaker (?:.*\\\n)*.*$", guide.read(), re.M)[0].replace("\\\n", " ")
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        subprocess.run(re.sub(r"--input \S+", f"--input {extract}", command), shell=True, cwd=folder, check=True, capture_output=True)
        check("tilemaker makes the region", os.path.getsize(f"{folder}/region.mbtiles") > 100_000, f"{time.monotonic() - begun:.0f} s")
        with sqlite3.connect(f"{folder}/region.mbtiles") as database:
            west, south, east, north = map(float, database.execute("SELECT value FROM metadata WHERE name = 'bounds'").fetchone()[0].split(","))
        machine, page = Machine(sys.argv[1], f"{folder}/region.mbtiles"), None
        try:
            page = Live(program)
            page.go(machine.link(), 1400, 900)
            page.ask(f"follow(false); map.go({(south + north) / 2}, {(west + east) / 2}, 11)")
            page.calm()
            for name in ("day", "dark", "red"):
                page.ask(f"night('{name}')")
                page.calm()
                colours = page.ask("(() => { const seen = new Set(); for (const c of document.querySelectorAll('.tiles canvas')) for (const v of new Uint32Array("
                                   "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)) seen.add(v); return seen.size })()")
                check(f"the region is drawn, {name}", colours > 50, f"{colours} colours")
                picture(page, f"region-{name}-1400")
            page.go(machine.link("--name", "small").split("#")[0], 390, 844)
            page.ask(f"night('red'); follow(false); map.go({(south + north) / 2}, {(west + east) / 2}, 13)")
            picture(page, "region-red-390")
        finally:
            if page:
                page.close()
            machine.stop()


def in_firefox():
    if not (program := firefox.find()):
        return print("skipped: no Firefox on this machine")
    machine, page = Machine(sys.argv[1], os.environ.get("GEOREMIND_TILES")), None
    try:
        fill(machine)
        for _ in range(4):
            machine.fix(47.1393, 9.5213)
            time.sleep(0.3)
        page = firefox.Firefox(program)
        seconds = page.go(machine.link(), 1200, 800)
        check("Firefox: the page is ready", page.until("state.me && state.fences.length === 4", 10), f"{seconds:.2f} s")
        page.ask("(follow(false), map.go(47.14, 9.52, 13), 1)")
        page.until("!map.isBusy()")
        west = page.ask("map.centre()[1]")
        page.press([(300, 400)] + [(300 + 10 * step, 400) for step in range(1, 16)])
        check("Firefox: a drag moves the map", page.until(f"map.centre()[1] < {west} - 1e-3", 3), page.ask("map.centre()[1]"))
        page.press([(400, 300)], button=2)
        check("Firefox: a right click opens the form", page.until("state.view === 'add' && document.activeElement.name === 'title'", 5))
        page.type("Fox")
        page.ask("(document.querySelector('#body .main').click(), 1)")
        page.until("state.note.startsWith('Added')", 5)
        check("Firefox: the form adds a reminder", "Fox" in machine.titles(), page.ask("state.note"))
        if pictures:
            page.picture(f"{pictures}/firefox-1200.png")
    finally:
        if page:
            page.close()
        machine.stop()


def main():
    if not (program := browser.find()):
        print("skipped: no Chromium on this machine")
        return 0
    machine = Machine(sys.argv[1], os.environ.get("GEOREMIND_TILES"))
    page = None
    try:
        fill(machine)
        for _ in range(6):
            machine.fix(47.1393, 9.5213)
            time.sleep(0.4)
        url = machine.link("--name", "check")
        page = Live(program)
        seconds = page.go(url, 390, 844, touch=True)
        check("the page is ready", page.ask("document.documentElement.dataset.ready === '1'"), f"{seconds:.2f} s")
        check("the token has left the address", "#" not in page.ask("location.href"))
        check("scripts cannot read the cookie", page.ask("document.cookie") == "")
        check("the position arrives", page.until("state.me", 5))
        check("fences have states", page.until("state.fences.length === 4", 5), page.ask("state.fences.map(f => f.title + ' ' + f.state)"))
        check("hours shut one", page.ask("state.fences.find(f => f.title === 'Office hours')?.shut?.includes('hours')"))
        picture(page, "list-390")
        pan(page, machine)
        search(page, machine)
        page.go(url.split("#")[0], 1400, 900)
        page.call("Emulation.setTouchEmulationEnabled", enabled=False)
        page.until("state.me && state.fences.length === 4", 5)
        picture(page, "list-1400")
        check("markup in a title stays text", page.ask("!document.querySelector('#panel img, #panel b:not([aria-label])')"))
        ghost(page, machine)
        keys(page, machine)
        page.ask("setGhost(null)")
        fixes(page, machine)
        contrast(page)
        picture(page, "red-1400")
        page.ask("night('dark')")
        picture(page, "dark-1400")
        page.ask("night('auto'); openList()")
        anchor(page, machine)
        seeds(page, machine)
        resume(page, machine)
        machine.run("web", "revoke", "check")
        check("a revoked link ends the page", page.until("document.getElementById('body').textContent.includes('link has ended')", 15))
        hosts = {request.split("/")[2] for request in page.requests if "//" in request}
        check("nothing is asked of another host", hosts <= {f"127.0.0.1:{machine.port}"}, hosts)
        odd = [c for c in page.complaints if "ERR_CONNECTION_REFUSED" not in c and "ERR_INCOMPLETE" not in c and "401" not in c and "status of 50" not in c]
        check("nothing in the console", not odd, odd[:3])
    finally:
        if page:
            page.close()
        machine.stop()
    in_firefox()
    region(program)
    kept = Machine(sys.argv[1], settings="[Track]\nKeep=30d\n", feed="?max-age=7d")
    try:
        page = Live(program)
        page.go(kept.link(), 1400, 900)
        trips(page, kept)
    finally:
        page.close()
        kept.stop()
    many(program)
    for kind in ("raster", "vector"):
        against_tiles(program, kind)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
