# SPDX-License-Identifier: Apache-2.0
"""A cluster of real daemons in a folder of its own, with a hand on each process: for tests that
break things."""
import os
import pwd
import random
import signal
import socket
import subprocess
import time

BIN = os.environ.get("YM_BIN", os.path.join(os.path.dirname(__file__), "../../build/release/bin"))
# Under a sanitizer nobody's memory is his own.
SANITIZED = "YM_SANITIZED" in os.environ

CONF = """\
ClusterName={name}
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool/%n
SlurmctldPidFile={dir}/run/slurmctld.pid
SlurmdPidFile={dir}/run/slurmd-%n.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd-%n.log
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge={min_job_age}
{extra}
NodeName=DEFAULT NodeHostname=localhost NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000
NodeName=n[1-{nodes}] Port=[{first}-{last}]
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """A run of ports that nobody listens on, below those the kernel hands out itself."""
    for _ in range(200):
        first = random.randrange(10000, 32000 - count)
        held = []
        try:
            for port in range(first, first + count):
                s = socket.socket()
                held.append(s)
                s.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for s in held:
                s.close()
    raise RuntimeError("no free ports")


def wait_for(condition, seconds=180, what="condition"):
    """Polls until the condition gives something true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what} did not come true within {seconds} s"
        time.sleep(0.05)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Yard:
    def __init__(self, dir, nodes=2, cpus=4, min_job_age=600, extra=""):
        self.dir = str(dir)
        self.nodes = nodes
        self.port = port = free_ports(nodes + 1)
        for folder in ("run", "out"):
            os.makedirs(f"{self.dir}/{folder}", exist_ok=True)
        with open(f"{self.dir}/slurm.conf", "w") as f:
            f.write(CONF.format(
                name=f"yard{os.getpid()}", port=port, dir=self.dir, nodes=nodes, cpus=cpus,
                first=port + 1, last=port + nodes, min_job_age=min_job_age, extra=extra,
                user=pwd.getpwuid(os.geteuid()).pw_name))
        self.env = dict(os.environ, SLURM_CONF=f"{self.dir}/slurm.conf",
                        PATH=f"{BIN}:{os.environ['PATH']}")
        for name in list(self.env):
            if name.startswith(("SLURM_JOB", "SBATCH_", "SLURM_STEP")):
                del self.env[name]

    def run(self, *command, check=True, timeout=180, **kwargs):
        if "input" not in kwargs:
            kwargs["stdin"] = subprocess.DEVNULL
        done = subprocess.run(command, env=self.env, cwd=f"{self.dir}/out", capture_output=True,
                              text=True, timeout=timeout, **kwargs)
        if check:
            said = f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
            assert done.returncode == 0, f"{said}\n{self.logs()}"
        return done

    def logs(self, lines=15):
        text = ""
        for name in ["slurmctld"] + [f"slurmd-n{i}" for i in range(1, self.nodes + 1)]:
            try:
                with open(f"{self.dir}/{name}.log") as f:
                    text += f"--- {name}\n" + "".join(f.readlines()[-lines:])
            except OSError:
                pass
        return text

    def pid(self, daemon):
        try:
            with open(f"{self.dir}/run/{daemon}.pid") as f:
                return int(f.read())
        except (OSError, ValueError):
            return None

    def start_controller(self, *options):
        self.run("slurmctld", *options)

    def start_node(self, i):
        self.run("slurmd", "-N", f"n{i}")

    def start(self):
        self.start_controller()
        for i in range(1, self.nodes + 1):
            self.start_node(i)
        wait_for(lambda: self.idle_nodes() == self.nodes, what="all nodes idle")

    def idle_nodes(self):
        # A node has a line for each of its partitions.
        out = set(self.run("sinfo", "-h", "-N", "-o", "%N %t", check=False).stdout.splitlines())
        return sum(line.endswith(" idle") for line in out)

    def kill9(self, daemon):
        pid = self.pid(daemon)
        if pid and alive(pid):
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda: not alive(pid), what=f"{daemon} dead")

    def processes(self, word):
        """Those alive whose command line holds the word and this yard's folder."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/cmdline") as f:
                    command = f.read()
            except OSError:
                continue
            if word in command and self.dir in command and alive(int(entry)):
                found.append(int(entry))
        return found

    def shepherds(self):
        return self.processes("slurmstepd:")

    def is_of_job(self, pid):
        """It has a job's number or waits for a job's end, and has this yard's configuration or a
        place in its folder."""
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                variables = f.read().decode(errors="replace").split("\0")
            place = os.readlink(f"/proc/{pid}/cwd")
            with open(f"/proc/{pid}/comm") as f:
                name = f.read().strip()
        except OSError:
            return False
        return ((name in ("srun", "salloc")
                 or any(one.startswith("SLURM_JOB_ID=") for one in variables))
                and (f"SLURM_CONF={self.dir}/slurm.conf" in variables
                     or place.startswith(f"{self.dir}/")))

    def job_processes(self):
        """Those alive that are this yard's shepherds or of its jobs, and what these started."""
        pids = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
        children = {}
        for pid in pids:
            try:
                with open(f"/proc/{pid}/stat") as f:
                    parent = int(f.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(pid)
        found, look = set(), [*self.shepherds(), *filter(self.is_of_job, pids)]
        while look:
            pid = look.pop()
            if pid not in found and alive(pid):
                found.add(pid)
                look += children.get(pid, [])
        return sorted(found - {os.getpid()})

    def end_jobs(self):
        """Kills what is left of jobs; says whether there was nothing."""
        left = self.job_processes()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has just ended
        return not left

    def queue(self):
        return self.run("squeue", "-h", "-o", "%i %T %r").stdout.splitlines()

    def stop(self):
        for daemon in ["slurmctld"] + [f"slurmd-n{i}" for i in range(1, self.nodes + 1)]:
            pid = self.pid(daemon)
            if pid and alive(pid):
                os.kill(pid, signal.SIGTERM)
                try:
                    wait_for(lambda: not alive(pid), seconds=10)
                except AssertionError:
                    os.kill(pid, signal.SIGKILL)
        # What is left of jobs belongs to this cluster: the shepherds hold its spool open.
        wait_for(self.end_jobs, seconds=60, what="the end of what jobs have started")
