"""Scripts of lives: what the user and the receiver do, and what has to fire (georemind-lives)."""

import datetime
import json
import math
import subprocess
import zoneinfo

from errands import errands

# A receiver sends on for a while after each fix of a script: seconds after it. A jump is believed
# after two minutes, and a process that is killed meanwhile needs two fixes more.
BURST = [0, 5, 10, 15, 20, 25, 40, 60, 90, 125, 150, 175, 200]
# A new process whose position is old waits so long for another before it fires a time to leave.
LONGEST_WAIT = 120
# A device that is faster has jumped, in m/s; the daemon takes 100.
JUMP = 80
# A jump and one back within an hour, and the time that the daemon takes to believe them, in s.
EXCURSION = 3_600 + 240


# The machine's own tracker.
MACHINE = "self"


class Script:
    def __init__(self, lines):
        self.head, rest = lines[0], lines[1:]
        self.trackers = self.head.get("trackers", [MACHINE])
        self.seed = self.head["life"]
        self.steps = sorted((line for line in rest if "do" in line), key=lambda line: line["at"])
        self.uncertain = {line["uncertain"] for line in rest if "uncertain" in line}
        self.firings = [line for line in rest if "fires" in line]
        # A call comes later within its second, so a series may begin with its next due time.
        for step in self.steps:
            if "repeat" in step.get("reminder", {}):
                self.uncertain |= self.firing(step["at"], step["at"]) & {step["reminder"]["id"]}

    @property
    def sets_clock(self):
        return any(step["do"] in ("step", "suspend", "outage") for step in self.steps)

    @property
    def ids(self):
        return {step["reminder"]["id"] for step in self.steps if step["do"] == "add"}

    def changed_at_start(self, start):
        """The times to leave that fire while a process that begins at `start` may still wait for a
        position, and that the user changes before it has one."""
        last = start + LONGEST_WAIT + 1
        return {line["fires"] for line in self.firings
                if line["event"] in ("leave", "late") and start - 1 <= line["at"] <= last
                and any(self.changes(step, line["fires"]) and line["at"] <= step["at"] <= last
                        for step in self.steps)}

    def firing(self, first, last):
        """The reminders with firings from one second to another."""
        return {line["fires"] for line in self.firings if first <= line["at"] <= last}

    def may_end(self, id, first, span):
        """Whether a reminder's `until` lies within `span` seconds from `first`, in any zone of the
        life."""
        zones = {self.head["zone"]} | {step["name"] for step in self.steps if step["do"] == "zone"}
        texts = {step["reminder"]["until"] for step in self.steps
                 if self.changes(step, id) and "until" in step.get("reminder", {})}
        for text in texts:
            end = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
            ends = [end] if end.tzinfo else [
                end.replace(tzinfo=zoneinfo.ZoneInfo(zone), fold=fold)
                for zone in zones for fold in (0, 1)]
            if any(0 <= each.timestamp() - first <= span for each in ends):
                return True
        return False

    def fixes(self, tracker):
        return [step for step in self.steps if step["do"] == "fix" and step["of"] == tracker]

    def followed(self, reminder):
        """The trackers whose positions a reminder depends on."""
        who = reminder.get("who", MACHINE)
        if reminder["kind"] == "date":
            return []
        return self.trackers if who in ("anyone", "all") else [who]

    def jumps(self, tracker):
        """When a receiver jumps: the next fix of the script is too far from the last one sent."""
        fixes = self.fixes(tracker)
        found = []
        for one, next in zip(fixes, fixes[1:]):
            sent = max([one["at"] + span for span in BURST if one["at"] + span < next["at"]],
                       default=one["at"])
            north = (next["lat"] - one["lat"]) * 111_195
            east = (next["lon"] - one["lon"]) * 111_195 * math.cos(math.radians(one["lat"]))
            if math.hypot(north, east) > JUMP * (next["at"] - sent):
                found.append(next["at"])
        return found

    def is_false(self, at, trackers):
        """Whether a time to leave at `at` may be taken back: it lies between a jump and one that
        may lead back. The generated lives have no jumps."""
        return any(out <= at <= back + 240 and back - out <= EXCURSION
                   for jumps in map(self.jumps, trackers)
                   for out in jumps for back in jumps if out < back)

    @staticmethod
    def changes(step, id):
        return id in (step.get("id"), step.get("reminder", {}).get("id"))

    def only(self, ids):
        """The same life with these reminders alone; each is independent of the others."""
        def belongs(line):
            id = line.get("fires") or line.get("id") or line.get("reminder", {}).get("id")
            return id is None or id in ids
        lines = [line for line in [self.head] + self.steps + self.firings if belongs(line)]
        return Script(lines + [{"uncertain": id} for id in self.uncertain])

    def without_fixes(self):
        return self.with_steps([step for step in self.steps if step["do"] != "fix"])

    def without_repeated_fixes(self):
        """Without the fixes at the place of the fix before."""
        places, steps = {}, []
        for step in self.steps:
            if step["do"] == "fix":
                place = (step["lat"], step["lon"])
                if places.get(step["of"]) == place:
                    continue
                places[step["of"]] = place
            steps.append(step)
        return self.with_steps(steps)

    def with_steps(self, steps):
        return Script([self.head] + steps + self.firings
                      + [{"uncertain": id} for id in self.uncertain])

    def actions(self):
        """(microseconds, line) by time; each fix with what the receiver sends after it."""
        ends = {tracker: [step["at"] for step in self.fixes(tracker)] + [self.head["end"]]
                for tracker in self.trackers}
        found = []
        for step in self.steps:
            if step["do"] != "fix":
                found.append((step["at"] * 10 ** 6, step))
                continue
            fixes = ends[step["of"]]
            fixes.pop(0)
            for offset in BURST:
                if offset == 0 or step["at"] + offset < fixes[0]:
                    line = dict(step, goes_on=offset < BURST[-1])
                    found.append(((step["at"] + offset) * 10 ** 6, line))
        # What is due in the same second comes first: each repetition may be a millisecond later, and
        # an alarm of one minute has hundreds of them.
        return sorted(((time + 500_000, line) for time, line in found), key=lambda pair: pair[0])


def lives(program, seed, count):
    """The scripts of so many lives from a seed on, one by one, each with errands."""
    for number in range(seed, seed + count):
        text = subprocess.run([program, "--seed", str(number), "--lives", "1", "--script"],
                              check=True, capture_output=True, text=True).stdout
        lines = [json.loads(line) for line in text.splitlines()]
        yield Script(lines + errands(number, lines[0]["start"] + 60, lines[0]["end"]))
