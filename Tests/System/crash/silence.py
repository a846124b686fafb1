"""A journald that is away, and one that hangs, while reminders fire.

usage: silence.py SECONDS FIRINGS
"""

import signal
import subprocess
import sys
import time

from service import Service, check, sh
import service as this

SECONDS, COUNT = int(sys.argv[1]), int(sys.argv[2])
UNITS = ["systemd-journald-dev-log.socket", "systemd-journald-audit.socket",
         "systemd-journald.socket", "systemd-journald.service"]


def away(name, begin, end):
    service = Service()
    service.dates(COUNT, begin=2, step=(SECONDS - 1) / COUNT)
    time.sleep(2)
    begin()
    half = SECONDS / 2
    time.sleep(half)
    before = service.fixes()
    time.sleep(half)
    taken = service.fixes() - before
    check(f"{name}: fixes are taken all the while", taken < 5 * half and f"{taken} in {half} s")
    end()
    service.check_all(name, COUNT)
    service.check_same_process(name)
    service.stop()


def journald(name):
    process = sh("systemctl", "show", "-P", "MainPID", "systemd-journald").strip()
    subprocess.run(["kill", "-s", name, process])


away(f"journald stopped for {SECONDS} s",
     lambda: sh("systemctl", "stop", *UNITS),
     lambda: sh("systemctl", "start", *reversed(UNITS)))
away(f"journald hung for {SECONDS} s",
     lambda: journald("STOP"), lambda: journald("CONT"))
sys.exit(this.failures > 0)
