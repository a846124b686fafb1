"""A hook in the world of a life: `georemind-hook` follows the ledger and starts a program."""

import ctypes
import os
import struct

import beside
import faults
import world

SETTINGS = """[Hook]
Exec=/usr/bin/say
TimeoutSec=40
"""
RECORD = struct.Struct("=qqqq")  # struct in Preload/programs.c
BEGINS = -1
# A destination is served within this time after its program was free, in microseconds.
PROMPT = 2 * 10 ** 6
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


# Begins the id of one start for all firings of a visit, before the id of the last of them.
VISIT = "visit-"


class Run:
    """One start of the program."""

    def __init__(self, firing, begun):
        self.firing, self.begun = firing, begun
        self.ended, self.is_delivered = None, False
        self.firings = [firing]

    def expand(self, rows):
        """Finds the firings of a visit: those before the last one at its place and time."""
        if not self.firing.startswith(VISIT):
            return
        last = self.firing.removeprefix(VISIT)
        row = next((row for row in rows if row[0] == last), None)
        self.firings = [other[0] for other in rows if row and not 1 <= other[4] <= 3 and (
            other[2:4], other[5]) == (row[2:4], row[5])]
        if last in self.firings:
            self.firings = self.firings[:self.firings.index(last) + 1]


class Hook(beside.Beside):
    NAME, TABLE = "hook", faults.OF_HOOK
    REST = 240 * 10 ** 6  # a few tries with less than a minute between them
    settings = SETTINGS

    def __init__(self, programs, of_daemon, seed, faults_, missing):
        super().__init__(programs.hook, programs.preload, ["say"], of_daemon, seed, faults_)
        self.world["has_programs"] = 1
        self.world["missing"] = world.MISSING.index(missing)
        self.record = open(os.path.join(self.world.folder, "programs"), "w+b")
        self.runs, self.under_way = [], {}  # by process
        # What a hook leaves behind is this process's to wait for.
        ctypes.CDLL(None).prctl(SUBREAPER, 1)

    def stop(self, cuts_power=False):
        code = super().stop(cuts_power)
        for process in self.under_way:
            os.waitpid(process, 0)
        self.under_way = {}
        return code

    def close(self):
        self.stop()
        self.record.close()
        self.world.close()

    def look(self):
        """Takes what its programs have done since."""
        while head := self.record.read(RECORD.size):
            time, process, code, size = RECORD.unpack(head)
            firing = self.record.read(size).decode()
            if code == BEGINS:
                self.under_way[process] = Run(firing, time)
                self.runs.append(self.under_way[process])
            else:
                run = self.under_way.pop(process)
                run.ended, run.is_delivered = time, code == 0
        return False

    def check(self, rows):
        """What does not hold of the runs, by the rows of the ledger."""
        known = {row[0] for row in rows}
        for run in self.runs:
            run.expand(rows)
        unknown = [run.firing for run in self.runs if not run.firings or not known >= {*run.firings}]
        if unknown:
            return [f"lost: the ledger has not {unknown[0]}, which a hook has received"]
        failures = []
        for name, queue in beside.queues(rows):
            failures += check_queue(self, queue, name)
        if not self.disturbances and not failures:
            failures = check_promptness(self, rows)
        return failures


def check_queue(hook, rows, name):
    """Each firing at least once and in order; again only after a disturbance."""
    place = {id: number for number, (id, _) in enumerate(rows)}
    reached, first = -1, {}  # the last one in order; the first success of each
    for run in (run for run in hook.runs if run.firings[-1] in place):
        number, last = place[run.firings[0]], run.firings[-1]
        is_next = number == reached + 1 and (reached < 0 or rows[reached][0] in first)
        number = place[last]
        if number > reached and not is_next:
            before = next(id for id, _ in rows if id not in first)
            return [f"lost: a hook received the {name} firing {run.firing} before {before}"]
        is_last = number == reached
        if last in first and not hook.may_repeat(first[last], run.begun, rows, is_last):
            return [f"doubled: a hook received the {name} firing {run.firing} again at {run.begun}"]
        reached = max(reached, number)
        if run.is_delivered:
            for firing in run.firings:
                first.setdefault(firing, run.ended)
    missing = [id for id, _ in rows if id not in first]
    if missing:
        return [f"lost: a hook has not received the {name} firing {missing[0]}, "
                f"one of {len(missing)}"]
    return []


def check_promptness(hook, rows):
    """Without a disturbance each firing comes once the program is free for its queue."""
    times = {row[0]: row[2] for row in rows}
    urgent = {row[0] for row in rows if 1 <= row[4] <= 3}
    free = {True: 0, False: 0}  # by urgency: when the last run ended
    for run in hook.runs:
        is_urgent = run.firings[-1] in urgent
        due = max(times[run.firings[-1]], free[True], 0 if is_urgent else free[False])
        if run.begun > due + PROMPT:
            return [f"late: a hook received the firing {run.firing} at {run.begun}, not {due}"]
        free[is_urgent] = run.ended or run.begun
    return []
