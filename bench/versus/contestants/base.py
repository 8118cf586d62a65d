# SPDX-License-Identifier: Apache-2.0
"""What every contestant can be asked for. A workload that a contestant has no way to do gets None
or Cannot, and the table says "cannot"."""
import os
import pwd
import random
import shutil
import signal
import socket
import tempfile
import time

from tree import Tree, Trouble

CONF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../conf")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Cannot(Exception):
    """The manager has no such thing; no failure."""


def free_ports(count):
    """A run of ports that nobody listens on, below those the kernel hands out itself."""
    for _ in range(200):
        first, held = random.randrange(10000, 32000 - count), []
        try:
            for port in range(first, first + count):
                held.append(socket.socket())
                held[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for s in held:
                s.close()
    raise Trouble("no free ports")


class Contestant:
    name, label, remark = "", "", ""

    def __init__(self, tools):
        self.tools, self.tree, self.dir = tools, None, None

    def why_not(self):
        """Why it cannot run here, or None."""
        return None

    def versions(self):
        return ""

    # --- life -----------------------------------------------------------------------------------

    def prepare(self, nodes, cpus, asleep=False):
        """A folder with its configuration; nothing runs yet. asleep: nodes have no daemons."""
        self.dir = tempfile.mkdtemp(prefix="ymversus.")
        os.chmod(self.dir, 0o755)
        for folder in ("run", "out", "state", "spool"):
            os.makedirs(f"{self.dir}/{folder}", exist_ok=True)
        with open(f"{self.dir}/out/job.sh", "w") as f:
            f.write("#!/bin/sh\n/bin/true\n")
        os.chmod(f"{self.dir}/out/job.sh", 0o755)
        self.nodes, self.cpus, self.asleep = nodes, cpus, asleep
        self.port = free_ports(nodes + 3)
        self.tree = Tree(self.environment(), f"{self.dir}/out")

    def start(self, nodes, cpus, asleep=False):
        self.prepare(nodes, cpus, asleep)
        self.start_daemons()

    def stop(self):
        if self.tree:
            self.tree.stop()
            self.tree = None
        if self.dir:
            shutil.rmtree(self.dir, ignore_errors=True)
            self.dir = None

    def stop_controller(self, number=signal.SIGTERM):
        pid = self.controller_pid()
        self.tree.signal(pid, number)
        self.until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the controller", 120)

    def environment(self):
        return {"PATH": SYSTEM_PATH, "HOME": "/tmp", "LANG": "C.UTF-8",
                "USER": pwd.getpwuid(os.geteuid()).pw_name}

    def fill_in(self, template, **words):
        """Writes a file of conf/ into the folder, the words between @ replaced."""
        with open(f"{CONF}/{template}") as f:
            text = f.read()
        first = self.port + 1
        words = dict(DIR=self.dir, PORT=self.port, NODES=self.nodes, CPUS=self.cpus, FIRST=first,
                     LAST=first + self.nodes - 1, CLUSTER=f"versus{os.getpid()}",
                     USER=pwd.getpwuid(os.geteuid()).pw_name, HOST=socket.gethostname(), **words)
        for word, value in words.items():
            text = text.replace(f"@{word}@", str(value))
        with open(f"{self.dir}/{os.path.basename(template)}", "w") as f:
            f.write(text)

    # --- words that not all have ---------------------------------------------------------------

    def now_argv(self, *options):
        """A program on a node, at once, in an allocation of its own."""
        raise Cannot("it starts no program at once")

    def acknowledged_one_by_one(self, count):
        """Submissions a second over one connection, each after the answer to the last."""
        raise Cannot("its commands have a connection for each submission")

    def questions_one_by_one(self, seconds):
        """The same for the question for all jobs."""
        raise Cannot("its commands have a connection for each question")

    def first_argv(self):
        """The first job of a new cluster, until it has ended."""
        return self.now_argv()

    # --- asking ---------------------------------------------------------------------------------

    def run(self, *argv, **options):
        return self.tree.run(*argv, **options)

    def drive(self, mode, *arguments, seconds=600):
        """One line of JSON of bench/drive.cc."""
        return self.tools.json_of(self.run(self.tools.drive, mode, *map(str, arguments),
                                           seconds=seconds))

    def spawn(self, count, concurrent, argv, seconds=600):
        found = self.drive("spawn", count, concurrent, *argv, seconds=seconds)
        if found["failed"]:
            said = self.run(*argv, check=False)
            raise Trouble(f"{found['failed']} of {count} × {os.path.basename(argv[0])} failed"
                          f" ({(said.stderr or said.stdout).strip()[:100]})")
        return found

    def until(self, condition, what, seconds=300):
        """Waits until it is true, in steps that grow: no poller that costs more than the jobs."""
        begin = time.monotonic()
        while not condition():
            passed = time.monotonic() - begin
            if passed > seconds:
                raise Trouble(f"{what}: not within {seconds} s")
            time.sleep(min(0.25, max(0.01, passed / 20)))

    def wait_empty(self, seconds=600):
        try:
            self.until(lambda: not self.queued(), "the end of all jobs", seconds)
        except Trouble as trouble:
            raise Trouble(f"{trouble}; there are {self.what_is_left()}") from trouble

    def what_is_left(self):
        """Of those that have not ended, in words for the table."""
        return f"{len(self.queued())} jobs"
