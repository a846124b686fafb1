"""Kills the daemon at random moments while it follows a drive, and lets it finish.

usage: kills.py DRIVE.jsonl KILLS SEED

A third of the kills come from outside: while it starts, or among the fixes. The others come from
inside: before or after a write or a sync of the database or an entry to the journal, or in the middle
of a write. Prints how many there were of each kind; the checks are check.py's.
"""

import os
import random
import signal
import subprocess
import sys
import time

from drive import OVERLAP, Receiver, fixes

FAULTS = "/run/crash/faults"
CGROUP = "/sys/fs/cgroup/system.slice/georemindd.service/cgroup.procs"
# Operations of one commit and its delivery, roughly: the kills are spread over them.
INSIDE = {"write": 20, "written": 20, "sync": 3, "synced": 3, "send": 2, "sent": 2}


def set_fault(text):
    with open(FAULTS, "w") as file:
        file.write(text + "\n")


def has_happened():
    return open(FAULTS).read().startswith("done")


def main_process(but, patience=20):
    """The daemon's process once it is another one than `but`."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            for process in map(int, open(CGROUP).read().split()):
                if process != but and os.readlink(f"/proc/{process}/exe").endswith("/georemind"):
                    return process
        except OSError:
            pass
        time.sleep(0.001)
    raise SystemExit("the daemon does not start: " + subprocess.getoutput(
        "systemctl status --no-pager georemindd; journalctl -u georemindd --no-pager -n 20"))


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Run:
    def __init__(self, lines, kills, seed):
        self.receiver = Receiver(lines)
        self.random = random.Random(seed)
        self.left = kills
        self.kinds = {}

    def note(self, kind):
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        self.left -= 1

    def plan(self):
        """A line for the faults file."""
        if self.random.random() < 0.15:
            return f"tear write {self.random.randint(1, INSIDE['write'])}"
        operation = self.random.choice(list(INSIDE))
        return f"kill {operation} {self.random.randint(1, INSIDE[operation])}"

    def live(self, last):
        """One life of the daemon, which ends with a kill; answers its process."""
        way = self.random.choices(["starting", "start", "fixes", "commit"], [10, 15, 25, 50])[0]
        plan = self.plan()
        set_fault(plan if way == "start" else "none")
        process = main_process(but=last)
        if way == "starting":
            time.sleep(self.random.uniform(0, 0.08))
            kill(process)
            self.note("while starting")
            return process
        end = time.monotonic() + 30
        while not (self.receiver.accept(0.05) and self.receiver.process == process):
            if time.monotonic() > end:
                raise SystemExit("the daemon does not connect to its feed")
            if not os.path.exists(f"/proc/{process}"):
                if not has_happened():
                    raise SystemExit(f"the daemon ended by itself under '{plan}'")
                self.note(self.name(plan) + " while starting")
                return process
        if way == "commit":
            set_fault(plan)
        # So many that the drive lasts as long as the kills, on average.
        fresh = (len(self.receiver.lines) - self.receiver.reached) // (self.left + 1)
        for _ in range(self.random.randint(1, 2 * (OVERLAP + fresh))):
            if self.receiver.is_over or not self.receiver.send():
                break
            if self.random.random() < 0.05:
                time.sleep(self.random.uniform(0, 0.03))
        if way == "commit":
            self.receiver.wait_until_read(0.3)
        else:
            time.sleep(self.random.uniform(0, 0.004))
        kill(process)
        self.note(self.name(plan) if has_happened() else "among fixes")
        return process

    @staticmethod
    def name(plan):
        verb, operation, _ = plan.split()
        return "torn write" if verb == "tear" else operation

    def finish(self):
        """The rest of the drive, undisturbed."""
        set_fault("none")
        while True:
            if not self.receiver.accept(20):
                raise SystemExit("the daemon does not come back")
            while not self.receiver.is_over and self.receiver.send():
                pass
            if self.receiver.is_over and self.receiver.wait_until_read():
                return

    def run(self):
        last = 0
        while self.left > 0:
            last = self.live(last)
        self.finish()
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
        print(f"{sum(self.kinds.values())} kills: {kinds}")


Run(fixes(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])).run()
