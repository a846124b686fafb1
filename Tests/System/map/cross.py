"""Marks against tiles: tiles with a square at a known point, and a mark at the same point, at most a pixel apart."""

import base64
import gzip
import math
import os
import sqlite3
import struct
import zlib

LEVELS = (5, 10, 15)
WATER, PURPLE, RED = (0xA9, 0xCF, 0xE3), (0x9C, 0x27, 0xB0), (255, 0, 0)


def points(zoom):
    """Near the equator, 60 degrees and the edge of the map, and on either side of 180 degrees."""
    step = 150 / (256 * 2 ** zoom) * 360
    return {"0": (0.3, 9.7), "60": (60.2, 10.1), "85": (84.9, 20.3), "180 W": (-17.2, -180 + step),
            "180 E": (-17.2, 180 - step)}


def png(x, y):
    """A white tile with a red square of five pixels around a pixel."""
    rows = b""
    for row in range(256):
        line = bytearray(b"\xff" * 768)
        if abs(row - y) <= 2:
            line[3 * (x - 2):3 * (x + 3)] = bytes(RED) * 5
        rows += b"\0" + bytes(line)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def vector(x, y):
    """A tile of the same square as an area of water, 4096 units wide, packed as tilemaker packs it."""
    def zigzag(n):
        return n << 1 if n >= 0 else (-n << 1) - 1
    left, top, side = round((x - 2) * 16), round((y - 2) * 16), 80
    numbers = [9, zigzag(left), zigzag(top), 26, zigzag(side), 0, 0, zigzag(side), zigzag(-side), 0, 15]
    feature = b"\x18\x03" + field(4, b"".join(varint(n) for n in numbers))
    layer = field(1, b"water") + field(2, feature) + b"\x28" + varint(4096) + b"\x78\x02"
    return gzip.compress(field(3, layer))


def tiles(path, kind):
    """Writes the file; the points, each exactly in the middle of its square: (zoom, name, lat, lon)."""
    if os.path.exists(path):
        os.remove(path)
    made = []
    with sqlite3.connect(path) as database:
        database.executescript("CREATE TABLE metadata (name TEXT, value TEXT); CREATE TABLE tiles "
                               "(zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", [
            ("format", "pbf" if kind == "vector" else "png"), ("minzoom", "5"), ("maxzoom", "15")])
        for zoom in LEVELS:
            n = 2 ** zoom
            for name, (lat, lon) in points(zoom).items():
                sine = math.sin(math.radians(lat))
                fx, fy = (lon + 180) / 360 * n, (0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)) * n
                x, y = int(fx), int(fy)
                px, py = (max(4, min(251, int((f - i) * 256))) for f, i in ((fx, x), (fy, y)))
                at = (x + (px + 0.5) / 256) / n, (y + (py + 0.5) / 256) / n
                data = (vector if kind == "vector" else png)(px, py)
                database.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)", (zoom, x, n - 1 - y, data))
                made.append((zoom, name, math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * at[1])))), at[0] * 360 - 180))
    return made


def pixels(page, x, y, side):
    """The rows of a square of the screen, each a list of colours."""
    answer = page.call("Page.captureScreenshot", format="png",
                       clip={"x": x, "y": y, "width": side, "height": side, "scale": 1})
    data, place, packed = base64.b64decode(answer["data"]), 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        place += 12 + length
        if kind == b"IHDR":
            width, _, _, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
    depth = {2: 3, 6: 4}[colour]
    raw, stride = zlib.decompress(packed), width * depth
    before, rows = bytearray(stride), []
    for start in range(0, len(raw), stride + 1):
        way, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            a, b, c = line[i - depth] if i >= depth else 0, before[i], before[i - depth] if i >= depth else 0
            if way == 4:
                p = a + b - c
                guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            else:
                guess = (0, a, b, (a + b) // 2)[way]
            line[i] = line[i] + guess & 255
        before = line
        rows.append([tuple(line[i:i + 3]) for i in range(0, stride, depth)])
    return rows


def middle(rows, colour, slack=40):
    """The centroid of the pixels of about a colour; None where there are none."""
    found = [(x + 0.5, y + 0.5) for y, row in enumerate(rows) for x, seen in enumerate(row)
             if max(abs(a - b) for a, b in zip(seen, colour)) <= slack]
    return found and tuple(sum(axis) / len(found) for axis in zip(*found)) or None


def worst(page, url, made, kind):
    """The largest distance in pixels of the screen, and where it was."""
    colour, slack = (WATER, 14) if kind == "vector" else (RED, 90)
    most = (0, "")
    for ratio in (1, 2):
        page.go(url, 500, 400, ratio=ratio)
        page.ask("night('day'); follow(false)")
        for zoom, name, lat, lon in made:
            # A fine screen takes raster tiles of the next level, where there are none here.
            first = -1 if ratio == 2 and kind == "raster" else 0
            for shift in (first, first + 0.3):
                page.ask(f"map.set('ghost', null); map.go({lat}, {lon}, {zoom + shift})")
                page.calm()
                x, y = page.ask(f"map.at({lat}, {lon})")
                side = 48
                left, top = max(0, round(x) - side // 2), max(0, round(y) - side // 2)
                square = middle(pixels(page, left, top, side), colour, slack)
                page.ask(f"map.set('ghost', {{ lat: {lat}, lon: {lon} }})")
                page.calm()
                mark = middle(pixels(page, left, top, side), PURPLE)
                where = f"zoom {zoom + shift}, {name}, ratio {ratio}"
                if not square or not mark:
                    return (99, f"{where}: {'no square' if not square else 'no mark'}")
                most = max(most, (math.dist(square, mark) / ratio, where))
    return (round(most[0], 2), most[1])
