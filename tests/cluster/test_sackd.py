# SPDX-License-Identifier: Apache-2.0
"""A login node: commands of real users who cannot read the key, and no slurmd beside them; with a
slurm.conf of its own, or with the controller's."""
import os
import pwd
import shutil
import signal
import subprocess
import tempfile

import pytest

from test_clock import LIBRARY as CLOCK, NO_LIBRARY
from test_trust import RemoteYard, write_secret
from yard import SANITIZED, alive, wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: acts as several users")
OWNER = "daemon"  # sackd's user: it needs no privilege


def become(user):
    entry = pwd.getpwnam(user)

    def change():
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    return change


class LoginYard(RemoteYard):
    """Beside the cluster a folder that is a login node's: no socket of another daemon is there."""

    def __init__(self, dir, **kwargs):
        super().__init__(dir, **kwargs)
        self.login = f"{self.dir}/login"
        os.makedirs(self.login)
        with open(f"{self.dir}/slurm.conf") as f:
            text = f.read()
        with open(f"{self.login}/slurm.conf", "w") as f:
            f.write(text.replace(f"{self.dir}/run/", f"{self.login}/"))
        self.login_env = dict(self.env, SLURM_CONF=f"{self.login}/slurm.conf")
        shutil.chown(self.login, OWNER)

    def bring_key(self):
        with open(f"{self.dir}/slurm.key", "rb") as f:
            write_secret(f"{self.login}/slurm.key", f.read())
        shutil.chown(f"{self.login}/slurm.key", OWNER)

    def start_sackd(self):
        subprocess.run(["sackd", "-L", f"{self.login}/sackd.log"], env=self.login_env, check=True,
                       timeout=180, preexec_fn=become(OWNER))
        with open(f"{self.login}/sackd.pid") as f:
            return int(f.read())

    def on_login(self, user, *command):
        return subprocess.run(command, env=self.login_env, cwd=f"{self.dir}/out", text=True,
                              capture_output=True, timeout=180, preexec_fn=become(user),
                              stdin=subprocess.DEVNULL)


@pytest.fixture
def yard():
    with tempfile.TemporaryDirectory(prefix="ym-sackd-") as folder:
        yard = LoginYard(folder, nodes=1)
        pids = []
        start = yard.start_sackd

        def start_and_note():
            pids.append(start())
            return pids[-1]
        yard.start_sackd = start_and_note
        yield yard
        for pid in pids:
            if alive(pid):
                os.kill(pid, signal.SIGTERM)
                wait_for(lambda: not alive(pid), what="sackd has ended")
        yard.stop()


def test_commands_of_a_login_node_are_their_users(yard):
    yard.start()
    yard.bring_key()
    refused = yard.on_login("nobody", "sbatch", "-H", "--wrap", "true")
    assert refused.returncode != 0
    assert "no way to prove who is asking" in refused.stderr

    pid = yard.start_sackd()
    if not SANITIZED:  # its memory, with the key in it, is not for others of its user
        assert os.stat(f"/proc/{pid}/environ").st_uid == 0
    for user in ("nobody", "bin"):
        done = yard.on_login(user, "sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap",
                             "true")
        assert done.returncode == 0, done.stderr + yard.logs()
        job = done.stdout.strip()
        shown = yard.run("squeue", "-h", "-o", "%u", "-j", job).stdout.strip()
        assert shown == user
    # Their jobs are theirs: the other one may not cancel them.
    done = yard.on_login("nobody", "scancel", job)
    assert "Access/permission denied" in done.stderr
    assert yard.on_login("bin", "scancel", job).returncode == 0
    # A step: the same token serves the controller and the node.
    done = yard.on_login("nobody", "srun", "id", "-un")
    assert done.stdout == "nobody\n", done.stderr + yard.logs()

    # Another key, without a stop: nobody else on this machine has to know.
    write_secret(f"{yard.login}/slurm.key", b"n" * 32)
    shutil.chown(f"{yard.login}/slurm.key", OWNER)
    os.kill(pid, signal.SIGHUP)

    def refused_now():
        return "not signed with this cluster's key" in yard.on_login("nobody", "squeue").stderr
    wait_for(refused_now, what="sackd signs with the new key, which is not the cluster's")
    yard.bring_key()
    os.kill(pid, signal.SIGHUP)
    wait_for(lambda: yard.on_login("nobody", "squeue").returncode == 0, what="the old key is back")


@pytest.mark.skipif(not CLOCK, reason=NO_LIBRARY)
def test_a_login_node_whose_clock_is_behind_is_served_right_after_a_restart():
    with tempfile.TemporaryDirectory(prefix="ym-sackd-") as folder:
        yard = LoginYard(folder, nodes=1, extra="TLSType=tls/s2n\n")
        yard.login_env.update(LD_PRELOAD=CLOCK, FAKETIME="-50s", FAKETIME_DONT_FAKE_MONOTONIC="1",
                              DONT_FAKE_MONOTONIC="1")
        pids = []
        try:
            yard.start()
            yard.bring_key()
            pids.append(yard.start_sackd())
            wait_for(lambda: os.path.exists(f"{yard.login}/sackd.ca"), what="the authority")
            yard.kill9("slurmctld")
            yard.start_controller()
            # What sackd signs now looks older than the controller is.
            done = yard.on_login("nobody", "squeue", "-h")
            assert done.returncode == 0, done.stderr + yard.logs()
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGTERM)
                wait_for(lambda: not alive(pid), what="sackd has ended")
            yard.stop()


def test_sackd_says_why_it_does_not_start(yard):
    yard.start()
    done = subprocess.run(["sackd"], env=yard.login_env, text=True, capture_output=True,
                          timeout=180, preexec_fn=become(OWNER))
    assert done.returncode == 1 and "slurm.key" in done.stderr
    with open(f"{yard.dir}/slurm.key", "rb") as f:
        write_secret(f"{yard.login}/slurm.key", f.read())  # root's: daemon cannot read it
    done = subprocess.run(["sackd"], env=yard.login_env, text=True, capture_output=True,
                          timeout=180, preexec_fn=become(OWNER))
    assert done.returncode == 1 and "slurm.key" in done.stderr


class BareLogin:
    """A machine with the key and nothing else of the cluster's: a mount namespace in which the
    daemons' folder, /run and /etc/slurm are others."""

    def __init__(self, yard, key):
        self.yard = yard
        folders = [f"{yard.dir}/run", "/run"] + [d for d in ["/etc/slurm"] if os.path.isdir(d)]
        script = "".join(f"mount -t tmpfs tmpfs {folder} && " for folder in folders)
        script += (f"chown {OWNER} {yard.dir}/run && mkdir /run/slurm && chown {OWNER} /run/slurm "
                   "&& echo ready && exec sleep infinity")
        self.anchor = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
            stdout=subprocess.PIPE, text=True)
        assert self.anchor.stdout.readline() == "ready\n"
        write_secret(f"{yard.login}/slurm.key", key)
        shutil.chown(f"{yard.login}/slurm.key", OWNER)
        os.unlink(f"{yard.login}/slurm.conf")
        self.env = dict(yard.env, SLURM_KEY_FILE=f"{yard.login}/slurm.key")
        del self.env["SLURM_CONF"]

    def start(self, user, *command, **more):
        entry = pwd.getpwnam(user)
        return subprocess.Popen(
            ["nsenter", "-t", str(self.anchor.pid), "-m", "-S", str(entry.pw_uid), "-G",
             str(entry.pw_gid), f"--wd={self.yard.dir}/out", *command],
            env=self.env, text=True, stdin=subprocess.DEVNULL, **more)

    def run(self, user, *command):
        process = self.start(user, *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(timeout=180)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def read(self, path):
        return self.run("root", "cat", path).stdout

    def end(self):
        self.anchor.kill()
        self.anchor.wait()


CONF = "/run/slurm/conf"  # where commands look without being told


@pytest.mark.parametrize("tls", ["tls/s2n", "none"])
def test_a_login_node_without_files_has_the_controllers(tls):
    with tempfile.TemporaryDirectory(prefix="ym-sackd-") as folder:
        yard = LoginYard(folder, nodes=1, extra=f"TLSType={tls}\n")
        key = os.urandom(32)
        write_secret(f"{yard.dir}/slurm.key", key)
        bare = BareLogin(yard, key)
        nobody_there = "127.0.0.1:1"
        sackd = bare.start(OWNER, "sackd", "-D", "--conf-server",
                           f"{nobody_there},127.0.0.1:{yard.port}", stderr=subprocess.PIPE)
        try:
            # It waits, says for whom, and goes on when the controller is there.
            said = sackd.stderr.readline()
            assert "sackd: waiting for slurmctld" in said and str(yard.port) in said
            yard.start()
            wait_for(lambda: bare.run("nobody", "squeue").returncode == 0, what="sackd serves")
            with open(f"{yard.dir}/slurm.conf") as f:
                text = f.read()
            assert bare.read(f"{CONF}/slurm.conf") == text
            done = bare.run("nobody", "srun", "id", "-un")
            assert done.stdout == "nobody\n", done.stderr + yard.logs()

            # What the controller takes over, commands have soon after, and what is gone is gone.
            with open(f"{yard.dir}/slurm.conf", "w") as f:
                f.write(text + "PartitionName=second Nodes=ALL\n")
            with open(f"{yard.dir}/cgroup.conf", "w") as f:
                f.write("CgroupPlugin=disabled\n")
            yard.run("scontrol", "reconfigure")
            wait_for(lambda: "second" in bare.read(f"{CONF}/slurm.conf"), what="the new file")
            assert bare.read(f"{CONF}/cgroup.conf") == "CgroupPlugin=disabled\n"
            os.unlink(f"{yard.dir}/cgroup.conf")
            yard.run("scontrol", "reconfigure")
            wait_for(lambda: bare.read(f"{CONF}/cgroup.conf") == "", what="the old file to go")
            assert bare.run("nobody", "sinfo", "-h", "-p", "second").returncode == 0
        finally:
            sackd.terminate()
            sackd.communicate()
            bare.end()
            yard.stop()


def test_whoever_lacks_the_key_fetches_nothing(yard):
    yard.start()
    bare = BareLogin(yard, b"w" * 32)
    try:
        done = bare.run(OWNER, "sackd", "-D", "--conf-server", f"127.0.0.1:{yard.port}")
        assert done.returncode == 1 and "key" in done.stderr, done.stderr
        assert bare.read(f"{CONF}/slurm.conf") == ""
    finally:
        bare.end()
