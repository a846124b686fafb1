"""Receivers: gpsd, NMEA 0183 over TCP or UDP. They send a fix when the script says so."""

import os
import socket
import time


def stamp(now):
    """RFC 3339 of a time in microseconds."""
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10 ** 6))
    return f"{seconds}.{now % 10 ** 6 // 1000:03}Z"


def gpsd_report(fix, now):
    return (f'{{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"{stamp(now)}",'
            f'"lat":{fix["lat"]},"lon":{fix["lon"]},"eph":4.0,"speed":{fix["speed"]},'
            f'"track":{fix["course"]}}}\r\n')


def nmea_coordinate(degrees, width, letters):
    whole = int(abs(degrees))
    minutes = (abs(degrees) - whole) * 60
    return f"{whole:0{width}}{minutes:09.6f},{letters[degrees < 0]}"


def nmea(fix, now):
    seconds = now // 10 ** 6
    clock = time.strftime("%H%M%S", time.gmtime(seconds)) + f".{now % 10 ** 6 // 1000:03}"
    date = time.strftime("%d%m%y", time.gmtime(seconds))
    latitude, longitude = (nmea_coordinate(fix["lat"], 2, "NS"),
                           nmea_coordinate(fix["lon"], 3, "EW"))
    lines = [f"GPRMC,{clock},A,{latitude},{longitude},{fix['speed'] / 0.514444:.3f},"
             f"{fix['course']:.1f},{date},,,A",
             f"GPGGA,{clock},{latitude},{longitude},1,10,0.7,30.0,M,47.0,M,,"]
    text = ""
    for line in lines:
        checksum = 0
        for byte in line.encode():
            checksum ^= byte
        text += f"${line}*{checksum:02X}\r\n"
    return text


class Receiver:
    """One of the kinds `gpsd`, `tcp`, `udp`, of the tracker with a number; `is_up` says whether it
    takes connections."""

    PORTS = {"gpsd": 2947, "tcp": 10110, "udp": 10110}

    def __init__(self, kind, folder, number=0):
        self.kind, self.folder, self.port = kind, folder, self.PORTS[kind] + number
        self.listener, self.connection = None, None
        self.raise_up()

    @property
    def url(self):
        host = "0.0.0.0" if self.kind == "udp" else "127.0.0.1"
        return f"{self.kind}://{host}:{self.port}"

    def raise_up(self):
        if self.listener is not None:
            return
        if self.kind == "udp":
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.listener.bind(os.path.join(self.folder, "from-7"))
        else:
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.listener.bind(os.path.join(self.folder, f"feed-{self.port}"))
            self.listener.listen(8)
        self.listener.setblocking(False)

    def disconnect(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def take_down(self):
        self.disconnect()
        if self.listener is not None:
            os.unlink(self.listener.getsockname())
            self.listener.close()
        self.listener = None

    def accept(self):
        """Takes a new connection, if there is none and one comes; answers whether one did."""
        if self.kind == "udp" or self.listener is None or self.connection is not None:
            return False
        try:
            connection, _ = self.listener.accept()
        except BlockingIOError:
            return False
        self.connection = connection
        connection.setblocking(False)
        if self.kind == "gpsd":
            self.send('{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}\r\n')
        return True

    def send(self, text):
        try:
            if self.kind == "udp" and self.listener is not None:
                path = os.path.join(self.folder, f"udp-{self.port}")
                self.listener.sendto(text.encode(), path)
            elif self.connection is not None:
                self.connection.send(text.encode())
        except OSError:
            self.disconnect()

    def send_fix(self, fix, now):
        self.send(gpsd_report(fix, now) if self.kind == "gpsd" else nmea(fix, now))
