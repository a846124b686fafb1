#!/usr/bin/env python3
"""Random repeating tasks and events, and what python-dateutil, icalendar and zoneinfo make of them.

usage: calendar_series.py make NUMBER SEED    prints the cases, a JSON object a line
       calendar_series.py judge CASES RESULTS  compares what georemind has read and written

A case has the text of a calendar, the system's zone, a limit of names, and how many occurrences each
completion takes. A result has the firings of the calendar (seconds since 1970) and, after each
completion, its name, the text that was written, and the firings of that text. The expected times are
computed from the first text alone, and the texts that were written are read back.
Ends with 77 where a library is missing (Debian: python3-dateutil, python3-icalendar).
"""
import datetime
import json
import random
import re
import sys
import warnings

try:
    from dateutil.rrule import rruleset, rrulestr
    from icalendar import Calendar
    from icalendar.parser import Contentlines
    from zoneinfo import ZoneInfo
except ImportError:
    sys.exit(77)
warnings.simplefilter("ignore")

UTC = datetime.timezone.utc
DAY = datetime.timedelta(days=1)
HOUR = datetime.timedelta(hours=1)
ZONES = ["Pacific/Auckland", "Asia/Tokyo", "Asia/Kolkata", "Europe/Berlin", "Europe/London", "Etc/UTC",
         "America/St_Johns", "America/New_York", "America/Los_Angeles", "Pacific/Honolulu"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
MORNING = 9 * HOUR


def compact(time):
    return time.strftime("%Y%m%dT%H%M%S")


def instant(reading, zone):
    """A reading of a clock: in the gap of spring by the offset before it, of two the first."""
    return reading.replace(tzinfo=zone, fold=0).astimezone(UTC)


def reading(moment, zone):
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


# Reading a calendar

class Component:
    def __init__(self, name):
        self.name, self.lines, self.parts = name, [], []

    def all(self, name):
        return [(params, value) for n, params, value in self.lines if n == name]

    def one(self, name):
        return next(iter(self.all(name)), None)


def parse(text):
    """The tree of components, unfolded and split by icalendar."""
    Calendar.from_ical(text)
    stack = [Component("")]
    for line in Contentlines.from_ical(text):
        if not line:
            continue
        name, params, value = line.parts()
        name = name.upper()
        if name == "BEGIN":
            stack.append(Component(value))
            stack[-2].parts.append(stack[-1])
        elif name == "END":
            stack.pop()
        else:
            stack[-1].lines.append((name, params, value))
    return stack[0].parts[0]


class Time:
    """A date or time of a file: its kind, reading and zone."""

    def __init__(self, params, value):
        self.zone = None
        if len(value) == 8:
            self.kind, self.local = "date", datetime.datetime.strptime(value, "%Y%m%d")
        elif value.endswith("Z"):
            self.kind, self.zone = "utc", UTC
            self.local = datetime.datetime.strptime(value[:-1], "%Y%m%dT%H%M%S")
        else:
            self.local = datetime.datetime.strptime(value, "%Y%m%dT%H%M%S")
            self.kind = "zoned" if "TZID" in params else "floating"
            self.zone = ZoneInfo(params["TZID"]) if "TZID" in params else None

    def instant(self, system):
        return instant(self.local, self.zone or system)

    def text(self, local, moment, clock):
        """Another occurrence in the same form."""
        if self.kind == "date":
            return local.strftime("%Y%m%d")
        if self.kind == "utc":
            return compact(moment.astimezone(UTC)) + "Z"
        return compact(local if self.zone in (None, clock) else reading(moment, self.zone))


def times(entries):
    return [Time(params, value) for params, values in entries for value in values.split(",")]


def span(text):
    """Days and the rest of a duration, each with its sign."""
    match = re.fullmatch(r"([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", text)
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    sign = -1 if match[1] == "-" else 1
    return sign * (7 * weeks + days) * DAY, sign * datetime.timedelta(
        hours=hours, minutes=minutes, seconds=seconds)


class Series:
    """A component that repeats, by the names of its occurrences: naive readings of its clock."""

    def __init__(self, item, system, meta):
        self.item, self.system, self.meta = item, system, meta
        start, end = item.one("DTSTART"), item.one("DUE" if item.name == "VTODO" else "DTEND")
        self.start = Time(*start) if start else None
        self.end = Time(*end) if end else None
        self.anchor = self.start or self.end
        self.isDay = self.anchor.kind == "date"
        self.clock = self.anchor.zone or system
        self.first = self.anchor.local
        self.offset = self.offset_of_end()

    def offset_of_end(self):
        duration = self.item.one("DURATION")
        if self.start and not self.end and duration:
            return span(duration[1])
        if not self.start or not self.end:
            return 0 * DAY, 0 * DAY
        if self.isDay:
            return self.end.local - self.start.local, 0 * DAY
        due = self.end.instant(self.system)
        local = reading(due, self.clock)
        days = (local.date() - self.first.date()).days - (local.time() < self.first.time())
        return days * DAY, due - instant(self.first + days * DAY, self.clock)

    def name(self, time):
        if time.kind in ("date", "floating") or time.zone == self.anchor.zone:
            return time.local
        if self.isDay:
            # The day of a midnight somewhere is in the case.
            return datetime.datetime.fromisoformat(self.meta["days"][compact(time.local)]) \
                if time.kind == "utc" else time.local.replace(hour=0, minute=0, second=0)
        return reading(time.instant(self.system), self.clock)

    def rule(self):
        line = self.item.one("RRULE")
        if not line:
            return None
        parts = [part.split("=") for part in line[1].split(";")]
        if "UNTIL" in dict(parts):
            name = self.name(Time({}, dict(parts)["UNTIL"]))
            parts = [[key, compact(name) if key == "UNTIL" else value] for key, value in parts]
        return rrulestr(";".join("=".join(part) for part in parts), dtstart=self.first)

    def names(self, limit, overridden=()):
        """The occurrences before a limit that this component describes."""
        dates = rruleset()
        rule = self.rule()
        if rule:
            dates.rrule(rule)
        dates.rdate(self.first)
        for time in times(self.item.all("RDATE")):
            name = self.name(time)
            if self.item.name != "VTODO" or name >= self.first:
                dates.rdate(name)
        for time in times(self.item.all("EXDATE")):
            name = self.name(time)
            dates.exdate(name if not self.isDay else name.replace(hour=0, minute=0, second=0))
        found = []
        for name in dates:
            if name >= limit:
                break
            if name not in overridden:
                found.append(name)
        return found

    def count_before(self, name):
        return len(list(self.rule().between(datetime.datetime.min, name))) if self.rule() else 0

    def due(self, name):
        """The end of an occurrence, as its reading and instant."""
        days, rest = self.offset
        if self.isDay:
            local = name + days + rest
            return local, instant(local, self.clock)
        moment = instant(name + days, self.clock) + rest
        return (name + days if not rest else reading(moment, self.clock)), moment

    def firings(self, name, shift=(0 * DAY, 0 * DAY)):
        """The moments at which its alarms ring for an occurrence."""
        isTask = self.item.name == "VTODO"
        alarms = [part for part in self.item.parts if part.name == "VALARM"]
        start = (name + sum(shift, 0 * DAY)) if self.isDay else name
        end, _ = self.due(name)
        found = []
        for alarm in alarms:
            params, value = alarm.one("TRIGGER")
            if params.get("VALUE") == "DATE-TIME":
                # As far from the due time as at first.
                due, ring = reading(self.due(self.first)[1], self.clock), Time(params, value)
                local = reading(ring.instant(self.system), self.clock)
                days = (local.date() - due.date()).days
                days += days < 0 and local.time() > due.time()
                rest = ring.instant(self.system) - instant(due + days * DAY, self.clock)
                triggers = [(days * DAY, rest, self.due(name)[0])]
            else:
                days, rest = span(value)
                isEnd = params.get("RELATED", "START") == "END"
                triggers = []
                for number in range(int((alarm.one("REPEAT") or ({}, "0"))[1]) + 1):
                    more = span((alarm.one("DURATION") or ({}, "PT0S"))[1])
                    triggers.append((days, rest + number * more[1], end if isEnd else None))
            for days, rest, base in triggers:
                if self.isDay:
                    found.append(instant((base or start) + days + rest, self.clock))
                elif base is not None:
                    moment = self.due(name)[1]
                    if days:
                        moment = instant(reading(moment, self.clock) + days, self.clock)
                    found.append(moment + rest)
                else:
                    # From the name, the days of a shift and of the alarm, then all elapsed time.
                    found.append(instant(name + shift[0] + days, self.clock) + shift[1] + rest)
        if not alarms and isTask:
            local, moment = self.due(name)
            isDate = (self.end or self.anchor).kind == "date"
            found.append(instant(local + MORNING, self.clock) if isDate else moment)
        return found


class File:
    """A calendar of one series with changed occurrences."""

    def __init__(self, text, case):
        self.system = ZoneInfo(case["zone"])
        items = [part for part in parse(text).parts if part.name in ("VTODO", "VEVENT")]
        masters = [item for item in items if not item.one("RECURRENCE-ID")]
        self.master = Series(masters[0], self.system, case)
        self.single, self.ranges = {}, {}
        for item in items:
            line = item.one("RECURRENCE-ID")
            if line:
                name = self.master.name(Time(*line))
                into = self.ranges if line[0].get("RANGE") == "THISANDFUTURE" else self.single
                into[name] = Series(item, self.system, case)
        self.limit = datetime.datetime.fromisoformat(case["limit"])

    def names(self):
        """Of the master itself: until the first range."""
        return self.master.names(min([self.limit, *self.ranges]), self.single)

    def firings(self, names):
        found = set()
        for name in names:
            found.update(self.master.firings(name))
        for item in self.single.values():
            found.update(item.firings(item.first))
        bounds = sorted(self.ranges) + [self.limit]
        whole = self.master.names(self.limit, self.single)
        for begin, end in zip(bounds, bounds[1:]):
            item = self.ranges[begin]
            days = (item.first - begin) // DAY * DAY
            shift = days, item.first - begin - days
            for name in whole:
                if begin <= name < end:
                    moved = item.firings(name + sum(shift, 0 * DAY))
                    found.update(moved)
        return sorted(int(moment.timestamp()) for moment in found)


# Judging

FREE = {"DTSTAMP", "LAST-MODIFIED", "SEQUENCE"}


def physical(text):
    return [line for line in re.findall(r"[^\n]*\n(?:[ \t][^\n]*\n)*", text)]


def other_lines(text, names):
    """All lines but these properties of the series itself."""
    items = re.split(r"(?m)^(?=BEGIN:(?:VTODO|VEVENT))", text)
    found = []
    for item in items:
        isSeries = item.startswith(("BEGIN:VT", "BEGIN:VE")) and "\nRECURRENCE-ID" not in item
        found += [line for line in physical(item)
                  if not isSeries or re.split("[:;]", line, maxsplit=1)[0] not in names]
    return found


def judge(case, result):
    """The first difference; None without one."""
    file = File(case["text"], case)
    master = file.master
    names = file.names()
    expected = file.firings(names)
    if result["firings"] != expected:
        return f"read: fires {shown(result['firings'], expected)}"
    done = 0
    text = case["text"]
    rule = master.item.one("RRULE")
    total = int(re.search(r"COUNT=(\d+)", rule[1])[1]) if rule and "COUNT" in rule[1] else None
    for number, step in enumerate(result["steps"]):
        where = f"completion {number + 1}"
        before, text = text, step["text"]
        done += case["jumps"][number]
        last = datetime.datetime.fromisoformat(step["name"])
        if min(done, len(names)) == 0 or names[min(done, len(names)) - 1] != last:
            return f"{where}: of {last}, not {names[:done][-1:]}"
        written = File(text, case)
        item = written.master.item
        left = names[done:]
        if not left:
            if (item.one("STATUS") or ({}, ""))[1] != "COMPLETED":
                return f"{where}: is not completed at its end"
            free = FREE | {"STATUS", "COMPLETED", "PERCENT-COMPLETE"}
            if other_lines(before, free) != other_lines(text, free):
                return f"{where}: another line has changed at its end"
            if step["firings"] != file.firings([]):
                return f"{where}: fires {shown(step['firings'], file.firings([]))}"
            break
        next = left[0]
        # The start stays, with an exception, only where the next occurrence is a single date.
        isRegular = not rule or next in list(master.rule().between(next - DAY, next + DAY))
        name = "DTSTART" if master.start else "DUE"
        moves = isRegular or item.one(name) != File(before, case).master.item.one(name)
        local, moment = master.due(next)
        ends = {"DTSTART": (master.start, next, instant(next, master.clock)),
                "DUE": (master.end, local, moment)}
        free = FREE | {"DTSTART", "DUE"}
        for name, (old, local, moment) in ends.items():
            line = item.one(name)
            if (line is None) != (old is None):
                return f"{where}: {name} came or went"
            if line and moves and line[1] != old.text(local, moment, master.clock):
                return f"{where}: {name}:{line[1]}, not {old.text(local, moment, master.clock)}"
            if line and line[0] != master.item.one(name)[0]:
                return f"{where}: {name} has other parameters"
        if total is not None:
            free.add("RRULE")
            if moves:
                count = total - master.count_before(next)
                if item.one("RRULE")[1] != re.sub(r"COUNT=\d+", f"COUNT={count}", rule[1]):
                    return f"{where}: {item.one('RRULE')[1]}, not COUNT={count}"
        if any(params.get("VALUE") == "DATE-TIME" for alarm in item.parts
               for params, _ in alarm.all("TRIGGER")):
            free.add("TRIGGER")
        if not moves:
            free = FREE | {"EXDATE"}
        if other_lines(before, free) != other_lines(text, free):
            return f"{where}: another line has changed"
        # The file says the same again: to a reader of RFC 5545, and to georemind.
        again = written.names()
        if again != left:
            return f"{where}: the file goes on at {again[:3]}, not {left[:3]}"
        expected = file.firings(left)
        if step["firings"] != expected:
            return f"{where}: fires {shown(step['firings'], expected)}"
    if case["jumps"] and not result["steps"]:
        return "is never completed"
    return None


def shown(found, expected):
    def text(moments):
        return [datetime.datetime.fromtimestamp(s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for s in sorted(moments)[:4]]
    return f"at {text(set(found) - set(expected))}, not at {text(set(expected) - set(found))}"


# Making

class Maker:
    def __init__(self, seed, number):
        self.pick = random.Random(f"{seed} {number}")

    def chance(self, p):
        return self.pick.random() < p

    def make(self):
        while True:
            case = self.attempt()
            if case:
                return case

    def attempt(self):
        pick, chance = self.pick, self.chance
        self.isTask = chance(0.7)
        self.kind = pick.choice(["date", "floating", "zoned", "zoned", "utc"])
        self.system = ZoneInfo(pick.choice(ZONES))
        self.zone = {"zoned": ZoneInfo(pick.choice(ZONES)), "utc": UTC}.get(self.kind)
        self.clock = self.zone or self.system
        self.days = {}
        # Mostly a few weeks before a change of some clock.
        day = datetime.datetime(2027, pick.choice([2, 3, 3, 9, 10, 10, pick.randint(1, 12)]), pick.randint(1, 28))
        self.isRange = self.kind in ("zoned", "floating") and chance(0.15)
        time = 0 * DAY if self.kind == "date" else pick.choice(
            [9 * HOUR, 17 * HOUR, 22 * HOUR, 2.5 * HOUR, 0.5 * HOUR, 13.75 * HOUR])
        if self.isRange:
            time = pick.choice([9 * HOUR, 13.75 * HOUR])
        rule = self.rule()
        try:
            self.first = next(iter(rrulestr(rule, dtstart=day + time))) if rule else day + time
        except StopIteration:
            return None
        lines = self.times()
        lines += self.repeating(rule)
        if lines is None:
            return None
        kind = "VTODO" if self.isTask else "VEVENT"
        items = [(kind, lines, self.alarms())]
        items += self.changes(kind)
        text = self.text(items)
        case = {"text": text, "zone": self.system.key, "limit": self.limit.isoformat(), "days": self.days,
                "jumps": [pick.choice([1, 1, 1, 2, 3]) for _ in range(pick.randint(1, 6))] if self.isTask else []}
        return case if self.isPlain(case) else None

    def rule(self):
        """A rule without an end; none for single dates."""
        pick, chance = self.pick, self.chance
        if not self.isRange and chance(0.08):
            return None
        freq = pick.choice(["DAILY", "WEEKLY", "WEEKLY", "MONTHLY", "YEARLY"])
        parts = [f"FREQ={freq}"]
        if chance(0.3):
            parts.append(f"INTERVAL={pick.randint(2, 4)}")
        if freq == "WEEKLY" and chance(0.6):
            parts.append("BYDAY=" + ",".join(sorted(pick.sample(DAYS, pick.randint(1, 3)), key=DAYS.index)))
        if freq == "MONTHLY":
            parts += pick.choice([[], [f"BYMONTHDAY={pick.choice([1, 15, 28, 31, -1])}"],
                                  [f"BYDAY={pick.choice([1, 2, -1])}{pick.choice(DAYS)}"],
                                  ["BYDAY=MO,TU,WE,TH,FR", "BYSETPOS=-1"]])
        if freq == "YEARLY" and chance(0.5):
            parts += [f"BYMONTH={pick.choice([3, 10])}", f"BYDAY={pick.choice(['1', '-1', '2'])}SU"]
        if freq == "DAILY" and self.kind != "date" and not self.isRange and chance(0.15):
            parts.append("BYHOUR=6,18")
        if freq == "WEEKLY" and chance(0.1):
            parts.append("WKST=SU")
        return ";".join(parts)

    def line(self, name, local, like=None):
        """A time in the form of the series, or of another one."""
        kind = like or self.kind
        if kind == "date":
            return f"{name};VALUE=DATE:{local:%Y%m%d}"
        if kind == "zoned":
            return f"{name};TZID={self.zone.key}:{compact(local)}"
        if kind == "utc":
            return f"{name}:{compact(instant(local, self.clock).astimezone(UTC))}Z"
        return f"{name}:{compact(local)}"

    def times(self):
        pick, chance = self.pick, self.chance
        end = "DUE" if self.isTask else "DTEND"
        self.span = 0 * DAY
        if self.isTask and chance(0.35):
            self.hasStart = chance(0.25)
            return [self.line("DTSTART" if self.hasStart else "DUE", self.first)]
        self.hasStart = True
        lines = [self.line("DTSTART", self.first)]
        days = pick.choice([0, 0, 1, 2, 4]) * DAY
        rest = 0 * DAY if self.kind == "date" else pick.choice([0, 2, 8, 10.5, 20]) * HOUR
        self.span = days + rest
        if not self.span and (self.kind == "date" and not self.isTask or chance(0.5)):
            return lines
        if chance(0.25) and self.kind != "date":
            whole = pick.choice([f"PT{int(days / HOUR + rest / HOUR)}H", f"P{days.days}DT{int(rest / HOUR)}H"])
            return lines + ["DURATION:" + whole]
        if self.kind == "date":
            return lines + [self.line(end, self.first + days)]
        # Written by another clock or in UTC at times.
        moment = instant(self.first + days, self.clock) + rest
        if self.kind == "zoned" and chance(0.15):
            other = ZoneInfo(pick.choice(ZONES))
            return lines + [f"{end};TZID={other.key}:{compact(reading(moment, other))}"]
        like = "utc" if self.kind == "zoned" and chance(0.15) else None
        return lines + [self.line(end, reading(moment, self.clock), like)]

    def repeating(self, rule):
        """The lines of the series."""
        pick, chance = self.pick, self.chance
        lines = []
        far = self.first + 3000 * DAY
        if rule:
            names = []
            for name in rrulestr(rule, dtstart=self.first):
                names.append(name)
                if len(names) == 45 or name > far:
                    break
            end = pick.choice((["", "COUNT"] if len(names) == 45 else ["COUNT"]) + ["UNTIL", "UNTIL"])
            last = pick.randint(2 if self.isRange else 0, min(14, len(names) - 1)) if len(names) > 3 else len(names) - 1
            if end == "COUNT":
                rule += f";COUNT={last + 1}"
                names = names[:last + 1]
            elif end == "UNTIL":
                rule += ";UNTIL=" + self.until(names[last])
                names = names[:last + 1]
            lines.append("RRULE:" + rule)
        else:
            names = [self.first]
        self.singles = []
        if not self.isRange and (not rule or chance(0.2)):
            for _ in range(pick.randint(1, 4)):
                hours = 0 if self.kind == "date" or chance(0.6) else pick.choice([3, 5, -2])
                name = self.first + pick.randint(1, 40) * DAY + hours * HOUR
                self.singles.append(name)
            self.singles = sorted(set(self.singles) - set(names))
            for name in self.singles:
                lines.append(self.line("RDATE", name))
        self.names = sorted(set(names + self.singles))
        self.excluded = set()
        if chance(0.35):
            for name in pick.sample(self.names, min(len(self.names) - 1, pick.randint(1, 3))):
                self.excluded.add(name)
                lines.append(self.same("EXDATE", name))
        self.limit = self.names[36] if len(self.names) > 36 else self.names[-1] + DAY
        return lines

    def midnight(self, name):
        """A whole day as Exchange and Google write it."""
        if self.chance(0.5):
            value = compact(name) + "Z"
        else:
            self.office = self.office or ZoneInfo(self.pick.choice(ZONES))
            value = compact(instant(name, self.office)) + "Z"
        self.days[value[:-1]] = name.isoformat()
        return value

    office = None

    def until(self, name):
        pick = self.pick
        if self.kind == "date":
            return self.midnight(name) if self.chance(0.4) else f"{name:%Y%m%d}"
        if self.kind == "floating":
            return compact(name)
        moment = instant(name, self.clock)
        later = moment + pick.choice([0, 0, 1]) * HOUR / 2
        return compact(later if not later.astimezone(self.clock).fold else moment) + "Z"

    def same(self, property, name):
        """An exception in one of its forms."""
        if self.kind == "date" and self.chance(0.3):
            return f"{property}:{self.midnight(name)}"
        if self.kind == "date" and self.chance(0.3):
            self.office = self.office or ZoneInfo(self.pick.choice(ZONES))
            return f"{property};TZID={self.office.key}:{compact(name)}"
        return self.line(property, name, "utc" if self.kind == "zoned" and self.chance(0.2) else None)

    def alarms(self):
        pick, chance = self.pick, self.chance
        if self.isTask and chance(0.4):
            return []
        found = []
        for _ in range(pick.randint(1, 3)):
            if self.isTask and self.kind in ("zoned", "utc") and 5 <= self.first.hour < 20 \
                    and self.span in (0 * DAY, DAY, 2 * DAY) and chance(0.15):
                local = self.first + self.span
                before = pick.choice([0 * DAY, DAY, HOUR / 4])
                found.append([f"TRIGGER;VALUE=DATE-TIME:{compact(instant(local - before, self.clock))}Z"])
                continue
            isEnd = self.hasStart and self.span and chance(0.5)
            triggers = ["-PT15M", "PT0S", "PT30M", "-PT3H", "PT3H"]
            if not isEnd:
                triggers += ["-P1D", "-PT24H", "-P2DT3H", "-P1W", "P1D", "PT26H", "P1DT2H", "P1DT9H"]
            elif self.isTask:
                triggers += ["-P1D", "-PT24H", "-P1DT2H"]
            trigger = pick.choice(triggers)
            alarm = [f"TRIGGER{';RELATED=END' if isEnd else ''}:{trigger}"]
            if chance(0.1) and not (isEnd and "D" in trigger):
                alarm += ["REPEAT:2", "DURATION:PT5M"]
            found.append(alarm)
        return found

    def changes(self, kind):
        pick, chance = self.pick, self.chance
        items = []
        free = [name for name in self.names[1:12] if name not in self.excluded]
        alarms = [["TRIGGER:PT0S"]]
        if self.isRange:
            begins = sorted(pick.sample(free, min(len(free), pick.randint(1, 2))))
            for begin in begins:
                moved = begin + pick.choice([0, 0, 1, -1]) * DAY + pick.choice([1, 2, -3]) * HOUR
                line = self.line("RECURRENCE-ID", begin).replace("RECURRENCE-ID", "RECURRENCE-ID;RANGE=THISANDFUTURE")
                items.append((kind, [line, self.line("DTSTART", moved)], pick.choice([alarms, [["TRIGGER:PT30M"]]])))
            free = [name for name in free if name not in begins]
        if free and chance(0.3):
            for name in pick.sample(free, min(len(free), pick.randint(1, 2))):
                moved = name + pick.choice([1, 2, -1]) * DAY
                line = self.line("DUE" if self.isTask and not self.hasStart else "DTSTART", moved)
                items.append((kind, [self.same("RECURRENCE-ID", name), line], alarms))
        pick.shuffle(items)
        return items

    def text(self, items):
        pick = self.pick
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//case//EN"]
        if self.office:
            lines += [f"X-WR-TIMEZONE:{self.office.key}"]
        for kind, own, alarms in items:
            lines.append(f"BEGIN:{kind}")
            body = ["UID:case", "DTSTAMP:20261101T000000Z", "SUMMARY:Wäsche\\, Müll; " + "x" * pick.randint(0, 120),
                    "X-OTHER;P=\"a:b\":kept  ", *own]
            if kind == "VTODO" and self.chance(0.4):
                body.append("STATUS:NEEDS-ACTION")
            pick.shuffle(body)
            lines += body
            for alarm in alarms:
                lines += ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:x", *alarm, "END:VALARM"]
            lines.append(f"END:{kind}")
        lines.append("END:VCALENDAR")
        end = pick.choice(["\r\n", "\r\n", "\n"])
        return "".join(self.folded(line, end) + end for line in lines)

    def folded(self, line, end):
        width = self.pick.choice([75, 60, 1000])
        return (end + " ").join(line[at:at + width] for at in range(0, len(line), width))

    def isPlain(self, case):
        """A due time in the second turn of an hour has no reading in a file, and days before a
        start in the gap of spring may be counted from two readings. Without the system's zone, no
        alarm is counted across a change of its clock from the end of the first occurrence."""
        file = File(case["text"], case)
        master = file.master
        if self.kind == "floating" and "RELATED=END:PT" in case["text"]:
            moment = master.due(master.first)[1].astimezone(self.system)
            if moment.utcoffset() != (moment + 4 * HOUR).astimezone(self.system).utcoffset():
                return False
        for name in master.names(file.limit):
            local, moment = master.due(name)
            end = master.end or master.anchor
            if end.kind != "date" and not master.isDay:
                clock = end.zone or self.system
                if instant(reading(moment, clock), clock) != moment:
                    return False
                isGap = reading(instant(name, master.clock), master.clock) != name
                if isGap and re.search("TRIGGER[^\r\n]*:-?P[0-9]", case["text"]):
                    return False
        return len(file.names()) > 0


def main():
    if sys.argv[1] == "make":
        for number in range(int(sys.argv[2])):
            print(json.dumps(Maker(sys.argv[3], number).make()))
        return
    wrong = 0
    kinds = {}
    with open(sys.argv[2]) as cases, open(sys.argv[3]) as results:
        for number, (case, result) in enumerate(zip(cases, results)):
            case, result = json.loads(case), json.loads(result)
            fault = result.get("error") or judge(case, result)
            kinds["completions"] = kinds.get("completions", 0) + len(result.get("steps", []))
            kinds["cases"] = number + 1
            if fault:
                wrong += 1
                print(f"case {number}, {case['zone']}: {fault}")
    print(json.dumps({"wrong": wrong, **kinds}))


main()
