#!/usr/bin/env python3
"""A task with a place, from a CalDAV server to a firing and back, with real programs.

    Tests/System/check_calendars.py GEOREMIND GEOREMINDD

Needs the Debian packages radicale, vdirsyncer and todoman; without them it says so and does nothing.
A phone is played by HTTP: it puts tasks with an alarm by place on the server, on this machine alone.
vdirsyncer brings them into the folder that a daemon of its own follows. The task fires in a replay of
the bundled drive and in a daemon that plays it; it is done by georemind, and todoman and the server
must know. What the phone completes must be done here.
"""
import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PROGRAMS = {"radicale": "radicale", "vdirsyncer": "vdirsyncer", "todoman": "todoman"}
missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
if missing:
    print(f"skipped: not installed: {' '.join(missing)} (apt install {' '.join(missing)})")
    sys.exit(0)

georemind, georemindd = map(os.path.abspath, sys.argv[1:3])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
drive = f"{root}/examples/drive.nmea"
folder = tempfile.mkdtemp(prefix="georemind-calendars-")
calendars = f"{folder}/calendars"
processes = []


def write(name, text):
    path = f"{folder}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as file:
        file.write(text)
    return path


def task(uid, summary, latitude, longitude):
    """As Apple's Reminders write it, but for the comma: Radicale cuts such a value at one without a
    backslash (vobject 0.9.6)."""
    return "\r\n".join([
        "BEGIN:VCALENDAR", "CALSCALE:GREGORIAN", "PRODID:-//Apple Inc.//iOS 17.4//EN", "VERSION:2.0",
        "BEGIN:VTODO", "CREATED:20260119T050820Z", "DTSTAMP:20260119T050843Z",
        "LAST-MODIFIED:20260119T050843Z", "STATUS:NEEDS-ACTION", f"SUMMARY:{summary}", f"UID:{uid}",
        "X-APPLE-SORT-ORDER:600000000", "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Reminder",
        "TRIGGER;VALUE=DATE-TIME:19760401T005545Z", f"UID:{uid}-ALARM", "X-APPLE-PROXIMITY:ARRIVE",
        "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=60;X-APPLE-REFERENCEFRAME",
        f" =1;X-TITLE=Supermarket:geo:{latitude}\\,{longitude}", f"X-WR-ALARMUID:{uid}-ALARM",
        "END:VALARM", "END:VTODO", "END:VCALENDAR", ""])


with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
server = f"http://127.0.0.1:{port}/me/"


def http(method, path, body=None, kind="text/calendar; charset=utf-8"):
    request = urllib.request.Request(
        server + path, method=method, data=body.encode() if body else None)
    request.add_header("Content-Type", kind)
    request.add_header("Authorization", "Basic " + base64.b64encode(b"me:secret").decode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def wait_for(what, condition, seconds=20):
    """How long it took."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > seconds:
            raise SystemExit(f"FAILED: {what}: not within {seconds} s")
        time.sleep(0.01)
    return time.monotonic() - start


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise SystemExit(
            f"FAILED: {' '.join(command)}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def start(*command):
    log = open(f"{folder}/{os.path.basename(command[0])}-{len(processes)}.log", "w")
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    processes.append(process)
    return process, log.name


def listens():
    try:
        http("PROPFIND", "")
        return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def check(condition, what):
    if not condition:
        raise SystemExit(f"FAILED: {what}")
    print(f"ok: {what}")


def crew(ask, state, control, sync):
    """A second machine with a folder and a daemon of its own: what one has done, both have done."""
    other = f"{folder}/other"
    write("other/vdirsyncer.conf", open(f"{folder}/vdirsyncer.conf").read().replace(
        f"{folder}/status/", f"{other}/status/").replace(calendars, f"{other}/calendars").replace(
        'collections =', 'conflict_resolution = "a wins"\ncollections ='))
    environment = dict(os.environ, VDIRSYNCER_CONFIG=f"{other}/vdirsyncer.conf", LC_ALL="C.UTF-8")
    os.makedirs(f"{other}/calendars")
    run("vdirsyncer", "discover", "tasks", input="y\ny\n", env=environment)

    def sync_other():
        run("vdirsyncer", "sync", env=environment)

    for name in ("ropes", "water"):
        http("PUT", f"tasks/{name}.ics", task(name.upper(), f"Crew {name}", 53.5549, 9.9126))
    sync()
    sync_other()
    socket_of_other = f"{other}/socket"
    start(georemindd, "--foreground-journal", "--state-directory", other, "--socket", socket_of_other, "--config",
          write("other.conf", f"[Feed]\nFeed=\n[Calendar]\nFolder={other}/calendars\n"))
    wait_for("the second georemindd", lambda: os.path.exists(socket_of_other))

    def state_there(title):
        listed = run(georemind, "list", "--all", "--json", "--socket", socket_of_other).splitlines()
        return next((r["state"] for r in map(json.loads, listed) if r["title"] == title), None)

    for title in ("Crew ropes", "Crew water"):
        wait_for("both have the tasks", lambda: state(title) == state_there(title) == "armed")
    run(georemind, "done", "Crew", "ropes", "--socket", control)
    sync()
    sync_other()
    wait_for("done on one machine", lambda: state_there("Crew ropes") == "done")
    check(state("Crew ropes") == "done", "done on one machine is done on both")
    # Both at once, before either has synchronised: the server's copy counts.
    for path in (control, socket_of_other):
        run(georemind, "done", "Crew", "water", "--socket", path)
    sync()
    sync_other()
    sync()
    check("STATUS:COMPLETED" in http("GET", "tasks/water.ics"), "done on both at once is done on the server")
    time.sleep(1)
    check(state("Crew water") == state_there("Crew water") == "done", "and stays done on both")


def main():
    # The server, and a list on it.
    start("radicale", "--config", write("radicale.conf", f"""
[server]
hosts = 127.0.0.1:{port}
[auth]
type = none
[storage]
filesystem_folder = {folder}/radicale
[web]
type = none
"""))
    wait_for("radicale", listens)
    http("MKCALENDAR", "tasks/", """<?xml version="1.0"?>
<c:mkcalendar xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:"><d:set><d:prop>
<d:displayname>Tasks</d:displayname><c:supported-calendar-component-set><c:comp name="VTODO"/>
</c:supported-calendar-component-set></d:prop></d:set></c:mkcalendar>""", "application/xml")
    http("PUT", "tasks/milk.ics", task("MILK", "Buy milk", 53.5549, 9.9126))

    # The folder.
    config = write("vdirsyncer.conf", f"""
[general]
status_path = "{folder}/status/"
[pair tasks]
a = "server"
b = "here"
collections = ["tasks"]
[storage server]
type = "caldav"
url = "{server}"
username = "me"
password = "secret"
[storage here]
type = "filesystem"
path = "{calendars}/"
fileext = ".ics"
""")
    # Click refuses to run without a locale.
    environment = dict(os.environ, VDIRSYNCER_CONFIG=config, LC_ALL="C.UTF-8")
    os.makedirs(calendars)
    run("vdirsyncer", "discover", "tasks", input="y\ny\n", env=environment)

    def sync():
        run("vdirsyncer", "sync", env=environment)

    # The daemon, which has no feed.
    control = f"{folder}/socket"
    _, log = start(
        georemindd, "--foreground-journal", "--state-directory", folder, "--socket", control, "--config",
        write("georemind.conf", f"[Feed]\nFeed=\n[Calendar]\nFolder={calendars}\n"))
    wait_for("georemindd", lambda: os.path.exists(control))

    def ask(*words):
        return [json.loads(line) for line in
                run(georemind, *words, "--json", "--socket", control).splitlines()]

    def state(title):
        return next((r["state"] for r in ask("list", "--all") if r["title"] == title), None)

    sync()
    took = wait_for("the task is a reminder", lambda: state("Buy milk") == "armed")
    check(took <= 2, f"a task from the server is a reminder ({took:.2f} s after the sync)")
    reminder = ask("list")[0]
    check(reminder["kind"] == "location" and reminder["place"]["name"] == "Supermarket", "its place is known")
    file = reminder["source"]["file"]
    before = open(file, newline="").read()

    # It fires, in a replay and in a daemon that plays the drive.
    firings = [json.loads(line) for line in
               run(georemind, "replay", drive, "--reminders", file, "--json").splitlines()]
    check([f["event"] for f in firings] == ["arrive"], "it fires in a replay")
    os.makedirs(f"{folder}/recorded")
    player, played = start(
        georemindd, "--foreground-journal", "--state-directory", f"{folder}/recorded", "--socket",
        f"{folder}/recorded/socket", "--feed", f"file://{drive}?speed=max", "--config",
        write("recorded.conf", f"[Calendar]\nFolder={calendars}\n"))
    wait_for("the recording fires", lambda: "Buy milk: arrived at Supermarket" in open(played).read())
    player.terminate()
    player.wait()
    check(open(file, newline="").read() == before, "firing alone changes nothing in the calendar")

    # Done here is done everywhere.
    run(georemind, "done", reminder["id"], "--socket", control)
    sync()
    there = http("GET", "tasks/milk.ics")
    check("STATUS:COMPLETED" in there, "the server knows that it is done")
    kept = [line for line in before.split("\r\n") if line.startswith(("X-", " ", "TRIGGER", "UID"))]
    now = open(file, newline="").read().split("\r\n")
    check(all(line in now for line in kept), "what it does not concern is as it was")
    todoman = write("todoman.py", f"""
path = "{calendars}/*"
cache_path = "{folder}/todoman.db"
date_format = "%Y-%m-%d"
time_format = "%H:%M"
""")
    todo = lambda *words: run("todoman", "--config", todoman, *words, env=environment)
    listed = json.loads(todo("--porcelain", "list", "--status", "COMPLETED"))
    check([t["summary"] for t in listed if t["completed"]] == ["Buy milk"], "todo list shows it done")
    check("Buy milk" not in todo("list"), "todo list has nothing to do")

    # Put off here, and completed on the phone.
    http("PUT", "tasks/bread.ics", task("BREAD", "Buy bread", 53.5549, 9.9126))
    sync()
    wait_for("the second task is a reminder", lambda: state("Buy bread") == "armed")
    bread = next(r for r in ask("list") if r["title"] == "Buy bread")
    run(georemind, "snooze", bread["id"], "2h", "--socket", control)
    sync()
    there = http("GET", "tasks/bread.ics")
    check("RELATED-TO;RELTYPE=SNOOZE:BREAD-ALARM" in there, "the server knows that it is put off")
    http("PUT", "tasks/bread.ics", there.replace("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
    sync()
    took = wait_for("the phone's completion is known", lambda: state("Buy bread") == "done")
    check(took <= 2, f"done on the phone is done here ({took:.2f} s after the sync)")

    # todoman works on the same folder.
    todo("new", "--list", "tasks", "--due", "2100-01-01 10:00", "Oil change")
    took = wait_for("todoman's task is a reminder", lambda: state("Oil change") == "armed")
    check(took <= 2, f"a task of todoman is a reminder ({took:.2f} s)")
    http("DELETE", "tasks/bread.ics")
    sync()
    took = wait_for("what is deleted is gone", lambda: state("Buy bread") is None)
    check(took <= 2, f"what is deleted there is gone here ({took:.2f} s after the sync)")
    crew(ask, state, control, sync)
    troubles = [
        line
        for line in open(log)
        if ("error" in line.lower() or "cannot" in line) and "do not wake the machine" not in line
    ]
    check(troubles == [], f"the daemon had no trouble {troubles}")
    print("all passed")


try:
    main()
finally:
    for process in processes:
        process.terminate()
        process.wait()
    if not os.environ.get("KEEP"):
        shutil.rmtree(folder, ignore_errors=True)
