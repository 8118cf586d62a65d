# SPDX-License-Identifier: Apache-2.0
"""A login node: commands of real users who cannot read the key, and no slurmd beside them."""
import os
import pwd
import shutil
import signal
import subprocess
import tempfile

import pytest

from test_trust import RemoteYard, write_secret
from yard import alive, wait_for

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
