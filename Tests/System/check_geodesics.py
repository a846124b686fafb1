#!/usr/bin/env python3
"""Distances and bearings of `georemind convert --to` against GeographicLib (PyPI: geographiclib).

    Tests/System/check_geodesics.py GEOREMIND [PAIRS]

Random pairs, a third of them nearly antipodal, a third close together. The distance may differ by 1 µm.
"""
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from geographiclib.geodesic import Geodesic

georemind = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
random.seed(20261121)


def pair(number):
    a = (round(random.uniform(-90, 90), 9), round(random.uniform(-180, 180), 9))
    if number % 3 == 0:
        b = (random.uniform(-90, 90), random.uniform(-180, 180))
    elif number % 3 == 1:
        b = (-a[0] + random.uniform(-1, 1), a[1] - 180 + random.uniform(-1, 1))
    else:
        b = (a[0] + random.uniform(-1e-3, 1e-3), a[1] + random.uniform(-1e-3, 1e-3))
    b = (max(-90, min(90, b[0])), (b[1] + 180) % 360 - 180)
    return a, (round(b[0], 9), round(b[1], 9))


def check(ends):
    (a, b), (c, d) = ends
    line = subprocess.run(
        [georemind, "convert", f"--to={c:.9f},{d:.9f}", "--json", "--", f"{a:.9f},{b:.9f}"],
        check=True, capture_output=True, text=True).stdout
    return ends, abs(json.loads(line)["distance_m"] - Geodesic.WGS84.Inverse(a, b, c, d)["s12"])


with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(check, [pair(number) for number in range(count)]))
ends, worst = max(results, key=lambda result: result[1])
print(f"{count} pairs, largest difference {worst * 1e6:.3f} µm at {ends}")
sys.exit(worst > 1e-6)
