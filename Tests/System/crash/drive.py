"""A recorded drive as a live receiver, the reminders along it, and what must come of them.

The receiver is a Unix socket that speaks gpsd's TPV lines. It knows how much the daemon has read, so
whatever happens to the daemon, the drive goes on some fixes before the place where it was cut off: a
receiver that remembers five seconds.
"""

import array
import datetime
import fcntl
import json
import os
import random
import select
import socket
import struct
import termios
import time

FEED = "/run/crash/feed"
OVERLAP = 5


def fixes(path):
    """The TPV lines of a recording that have a position."""
    return [line for line in open(path, "rb") if json.loads(line).get("mode", 0) >= 2]


def reminders(lines, places, dates, seed, begin, span, radii=(40, 160)):
    """Reminders that fire once each: circles along the drive, arrive and depart by turns, and dates over
    `span` seconds from `begin` (since 1970). Radii in metres."""
    generator = random.Random(seed)
    track = [json.loads(line) for line in lines]
    found = []
    for number in range(places):
        while True:
            fix = track[generator.randrange(100, len(track) - 150)]
            radius = generator.randrange(*radii)
            ends = (track[0], track[-1])
            if all(metres(fix, end) > radius + 300 for end in ends):
                break
        place = {"name": f"place {number}", "lat": fix["lat"], "lon": fix["lon"], "radius_m": radius}
        found.append({
            "id": f"p{number:03}", "kind": "location", "title": f"p{number:03}", "place": place,
            "on": "depart" if number % 2 else "arrive"})
    for number in range(dates):
        due = datetime.datetime.fromtimestamp(begin + span * number / dates, datetime.timezone.utc)
        found.append({
            "id": f"d{number:03}", "kind": "date", "title": f"d{number:03}",
            "due": due.isoformat()})
    return found


def metres(a, b):
    """Near enough for some kilometres."""
    north = (a["lat"] - b["lat"]) * 111_195
    east = (a["lon"] - b["lon"]) * 111_195 * 0.6
    return (north * north + east * east) ** 0.5


class Receiver:
    """One client at a time; `position` is the number of the next fix, `reached` the furthest so far."""

    def __init__(self, lines, position=0):
        self.lines = lines
        self.position = self.reached = position
        self.client = None
        self.process = 0
        if os.path.exists(FEED):
            os.unlink(FEED)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(FEED)
        os.chmod(FEED, 0o666)
        self.listener.listen(4)

    def close(self):
        self.listener.close()
        if self.client:
            self.client.close()

    def accept(self, timeout):
        """Waits for the daemon; what it had not read of the last connection comes again."""
        if not select.select([self.listener], [], [], timeout)[0]:
            return False
        if self.client:
            self.client.close()
        self.client, _ = self.listener.accept()
        self.client.settimeout(10)  # A daemon that reads no more is an error, not a wait for ever.
        credentials = self.client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        self.process = struct.unpack("3i", credentials)[0]
        self.position = max(0, self.reached - OVERLAP)
        return True

    @property
    def is_over(self):
        return self.position >= len(self.lines)

    def send(self):
        """One fix, once the one before is read; False where the daemon is gone."""
        if not self.wait_until_read():
            return False
        try:
            self.client.sendall(self.lines[self.position])
        except OSError:
            return False
        self.position += 1
        self.reached = max(self.reached, self.position)
        return True

    def wait_until_read(self, patience=10):
        unread = array.array("i", [0])
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if select.select([self.client], [], [], 0)[0]:
                try:
                    if not self.client.recv(4096):
                        return False
                except OSError:
                    return False
            fcntl.ioctl(self.client, termios.TIOCOUTQ, unread)
            if unread[0] == 0:
                return True
            time.sleep(0.0005)
        return False
