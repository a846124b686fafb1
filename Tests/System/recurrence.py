#!/usr/bin/env python3
"""Random repeat rules of RFC 5545 with their times as python-dateutil finds them.

usage: recurrence.py NUMBER SEED

A line each: rule, start, the first times (at most five), a later moment, the first time after it
("-": none), and in what python-dateutil is known to differ from RFC 5545 ("-": nothing). Fields are
parted by tabs, times by blanks. Rules that python-dateutil needs longer than 0.02 s for are left out.
Ends with 77 where python-dateutil is missing. docs/explanation/time-and-time-to-leave.md says what the differences are.
"""
import datetime
import random
import signal
import sys
import warnings

try:
    from dateutil.rrule import rrulestr
except ImportError:
    sys.exit(77)
warnings.simplefilter("ignore")

DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


class TooSlow(Exception):
    pass


def on_alarm(*_):
    raise TooSlow


def some(pick, values, most):
    return sorted(pick.sample(values, pick.randint(1, most)))


def signed(pick, limit, most):
    return some(pick, [n for n in range(-limit, limit + 1) if n], most)


def rule(pick):
    """The parts of a rule that RFC 5545 allows, and its known differences."""
    freq = pick.choice(["YEARLY", "MONTHLY", "WEEKLY", "DAILY"] * 3 + ["HOURLY", "MINUTELY", "SECONDLY"])
    parts = {"FREQ": freq}
    large = freq in ("YEARLY", "MONTHLY")
    chance = lambda p: pick.random() < p
    if chance(0.4):
        parts["INTERVAL"] = pick.choice([1, 2, 3, 4, 5, 6, 7, 10, 12, 13, 24, 30, 45, 60, 90, 100])
    if chance(0.35):
        parts["BYMONTH"] = some(pick, range(1, 13), 4)
    if freq == "YEARLY" and chance(0.25):
        parts["BYWEEKNO"] = signed(pick, 53, 3)
    if freq in ("YEARLY", "HOURLY", "MINUTELY", "SECONDLY") and chance(0.2):
        parts["BYYEARDAY"] = signed(pick, 366, 4)
    if freq != "WEEKLY" and chance(0.3):
        parts["BYMONTHDAY"] = signed(pick, 31, 4)
    mixed = False
    if chance(0.4):
        numbered = large and "BYWEEKNO" not in parts and chance(0.5)
        limit = 53 if freq == "YEARLY" and "BYMONTH" not in parts else 5
        days = pick.sample(DAYS, pick.randint(1, 4))
        if numbered:
            marks = [pick.choice([n for n in range(-limit, limit + 1) if n]) if chance(0.8) else None for _ in days]
            mixed = None in marks and any(marks)
            days = [(str(n) if n else "") + day for n, day in zip(marks, days)]
        parts["BYDAY"] = days
    if chance(0.2):
        parts["BYHOUR"] = some(pick, range(24), 4)
    if chance(0.2):
        parts["BYMINUTE"] = some(pick, range(60), 4)
    if chance(0.2):
        parts["BYSECOND"] = some(pick, range(60), 3)
    if chance(0.25) and any(name.startswith("BY") for name in parts):
        parts["BYSETPOS"] = signed(pick, 8, 3)
    if chance(0.3):
        parts["WKST"] = pick.choice(DAYS)
    if chance(0.3):
        parts["COUNT"] = pick.randint(1, 400)
    start = datetime.datetime(
        pick.randint(1990, 2030), pick.randint(1, 12), pick.randint(1, 28),
        pick.randint(0, 23), pick.choice([0, 15, 30, pick.randint(0, 59)]), pick.choice([0, 0, pick.randint(0, 59)]))
    if "COUNT" not in parts and chance(0.25):
        end = start + datetime.timedelta(seconds=int(10 ** pick.uniform(3, 9)))
        parts["UNTIL"] = end.strftime("%Y%m%dT%H%M%S")
    known = []
    if mixed:
        known.append("mixed")
    if "BYSETPOS" in parts and freq == "WEEKLY":
        known.append("week")
    if "BYWEEKNO" in parts:
        known.append("weekno")
    items = [f"{name}={','.join(map(str, v)) if isinstance(v, list) else v}" for name, v in parts.items()]
    pick.shuffle(items)
    return ";".join(items), start, ",".join(known) or "-"


def text(time):
    return time.isoformat() if time else "-"


def main():
    number, seed = int(sys.argv[1]), int(sys.argv[2])
    pick = random.Random(seed)
    signal.signal(signal.SIGALRM, on_alarm)
    printed = 0
    while printed < number:
        line, start, known = rule(pick)
        later = start + datetime.timedelta(seconds=int(10 ** pick.uniform(2, 8.6)))
        try:
            # The alarm may come as late as in the inner "finally".
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                rules = rrulestr("RRULE:" + line, dtstart=start)
                first = []
                for time in rules:
                    first.append(time)
                    if len(first) == 5:
                        break
                after = rules.after(later)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except (TooSlow, ValueError, IndexError, OverflowError):
            continue
        printed += 1
        print(line, text(start), " ".join(map(text, first)) or "-", text(later), text(after), known, sep="\t")


main()
