"""Devices on circles, through the brokers alone: reminders, commands and positions are messages."""
import asyncio
import json
import math
import random
import time

import nats

LATITUDE = 111195.0


async def expected(_):
    """Brokers fail here."""


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Device:
    def __init__(self, number, rnd):
        self.name = f"dev{number}"
        self.rnd = rnd
        self.lat, self.lon = 45 + number % 100 * 0.1, 5 + number // 100 * 0.1
        self.radius, self.speed = rnd.uniform(250, 500), rnd.uniform(10, 25)
        self.angle = rnd.uniform(0, 2 * math.pi)
        self.sent = 0
        # Some have deadlines alone: nothing but the clock of the log brings them.
        self.is_silent = rnd.random() < 0.1
        self.phase = rnd.random()

    def at(self, angle, radius=None):
        radius = radius or self.radius
        return (round(self.lat + radius * math.cos(angle) / LATITUDE, 7),
                round(self.lon + radius * math.sin(angle) / LATITUDE
                      / math.cos(math.radians(self.lat)), 7))

    def place(self, name, radius, offset=0):
        lat, lon = self.at(self.rnd.uniform(0, 2 * math.pi), self.radius + offset)
        return {"lat": lat, "lon": lon, "radius_m": radius, "name": name}

    def commands(self, now, seconds):
        rnd = self.rnd
        zone = rnd.choice(["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"])
        yield {"zone": zone}

        def add(kind, name, **more):
            return {"add": {"id": f"{self.name}-{name}", "kind": kind, "title": name, **more}}
        for number, event in enumerate(("arrive", "depart", "arrive")):
            yield add("location", f"stop{number}", place=self.place("Stop", 60), every_visit=True,
                      on=event)
        yield add("location", "once", place=self.place("Once", 30))
        yield add("location", "pass", place=self.place("Small", 20, 15), every_visit=True)
        yield add("location", "stay", place=self.place("Stay", 90), every_visit=True, on="dwell",
                  dwell_s=5)
        yield add("location", "bakery", near_category="bakery", every_visit=True)
        if rnd.random() < 0.25:
            yield add("location", "anchor", place=self.place("Anchor", 200), on="depart",
                      anchor_watch=True, dwell_s=10)
        for number in range(3):
            yield add("date", f"date{number}", due=iso(now + rnd.uniform(10, seconds)))
        yield add("date", "often", due=iso(now + rnd.uniform(10, 60)), repeat="FREQ=MINUTELY")
        # Floating: what it means, the zone says.
        local = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(
            now + rnd.uniform(30, seconds) + {"Europe/Berlin": 3600, "Asia/Kathmandu": 20700,
                                              "America/St_Johns": -12600}[zone]))
        yield add("date", "local", due=local)
        yield add("preemptive", "leave", place=self.place("Meeting", 100, 3000),
                  due=iso(now + rnd.uniform(300, 900)))

    def position(self):
        self.angle += self.speed / self.radius
        lat, lon = self.at(self.angle)
        noise = self.rnd.gauss(0, 3) / LATITUDE
        return {"_type": "location", "lat": round(lat + noise, 7), "lon": lon,
                "tst": round(time.time(), 3), "acc": 8, "vel": round(self.speed * 3.6, 1)}

    def command(self):
        name = f"{self.name}-stop{self.rnd.randrange(3)}"
        return self.rnd.choice([
            {"done": f"{self.name}-once"}, {"snooze": {"id": name, "minutes": 0.5}},
            {"snooze": {"id": name, "next_visit": True}}, {"remove": f"{self.name}-date0"},
            {"edit": {"id": name, "kind": "location", "title": "edited", "every_visit": True,
                      "place": self.place("Elsewhere", 60)}}, {"nonsense": 1}])


class Fleet:
    def __init__(self, servers, count, seconds, seed):
        self.servers, self.seconds, self.seed = servers, seconds, seed
        rnd = random.Random(seed)
        self.devices = [Device(number, random.Random(rnd.random())) for number in range(count)]
        self.sent = self.failed = self.retried = 0

    async def put(self, device, document):
        device.sent += 1
        data = json.dumps(document, separators=(",", ":")).encode()
        header = {"Nats-Msg-Id": f"{device.name}-{self.seed}-{device.sent}"}
        for _ in range(300):
            try:
                await self.stream.publish(f"pos.{device.name}", data, headers=header, timeout=2)
                self.sent += 1
                return
            except Exception:  # pylint: disable=broad-except
                self.retried += 1
                await asyncio.sleep(0.2)
        self.failed += 1

    async def life(self, device, start):
        for command in device.commands(time.time(), self.seconds):
            await self.put(device, command)
        number = 0
        while time.time() < start + self.seconds:
            number += 1
            await asyncio.sleep(max(0, start + device.phase + number - time.time()))
            if not device.is_silent:
                position = device.position()
                await self.put(device, [position] if number % 10 == 0 else position)
                if device.rnd.random() < 0.01:
                    await self.put(device, device.command())

    async def drive(self):
        client = await nats.connect(
            self.servers, max_reconnect_attempts=-1, reconnect_time_wait=0.2, ping_interval=2,
            max_outstanding_pings=2, connect_timeout=2, error_cb=expected)
        self.stream = client.jetstream(timeout=2)
        start = time.time()
        await asyncio.gather(*(self.life(device, start) for device in self.devices))
        await client.close()

    def run(self):
        asyncio.run(self.drive())


async def create_streams(servers, partitions):
    client = await nats.connect(servers)
    stream = client.jetstream(timeout=10)
    for number in range(partitions):
        for _ in range(60):
            try:
                await stream.add_stream(name=f"GR{number}", subjects=[f"in.{number}.>"],
                                        num_replicas=3, duplicate_window=120)
                break
            except Exception:  # pylint: disable=broad-except
                await asyncio.sleep(0.5)
        else:
            raise TimeoutError
    await client.close()
