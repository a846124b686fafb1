"""Trouble with the disk: monitoring goes on, it is told once, and what fired comes as soon as it can.

usage: trouble.py
"""

import os
import subprocess
import sys
import time

from service import STATE, Service, await_, check, instant, set_fault, sh
import service as this

COUNT = 30


def fill():
    """Takes all space there is; what the database has reserved for its log stays its own."""
    subprocess.run(["dd", "if=/dev/zero", f"of={STATE}/filler", "bs=4k"], stderr=subprocess.DEVNULL)


def trouble(name, words, begin, end, size=None):
    if size:
        os.makedirs(STATE, mode=0o700, exist_ok=True)
        sh("systemctl", "stop", "georemindd.socket", "georemindd.service")
        sh("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", STATE, check=True)
    service = Service()
    service.dates(COUNT, begin=2, step=0.15)
    time.sleep(3)
    begin()
    check(f"{name}: the status tells", not await_(lambda: service.status().get("store_trouble"), 5))
    before = service.fixes()
    time.sleep(3)
    check(f"{name}: fixes are taken all the while", service.fixes() < before + 15 and "too few")
    end()
    service.check_all(name, COUNT)
    told = service.troubles()
    check(f"{name}: it is told once, with what to do",
          (len(told) != 1 or not any(word in told[0] for word in words)) and (told or "never"))
    check(f"{name}: and that it is over", not any(
        "works again" in entry["MESSAGE"] for entry in service.entries()))
    check(f"{name}: the status is as before", service.status().get("store_trouble"))
    service.check_same_process(name)
    service.stop()
    if size:
        sh("systemctl", "stop", "georemindd.socket", "georemindd.service")
        sh("umount", STATE)


def slow():
    service = Service()
    service.dates(COUNT, begin=2, step=0.15)
    time.sleep(1)
    set_fault("wait sync 5000")
    time.sleep(15)
    set_fault()
    service.check_all("a slow disk", COUNT)
    late = max(
        int(entry["_SOURCE_REALTIME_TIMESTAMP"]) / 1e6 - instant(entry["GEOREMIND_DUE"])
        for entry in service.firings())
    check("a slow disk: nothing is later than two of its waits", late > 11 and f"{late:.1f} s")
    check("a slow disk: it is told once", len(service.troubles()) != 1 and service.troubles())
    before = service.fixes()
    time.sleep(1)
    check("a slow disk: fixes go on", service.fixes() == before and before)
    service.check_same_process("a slow disk")
    service.stop()


def damaged():
    service = Service()
    service.dates(COUNT, begin=3600, step=1)
    service.stop()
    sh("systemctl", "stop", "georemindd.socket", "georemindd.service")
    # A page in the middle, where the rows are.
    with open(f"{STATE}/georemind.db", "r+b") as file:
        file.seek(os.path.getsize(file.name) // 4096 // 3 * 4096 + 8)
        file.write(b"\xff" * 400)
    service = Service(keep=True)
    told = service.troubles()
    check("a damaged database: it is set aside, and both are said",
          (len(told) != 1 or "set aside" not in told[0]) and (told or "never"))
    aside = [name for name in os.listdir(STATE) if ".damaged-" in name]
    check("a damaged database: it is kept", not aside and os.listdir(STATE))
    check("a damaged database: the new one is whole",
          sh("sqlite3", f"{STATE}/georemind.db", "PRAGMA integrity_check").strip() != "ok")
    service.stop()


def newer():
    Service().stop()
    sh("systemctl", "stop", "georemindd.socket", "georemindd.service")
    database = f"{STATE}/georemind.db"
    sh("sqlite3", database, "PRAGMA user_version = 1000; PRAGMA wal_checkpoint(TRUNCATE)")
    before = open(database, "rb").read()
    since = f"@{time.time():.6f}"
    subprocess.run(["systemctl", "start", "georemindd.service"], capture_output=True)
    time.sleep(1)
    state = sh("systemctl", "show", "-p", "ExecMainStatus", "-p", "NRestarts", "georemindd").split()
    check("a newer version's database: it is refused, once",
          set(state) != {"ExecMainStatus=65", "NRestarts=0"} and state)
    check("a newer version's database: it is said", "version 1000" not in sh(
        "journalctl", "-u", "georemindd", "--since", since, "--no-pager"))
    check("a newer version's database: not a byte is changed", open(database, "rb").read() != before)


trouble("a full disk", ["free some space"], fill, lambda: os.unlink(f"{STATE}/filler"), size="1500k")
trouble("a read-only disk", ["read-only", "readonly", "disk errors"],
        lambda: set_fault("fail write 30"), set_fault)
trouble("a disk with write errors", ["disk errors"], lambda: set_fault("fail write 5"), set_fault)
trouble("a disk that cannot sync", ["disk errors"], lambda: set_fault("fail sync 5"), set_fault)
slow()
damaged()
newer()
sys.exit(this.failures > 0)
