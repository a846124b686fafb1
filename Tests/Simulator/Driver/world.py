"""The world that the preloaded functions and the driver share: time, chance, the plan of faults."""

import mmap
import os
import socket
import struct
import subprocess

KINDS = ["write", "sync", "open", "remove", "journal", "answer", "receive", "accept", "rest",
         "timer", "read", "spawn"]
ACTIONS = ["nothing", "kill before", "kill after", "fail", "shorten", "tear"]
MISSING = ["nothing", "syncs", "look-up", "transactions", "clock-steps", "exits",
           "refusals"]
# struct world in Preload/world.h: the offset and form of each member.
_MEMBERS, _offset = {}, 0
for _name, _form in ([(name, "q") for name in ("real", "monotonic", "asleep")] + [("random", "Q")]
                     + [(name, "i") for name in ("kind", "action", "code", "times")] + [("at", "q")]
                     + [("count of " + kind, "q") for kind in KINDS]
                     + [("faults", "q"), ("turns", "q"), ("journal_code", "i"),
                        ("is_synchronized", "i"), ("journal_delay", "q"), ("boots", "q"),
                        ("missing", "q"), ("has_programs", "q")]):
    _MEMBERS[_name] = (_offset, _form)
    _offset += struct.calcsize(_form)


def soonest(*limits):
    """The shortest of some waits; -1 is a wait without an end."""
    return min((each for each in limits if each >= 0), default=-1)


class World:
    """The shared memory, and the records that the preload appends to, in one folder."""

    def __init__(self, folder, now, seed):
        self.folder = folder
        self.state = os.path.join(folder, "state")
        os.makedirs(self.state)
        path = os.path.join(folder, "world")
        with open(path, "wb") as file:
            file.write(bytes(4096))
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 4096)
        self["real"], self["monotonic"], self["random"] = now, 10 ** 9, seed
        self["is_synchronized"] = 1
        for name in ("disk", "journal"):
            open(os.path.join(folder, name), "wb").close()

    def __getitem__(self, name):
        offset, form = _MEMBERS[name]
        return struct.unpack_from(form, self.map, offset)[0]

    def __setitem__(self, name, value):
        offset, form = _MEMBERS[name]
        struct.pack_into(form, self.map, offset, value)

    @property
    def now(self):
        return self["real"]

    def pass_time(self, span):
        self["real"] += span
        self["monotonic"] += span

    def follow(self, other):
        """Takes the time of another world, whose process has run last."""
        for name in ("real", "monotonic", "asleep", "boots"):
            self[name] = other[name]

    def plan(self, kind="rest", action="nothing", at=0, code=0, times=1):
        self["kind"], self["action"], self["at"] = KINDS.index(kind), ACTIONS.index(action), at
        self["code"], self["times"] = code, times

    def close(self):
        self.map.close()


class Process:
    """The daemon or a helper, from a start to an end. It waits for `resume` whenever it has nothing
    to do."""

    def __init__(self, world, program, preload, options, zone):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel = ours
        # No setting of the caller's environment counts.
        environment = {
            "LD_PRELOAD": preload, "SIMULATED_WORLD": world.folder,
            "SIMULATED_STATE": world.state, "SIMULATED_CHANNEL": str(theirs.fileno()),
            "SWIFT_DETERMINISTIC_HASHING": "1", "TZ": ":" + zone, "HOME": world.folder,
            "PATH": "/usr/bin:/bin"}
        self.errors = open(os.path.join(world.folder, "errors"), "ab")
        self.process = subprocess.Popen(
            [program] + options, env=environment, pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors)
        theirs.close()

    def wait(self):
        """The longest span in microseconds that may pass, -1 for any; None if the process ended."""
        try:
            message = self.channel.recv(8)
        except ConnectionResetError:
            message = b""
        return struct.unpack("q", message)[0] if message else None

    def resume(self, span):
        try:
            self.channel.send(struct.pack("q", span))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def end(self):
        """The exit code, once it has ended; negative for a signal."""
        code = self.process.wait()
        self.channel.close()
        self.errors.close()
        return code

    def kill(self):
        self.process.kill()
        return self.end()

    @property
    def resident(self):
        """Bytes in memory."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096

    @property
    def processor_time(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.process.pid}/schedstat") as file:
            return int(file.read().split()[0]) / 1e9
