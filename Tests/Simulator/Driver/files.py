"""Files of every format that `georemind import` reads, with one large part."""

import json

from grammar import TEXTS, filled, rule, star


def calendar(lines):
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:u",
                        "DTSTART:20260301T100000Z"] + lines + ["END:VEVENT", "END:VCALENDAR", ""])


def escaped(text):
    text = "".join(letter for letter in text if letter >= " ")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;")


def files(size):
    """(name, ending, content)."""
    for name, piece in TEXTS.items():
        text = filled(piece, size)
        line = text.replace("\n", " ")
        yield f"SUMMARY {name}", "ics", calendar(["SUMMARY:" + line])
        yield f"RRULE {name}", "ics", calendar(["SUMMARY:s", "RRULE:" + line])
        yield f"DTSTART {name}", "ics", calendar(["SUMMARY:s", "DTSTART:" + line])
        yield f"parameter {name}", "ics", calendar([f"SUMMARY;X={line}:s"])
        xml = escaped(text)
        yield f"name {name}", "gpx", (
            f"<gpx><wpt lat='53.5' lon='9.9'><name>{xml}</name></wpt></gpx>")
        yield f"name {name}", "kml", (
            "<kml><Placemark><name>" + xml + "</name><Point><coordinates>9.9,53.5</coordinates>"
            "</Point></Placemark></kml>")
        yield f"coordinates {name}", "kml", (
            "<kml><Placemark><name>n</name><Point><coordinates>" + xml
            + "</coordinates></Point></Placemark></kml>")
        yield f"tag {name}", "osm", (
            f"<osm><node id='1' lat='53.5' lon='9.9'><tag k='name' v=\"{xml}\"/></node></osm>")
        cell = line.replace("\"", "\"\"")
        yield f"cell {name}", "csv", f"name,lat,lon\n\"{cell}\",53.5,9.9\n"
        yield f"row {name}", "csv", f"name,lat,lon\n{line}\n"
        yield f"name {name}", "geojson", json.dumps({
            "type": "Feature", "properties": {"name": text},
            "geometry": {"type": "Point", "coordinates": [9.9, 53.5]}})
    for part, highest in (("BYSETPOS", 366), ("BYSECOND", 60), ("BYYEARDAY", 366)):
        yield part, "ics", calendar(["SUMMARY:s", "RRULE:" + rule(part, highest, size)])
    count = size // 20
    yield "dates", "ics", calendar(["SUMMARY:s", "RDATE:" + ",".join(["20260301T100000Z"] * count)])
    yield "exceptions", "ics", calendar(
        ["SUMMARY:s", "RRULE:FREQ=DAILY"] + ["EXDATE:20260302T100000Z"] * count)
    yield "alarms", "ics", calendar(
        ["SUMMARY:s"] + ["BEGIN:VALARM", "TRIGGER:-PT5M", "END:VALARM"] * (size // 45))
    yield "parameters", "ics", calendar(["SUMMARY" + ";A=1" * (size // 4) + ":s"])
    event = calendar(["SUMMARY:s", "RRULE:FREQ=SECONDLY;INTERVAL=86399;COUNT=1000000"])
    body = event.split("VERSION:2.0\r\n", 1)[1].replace("END:VCALENDAR\r\n", "")
    yield "events", "ics", ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + body * (size // len(body) + 1)
                            + "END:VCALENDAR\r\n")
    yield "elements", "gpx", "<gpx>" + "<wpt lat='1' lon='1'/>" * (size // 22) + "</gpx>"
    depth = size // 17
    yield "depth", "kml", "<kml>" + "<Folder>" * depth + "</Folder>" * depth + "</kml>"
    yield "attributes", "gpx", (
        "<gpx " + " ".join(f"a{index}='1'" for index in range(size // 9)) + "/>")
    yield "ways", "osm", "<osm><way id='1'>" + "<nd ref='1'/>" * (size // 14) + "</way></osm>"
    columns = size // 4
    yield "columns", "csv", "name,lat,lon" + ",x" * columns + "\np,53.5,9.9" + ",1" * columns
    yield "quotes", "csv", "name,lat,lon\n" + "\"\"," * (size // 3)
    yield "ring", "geojson", json.dumps({
        "type": "Feature", "properties": {"name": "n"},
        "geometry": {"type": "Polygon", "coordinates": [star(size)]}})
    yield "depth", "geojson", "[" * (size // 2) + "]" * (size // 2)
