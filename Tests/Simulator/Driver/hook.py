"""A hook in the world of a life: `georemind-hook` follows the ledger and starts a program.

Daemon and hook take turns: time passes only when neither has anything to do. systemd starts the
hook again in the moment of its end.
"""

import ctypes
import os
import struct

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
# A commit that fails is tried again for so long.
RETRY = 60 * 10 ** 6
# The longest wait after failures: a few tries with less than a minute between them.
REST = 240 * 10 ** 6
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


class Run:
    """One start of the program."""

    def __init__(self, firing, begun):
        self.firing, self.begun = firing, begun
        self.ended, self.is_delivered = None, False


class Hook:
    """`disturb` notes a moment after which a firing may be delivered again. `is_ready` says whether
    the daemon has a row for it, so that no firing may be lost from then on."""

    def __init__(self, programs, of_daemon, seed, faults_, missing):
        folder = os.path.join(of_daemon.folder, "hook")
        os.makedirs(folder)
        self.programs, self.of_daemon = programs, of_daemon
        self.world = world.World(folder, of_daemon.now, seed + 1)
        self.world["has_programs"] = 1
        self.world["missing"] = world.MISSING.index(missing)
        self.plan = faults.Plan(self.world, faults_)
        self.record = open(os.path.join(folder, "programs"), "w+b")
        self.process, self.limit, self.is_busy = None, -1, False
        self.is_ready = False
        self.runs, self.under_way = [], {}  # by process
        self.disturbances = []  # (microseconds, whether the power was cut)
        self.options = ["say", "--config", os.path.join(of_daemon.folder, "configuration"),
                        "--socket", os.path.join(of_daemon.folder, "socket")]
        self.zone = os.path.join(of_daemon.folder, "localtime")
        # What a hook leaves behind is this process's to wait for.
        ctypes.CDLL(None).prctl(SUBREAPER, 1)

    def disturb(self, cuts_power=False):
        self.disturbances.append((self.of_daemon.now, cuts_power))

    def turn(self):
        """Lets the hook do what it has to do; answers a failure, or None.

        `is_busy` says whether it did anything, which the daemon may have to answer, and `limit` how
        long it waits."""
        self.world.follow(self.of_daemon)
        self.is_busy = self.process is None
        known = self.plan.failed_calls
        if self.process is None:
            if self.is_ready:
                self.plan.begin()
            self.process = world.Process(
                self.world, self.programs.hook, self.programs.preload, self.options, self.zone)
            turns = 0
        else:
            turns = self.world["turns"]
            self.process.resume(0)
        limit = self.process.wait()
        if limit is None:
            return self.begin_again()
        if self.world["monotonic"] > self.of_daemon["monotonic"]:
            self.of_daemon.pass_time(self.world["monotonic"] - self.of_daemon["monotonic"])
        self.is_busy |= self.world["turns"] > turns + 1
        self.limit = limit
        self.plan.rests += self.is_busy
        self.plan.notice()
        if self.plan.failed_calls > known:
            self.disturb()
        self.read()
        return None

    def becomes_ready(self):
        """Faults begin two seconds after the first start; answers whether they begin now."""
        if self.is_ready or self.of_daemon["monotonic"] < 10 ** 9 + 2 * 10 ** 6:
            return False
        self.is_ready = True
        self.plan.begin()
        return True

    def begin_again(self):
        code, self.is_busy = self.stop(), True
        if code == -9 and self.plan.take_kill() is not None:
            return None
        return f"the hook ended with {code}"

    def stop(self, cuts_power=False):
        """After a kill, or with the machine; answers the exit code."""
        if self.process is None:
            return None
        code = self.process.kill()
        self.process = None
        self.disturb(cuts_power)
        self.read()
        for process in self.under_way:
            os.waitpid(process, 0)
        self.under_way = {}
        return code

    def close(self):
        self.stop()
        self.record.close()
        self.world.close()

    def read(self):
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


def check(hook, rows):
    """What does not hold of the runs, by the rows of the ledger."""
    rows = [(id, time, 1 <= priority <= 3) for id, _, time, _, priority in rows]
    known = {id for id, _, _ in rows}
    unknown = [run.firing for run in hook.runs if run.firing not in known]
    if unknown:
        return [f"lost: the ledger has not {unknown[0]}, which a hook has received"]
    failures = []
    for is_urgent in (True, False):
        failures += check_queue(hook, [row[:2] for row in rows if row[2] == is_urgent],
                                "urgent" if is_urgent else "other")
    if not hook.disturbances and not failures:
        failures = check_promptness(hook, rows)
    return failures


def check_queue(hook, rows, name):
    """Each firing at least once and in order; again only after a disturbance."""
    place = {id: number for number, (id, _) in enumerate(rows)}
    reached, first = -1, {}  # the last one in order; the first success of each
    for run in (run for run in hook.runs if run.firing in place):
        number = place[run.firing]
        is_next = number == reached + 1 and (reached < 0 or rows[reached][0] in first)
        if number > reached and not is_next:
            before = next(id for id, _ in rows if id not in first)
            return [f"lost: a hook received the {name} firing {run.firing} before {before}"]
        is_last = number == reached
        if run.firing in first and not may_repeat(hook, first[run.firing], run, rows, is_last):
            return [f"doubled: a hook received the {name} firing {run.firing} again at {run.begun}"]
        reached = max(reached, number)
        if run.is_delivered:
            first.setdefault(run.firing, run.ended)
    missing = [id for id, _ in rows if id not in first]
    if missing:
        return [f"lost: a hook has not received the {name} firing {missing[0]}, "
                f"one of {len(missing)}"]
    return []


def may_repeat(hook, delivered, run, rows, is_last):
    """After a disturbance the firing under way may come again, and after a power cut what was
    delivered since the last commit: the daemon waits for no disk when a destination moves on."""
    for moment, cuts_power in hook.disturbances:
        if not delivered <= moment <= run.begun:
            continue
        if is_last or cuts_power and not any(
                delivered < time and time + RETRY < moment for _, time in rows):
            return True
    return False


def check_promptness(hook, rows):
    """Without a disturbance each firing comes once the program is free for its queue."""
    times, urgent = {row[0]: row[1] for row in rows}, {row[0] for row in rows if row[2]}
    free = {True: 0, False: 0}  # by urgency: when the last run ended
    for run in hook.runs:
        is_urgent = run.firing in urgent
        due = max(times[run.firing], free[True], 0 if is_urgent else free[False])
        if run.begun > due + PROMPT:
            return [f"late: a hook received the firing {run.firing} at {run.begun}, not {due}"]
        free[is_urgent] = run.ended or run.begun
    return []
