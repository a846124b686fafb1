#!/usr/bin/env python3
"""The daemon with a routing engine: a real osrm-routed on a small town made here, then engines that are
away, slow and mad.

usage: check_routing.py FOLDER-OF-PROGRAMS

OSRM comes from `pip install osrm-bindings` (run this with that python) or from the PATH; where it is
missing, that part is skipped and the end says so. Nothing but loopback is used."""
import datetime, http.server, json, os, shutil, socket, subprocess, sys, tempfile, threading, time

PROGRAMS = os.path.abspath(sys.argv[1])
LATITUDE, LONGITUDE, STEP, SIDE = 53.55, 9.99, 0.005, 12
failures = []


def check(name, ok, detail=""):
    print(f"{'ok  ' if ok else 'FAIL'} {name}{': ' + detail if detail else ''}", flush=True)
    if not ok:
        failures.append(name)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def osrm_folders():
    """Where the programs and the profiles are; None without OSRM."""
    try:
        import osrm
        home = os.path.dirname(osrm.__file__)
        if os.path.exists(home + "/bin/osrm-routed"):
            return home + "/bin/", home + "/share/profiles/"
    except ImportError:
        pass
    program = shutil.which("osrm-routed")
    for share in ["/usr/share/osrm/profiles/", "/usr/local/share/osrm/profiles/"]:
        if program and os.path.exists(share + "foot.lua"):
            return os.path.dirname(program) + "/", share
    return None


def build_town(folder, programs, profiles):
    """Streets in a grid with a river across: one bridge, off the straight line."""
    path = folder + "/town.osm"
    with open(path, "w") as out:
        out.write('<?xml version="1.0"?><osm version="0.6">')
        for i in range(SIDE):
            for j in range(SIDE):
                out.write(f'<node id="{i * SIDE + j + 1}" version="1" '
                          f'lat="{LATITUDE + i * STEP:.6f}" lon="{LONGITUDE + j * STEP:.6f}"/>')
        way = 1
        for i in range(SIDE):
            across = [i * SIDE + j + 1 for j in range(SIDE)]
            up = [j * SIDE + i + 1 for j in range(SIDE)]
            # The river runs between the third and the fourth street; the bridge is the fourth one.
            for line in [across] + ([up] if i == 3 else [up[:3], up[3:]]):
                out.write(f'<way id="{way}" version="1">'
                          + "".join(f'<nd ref="{node}"/>' for node in line)
                          + '<tag k="highway" v="residential"/></way>')
                way += 1
        out.write("</osm>")
    base = folder + "/town.osrm"
    for command in [["osrm-extract", "-p", profiles + "foot.lua", path],
                    ["osrm-partition", base], ["osrm-customize", base]]:
        subprocess.run([programs + command[0]] + command[1:], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL)
    return base


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
    def __init__(self, folder, url, route=True):
        self.folder = folder
        os.makedirs(folder + "/state")
        self.control = folder + "/control"
        sock = folder + "/route"
        conf = folder + "/georemind.conf"
        with open(conf, "w") as out:
            out.write(f"[Feed]\nFeed=tcp://127.0.0.1:{NMEA}\n[Route]\nEngine=osrm\n"
                      f"WalkingURL={url}\nTimeoutSec=2\nSocket={sock}\n")
        self.children = []
        if route:
            self.start([PROGRAMS + "/georemind-route", "--config", conf, "--socket", sock])
            wait_for(lambda: os.path.exists(sock))
        self.start([PROGRAMS + "/georemindd", "--config", conf, "--state-directory",
                    folder + "/state", "--socket", self.control, "--foreground-journal"])
        wait_for(lambda: os.path.exists(self.control) and self.status().get("fix"))

    def start(self, command):
        log = open(self.folder + "/" + os.path.basename(command[0]) + ".log", "w")
        self.children.append(subprocess.Popen(command, stdout=log, stderr=log))

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


def real_engine(folder, programs, profiles):
    base = build_town(folder, programs, profiles)
    port = free_port()
    engine = subprocess.Popen(
        [programs + "osrm-routed", "--algorithm", "mld", "-i", "127.0.0.1", "-p", str(port), base],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
    import urllib.request
    url = f"http://127.0.0.1:{port}"
    table = json.load(urllib.request.urlopen(
        f"{url}/table/v1/walking/9.99,53.55;{GOAL[1]:.6f},{GOAL[0]:.6f}?sources=0&destinations=1"))
    way = table["durations"][0][0]
    check("the bridge is a detour", way > 1.5 * usual(GOAL), f"{way:.0f} s, {usual(GOAL):.0f} s straight")
    daemon = Daemon(folder + "/real", url)
    try:
        due = daemon.add(way + 6, *GOAL)
        firing = daemon.firing(20)
        check("a real engine decides", bool(firing) and "by the routing engine" in firing["why"],
              firing["why"] if firing else "nothing fired")
        if firing:
            late = stamp(firing["time"]) - (due - way)
            check("at its moment", abs(late) < 2, f"{late:+.2f} s")
        check("status says so", daemon.status()["routing"]["answered"] >= 1)
        # Killed while it is needed: the estimate stands in at once for what it has not said yet.
        engine.kill()
        other = (LATITUDE, LONGITUDE + 3 * STEP)
        daemon.call("rm", daemon.call("list", "--all", "--json")[0]["id"], "--json")
        due = daemon.add(usual(other) + 6, *other)
        wait_for(lambda: len(daemon.call("log", "--json")) == 2)
        firing = daemon.call("log", "--json")[-1]
        late = stamp(firing["time"]) - (due - usual(other))
        check("killed: the estimate stands in", "straight line" in firing["why"] and abs(late) < 2,
              f"{late:+.2f} s, {firing['why']}")
    finally:
        daemon.stop()
        engine.kill()


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
              routing.get("reason", ""))
    finally:
        daemon.stop()


NMEA = nmea_server()
with tempfile.TemporaryDirectory(prefix="georemind-route-") as folder:
    found = osrm_folders()
    if found:
        real_engine(folder, *found)
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
    if not found:
        print("skipped: no osrm-routed; `pip install osrm-bindings`, and run this with that python")
print("all well" if not failures else f"{len(failures)} failed")
sys.exit(1 if failures else 0)
