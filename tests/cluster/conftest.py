# SPDX-License-Identifier: Apache-2.0
"""Whole clusters on this machine: real daemons, real commands, one temporary folder each.

No fixed sleeps: wait_for polls until something holds, or fails with what it saw last.
"""
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

BIN = Path(os.environ.get("YM_BIN", "build/release/bin")).resolve()
PATIENCE = float(os.environ.get("YM_PATIENCE", "120"))
JOB_VARIABLES = re.compile(r"^(SLURM|SBATCH|SALLOC|SRUN|SQUEUE|SINFO|SCANCEL)")


def wait_for(holds, what="it", patience=PATIENCE):
    """The first true value that holds() gives."""
    end = time.monotonic() + patience
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > end:
            pytest.fail(f"waited {patience:.0f} s for {what}")
        time.sleep(0.03)


def alive(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


class Cluster:
    """A cluster in a folder, and commands that talk to it. `user` runs everything, if given."""

    def __init__(self, folder, user=None):
        self.folder = Path(folder)
        self.dir = self.folder / "yard"
        self.work = self.folder / "work"
        self.work.mkdir()
        self.conf = self.dir / "etc/slurm.conf"
        self.user = user
        self.home = self.folder
        if user:
            for path in (self.folder, self.work):
                shutil.chown(path, user)

    # --- commands ---

    def environment(self):
        env = {k: v for k, v in os.environ.items() if not JOB_VARIABLES.match(k)}
        env.update(SLURM_CONF=str(self.conf), HOME=str(self.home), LC_ALL="C", TZ="UTC",
                   PATH=f"{BIN}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        env.pop("XDG_STATE_HOME", None)
        return env

    def command(self, program, *args):
        words = [str(BIN / program), *map(str, args)]
        return ["runuser", "-u", self.user, "--", *words] if self.user else words

    def start(self, program, *args, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(self.command(program, *args), env=self.environment(),
                                cwd=self.work, text=True, **options)

    def run(self, program, *args, input=None, check=True, timeout=180):
        """CompletedProcess; with `check` a failure of the command fails the test."""
        given = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
        done = subprocess.run(self.command(program, *args), env=self.environment(), cwd=self.work,
                              text=True, capture_output=True, timeout=timeout, **given)
        if check and done.returncode != 0:
            pytest.fail(f"{program} {' '.join(map(str, args))} ended with {done.returncode}\n"
                        f"{done.stdout}{done.stderr}\n{self.logs()}")
        return done

    def up(self, *args, **options):
        return self.run("yardmaster", "up", "--dir", self.dir, *args, **options)

    def down(self, *args, **options):
        return self.run("yardmaster", "down", "--dir", self.dir, *args, **options)

    # --- jobs ---

    def sbatch(self, *args, script=None, **options):
        """The number of the new job. The script may be given as text."""
        if script is not None:
            options["input"] = script
        done = self.run("sbatch", "--parsable", *args, **options)
        return int(done.stdout.split(";")[0])

    def job(self, number):
        """`scontrol show job` as a dictionary; empty if the job is unknown."""
        done = self.run("scontrol", "show", "job", number, check=False)
        return dict(re.findall(r"(\S+?)=(\S*)", done.stdout))

    def wait_state(self, number, *states, patience=PATIENCE):
        seen = {}

        def there():
            seen.update(self.job(number))
            return seen.get("JobState") in states
        try:
            wait_for(there, f"job {number} to be {states}", patience)
        except pytest.fail.Exception:
            pytest.fail(f"job {number} is {seen.get('JobState')} ({seen.get('Reason')}), "
                        f"not {states}\n{self.logs()}")
        return seen

    def output(self, number, name=None):
        """The text of a job's output file, once the job has ended."""
        self.wait_state(number, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")
        path = self.work / (name or f"slurm-{number}.out")
        return wait_for(lambda: path.exists() and [path.read_text()], f"{path}")[0]

    def nodes(self):
        """Node -> state, as sinfo says it."""
        done = self.run("sinfo", "-h", "-N", "-o", "%N %T")
        return dict(line.split() for line in done.stdout.splitlines())

    # --- processes ---

    def pids(self, program=None, node=None):
        """Processes of this cluster: those whose command line has its folder."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            name = Path(words[0]).name.split(":")[0]  # "slurmstepd: [7.batch]"
            if not any(word.startswith(f"{self.dir}/") for word in words[1:]):
                continue
            if name not in ("slurmctld", "slurmd", "slurmstepd") or program not in (None, name):
                continue
            if node and node not in words:
                continue
            if alive(int(entry.name)):
                found.append(int(entry.name))
        return found

    def kill(self, program, node=None):
        """kill -9, and wait until it is gone."""
        pids = self.pids(program, node)
        assert len(pids) == 1, f"{program} {node}: {pids}"
        os.kill(pids[0], signal.SIGKILL)
        wait_for(lambda: not alive(pids[0]), f"{program} to die")

    def take_down(self):
        """At the end, whatever state it is in. Only processes of this folder."""
        self.run("yardmaster", "down", "--dir", self.dir, "--quiet", check=False)
        left = self.pids()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return left

    def logs(self):
        text = ""
        for path in sorted((self.dir / "log").glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()[-15:]
            text += f"--- {path.name}\n" + "\n".join(lines) + "\n"
        return text


def new_folder():
    # Short: sockets' paths are; and open to the users that tests make.
    folder = tempfile.mkdtemp(prefix="ym-", dir="/tmp")
    os.chmod(folder, 0o755)
    return folder


@pytest.fixture(scope="module")
def shared():
    """One cluster of four nodes for all tests of a file that leave it as they found it."""
    folder = new_folder()
    cluster = Cluster(folder)
    try:
        cluster.up("--nodes", 4, "--cpus", 2)
        yield cluster
    finally:
        cluster.take_down()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(shared):
    """The shared cluster; afterwards no job is left and all nodes are in service again."""
    yield shared
    shared.up("--quiet")
    shared.run("scancel", "--quiet", "--user", pwd.getpwuid(os.geteuid()).pw_name, check=False)
    wait_for(lambda: not shared.run("squeue", "-h").stdout, "the queue to be empty")


@pytest.fixture
def own_cluster():
    """A folder for a cluster of the test's own, not yet up."""
    folder = new_folder()
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.take_down()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def ordinary_user():
    """The name of a user who is not root, made for the test. Needs root."""
    if os.geteuid() != 0:
        pytest.skip("only root can make users")
    name = f"ymtest{os.getpid() % 100000}"
    subprocess.run(["useradd", "-M", "-d", "/nonexistent", name], check=True, capture_output=True)
    try:
        reach = ["runuser", "-u", name, "--", "test", "-x", str(BIN / "yardmaster")]
        if subprocess.run(reach, check=False).returncode != 0:
            pytest.skip(f"{BIN} is closed to other users")
        yield name
    finally:
        # By force: a process of his may be about to end.
        subprocess.run(["userdel", "-f", name], check=False, capture_output=True)


@pytest.fixture
def user_cluster(ordinary_user):
    folder = new_folder()
    cluster = Cluster(folder, user=ordinary_user)
    try:
        yield cluster
    finally:
        cluster.take_down()
        shutil.rmtree(folder, ignore_errors=True)
