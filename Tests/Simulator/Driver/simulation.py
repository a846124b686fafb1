"""One life of the daemon in the simulated world."""

import hashlib
import os
import random
import shutil

import client
import disk
import feed
import oracle
import world

CONFIGURATION = """[Feed]
Feed={feed}
SilenceTimeoutSec=infinity
[Clock]
Trust=always
WakeFromSuspend=no
[Travel]
LearnFromTrips=no
"""


class Failed(Exception):
    pass


class Simulation:
    """Plays a script to the daemon, with the faults of a list.

    After `run`, `failures` has what did not hold, and `happened` the faults that came about.
    """

    def __init__(self, programs, folder, script, faults):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.programs, self.folder, self.script = programs, folder, script
        self.faults, self.happened, self.failures = list(faults), [], []
        self.random = random.Random(script.seed)
        self.world = world.World(folder, script.head["start"] * 10 ** 6, script.seed)
        self.disk = disk.Disk(self.world.state, os.path.join(folder, "disk"))
        self.journal = oracle.Journal(os.path.join(folder, "journal"))
        self.receiver = feed.Receiver(self.random.choice(["gpsd", "tcp", "udp"]), folder)
        self.zone = os.path.join(folder, "localtime")
        self.set_zone(script.head["zone"])
        self.socket = os.path.join(folder, "socket")
        self.user, self.visitor = client.Client(self.socket), client.Client(self.socket)
        self.watcher, self.watched = client.Client(self.socket), []
        self.actions = script.actions()
        self.place = 0
        self.fix = None
        self.reminders = {}  # those that the daemon has answered for
        self.under_way = None  # the line whose call has no answer yet
        self.queue = []  # lines that come before the next one of the script
        self.retries, self.waited = 0, 0
        self.failed_calls = 0  # of the machine's, which the daemon has survived
        self.fault, self.faults_before = None, 0
        self.process = None
        self.starts, self.vain_starts = 0, 0
        self.end = (script.head["end"] + 30) * 10 ** 6
        self.is_off = False
        with open(os.path.join(folder, "configuration"), "w") as file:
            file.write(CONFIGURATION.format(feed="" if script.sets_clock else self.receiver.url))

    @property
    def elapsed(self):
        """Microseconds by the clock of the script, which nobody sets."""
        passed = self.world["monotonic"] + self.world["asleep"] - 10 ** 9
        return self.script.head["start"] * 10 ** 6 + passed

    def set_zone(self, name):
        shutil.copyfile(f"/usr/share/zoneinfo/{name}", self.zone + ".new")
        os.rename(self.zone + ".new", self.zone)

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
            self.receiver.take_down()
            self.close_clients()
            self.world.close()
        return self.failures

    def close_clients(self):
        for each in (self.user, self.visitor, self.watcher):
            each.close()

    def require(self, holds, text):
        if not holds:
            raise Failed(f"{feed.stamp(self.world.now)}: {text}")

    def live_once(self):
        """From a start of the daemon to its end; answers whether the life is over."""
        options = ["--config", os.path.join(self.folder, "configuration"), "--state-directory",
                   self.world.state, "--socket", self.socket]
        self.starts += 1
        self.vain_starts += 1
        self.require(self.vain_starts < 12, "the daemon does not start again")
        self.turns, self.is_stopping = 0, False
        faults_at_start = self.world["faults"]
        if self.fault is None:
            self.arm_next()
        else:
            self.fault.arm(self.world)
        self.process = world.Process(self.world, self.programs, options, self.zone)
        while (limit := self.process.wait()) is not None:
            self.turns += 1
            if self.turns == 1:
                self.vain_starts = 0
                self.after_start()
            self.notice_fault()
            self.receive()
            if failure := self.journal.read():
                raise Failed(failure)
            span = self.next_span()
            if span is None:
                self.stop()
                span = 0
            self.process.resume(min(span, limit) if limit > 0 else span)
        return self.has_ended(self.world["faults"] > faults_at_start)

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
        was_killed = code == -9 and not self.is_off
        if was_killed:
            self.require(self.fault is not None and self.fault.kills, "the daemon was killed")
            self.count_fault()
        if was_killed and self.fault.cuts_power:
            self.disk.cut_power(random.Random(f"{self.script.seed} {len(self.happened)}"))
        else:
            self.disk.after_kill()
        if was_killed:
            self.fault = None
        elif not self.is_off and (code != 0 or not self.is_stopping):
            self.require(code > 0 and has_failed, f"the daemon ended with {code}")
            self.notice_fault()
        if self.under_way is not None:
            self.queue = [{"do": "check"}, self.under_way]
            self.under_way = None
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

    # Faults

    def arm_next(self):
        self.fault = self.faults.pop(0) if self.faults else None
        self.armed_at = self.place
        self.faults_before = self.world["faults"]
        if self.fault is None:
            self.world.plan()
        else:
            self.fault.arm(self.world)

    def count_fault(self):
        self.happened.append(self.fault)
        self.faults_before = self.world["faults"]

    def notice_fault(self):
        """After a fault that the daemon has survived, or that does not come: the next one."""
        if self.world["faults"] > self.faults_before:
            self.count_fault()
            self.failed_calls += 1
            if self.world["faults"] - self.faults_before >= self.fault.times - 1:
                self.arm_next()
        elif self.fault is not None and self.place - self.armed_at > self.fault.waits:
            self.arm_next()

    # Actions

    def perform(self, line):
        kind = line["do"]
        if kind == "fix":
            self.fix = line
            self.receiver.send_fix(line, self.world.now)
        elif kind == "zone":
            self.set_zone(line["name"])
        elif kind == "restart":
            self.stop()
        elif kind == "step":
            self.world["real"] += line["span"] * 10 ** 6
        elif kind == "suspend":
            self.world["real"] += line["span"] * 10 ** 6
            self.world["asleep"] += line["span"] * 10 ** 6
        elif kind == "outage":
            self.world["real"] += line["span"] * 10 ** 6
            self.world["monotonic"] += line["span"] * 10 ** 6
            self.is_off = True
            self.process.process.kill()
        else:
            if kind == "done":
                self.world["action"] = 0  # A done that is repeated completes another occurrence.
            self.under_way, self.waited = line, 0
            self.calls_failed_before = self.failed_calls
            if not self.user.call(*self.call(line)):
                self.retry()
        if self.random.random() < 0.1:
            self.visit()

    def call(self, line):
        """The method and its parameters."""
        kind = line["do"]
        if kind == "check":
            return "List", {"all": True}
        if kind == "place":
            members = {"latitude": line["lat"], "longitude": line["lon"]}
            return "AddPlace", dict(members, name=line["name"], radius_m=line["radius_m"],
                                    category=line["category"])
        if kind == "add":
            return "Add", {"reminder": line["reminder"]}
        if kind == "edit":
            new = line["reminder"]
            old = self.reminders.get(new["id"], {})
            changes = {key: None for key in old if key not in new}
            changes.update((key, value) for key, value in new.items() if old.get(key) != value)
            return "Edit", {"id": new["id"], "changes": changes}
        if kind == "snooze":
            return "Snooze", {"id": line["id"], "until": line["until"]}
        return kind.capitalize(), {"id": line["id"]}

    def retry(self):
        line, self.under_way = self.under_way, None
        self.retries += 1
        self.require(self.retries < 20, f"no success of {line}")
        self.queue = [line] if line["do"] == "check" else [{"do": "check"}, line]

    def visit(self):
        """Another client, who asks for something and may leave at once or in the middle."""
        self.visitor.close()
        method, parameters = self.random.choice([
            ("List", {}), ("Status", {}), ("Next", {"limit": 5}), ("Log", {"limit": 10})])
        self.visitor.call(method, parameters)
        if self.random.random() < 0.3:
            self.visitor.close()

    def receive(self):
        if self.receiver.accept() or (self.receiver.kind == "udp" and self.turns == 2):
            if self.fix is not None:
                self.receiver.send_fix(self.fix, self.world.now)
        if self.visitor.answer() is not None:
            self.visitor.close()
        self.watch()
        if self.under_way is None:
            return
        self.user.flush()
        answer = self.user.answer()
        if answer is None:
            return
        parameters, error = answer
        line, kind = self.under_way, self.under_way["do"]
        if error is not None:
            has_failed = self.failed_calls > self.calls_failed_before or self.retries
            self.require(has_failed, f"{line} was refused: {error} {parameters}")
            is_repeated = kind in ("snooze", "remove", "place") and self.retries
            if not is_repeated or self.failed_calls > self.calls_failed_before:
                return self.retry()
        self.under_way, self.retries = None, 0
        self.user.close()
        if kind == "check":
            self.check_reminders({reminder["id"] for reminder in parameters["reminders"]})
        elif kind in ("add", "edit"):
            self.reminders[line["reminder"]["id"]] = line["reminder"]
        elif kind == "remove":
            self.reminders.pop(line["id"], None)
        elif kind == "done" and self.fault is not None:
            self.fault.arm(self.world)

    def watch(self):
        """Takes the firings that a client was told."""
        while (answer := self.watcher.answer()) is not None and answer[1] is None:
            self.watched.append(answer[0]["firing"]["firing_id"])

    def check_reminders(self, found):
        """After a start: the daemon has what it has answered for, and what is under way or not."""
        line = self.queue[0] if self.queue else {"do": "nothing"}
        if line["do"] == "add" and line["reminder"]["id"] in found:
            self.reminders[line["reminder"]["id"]] = line["reminder"]
            self.queue.pop(0)
        elif line["do"] == "remove" and line["id"] not in found:
            self.reminders.pop(line["id"], None)
            self.queue.pop(0)
        wanted = set(self.reminders)
        self.require(found == wanted, f"lost: reminders {sorted(wanted - found)}, "
                                      f"not removed {sorted(found - wanted)}")

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
            self.failures.append("doubled: a client was told a firing twice")
        self.failures += oracle.compare(self.script, rows, self.failed_calls > 0)

    @property
    def digest(self):
        """A number for all that the daemon has told journald; the same for the same seed."""
        with open(os.path.join(self.folder, "journal"), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]
