"""A headless Chromium, driven over its DevTools protocol by a pipe: messages are JSON, each ended by
a NUL byte, in on descriptor 3 and out on 4 (chromium --remote-debugging-pipe)."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's program, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return None


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="georemind-browser.")
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()

        def descriptors():
            # Through high numbers, so that neither overwrites the other.
            for source, high in ((read_there, 103), (write_there, 104)):
                os.dup2(source, high)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", f"--user-data-dir={self.profile}", "about:blank"],
            stderr=subprocess.DEVNULL, preexec_fn=descriptors, close_fds=False)
        os.close(read_there)
        os.close(write_there)
        self.read, self.write = read_here, write_here
        self.bytes = b""
        self.number = 0
        self.session = None
        # What the page asked of any network, and what it complained of.
        self.requests, self.complaints = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def receive(self, limit):
        while b"\0" not in self.bytes:
            if not select.select([self.read], [], [], max(0, limit - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.read, 1 << 20)
            if not data:
                raise EOFError("the browser is gone")
            self.bytes += data
        message, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, given = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            url = given["request"]["url"]
            if not url.startswith(("file:", "data:")):
                self.requests.append(url)
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(given["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Log.entryAdded":
            self.complaints.append(given["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(given["args"]))

    def call(self, method, **given):
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        limit = time.monotonic() + 30
        while True:
            answer = self.receive(limit)
            if answer.get("id") != self.number:
                self.note(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            return answer["result"]

    def ask(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def open(self, path, width, height, dark=False):
        """Opens a file; the seconds until the page can be used."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        begun = time.monotonic()
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        # Ready, and twice given to the screen.
        ready = """new Promise(done => { const look = () => document.documentElement.dataset.ready
          ? requestAnimationFrame(() => requestAnimationFrame(() => done(true))) : setTimeout(look, 5); look() })"""
        while True:
            try:
                self.ask(ready)
                return time.monotonic() - begun
            except RuntimeError:
                # The page before went away under the question.
                if time.monotonic() - begun > 20:
                    raise

    def key(self, key, code=0, text=None):
        for kind in ("keyDown", "keyUp"):
            given = {"type": kind, "key": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
            if text and kind == "keyDown":
                given["text"] = text
            self.call("Input.dispatchKeyEvent", **given)

    def picture(self, path, whole=False):
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
