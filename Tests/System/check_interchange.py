#!/usr/bin/env python3
"""Places there and back through gpsbabel (Debian package gpsbabel), against a running daemon.

    Tests/System/check_interchange.py GEOREMIND GEOREMINDD

A daemon of its own is started in a temporary folder. gpsbabel writes GPX, KML and GeoJSON of one set of
waypoints; each must be read to the same places. What georemind writes must be read by gpsbabel to the
same waypoints.
"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time

georemind, georemindd = map(os.path.abspath, sys.argv[1:3])
random.seed(1)
points = [
    (f"{name} {number}", round(random.uniform(-80, 80), 6), round(random.uniform(-179, 179), 6))
    for number in range(50)
    for name in ["Harbour & Sons", "Käse <frisch>", 'Bar "X"', "浅草"]
]


def babel(source, source_format, target_format):
    target = tempfile.NamedTemporaryFile(suffix=".out")
    subprocess.run(
        ["gpsbabel", "-i", source_format, "-f", source, "-o", target_format, "-F", target.name],
        check=True, stderr=subprocess.DEVNULL)
    return target


class Daemon:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = f"{self.folder.name}/socket"
        self.process = subprocess.Popen(
            [georemindd, "--foreground-journal", "--feed", f"unix://{self.folder.name}/none",
             "--state-directory", self.folder.name, "--socket", self.socket,
             "--config", "/dev/null"], stdout=subprocess.DEVNULL)
        while not os.path.exists(self.socket):
            assert self.process.poll() is None, "the daemon ended"
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def run(self, *words):
        return subprocess.run(
            [georemind, *words, "--socket", self.socket], check=True, capture_output=True,
            text=True).stdout

    def places(self):
        lines = self.run("place", "list", "--json").splitlines()
        return {p["name"]: (p["lat"], p["lon"], p["radius_m"]) for p in map(json.loads, lines)}


def same(found, what, tolerance=2e-6):
    assert set(found) == {p[0] for p in points}, f"{what}: names differ: {set(found) ^ {p[0] for p in points}}"
    for name, latitude, longitude in points:
        place = found[name]
        assert abs(place[0] - latitude) < tolerance, (what, name, place)
        assert abs(place[1] - longitude) < tolerance, (what, name, place)


table = io.StringIO()
writer = csv.writer(table)
writer.writerow(["name", "lat", "lon"])
writer.writerows(points)
with tempfile.TemporaryDirectory() as folder:
    source = f"{folder}/points.csv"
    with open(source, "w", newline="") as file:
        file.write(table.getvalue())
    with Daemon() as daemon:
        print(daemon.run("place", "import", source), end="")
        same(daemon.places(), "csv")
        ours = {}
        for kind in ["gpx", "kml", "geojson"]:
            ours[kind] = f"{folder}/ours.{kind}"
            with open(ours[kind], "w") as file:
                file.write(daemon.run("place", "export", "--format", kind))
    for kind in ["gpx", "kml", "geojson"]:
        theirs = babel(ours["gpx"], "gpx", kind)
        with Daemon() as daemon:
            daemon.run("place", "import", theirs.name)
            same(daemon.places(), f"{kind} of gpsbabel")
        back = babel(ours[kind], kind, "gpx")
        with Daemon() as daemon:
            daemon.run("place", "import", back.name)
            same(daemon.places(), f"our {kind} through gpsbabel")
        print(f"{kind}: {len(points)} waypoints the same both ways")
    # The radius, in Garmin's words, survives gpsbabel's own reader and writer.
    garmin = subprocess.run(
        ["gpsbabel", "-i", "gpx", "-f", ours["gpx"], "-o", "gpx,garminextensions", "-F", "-"],
        check=True, capture_output=True, text=True, stderr=None).stdout
    print("gpx,garminextensions keeps Proximity:", "Proximity" in garmin)
