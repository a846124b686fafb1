"""The disk beneath the daemon: what a power cut leaves of it.

The preload records each call on the state's files. Replayed in order, they give for each file the
bytes that a sync has secured and the writes since. A power cut keeps of those writes any subset,
and of a write any of its sectors; of names that were made, renamed or removed since the last sync
of their folder, the first so many. A sync of a file that is new secures its name, too, as ext4,
XFS and Btrfs do.
"""

import os
import random
import struct

HEAD = struct.Struct("=Iiqq")
SECTOR = 512


class File:
    def __init__(self):
        self.secured = bytearray()
        self.pending = []  # (offset, bytes), or (size, None) for a truncation
        self.is_new = True

    def sync(self):
        for write in self.pending:
            apply(self.secured, write)
        self.pending = []

    def lose(self, random):
        """A sync has failed: what the disk has not taken by now, no later sync writes (fsync(2))."""
        self.secured, self.pending = self.after_cut(random), []

    def after_cut(self, random):
        """What is on the disk after a power cut."""
        content = bytearray(self.secured)
        # Often all or nothing: a torn order of writes is the rarer case.
        style = random.choice(["none", "all", "some", "torn"])
        for offset, data in self.pending:
            if style == "none" or (style in ("some", "torn") and random.random() < 0.5):
                continue
            if style != "torn" or data is None:
                apply(content, (offset, data))
                continue
            start = offset
            while start < offset + len(data):
                end = min(start // SECTOR * SECTOR + SECTOR, offset + len(data))
                if random.random() < 0.5:
                    apply(content, (start, data[start - offset:end - offset]))
                start = end
        return content


def apply(content, write):
    offset, data = write
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


class Disk:
    """The files of one folder, by what the record says."""

    def __init__(self, folder, record):
        self.folder = folder
        self.record = open(record, "rb")
        self.random = random.Random(0)
        self.names = {}  # what the daemon sees
        self.secured_names = {}
        self.pending_names = []  # functions of a dictionary, in order
        self.open = {}

    def change_names(self, change):
        change(self.names)
        self.pending_names.append(change)

    def secure_names(self):
        for change in self.pending_names:
            change(self.secured_names)
        self.pending_names = []

    def read(self):
        """Takes the calls since the last time."""
        while head := self.record.read(HEAD.size):
            call, number, offset, size = HEAD.unpack(head)
            self.take(chr(call), number, offset, self.record.read(size))

    def take(self, call, number, offset, data):
        if call in "oct":
            name = os.path.relpath(data.decode(), self.folder)
            if name == ".":
                self.open[number] = self
                return
            if call == "c":
                file = File()
                self.change_names(lambda names: names.__setitem__(name, file))
            elif call == "t":
                self.names[name].pending.append((0, None))
            self.open[number] = self.names[name]
        elif call == "x":
            self.open.pop(number, None)
        elif call == "w":
            self.open[number].pending.append((offset, data))
        elif call == "s":
            self.open[number].pending.append((offset, None))
        elif call == "f":
            file = self.open[number]
            if file is self:
                self.secure_names()
            else:
                file.sync()
                if file.is_new:
                    file.is_new = False
                    self.secure_names()
        elif call == "l":
            if (file := self.open[number]) is not self:
                file.lose(self.random)
        elif call == "r":
            old, new = (os.path.relpath(part.decode(), self.folder) for part in data.split(b"\0"))
            self.change_names(lambda names: names.__setitem__(new, names.pop(old)))
        elif call == "u":
            name = os.path.relpath(data.decode(), self.folder)
            self.change_names(lambda names: names.pop(name, None))

    def after_kill(self):
        """The descriptors are closed; all that was written stays."""
        self.read()
        self.open = {}

    def cut_power(self, random):
        """Leaves in the folder what a power cut leaves."""
        self.after_kill()
        for change in self.pending_names[:random.randint(0, len(self.pending_names))]:
            change(self.secured_names)
        self.pending_names = []
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))
        self.names = dict(self.secured_names)
        done = set()
        for name, file in sorted(self.names.items()):
            if id(file) not in done:
                done.add(id(file))
                file.secured, file.pending, file.is_new = file.after_cut(random), [], False
            with open(os.path.join(self.folder, name), "wb") as out:
                out.write(file.secured)
