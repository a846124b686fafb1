"""Scripts of a live daemon over four hours of virtual time, and the ledger that results.

Everything follows from the number of a script: fixes of a gpsd, calls of the control interface (Add,
Import, Edit, Snooze, Done, Remove, Pop), kills with restarts, clock steps. virtual_time.c is loaded before
the daemon and gives it the time and the script.
"""
import json
import math
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from datetime import datetime

COUNT = 40
R = 6371008.8


def offset(lat, lon, east, north):
    return lat + math.degrees(north / R), lon + math.degrees(east / (R * math.cos(math.radians(lat))))


def stamp(us):
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(us // 10**6)) + f'.{us % 10**6 // 1000:03d}Z'


def script(number):
    rnd = random.Random(9000 + number)
    start = 1_790_000_000_000_000 + rnd.randrange(0, 86_400) * 10**6
    length = 4 * 3600
    base = (rnd.uniform(-60, 60), rnd.uniform(-170, 170))
    x = y = 0.0
    speed, left, heading, way, lines = 0.0, 0.0, rnd.uniform(0, 360), [], []
    for s in range(20, length, 5):
        if left <= 0:
            speed, left, heading = rnd.choice([0, 0, 1.4, 8, 20]), rnd.uniform(120, 1200), heading + rnd.uniform(-150, 150)
        x += 5 * speed * math.sin(math.radians(heading))
        y += 5 * speed * math.cos(math.radians(heading))
        left -= 5
        la, lo = offset(*base, x + rnd.gauss(0, 1.5), y + rnd.gauss(0, 1.5))
        way.append((s, x, y))
        t = start + s * 10**6
        lines.append((t, 'F', {'class': 'TPV', 'mode': 3, 'time': stamp(t), 'lat': round(la, 7), 'lon': round(lo, 7), 'speed': speed,
                               'track': round(heading % 360, 1), 'eph': 6.0}))
    call = lambda at, method, **parameters: lines.append(
        (start + int(at * 10**6), 'C', {'method': 'org.georemind.' + method, 'parameters': parameters}))
    reminders, kinds = [], {}
    for k in range(rnd.randint(12, 30)):
        s, px, py = rnd.choice(way)
        lat, lon = offset(*base, px + rnd.gauss(0, 60), py + rnd.gauss(0, 60))
        item = dict(id=f'r{k:02d}-{rnd.randrange(10**6)}', title=f'reminder {k}', kind=rnd.choice(['location'] * 5 + ['date'] * 3 + ['preemptive']))
        place = dict(name=f'place {k}', lat=round(lat, 6), lon=round(lon, 6), radius_m=rnd.choice([50, 120, 300]))
        if item['kind'] == 'date':
            item['due'] = stamp(start + int(rnd.uniform(60, length)) * 10**6)
            if rnd.random() < .4: item['repeat'] = rnd.choice(['FREQ=HOURLY', 'FREQ=MINUTELY;INTERVAL=25'])
            if rnd.random() < .3: item['lead_s'] = rnd.choice([60, [300, 0]])
        elif item['kind'] == 'preemptive':
            item.update(place=place, due=stamp(start + int(s + rnd.uniform(600, 5000)) * 10**6), transport=rnd.choice(['walking', 'driving']))
        else:
            item.update(place=place, on=rnd.choice(['arrive', 'arrive', 'depart', 'dwell']))
            if item['on'] == 'dwell': item['dwell_s'] = 120
            if rnd.random() < .6: item['every_visit'] = True
            if rnd.random() < .2: item['if_inside'] = 'fire'
        kinds[item['id']] = item['kind']
        reminders.append(item)
    half = len(reminders) // 2
    call(2, 'AddPlace', name='shop', latitude=offset(*base, way[400][1], way[400][2])[0], longitude=offset(*base, way[400][1], way[400][2])[1],
         radius_m=100, category='shop')
    call(3, 'Import', reminders=reminders[:half])
    call(4, 'Add', reminder=dict(id='near', kind='location', title='near', near_category='shop', every_visit=True))
    for item in reminders[half:]:
        call(rnd.uniform(10, length * .7) // 1 + .5, 'Add', reminder=item)
    ids = list(kinds)
    for _ in range(rnd.randint(5, 25)):
        at, one = rnd.uniform(600, length - 60) // 1 + .25, rnd.choice(ids)
        what = rnd.random()
        if what < .35: call(at, 'Snooze', id=one, until=rnd.choice(['3min', '10min', '40min']))
        elif what < .55: call(at, 'Done', id=one)
        elif what < .65: call(at, 'Remove', id=one)
        elif what < .75: call(at, 'Pop', kind=rnd.choice(['date', 'location', 'preemptive']))
        elif kinds[one] == 'date': call(at, 'Edit', id=one, changes=dict(due=stamp(start + int(rnd.uniform(at, length)) * 10**6)))
        else: call(at, 'Edit', id=one, changes=dict(title=f'changed {at:.0f}'))
    for _ in range(rnd.randint(0, 6)):
        lines.append((start + (rnd.randrange(100, length - 100) * 10**6 + 700_000), 'K', 0))
    if rnd.random() < .2:
        at = rnd.randrange(3600, length - 3600)
        lines.append((start + at * 10**6 + 600_000, 'S', rnd.choice([2, -2, 30]) * 10**6))
    lines.sort(key=lambda line: line[0])
    end = start + length * 10**6
    lines.append((end, 'E', 0))
    return start, end, ''.join(f'{t} {k} {json.dumps(v, separators=(",", ":"))}\n' for t, k, v in lines)


def ledger(number, programs, preload):
    """The firings in the ledger after a script: time, reminder, event."""
    daemon, client = f'{programs}/georemindd', f'{programs}/georemind'
    start, end, text = script(number)
    folder = tempfile.mkdtemp(dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
    try:
        os.mkdir(f'{folder}/state', 0o700)
        open(f'{folder}/script', 'w').write(text)
        open(f'{folder}/sim', 'wb').write(struct.pack('<9qQ', start, 10**9, 0, 0, 0, 0, 0, 0, 0, number + 1) + bytes(4096 - 80))
        open(f'{folder}/conf', 'w').write('[Feed]\nFeed=\n[Clock]\nTrust=always\n')
        env = dict(os.environ, LD_PRELOAD=preload, SIM_STATE=f'{folder}/sim', SIM_SCRIPT=f'{folder}/script', SIM_FEED=f'{folder}/feed',
                   SIM_SOCK=f'{folder}/sock', SWIFT_DETERMINISTIC_HASHING='1', TZ='UTC')
        base = [daemon, '--config', f'{folder}/conf', '--state-directory', f'{folder}/state', '--socket', f'{folder}/sock']
        for _ in range(20):
            code = subprocess.run(base + ['--feed', f'unix://{folder}/feed'], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=120).returncode
            if code != -signal.SIGKILL: break
        if code: return [f'exit {code}']
        real = subprocess.Popen(base + ['--feed', '-'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=dict(os.environ, TZ='UTC'))
        try:
            for _ in range(100):
                log = subprocess.run([client, '--socket', f'{folder}/sock', 'log', '--json', '--limit', '1000'], capture_output=True, text=True)
                if log.returncode == 0: break
                time.sleep(.1)
        finally:
            real.kill()
            real.wait()
        rows = []
        for line in log.stdout.splitlines():
            f = json.loads(line)
            us = int(datetime.fromisoformat(f['time'].replace('Z', '+00:00')).timestamp() * 1e6)
            if us < end: rows.append([f['time'][:23], f['reminder_id'], f['event']])
        return rows
    finally:
        shutil.rmtree(folder, ignore_errors=True)
