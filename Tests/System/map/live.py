"""A browser on the live map, and the daemon and the web service behind it."""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../report"))
import browser


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Machine:
    """A daemon that reads a socket as its receiver, and georemind-web, in a folder of their own."""

    def __init__(self, programs, tiles=None, feed="", settings=""):
        self.programs = os.path.abspath(programs)
        self.folder = tempfile.mkdtemp(prefix="georemind-map.")
        self.port = free_port()
        self.control = f"{self.folder}/control"
        self.config = f"{self.folder}/georemind.conf"
        with open(self.config, "w") as file:
            file.write(f"[Feed]\nFeed=unix://{self.folder}/feed{feed}\n{settings}[Web]\nListen=127.0.0.1:{self.port}\nPage=yes\n")
            if tiles:
                file.write(f"[Map]\nFile={tiles}\n")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{self.folder}/feed")
        self.listener.listen(1)
        self.log = open(f"{self.folder}/log", "w")
        self.daemon = self.start("georemindd", "--config", self.config, "--state-directory", self.folder,
                                 "--socket", self.control)
        self.receiver, _ = self.listener.accept()
        self.web = self.start_web()

    def start(self, name, *arguments):
        links = f"{self.folder}/bin"
        os.makedirs(links, exist_ok=True)
        if not os.path.lexists(f"{links}/{name}"):
            target = name if os.path.exists(f"{self.programs}/{name}") else "georemind"
            os.symlink(f"{self.programs}/{target}", f"{links}/{name}")
        return subprocess.Popen([f"{links}/{name}", *arguments], stdout=self.log, stderr=self.log)

    def start_web(self):
        web = self.start("georemind-web", "--config", self.config, "--socket", self.control,
                         "--feed-socket", f"{self.folder}/positions")
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return web
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("georemind-web does not listen")

    def run(self, *arguments):
        result = subprocess.run([f"{self.programs}/georemind", *arguments, "--socket", self.control],
                                capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(f"{arguments}: {result.stderr}")
        return result.stdout

    def link(self, *arguments):
        return self.run("web", "link", *arguments).strip().replace("127.0.0.1:8088", f"127.0.0.1:{self.port}")

    def titles(self):
        return [json.loads(line)["title"] for line in self.run("list", "--json").splitlines()]

    def restart(self):
        """The daemon ends, and starts again with the same state."""
        self.daemon.terminate()
        self.daemon.wait()
        self.receiver.close()
        self.daemon = self.start("georemindd", "--config", self.config, "--state-directory", self.folder,
                                 "--socket", self.control)
        self.receiver, _ = self.listener.accept()

    def fix(self, lat, lon, eph=8, speed=0, track=0, at=None):
        now = at or time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
        report = {"class": "TPV", "mode": 3, "time": stamp, "lat": lat, "lon": lon, "eph": eph,
                  "speed": speed, "track": track}
        self.receiver.sendall(json.dumps(report).encode() + b"\n")

    def stop(self):
        for process in (self.web, self.daemon):
            process.terminate()
            process.wait()


class Waiting:
    """A page that answers expressions."""

    def until(self, expression, limit=20):
        """Waits until an expression holds; whether it did."""
        begun = time.monotonic()
        while time.monotonic() - begun < limit:
            try:
                if self.ask(f"!!({expression})"):
                    return True
            except RuntimeError:
                pass
            time.sleep(0.03)
        return False


class Live(Waiting, browser.Browser):
    def go(self, url, width, height, dark=False, touch=False, ratio=1):
        """Opens the page; seconds until it can be used."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=ratio, mobile=touch)
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="about:blank")
        begun = time.monotonic()
        self.call("Page.navigate", url=url)
        self.until("document.documentElement.dataset.ready")
        return time.monotonic() - begun

    def calm(self):
        self.until("!map.isBusy()")
        self.ask("new Promise(d => requestAnimationFrame(() => requestAnimationFrame(() => d(1))))")

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind,
                  touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def mouse(self, kind, x, y, button="left", buttons=1):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)
