#!/usr/bin/env python3
"""Receivers parked on the edge of a circle for a day, played by `georemind replay`.

    Tests/System/check_parked.py GEOREMIND [--settings N] [--seed S]

A setting is a scatter, its correlation time, a claimed error, reflections, a speed, a radius and a place: a
third of them across the antimeridian, a third beside a pole. Prints the arrivals and departures of each day,
and ends with 1 if a day has more than two. Needs Python alone.
"""
import argparse
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile

RADIUS = 6371008.8
START = 1_781_222_400  # 2026-06-12 00:00 UTC
DAY = 86_400
SIGMAS, MEMORIES, CLAIMS = (5.0, 10.0, 20.0), (5.0, 60.0, 300.0), (0.5, 1.0, 2.0)
# The rows of each setting: scatter, memory, claim, reflections, speed.
SETTINGS = list(itertools.product(SIGMAS, MEMORIES, CLAIMS, (False, True), (False, True)))


def moved(lat, lon, east, north):
    """The place on the sphere at so many metres from another."""
    angle, bearing = math.hypot(east, north) / RADIUS, math.atan2(east, north)
    phi = math.radians(lat)
    sine = math.sin(phi) * math.cos(angle) + math.cos(phi) * math.sin(angle) * math.cos(bearing)
    other = math.asin(max(-1.0, min(1.0, sine)))
    turn = math.atan2(math.sin(bearing) * math.sin(angle) * math.cos(phi),
                      math.cos(angle) - math.sin(phi) * math.sin(other))
    return math.degrees(other), (lon + math.degrees(turn) + 180) % 360 - 180


def site(number, rnd):
    """A name and a centre."""
    if number % 3 == 0:
        return 'antimeridian', (rnd.uniform(-65, 65), rnd.choice((-1, 1)) * (180 - rnd.uniform(0, 0.0003)))
    if number % 3 == 1:
        return 'pole', (rnd.choice((-1, 1)) * (90 - rnd.uniform(0, 0.002)), rnd.uniform(-180, 180))
    return 'elsewhere', (rnd.uniform(-65, 65), rnd.uniform(-179, 179))


def day(setting, radius, centre, rnd):
    """The reports of a receiver on the edge, one a second."""
    sigma, memory, claim, reflects, has_speed = setting
    bearing = rnd.uniform(0, 2 * math.pi)
    place = (radius * math.sin(bearing), radius * math.cos(bearing))
    keep = math.exp(-1 / memory)
    fresh = sigma * math.sqrt(1 - keep * keep)
    east, north = rnd.gauss(0, sigma), rnd.gauss(0, sigma)
    pull = (0.0, 0.0)
    for second in range(DAY):
        east, north = keep * east + rnd.gauss(0, fresh), keep * north + rnd.gauss(0, fresh)
        if reflects and rnd.random() < 1 / 1800:
            angle, metres = rnd.uniform(0, 2 * math.pi), rnd.uniform(20, 60)
            pull = (metres * math.cos(angle), metres * math.sin(angle))
        pull = (pull[0] * 0.97, pull[1] * 0.97)
        lat, lon = moved(*centre, place[0] + east + pull[0], place[1] + north + pull[1])
        speed = f',"speed":{abs(rnd.gauss(0, 0.3)):.2f}' if has_speed else ''
        yield (f'{{"class":"TPV","mode":3,"time":{START + second}.0,"lat":{lat:.9f},"lon":{lon:.9f},'
               f'"eph":{2.45 * sigma * claim:.2f}{speed}}}\n')


def play(program, setting, radius, centre, rnd):
    """The events that fire in a day."""
    reminders = [{'id': event, 'kind': 'location', 'title': event, 'on': event, 'every_visit': True,
                  'place': {'lat': centre[0], 'lon': centre[1], 'radius_m': radius}}
                 for event in ('arrive', 'depart')]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'reminders.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(reminders, file)
        result = subprocess.run([program, 'replay', '-', '--reminders', path, '--json'], check=True, text=True,
                                input=''.join(day(setting, radius, centre, rnd)), capture_output=True)
    return [json.loads(line)['event'] for line in result.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('georemind')
    parser.add_argument('--settings', type=int, default=24)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    order = list(range(len(SETTINGS)))
    random.Random(options.seed).shuffle(order)
    bad = most = 0
    print('scatter  memory  claim  reflections  speed  radius  where         events')
    for number, index in enumerate(order[:options.settings]):
        rnd = random.Random(1_000 * options.seed + index)
        where, centre = site(number, rnd)
        radius = (30, 100, 300)[number // 3 % 3]
        events = play(options.georemind, SETTINGS[index], radius, centre, rnd)
        sigma, memory, claim, reflects, has_speed = SETTINGS[index]
        print(f'{sigma:5.0f} m {memory:5.0f} s {claim:6} {"yes" if reflects else "no":>12} '
              f'{"yes" if has_speed else "no":>6} {radius:5d} m  {where:12} {len(events):6d}', flush=True)
        bad += len(events) > 2
        most = max(most, len(events))
    print(f'{options.settings} days, {bad} with more than two arrivals and departures; at most {most} a day')
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
