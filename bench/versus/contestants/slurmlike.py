# SPDX-License-Identifier: Apache-2.0
"""What Yardmaster and Slurm have in common: the commands."""
import os
import re
import shutil
from collections import Counter

from contestants.base import Contestant
from tree import Trouble

NEEDED = ("slurmctld", "slurmd", "sbatch", "srun", "salloc", "squeue", "sinfo", "scontrol")


class SlurmLike(Contestant):
    path = ""  # folders of its programs

    def program(self, name):
        found = shutil.which(name, path=self.path)
        if not found:
            raise Trouble(f"no {name} in {self.path}")
        return found

    def why_not(self):
        missing = [name for name in NEEDED if not shutil.which(name, path=self.path)]
        return f"no {', '.join(missing)} in {self.path}" if missing else None

    def environment(self):
        return dict(super().environment(), PATH=f"{self.path}:{os.environ['PATH']}",
                    SLURM_CONF=f"{self.dir}/slurm.conf")

    def versions(self):
        return os.popen(f"{self.program('slurmctld')} -V 2>/dev/null").read().strip()

    # --- life -----------------------------------------------------------------------------------

    def start_controller(self):
        self.run(self.program("slurmctld"))

    def start_daemons(self):
        self.start_controller()
        if self.asleep:
            return
        for i in range(1, self.nodes + 1):
            self.run(self.program("slurmd"), "-N", f"n{i}")
        self.until(lambda: self.idle_nodes() == self.nodes, "all nodes idle", 120)

    def idle_nodes(self):
        done = self.run(self.program("sinfo"), "-h", "-N", "-o", "%N %t", check=False)
        return sum(line.endswith(" idle") for line in set(done.stdout.splitlines()))

    def sleepers(self):
        """Lines and words of slurm.conf for nodes that have to be switched on first, and never are
        within the time of a benchmark."""
        words = {"POWER": "", "STATE": ""}
        if self.asleep:
            words["STATE"] = "State=CLOUD"
            words["POWER"] = "\n".join((
                "SuspendProgram=/bin/true", "ResumeProgram=/bin/true", "SuspendTime=86400",
                "ResumeTimeout=7200", "ResumeRate=0", "SuspendRate=0"))
        return words

    def controller_pid(self):
        with open(f"{self.dir}/run/slurmctld.pid") as f:
            return int(f.read())

    # --- the words of the commands --------------------------------------------------------------

    def submit_argv(self, held=False):
        hold = ["--hold"] if held else []
        return [self.program("sbatch"), "--parsable", "-o", "/dev/null", *hold,
                f"{self.dir}/out/job.sh"]

    def array_argv(self, count, held=False):
        argv = self.submit_argv(held)
        return [*argv[:-1], f"--array=1-{count}", argv[-1]]

    def wait_argv(self):
        """A batch job, until it has ended."""
        argv = self.submit_argv()
        return [*argv[:-1], "-W", argv[-1]]

    def list_argv(self):
        return [self.program("squeue")]

    def poller_argv(self):
        """Somebody who looks for jobs of his own, and has none."""
        return [self.program("squeue"), "-h", "-u", "nobody"]

    def one_argv(self, job):
        return [self.program("squeue"), "-h", "-j", job]

    def show_argv(self, job):
        return [self.program("scontrol"), "show", "job", job]

    def nodes_argv(self):
        return [self.program("sinfo")]

    def now_argv(self, *options):
        """A program on a node, at once, in an allocation of its own."""
        return [self.program("srun"), *options, "/bin/true"]

    def within_argv(self, tasks, argv):
        return [self.program("salloc"), "-Q", f"-n{tasks}", *argv]

    def step_argv(self):
        return [self.program("srun"), "-n1", "--exact", "/bin/true"]

    def submit_several(self, requests):
        """A job for each list of options, four submitting processes at a time."""
        argv = self.submit_argv()
        with open(f"{self.dir}/out/requests", "w") as f:
            f.writelines(" ".join(one) + "\n" for one in requests)
        self.run("xargs", "-P4", "-L1", f"--arg-file={self.dir}/out/requests", "sh", "-c",
                 f'exec {" ".join(argv[:-1])} "$@" {argv[-1]} >/dev/null', "sh", seconds=1200)

    def stir(self):
        """Something changes, so that the queue is looked at again."""
        self.run(*self.submit_argv())

    # --- its state ------------------------------------------------------------------------------

    def queued(self):
        """Numbers of jobs that have not ended yet."""
        out = self.run(self.program("squeue"), "-h", "-r", "-t", "all", "-o", "%A %T").stdout
        over = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")
        return [line.split()[0] for line in out.splitlines() if line.split()[1] not in over]

    def what_is_left(self):
        states = self.run(self.program("squeue"), "-h", "-r", "-o", "%T (%r)").stdout.splitlines()
        return ", ".join(f"{count} {state}" for state, count in Counter(states).most_common(3))

    def submitted(self, done):
        return re.search(r"\d+", done.stdout).group()

    def cancel_all(self):
        self.run(self.program("scancel"), "-u", self.tree.env["USER"], seconds=300)
        self.wait_empty()
