"""Ten thousand places, hundreds of firings and fences, and twenty pages: what they cost."""

import json
import os
import random
import socket
import time


def fill(machine, places=10_000, fences=200, firings=500):
    dice = random.Random(3)
    path = f"{machine.folder}/places.geojson"

    def point():
        return [round(9.52 + dice.gauss(0, 0.05), 6), round(47.14 + dice.gauss(0, 0.03), 6)]
    with open(path, "w") as file:
        json.dump({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": f"Place {n}", "category": dice.choice(["Food", "Shopping", "Work"])},
             "geometry": {"type": "Point", "coordinates": point()}} for n in range(places)]}, file)
    machine.run("place", "import", path)
    reminders = []
    for number in range(fences):
        lon, lat = point()
        reminders.append({"kind": "location", "title": f"Fence {number}", "category": "Work",
                          "place": {"lat": lat, "lon": lon, "radius_m": 120}})
    path = f"{machine.folder}/reminders.json"
    with open(path, "w") as file:
        file.writelines(json.dumps(reminder) + "\n" for reminder in reminders)
    machine.run("import", path)
    # They fire one after the other on the way to their common middle.
    with open(path, "w") as file:
        for number in range(firings):
            file.write(json.dumps({"kind": "location", "title": f"Firing {number}", "category": "Food",
                                   "place": {"lat": 47.2, "lon": 9.6, "radius_m": 60 + 2 * number}}) + "\n")
    machine.run("import", path)
    for step in range(130):
        machine.fix(47.2, 9.6 - 1.6e-2 * max(0, 1 - step / 100), speed=60 if step < 100 else 0, track=90)
        time.sleep(0.2)


def used(pid):
    """Seconds of the processor that a process has taken."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    """MB of memory that a process has of its own, and shares."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Rss:")) / 1024


def renderer_time(page):
    """Seconds of the processor that the browser's renderers have taken."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                command = file.read()
            if "--type=renderer" in command and page.profile in command:
                total += used(pid)
        except OSError:
            pass
    return total


def zoom_step(page):
    """The mean of the milliseconds of the processor that the renderer takes for a zoom step."""
    page.ask("follow(false); map.go(47.14, 9.52, 12)")
    page.calm()
    begun = renderer_time(page)
    for step in range(1, 21):
        page.ask(f"map.go(47.14, 9.52, {12 + step % 2})")
        page.calm()
    return (renderer_time(page) - begun) * 1000 / 20


def drag(page):
    """The 95th percentile of the milliseconds of a frame while the map is dragged."""
    return page.ask("""(async () => { map.go(47.14, 9.52, 13); const times = []; let last = performance.now();
      for (let i = 0; i < 60; i++) { map.go(47.14, 9.52 + i * 2e-4, 13); await new Promise(requestAnimationFrame);
      const now = performance.now(); times.push(now - last); last = now; } return times.sort((a, b) => a - b)[57]; })()""")


def pages(machine, cookie, count, seconds):
    """So many pages listen while positions come once a second: (share of a core, MB, fewest fixes of a page)."""
    streams = []
    for number in range(count):
        # From several addresses, as each has a share.
        stream = socket.create_connection(("127.0.0.1", machine.port), source_address=(f"127.0.0.{number % 8 + 2}", 0))
        stream.sendall(f"GET /map/events HTTP/1.1\r\nHost: 127.0.0.1:{machine.port}\r\n"
                       f"Cookie: georemind-{machine.port}={cookie}\r\n\r\n".encode())
        # One after the other: connections that have not shown their link yet have a limit.
        stream.recv(1)
        stream.setblocking(False)
        streams.append(stream)
    time.sleep(1)
    seen, begun, start = [b""] * count, used(machine.web.pid), time.monotonic()
    while time.monotonic() - start < seconds:
        machine.fix(47.1393, 9.5213)
        time.sleep(1)
        for index, stream in enumerate(streams):
            try:
                seen[index] += stream.recv(65536)
            except BlockingIOError:
                pass
    share = (used(machine.web.pid) - begun) / (time.monotonic() - start)
    memory = resident(machine.web.pid)
    for stream in streams:
        stream.close()
    return share, memory, min(text.count(b"event: fix") for text in seen)
