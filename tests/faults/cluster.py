# SPDX-License-Identifier: Apache-2.0
"""A cluster of real daemons on hosts of their own: a controller, nodes, and a login host where
users run commands."""
import glob
import os
import re
import shutil
import uuid

from hosts import Fabric, Host, Process, wait_until

BIN = os.path.abspath(os.environ.get(
    "YM_BIN", os.path.join(os.path.dirname(__file__), "../../build/release/bin")))
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
CPUS = 4
SLURMD_TIMEOUT_S = 10
DISK_MB = 48
USERS = {"ann": 60001, "bob": 60002, "cleo": 60003}  # uid and gid, on the hosts only

CONF = """\
ClusterName=faults
SlurmctldHost=ctl({controller})
SlurmctldPort=6817
SlurmdPort=6818
SlurmUser=root
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool/%n
SlurmctldPidFile={dir}/run/slurmctld.pid
SlurmdPidFile={dir}/run/slurmd-%n.pid
SlurmctldLogFile={dir}/log/slurmctld.log
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
token=$1 seconds=$2 cpus=$3
here={dir}/ledger/$SLURMD_NODENAME
run=${{SLURM_RESTART_COUNT:-0}}
me=$SLURM_JOB_ID.$run
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


class Site:
    def __init__(self, folder, nodes, seed, clocks=False, extra=""):
        self.dir = folder
        self.clocks = clocks and FAKETIME is not None
        self.nodes = [f"n{i}" for i in range(1, nodes + 1)]
        self.addresses = {"ctl": "10.77.0.1", "login": "10.77.0.2",
                          **{name: f"10.77.0.{10 + i}" for i, name in enumerate(self.nodes, 1)}}
        self.hosts, self.daemons, self.fabric = {}, {}, None
        self.sabotage = False
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

    def write_files(self, extra):
        for name in ("state", "spool", "run", "log", "ledger"):
            os.makedirs(f"{self.dir}/{name}", exist_ok=True)
        for node in self.nodes:
            os.makedirs(f"{self.dir}/ledger/{node}/alive")
            open(f"{self.dir}/ledger/{node}/log", "w").close()
            os.chmod(f"{self.dir}/ledger/{node}/log", 0o666)
            os.chmod(f"{self.dir}/ledger/{node}/alive", 0o777)
        lines = [f"NodeName={name} NodeAddr={self.addresses[name]}" for name in self.nodes]
        self.write("slurm.conf", CONF.format(
            dir=self.dir, controller=self.addresses["ctl"], login=self.addresses["login"],
            cpus=CPUS, slurmd_timeout=SLURMD_TIMEOUT_S, nodes="\n".join(lines),
            count=len(self.nodes), extra=extra))
        self.write("slurm.key", os.urandom(32).hex(), 0o600)
        self.write("job.sh", JOB.format(dir=self.dir), 0o755)
        for kind in ("passwd", "group"):
            with open(f"/etc/{kind}") as f:
                text = f.read().rstrip("\n") + "\n"
            for name, number in USERS.items():
                text += (f"{name}:x:{number}:{number}::/:/bin/sh\n" if kind == "passwd"
                         else f"{name}:x:{number}:\n")
            self.write(kind, text)
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
        lines = [f"-t tmpfs -o mode=755 none {self.dir}/run",
                 f"--bind {self.dir}/boot-{name} /proc/sys/kernel/random/boot_id",
                 f"--bind {self.dir}/passwd /etc/passwd", f"--bind {self.dir}/group /etc/group"]
        if name == "ctl":
            lines.append(f"-t tmpfs -o mode=700,size={DISK_MB}m none {self.dir}/state")
        return lines

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
        """The daemon of a host: slurmctld on a controller, slurmd elsewhere. `booted`: the machine
        has started, too, though its kernel has not."""
        if booted:
            self.set_boot_id(host)
        words = [f"{BIN}/slurmd", "-D", "-N", host, *(["-b"] if booted else [])]
        if host == "ctl":
            words = [f"{BIN}/slurmctld", "-D", *(["-c"] if self.sabotage else [])]
        self.daemons[host] = Process(self.hosts[host], words, self.environment(host),
                                     f"{self.dir}/log/{host}.out")

    def start_all(self):
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

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)
