"""`georemind-mqtt` in the world of a life, and the broker that it follows."""

import json
import random

import beside
import broker
import faults
import world

SETTINGS = """[MQTT]
Broker=mqtt://127.0.0.1
HomeAssistant={announces}
"""
# A firing is published within this time after its own, in microseconds: five seconds after a new
# connection, Home Assistant may have read the discovery.
PROMPT = 7 * 10 ** 6
# Firings of more than an hour ago are no news.
AGE = 3600 * 10 ** 6
# A self-test that failed is repeated after five minutes.
TEST = 300 * 10 ** 6


class MQTT(beside.Beside):
    NAME, TABLE = "mqtt", faults.OF_MQTT
    # The longest back-off is 15 minutes; a message without an answer ends a connection after 30 s.
    REST = 3600 * 10 ** 6

    def __init__(self, programs, of_daemon, seed, faults_, missing):
        super().__init__(programs.mqtt, programs.preload, [], of_daemon, seed, faults_)
        chance = random.Random(f"mqtt {seed}")
        newest = chance.choice([broker.OLD, broker.NEW, broker.NEW])
        self.broker = broker.Broker(self.world.folder, seed, bool(faults_), newest)
        self.broker.acknowledges_all = missing == "refusals"
        self.settings = SETTINGS.format(announces=chance.choice(["yes", "no"]))

    def prepare(self):
        self.broker.serve(self.of_daemon.now)

    def look(self):
        is_busy = self.broker.serve(self.of_daemon.now)
        self.limit = world.soonest(self.limit, self.broker.wait(self.of_daemon.now))
        return is_busy

    def settle(self):
        super().settle()
        self.broker.settle(self.of_daemon.now)

    def close(self):
        super().close()
        self.broker.close()

    def may_repeat(self, delivered, begun, rows, is_last):
        return (is_last and not self.broker.was_well(delivered, begun)
                or super().may_repeat(delivered, begun, rows, is_last))

    def check(self, rows):
        """What does not hold of the messages, by the rows of the ledger."""
        firings = [(each, json.loads(each.payload)) for each in self.broker.passed
                   if each.topic.endswith("/firing")]
        known = {row[0] for row in rows}
        unknown = [firing["firing_id"] for _, firing in firings if firing["firing_id"] not in known]
        if unknown:
            return [f"lost: the ledger has not {unknown[0]}, which the broker has"]
        first = {}
        for message, firing in firings:
            first.setdefault(firing["firing_id"], message.time)
        failures = []
        for name, queue in beside.queues(rows):
            failures += self.check_queue(queue, name, firings, first)
        return failures or self.check_last(rows)

    def check_queue(self, queue, name, firings, first):
        missing = [id for id, _ in queue if id not in first and not self.may_be_missing(id)]
        if missing:
            return [f"lost: the broker has not passed on the {name} firing {missing[0]}, "
                    f"one of {len(missing)}"]
        place, own = {id: number for number, (id, _) in enumerate(queue)}, {}
        # The last in order that has passed, and the last without the mark of a repetition.
        passed = reached = -1
        for message, firing in firings:
            id = firing["firing_id"]
            if id not in place:
                continue
            number = place[id]
            # Who missed it gets it again, with this mark; if the broker kept it to itself before,
            # it passes for the first time with it.
            if firing.get("repeated"):
                passed += number == passed + 1
                continue
            if number > passed + 1 and self.broker.newest == broker.NEW:
                return [f"order: the {name} firing {id} came before {queue[passed + 1][0]}"]
            if id in own and not self.may_repeat(own[id], message.time, queue, number == reached):
                return [f"doubled: the {name} firing {id} came again at {message.time}"]
            own[id] = message.time
            reached, passed = max(reached, number), max(passed, number)
        if self.disturbances or self.broker.moods:
            return []
        again = [firing["firing_id"] for message, firing in firings
                 if firing.get("repeated") and message.time > first[firing["firing_id"]] + PROMPT]
        if again:
            return [f"doubled: {again[0]} was sent again, though nobody has missed it"]
        late = [id for id, time in queue if first[id] > time + PROMPT]
        return [f"late: the {name} firing {late[0]} came at {first[late[0]]}"] if late else []

    def may_be_missing(self, id):
        """What a broker of 3.1.1 keeps to itself and acknowledges is sent again when it is known to
        pass messages on: by the same process, and within an hour."""
        times = [time for time, topic, payload in self.broker.kept
                 if topic.endswith("/firing") and json.loads(payload)["firing_id"] == id]
        if not times:
            return False
        has_ended = any(moment >= times[-1] for moment, _ in self.ends)
        return has_ended or not self.broker.is_well_within(times[-1], AGE - TEST)

    def check_last(self, rows):
        """The retained last firing is the last of the ledger."""
        last = [payload for topic, payload in self.broker.retained.items()
                if topic.endswith(b"/last")]
        if not rows or last and json.loads(last[0])["firing_id"] == rows[-1][0]:
            return []
        found = json.loads(last[0])["firing_id"] if last else "none"
        return [f"last: the broker retains {found}, not {rows[-1][0]}"]
