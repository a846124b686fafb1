"""A fleet on one machine: three brokers, PostgreSQL with a synchronous standby, and workers, each in a
network namespace of its own. A bridge joins them, and a second bridge takes the machines that are cut off."""
import asyncio
import fcntl
import os
import signal
import struct
import subprocess
import sys
import time

try:
    import psycopg2
except ImportError:  # enter() comes to where it is
    psycopg2 = None

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "../../../docs/reference/fleet-schema.sql")
ENVIRONMENT = os.path.join(HERE, "../../../.build/fleet-python")
PG = next((f"/usr/lib/postgresql/{v}/bin/" for v in (17, 16, 15)
           if os.path.exists(f"/usr/lib/postgresql/{v}/bin/initdb")), "")
# linux/fs/ext4/ext4.h
EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH = 0x8004587D, 2
NET = "10.99.0."
BROKERS = {f"n{i}": i for i in (1, 2, 3)}
DATABASES = {f"p{i}": 10 + i for i in (1, 2)}


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True)


def missing(programs):
    """What the bed lacks; None for nothing."""
    if os.geteuid() != 0:
        return "root"
    if not os.path.exists(os.path.join(programs, "georemind-fleet")):
        return "georemind-fleet, which is built where libpq-dev and libnats-dev are installed"
    if not any(os.path.exists(f"/usr/lib/postgresql/{v}/bin/initdb") for v in (17, 16, 15)):
        return "PostgreSQL (apt-get install postgresql)"
    python = os.path.join(ENVIRONMENT, "bin/python")
    if not os.path.exists(os.path.join(ENVIRONMENT, "bin/nats-server")):
        if subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT]).returncode != 0:
            return "python3-venv"
        if subprocess.run([python, "-m", "pip", "install", "-q", "-r",
                           os.path.join(HERE, "requirements.txt")]).returncode != 0:
            return "the packages of requirements.txt"
    return None


def enter(programs):
    """Enters the environment with the packages, and namespaces of its own; or ends with exit code 77."""
    if os.environ.get("FLEET_BED"):
        return
    lack = missing(programs)
    if lack:
        print(f"skipped: the fleet needs {lack}")
        sys.exit(77)
    os.environ["FLEET_BED"] = os.path.join(ENVIRONMENT, "bin/nats-server")
    os.execvp("unshare", ["unshare", "--net", "--mount", os.path.join(ENVIRONMENT, "bin/python")] + sys.argv)


class Bed:
    """Must run in network and mount namespaces of its own, as root."""

    def __init__(self, folder, programs, workers, partitions):
        self.folder, self.nats_server = folder, os.environ["FLEET_BED"]
        self.program = os.path.join(programs, "georemind-fleet")
        self.partitions = partitions
        self.workers = {f"w{i}": 21 + i for i in range(workers)}
        self.nodes = BROKERS | DATABASES | self.workers
        self.processes = {}
        self.primary = "p1"
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o755)

    def up(self):
        """Everything but workers."""
        self.network()
        for node in BROKERS:
            self.disk(node)
            self.broker(node)
        self.databases()
        run("psql", "-q", "-d", self.address, "-v", "ON_ERROR_STOP=1", "-v",
            f"partitions={self.partitions}", "-f", SCHEMA)
        from devices import create_streams  # pylint: disable=import-outside-toplevel
        asyncio.run(create_streams(self.servers, self.partitions))

    # The network

    def network(self):
        # What is unmounted here is unmounted for each process: all have mount namespaces of their own.
        run("mount", "--make-rshared", "/")
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
        run("ip", "link", "set", "lo", "up")
        for bridge in ("whole", "half"):
            run("ip", "link", "add", bridge, "type", "bridge")
            run("ip", "link", "set", bridge, "up")
        run("ip", "address", "add", NET + "254/24", "dev", "whole")
        for node, number in self.nodes.items():
            run("ip", "netns", "add", node)
            run("ip", "link", "add", "v" + node, "type", "veth", "peer", "name", "eth0", "netns", node)
            run("ip", "link", "set", "v" + node, "master", "whole", "up")
            for words in (("link", "set", "lo", "up"), ("link", "set", "eth0", "up"),
                          ("address", "add", f"{NET}{number}/24", "dev", "eth0")):
                run("ip", "-n", node, *words)

    def cut(self, nodes):
        for node in nodes:
            run("ip", "link", "set", "v" + node, "master", "half")

    def heal(self):
        for node in self.nodes:
            run("ip", "link", "set", "v" + node, "master", "whole")

    def start(self, node, *command, user=None):
        words = ["ip", "netns", "exec", node]
        if user:
            words += ["setpriv", "--reuid", user, "--regid", "nogroup", "--clear-groups"]
        with open(f"{self.folder}/{node}.log", "a") as log:
            self.processes[node] = subprocess.Popen(
                words + list(command), stdout=log, stderr=subprocess.STDOUT)

    def kill(self, node, how=signal.SIGKILL):
        process = self.processes.get(node)
        if process and process.poll() is None:
            process.send_signal(how)
            if how == signal.SIGKILL:
                process.wait()

    # Brokers

    def disk(self, node):
        """A file system of its own for a broker, whose power can be cut."""
        path = f"{self.folder}/{node}"
        os.makedirs(path)
        run("truncate", "-s", "2G", path + ".img")
        run("mkfs.ext4", "-q", path + ".img")
        self.has_disks = run("mount", "-o", "loop", path + ".img", path, check=False).returncode == 0

    def cut_power(self, node):
        """What the broker has not synced to its disk is lost."""
        # An fsync in flight while ext4 is shut down may return success: it ends first.
        self.kill(node, signal.SIGSTOP)
        time.sleep(0.1)
        path = f"{self.folder}/{node}"
        folder = os.open(path, os.O_RDONLY)
        fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, struct.pack("I", EXT4_GOING_FLAGS_NOLOGFLUSH))
        os.close(folder)
        self.kill(node)
        run("umount", path)
        run("mount", "-o", "loop", path + ".img", path)

    def broker(self, node):
        number = BROKERS[node]
        routes = ", ".join(f"nats://{NET}{i}:6222" for i in BROKERS.values())
        with open(f"{self.folder}/{node}.conf", "w") as file:
            file.write(f"""server_name: {node}
listen: {NET}{number}:4222
ping_interval: "2s"
jetstream {{ store_dir: "{self.folder}/{node}", sync_interval: always }}
cluster {{ name: fleet, listen: {NET}{number}:6222, routes: [{routes}] }}
mappings: {{ "pos.*": "in.{{{{partition({self.partitions},1)}}}}.{{{{wildcard(1)}}}}" }}
""")
        self.start(node, self.nats_server, "-c", f"{self.folder}/{node}.conf")

    @property
    def servers(self):
        return [f"nats://{NET}{i}:4222" for i in BROKERS.values()]

    # PostgreSQL

    def postgres(self, node):
        self.start(node, PG + "postgres", "-D", f"{self.folder}/{node}", user="nobody")

    def stop_postgres(self, node):
        """At once, as `pg_ctl stop -m immediate`: without a checkpoint."""
        # While it starts, the signal may be lost: a shell's background jobs ignore it.
        while self.processes[node].poll() is None:
            self.kill(node, signal.SIGQUIT)
            try:
                self.processes[node].wait(2)
            except subprocess.TimeoutExpired:
                pass

    def databases(self):
        path = f"{self.folder}/p1"
        os.makedirs(path)
        os.chown(path, 65534, 65534)
        as_nobody = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
        run(*as_nobody, PG + "initdb", "-D", path, "-U", "fleet", "-A", "trust", "--no-sync")
        with open(path + "/pg_hba.conf", "a") as file:
            file.write(f"host all all {NET}0/24 trust\nhost replication all {NET}0/24 trust\n")
        with open(path + "/postgresql.conf", "a") as file:
            file.write(f"""listen_addresses = '*'
unix_socket_directories = ''
synchronous_standby_names = '*'
synchronous_commit = off # for the workers it is on
wal_keep_size = 1GB
wal_sender_timeout = 5s
wal_receiver_timeout = 5s
wal_retrieve_retry_interval = 500ms
shared_buffers = 64MB
fsync = off # power cuts are not among the faults
""")
        self.postgres("p1")
        self.wait(lambda: self.sql("SELECT 1", node="p1"))
        self.standby("p2")

    def standby(self, node):
        """Makes a standby of the present primary anew."""
        path = f"{self.folder}/{node}"
        run("rm", "-rf", path)
        os.makedirs(path, mode=0o700)
        os.chown(path, 65534, 65534)
        run("ip", "netns", "exec", node, "setpriv", "--reuid", "nobody", "--regid", "nogroup",
            "--clear-groups", PG + "pg_basebackup", "-R", "-D", path, "-c", "fast", "--no-sync",
            "-d", f"host={NET}{DATABASES[self.primary]} user=fleet connect_timeout=3")
        os.chmod(path, 0o700)
        self.postgres(node)

    def promote(self):
        """The primary fails for good, and the standby takes its place."""
        old = self.primary
        new = next(name for name in DATABASES if name != old)
        self.stop_postgres(old)
        self.primary = new
        self.wait(lambda: self.sql("SELECT pg_promote(true, 10)", node=new))
        for attempt in range(20):
            try:
                return self.standby(old)
            except subprocess.CalledProcessError:
                time.sleep(0.5)

    def sql(self, text, *values, node=None, database="fleet", name="postgres"):
        address = f"host={NET}{DATABASES[node or self.primary]} user={database} dbname={name}"
        with psycopg2.connect(address + " connect_timeout=2") as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute("SET statement_timeout = '15s'")
            cursor.execute(text, values)
            return cursor.fetchall() if cursor.description else None

    @property
    def address(self):
        hosts = ",".join(f"{NET}{i}" for i in DATABASES.values())
        return f"host={hosts} user=fleet dbname=postgres target_session_attrs=read-write"

    # Workers

    def log(self):
        return "nats://" + ",".join(server[7:] for server in self.servers)

    def worker(self, node, *more):
        self.start(node, self.program, "run", "--name", node, "--database", self.address,
                   "--log", self.log(), "--metrics", f"{self.folder}/{node}.metrics", *more)

    def wait(self, body, seconds=30):
        end = time.time() + seconds
        while True:
            try:
                if body():
                    return
            except (psycopg2.Error, OSError):
                pass
            if time.time() > end:
                raise TimeoutError
            time.sleep(0.2)

    def stop(self):
        for node in self.nodes:
            self.kill(node, signal.SIGCONT)
            self.kill(node)
        for node in BROKERS:
            run("umount", f"{self.folder}/{node}", check=False)
