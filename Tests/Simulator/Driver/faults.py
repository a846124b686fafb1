"""The faults of a run: which call fails, and how.

A fault is armed when the one before it has happened, or its call has not come for long. It counts
calls from then on.
"""

import errno

from world import KINDS

# For each kind of call: its weight, the mean number of calls until the fault, the ways to die
# there, and the errors that Linux gives there.
TABLE = {
    "write": (5, 8, ["kill before", "kill after", "tear"], ["EIO", "ENOSPC", "shorten"]),
    "sync": (3, 2, ["kill before", "kill after"], ["EIO"]),
    "open": (1, 3, ["kill before", "kill after"], ["EMFILE", "EIO"]),
    "remove": (1, 2, ["kill before", "kill after"], ["EIO"]),
    "journal": (3, 2, ["kill before", "kill after"], ["EAGAIN", "ECONNREFUSED"]),
    "answer": (2, 2, ["kill before", "kill after", "tear"], ["EINTR", "EAGAIN", "shorten"]),
    "receive": (1, 10, ["kill before"], ["EINTR"]),
    "accept": (1, 2, ["kill before", "kill after"], ["EMFILE", "EINTR", "ECONNABORTED"]),
    "rest": (1, 10, ["kill before"], []),
    "timer": (1, 2, [], ["EMFILE"]),
    "read": (1, 10, [], ["EINTR", "EAGAIN", "shorten"]),
}


class Fault:
    """`action` at the call number `at` of a kind; `cuts_power` says what a kill is."""

    def __init__(self, kind, action, code, at, times, cuts_power, waits):
        self.kind, self.action, self.code, self.at, self.times = kind, action, code, at, times
        self.cuts_power = cuts_power
        self.waits = waits  # how often the daemon rests until the next fault is armed

    @property
    def kills(self):
        return self.action in ("kill before", "kill after", "tear")

    def __str__(self):
        words = f"{self.action} {errno.errorcode.get(self.code, '')}".strip()
        return f"{words} at {self.kind} {self.at}" + (" by a power cut" if self.cuts_power else "")

    def arm(self, world, times):
        """Plans it for so many calls."""
        at = world["count of " + self.kind] + self.at
        world.plan(self.kind, self.action, at, self.code, times)


def choose(random, mode):
    """A fault. The mode is `kills`, `errors` or `all`."""
    while True:
        kind = random.choices(KINDS, weights=[TABLE[kind][0] for kind in KINDS])[0]
        _, mean, deaths, errors = TABLE[kind]
        ways = (deaths if mode != "errors" else []) + (errors if mode != "kills" else [])
        if ways:
            break
    way = random.choice(ways)
    action = way if way in deaths or way == "shorten" else "fail"
    code = getattr(errno, way) if action == "fail" else 0
    at = 1 + int(random.expovariate(1 / mean))
    cuts_power = way in deaths and random.random() < 0.4
    times = random.choice([1, 1, 1, 4]) if action == "fail" else 1
    return Fault(kind, action, code, at, times, cuts_power, random.randint(5, 40))
