"""Inputs of chosen sizes: parameters of every method, and files of every format."""

import json

BASE = {"kind": "location", "title": "t", "place": {"name": "p", "lat": 53.5, "lon": 9.9,
                                                    "radius_m": 100}}
DATE = {"kind": "date", "title": "t", "due": "2026-03-01T10:00:00", "repeat": "FREQ=DAILY"}

# Texts that a reader may take long for: each is repeated up to the size.
TEXTS = {
    "letters": "a", "accents": "e\u0301", "digits": "9", "spaces": " ", "commas": ",",
    "quotes": "\"\\", "minus": "-", "colons": "10:00-11:00,", "days": "mon,tue..fri,",
    "dates": "2026-03-01T10:00:00Z ", "spans": "1h 30min ", "words": "ab cd e ",
    "coordinates": "53\u00b030'10.5\"N 9\u00b059'0\"E ", "braces": "{}[]", "percent": "%20",
    "rule": "FREQ=DAILY;BYMONTH=1,2,3;", "zones": "Europe/Berlin/", "controls": "\u0001\n\t",
}


def filled(piece, size):
    return (piece * (size // len(piece.encode()) + 1))[:size]


def numbers(size):
    return [index % 60 for index in range(size // 4)]


def rule(part, highest, size):
    """A rule with a list of numbers as long as the size."""
    values = ",".join(str(1 + index % highest) for index in range(size // 3))
    return f"FREQ=YEARLY;{part}={values}"


def star(size):
    """A ring that crosses itself many times."""
    count = max(8, size // 18)
    ring = [[9.9 + index * 7919 % count / count / 50, 53.5 + index * 104729 % count / count / 50]
            for index in range(count)]
    return ring + ring[:1]


def nested(size):
    value = 0
    for _ in range(size // 6):
        value = {"a": value}
    return value


def values(size):
    """(name, value) of any JSON type."""
    for name, piece in TEXTS.items():
        yield name, filled(piece, size)
    yield "numbers", numbers(size)
    yield "members", {f"m{index}": index for index in range(size // 12)}
    yield "texts", ["2026-03-01T10:00:00Z"] * (size // 24)
    yield "ring", {"type": "Polygon", "coordinates": [star(size)]}
    yield "rings", {"type": "MultiPolygon", "coordinates": [[star(100)]] * (size // 120 + 1)}
    yield "line", {"type": "LineString", "coordinates": star(size)}
    for part, highest in (("BYMONTH", 12), ("BYMONTHDAY", 31), ("BYYEARDAY", 366), ("BYHOUR", 24),
                          ("BYMINUTE", 60), ("BYSECOND", 60), ("BYSETPOS", 366), ("BYWEEKNO", 53)):
        yield part, rule(part, highest, size)


MEMBERS = ["id", "title", "notes", "category", "place", "region", "near_category", "on", "due",
           "lead_s", "repeat", "repeat_also", "repeat_except", "zone", "from", "until", "hours",
           "days", "heading", "state", "source", "unknown"]


def reminders(size):
    """(name, document): one member of a reminder is large."""
    for member in MEMBERS:
        for name, value in values(size):
            base = DATE if member in ("due", "lead_s", "repeat", "repeat_also", "zone") else BASE
            yield f"{member} {name}", dict(base, **{member: value})


def calls(interface, size):
    """(name, method, parameters) for every method of the interface."""
    for name, document in reminders(size):
        yield name, "Check", {"reminder": document}
        yield name, "Add", {"reminder": document}
        yield name, "Edit", {"id": "base", "changes": document}
    small = dict(DATE, repeat="FREQ=HOURLY")
    yield "many", "Import", {"reminders": [small] * (size // len(json.dumps(small)) + 1)}
    place = {"name": "p", "latitude": 53.5, "longitude": 9.9, "radius_m": 100.0}
    for method, parameters in interface.items():
        if method.startswith("Watch"):
            continue
        for parameter, form in parameters:
            known = dict(place) if method == "AddPlace" else {}
            known.update((name, "base" if kind.endswith("string") else 1)
                         for name, kind in parameters
                         if not kind.startswith("?") and name not in known)
            for name, value in values(size):
                if isinstance(value, str) == form.endswith("string"):
                    yield f"{parameter} {name}", method, dict(known, **{parameter: value})
    yield "many", "ImportPlaces", {"import": 1, "places": [place] * (size // 70 + 1)}


def interface(text):
    """The methods of an interface in Varlink's language, with their parameters and types."""
    found = {}
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for part in text.split("\nmethod ")[1:]:
        name, rest = part.split("(", 1)
        inside = rest.split(")", 1)[0]
        pairs = [pair.split(":") for pair in inside.split(",") if ":" in pair]
        found[name.strip()] = [(key.strip(), form.strip()) for key, form in pairs]
    return found
