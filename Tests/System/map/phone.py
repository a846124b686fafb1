#!/usr/bin/env python3
"""A phone, from `georemind phone add` to its first position, and its page in a headless Chromium.

usage: phone.py PROGRAMS [FOLDER]   PROGRAMS is the folder with georemind and georemind-web; pictures go to
FOLDER where it is given

The settings are read as the app reads them: from the code on the terminal, by zbarimg where it is installed, and
else from the link below it. Prints a line a check and ends with "N passed, N failed".
"""

import base64
import fcntl
import http.client
import http.server
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(__file__))
from live import Live, Machine, browser, free_port

passed = failed = 0
# Of owntracks.org/booklet/tech/json, "configuration".
DOCUMENTED = {"_type", "mode", "url", "auth", "username", "password", "deviceId", "tid", "monitoring"}


def check(name, holds, seen=""):
    global passed, failed
    print(f"{'ok   ' if holds else 'FAIL '} {name}{f': {seen}' if seen != '' else ''}", flush=True)
    passed, failed = passed + bool(holds), failed + (not holds)


class Service(Machine):
    """A daemon that reads the phones of georemind-web, in a folder of their own."""

    def __init__(self, programs):
        self.programs = os.path.abspath(programs)
        self.folder = tempfile.mkdtemp(prefix="georemind-phone.")
        self.port = free_port()
        self.control = f"{self.folder}/control"
        self.config = f"{self.folder}/georemind.conf"
        with open(self.config, "w") as file:
            file.write(f"[Feed]\nFeed=unix://{self.folder}/positions?max-age=5min\n"
                       f"[Web]\nListen=127.0.0.1:{self.port}\nPage=yes\n")
        self.log = open(f"{self.folder}/log", "w")
        self.start_daemon()
        self.web = self.start_web()

    def start_daemon(self):
        self.daemon = self.start("georemindd", "--config", self.config, "--state-directory", self.folder,
                                 "--socket", self.control)
        wait(lambda: os.path.exists(self.control))

    def terminal(self, *arguments):
        """The output of a command on a terminal of 80 columns."""
        own, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
        process = subprocess.Popen([f"{self.programs}/georemind", *arguments, "--socket", self.control],
                                   stdin=its, stdout=its, stderr=subprocess.DEVNULL, env=os.environ | {"TERM": "xterm"})
        os.close(its)
        text = b""
        while True:
            try:
                piece = os.read(own, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        process.wait()
        os.close(own)
        return text.decode().replace("\r\n", "\n")

    def local(self, url):
        """The client of root reads the settings of the system: an address of the default port is this one."""
        return url.replace("127.0.0.1:8088", f"127.0.0.1:{self.port}")

    def ask(self, method, target, headers={}, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()


def wait(condition, limit=20):
    begun = time.monotonic()
    while time.monotonic() - begun < limit:
        if condition():
            return True
        time.sleep(0.05)
    return False


def scanned(output, folder):
    """The text of the code that a terminal shows: two rows of modules in each line."""
    modules = []
    for line in output.split("\n"):
        if "\x1b[30;107m" not in line:
            continue
        blocks = line.split("\x1b[30;107m")[1].split("\x1b[0m")[0]
        modules.append([block in "▀█" for block in blocks])
        modules.append([block in "▄█" for block in blocks])
    check("the code fits into 80 columns", modules and len(modules[0]) <= 80, len(modules[0]) if modules else 0)
    wide = [False] * (len(modules[0]) + 4)
    rows = [wide, wide] + [[False, False, *row, False, False] for row in modules] + [wide, wide]
    scale = 6
    with open(f"{folder}/code.pbm", "w") as file:
        file.write(f"P1\n{len(wide) * scale} {len(rows) * scale}\n")
        for row in rows:
            line = " ".join("1" if dark else "0" for dark in row for _ in range(scale))
            file.write((line + "\n") * scale)
    return subprocess.run(["zbarimg", "-q", "--raw", f"{folder}/code.pbm"], capture_output=True,
                          text=True).stdout.strip()


def settings(link):
    """What OwnTracks takes from a link."""
    parts = urllib.parse.urlsplit(link)
    check("the link is OwnTracks's", (parts.scheme, parts.netloc, parts.path) == ("owntracks", "", "/config"), link[:30])
    inline = urllib.parse.parse_qs(parts.query, strict_parsing=True)["inline"][0]
    given = json.loads(base64.b64decode(inline, validate=True))
    check("its keys are documented", set(given) <= DOCUMENTED and given["_type"] == "configuration", sorted(given))
    check("it is for HTTP, with a password", given["mode"] == 3 and given["auth"] is True)
    return given


def position(service, given, password=None, user=None, tst=None, lat=53.56, **more):
    """Sends a position as OwnTracks does; status and body."""
    pair = f"{given['username']}:{password or given['password']}"
    body = {"_type": "location", "lat": lat, "lon": 9.987, "acc": 12, "tst": int(tst or time.time()), "tid": given["tid"]}
    headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode(),
               "X-Limit-U": user or given["username"], "X-Limit-D": given["deviceId"]}
    path = urllib.parse.urlsplit(service.local(given["url"])).path
    return service.ask("POST", path, headers, json.dumps(body | more))


def receivers(service):
    status = json.loads(service.run("status", "--json"))
    return {receiver.get("device") for feed in status["feeds"] for receiver in feed.get("receivers", [])}


def page(service, given, url, pictures):
    """The page on the phone itself."""
    program = browser.find()
    if not program:
        print("not judged: there is no Chromium")
        service.run("phone", "revoke", "anna")
        return
    view = Live(program)

    def picture(name):
        if pictures:
            os.makedirs(pictures, exist_ok=True)
            view.picture(f"{pictures}/{name}.png")

    head = "document.getElementById('head').textContent"
    try:
        view.go(url, 390, 844, touch=True, ratio=2)
        check("the page says that the position arrived", view.until(f"/^Got your position \\d+ s ago, ±19\u00a0m$/.test({head})"), view.ask(head))
        check("it fits the screen", view.ask("document.documentElement.scrollWidth <= innerWidth"))
        check("it has the apps", view.ask("document.querySelectorAll('.app').length") == 4)
        link = view.ask("document.querySelector('.open').href")
        check("its link has its own address", settings(link)["url"] == f"http://127.0.0.1:{service.port}/pub")
        small = view.ask("[...document.querySelectorAll('button, .open, summary, input')].filter(e => e.offsetParent && e.offsetHeight < 44).length")
        check("what is touched is 44 pixels high", small == 0, small)
        picture("phone-390")
        position(service, given, tst=time.time() - 7200)
        check("it names a slow clock", view.until("document.getElementById('more').textContent.includes('2 h old')", 10))
        position(service, given, acc=-5, lat=99)
        check("it names a message without a position", view.until("document.getElementById('more').textContent.includes('no position')", 10))
        picture("phone-390-problem")
        service.run("phone", "revoke", "anna")
        check("it says that the link was revoked", view.until(f"{head} === 'Wrong link'", 15), view.ask(head))
        check("a page of a wrong link has no settings", view.ask("document.querySelectorAll('details').length") == 0)
        hosts = {request.split("/")[2] for request in view.requests if request.startswith("http")}
        check("nothing is asked of another host", hosts == {f"127.0.0.1:{service.port}"}, hosts)
        check("no request has the token in its address", not [r for r in view.requests if given["password"] in r.split("#")[0]])
        odd = [complaint for complaint in view.complaints if "401" not in complaint]
        check("nothing in the console", not odd, odd[:3])
    finally:
        view.close()


def actions(header):
    """The buttons of a message, as ntfy reads them (docs.ntfy.sh/publish, "Action buttons"): parted by semicolons,
    their parts by commas, outside of quotes."""
    def split(text, mark):
        parts, quote = [""], None
        for letter in text:
            quote = None if letter == quote else letter if letter in "'\"" and not quote else quote
            if letter == mark and not quote:
                parts.append("")
            else:
                parts[-1] += letter
        return [part.strip() for part in parts]

    found = {}
    for action in split(header, ";"):
        kind, label, url, *rest = split(action, ",")
        found[label] = (kind, url, dict(part.split("=", 1) for part in rest))
    return found


def press(service, action):
    """Sends the request of a button; its status."""
    kind, url, given = action
    body = given["body"]
    body = body[1:-1] if body[0] in "'\"" else body
    return service.ask(given["method"], urllib.parse.urlsplit(service.local(url)).path,
                       {"Authorization": given["headers.Authorization"]}, body)


def push(service):
    """The way back: a phone with --push, its hook, a message to a server of ntfy, and its buttons."""
    heard = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append((self.path, dict(self.headers)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    stub = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    server = f"http://127.0.0.1:{stub.server_port}"
    recipes = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/hooks")
    shown = service.run("phone", "add", "cleo", "--push", "--server", server, "--root", service.folder,
                        "--recipes", recipes)
    topic = next(line.strip() for line in shown.split("\n") if line.startswith("  ntfy://"))
    check("the link subscribes to the topic", topic.startswith(f"ntfy://{server[7:]}/georemind-"), topic[:30])
    hook = f"{service.folder}/usr/local/lib/georemind/cleo"
    check("nobody else reads the hook", os.stat(hook).st_mode & 0o007 == 0)
    for name in ("milk", "tea"):
        service.run("add", name, "--id", name, "--due", "now")
    seen = {}
    for name in ("milk", "tea"):
        firing = {"TITLE": name, "WHY": "It is due", "EVENT": "due", "PRIORITY": "2", "REMINDER_ID": name}
        result = subprocess.run([hook], env=os.environ | {f"GEOREMIND_{key}": value for key, value in firing.items()})
        path, headers = heard[-1] if heard else ("", {})
        check("the hook sends to the topic", result.returncode == 0 and path.startswith("/" + topic.split("/")[3].split("?")[0]))
        seen[name] = actions(headers["Actions"])
    check("a message has Done and Snooze", list(seen["milk"]) == ["Done", "Snooze 20 min"], list(seen["milk"]))
    # The button completes what has rung.
    for _ in range(100):
        if json.loads(service.run("show", "milk", "--json"))["state"] == "fired":
            break
        time.sleep(0.05)
    check("Done completes", press(service, seen["milk"]["Done"])[0] == 200
          and json.loads(service.run("show", "milk", "--json"))["state"] == "done")
    check("and changes nothing when it is pressed again", press(service, seen["milk"]["Done"])[0] == 200)
    check("Snooze snoozes", press(service, seen["tea"]["Snooze 20 min"])[0] == 200
          and "snoozed_until" in json.loads(service.run("show", "tea", "--json")))
    bearer = {"Authorization": seen["tea"]["Done"][2]["headers.Authorization"]}
    check("a button reads nothing", service.ask("GET", "/map/api/reminders", bearer)[0] == 403)
    check("a button adds nothing", service.ask("POST", "/map/api/add", bearer, '{"reminder":{"title":"x"}}')[0] == 403)
    service.run("phone", "revoke", "cleo", "--root", service.folder)
    check("a button of a revoked phone is refused", press(service, seen["tea"]["Done"])[0] == 401)
    service.run("hook", "remove", "cleo", "--root", service.folder)
    check("the hook is removed", not os.path.exists(hook))


def main():
    programs, pictures = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    service = Service(programs)
    try:
        output = service.terminal("phone", "add", "anna")
        lines = [line.strip() for line in output.split("\n")]
        link = next(line for line in lines if line.startswith("owntracks:"))
        if shutil.which("zbarimg"):
            read = scanned(output, service.folder)
            check("zbarimg reads the link on the terminal", read == link, read[:40])
        else:
            print("not judged: there is no zbarimg")
        given = settings(link)
        url = service.local(next(line for line in lines if "/phone/#" in line))
        check("the token is not in the database", not any(
            given["password"].encode() in open(f"{service.folder}/{name}", "rb").read()
            for name in os.listdir(service.folder) if name.startswith("georemind.db") or name.endswith((".db", "-wal"))))
        check("the first position is taken", wait(lambda: position(service, given) == (200, "[]")))
        check("the daemon has a receiver", wait(lambda: len(receivers(service)) == 1), receivers(service))
        check("another name in the message is no other one", position(service, given, user="ben")[0] == 200
              and not wait(lambda: len(receivers(service)) > 1, 1))
        other = service.run("phone", "add", "ben", "--json")
        ben = json.loads(other)["token"]
        check("each phone has a token of its own", ben != given["password"])
        check("and is a receiver of its own", position(service, given, password=ben)[0] == 200
              and wait(lambda: len(receivers(service)) == 2))
        # Another last letter but one: the last has four bits.
        wrong = given["password"][:-2] + ("A" if given["password"][-2] != "A" else "B") + given["password"][-1]
        check("a wrong token is refused", position(service, given, password=wrong)[0] == 401)
        service.web.terminate()
        service.web.wait()
        service.web = service.start_web()
        check("the phones are known after a restart of the service", wait(lambda: position(service, given)[0] == 200))
        service.daemon.terminate()
        service.daemon.wait()
        check("without the daemon the phone keeps its position", wait(lambda: position(service, given)[0] == 503))
        service.start_daemon()
        check("and sends it afterwards", wait(lambda: position(service, given)[0] == 200))
        page(service, given, url, pictures)
        check("a revoked phone is refused", wait(lambda: position(service, given)[0] == 401))
        check("the other one is not", position(service, given, password=ben)[0] == 200)
        push(service)
    finally:
        service.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
