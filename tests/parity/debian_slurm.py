# SPDX-License-Identifier: Apache-2.0
"""A cluster of Debian's slurm-wlm in a folder of its own, with the same hands on it as a Yard:
for comparisons. Nothing of it touches /etc/slurm, /run/munge or a service of the machine.

    slurm = debian_slurm.start(folder)      # or DebianSlurm(folder, nodes=4) and .start()
    slurm.run("srun", "true")
    slurm.stop()
"""
import os
import shutil
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cluster"))
from yard import Yard, alive, wait_for  # noqa: E402

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "sinfo", "scontrol")

# What their defaults would put outside the folder, or would need of the machine.
PRIVATE = """\
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={dir}/run/munge.socket
PlugStackConfig={dir}/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SwitchType=switch/none
MpiDefault=none
JobCompType=jobcomp/none
MailProg=/bin/true
"""


def why_not():
    """Why Debian's Slurm cannot run here, or None."""
    missing = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
    if missing:
        return f"Debian's slurm-wlm and munge are not installed (no {', '.join(missing)})"
    with open(os.path.realpath(shutil.which("slurmctld", path=PATH)), "rb") as f:
        if b"ardmaster" in f.read():
            return "the slurmctld in /usr is Yardmaster's own"
    if os.geteuid() != 0:
        return "only root can run a munged and slurmd of its own"
    return None


class DebianSlurm(Yard):
    """Its slurm.conf is a Yard's, so that both clusters have the same shape."""

    def __init__(self, dir, extra="", **shape):
        super().__init__(dir, extra=PRIVATE.format(dir=dir) + extra, **shape)
        path = f"{self.dir}/slurm.conf"
        with open(path) as f:
            text = f.read()
        # Its controller runs only under the machine's name, and DEFAULT may not name a host.
        host = socket.gethostname().split(".")[0]
        text = text.replace("SlurmctldHost=localhost", f"SlurmctldHost={host}")
        text = text.replace(" NodeHostname=localhost NodeAddr=127.0.0.1", "")
        text = text.replace(" Port=[", " NodeHostname=localhost NodeAddr=127.0.0.1 Port=[")
        with open(path, "w") as f:
            f.write(text)
        for name in ("plugstack.conf", "cgroup.conf"):
            open(f"{self.dir}/{name}", "w").close()
        for i in range(1, self.nodes + 1):
            os.makedirs(f"{self.dir}/spool/n{i}", exist_ok=True)
        os.makedirs(f"{self.dir}/state", exist_ok=True)
        self.env["PATH"] = PATH
        self.munged = None

    def start_munged(self):
        with open(f"{self.dir}/munge.key", "wb") as f:
            os.fchmod(f.fileno(), 0o600)
            f.write(os.urandom(128))
        self.munged = subprocess.Popen(
            ["munged", "--foreground", "--force", f"--socket={self.dir}/run/munge.socket",
             f"--key-file={self.dir}/munge.key", f"--pid-file={self.dir}/run/munged.pid",
             f"--log-file={self.dir}/munged.log", f"--seed-file={self.dir}/munged.seed",
             "--num-threads=4"],
            env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(f"{self.dir}/run/munge.socket"), what="munged's socket")

    def start_controller(self, *options):
        if not self.munged:
            self.start_munged()
        super().start_controller(*options)

    def stop(self):
        super().stop()
        if self.munged:
            self.munged.send_signal(signal.SIGTERM)
            self.munged.wait(20)
            self.munged = None

    def shepherds(self):
        """Their titles do not name the folder; their parents and open files do."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/cmdline") as f:
                    mine = "slurmstepd" in f.read()
                with open(f"/proc/{entry}/environ") as f:
                    mine = mine and f"SLURM_CONF={self.dir}/slurm.conf" in f.read()
            except OSError:
                continue
            if mine and alive(int(entry)):
                found.append(int(entry))
        return found


def start(folder, **shape):
    slurm = DebianSlurm(folder, **shape)
    try:
        slurm.start()
    except BaseException:
        slurm.stop()
        raise
    return slurm
