"""How much later a firing comes while clients crowd the socket: from a fix's last byte to its entry.

usage: load.py

200 clients are silent or stop in the middle of a call, 20 call as fast as they are answered. The state is
in memory, so that the disk's sync is not in the figures. Prints p50, p99 and the largest in microseconds.
"""

import json
import multiprocessing
import os
import random
import select
import socket
import sys
import time

import drive
from service import STATE, Service, await_, check, instant, sh
import service as this

SOCKET = "/run/georemind/org.georemind"
CALLS = ["Status", "Next", "List", "Where", "ListPlaces", "ListCategories"]


class Timed(Service):
    """Forty fixes a second, each with the moment it was sent at."""

    def feed(self):
        self.sent = {}
        while not self.over:
            if self.receiver.accept(0.2):
                while not self.over and not self.receiver.is_over:
                    line = self.receiver.lines[self.receiver.position]
                    key = instant(json.loads(line)["time"])
                    if not self.receiver.wait_until_read():
                        break
                    self.sent[key] = time.time()
                    if not self.receiver.send():
                        break
                    time.sleep(0.025)

    def latencies(self):
        found = []
        for entry in self.firings():
            sent = self.sent[instant(entry["GEOREMIND_FIX_TIME"])]
            found.append(int(entry["_SOURCE_REALTIME_TIMESTAMP"]) - int(sent * 1e6))
        return sorted(found)


def connect():
    client = socket.socket(socket.AF_UNIX)
    client.connect(SOCKET)
    return client


def crowd():
    """For ever, in a process of its own."""
    idle = [connect() for _ in range(200)]
    for client in idle[::2]:
        client.sendall(b'{"method":"org.geore')
    generator = random.Random(1)

    def call(client):
        method = f"org.georemind.{generator.choice(CALLS)}"
        client.sendall(json.dumps({"method": method}).encode() + b"\0")

    clients = [connect() for _ in range(20)]
    for client in clients:
        call(client)
    while True:
        for client in select.select(clients, [], [])[0]:
            if client.recv(1 << 20).endswith(b"\0"):
                call(client)


def measure(name, crowded):
    lines = drive.fixes("drive.jsonl")
    with open("reminders.json", "w") as file:
        json.dump(drive.reminders(lines, 150, 0, 1, 0, 1), file)
    first = Service()
    sh("georemind", "import", "reminders.json", check=True)
    first.stop()
    service = Timed(keep=True)
    process = multiprocessing.Process(target=crowd, daemon=True) if crowded else None
    if process:
        process.start()
    await_(lambda: service.receiver.is_over, 120)
    time.sleep(0.5)
    if process:
        process.kill()
    found = service.latencies()
    service.stop()
    p50, p99 = found[len(found) // 2], found[len(found) * 99 // 100]
    print(f"{name}: {len(found)} firings, p50 {p50} µs, p99 {p99} µs, max {found[-1]} µs")
    return p99


os.makedirs(STATE, mode=0o700, exist_ok=True)
sh("systemctl", "stop", "georemindd.socket", "georemindd.service")
sh("mount", "-t", "tmpfs", "-o", "mode=0700", "tmpfs", STATE, check=True)
alone = measure("alone", False)
crowded = measure("220 clients", True)
check("the crowd costs 5 ms at most, p99", crowded > 5000 + alone and f"{crowded - alone} µs")
sys.exit(this.failures > 0)
