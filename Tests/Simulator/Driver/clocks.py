"""Lives of clocks: dates while the clock is set, the machine sleeps, and the power is off.

The oracle is an ideal daemon, which follows docs/explanation/time-and-time-to-leave.md. Due times
keep away from the moments around a step, where the page leaves a choice.
"""

import datetime
import random
import zoneinfo

from script import Script

MINUTE, HOUR, DAY = 60, 3600, 86400
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
# After a backward step of more than this, what fired in the false interval may be armed again.
SMALL_STEP = 10 * MINUTE


class Date:
    """A reminder that fires once, or daily at a reading of the clock."""

    def __init__(self, id, due, zone, is_daily):
        # Its document has a reading, of which the first counts.
        reading = datetime.datetime.fromtimestamp(due, zone).replace(fold=0)
        self.id, self.zone, self.is_daily = id, zone, is_daily
        self.due = self.next = int(reading.timestamp())
        self.fired = []
        self.last = None  # when it last fired, as far as that was true
        self.early = None  # when a clock that was ahead fired it, since taken back

    def after(self, moment):
        """The first occurrence after a moment; None if there is none."""
        if not self.is_daily:
            return self.due if self.due > moment else None
        first = datetime.datetime.fromtimestamp(self.due, self.zone)
        day = max(first.date(), datetime.datetime.fromtimestamp(moment, self.zone).date()
                  - datetime.timedelta(1))
        while True:
            # Of a reading that comes twice the first counts, and in the gap the offset before it.
            found = datetime.datetime.combine(day, first.time(), self.zone).timestamp()
            if found > moment and found >= self.due:
                return int(found)
            day += datetime.timedelta(1)

    def reach(self, moment, is_step):
        """The clock has come to this moment, from an earlier one."""
        is_past = self.early is not None and self.last is not None and self.last >= self.early
        if is_step and self.early is not None and self.early <= moment and not is_past:
            # It returns to a time that it has shown: what had fired by then has fired.
            self.last, self.early = self.early, None
            self.next = self.after(self.last) if self.is_daily else None
        if self.next is not None and self.next <= moment:
            self.fire(moment)

    def fire(self, moment):
        self.fired.append((moment, self.next))
        self.last = moment
        self.next = self.after(moment) if self.is_daily else None

    def pass_to(self, moment):
        """Time has passed without a step."""
        while self.next is not None and self.next <= moment:
            self.fire(self.next)

    def step_back(self, span, moment):
        if span <= SMALL_STEP:
            return
        if self.last is not None and self.last > moment:
            is_early = self.is_daily or self.due > moment + SMALL_STEP
            self.early, self.last = (self.last if is_early else self.early), None
        if self.is_daily:
            self.next = max(self.due, self.after(moment))
        elif self.early is not None and self.due > moment + SMALL_STEP:
            self.next = self.due

    @property
    def document(self):
        stamp = datetime.datetime.fromtimestamp(self.due, self.zone).strftime("%Y-%m-%dT%H:%M:%S")
        members = {"id": self.id, "kind": "date", "title": self.id, "due": stamp}
        return dict(members, repeat="FREQ=DAILY") if self.is_daily else members


def steps_of(chance, end):
    """(seconds since the start, what happens, span) by time, apart from each other."""
    found, moment = [], HOUR
    while moment < end - 3 * HOUR:
        kind = chance.choice(["false", "false", "small", "suspend", "outage"])
        if kind == "false":
            span = chance.choice([HOUR, 12 * HOUR, 36 * HOUR, 400 * DAY, 4380 * DAY])
            back = moment + chance.choice([10, 60, 6 * MINUTE])
            found += [(moment, "step", span), (back, "step", -span)]
            moment = back
        elif kind == "small":
            found.append((moment, "step", chance.choice([-300, -30, -1, 1, 30, 300])))
        else:
            found.append((moment, kind, chance.choice([MINUTE, HOUR, 20 * HOUR])))
            moment += found[-1][2]
        moment += chance.randint(HOUR, 20 * HOUR)
    return found


def script(seed, days=6):
    """The script of a seed, with what an ideal daemon fires."""
    chance = random.Random(f"clocks {seed}")
    name = chance.choice(ZONES)
    zone = zoneinfo.ZoneInfo(name)
    start = 1_769_904_000 + chance.randrange(280) * DAY
    steps = steps_of(chance, days * DAY)
    while True:
        dates = [Date(f"d{number}", start + chance.randint(HOUR, days * DAY), zone,
                      chance.random() < 0.4) for number in range(6)]
        is_clear, wall = play(dates, steps, start, start + days * DAY)
        if is_clear:
            break
    lines = [{"life": seed, "zone": name, "start": start, "end": wall}]
    lines += [{"at": start + 5, "do": "add", "reminder": date.document} for date in dates]
    lines += [{"at": start + moment, "do": kind, "span": span} for moment, kind, span in steps]
    for date in dates:
        lines += [{"fires": date.id, "at": moment, "event": "due"} for moment, _ in date.fired]
    return Script(lines)


def play(dates, steps, start, end):
    """The ideal daemon. Answers whether no due time is near a step, and the clock at the end."""
    wall, elapsed, is_clear = start, 0, True
    for moment, kind, span in steps + [(end - start, "end", 0)]:
        for date in dates:
            date.pass_to(wall + moment - elapsed)
        wall, elapsed = wall + moment - elapsed, moment
        before, wall = wall, wall + span
        if kind in ("suspend", "outage"):
            elapsed += span
        for date in dates:
            for near in (before, wall):
                following = date.after(near - 20 * MINUTE)
                is_clear &= following is None or following > near + 20 * MINUTE
            if span < 0:
                date.step_back(-span, wall)
            else:
                date.reach(wall, kind == "step")
    return is_clear, wall
