"""The journal's entries of the recorded drive: each reminder once, each with its fields.

usage: check_firings.py FIRINGS.jsonl (journalctl -o json, firings only)
"""

import json
import sys

EXPECTED = [("harbour", "arrive"), ("quay", "depart"), ("square", "arrive"), ("tea", "due")]
ALWAYS = [
    "MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER", "CODE_FILE", "CODE_LINE", "CODE_FUNC",
    "GEOREMIND_FIRING_ID", "GEOREMIND_KIND", "GEOREMIND_TITLE",
]
AT_A_PLACE = ["CATEGORY", "PLACE", "LATITUDE", "LONGITUDE", "EPH_M", "DISTANCE_M", "FIX_TIME"]

entries = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
events = sorted((e["GEOREMIND_REMINDER_ID"], e["GEOREMIND_EVENT"]) for e in entries)
assert events == EXPECTED, events
assert len({e["GEOREMIND_FIRING_ID"] for e in entries}) == len(entries), "a firing id twice"
for entry in entries:
    for name in ALWAYS:
        assert entry.get(name), (name, entry)
    assert entry["SYSLOG_IDENTIFIER"] == "georemindd", entry
    if entry["GEOREMIND_KIND"] == "location":
        for name in AT_A_PLACE:
            assert entry.get("GEOREMIND_" + name), (name, entry)
        assert entry["GEOREMIND_FIX_TIME"].startswith("2026-06-12T1"), entry
    else:
        assert entry.get("GEOREMIND_DUE"), entry
        assert "GEOREMIND_LATITUDE" not in entry, entry
