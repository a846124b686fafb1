"""What must hold after any number of crashes: nothing lost, nothing doubled, the database whole.

usage: check.py REMINDERS.json [TOLD.jsonl]

Waits until each reminder's firing is in the ledger and marked as delivered, stops the service, and
compares the ledger, the journal and the reminders. After power cuts the journal may miss entries, for
journald syncs them later; then TOLD.jsonl has what watchers of the socket were told before the cuts, all
of which the ledger must have. Prints a line a check.
"""

import collections
import json
import sqlite3
import subprocess
import sys
import time

DATABASE = "/var/lib/private/georemind/georemind.db"
TROUBLE = "cb351436d3a3411a85c4356aaf355448"
wanted = {reminder["id"] for reminder in json.load(open(sys.argv[1]))}
failed = False


def check(name, fault):
    global failed
    failed = failed or bool(fault)
    print(f"FAIL  {name}: {fault}" if fault else f"ok    {name}")


def ledger(database):
    return database.execute("SELECT id, reminder_id, delivered_us FROM firing ORDER BY seq").fetchall()


database = sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True, timeout=10)
end = time.monotonic() + 60
while time.monotonic() < end:
    rows = ledger(database)
    if wanted <= {row[1] for row in rows} and all(row[2] for row in rows):
        break
    time.sleep(0.2)
subprocess.run(["systemctl", "stop", "georemindd.socket", "georemindd.service"])
rows = ledger(database)
counts = collections.Counter(row[1] for row in rows)
check(f"each of {len(wanted)} firings is in the ledger", sorted(wanted - set(counts)))
check("none is in it twice", [id for id, count in counts.items() if count > 1])
check("nor any that should not be", sorted(set(counts) - wanted))
check("each is marked as delivered", [row[1] for row in rows if not row[2]])
check("the database is whole", [
    row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"])

subprocess.run(["journalctl", "--sync"])
lines = subprocess.run(
    ["journalctl", "-t", "georemindd", "-o", "json", "--no-pager"], capture_output=True).stdout
entries = [json.loads(line) for line in lines.splitlines()]
told = collections.Counter(
    entry["GEOREMIND_FIRING_ID"] for entry in entries if "GEOREMIND_FIRING_ID" in entry)
reminder = {row[0]: row[1] for row in rows}
check("none is in the journal twice", [
    reminder.get(id, id) for id, count in told.items() if count > 1])
check("nor any that the ledger does not have", sorted(set(told) - set(reminder)))
missing = sorted(reminder[id] for id in set(reminder) - set(told))
if sys.argv[2:]:
    watched = [json.loads(line)["firing_id"] for line in open(sys.argv[2]) if line.endswith("}\n")]
    check(f"all {len(watched)} that watchers were told are in the ledger", sorted(
        set(watched) - set(reminder)))
    print(f"      the power cuts took {len(missing)} of {len(rows)} from the journal")
else:
    check("each is in the journal", missing)
# A disk that is slow is a fact of the machine the test runs on; the daemon's own part is to say so.
troubles = [entry["MESSAGE"] for entry in entries if entry.get("MESSAGE_ID") == TROUBLE]
for trouble in [trouble for trouble in troubles if "the disk is slow" in trouble]:
    print(f"      {trouble}")
check("the store was never in trouble of its own", [
    trouble for trouble in troubles if "the disk is slow" not in trouble])
sys.exit(failed)
