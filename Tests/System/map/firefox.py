"""A headless Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) over a WebSocket."""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time

from live import Waiting, free_port


def find():
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Socket:
    """A client of RFC 6455 for texts: no extension, and frames of the server in pieces."""

    def __init__(self, port, path):
        self.stream = socket.create_connection(("127.0.0.1", port), 30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise ConnectionError(head.decode())

    def more(self):
        data = self.stream.recv(1 << 16)
        if not data:
            raise EOFError("the browser is gone")
        self.bytes += data

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        data, self.bytes = self.bytes[:count], self.bytes[count:]
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        length = (bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
                  if len(data) < 65536 else b"\xff" + struct.pack(">Q", len(data)))
        self.stream.sendall(b"\x81" + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, length = self.take(2)
            if length == 126:
                length, = struct.unpack(">H", self.take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.take(8))
            data = self.take(length)
            if first & 15 in (0, 1):
                text += data
                if first & 128:
                    return json.loads(text)


class Firefox(Waiting):
    def __init__(self, program):
        self.profile, port = tempfile.mkdtemp(prefix="georemind-firefox."), free_port()
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", str(port), "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile})
        self.number = 0
        for _ in range(300):
            try:
                self.socket = Socket(port, "/session")
                break
            except (ConnectionError, EOFError, OSError):
                time.sleep(0.2)
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            answer = self.socket.receive()
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def go(self, url, width, height):
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})
        begun = time.monotonic()
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")
        self.until("document.documentElement.dataset.ready")
        return time.monotonic() - begun

    def ask(self, expression):
        answer = self.call("script.evaluate", expression=f"Promise.resolve({expression}).then(v => JSON.stringify(v ?? null))",
                           target={"context": self.context}, awaitPromise=True)
        if answer["type"] != "success":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def press(self, points, button=0):
        """Moves to the first point, presses, moves through the others, and releases."""
        (x, y), *others = points
        steps = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": button}]
        steps += [{"type": "pointerMove", "x": x, "y": y, "duration": 40} for x, y in others]
        steps += [{"type": "pause", "duration": 120}, {"type": "pointerUp", "button": button}]
        self.call("input.performActions", context=self.context, actions=[
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}])

    def type(self, text):
        self.call("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]}])

    def picture(self, path):
        data = self.call("browsingContext.captureScreenshot", context=self.context)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
