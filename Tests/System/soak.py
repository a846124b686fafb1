#!/usr/bin/env python3
"""A month in some minutes: what the daemon takes after the first day is what it takes at the end.

usage: soak.py [DAYS]      (30; needs the release build)

A receiver delivers a fix for each second of the days, as fast as they are read: rounds through forty
circles. Reminders are added, changed and removed all the while. Resident memory at the end is to be at
most 1.05 times that after the first day, and no descriptor more is to be open.
"""

import array
import fcntl
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time

DAY = 86_400
DAYS = int(sys.argv[1]) if sys.argv[1:] else 30
ROUND = 7_200  # seconds
BEGIN = 1_750_000_020  # a whole minute
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / ".build/release/georemindd"


def position(second):
    """On a circle of 5 km."""
    angle = 2 * math.pi * second / ROUND
    return 52.5 + 0.045 * math.sin(angle), 13.4 + 0.074 * math.cos(angle)


PLACES = [b'"lat":%.7f,"lon":%.7f' % position(second) for second in range(ROUND)]


def minute(begin):
    """The reports of sixty seconds."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:", time.gmtime(BEGIN + begin)).encode()
    return b"".join(
        b'{"class":"TPV","mode":3,"time":"%s%02d.000Z",%s,"eph":4.0}\n'
        % (stamp, second, PLACES[(begin + second) % ROUND]) for second in range(60))


def circle(number):
    latitude, longitude = position(ROUND * number // 40)
    return {"id": f"c{number}", "kind": "location", "title": f"Circle {number}",
            "on": "depart" if number % 2 else "arrive", "every_visit": True,
            "place": {"name": f"Circle {number}", "lat": latitude, "lon": longitude, "radius_m": 100}}


class Client:
    """Adds, edits and removes reminders until told to stop."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.changes = 0
        self.over = False

    def call(self, method, **parameters):
        call = {"method": f"org.georemind.{method}", "parameters": parameters}
        self.socket.sendall(json.dumps(call).encode() + b"\0")
        reply = b""
        while not reply.endswith(b"\0"):
            part = self.socket.recv(1 << 20)
            assert part, "the daemon hung up"
            reply += part
        answer = json.loads(reply[:-1])
        assert "error" not in answer, answer
        return answer

    def run(self):
        while not self.over:
            number = self.changes
            reminder = circle(number % 40) | {"id": f"x{number}"}
            self.call("Add", reminder=reminder)
            self.call("Edit", id=f"x{number}", changes={"title": "Changed"})
            if number >= 50:
                self.call("Remove", id=f"x{number - 50}")
            self.changes += 1
            time.sleep(0.001)


def memory(process):
    for text in open(f"/proc/{process}/status"):
        if text.startswith("VmRSS"):
            return int(text.split()[1])


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{folder}/feed")
    listener.listen()
    daemon = subprocess.Popen(
        [PROGRAM, "--state-directory", folder, "--socket", f"{folder}/control", "--config", "/dev/null",
         "--feed", f"unix://{folder}/feed?max-age=infinity", "--foreground-journal"], stdout=subprocess.DEVNULL)
    try:
        listener.settimeout(30)
        feed, _ = listener.accept()
        feed.settimeout(120)
        try:
            feed.setsockopt(socket.SOL_SOCKET, 32, 4 << 20)  # SO_SNDBUFFORCE, for root: quicker
        except PermissionError:
            pass
        client = Client(f"{folder}/control")
        for number in range(40):
            client.call("Add", reminder=circle(number))
        changing = threading.Thread(target=client.run, daemon=True)
        changing.start()
        unread = array.array("i", [0])
        for day in range(DAYS):
            for begin in range(day * DAY, (day + 1) * DAY, 7_200):
                feed.sendall(b"".join(minute(begin + 60 * number) for number in range(120)))
                # Clients are served when no fix waits: so many get their turn each two hours.
                patience = time.monotonic() + 120
                while fcntl.ioctl(feed, termios.TIOCOUTQ, unread) or unread[0]:
                    assert time.monotonic() < patience, "the daemon reads no more"
                    time.sleep(0.001)
                enough = client.changes + 20
                while client.changes < enough:
                    assert time.monotonic() < patience, "the daemon answers no more"
                    time.sleep(0.001)
            size = os.path.getsize(f"{folder}/georemind.db")
            now = memory(daemon.pid), descriptors(daemon.pid)
            if day == 0:
                first = now
            print(f"day {day + 1}: {now[0]} KiB, {now[1]} descriptors, database {size >> 10} KiB, "
                  f"{client.changes} reminders added, changed and removed", flush=True)
        client.over = True
        changing.join()
    finally:
        daemon.terminate()
        daemon.wait()
ratio = now[0] / first[0]
sound = ratio <= 1.05 and now[1] <= first[1]
print(f"{'ok   ' if sound else 'FAIL '} memory {ratio:.3f} times that of the first day, "
      f"{now[1] - first[1]:+} descriptors")
sys.exit(not sound)
