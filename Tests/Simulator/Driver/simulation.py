"""One life of the daemon in the simulated world."""

import hashlib
import os
import random
import shutil

import disk
import faults
import oracle
import world
from user import Failed, User

# Starts that may be struck by faults one after the other.
MOST_STRUCK_STARTS = 8
CONFIGURATION = """[Feed]
Feed={feed}
SilenceTimeoutSec=infinity
[Clock]
Trust=always
WakeFromSuspend=no
[Travel]
LearnFromTrips=no
"""


class Simulation(User):
    """Plays a script to the daemon, with the faults of a list, and to a program beside it if one is
    made by `make_beside`.

    After `run`, `failures` has what did not hold, and `happened` the faults that came about.
    """

    def __init__(self, programs, folder, script, faults_, missing="nothing",
                 make_beside=None):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.programs, self.script = programs, script
        self.failures = []
        self.random = random.Random(script.seed)
        self.world = world.World(folder, script.head["start"] * 10 ** 6, script.seed)
        self.world["missing"] = world.MISSING.index(missing)
        self.disk = disk.Disk(self.world.state, os.path.join(folder, "disk"))
        self.journal = oracle.Journal(os.path.join(folder, "journal"))
        super().__init__(folder)
        self.actions = script.actions()
        self.place = 0
        self.plan = faults.Plan(self.world, faults_)
        self.process = None
        self.starts, self.vain_starts = 0, 0
        self.end = (script.head["end"] + 30) * 10 ** 6
        self.is_off = False
        self.beside = make_beside(self.world) if make_beside is not None else None
        with open(os.path.join(folder, "configuration"), "w") as file:
            own, *others = self.receivers.items()
            file.write(CONFIGURATION.format(feed="" if script.sets_clock else own[1].url))
            for tracker, receiver in others:
                file.write(f"[Tracker {tracker}]\nFeed={receiver.url}\n")
            file.write(self.beside.settings if self.beside else "")

    @property
    def elapsed(self):
        """Microseconds by the clock of the script, which nobody sets."""
        passed = self.world["monotonic"] + self.world["asleep"] - 10 ** 9
        return self.script.head["start"] * 10 ** 6 + passed

    # The life

    def run(self):
        """Answers the failures."""
        try:
            while not self.live_once():
                pass
            self.check_end()
        except Failed as failure:
            self.failures.append(str(failure))
        finally:
            if self.process is not None:
                self.process.kill()
            if self.beside is not None:
                self.beside.close()
            for receiver in self.receivers.values():
                receiver.take_down()
            self.close_clients()
            self.world.close()
        return self.failures

    def live_once(self):
        """From a start of the daemon to its end; answers whether the life is over."""
        options = ["--config", os.path.join(self.folder, "configuration"), "--state-directory",
                   self.world.state, "--socket", self.socket]
        self.starts += 1
        self.vain_starts += 1
        self.require(self.vain_starts < 12, "the daemon does not start again")
        self.turns, self.is_stopping = 0, False
        faults_at_start = self.world["faults"]
        # Faults may strike any number of starts in a row: then one has none.
        is_spared = self.vain_starts > MOST_STRUCK_STARTS
        if is_spared:
            self.world.plan()
        elif self.beside is None or self.beside.is_ready:
            self.plan.begin()
        self.process = world.Process(
            self.world, self.programs.daemon, self.programs.preload, options, self.zone)
        while (limit := self.process.wait()) is not None:
            self.turns += 1
            self.plan.rests += 1
            if self.turns == 1:
                self.vain_starts = 0
                if is_spared:
                    self.plan.begin()
                self.lose_position()
                self.after_start()
            self.notice_fault()
            if self.beside is not None:
                self.require(not (failure := self.beside.turn()), failure)
                if self.beside.is_busy:
                    self.process.resume(0)
                    continue
                if self.beside.becomes_ready():
                    self.plan.begin()
                limit = world.soonest(limit, self.beside.limit)
            self.receive()
            if failure := self.journal.read():
                raise Failed(failure)
            span = self.next_span()
            if span is None:
                self.stop()
                span = 0
            elif self.is_free and 0 < span and (limit < 0 or span < limit):
                # No timer of the daemon is due before the next action: it follows at once.
                self.world.pass_time(span)
                span = self.next_span() or 0
            self.process.resume(min(span, limit) if limit > 0 else span)
        return self.has_ended(self.world["faults"] > faults_at_start)

    @property
    def is_free(self):
        """Whether nothing is under way, so that the next thing to do is the script's."""
        return (self.under_way is None and not self.queue and not self.is_stopping
                and self.place < len(self.actions))

    def next_span(self):
        """Does what is due; the time until the next action, None at the end of the life."""
        if self.is_stopping:
            return 10 ** 6
        if self.under_way is not None:
            # Something delays the answer; the clock goes on in small steps.
            self.waited += 1
            self.require(self.waited < 600, f"no answer to {self.under_way}")
            return 0 if self.waited < 3 else 10 ** 5
        if self.queue:
            self.perform(self.queue.pop(0))
            return 0
        now, end = self.elapsed, self.end
        if self.place < len(self.actions):
            time, line = self.actions[self.place]
            if time > now:
                return time - now
            self.place += 1
            self.perform(line)
            return 0
        self.world["journal_code"] = self.world["journal_delay"] = 0
        if now >= end and self.beside is not None:
            self.plan.end()
            self.beside.settle()
            end += self.beside.REST
        return end - now if end > now else None

    def stop(self):
        self.is_stopping = True
        size = self.process.resident
        self.require(size < oracle.MAXIMUM_MEMORY, f"the daemon takes {size >> 20} MB")
        self.process.process.terminate()

    def has_ended(self, has_failed):
        code = self.process.end()
        self.process = None
        self.watch()
        self.close_clients()
        for receiver in self.receivers.values():
            receiver.disconnect()
        was_killed = code == -9 and not self.is_off
        fault = self.plan.take_kill() if was_killed else None
        self.require(fault is not None or not was_killed, "the daemon was killed")
        cuts_power = was_killed and fault.cuts_power
        if self.beside is not None:
            self.beside.disturb(cuts_power)
            if cuts_power:
                self.beside.stop(cuts_power)
        if cuts_power:
            self.disk.cut_power(random.Random(f"{self.script.seed} {len(self.plan.happened)}"))
        else:
            self.disk.after_kill()
        if not was_killed and not self.is_off and (code != 0 or not self.is_stopping):
            self.require(code > 0 and has_failed, f"the daemon ended with {code}")
            self.notice_fault()
        if self.under_way is not None:
            self.repeat()
        is_over = code == 0 and self.place == len(self.actions) and self.elapsed >= self.end
        self.is_off = False
        return is_over

    def after_start(self):
        seconds = self.process.processor_time
        self.require(seconds < oracle.MAXIMUM_START, f"a start took {seconds:.1f} s")
        # A client that stays makes the daemon wake each 15 s, so few lives have one.
        if self.script.seed % 4 == 0:
            self.watcher.call("WatchFirings", {}, more=True)
        if not self.queue:
            self.queue = [{"do": "check"}]

    def notice_fault(self):
        known = self.plan.failed_calls
        self.plan.notice()
        if self.beside is not None and self.plan.failed_calls > known:
            self.beside.disturb()

    @property
    def happened(self):
        return self.plan.happened + (self.beside.plan.happened if self.beside is not None else [])

    # The end

    def check_end(self):
        rows, faults = oracle.ledger(self.world.state)
        self.failures += [f"the database: {fault}" for fault in faults]
        # A kill at the creation of the database leaves SQLite's rollback journal alone.
        aside = [name for name in os.listdir(self.world.state)
                 if ".damaged" in name and not name.endswith("-journal")]
        if aside:
            self.failures.append(f"the database was set aside as {aside[0]}")
        if failure := self.journal.read():
            self.failures.append(failure)
        self.failures += oracle.check_delivery(self.journal, rows)
        unknown = set(self.watched) - {row[0] for row in rows}
        if unknown:
            self.failures.append(f"lost: the ledger has not {sorted(unknown)}, which were told")
        if len(set(self.watched)) < len(self.watched):
            self.failures.append("doubled: a client received a firing twice")
        self.failures += oracle.compare(
            self.script, rows, self.plan.failed_calls > 0 or self.has_weather)
        if self.beside is not None:
            self.failures += self.beside.check(rows)

    @property
    def digest(self):
        """A number for all that the daemon has told journald; the same for the same seed."""
        with open(os.path.join(self.folder, "journal"), "rb") as file:
            content = file.read().replace(self.folder.encode(), b"")
        return hashlib.sha256(content).hexdigest()[:16]
