"""What must hold: after every event, after every restart, and at the end of a life."""

import collections
import os
import sqlite3
import struct

ENTRY = struct.Struct("=qq")
FIRING_KINDS = {b"a4806a7e8ea14bd49d9057ef26ae95e9", b"72188dfb5f06420581782ad5b5d9dc91"}
# A place is decided so many seconds after the fix that shows it (Script.slowestDecision).
SLOWEST_DECISION = 150
# After a failed call the daemon tries again some seconds later, up to eight times in a row here.
RETRY = 60
MAXIMUM_MEMORY = 64 << 20
MAXIMUM_START = 1.0


class Journal:
    """The entries that journald has taken, in order."""

    def __init__(self, path):
        self.file = open(path, "rb")
        self.firings = []  # ids
        self.messages = []  # (time, text)

    def read(self):
        """Answers a failure, if an entry is one."""
        failure = None
        while head := self.file.read(ENTRY.size):
            time, size = ENTRY.unpack(head)
            fields = dict(line.split(b"=", 1) for line in self.file.read(size).split(b"\n")
                          if b"=" in line)
            message = fields.get(b"MESSAGE", b"").decode()
            self.messages.append((time, message))
            if fields.get(b"MESSAGE_ID") in FIRING_KINDS:
                id = fields[b"GEOREMIND_FIRING_ID"].decode()
                if id in self.firings:
                    failure = f"doubled: the journal has the firing {id} twice ({message})"
                self.firings.append(id)
        return failure


def ledger(state):
    """(id, reminder, microseconds, event, priority, place) of all firings in the order of the ledger,
    and the faults of the database. For a daemon that has ended."""
    database = sqlite3.connect(os.path.join(state, "georemind.db"))
    try:
        rows = database.execute(
            "SELECT id, reminder_id, time_us, event, priority, place FROM firing ORDER BY seq").fetchall()
        faults = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        faults += [str(row) for row in database.execute("PRAGMA foreign_key_check")]
    finally:
        database.close()
    return rows, faults


def compare(script, rows, is_disturbed):
    """The differences between what the model expects and what has fired.

    Dates fire in their second. A place may fire later, by the time that a decision takes, and after
    a failed call so may a date.
    """
    reminders = {step["reminder"]["id"]: step["reminder"]
                 for step in script.steps if step["do"] in ("add", "edit")}
    kinds = {id: reminder["kind"] for id, reminder in reminders.items()}
    wanted, found = collections.defaultdict(list), collections.defaultdict(list)
    for line in script.firings:
        wanted[line["fires"]].append((line["at"], line["event"]))
    for _, reminder, time, event, *_ in rows:
        found[reminder].append((time // 10 ** 6, event))
    differences = []
    # Each repetition of an alarm counts from the one before it, which may be late then.
    nags = {step["reminder"]["id"] for step in script.steps
            if is_disturbed and "nag_s" in step.get("reminder", {})}
    # With `if_inside` a new one waits for a position, and a run that has just begun has none.
    fixes = {tracker: [step["at"] for step in script.fixes(tracker)] for tracker in script.trackers}
    waits = collections.defaultdict(int)
    for step in script.steps:
        if is_disturbed and step.get("reminder", {}).get("if_inside") == "fire":
            following = max((next((at for at in fixes[tracker] if at > step["at"]), step["at"])
                             for tracker in script.followed(step["reminder"])), default=step["at"])
            id = step["reminder"]["id"]
            waits[id] = max(waits[id], following - step["at"])
    # The receiver sends on for minutes after each fix of a script, and again when it comes back: its
    # silences are not those of the script. The generated lives compare them.
    silent = {step["reminder"]["id"] for step in script.steps
              if step.get("reminder", {}).get("on") == "silent"}
    for id in sorted(kinds):
        if id in script.uncertain | nags | silent:
            continue
        if kinds[id] == "preemptive" and any(
                script.is_false(at, script.followed(reminders[id]))
                for at, _ in wanted[id] + found[id]):
            continue
        span = SLOWEST_DECISION if kinds[id] != "date" else 0
        span += waits[id]
        span += RETRY if is_disturbed else 2 if script.sets_clock else 0
        # The last firings may come after the end.
        last = script.head["end"] - span
        if script.sets_clock:
            # Where a life ends in its sleep, nothing that failed is tried again.
            gap = max((step["at"] + step["span"] for step in script.steps
                       if step["do"] in ("suspend", "outage")), default=0)
            ends_asleep = is_disturbed and gap > script.head["end"]
            last = gap - 3600 if ends_asleep else float("inf")
        ours = sorted(firing for firing in wanted[id] if firing[0] <= last)
        theirs = sorted(found[id])
        for number in range(max(len(ours), len(theirs))):
            if number >= len(theirs):
                # A call comes a little later within its second.
                if script.may_end(id, ours[number][0], span if is_disturbed else 1):
                    break  # It came after its `until`.
                differences.append(f"lost: {id} {ours[number][1]} at {ours[number][0]}")
            elif number >= len(ours):
                if theirs[number][0] > last:
                    break
                differences.append(f"doubled: {id} {theirs[number][1]} at {theirs[number][0]}")
            else:
                late = theirs[number][0] - ours[number][0]
                events = {ours[number][1]} | ({"late"} if span else set())
                if 0 <= late <= span and theirs[number][1] in events:
                    continue
                word = "early" if late < 0 else "late" if late > span else "another event"
                differences.append(f"{word}: {id} {ours[number]} was {theirs[number]}")
            break  # What follows differs, too.
    return differences


def check_delivery(journal, rows):
    """Each firing of the ledger is in the journal, once and in order; the journal has no others."""
    ids = [row[0] for row in rows]
    if len(set(ids)) < len(ids):
        return ["doubled: a firing is twice in the ledger"]
    if ids == journal.firings:
        return []
    missing = [id for id in ids if id not in journal.firings]
    others = [id for id in journal.firings if id not in ids]
    if missing:
        return [f"lost: the journal has not the firing {missing[0]}, one of {len(missing)}"]
    if others:
        return [f"lost: the ledger has not the firing {others[0]}, one of {len(others)}"]
    return ["the journal has the firings in another order than the ledger"]
