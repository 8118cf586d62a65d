# SPDX-License-Identifier: Apache-2.0
"""A cluster of real daemons on hosts of their own: controllers, nodes, perhaps an etcd, and a login
host where users run commands."""
import glob
import os
import re
import shutil
import subprocess
import uuid

from dataclasses import dataclass

from hosts import Fabric, Host, Process, wait_until

BIN = os.path.abspath(os.environ.get(
    "YM_BIN", os.path.join(os.path.dirname(__file__), "../../build/release/bin")))
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
ETCD = shutil.which("etcd", path="/usr/bin:/usr/sbin:/usr/local/bin")
CPUS = 4
SLURMD_TIMEOUT_S = 10
DISK_MB, SPOOL_MB = 48, 8
MEMBER_MB = 256  # an etcd keeps two files of 64 MB ahead
USERS = {"ann": 60001, "bob": 60002, "cleo": 60003}  # uid and gid, on the hosts only

CONF = """\
ClusterName=faults
{controllers}
SlurmctldPort=6817
SlurmdPort=6818
SlurmUser=root
StateSaveLocation={state}
SlurmdSpoolDir={dir}/spool/%n
SlurmctldPidFile={dir}/run/slurmctld.pid
SlurmdPidFile={dir}/run/slurmd-%n.pid
SlurmctldLogFile={dir}/log/slurmctld{which}.log
SlurmdLogFile={dir}/log/slurmd-%n.log
SlurmctldDebug=debug
SlurmdDebug=debug
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=60000
MessageTimeout=5
SlurmdTimeout={slurmd_timeout}
KillWait=2
{extra}
NodeName=DEFAULT CPUs={cpus} RealMemory=2000
{nodes}
NodeName=login NodeAddr={login}
PartitionName=debug Nodes=n[1-{count}] Default=YES MaxTime=INFINITE State=UP
"""

# A job that tells what it sees. While one of its processes lives, it holds the lock of a file named
# after it: so each job that starts sees who is still there, whatever the controller believes.
JOB = """\
#!/bin/sh
token=$1${{SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}} seconds=$2 cpus=$3
here={dir}/ledger/$SLURMD_NODENAME
run=${{SLURM_RESTART_COUNT:-0}}
me=${{SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}}${{SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}}.$run
alive=$here/alive/$token:$run:$cpus
exec 9>"$alive"
flock -w 5 9
others=
for file in "$here"/alive/*; do
  [ "$file" = "$alive" ] || flock -s -n "$file" true || others=$others,${{file##*/}}
done
tell() {{
  read -r up rest </proc/uptime
  echo "$1 $token $me $cpus $up $2" >>"$here/log"
}}
tell start "${{others:--}}"
trap 'tell killed; exit 1' TERM
sleep "$seconds" &
wait $!
tell done
rm -f "$alive"
echo "said $token"
"""


ETCD_CLIENTS, ETCD_PEERS = 2379, 2380


@dataclass
class Setup:
    """Which hosts there are. Several controllers share a folder, or the members of an etcd."""
    nodes: int = 3
    controllers: int = 1
    etcd: int = 0
    clocks: bool = False  # whether clocks of daemons can be moved, for a price

    def controller_names(self):
        return ["ctl"] + [f"ctl{i}" for i in range(2, self.controllers + 1)]

    def node_names(self):
        return [f"n{i}" for i in range(1, self.nodes + 1)]

    def etcd_names(self):
        return [f"e{i}" for i in range(1, self.etcd + 1)]

    def words(self):
        home = f", etcd of {self.etcd}" if self.etcd else ""
        return f"{self.controllers} controller{'s' if self.controllers > 1 else ''}{home}"


class Site:
    def __init__(self, folder, seed, setup, extra=""):
        self.dir, self.setup = folder, setup
        self.clocks = setup.clocks and FAKETIME is not None
        self.controllers, self.nodes = setup.controller_names(), setup.node_names()
        self.members = setup.etcd_names()
        self.addresses = {"login": "10.77.0.2"}
        for first, names in ((10, self.nodes), (30, self.controllers), (40, self.members)):
            self.addresses |= {name: f"10.77.0.{first + i}" for i, name in enumerate(names, 1)}
        self.hosts, self.daemons, self.fabric = {}, {}, None
        self.sabotage = False
        self.full = set()  # nodes whose disk was full for a while
        self.rush_until = 0.0  # users submit as fast as they can until then
        self.write_files(extra)
        try:
            for name, address in self.addresses.items():
                self.hosts[name] = Host(name, address, folder, self.mounts(name))
            self.fabric = Fabric(list(self.hosts.values()), seed)
        except BaseException:
            self.close()
            raise

    # --- making it ---

    def state(self):
        if not self.members:
            return f"{self.dir}/state"
        places = ",".join(f"{self.addresses[one]}:{ETCD_CLIENTS}" for one in self.members)
        return f"etcd://{places}/faults"

    def disk(self, host):
        """The folder that is a small disk of the host's own: that of the state, of a spool, or of
        an etcd's member."""
        if host in self.controllers:
            return f"{self.dir}/state"
        return f"{self.dir}/{'etcd' if host in self.members else 'spool'}/{host}"

    def disk_sizes(self):
        """In MB. Controllers share one."""
        return ({self.controllers[0]: DISK_MB} | {name: SPOOL_MB for name in self.nodes}
                | {name: MEMBER_MB for name in self.members})

    def write_files(self, extra):
        for name in ("state", "spool", "run", "log", "ledger", "etcd"):
            os.makedirs(f"{self.dir}/{name}", exist_ok=True)
        # In this process's own view of the machine, which the hosts inherit.
        for host, size in self.disk_sizes().items():
            os.makedirs(self.disk(host), exist_ok=True)
            mode = 755 if host in self.nodes else 700  # users read their scripts there
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode={mode},size={size}m", "none",
                            self.disk(host)], check=True)
        for node in self.nodes:
            os.makedirs(f"{self.dir}/ledger/{node}/alive")
            open(f"{self.dir}/ledger/{node}/log", "w").close()
            os.chmod(f"{self.dir}/ledger/{node}/log", 0o666)
            os.chmod(f"{self.dir}/ledger/{node}/alive", 0o777)
        places = [f"{name}({self.addresses[name]})" for name in self.controllers]
        lines = [f"NodeName={name} NodeAddr={self.addresses[name]}" for name in self.nodes]
        self.write("slurm.conf", CONF.format(
            dir=self.dir, controllers="\n".join(f"SlurmctldHost={place}" for place in places),
            login=self.addresses["login"], state=self.state(),
            which="-%n" if len(places) > 1 else "", cpus=CPUS,
            slurmd_timeout=SLURMD_TIMEOUT_S, nodes="\n".join(lines), count=len(self.nodes),
            extra=extra))
        self.write("slurm.key", os.urandom(32).hex(), 0o600)
        self.write("job.sh", JOB.format(dir=self.dir), 0o755)
        # The whole folder: a mount over a single file goes when somebody replaces the file.
        shutil.copytree("/etc", f"{self.dir}/etc", symlinks=True)
        for name, number in USERS.items():
            with open(f"{self.dir}/etc/passwd", "a") as f:
                f.write(f"{name}:x:{number}:{number}::/:/bin/sh\n")
            with open(f"{self.dir}/etc/group", "a") as f:
                f.write(f"{name}:x:{number}:\n")
        for name in self.addresses:
            self.set_clock(name, "+0")
            self.set_boot_id(name)

    def write(self, name, text, mode=0o644):
        with open(f"{self.dir}/{name}", "w") as f:
            f.write(text)
        os.chmod(f"{self.dir}/{name}", mode)

    def mounts(self, name):
        """Sockets, pid files and the boot's name are the host's own; users exist on the hosts
        only."""
        return [f"-t tmpfs -o mode=755 none {self.dir}/run",
                f"--bind {self.dir}/boot-{name} /proc/sys/kernel/random/boot_id",
                f"--bind {self.dir}/etc /etc"]

    # --- daemons ---

    def environment(self, clock_of=None):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("SLURM", "SBATCH", "SRUN", "LD_PRELOAD", "FAKETIME"))}
        env.update(SLURM_CONF=f"{self.dir}/slurm.conf", LC_ALL="C",
                   PATH=f"{BIN}:/usr/sbin:/usr/bin:/sbin:/bin")
        if clock_of and self.clocks:
            env.update(LD_PRELOAD=FAKETIME, FAKETIME_NO_CACHE="1",
                       FAKETIME_TIMESTAMP_FILE=f"{self.dir}/clock-{clock_of}",
                       FAKETIME_DONT_FAKE_MONOTONIC="1", DONT_FAKE_MONOTONIC="1")
        return env

    def set_clock(self, host, offset):
        self.write(f"clock-{host}.new", offset)
        os.rename(f"{self.dir}/clock-{host}.new", f"{self.dir}/clock-{host}")

    def set_boot_id(self, host):
        self.write(f"boot-{host}", f"{uuid.uuid4()}\n")

    def start(self, host, booted=False):
        """The daemon of a host: slurmctld, etcd or slurmd. `booted`: the machine has
        started, too, though its kernel has not."""
        if booted:
            self.set_boot_id(host)
        words = [f"{BIN}/slurmd", "-D", "-N", host, *(["-b"] if booted else [])]
        if host in self.controllers:
            words = [f"{BIN}/slurmctld", "-D", *(["-c"] if self.sabotage else [])]
        elif host in self.members:
            words = self.etcd_words(host)
        self.daemons[host] = Process(self.hosts[host], words, self.environment(host),
                                     f"{self.dir}/log/{host}.out")

    def etcd_words(self, host):
        def url(name, port):
            return f"http://{self.addresses[name]}:{port}"
        everybody = ",".join(f"{one}={url(one, ETCD_PEERS)}" for one in self.members)
        return [ETCD, "--name", host, "--data-dir", f"{self.dir}/etcd/{host}",
                "--listen-client-urls", url(host, ETCD_CLIENTS),
                "--advertise-client-urls", url(host, ETCD_CLIENTS),
                "--listen-peer-urls", url(host, ETCD_PEERS),
                "--initial-advertise-peer-urls", url(host, ETCD_PEERS),
                "--initial-cluster", everybody, "--logger", "zap"]

    def start_all(self):
        """In any order: they wait for each other."""
        for host in self.hosts:
            self.start(host)
        wait_until(lambda: self.idle_nodes() == set(self.nodes), "idle nodes", 60)

    def dead(self):
        """Hosts whose daemon has ended, though nobody killed it."""
        return [host for host, daemon in self.daemons.items() if not daemon.alive()]

    # --- commands ---

    def ask(self, *words, user="root", patience=20):
        """A command on the login host. It is ended when it takes too long: status 124 or 137."""
        number = USERS.get(user, 0)
        return self.hosts["login"].run(
            ["timeout", "-k", "2", str(patience), f"{BIN}/{words[0]}", *words[1:]],
            user=(number, number) if number else None, env=self.environment(),
            timeout=patience + 30)

    def idle_nodes(self):
        rows = self.ask("sinfo", "-h", "-N", "-p", "debug", "-o", "%N %T").stdout.splitlines()
        return {row.split()[0] for row in rows if row.endswith(" idle")}

    def resume(self, node):
        """What an administrator does who has made room on a node: it was drained, with a reason,
        if a batch script could not be started there. Whatever else drains it stays."""
        reason = self.ask("sinfo", "-h", "-N", "-p", "debug", "-n", node, "-o", "%T|%E",
                          patience=4).stdout.strip()
        if re.fullmatch(r"drain\w+\|batch job complete failure", reason):
            self.ask("scontrol", "update", f"nodename={node}", "state=resume", patience=4)

    def leader(self):
        """The controller that leads, as far as one can tell; the first, if not."""
        if len(self.controllers) > 1:
            pong = self.ask("scontrol", "ping", patience=4).stdout
            said = re.search(r"^(\w+) leads$", pong, re.M)
            if said and said[1] in self.controllers:
                return said[1]
        return self.controllers[0]

    # --- what the jobs saw ---

    def ledger(self, node):
        with open(f"{self.dir}/ledger/{node}/log") as f:
            return f.read().splitlines()

    def note(self, node, text):
        with open(f"{self.dir}/ledger/{node}/log", "a") as f:
            f.write(text + "\n")

    def left_over(self):
        """Jobs of which a process lives."""
        found = []
        for path in glob.glob(f"{self.dir}/ledger/*/alive/*"):
            if self.hosts["login"].run(["flock", "-s", "-n", path, "true"]).returncode != 0:
                found.append(os.path.basename(path))
        return found

    def log_lines(self, pattern):
        found = []
        for path in sorted(glob.glob(f"{self.dir}/log/*")):
            with open(path, errors="replace") as f:
                found += [f"{os.path.basename(path)}: {line.rstrip()}" for line in f
                          if re.search(pattern, line)]
        return found

    def close(self):
        for host in self.hosts.values():
            host.close()
        if self.fabric:
            self.fabric.close()
        for host in self.disk_sizes():
            subprocess.run(["umount", self.disk(host)], check=False)

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)
