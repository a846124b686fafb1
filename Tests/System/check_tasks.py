#!/usr/bin/env python3
"""Forty everyday tasks, each by one command with its output.

    Tests/System/check_tasks.py FOLDER-OF-THE-PROGRAMS

Two daemons run in a throwaway folder. The one has played the bundled drive: its clock is that of the
recording, 12 June 2026, 18:13:57 in Berlin. The other, `live`, has the clock of the machine, quiet hours, a
calendar folder and, where mosquitto is installed, a broker. A line "…" of an output stands for any
lines, "…" in a line for any text, and each line must be printed in this order. Prints a line a task, and
fails if one task that is not in OPEN fails.
"""
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
programs = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp(prefix="georemind-tasks.")
has_broker = all(map(shutil.which, ("mosquitto", "mosquitto_pub")))
processes, requests = [], []

# What needs minutes of positions on a live clock: `georemind trips` by `Keep=`, which the tests of the daemon show.
OPEN = {10: "georemind trips export last", 30: "georemind trips --since today"}

# The programs of others that a command with a word needs.
NEEDS = {"mosquitto_pub": "mosquitto_pub", "test mqtt": "mosquitto_pub", "sh bar": "jq", "hooks/ntfy": "curl",
         "follow_link": "curl"}

LIVE = "GEOREMIND_SOCKET=$PWD/live "
# A minute in twelve hours.
QUIET = "{0:02}:00-{0:02}:01".format((time.localtime().tm_hour + 12) % 24)

# Number, task, command, output. What stands before a task without a number makes ready for the next.
TASKS = [
    (1, "remind me in 4 minutes", "georemind add Tea -d 4 min", "Tea: will ring at …18:17… in 4 minutes)\n…"),
    (None, "", "georemind category add Fuel && georemind place add Aral 53.5500,9.9900 --category Fuel --radius 60m", ""),
    (2, "remind me at the next fuel station", "georemind add Fill up --near-category Fuel",
     "Fill up: will ring once when you arrive at any place of category Fuel\n…"),
    (3, "call Mum tomorrow at 6", "georemind add Call Mum tomorrow at 6pm",
     "Call Mum: will ring at 2026-06-13T18:00:00+02:00 (Sat 13 Jun 2026 18:00, in 23 hours 46 minutes)\n…"),
    (4, "every Monday at 9", "georemind add Standup every monday at 9",
     "Standup: will ring at 2026-06-15T09:00:00+02:00 (…), every Monday at 09:00\n…"),
    (5, "bins every other Thursday", "georemind add Bins --repeat every other thursday at 19:00",
     "Bins: will ring at 2026-06-18T19:00:00+02:00 (…), every 2 weeks on Thursday at 19:00\n…"),
    (6, "all that is due this week", "georemind list --due week",
     "…\n  …  2026-06-12T18:17:…  Tea\n  …  2026-06-13T18:00:…  Call Mum\n  …  Standup  …\n  …  Bins  …"),
    (None, "", "georemind add Kettle --due now && sleep 0.3", ""),
    (7, "what rings", "georemind list --ringing", "…\n  …  fired  Kettle\n"),
    (8, "an hour later", "georemind edit mum --due +1h", "Call Mum\nWill ring at 2026-06-13T19:00:00+02:00 …"),
    (None, "", "georemind place add Home 53.5412,9.9980 --radius 150m && georemind add Water plants --at Home", ""),
    (9, "which reminders are at this place", "georemind list --place Home", "location\n  …  Water plants  arrive Home"),
    (11, "what fired today", "georemind log --since today --until tomorrow",
     "2026-06-12T18:13:…  due  Kettle: …"),
    (12, "another radius", "georemind place edit Home --radius 250m",
     "Home  53.541200, 9.998000  250 m\ngeoremind: 1 reminder followed"),
    (13, "my setup on a second machine", LIVE + "georemind import <(GEOREMIND_SOCKET=$PWD/control georemind place export"
     " --format geojson) <(GEOREMIND_SOCKET=$PWD/control georemind export)",
     "Imported … reminders\nImported 2 places"),
    (14, "why did I not hear it", "georemind log kettle", "… due …Kettle: …\n    not acknowledged"),
    (15, "test the alarm", LIVE + "georemind test mqtt", "mqtt  delivered  (…)"),
    (16, "mute it for tonight", LIVE + "georemind mute until tomorrow 8:00",
     "quiet: now until …T08:00:00…; 'georemind mute off' ends it"),
    (None, "", LIVE + "georemind mute off", ""),
    (17, "quiet hours", LIVE + "georemind status | grep quiet", f"quiet  not now; each day {QUIET}"),
    (18, "another name for a place", "georemind place edit Home --rename House",
     "House  53.541200, 9.998000  250 m\ngeoremind: 1 reminder followed"),
    (None, "", "for i in 1 2; do georemind add Errand $i tomorrow 9:00 --category Errands; done", ""),
    (19, "remove all of a category", "georemind rm --category Errands --yes", "Removed Errand 1\nRemoved Errand 2"),
    (20, "skip the next one", "georemind done standup", "Completed Standup; next at 2026-06-22T09:00:00+02:00 …"),
    (21, "take a mistake back", "georemind undo", "Took back: done Standup"),
    (22, "the nearest fuel station", "georemind place find --category Fuel",
     "1.1 km  Aral  53.550000, 9.990000  60 m  Fuel"),
    (23, "how far is it home", "georemind convert here --to House", "…\n33 m (…"),
    (24, "send my position to a friend", "georemind where --share", "geo:53.541089,9.997532;u=6 https://…"),
    (25, "watch the anchor", "georemind anchor set --radius 40m",
     "Will ring each time you have been away from the 40 m around the anchor …"),
    (26, "the anchor for a script", "georemind anchor --json", '{"lat":53.541…,"lon":9.99…,"radius_m":40,…'),
    (27, "another circle", "georemind anchor set --radius 60m",
     "Will ring each time you have been away from the 60 m around the anchor …"),
    (28, "a loud anchor alarm on the phone",
     "GEOREMIND_PRIORITY=1 GEOREMIND_TITLE=Anchor GEOREMIND_WHY=x $EXAMPLES/hooks/ntfy && cat requests",
     "/topic/publish?…priority=5…tags=rotating_light…"),
    (29, "where am I on a map, live", "georemind web link >link && cat link && follow_link",
     "http://127.0.0.1:…/map/#…\n…\"lat\":53.5410…"),
    (31, "tell me above 10 knots",
     "georemind add 'Too fast' --at 53.55,9.95 --radius 1000km --min-speed 10kn --if-inside fire --dry-run --json"
     " >fast.json && georemind replay $EXAMPLES/drive.nmea --reminders fast.json",
     "2026-06-12T17:4…  arrive  Too fast: …\n…"),
    (32, "when another phone arrives", LIVE + "georemind add Anna is home --at 53.55,9.99 --who anna",
     "Anna is home: will ring once when anna comes within 150 m of …"),
    (33, "waypoints of OpenCPN", "georemind import waypoints.gpx && georemind place show Slipway",
     "Imported 1 place\nSlipway  53.550000, 9.970000  93 m"),
    (34, "a task from the phone, by CalDAV", LIVE + "georemind list paint", "date\n  …2099-06-14…  Paint the boat"),
    (35, "made here, in the list of the phone", LIVE + "georemind add Varnish tomorrow 9:00 --calendar tasks >/dev/null"
     " && grep -h SUMMARY calendars/tasks/*", "…\nSUMMARY:Varnish\n"),
    (36, "finished here, finished on the phone", LIVE + "georemind done paint && grep -h ^STATUS calendars/tasks/paint.ics",
     "Completed Paint the boat\nSTATUS:COMPLETED"),
    (37, "finish it from Home Assistant", "mosquitto_pub -p $MQTT -t $TOPIC -m '{\"command\":\"done\",\"reminder_id\":"
     "\"varnish\"}' && wait_for '" + LIVE + "georemind show varnish' Done", "Varnish\nDone\n…"),
    (38, "add it from Home Assistant", "mosquitto_pub -p $MQTT -t $TOPIC -m '{\"command\":\"add\",\"reminder\":"
     "{\"title\":\"Charge\",\"due\":\"2099-01-01T09:00:00\"}}' && wait_for '" + LIVE + "georemind show charge' Charge",
     "Charge\nWill ring at 2099-01-01T09:00:00…\n…"),
    (39, "the next one in a bar", "sh bar --waybar", '{"text":"1 due, Fri 18:17 Tea","class":"ringing"}'),
    (40, "is it healthy", "georemind status --quiet && georemind status --metrics",
     "…\ngeoremind_up 1\n…\ngeoremind_feed_lost{…} 0\n…"),
]

FUNCTIONS = """
follow_link() {
  # The command reads the port in /etc alone where root calls it.
  link=$(head -n 1 link) && page=http://$WEB/map
  curl -sf -c jar -H "Origin: http://$WEB" -H "Content-Type: application/json" -d "{\\"link\\":\\"${link#*#}\\"}" \\
    "$page/session" >session && { curl -sfN -m 5 -b jar "$page/events" || true; } | sed '/"lat"/q'
}
wait_for() { for i in $(seq 100); do eval "$1" 2>/dev/null | grep -q "$2" && break; sleep 0.1; done; eval "$1"; }
"""


def write(name, text, mode=0o644):
    path = f"{folder}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Ntfy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        write("requests", self.path + "\n")
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ntfy)
threading.Thread(target=server.serve_forever, daemon=True).start()
broker = free_port()
environment = {
    "PATH": f"{programs}:{os.environ['PATH']}", "HOME": folder, "LANG": "C.UTF-8", "TZ": "Europe/Berlin",
    "GEOREMIND_SOCKET": f"{folder}/control", "EXAMPLES": f"{root}/examples", "MQTT": str(broker),
    "NTFY_URL": f"http://127.0.0.1:{server.server_port}/topic", "no_proxy": "*"}


def start(name, *command):
    log = open(f"{folder}/{name}.log", "w")
    processes.append(subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder))


def shell(command):
    done = subprocess.run(["bash", "-c", FUNCTIONS + command], cwd=folder, env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    return done.returncode, done.stdout + done.stderr


def wait_for(what, command, text):
    limit = time.monotonic() + 30
    while text not in (printed := shell(command)[1]):
        if time.monotonic() > limit:
            sys.exit(f"{what}: {printed}")
        time.sleep(0.05)
    return printed


def prepare():
    write("waypoints.gpx", """<gpx version="1.1" creator="OpenCPN" xmlns:opencpn="http://www.opencpn.org">
<wpt lat="53.55" lon="9.97"><name>Slipway</name><sym>anchor</sym><type>WPT</type><extensions>
<opencpn:arrival_radius>0.050</opencpn:arrival_radius></extensions></wpt></gpx>""")
    write("calendars/tasks/paint.ics", "\r\n".join([
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:phone", "BEGIN:VTODO", "UID:paint", "DTSTAMP:20260612T080000Z",
        "SUMMARY:Paint the boat", "DUE:20990614T080000Z", "STATUS:NEEDS-ACTION", "END:VTODO", "END:VCALENDAR", ""]))
    with open(f"{root}/docs/how-to/status-bars-and-monitoring.md") as page:
        write("bar", re.search(r"```sh\n(#!/bin/sh\nringing=.*?)```", page.read(), re.S)[1])
    conf = write("live.conf", f"[Reminders]\nQuietHours={QUIET}\n[Calendar]\nFolder={folder}/calendars\n"
                 f"[MQTT]\nBroker=mqtt://127.0.0.1:{broker}\nCommands=yes\n[Tracker anna]\nPhone=anna\n")
    environment["WEB"] = f"127.0.0.1:{free_port()}"
    page = write("page.conf", f"[Web]\nListen={environment['WEB']}\nPage=yes\n")
    start("recorded", "georemindd", "--config", page, "--state-directory", f"{folder}/state",
          "--socket", f"{folder}/control", "--foreground-journal",
          "--feed", f"file://{root}/examples/drive.nmea?speed=max")
    start("live", "georemindd", "--config", conf, "--state-directory", f"{folder}/state-live",
          "--socket", f"{folder}/live", "--foreground-journal")
    wait_for("the drive is not played", "georemind status --json", '"state":"ended"')
    wait_for("no live daemon", "georemind --socket live status --json", '"version"')
    start("web", "georemind-web", "--config", page, "--socket", f"{folder}/control", "--feed-socket", f"{folder}/web")
    if has_broker:
        start("broker", "mosquitto", "-p", str(broker))
        start("mqtt", "georemind-mqtt", "--socket", f"{folder}/live", "--config", conf, "--positions", f"{folder}/phones")
        topic = wait_for("no broker", f"mosquitto_sub -p {broker} -t 'georemind/+/availability' -C 1 -W 2 -F %t",
                         "/availability")
        environment["TOPIC"] = topic.strip().replace("/availability", "/command")


def follows(printed, wanted):
    """The first wanted line that is not in the output behind the ones before."""
    lines = iter(printed.split("\n"))
    for line in filter(None, wanted.split("\n")):
        squeezed = re.sub(" +", " ", line.strip())
        pattern = re.compile(".*".join(map(re.escape, squeezed.split("…"))))
        if line != "…" and not any(pattern.fullmatch(re.sub(" +", " ", other.strip())) for other in lines):
            return line
    return None


def main():
    done = failed = skipped = 0
    prepare()
    for number, task, command, wanted in TASKS:
        if lacks := [program for word, program in NEEDS.items() if word in command and not shutil.which(program)]:
            print(f"skipped {number:2}  {task}: it needs {lacks[0]}")
            skipped += 1
            continue
        code, printed = shell(command)
        missing = follows(printed, wanted)
        if code == 0 and missing is None:
            if number:
                done += 1
                print(f"ok      {number:2}  {task}")
            continue
        failed += 1
        print(f"FAIL    {number or 'ready'}  {task}: {command}: exit {code}, no line {missing!r}:\n{printed}")
    for number, reason in OPEN.items():
        print(f"open    {number:2}  {reason}")
    print(f"{done} of 40 done, {failed} failed, {skipped} skipped, {len(OPEN)} open")
    return failed == 0 and done + skipped + len(OPEN) == 40


try:
    passed = main()
finally:
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)
sys.exit(0 if passed else 1)
