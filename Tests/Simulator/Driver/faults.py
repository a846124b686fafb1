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
# The same for a hook. The program that it starts fails where the call is shortened.
OF_HOOK = {
    "answer": (4, 4, ["kill before", "kill after", "tear"], ["EINTR", "EAGAIN", "shorten"]),
    "read": (2, 6, [], ["EINTR", "EAGAIN", "shorten"]),
    "receive": (1, 6, ["kill before"], ["EINTR"]),
    "rest": (2, 6, ["kill before"], []),
    "spawn": (4, 1, ["kill before", "kill after"], ["EAGAIN", "ENOMEM", "shorten", "shorten"]),
}

# The same for the program that follows a broker.
OF_MQTT = {
    "answer": (4, 4, ["kill before", "kill after", "tear"], ["EINTR", "EAGAIN", "shorten"]),
    "read": (3, 6, [], ["EINTR", "EAGAIN", "shorten"]),
    "receive": (1, 6, ["kill before"], ["EINTR"]),
    "rest": (2, 6, ["kill before"], []),
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


class Plan:
    """The faults of one process, one after the other.

    `happened` has the faults that came about, and `failed_calls` counts what it survived.
    """

    def __init__(self, world, faults):
        self.world, self.faults = world, list(faults)
        self.happened, self.failed_calls = [], 0
        self.fault, self.times_left = None, 0  # how often it has yet to happen
        self.known = 0  # faults of the world that are counted
        self.rests, self.armed_at = 0, 0

    def arm_next(self):
        self.fault = self.faults.pop(0) if self.faults else None
        self.armed_at, self.known = self.rests, self.world["faults"]
        self.times_left = self.fault.times if self.fault else 0
        self.arm()

    def arm(self):
        if self.fault is None:
            self.world.plan()
        else:
            self.fault.arm(self.world, self.times_left)

    def begin(self):
        """A process begins, and counts its calls from the first."""
        for kind in KINDS:
            self.world["count of " + kind] = 0
        if self.fault is None:
            self.arm_next()
        else:
            self.arm()

    def end(self):
        """No fault comes any more."""
        self.faults, self.fault = [], None
        self.world.plan()

    def count(self):
        number = self.world["faults"] - self.known
        self.happened += [self.fault] * number
        self.times_left -= number
        self.known = self.world["faults"]

    def notice(self):
        """After a fault that the process has survived, or that does not come: the next one."""
        if self.world["faults"] > self.known:
            self.count()
            self.failed_calls += 1
            if self.times_left <= 0:
                self.arm_next()
        elif self.fault is not None and self.rests - self.armed_at > self.fault.waits:
            self.arm_next()

    def take_kill(self):
        """The process was killed: the fault that did, or None if no fault kills."""
        fault = self.fault
        if fault is None or not fault.kills:
            return None
        self.count()
        self.fault = None
        return fault


def choose(random, mode, table=TABLE):
    """A fault. The mode is `kills`, `errors` or `all`."""
    while True:
        kind = random.choices(list(table), weights=[row[0] for row in table.values()])[0]
        _, mean, deaths, errors = table[kind]
        ways = (deaths if mode != "errors" else []) + (errors if mode != "kills" else [])
        if ways:
            break
    way = random.choice(ways)
    action = way if way in deaths or way == "shorten" else "fail"
    code = getattr(errno, way) if action == "fail" else 0
    at = 1 + int(random.expovariate(1 / mean))
    cuts_power = table is TABLE and way in deaths and random.random() < 0.4
    times = random.choice([1, 1, 1, 4]) if action == "fail" else 1
    return Fault(kind, action, code, at, times, cuts_power, random.randint(5, 40))
