"""A program that lives beside the daemon, with faults of its own.

They take turns: time passes only when neither has anything to do. systemd starts the program again
in the moment of its end.
"""

import os

import faults
import world

# A commit that fails is tried again for so long, in microseconds.
RETRY = 60 * 10 ** 6


class Beside:
    """`disturb` notes a moment after which a firing may be delivered again. `is_ready` says whether
    the daemon has a row for the program, so that no firing may be lost from then on.

    A subclass has `NAME`, `TABLE` of its faults and `REST`, the longest wait after failures in
    microseconds, and may have more to do in each turn.
    """

    def __init__(self, program, preload, options, of_daemon, seed, faults_):
        folder = os.path.join(of_daemon.folder, self.NAME)
        os.makedirs(folder)
        self.program, self.preload, self.of_daemon = program, preload, of_daemon
        self.world = world.World(folder, of_daemon.now, seed + 1)
        self.plan = faults.Plan(self.world, faults_)
        self.process, self.limit, self.is_busy = None, -1, False
        self.is_ready = False
        self.disturbances = []  # (microseconds, whether the power was cut)
        self.ends = []  # when a process ended, in microseconds
        self.options = options + ["--config", os.path.join(of_daemon.folder, "configuration"),
                                  "--socket", os.path.join(of_daemon.folder, "socket")]
        self.zone = os.path.join(of_daemon.folder, "localtime")

    def disturb(self, cuts_power=False):
        self.disturbances.append((self.of_daemon.now, cuts_power))

    def prepare(self):
        """Before the program does anything."""

    def look(self):
        """After that; answers whether there is more for it to do."""
        return False

    def turn(self):
        """Lets it do what it has to do; answers a failure, or None.

        `is_busy` says whether it did anything, which the daemon may have to answer, and `limit` how
        long it waits."""
        self.world.follow(self.of_daemon)
        self.prepare()
        self.is_busy = self.process is None
        known = self.plan.failed_calls
        if self.process is None:
            if self.is_ready:
                self.plan.begin()
            self.process = world.Process(
                self.world, self.program, self.preload, self.options, self.zone)
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
        self.is_busy |= self.look()
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
        return f"the {self.NAME} ended with {code}"

    def stop(self, cuts_power=False):
        """After a kill, or with the machine; answers the exit code."""
        if self.process is None:
            return None
        code = self.process.kill()
        self.process = None
        self.ends.append(self.of_daemon.now)
        self.disturb(cuts_power)
        self.look()
        return code

    def settle(self):
        """Nothing fails any more."""
        self.plan.end()

    def close(self):
        self.stop()
        self.world.close()

    def may_repeat(self, delivered, begun, rows, is_last):
        """After a disturbance the firing under way may come again, and after a power cut what was
        delivered since the last commit: the daemon waits for no disk when a destination moves on.
        """
        for moment, cuts_power in self.disturbances:
            if not delivered <= moment <= begun:
                continue
            if is_last or cuts_power and not any(
                    delivered < time and time + RETRY < moment for _, time in rows):
                return True
        return False


def queues(rows):
    """The firings of the ledger by queue: a name, and for each firing its id and its time."""
    rows = [(id, time, 1 <= priority <= 3) for id, _, time, _, priority, _ in rows]
    return [(name, [row[:2] for row in rows if row[2] == is_urgent])
            for name, is_urgent in (("urgent", True), ("other", False))]
