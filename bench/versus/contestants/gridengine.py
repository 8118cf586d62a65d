# SPDX-License-Identifier: Apache-2.0
"""Grid Engine as Debian has it (gridengine-master, -exec and -client): conf/gridengine/. A cell of
its own, its ports and folders; nothing of /var/lib/gridengine but the programs. It knows a node by
the name of its machine and so has one here, with the slots of all nodes of the others. Workloads
are those that its commands have: no srun within an allocation, no srun over nodes."""
import os
import re
import shutil
import socket

from contestants.base import Contestant
from tree import Trouble

PROGRAMS = "/usr/lib/gridengine"
RESOURCES = "/usr/share/gridengine/util/resources"
NEEDED = ("sge_qmaster", "sge_execd", "qsub", "qstat", "qconf", "spoolinit", "spooldefaults")
CELL = "versus"


class Gridengine(Contestant):
    name, label = "gridengine", "Grid Engine"
    remark = "one node with the slots of all; no database"
    # Long queues are left out: its only way to fill one is qsub, some ten minutes for 50,000 jobs.
    only = ("sbatch_held", "sbatch_runnable", "bulk", "array", "singles", "now", "crash",
            "cold_start", "idle")

    def program(self, name):
        return f"{PROGRAMS}/{name}"

    def why_not(self):
        missing = [name for name in NEEDED if not os.access(self.program(name), os.X_OK)]
        if missing:
            return f"no {', '.join(missing)} in {PROGRAMS}"
        return None if os.geteuid() == 0 else "only root can run an sge_execd of its own"

    def versions(self):
        return os.popen(f"{self.program('qstat')} -help").readline().strip()

    def environment(self):
        return dict(super().environment(), SGE_ROOT=self.dir, SGE_CELL=CELL,
                    PATH=f"{PROGRAMS}:{os.environ['PATH']}", LD_LIBRARY_PATH=PROGRAMS,
                    SGE_CLUSTER_NAME=CELL, SGE_QMASTER_PORT=str(self.port),
                    SGE_EXECD_PORT=str(self.port + 1))

    # --- life -----------------------------------------------------------------------------------

    def prepare(self, nodes, cpus, asleep=False):
        super().prepare(nodes, cpus, asleep)
        common = f"{self.dir}/{CELL}/common"
        for folder in (common, f"{self.dir}/state/job_scripts", f"{self.dir}/database"):
            os.makedirs(folder)
        for link in ("bin", "lib", "utilbin", "util"):
            os.symlink(f"/var/lib/gridengine/{link}", f"{self.dir}/{link}")
        for name in ("bootstrap", "configuration", "scheduler", "host", "hostgroup", "queue"):
            self.fill_in(f"gridengine/{name}", SLOTS=nodes * cpus)
            self.strip_remarks(f"{self.dir}/{name}")
        shutil.move(f"{self.dir}/bootstrap", f"{common}/bootstrap")
        for name, text in (("act_qmaster", socket.gethostname()), ("cluster_name", CELL),
                           # The loopback's other names are this machine, too.
                           ("host_aliases", f"{socket.gethostname()} localhost")):
            with open(f"{common}/{name}", "w") as f:
                f.write(text + "\n")
        self.run(self.program("spoolinit"), "berkeleydb", "libspoolb", f"{self.dir}/database",
                 "init")
        for what, given in (("configuration", f"{self.dir}/configuration"),
                            ("complexes", f"{RESOURCES}/centry"),
                            ("usersets", f"{RESOURCES}/usersets"), ("managers", "root")):
            self.run(self.program("spooldefaults"), what, given)

    @staticmethod
    def strip_remarks(path):
        """Not all of its readers know any."""
        with open(path) as f:
            lines = [line.split("#")[0].rstrip() for line in f]
        with open(path, "w") as f:
            f.write("\n".join(line for line in lines if line) + "\n")

    def start_controller(self):
        self.run(self.program("sge_qmaster"), seconds=60)

    def start_daemons(self):
        self.start_controller()
        conf = self.program("qconf")
        self.until(lambda: self.run(conf, "-sh", check=False).code == 0, "sge_qmaster", 60)
        for words in (("-as", socket.gethostname()), ("-Ae", f"{self.dir}/host"),
                      ("-Ahgrp", f"{self.dir}/hostgroup"), ("-Aq", f"{self.dir}/queue"),
                      ("-Msconf", f"{self.dir}/scheduler")):
            self.run(conf, *words)
        self.run(self.program("sge_execd"), seconds=60)
        self.until(self.node_is_there, "the node", 120)

    def node_is_there(self):
        """In service, and with a load: before that no job goes to it."""
        lines = self.run(self.program("qstat"), "-f", check=False).stdout.splitlines()
        return any(line.startswith("all.q@") and re.search(r"\d\s+lx-\S+\s*$", line)
                   for line in lines)

    def controller_pid(self):
        with open(f"{self.dir}/state/qmaster.pid") as f:
            return int(f.read())

    # --- the words of its commands --------------------------------------------------------------

    def submit_argv(self, held=False):
        hold = ["-h"] if held else []
        return [self.program("qsub"), "-terse", "-o", "/dev/null", "-j", "y", *hold,
                f"{self.dir}/out/job.sh"]

    def array_argv(self, count, held=False):
        argv = self.submit_argv(held)
        return [*argv[:-1], "-t", f"1-{count}", argv[-1]]

    def wait_argv(self):
        argv = self.submit_argv()
        return [*argv[:-1], "-sync", "y", argv[-1]]

    def first_argv(self):
        return self.wait_argv()

    def nodes_argv(self):
        return [self.program("qhost")]

    def bulk(self, count):
        """The fastest way that its commands have: several at a time."""
        return self.spawn(min(count, 500), 4, self.submit_argv(held=True))

    bulk_way = "four qsub at a time"

    # --- its state ------------------------------------------------------------------------------

    def queued(self):
        """Numbers of jobs that have not ended yet."""
        out = self.run(self.program("qstat"), "-u", "*").stdout
        return [line.split()[0] for line in out.splitlines() if re.match(r"\s*\d+ ", line)]

    def submitted(self, done):
        found = re.search(r"\d+", done.stdout)
        if not found:
            raise Trouble(f"qsub said: {(done.stdout + done.stderr).strip()[:100]}")
        return found.group()

    def cancel_all(self):
        self.run(self.program("qdel"), "-f", "-u", "*", seconds=300, check=False)
        self.wait_empty()
