"""Clients of the control socket (https://varlink.org)."""

import json
import socket


def receive(connection):
    """The bytes that have come, and whether the connection goes on."""
    data = b""
    while True:
        try:
            part = connection.recv(1 << 16)
        except BlockingIOError:
            return data, True
        except OSError:
            part = b""
        if not part:
            return data, False
        data += part


class Client:
    """One connection with at most one call under way."""

    def __init__(self, path):
        self.path = path
        self.socket = None
        self.pending = None  # the call without an answer
        self.buffer = self.output = b""

    def flush(self):
        try:
            while self.output:
                self.output = self.output[self.socket.send(self.output):]
        except BlockingIOError:
            pass

    def call(self, method, parameters, more=False):
        """Sends a call, with `more` for any number of answers; answers whether it was sent.

        What the socket does not take at once is sent by `flush`.
        """
        try:
            if self.socket is None:
                self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                self.socket.connect(self.path)
                self.socket.setblocking(False)
            message = {"method": "org.georemind." + method, "parameters": parameters}
            if more:
                message["more"] = True
            self.output = json.dumps(message, separators=(",", ":")).encode() + b"\0"
            self.flush()
        except OSError:
            self.close()
            return False
        self.pending = (method, parameters)
        return True

    def answer(self):
        """The parameters and the error of the answer, if it has come; None before.

        A connection that ends without an answer gives ({}, "closed").
        """
        if self.socket is None:
            return None
        data, is_open = receive(self.socket)
        if not is_open:
            self.close()
            return ({}, "closed")
        self.buffer += data
        if b"\0" not in self.buffer:
            return None
        message, self.buffer = self.buffer.split(b"\0", 1)
        self.pending = None
        answer = json.loads(message)
        return (answer.get("parameters", {}), answer.get("error"))

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket, self.pending, self.buffer, self.output = None, None, b"", b""
