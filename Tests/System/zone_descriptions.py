#!/usr/bin/env python3
"""VTIMEZONEs of the tz database's zones, in the forms of several programs, and their offsets.

usage: zone_descriptions.py STEP    a JSON object a line: every STEP-th zone in each form

`text` is a calendar that describes the zone under a name of its own. `samples` has instants in
seconds since 1970, and the offsets that zoneinfo has for them: at each change, before it and after
it, and between, from 1970 to 2040.
"""
import datetime
import json
import random
import sys
import zoneinfo

UTC = datetime.timezone.utc
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
FIRST = int(datetime.datetime(1970, 1, 1, tzinfo=UTC).timestamp())
LAST = int(datetime.datetime(2041, 1, 1, tzinfo=UTC).timestamp())
DAY = 86_400


def state(zone, second):
    local = datetime.datetime.fromtimestamp(second, UTC).astimezone(zone)
    return int(local.utcoffset().total_seconds()), bool(local.dst())


def changes(zone):
    """Instants at which the offset or summer time changes, each with the offsets around it."""
    found, low, before = [], FIRST, state(zone, FIRST)
    while low < LAST:
        high = min(low + 5 * DAY, LAST)
        if state(zone, high) == before:
            low = high
            continue
        end = high
        while end - low > 1:
            middle = (low + end) // 2
            low, end = (middle, end) if state(zone, middle) == before else (low, middle)
        after = state(zone, end)
        found.append((end, before[0], after[0], after[1]))
        low, before = end, after
    return found


def clock(second, offset):
    return datetime.datetime.fromtimestamp(second + offset, UTC).replace(tzinfo=None)


def text_of(offset):
    hours, rest = divmod(abs(offset), 3_600)
    text = f"{'-' if offset < 0 else '+'}{hours:02}{rest // 60:02}"
    return text + (f"{rest % 60:02}" if rest % 60 else "")


def observance(kind, start, before, after, lines=()):
    return [f"BEGIN:{kind}", f"DTSTART:{start:%Y%m%dT%H%M%S}", f"TZOFFSETFROM:{text_of(before)}",
            f"TZOFFSETTO:{text_of(after)}", *lines, f"END:{kind}"]


def kind(is_summer):
    return "DAYLIGHT" if is_summer else "STANDARD"


def base(zone):
    offset, is_summer = state(zone, FIRST)
    return observance(kind(is_summer), datetime.datetime(1970, 1, 1), offset, offset)


def single(zone, found):
    """Each change by itself, in any order."""
    parts = [base(zone)] + [
        observance(kind(dst), clock(at, before), before, after) for at, before, after, dst in found]
    random.Random(1).shuffle(parts)
    return [line for part in parts for line in part]


def dates(zone, found):
    """One part for all changes between the same offsets (RDATE)."""
    groups = {}
    for at, before, after, dst in found:
        groups.setdefault((before, after, dst), []).append(clock(at, before))
    lines = base(zone)
    for (before, after, dst), times in groups.items():
        more = [f"RDATE:{','.join(f'{time:%Y%m%dT%H%M%S}' for time in times[1:])}"] if times[1:] else []
        lines += observance(kind(dst), times[0], before, after, more)
    return lines


def rules_of(time):
    """The rules that a reading may follow, the less exact ones first."""
    length = (time.replace(day=28) + datetime.timedelta(days=4)).replace(day=1) - datetime.timedelta(days=1)
    day = DAYS[time.weekday()]
    if time.day + 7 > length.day:
        yield f"BYMONTH={time.month};BYDAY=-1{day}"
    if time.day <= 28:
        yield f"BYMONTH={time.month};BYDAY={(time.day - 1) // 7 + 1}{day}"
    for first in range(max(1, time.day - 6), min(time.day, length.day - 6) + 1):
        run = ",".join(str(number) for number in range(first, first + 7))
        yield f"BYMONTH={time.month};BYMONTHDAY={run};BYDAY={day}"
    yield f"BYMONTH={time.month};BYMONTHDAY={time.day}"


def rules(zone, found):
    """Yearly rules, each for as long as it holds (UNTIL, or without an end)."""
    lines, open_runs = base(zone), {}
    runs = []
    for at, before, after, dst in found:
        time = clock(at, before)
        key = (before, after, dst, time.month, time.time())
        run = open_runs.get(key)
        if run and run["times"][-1].year == time.year - 1:
            left = run["rules"] & set(rules_of(time))
            if left:
                run["rules"] = left
                run["times"].append(time)
                run["last"] = at
                continue
        run = {"key": key, "times": [time], "rules": set(rules_of(time)), "last": at}
        open_runs[key] = run
        runs.append(run)
    for run in runs:
        before, after, dst = run["key"][:3]
        more = []
        if len(run["times"]) > 1:
            rule = sorted(run["rules"], key=lambda text: ("=-1" not in text, len(text), text))[0]
            end = datetime.datetime.fromtimestamp(run["last"], UTC)
            until = "" if run["times"][-1].year == 2040 else f";UNTIL={end:%Y%m%dT%H%M%S}Z"
            more = [f"RRULE:FREQ=YEARLY;{rule}{until}"]
        lines += observance(kind(dst), run["times"][0], before, after, more)
    return lines


def main():
    names = sorted(zoneinfo.available_timezones() - {"localtime", "Factory"})
    step = int(sys.argv[1])
    chosen = set(names[::step]) | {
        "Asia/Jerusalem", "Europe/Dublin", "Africa/Casablanca", "Asia/Gaza", "Europe/Berlin",
        "America/New_York", "America/Santiago", "Antarctica/Troll", "Australia/Lord_Howe",
        "Pacific/Apia", "Europe/Moscow", "Asia/Amman", "America/Sao_Paulo", "Africa/Monrovia"}
    for name in sorted(chosen):
        zone = zoneinfo.ZoneInfo(name)
        found = changes(zone)
        instants = {FIRST + DAY}
        for (at, *_), (end, *_) in zip(found, found[1:] + [(LAST,)]):
            instants |= {at - 1, at, (at + end) // 2}
        samples = [[at, state(zone, at)[0]] for at in sorted(instants)]
        for form in (single, dates, rules):
            lines = ["BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Made up", *form(zone, found),
                     "END:VTIMEZONE", "END:VCALENDAR", ""]
            print(json.dumps(
                {"zone": name, "form": form.__name__, "text": "\r\n".join(lines), "samples": samples}))


main()
