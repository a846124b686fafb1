#!/usr/bin/env python3
"""The hooks of examples/hooks, each with a firing in its hands.

    Tests/System/check_recipes.py

curl and jq are real, and talk to a server of this script. apprise is real where it is installed. gpioset,
which needs hardware, is a program that writes down its arguments, in the form of each of its two versions.
"""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

hooks = pathlib.Path(__file__).resolve().parents[2] / "examples/hooks"
title = 'Milk & "bread" #1\nX-Evil: {{ 1 }} –ü'
why = "-Arrived at Rewe, 34 m from its centre"
firing = {"firing_id": "f-1", "reminder_id": "r", "title": title, "why": why, "event": "arrive", "seq": 7}
passed = failed = 0


def check(name, holds, shown=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print("ok   " if holds else "FAIL ", name, "" if holds else shown)


class Handler(http.server.BaseHTTPRequestHandler):
    status, requests = 200, []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Handler.requests.append((self.command, self.path, dict(self.headers), body))
        self.send_response(Handler.status)
        self.end_headers()

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"127.0.0.1:{server.server_port}"


def run(name, status=200, more={}, **variables):
    """The exit code of a hook, and the requests that came; `more` are further members of the firing."""
    Handler.status, Handler.requests = status, []
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    environment |= {f"GEOREMIND_{key.upper()}": str(value) for key, value in (firing | more).items()}
    result = subprocess.run(
        [hooks / name], input=(json.dumps(firing | more) + "\n").encode(), env=environment | variables,
        capture_output=True, timeout=60)
    return result.returncode, Handler.requests, result.stdout + result.stderr


for hook in sorted(hooks.iterdir()):
    lines = hook.read_text().splitlines()
    check(f"{hook.name}: 26 lines at most", len(lines) <= 26, len(lines))
    check(f"{hook.name}: may be run", os.access(hook, os.X_OK))

code, requests, output = run("ntfy", NTFY_URL=f"http://{address}/topic")
check("ntfy: exit code 0", code == 0, output)
method, path, _, _ = requests[0]
parts = urllib.parse.urlsplit(path)
check("ntfy: to the topic", parts.path == "/topic/publish", path)
check("ntfy: title and reason", urllib.parse.parse_qs(parts.query) == {
    "title": [title], "message": [why], "priority": ["3"], "tags": ["bell,arrive"]}, path)
for priority, wanted in ((1, "5"), (3, "5"), (4, "4"), (5, "3"), (9, "2")):
    _, requests, _ = run("ntfy", more={"priority": priority}, NTFY_URL=f"http://{address}/t")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(requests[0][1]).query)
    check(f"ntfy: priority {priority} is {wanted}", query["priority"] == [wanted], query)
_, requests, _ = run("ntfy", more={"lat": 53.5413, "lon": 9.9841}, NTFY_URL=f"http://{address}/t")
buttons = requests[0][2]["Actions"]
query = urllib.parse.parse_qs(urllib.parse.urlsplit(requests[0][1]).query)
map_link = "https://www.openstreetmap.org/?mlat=53.5413&mlon=9.9841&zoom=17"
check("ntfy: a tap opens the map", query["click"] == [map_link], query)
check("ntfy: a button opens the map", buttons == f"view, Map, {map_link}", buttons)
link = {"NTFY_URL": f"http://{address}/t", "NTFY_WEB": "https://boat", "NTFY_LINK": "TOKEN"}
post = "method=POST, headers.Authorization=Bearer TOKEN, clear=true, body='{\"id\":\"r\""
wanted = [f"http, Done, https://boat/map/api/done, {post},\"rung\":true}}'",
          f"http, Snooze 20 min, https://boat/map/api/snooze, {post},\"until\":\"20min\"}}'"]
for more, last in (({}, []), ({"lat": 53.5413, "lon": 9.9841}, [f"view, Map, {map_link}"])):
    _, requests, _ = run("ntfy", more=more, **link)
    check("ntfy: buttons for Done and Snooze", requests[0][2]["Actions"] == "; ".join(wanted + last), requests[0][2])
    check("ntfy: the token is in no address", "TOKEN" not in requests[0][1], requests[0][1])
for id in ("", "a'b", 'a"b', "a b", "a;b"):
    _, requests, _ = run("ntfy", more={"reminder_id": id}, **link)
    check(f"ntfy: no buttons for {id!r}", "Actions" not in requests[0][2], requests[0][2])
for status in (429, 503, 404):
    check(f"ntfy: {status} is a failure", run("ntfy", status, NTFY_URL=f"http://{address}/t")[0] == 22)
check("ntfy: nobody there is a failure", run("ntfy", NTFY_URL="http://127.0.0.1:1/t")[0] == 7)

variables = {"HA_URL": f"http://{address}", "HA_PHONE": "mobile_app_pixel", "HA_TOKEN": "secret"}
code, requests, output = run("home-assistant", **variables)
check("home-assistant: exit code 0", code == 0, output)
method, path, headers, body = requests[0]
check("home-assistant: to the phone", (method, path) == ("POST", "/api/services/notify/mobile_app_pixel"), path)
check("home-assistant: the token", headers["Authorization"] == "Bearer secret", headers)
check("home-assistant: title, reason, tag",
      json.loads(body) == {"title": title, "message": why, "data": {"tag": "f-1"}}, body)
critical = json.loads(run("home-assistant", more={"priority": 2}, **variables)[1][0][3])["data"]
check("home-assistant: an urgent one is critical on iOS", critical["push"]["sound"]["critical"] == 1, critical)
check("home-assistant: an urgent one is an alarm on Android", critical["channel"] == "alarm_stream", critical)
for priority in (0, 4):
    plain = json.loads(run("home-assistant", more={"priority": priority}, **variables)[1][0][3])["data"]
    check(f"home-assistant: priority {priority} is not critical", plain == {"tag": "f-1"}, plain)
check("home-assistant: 503 is a failure", run("home-assistant", 503, **variables)[0] == 22)

if shutil.which("apprise"):
    url = f"json://{address}/"
    code, requests, output = run("apprise", APPRISE_URL=url)
    check("apprise: exit code 0", code == 0, output)
    body = json.loads(requests[0][3])
    check("apprise: the reason", body["message"] == why, body)
    check("apprise: the title", body["title"].split("\n")[0] == title.split("\n")[0], body)
    check("apprise: 503 is a failure", run("apprise", 503, APPRISE_URL=url)[0] == 1)
else:
    print("not tested: there is no apprise")

with tempfile.TemporaryDirectory() as folder:
    fake = pathlib.Path(folder, "gpioset")
    for version, wanted in {
            "v1.6.3": ["--mode=time", "--sec=3", "gpiochip0", "17=1"],
            "v2.2": ["--toggle", "3s,0", "--chip", "gpiochip0", "17=1"]}.items():
        fake.write_text(f"""#!/bin/sh
case $1 in --version) echo "gpioset (libgpiod) {version}" ;; *) printf '%s\\n' "$@"; exit $GPIO_CODE ;; esac
""")
        fake.chmod(0o755)
        found = {"PATH": f"{folder}:{os.environ['PATH']}"}
        code, _, output = run("relay", GPIO_CODE="0", **found)
        check(f"relay: gpioset {version}", output.decode().split() == wanted, output)
        check(f"relay: its exit code, {version}", (code, run("relay", GPIO_CODE="3", **found)[0]) == (0, 3))

with tempfile.TemporaryDirectory() as folder:
    # The text goes through, and a machine without a sound device is a failure.
    for name, text in {"espeak-ng": 'printf %s "$3"', "aplay": f"cat >{folder}/spoken; exit $APLAY_CODE"}.items():
        fake = pathlib.Path(folder, name)
        fake.write_text(f"#!/bin/sh\n{text}\n")
        fake.chmod(0o755)
    found = {"PATH": f"{folder}:{os.environ['PATH']}"}
    code, _, output = run("speak", APLAY_CODE="0", **found)
    check("speak: the title", (code, pathlib.Path(folder, "spoken").read_text()) == (0, title), output)
    check("speak: no sound device is a failure", run("speak", APLAY_CODE="1", **found)[0] == 1)
    pathlib.Path(folder, "espeak-ng").unlink()
    if not shutil.which("espeak-ng"):
        check("speak: no espeak-ng is a failure", run("speak", APLAY_CODE="0", **found)[0] == 69)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
