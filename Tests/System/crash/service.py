"""The service under test, seen from the machine it runs on."""

import datetime
import json
import shutil
import subprocess
import threading
import time

from drive import Receiver, fixes

STATE = "/var/lib/private/georemind"
FAULTS = "/run/crash/faults"
TROUBLE = "cb351436d3a3411a85c4356aaf355448"
failures = 0


def check(name, fault):
    """One line; `fault` is whatever is wrong, empty where nothing is."""
    global failures
    failures += bool(fault)
    print(f"FAIL  {name}: {fault}" if fault else f"ok    {name}", flush=True)


def sh(*words, check=False):
    """What a command prints; one that does not end within a minute is the end of the test."""
    try:
        return subprocess.run(
            words, capture_output=True, text=True, check=check, timeout=60).stdout
    except subprocess.TimeoutExpired:
        raise SystemExit(f"timed out after a minute: {' '.join(words)}")


def set_fault(text="none"):
    with open(FAULTS, "w") as file:
        file.write(text + "\n")


def await_(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def instant(text):
    """Seconds since 1970 of RFC 3339."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Service:
    """A fresh start with an empty store and a receiver that delivers ten fixes a second."""

    def __init__(self, keep=False):
        sh("systemctl", "stop", "georemindd.socket", "georemindd.service")
        # A socket unit is started five times in ten seconds and no more, but for this.
        sh("systemctl", "reset-failed", "georemindd.socket", "georemindd.service")
        set_fault()
        if not keep:
            for path in sh("find", STATE, "-mindepth", "1", "-maxdepth", "1").split():
                shutil.rmtree(path) if path.endswith("/") else subprocess.run(["rm", "-rf", path])
        sh("journalctl", "--sync")
        self.since = f"@{time.time():.6f}"
        self.receiver = Receiver(fixes("drive.jsonl"))
        self.over = False
        self.thread = threading.Thread(target=self.feed, daemon=True)
        self.thread.start()
        sh("systemctl", "start", "georemindd.socket", "georemindd.service", check=True)
        self.process = self.main_process()

    def feed(self):
        while not self.over:
            if self.receiver.accept(0.2):
                while not self.over and not self.receiver.is_over and self.receiver.send():
                    time.sleep(0.1)

    def stop(self):
        self.over = True
        self.thread.join(timeout=30)
        if self.thread.is_alive():
            raise SystemExit("the receiver of the test does not end")
        self.receiver.close()
        set_fault()

    @staticmethod
    def main_process():
        return sh("systemctl", "show", "-P", "MainPID", "georemindd").strip()

    def dates(self, count, begin, step):
        """Reminders due every `step` seconds, the first in `begin` seconds."""
        start = time.time() + begin
        found = []
        for number in range(count):
            due = datetime.datetime.fromtimestamp(start + step * number, datetime.timezone.utc)
            found.append({"id": f"d{number:03}", "kind": "date", "title": f"d{number:03}",
                          "due": due.isoformat()})
        with open("dates.json", "w") as file:
            json.dump(found, file)
        sh("georemind", "import", "dates.json", check=True)

    def status(self):
        text = sh("georemind", "status", "--json")
        return json.loads(text) if text else {}

    def fixes(self):
        return self.status()["feeds"][0]["fixes"]

    def entries(self):
        sh("journalctl", "--sync")
        lines = sh("journalctl", "-t", "georemindd", "-o", "json", "--no-pager", "--since", self.since)
        return [json.loads(line) for line in lines.splitlines()]

    def firings(self):
        return [entry for entry in self.entries() if "GEOREMIND_FIRING_ID" in entry]

    def told(self):
        return [entry["GEOREMIND_REMINDER_ID"] for entry in self.firings()]

    def troubles(self):
        return [entry["MESSAGE"] for entry in self.entries() if entry.get("MESSAGE_ID") == TROUBLE]

    def logged(self):
        return [json.loads(line)["reminder_id"]
                for line in sh("georemind", "log", "--json").splitlines()]

    def check_all(self, name, count):
        """All dates once and in order, in the journal and the ledger."""
        wanted = [f"d{number:03}" for number in range(count)]
        await_(lambda: len(set(self.told())) >= count, 20)
        told = self.told()
        check(f"{name}: all {count} are told, once and in order", told != wanted and told)
        check(f"{name}: and in the ledger", self.logged() != wanted and self.logged())

    def check_same_process(self, name):
        check(f"{name}: it was never started anew",
              self.main_process() != self.process and self.main_process())
