"""The shortest script and the fewest faults that still fail."""

import json
import time

LONGEST = 60  # seconds


class Shrinker:
    """`fails` plays a script with faults and answers the failures."""

    def __init__(self, fails, script, faults):
        self.fails, self.script, self.faults = fails, script, faults
        self.end = time.time() + LONGEST

    def run(self):
        before = None
        while before != self.length:
            before = self.length
            self.drop_faults()
            self.drop_reminders()
            self.drop_fixes()
        return self.script, self.faults

    @property
    def length(self):
        return len(self.script.ids), len(self.script.steps), len(self.faults)

    def attempt(self, script, faults):
        if time.time() > self.end or not self.fails(script, faults):
            return False
        self.script, self.faults = script, faults
        return True

    def drop_faults(self):
        """Runs of faults: half of them, then a quarter, down to single ones."""
        size = max(1, len(self.faults) // 2)
        while True:
            place = 0
            while place < len(self.faults):
                rest = self.faults[:place] + self.faults[place + size:]
                if not self.attempt(self.script, rest):
                    place += size
            if size == 1:
                return
            size //= 2

    def drop_reminders(self):
        for id in sorted(self.script.ids):
            self.attempt(self.script.only(self.script.ids - {id}), self.faults)

    def drop_fixes(self):
        kinds = {step["reminder"]["kind"] for step in self.script.steps if "reminder" in step}
        if kinds <= {"date"}:
            self.attempt(self.script.without_fixes(), self.faults)
        else:
            self.attempt(self.script.without_repeated_fixes(), self.faults)


def report(script, faults):
    """The script with its faults, a line each."""
    lines = [script.head] + script.steps + script.firings
    return [json.dumps(line) for line in lines] + [f"fault: {fault}" for fault in faults]
