"""Generated trips with reminders, and what `georemind replay` fires for them.

Everything follows from the number of a trip. A trip takes 30 to 120 minutes with 0.2 to 10 seconds
between fixes, gaps and outliers, on both sides of the antimeridian. Trips 240 to 279 cross the night in
which Berlin's clocks go back; trips 280 to 299 are beside a pole or have circles of thousands of
kilometres. Each trip has 10 to 40 reminders of all kinds and shapes along its way.
"""
import json
import math
import os
import random
import subprocess
import tempfile
import time

COUNT = 300
BERLIN = range(240, 280)
FAR = range(280, 300)
R = 6371008.8
T0 = 1790035200  # 2026-09-22 00:00 UTC, a Tuesday


def offset(lat, lon, east, north):
    lat2 = lat + math.degrees(north / R)
    lon2 = lon + math.degrees(east / (R * math.cos(math.radians(lat))))
    return lat2, (lon2 + 180) % 360 - 180


def direct(lat, lon, east, north):
    """The same along a great circle: for poles and long ways."""
    d, w = math.hypot(east, north) / R, math.atan2(east, north)
    p = math.radians(lat)
    q = math.asin(max(-1.0, min(1.0, math.sin(p) * math.cos(d) + math.cos(p) * math.sin(d) * math.cos(w))))
    k = math.atan2(math.sin(w) * math.sin(d) * math.cos(p), math.cos(d) - math.sin(p) * math.sin(q))
    return math.degrees(q), (lon + math.degrees(k) + 180) % 360 - 180


def sentence(body):
    check = 0
    for byte in body.encode():
        check ^= byte
    return f'${body}*{check:02X}\r\n'


def degrees_minutes(value, width):
    a = abs(value)
    d = int(a)
    m = (a - d) * 60
    if f'{m:.5f}' == '60.00000':
        d, m = d + 1, 0.0
    return f'{d:0{width}d}{m:08.5f}'


def epoch(t, lat, lon, speed, track, hdop):
    g = time.gmtime(int(t))
    hms = time.strftime('%H%M%S', g) + f'.{int(round((t % 1) * 100)):02d}'
    la = degrees_minutes(lat, 2) + (',N' if lat >= 0 else ',S')
    lo = degrees_minutes(lon, 3) + (',E' if lon >= 0 else ',W')
    return (sentence(f'GPGGA,{hms},{la},{lo},1,09,{hdop:.1f},40.0,M,45.0,M,,')
            + sentence(f'GPRMC,{hms},A,{la},{lo},{speed / 0.514444:.2f},{track:.1f},'
                       f'{time.strftime("%d%m%y", g)},,,A'))


def stamp(t):
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(int(t)))


def scenario(number):
    """A trip of 30 to 120 minutes and 10 to 40 reminders along it."""
    rnd = random.Random(7000 + number)
    move = direct if number in FAR else offset
    base = (rnd.uniform(-68, 68), rnd.choice([rnd.uniform(-179, 179), 179.99, -179.995]))
    start = T0 + rnd.randrange(0, 86400, 60)
    if number in BERLIN:
        base, start = (52.5, 13.4), 1792882800 + rnd.randrange(-3600, 5400, 60)  # 24 October, 23:00 UTC: 01:00 in Berlin
    if number in FAR and number % 2:
        base = (rnd.choice([-1, 1]) * rnd.uniform(89, 89.97), rnd.uniform(-180, 180))
    step = rnd.choice([1, 1, 1, 1, 5, 0.2 if number % 12 == 0 else 1, 10])
    total = rnd.choice([1800, 3600, 7200]) if step >= 1 else 900
    sigma = rnd.choice([1.0, 3.0, 3.0, 6.0])
    hdop = rnd.choice([0.6, 0.9, 1.5])
    tau = rnd.choice([20, 60])
    x = y = 0.0
    t = 0.0
    way, lines, heading = [], [], rnd.uniform(0, 360)
    ex = ey = 0.0
    left, speed = 0, 0.0
    gap_until = -1.0
    a = math.exp(-step / tau)
    q = sigma * math.sqrt(1 - a * a)
    while t < total:
        if left <= 0:
            speed = rnd.choice([0, 0, 1.4, 5, 14, 30])
            left = rnd.uniform(60, 900) if speed == 0 else rnd.uniform(60, 600)
            heading += rnd.uniform(-120, 120)
            if rnd.random() < 0.12:
                gap_until = t + rnd.uniform(20, 400)
        x += speed * step * math.sin(math.radians(heading))
        y += speed * step * math.cos(math.radians(heading))
        ex = a * ex + rnd.gauss(0, q)
        ey = a * ey + rnd.gauss(0, q)
        if t >= gap_until:
            jump = (200, 0) if rnd.random() < 1 / 2500 else (0, 0)
            lines.append(epoch(start + t, *move(*base, x + ex + jump[0], y + ey), speed, heading % 360, hdop))
        way.append((start + t, x, y))
        t += step
        left -= step
    reminders, places = [], []
    categories = ['shop', 'fuel', 'post']
    for k in range(rnd.randint(0, 8)):
        _, px, py = rnd.choice(way)
        lat, lon = move(*base, px + rnd.gauss(0, 60), py + rnd.gauss(0, 60))
        places.append(dict(name=f'p{k}', lat=round(lat, 6), lon=round(lon, 6), radius_m=rnd.choice([40, 100, 250]),
                           category=rnd.choice(categories)))
    for k in range(rnd.randint(10, 40)):
        when, px, py = rnd.choice(way)
        radius = rnd.choice([20, 30, 50, 80, 150, 300, 800])
        if number in FAR and rnd.random() < 0.3:
            radius = rnd.choice([20000, 900000, 4900000])
        lat, lon = move(*base, px + rnd.gauss(0, radius * 0.7), py + rnd.gauss(0, radius * 0.7))
        item = dict(id=f'r{k:02d}', title=f'reminder {k}', priority=rnd.choice([0, 0, 1, 5, 9]))
        place = dict(name=f'place {k}', lat=round(lat, 6), lon=round(lon, 6), radius_m=radius)
        kind = rnd.choice(['location'] * 6 + ['date'] * 2 + ['preemptive'] * 2)
        item['kind'] = kind
        if kind == 'date':
            item['due'] = stamp(start + rnd.uniform(-600, total + 600))
            if rnd.random() < 0.4:
                item['lead_s'] = rnd.choice([60, [60, 300], [0, 900]])
            if rnd.random() < 0.3:
                item['repeat'] = rnd.choice(['FREQ=HOURLY', 'FREQ=MINUTELY;INTERVAL=20', 'FREQ=DAILY'])
            if number in BERLIN:
                item['due'] = time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(start + 7200 + rnd.uniform(-1200, total)))
        elif kind == 'preemptive':
            item['place'] = place
            item['due'] = stamp(when + rnd.uniform(-300, 3600))
            item['transport'] = rnd.choice(['walking', 'cycling', 'driving'])
            if rnd.random() < 0.4:
                item['lead_s'] = rnd.choice([60, 300])
        else:
            shape = rnd.random()
            if number in FAR:
                shape = min(shape, 0.6)
            if shape < 0.62 or not places and shape < 0.74:
                item['place'] = place
            elif shape < 0.74:
                item['near_category'] = rnd.choice(categories)
            elif shape < 0.9:
                n = rnd.randint(3, 9)
                ring = []
                for i in range(n):
                    r = radius * rnd.uniform(0.5, 1.5)
                    w = -2 * math.pi * i / n
                    ring.append([round(c, 6) for c in reversed(move(lat, lon, r * math.sin(w), r * math.cos(w)))])
                if any(abs(p[0] - ring[0][0]) > 180 for p in ring):
                    item['place'] = place
                else:
                    item['region'] = dict(type='Polygon', coordinates=[ring + [ring[0]]])
            else:
                i = rnd.randrange(len(way))
                points = [way[min(len(way) - 1, i + j * 60)] for j in range(rnd.randint(2, 5))]
                line = []
                for _, wx, wy in points:
                    p = [round(c, 6) for c in reversed(move(*base, wx + rnd.gauss(0, 20), wy + rnd.gauss(0, 20)))]
                    if not line or p != line[-1]:
                        line.append(p)
                if len(line) < 2 or any(abs(p[0] - line[0][0]) > 180 for p in line):
                    item['place'] = place
                else:
                    item['region'] = dict(type='LineString', coordinates=line)
                    item['width_m'] = rnd.choice([40, 100, 300])
            item['on'] = rnd.choice(['arrive', 'arrive', 'depart', 'dwell'])
            if item['on'] == 'dwell':
                item['dwell_s'] = rnd.choice([30, 120, 300])
            if rnd.random() < 0.5:
                item['every_visit'] = True
                if rnd.random() < 0.4:
                    item['cooldown_s'] = rnd.choice([60, 600])
            if rnd.random() < 0.12:
                item['max_speed_mps'] = rnd.choice([3, 10])
            if rnd.random() < 0.12:
                item['from'] = stamp(when + rnd.uniform(-600, 900))
            if rnd.random() < 0.12:
                item['until'] = stamp(when + rnd.uniform(-300, 1800))
            if rnd.random() < 0.12:
                h = int((when % 86400) // 3600)
                item['hours'] = rnd.choice([f'{h:02d}:00-{(h + 1) % 24:02d}:00', f'{h:02d}:30-{(h + 2) % 24:02d}:00'])
            if rnd.random() < 0.08:
                item['days'] = rnd.choice(['mon..fri', 'tue', 'sat,sun'])
            if rnd.random() < 0.08:
                item['due'] = stamp(when + rnd.uniform(-900, 900))
            if rnd.random() < 0.25:
                item['if_inside'] = 'fire'
        reminders.append(item)
    return ''.join(lines), reminders, places


def files(number, folder):
    trip, reminders, places = scenario(number)
    with open(os.path.join(folder, 'trip.nmea'), 'w', newline='') as f:
        f.write(trip)
    with open(os.path.join(folder, 'reminders.json'), 'w') as f:
        json.dump(reminders, f, indent=1)
    with open(os.path.join(folder, 'places.json'), 'w') as f:
        for place in places:
            f.write(json.dumps(place) + '\n')
    return places


FIELDS = ('kind', 'title', 'priority', 'lat', 'lon', 'eph_m', 'place', 'distance_m', 'due', 'travel_s', 'late_s')


def firings(number, programs):
    """The firings of a trip: time, reminder, event and the values of FIELDS."""
    zone = 'Europe/Berlin' if number in BERLIN else 'UTC'
    with tempfile.TemporaryDirectory() as folder:
        places = files(number, folder)
        command = [f'{programs}/georemind', 'replay', f'{folder}/trip.nmea', '--reminders',
                   f'{folder}/reminders.json', '--json']
        if places:
            command += ['--places', f'{folder}/places.json']
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, 'TZ': zone})
    if done.returncode:
        return [f'exit {done.returncode}: {done.stderr.strip()[-160:]}']
    rows = [json.loads(line) for line in done.stdout.splitlines() if '"firing_id"' in line]
    return [[row['time'][:23], row['reminder_id'], row['event'], [row.get(name) for name in FIELDS]] for row in rows]
