"""The programs under test, and the preload, which is compiled for each run."""

import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Programs:
    def __init__(self, release, folder):
        release = os.path.abspath(release)
        self.daemon = os.path.join(release, "georemindd")
        self.hook = os.path.join(release, "georemind-hook")
        self.mqtt = os.path.join(release, "georemind-mqtt")
        self.client = os.path.join(release, "georemind")
        self.lives = os.path.join(release, "georemind-lives")
        self.preload = os.path.join(folder, "world.so")
        sources = os.path.join(os.path.dirname(HERE), "Preload")
        files = sorted(name for name in os.listdir(sources) if name.endswith(".c"))
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Wno-maybe-uninitialized",
                        "-shared", "-fPIC", "-o", self.preload]
                       + [os.path.join(sources, name) for name in files], check=True)
