# SPDX-License-Identifier: Apache-2.0
"""AuthType=auth/munge with a munged of its own: users' commands without the cluster's key, sackd or
a slurmd beside them."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest

from standbys import Standbys
from test_sackd import LoginYard, become
from test_trust import hello, knock
from yard import wait_for

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="needs root: acts as several users"),
              pytest.mark.skipif(not os.path.exists("/usr/sbin/munged") or
                                 not shutil.which("munge"), reason="munge is not installed")]


class Munged:
    def __init__(self, folder, key):
        os.makedirs(folder)
        os.chmod(folder, 0o755)
        with open(f"{folder}/key", "wb") as f:
            f.write(key * 128)
        os.chmod(f"{folder}/key", 0o600)
        self.socket = f"{folder}/munge.socket"
        self.process = subprocess.Popen(
            ["/usr/sbin/munged", "--foreground", "--force", f"--key-file={folder}/key",
             f"--socket={self.socket}", f"--pid-file={folder}/pid", f"--seed-file={folder}/seed",
             f"--log-file={folder}/log"], stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(self.socket), what="munged listens")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


@pytest.mark.parametrize("tls", ["none", "tls/s2n"])
def test_munge_says_who_a_user_is(tls):
    with tempfile.TemporaryDirectory(prefix="ym-munge-") as folder:
        os.chmod(folder, 0o755)
        munged, other = Munged(f"{folder}/m", b"k"), Munged(f"{folder}/o", b"o")
        yard = LoginYard(f"{folder}/yard", nodes=1,
                         extra=f"AuthType=auth/munge\nAuthInfo=socket={munged.socket}\n"
                         f"TLSType={tls}")
        try:
            yard.start()
            if tls != "none":
                shutil.copy(f"{yard.dir}/state/tls/ca_cert.pem", yard.login)
            done = yard.on_login("nobody", "sbatch", "--parsable", "-H", "-o", "/dev/null",
                                 "--wrap", "true")
            assert done.returncode == 0, done.stderr + yard.logs()
            job = done.stdout.strip()
            assert yard.run("squeue", "-h", "-o", "%u", "-j", job).stdout.strip() == "nobody"
            assert "Access/permission denied" in yard.on_login("bin", "scancel", job).stderr
            # The controller and a node, each with a credential of its own.
            done = yard.on_login("nobody", "srun", "id", "-un")
            assert done.stdout == "nobody\n", done.stderr + yard.logs()

            # Made for something else: not for this cluster, or for no channel.
            for payload, refusal in (("yardmaster cluster another", "not for this cluster"),
                                     (f"yardmaster cluster {yard.cluster} channel 00",
                                      "another connection")):
                made = subprocess.run(["munge", f"--string={payload}",
                                       f"--socket={munged.socket}"], capture_output=True,
                                      text=True, check=True, preexec_fn=become("nobody"))
                if tls == "none":
                    assert refusal in knock(yard.port, made.stdout.strip(), yard.cluster)

            # Of another realm: forged, as far as this cluster is concerned.
            with open(f"{yard.login}/slurm.conf") as f:
                text = f.read()
            with open(f"{yard.login}/slurm.conf", "w") as f:
                f.write(text.replace(munged.socket, other.socket))
            refused = yard.on_login("nobody", "squeue")
            assert refused.returncode != 0 and "munge: " in refused.stderr
        finally:
            yard.stop()
            munged.end()
            other.end()


def test_a_munged_that_is_stuck_holds_up_nobody_else():
    with tempfile.TemporaryDirectory(prefix="ym-munge-") as folder:
        os.chmod(folder, 0o755)
        munged = Munged(f"{folder}/m", b"k")
        yard = LoginYard(f"{folder}/yard", nodes=1,
                         extra=f"AuthType=auth/munge\nAuthInfo=socket={munged.socket}")
        waiting = []
        try:
            yard.start()
            munged.process.send_signal(signal.SIGSTOP)
            for port in (yard.port, yard.port + 1):  # slurmctld, slurmd
                for _ in range(40):
                    waiting.append(socket.create_connection(("127.0.0.1", port)))
                    waiting[-1].sendall(hello("MUNGE:AwQDAAB:"))
            # Who needs no munged is served: on the Unix socket, and with the key over the network.
            for _ in range(3):
                assert yard.run("squeue", "-h").stdout == ""
                assert yard.far("sinfo", "-h", "-o", "%D").stdout == "1\n"
            assert yard.run("srun", "echo", "here").stdout == "here\n"
            # There is a bound to how many wait.
            for _ in range(110):
                waiting.append(socket.create_connection(("127.0.0.1", yard.port)))
                waiting[-1].sendall(hello("MUNGE:AwQDAAB:"))
            assert "come back later" in knock(yard.port, "MUNGE:AwQDAAB:")
            munged.process.send_signal(signal.SIGCONT)
            wait_for(lambda: yard.on_login("nobody", "squeue", "-h").returncode == 0,
                     what="and users are known again")
        finally:
            for one in waiting:
                one.close()
            munged.process.send_signal(signal.SIGCONT)
            yard.stop()
            munged.end()


class LoginStandbys(LoginYard, Standbys):
    """Two controllers, and a login node that has no key."""


def test_a_standby_knows_users_by_munge_and_leads_them():
    with tempfile.TemporaryDirectory(prefix="ym-munge-") as folder:
        os.chmod(folder, 0o755)
        munged = Munged(f"{folder}/m", b"k")
        yard = LoginStandbys(f"{folder}/yard", nodes=1,
                             extra=f"AuthType=auth/munge\nAuthInfo=socket={munged.socket}")
        try:
            yard.start()
            # Each controller is asked over the network, with a credential of its own.
            ping = yard.on_login("nobody", "scontrol", "ping")
            assert ping.stdout.count("is UP") == 2, ping.stdout + ping.stderr + yard.logs()
            # What users may not do at a standby, they are told by it.
            denied = yard.on_login("nobody", "scontrol", "takeover")
            assert "Access/permission denied" in denied.stderr
            yard.kill9(yard.daemon(0))
            done = yard.on_login("nobody", "sbatch", "--parsable", "-H", "-o", "/dev/null",
                                 "--wrap", "true")
            assert done.returncode == 0, done.stderr + yard.logs()
            assert yard.leader() == 1
        finally:
            yard.stop()
            munged.end()
