"""Errands: dates that the user adds beside the reminders of a life, changes and removes.

A generated life has few reminders, so the daemon rarely writes. Each errand is a few commits, and
its firings are known to the second.
"""

import random
import time

ERRANDS = 40
MINUTE, HOUR = 60, 3600


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def errand(number, start, end, chance):
    """The lines of one errand, which is over a quarter of an hour before the end. Each third one is
    urgent."""
    id = f"errand{number}"
    added = chance.randrange(start, end - 7 * HOUR)
    due = added + chance.randint(2 * MINUTE, 2 * HOUR)
    document = {"id": id, "kind": "date", "title": id, "due": stamp(due)}
    if number % 3 == 0:
        document["priority"] = 1
    between = added + 30 + (due - added - 60) // 2
    kind, fires = chance.choice(["once", "once", "moved", "removed", "repeats", "snoozed"]), [due]
    lines = []
    if kind == "moved":
        fires = [due + chance.randint(MINUTE, HOUR)]
        lines = [{"at": between, "do": "edit", "reminder": dict(document, due=stamp(fires[0]))}]
    elif kind == "removed":
        fires = []
        lines = [{"at": between, "do": "remove", "id": id}]
    elif kind == "repeats":
        # By a clock without summer time.
        document.update(zone="UTC", repeat="FREQ=MINUTELY;INTERVAL=25;COUNT=5")
        fires = [due + number * 25 * MINUTE for number in range(5)]
    elif kind == "snoozed":
        fires = [due, due + chance.randint(5 * MINUTE, HOUR)]
        lines = [{"at": due + 2 * MINUTE, "do": "snooze", "id": id, "until": stamp(fires[1])}]
    lines = [{"at": added, "do": "add", "reminder": document}] + lines
    return lines + [{"fires": id, "at": moment, "event": "due"} for moment in fires]


def errands(seed, start, end):
    """The lines of all errands of a life."""
    chance = random.Random(f"errands {seed}")
    return [line for number in range(ERRANDS)
            for line in errand(number, start, end, chance)]
