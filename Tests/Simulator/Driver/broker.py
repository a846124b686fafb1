"""A broker of MQTT 3.1.1 and 5 in the world of a life, as far as one client needs it.

It has moods: for some time it refuses, keeps or forgets messages, is away, or says nothing. It
knows no session: after each connection a client begins anew. The source of the formats is
https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html.
"""

import os
import random
import socket
import struct

import client

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT = (
    1, 2, 3, 4, 8, 9, 12, 13, 14)
OLD, NEW = 4, 5  # the protocol levels of 3.1.1 and 5
UNAVAILABLE, NOT_AUTHORIZED = 0x88, 0x87

# What a message or a connection meets. An old client cannot be told that a message is refused: it is
# acknowledged, and passed on to nobody, as Mosquitto does.
MOODS = {
    "refuses": "no message is permitted",
    "swallows": "a message is passed on to nobody, and has no answer",
    "owes": "a message is passed on, and has no answer",
    "dawdles": "each answer takes up to twenty seconds",
    "is full": "no connection is accepted",
    "is silent": "a connection has no answer",
    "is away": "nothing listens",
    "begins anew": "it ends all connections, and forgets what it retained",
}
PORT = 1883


def length(number):
    """A variable byte integer."""
    text = b""
    while True:
        number, byte = number >> 7, number & 127
        text += bytes([byte | (128 if number else 0)])
        if not number:
            return text


def packet(kind, body, flags=0):
    return bytes([kind << 4 | flags]) + length(len(body)) + body


def text(value):
    return struct.pack(">H", len(value)) + value


class Reader:
    """The parts of a packet, one after the other."""

    def __init__(self, body):
        self.body = body

    def take(self, size):
        part, self.body = self.body[:size], self.body[size:]
        assert len(part) == size, "a packet ends too soon"
        return part

    def number(self):
        return struct.unpack(">H", self.take(2))[0]

    def text(self):
        return self.take(self.number())

    def properties(self, version):
        """Skips them."""
        if version != NEW:
            return
        size = shift = 0
        while True:
            byte = self.take(1)[0]
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        self.take(size)


def matches(topic, filter):
    topic, filter = topic.split(b"/"), filter.split(b"/")
    if filter[-1] == b"#":
        topic, filter = topic[:len(filter) - 1], filter[:-1]
    return len(topic) == len(filter) and all(f in (b"+", t) for t, f in zip(topic, filter))


class Passed:
    """A message that the broker has passed on to those who read its topic."""

    def __init__(self, topic, payload, time):
        self.topic, self.payload, self.time = topic, payload, time


class Connection:
    def __init__(self, socket):
        self.socket, self.buffer = socket, b""
        self.version, self.filters = None, []

    def packets(self):
        """Whole packets that have come: kind, flags, body; None at the end of the connection."""
        data, is_open = client.receive(self.socket)
        self.buffer += data
        while (whole := self.whole()) is not None:
            yield whole
        if not is_open:
            yield None

    def whole(self):
        for count in range(1, 5):
            if len(self.buffer) <= count:
                return None
            if self.buffer[count] < 128:
                break
        size = sum((byte & 127) << 7 * place
                   for place, byte in enumerate(self.buffer[1:count + 1]))
        end = 1 + count + size
        if len(self.buffer) < end:
            return None
        head, body, self.buffer = self.buffer[0], self.buffer[1 + count:end], self.buffer[end:]
        return head >> 4, head & 15, body


class Broker:
    """`passed` has the messages that it passed on.

    Of the parameters, `has_moods` is whether it is ever anything but well, and `newest` the newest
    version of MQTT that it speaks.
    """

    def __init__(self, folder, seed, has_moods, newest):
        self.path = os.path.join(folder, f"feed-{PORT}")
        self.random = random.Random(f"broker {seed}")
        self.newest = newest
        self.listener, self.connections = None, []
        self.passed, self.retained = [], {}
        self.kept = []  # (time, topic, payload) of what it acknowledged and passed on to nobody
        self.owed = []  # (time, connection, bytes), by rising time
        self.mood, self.next_mood = "well", None
        self.has_moods, self.moods = has_moods, []  # (time, mood)
        self.acknowledges_all = False
        self.listen()

    def listen(self):
        if self.listener is None:
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.listener.bind(self.path)
            self.listener.listen(8)
            self.listener.setblocking(False)

    def close(self):
        for connection in list(self.connections):
            self.drop(connection)
        if self.listener is not None:
            self.listener.close()
            os.unlink(self.path)
        self.listener = None

    def drop(self, connection):
        connection.socket.close()
        self.connections.remove(connection)
        self.owed = [each for each in self.owed if each[1] is not connection]

    # Moods

    def settle(self, now):
        """It is well from now on."""
        if self.has_moods:
            self.change("well", now)
        self.has_moods = False

    def was_well(self, start, end):
        """Whether it was well all the time, and nothing ended its connections."""
        before = [mood for time, mood in self.moods if time <= start][-1:]
        return before in ([], ["well"]) and not any(start < time <= end for time, _ in self.moods)

    def is_well_within(self, start, span):
        """Whether it begins to be well in so many microseconds."""
        return any(mood == "well" and start < time <= start + span for time, mood in self.moods)

    def change_mood(self, now):
        if not self.has_moods:
            return
        if self.next_mood is not None and now < self.next_mood:
            return
        if self.next_mood is None or self.mood != "well":
            self.change("well", now)
            span = self.random.expovariate(1 / 3600)
        else:
            self.change(self.random.choice(list(MOODS)), now)
            span = self.random.choice([3, 45, 300, 3600])
        self.next_mood = now + int(span * 10 ** 6) + 10 ** 6

    def change(self, mood, now):
        self.mood = mood
        self.moods.append((now, mood))
        if mood == "begins anew":
            self.retained = {}
        if mood in ("begins anew", "is full", "is away"):
            for connection in list(self.connections):
                self.drop(connection)
        if mood == "is away":
            self.close()
        else:
            self.listen()

    # Service

    def wait(self, now):
        """Microseconds until it has something to do by itself; -1 where it has nothing."""
        return max(self.owed[0][0] - now, 0) if self.owed else -1

    def serve(self, now):
        """Reads and answers; answers whether it sent anything."""
        self.change_mood(now)
        has_sent = False
        while self.owed and self.owed[0][0] <= now:
            _, connection, answer = self.owed.pop(0)
            has_sent |= self.send(connection, answer)
        while self.listener is not None:
            try:
                accepted, _ = self.listener.accept()
            except BlockingIOError:
                break
            accepted.setblocking(False)
            self.connections.append(Connection(accepted))
        for connection in list(self.connections):
            if connection not in self.connections:
                continue  # Another one of its client has ended it.
            for whole in connection.packets():
                if whole is None or not self.take(connection, now, *whole):
                    self.drop(connection)
                    has_sent = True
                    break
                has_sent = True
        return has_sent

    def send(self, connection, data):
        try:
            connection.socket.send(data)
            return True
        except OSError:
            return False

    def answer(self, connection, now, data):
        if self.mood == "dawdles":
            time = now + self.random.randrange(20 * 10 ** 6)
            self.owed.append((time, connection, data))
            self.owed.sort(key=lambda each: each[0])
        else:
            self.send(connection, data)

    def take(self, connection, now, kind, flags, body):
        """Whether the connection goes on."""
        reader = Reader(body)
        if kind == CONNECT:
            return self.accept(connection, now, reader)
        if connection.version is None or kind == DISCONNECT:
            return False
        if kind == PUBLISH:
            self.publish(connection, now, flags, reader)
        elif kind == SUBSCRIBE:
            self.subscribe(connection, now, reader)
        elif kind == PINGREQ:
            self.answer(connection, now, packet(PINGRESP, b""))
        return True

    def accept(self, connection, now, reader):
        assert reader.text() == b"MQTT"
        version = reader.take(1)[0]
        tail = b"\0" if version == NEW else b""
        if version > self.newest:
            self.send(connection, packet(CONNACK, bytes([0, 1])))  # in the form of 3.1.1
            return False
        if self.mood == "is full":
            code = UNAVAILABLE if version == NEW else 3
            self.send(connection, packet(CONNACK, bytes([0, code]) + tail))
            return False
        # A second connection of a client ends its first.
        for other in [each for each in self.connections if each is not connection]:
            self.drop(other)
        connection.version = version
        if self.mood != "is silent":
            self.answer(connection, now, packet(CONNACK, bytes([0, 0]) + tail))
        return True

    def publish(self, connection, now, flags, reader):
        topic = reader.text()
        id = reader.take(2) if flags >> 1 & 3 else None
        reader.properties(connection.version)
        is_new = connection.version == NEW
        is_refused = self.mood in ("refuses", "swallows")
        if self.mood == "refuses" and not is_new:
            self.kept.append((now, topic.decode(), reader.body))
        if not is_refused:
            self.pass_on(topic, reader.body, bool(flags & 1), now)
        if id is None or self.mood in ("swallows", "owes") and not self.acknowledges_all:
            return
        is_told = is_refused and is_new and not self.acknowledges_all
        code = bytes([NOT_AUTHORIZED]) if is_told else b""
        self.answer(connection, now, packet(PUBACK, id + code))

    def pass_on(self, topic, payload, is_retained, now):
        self.passed.append(Passed(topic.decode(), payload, now))
        if is_retained:
            self.retained[topic] = payload
        for each in self.connections:
            if any(matches(topic, filter) for filter in each.filters):
                self.deliver(each, topic, payload, 0)

    def deliver(self, connection, topic, payload, is_retained):
        tail = b"\0" if connection.version == NEW else b""
        self.send(connection, packet(PUBLISH, text(topic) + tail + payload, int(is_retained)))

    def subscribe(self, connection, now, reader):
        id = reader.take(2)
        reader.properties(connection.version)
        codes = []
        while reader.body:
            filter, _ = reader.text(), reader.take(1)
            connection.filters.append(filter)
            codes.append(0)
            for topic in [topic for topic in self.retained if matches(topic, filter)]:
                self.deliver(connection, topic, self.retained[topic], 1)
        tail = b"\0" if connection.version == NEW else b""
        self.answer(connection, now, packet(SUBACK, id + tail + bytes(codes)))
