"""What the user, other clients and the machine do in a life, and the answers that they get."""

import bisect
import collections
import errno
import os
import shutil

import client
import feed
import script


# The machine's position is lost after two minutes without a fix, in microseconds.
LOST = 115 * 10 ** 6


class Failed(Exception):
    pass


class User:
    """Performs the lines of a script, with one call under way at most, which is repeated where no
    answer came."""

    def __init__(self, folder):
        self.folder = folder
        self.socket = os.path.join(folder, "socket")
        self.user, self.visitor = client.Client(self.socket), client.Client(self.socket)
        self.watcher, self.watched = client.Client(self.socket), []
        self.receivers = {
            tracker: feed.Receiver(
                self.random.choice(["gpsd", "tcp", "udp"][:2 if number else 3]), folder, number)
            for number, tracker in enumerate(self.script.trackers)}
        self.zone = os.path.join(folder, "localtime")
        self.set_zone(self.script.head["zone"])
        self.fixes, self.fix_sent = {}, collections.defaultdict(int)  # the last ones, by tracker
        self.reminders = {}  # reminders that the daemon has answered for
        # (reminder, tracker): it waits for a visit since the tracker's last fix of the script.
        self.added = set()
        self.heard = set()  # the trackers of which this process has had a fix of the script
        self.under_way = None  # the line whose call has no answer yet
        self.queue = []  # lines that come before the next one of the script
        self.retries, self.waited = 0, 0
        # In some lives journald is slow or away now and then, and the receiver fails.
        self.has_weather = self.random.random() < 0.3
        self.weather_ends = 0

    def require(self, holds, text):
        if not holds:
            raise Failed(f"{feed.stamp(self.world.now)}: {text}")

    def close_clients(self):
        for each in (self.user, self.visitor, self.watcher):
            each.close()

    def set_zone(self, name):
        shutil.copyfile(f"/usr/share/zoneinfo/{name}", self.zone + ".new")
        os.rename(self.zone + ".new", self.zone)

    def change_weather(self, line):
        """Journald takes nothing for some actions, or stores entries late; a receiver sends what is
        no fix, a fix of 60 km away, or drops its connection."""
        tracker = line.get("of", script.MACHINE)
        receiver = self.receivers[tracker]
        if self.place > self.weather_ends:
            self.world["journal_code"] = self.world["journal_delay"] = 0
        what = self.random.randrange(40)
        if what < 2:
            self.world["journal_code"] = [errno.EAGAIN, errno.ECONNREFUSED][what]
        elif what == 2:
            self.world["journal_delay"] = self.random.choice([1000, 10 ** 6, 3 * 10 ** 6])
        elif what == 3:
            receiver.send("".join(chr(self.random.randrange(32, 127)) for _ in range(200)))
            receiver.send("\r\n")
        elif (what == 4 and line.get("goes_on")
              and self.world.now - self.fix_sent[tracker] < 30 * 10 ** 6):
            # After a long silence the way there would be possible.
            receiver.send_fix(dict(line, lat=line["lat"] + 0.54), self.world.now - 10 ** 6)
        elif what == 5:
            receiver.take_down()
            receiver.raise_up()
        if what < 3:
            self.weather_ends = self.place + self.random.randint(1, 4)

    def perform(self, line):
        kind = line["do"]
        if self.has_weather:
            self.change_weather(line)
        if kind == "fix":
            tracker = line["of"]
            if not line.get("goes_on"):
                self.added = {pair for pair in self.added if pair[1] != tracker}
                self.heard.add(tracker)
            self.fixes[tracker] = line
            self.receivers[tracker].send_fix(line, self.world.now)
            self.fix_sent[tracker] = self.world.now
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
            self.world["boots"] += 1
            self.is_off = True
            self.process.process.kill()
        elif kind == "remove" and line["id"] not in self.reminders:
            pass  # A user who removes it at each of several firings.
        else:
            if kind == "done":
                self.world["action"] = 0  # A done that is repeated completes another occurrence.
            self.under_way, self.waited = line, 0
            self.calls_failed_before = self.plan.failed_calls
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
        self.retries += 1
        self.require(self.retries < 20, f"no success of {self.under_way}")
        self.repeat()

    def repeat(self):
        """The call under way comes again, after a look at what the daemon has."""
        line, self.under_way = self.under_way, None
        if line["do"] != "check":
            self.queue.insert(0, dict(line, again=True))
        self.queue.insert(0, {"do": "check", "again": True})

    def visit(self):
        """Another client, who asks for something and may leave at once or in the middle."""
        self.visitor.close()
        method, parameters = self.random.choice([
            ("List", {}), ("Status", {}), ("Next", {"limit": 5}), ("Log", {"limit": 10})])
        self.visitor.call(method, parameters)
        if self.random.random() < 0.3:
            self.visitor.close()

    def receive(self):
        for tracker, receiver in self.receivers.items():
            is_new = receiver.accept() or (receiver.kind == "udp" and self.turns == 2)
            if is_new and tracker in self.fixes:
                receiver.send_fix(self.fixes[tracker], self.world.now)
                self.send_on(tracker)
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
            has_failed = self.plan.failed_calls > self.calls_failed_before
            if kind == "snooze" and parameters.get("state") == "expired":
                # It expired in this second: the model has the two in the other order.
                self.script.uncertain.add(line["id"])
                self.under_way = None
                return self.user.close()
            self.require(has_failed or "again" in line, f"{line} was refused: {error} {parameters}")
            # What is repeated may have been done before.
            is_repeated = kind in ("snooze", "remove", "place") and "again" in line
            if not is_repeated or has_failed:
                return self.retry()
        self.under_way = None
        if "again" in line and "at" in line:
            # Had it come in time, it would have fired meanwhile.
            fired = self.script.firing(line["at"], self.elapsed // 10 ** 6)
            self.script.uncertain |= {id for id in fired if self.script.changes(line, id)}
        if kind != "check":
            self.retries = 0
        self.user.close()
        if kind == "check":
            self.check_reminders({reminder["id"] for reminder in parameters["reminders"]})
        elif kind in ("add", "edit"):
            self.note_added(line["reminder"])
        elif kind == "snooze":
            self.note_snoozed(line, error is not None)
        elif kind == "remove":
            self.reminders.pop(line["id"], None)
        elif kind == "done":
            self.plan.arm()

    def note_added(self, reminder):
        """A reminder is added or changed. Where a new process knows no position, its first fix may
        count as a visit that begins."""
        self.reminders[reminder["id"]] = reminder
        self.note_visit(reminder["id"])
        # While the position is lost, nothing says that the machine is there.
        is_lost = self.world.now - self.fix_sent[script.MACHINE] > LOST
        if is_lost and reminder.get("if_inside") == "fire":
            self.script.uncertain.add(reminder["id"])

    def note_snoozed(self, line, is_refused):
        """The end of a short snooze may pass before the call gets through."""
        if is_refused:
            self.script.uncertain.add(line["id"])
        elif line["until"] == "next-visit":
            self.note_visit(line["id"])

    def note_visit(self, id):
        """From now on a reminder asks for visits after the present one."""
        trackers = self.script.followed(self.reminders[id])
        self.added |= {(id, tracker) for tracker in trackers}
        if not self.heard.issuperset(trackers):
            self.script.uncertain.add(id)

    def lose_position(self):
        """A new process begins."""
        self.script.uncertain |= {id for id, _ in self.added}
        self.script.uncertain |= self.script.changed_at_start(self.elapsed // 10 ** 6)
        self.heard = set()
        self.fix_sent.clear()

    def send_on(self, tracker):
        """After a new connection a receiver sends its fix some more times: one fix alone decides
        nothing, and a new process may know of no other."""
        fixes = (time for time, line in self.actions[self.place:] if line.get("of") == tracker)
        following = next(fixes, self.end)
        for offset in (5, 10, 15):
            if (time := self.elapsed + offset * 10 ** 6) < following:
                line = dict(self.fixes[tracker], goes_on=offset < 15)
                bisect.insort(self.actions, (time, line), lo=self.place, key=lambda pair: pair[0])

    def watch(self):
        """Takes the firings that a client received."""
        while (answer := self.watcher.answer()) is not None and answer[1] is None:
            self.watched.append(answer[0]["firing"]["firing_id"])

    def check_reminders(self, found):
        """After a start: the daemon has what it has answered for, and what is under way or not."""
        line = self.queue[0] if self.queue else {"do": "nothing"}
        if line["do"] == "add" and line["reminder"]["id"] in found:
            self.note_added(line["reminder"])
            self.queue.pop(0)
        elif line["do"] == "remove" and line["id"] not in found:
            self.reminders.pop(line["id"], None)
            self.queue.pop(0)
        wanted = set(self.reminders)
        self.require(found == wanted, f"lost: reminders {sorted(wanted - found)}, "
                                      f"not removed {sorted(found - wanted)}")
