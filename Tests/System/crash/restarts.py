"""Restarts in the middle of a drive: the feed stays open, and no visit is missed.

usage: restarts.py
"""

import json
import subprocess
import sys
import threading
import time

import drive
from service import Service, check, sh
import service as this

RESTARTS = 14


class Following(Service):
    """Delivers forty fixes a second and repeats none: what a restart missed would be lost."""

    connections = 0

    def feed(self):
        while not self.over:
            if self.receiver.accept(0.2):
                self.connections += 1
                self.receiver.position = self.receiver.reached
                while not self.over and not self.receiver.is_over:
                    try:
                        self.receiver.client.sendall(self.receiver.lines[self.receiver.position])
                    except OSError:
                        break
                    self.receiver.position += 1
                    self.receiver.reached = self.receiver.position
                    time.sleep(0.025)


lines = drive.fixes("drive.jsonl")
# Each visit lasts ten seconds and more, at the drive's own pace.
wanted = drive.reminders(lines, 60, 0, 1, 0, 1, radii=(150, 400))
with open("reminders.json", "w") as file:
    json.dump(wanted, file)
# The reminders first, then the drive.
service = Service()
sh("georemind", "import", "reminders.json", check=True)
service.stop()
service = Following(keep=True)
for number in range(RESTARTS):
    time.sleep(2.5)
    # In order, and by surprise.
    if number % 2:
        sh("systemctl", "restart", "georemindd.service")
    else:
        sh("systemctl", "kill", "-s", "KILL", "georemindd.service")
this.await_(lambda: service.receiver.is_over, 60)
this.await_(lambda: len(service.logged()) >= len(wanted), 10)
fired = sorted(service.logged())
missing = sorted({reminder["id"] for reminder in wanted} - set(fired))
check(f"{RESTARTS} restarts in a drive: none of {len(wanted)} visits is missed", missing)
check("and none is told twice", [id for id in set(fired) if fired.count(id) > 1])
check("the feed was opened once", service.connections != 1 and service.connections)
service.stop()
sys.exit(this.failures > 0)
