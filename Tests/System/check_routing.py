#!/usr/bin/env python3
"""The daemon with a routing engine: real ones on a small town made here, osrm-routed and Valhalla, then
engines that are away, slow and mad.

usage: check_routing.py FOLDER-OF-PROGRAMS

OSRM comes from `pip install osrm-bindings` or from the PATH, Valhalla from `pip install pyvalhalla` (run
this with that python); where one is missing, its part is skipped and the end says so. Nothing
but loopback is used."""
import datetime, http.server, json, os, shutil, socket, struct, subprocess, sys, tempfile, threading
import time

PROGRAMS = os.path.abspath(sys.argv[1])
LATITUDE, LONGITUDE, STEP, SIDE, BRIDGE = 53.55, 9.99, 0.005, 12, 8
failures = []


def check(name, ok, detail=""):
    print(f"{'ok  ' if ok else 'FAIL'} {name}{': ' + detail if detail else ''}", flush=True)
    if not ok:
        failures.append(name)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def package(name):
    """Where a package of python's is; an empty word without it."""
    try:
        return os.path.dirname(__import__(name).__file__)
    except ImportError:
        return ""


def varint(number):
    out = bytearray()
    while True:
        number, low = number >> 7, number & 127
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)


def zigzag(number):
    return varint(number * 2 if number >= 0 else -number * 2 - 1)


def part(field, content):
    """A field of a protocol buffer: a number, or a length and bytes."""
    if isinstance(content, int):
        return varint(field << 3) + varint(content)
    return varint(field << 3 | 2) + varint(len(content)) + content


def blob(kind, content):
    body = part(1, content) + part(2, len(content))
    head = part(1, kind) + part(3, len(body))
    return struct.pack(">I", len(head)) + head + body


def build_town(folder):
    """Streets in a grid with a river across and one bridge, far off the straight line, as OpenStreetMap
    keeps them (https://wiki.openstreetmap.org/wiki/PBF_Format)."""
    nodes = b""
    lines = []
    for i in range(SIDE):
        for j in range(SIDE):
            place = b"".join(varint(field << 3) + zigzag(value) for field, value in [
                (1, i * SIDE + j + 1), (8, round((LATITUDE + i * STEP) * 1e7)),
                (9, round((LONGITUDE + j * STEP) * 1e7))])
            nodes += part(1, place)
        up = [j * SIDE + i + 1 for j in range(SIDE)]
        # The river runs between the third and the fourth street.
        lines += [[i * SIDE + j + 1 for j in range(SIDE)]]
        lines += [up] if i == BRIDGE else [up[:3], up[3:]]
    ways = b""
    for number, line in enumerate(lines, 1):
        steps = b"".join(zigzag(b - a) for a, b in zip([0] + line, line))
        ways += part(3, part(1, number) + part(2, varint(1)) + part(3, varint(2)) + part(8, steps))
    words = b"".join(part(1, word) for word in [b"", b"highway", b"residential"])
    path = folder + "/town.osm.pbf"
    with open(path, "wb") as out:
        out.write(blob(b"OSMHeader", part(4, b"OsmSchema-V0.6")))
        out.write(blob(b"OSMData", part(1, words) + part(2, nodes) + part(2, ways)))
    return path


def quietly(*command, folder):
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def osrm(folder, port):
    """The command of an osrm-routed with the town, and what an outsider asks it; None without OSRM."""
    home = package("osrm")
    programs = home + "/bin/" if home else os.path.dirname(shutil.which("osrm-routed") or "") + "/"
    foot = next((share + "foot.lua" for share in [
        home + "/share/profiles/", "/usr/share/osrm/profiles/", "/usr/local/share/osrm/profiles/"]
        if os.path.exists(share + "foot.lua")), None)
    if not foot or not os.path.exists(programs + "osrm-routed"):
        return None
    base = build_town(folder).replace(".osm.pbf", ".osrm")
    quietly(programs + "osrm-extract", "-p", foot, base.replace(".osrm", ".osm.pbf"), folder=folder)
    quietly(programs + "osrm-partition", base, folder=folder)
    quietly(programs + "osrm-customize", base, folder=folder)

    def seconds(url):
        table = ask(f"{url}/table/v1/walking/9.99,53.55;{GOAL[1]:.6f},{GOAL[0]:.6f}"
                    "?sources=0&destinations=1")
        return table["durations"][0][0]

    return [programs + "osrm-routed", "--algorithm", "mld", "-i", "127.0.0.1", "-p", str(port),
            base], seconds


def valhalla(folder, port):
    """The same for Valhalla."""
    home = package("valhalla")
    programs = home + "/bin/"
    if not os.path.exists(programs + "valhalla_service"):
        return None
    from valhalla.config import get_config
    os.makedirs(folder + "/tiles")
    config = get_config(tile_extract="", tile_dir=folder + "/tiles")
    config["mjolnir"].update(timezone="", admin="")
    config["httpd"]["service"].update(
        listen=f"tcp://127.0.0.1:{port}", loopback=f"ipc://{folder}/loopback",
        interrupt=f"ipc://{folder}/interrupt")
    with open(folder + "/valhalla.json", "w") as out:
        json.dump(config, out)
    quietly(programs + "valhalla_build_tiles", "-c", folder + "/valhalla.json", build_town(folder),
            folder=folder)

    def seconds(url):
        table = ask(f"{url}/sources_to_targets", json.dumps({
            "sources": [{"lat": 53.55, "lon": 9.99}],
            "targets": [{"lat": GOAL[0], "lon": GOAL[1]}], "costing": "pedestrian"}).encode())
        return table["sources_to_targets"][0][0]["time"]

    return [programs + "valhalla_service", folder + "/valhalla.json", "1"], seconds


def ask(url, body=None):
    import urllib.request
    head = {"Content-Type": "application/json"} if body else {}
    return json.load(urllib.request.urlopen(urllib.request.Request(url, body, head)))


class Engine(http.server.BaseHTTPRequestHandler):
    """An engine that answers what its server is told to."""
    def do_GET(self):
        self.server.asked += 1
        time.sleep(self.server.delay)
        body = self.server.body
        try:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *arguments):
        pass


def fake_engine(body, delay=0):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    server.body, server.delay, server.asked = body, delay, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def nmea_server():
    """A receiver at rest, 1 Hz, over TCP."""
    listener = socket.create_server(("127.0.0.1", 0))

    def sentence(text):
        checksum = 0
        for byte in text.encode():
            checksum ^= byte
        return f"${text}*{checksum:02X}\r\n".encode()

    def serve(client):
        try:
            while True:
                now = datetime.datetime.now(datetime.timezone.utc)
                clock = now.strftime("%H%M%S.00")
                client.sendall(sentence(
                    f"GPRMC,{clock},A,5333.0000,N,00959.4000,E,0.0,0.0,{now:%d%m%y},,,A"))
                client.sendall(sentence(
                    f"GPGGA,{clock},5333.0000,N,00959.4000,E,1,08,1.0,5,M,45,M,,"))
                time.sleep(1)
        except OSError:
            pass

    def accept():
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


class Daemon:
    """georemindd and georemind-route in a folder of their own."""
    def __init__(self, folder, url, route=True, engine="osrm"):
        self.folder = folder
        os.makedirs(folder + "/state")
        self.control = folder + "/control"
        sock = folder + "/org.georemind.route"
        conf = folder + "/georemind.conf"
        with open(conf, "w") as out:
            out.write(f"[Feed]\nFeed=tcp://127.0.0.1:{NMEA}\n[Route]\nEngine={engine}\n"
                      f"WalkingURL={url}\n[Travel]\nPunctuality=50%\n")
        self.children = []
        if route:
            self.start([PROGRAMS + "/georemind-route", "--config", conf, "--socket", sock])
            wait_for(lambda: os.path.exists(sock))
        self.start([PROGRAMS + "/georemindd", "--config", conf, "--state-directory",
                    folder + "/state", "--socket", self.control, "--foreground-journal"])
        wait_for(lambda: os.path.exists(self.control) and self.status().get("fix"))

    def start(self, command):
        log = open(self.folder + "/" + os.path.basename(command[0]) + ".log", "w")
        self.children.append(subprocess.Popen(
            command, stdout=log, stderr=log, env=os.environ | {"RUNTIME_DIRECTORY": self.folder}))

    def call(self, *arguments):
        answer = subprocess.run(
            [PROGRAMS + "/georemind", *arguments, "--socket", self.control],
            capture_output=True, text=True)
        if answer.returncode:
            raise RuntimeError(f"georemind {' '.join(arguments)}: {answer.stderr}")
        return [json.loads(line) for line in answer.stdout.splitlines()]

    def status(self):
        return self.call("status", "--json")[0]

    def add(self, seconds, latitude, longitude):
        """A walk to be there in so many seconds; answers when that is."""
        due = time.time() + seconds
        self.call("add", "Meal", "--leave-for", f"{latitude:.6f},{longitude:.6f}", "--radius", "30m",
                  "--by", "walking", "--due", f"@{due:.0f}", "--json")
        return int(f"{due:.0f}")

    def firing(self, patience):
        end = time.time() + patience
        while time.time() < end:
            found = self.call("log", "--json")
            if found:
                return found[0]
            time.sleep(0.2)
        return None

    def stop(self):
        for child in self.children:
            child.terminate()
        for child in self.children:
            child.wait()


def wait_for(condition, patience=20):
    end = time.time() + patience
    while time.time() < end:
        try:
            if condition():
                return
        except RuntimeError:
            pass
        time.sleep(0.1)
    raise RuntimeError("something did not come up")


def stamp(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


GOAL = (LATITUDE + 3 * STEP, LONGITUDE)


def usual(goal):
    """The formula for walking, from the receiver."""
    import math
    toward = math.radians(goal[0] - 53.55)
    across = math.radians(goal[1] - 9.99) * math.cos(math.radians(53.55))
    return 6371008.8 * math.hypot(toward, across) * 1.3 / (5 / 3.6)


def real_engine(make, folder):
    """False where there is none."""
    name = make.__name__
    folder += "/" + name
    os.makedirs(folder)
    port = free_port()
    made = make(folder, port)
    if not made:
        return False
    command, seconds = made
    engine = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
    url = f"http://127.0.0.1:{port}"
    way = seconds(url)
    check(f"{name}: the bridge is a long detour", way > 2.5 * usual(GOAL),
          f"{way:.0f} s, {usual(GOAL):.0f} s straight")
    daemon = Daemon(folder + "/real", url, engine=name)
    try:
        due = daemon.add(way + 6, *GOAL)
        firing = daemon.firing(20)
        check(f"{name}: it decides", bool(firing) and "by the routing engine" in firing["why"],
              firing["why"] if firing else "nothing fired")
        if firing:
            late = stamp(firing["time"]) - (due - way)
            check(f"{name}: at its moment", abs(late) < 2, f"{late:+.2f} s")
        check(f"{name}: status says so", daemon.status()["routing"]["answered"] >= 1)
        # Killed while it is needed: the estimate stands in at once for what it has not said yet.
        engine.kill()
        other = (LATITUDE, LONGITUDE + 3 * STEP)
        daemon.call("rm", daemon.call("list", "--all", "--json")[0]["id"], "--json")
        due = daemon.add(usual(other) + 6, *other)
        wait_for(lambda: len(daemon.call("log", "--json")) == 2)
        firing = daemon.call("log", "--json")[-1]
        late = stamp(firing["time"]) - (due - usual(other))
        check(f"{name} killed: the estimate stands in", "straight line" in firing["why"] and abs(late) < 2,
              f"{late:+.2f} s, {firing['why']}")
    finally:
        daemon.stop()
        engine.kill()
        engine.wait()
    return True


def trouble(name, folder, url, route=True, server=None):
    daemon = Daemon(folder + "/" + name, url, route)
    try:
        due = daemon.add(usual(GOAL) + 6, *GOAL)
        firing = daemon.firing(15)
        late = stamp(firing["time"]) - (due - usual(GOAL)) if firing else None
        check(f"{name}: the estimate stands in, nothing is late",
              bool(firing) and "straight line" in firing["why"] and abs(late) < 2,
              f"{late:+.2f} s, {firing['why']}" if firing else "nothing fired")
        if server:
            check(f"{name}: it was asked", server.asked >= 1, f"{server.asked} times")
            check(f"{name}: and left alone", server.asked <= 3)
        routing = daemon.status()["routing"]
        check(f"{name}: status says why", routing["failed"] >= 1 or routing["refused"] >= 1,
              str(routing))
    finally:
        daemon.stop()


NMEA = nmea_server()
with tempfile.TemporaryDirectory(prefix="georemind-route-") as folder:
    missing = [make.__name__ for make in (osrm, valhalla) if not real_engine(make, folder)]
    trouble("away", folder, f"http://127.0.0.1:{free_port()}")
    for name, body, delay in [
        ("slow", b'{"code":"Ok","durations":[[1]]}', 10),
        ("mad", b"<html>\0nonsense", 0),
        ("quick", b'{"code":"Ok","durations":[[0.001]]}', 0),
        ("endless", b"[" * 10_000_000, 0),
    ]:
        server = fake_engine(body, delay)
        trouble(name, folder, f"http://127.0.0.1:{server.server_address[1]}", server=server)
    trouble("no-program", folder, "http://127.0.0.1:9", route=False)
    if missing:
        print(f"skipped: {' and '.join(missing)}; `pip install osrm-bindings pyvalhalla`, and run this "
              "with that python")
print("all well" if not failures else f"{len(failures)} failed")
sys.exit(1 if failures else 0)
