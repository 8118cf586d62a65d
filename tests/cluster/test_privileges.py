# SPDX-License-Identifier: Apache-2.0
"""As whom the daemons run, and with which rights of root: slurmctld becomes SlurmUser, slurmd keeps
what it needs, and jobs notice nothing of either."""
import os
import pwd
import shutil
import subprocess
import tempfile

import pytest

from test_trust import SlurmUserYard, identity, needs_root
from yard import SANITIZED, Yard, wait_for

pytestmark = needs_root
USER = "nobody"
# CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, NET_BIND_SERVICE, NET_ADMIN, SYS_PTRACE,
# SYS_ADMIN, SYS_NICE, SYS_RESOURCE: docs/SECURITY.md says what for.
KEPT = sum(1 << one for one in (0, 1, 3, 5, 6, 7, 10, 12, 19, 21, 23, 24))


class RootStarts(SlurmUserYard):
    """slurmctld is started as root, as an init script does it."""

    def start_controller(self, *options):
        self.run("slurmctld", *options)

    def set_slurm_user(self, before, after):
        with open(f"{self.dir}/slurm.conf") as f:
            text = f.read()
        with open(f"{self.dir}/slurm.conf", "w") as f:
            f.write(text.replace(f"SlurmUser={before}\n", f"SlurmUser={after}\n"))

    def stop_controller(self):
        pid = self.pid("slurmctld")
        os.kill(pid, 15)
        wait_for(lambda: not os.path.exists(f"/proc/{pid}"), what="the end of slurmctld")

    def owners(self, *names):
        """Who has what is in these folders, and the files themselves."""
        found = {}
        for name in names:
            top = f"{self.dir}/{name}"
            found[name] = pwd.getpwuid(os.stat(top).st_uid).pw_name
            for folder, folders, files in os.walk(top):
                for one in folders + files:
                    path = os.path.join(folder, one)
                    found[os.path.relpath(path, self.dir)] = pwd.getpwuid(
                        os.lstat(path).st_uid).pw_name
        return found


@pytest.fixture
def yard():
    with tempfile.TemporaryDirectory(prefix="ym-rights-") as folder:
        one = RootStarts(folder, nodes=1)
        yield one
        one.stop()


def status_of(pid):
    with open(f"/proc/{pid}/status") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def test_a_controller_that_root_starts_becomes_slurm_user(yard):
    yard.start()
    pid = yard.pid("slurmctld")
    assert identity(pid) == ({str(yard.owner.pw_uid)}, 0)
    status = status_of(pid)
    assert set(status["Gid"].split()) == {str(yard.owner.pw_gid)}
    groups = os.getgrouplist(yard.SLURM_USER, yard.owner.pw_gid)
    assert {int(one) for one in status["Groups"].split()} == set(groups)
    assert all(int(status[one], 16) == 0 for one in ("CapPrm", "CapEff", "CapInh", "CapAmb"))
    if not SANITIZED:  # its memory, with the key in it, is nobody's to look at
        assert os.stat(f"/proc/{pid}/environ").st_uid == 0
    owners = yard.owners("state", "slurmctld.log", "slurm.key", "run/slurmctld.pid",
                         "run/slurmctld.sock")
    assert set(owners.values()) == {yard.SLURM_USER}, owners
    assert yard.as_user(USER, "srun", "id", "-un").stdout == f"{USER}\n"
    # The user himself can go on.
    yard.stop_controller()
    yard.as_user(yard.SLURM_USER, "slurmctld")
    wait_for(lambda: yard.idle_nodes() == 1, what="the node")


def test_what_root_left_is_given_to_slurm_user_and_nothing_else(yard):
    yard.set_slurm_user(yard.SLURM_USER, "root")
    yard.start()
    assert identity(yard.pid("slurmctld"))[0] == {"0"}, "SlurmUser=root stays root"
    held = yard.run("sbatch", "--parsable", "-H", "--wrap", "true").stdout.strip()
    yard.stop_controller()
    assert yard.owners("state")["state/log"] == "root"
    os.chown(f"{yard.dir}/slurm.key", yard.owner.pw_uid, yard.owner.pw_gid)
    yard.set_slurm_user("root", yard.SLURM_USER)
    # The folder is others', too, and one of them has a name that we might use.
    os.chown(f"{yard.dir}/state", yard.owner.pw_uid, yard.owner.pw_gid)
    os.makedirs(f"{yard.dir}/state/tls-of-others", mode=0o755)
    os.makedirs(f"{yard.dir}/state/cron")
    os.symlink("/etc/passwd", f"{yard.dir}/state/cron/link")
    yard.start_controller()
    owners = yard.owners("state", "slurmctld.log")
    strangers = {name for name, owner in owners.items() if owner != yard.SLURM_USER}
    assert strangers == {"state/tls-of-others", "state/cron", "state/cron/link"}, owners
    assert os.stat("/etc/passwd").st_uid == 0
    assert held in yard.run("squeue", "-h", "-o", "%i").stdout.split()


def test_a_key_that_slurmd_made_is_slurm_users(yard):
    yard.start_node(1)  # whoever comes first on the controller's machine
    assert yard.owners("slurm.key") == {"slurm.key": yard.SLURM_USER}
    yard.start_controller()
    wait_for(lambda: yard.idle_nodes() == 1, what="the node")


def test_what_slurm_user_cannot_use_is_said(yard):
    with open(os.open(f"{yard.dir}/slurm.key", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as f:
        f.write(os.urandom(64))
    refused = yard.run("slurmctld", check=False)
    assert refused.returncode == 1
    assert f"chown {yard.SLURM_USER} {yard.dir}/slurm.key" in refused.stderr
    doctor = yard.run("yardmaster", "doctor", check=False).stdout
    assert f"chown {yard.SLURM_USER} {yard.dir}/slurm.key" in doctor


def test_a_pid_file_may_be_in_a_folder_of_roots(yard):
    """As Slurm's default, /run/slurmctld.pid: the sockets are in a folder of that name then."""
    os.chown(f"{yard.dir}/run", 0, 0)
    for _ in range(2):  # what the first one left does not hinder the second
        yard.run("slurmctld")
        with open(f"{yard.dir}/run/slurmctld.pid") as f:
            pid = int(f.read())
        try:
            assert identity(pid)[0] == {str(yard.owner.pw_uid)}
            assert set(yard.owners("run/slurmctld", "run/slurmctld/slurmctld.sock",
                                   "run/slurmctld.pid").values()) == {yard.SLURM_USER}
            assert "UP" in yard.run("scontrol", "ping").stdout
        finally:
            os.kill(pid, 15)
            wait_for(lambda: not os.path.exists(f"/proc/{pid}"), what="the end of slurmctld")


def test_a_run_folder_that_is_missing_is_made(yard):
    """As on a /run that is new with each boot."""
    with open(f"{yard.dir}/slurm.conf") as f:
        text = f.read()
    with open(f"{yard.dir}/slurm.conf", "w") as f:
        f.write(text.replace("/run/slurmctld.pid", "/run/own/slurmctld.pid"))
    yard.run("slurmctld")
    try:
        assert set(yard.owners("run/own").values()) == {yard.SLURM_USER}
        assert "UP" in yard.run("scontrol", "ping").stdout
    finally:
        with open(f"{yard.dir}/run/own/slurmctld.pid") as f:
            pid = int(f.read())
        os.kill(pid, 15)
        wait_for(lambda: not os.path.exists(f"/proc/{pid}"), what="the end of slurmctld")


def test_triggers_run_as_slurm_user_or_are_refused(yard):
    yard.start()
    seen = f"{yard.dir}/out/seen"
    program = f"{yard.dir}/out/program"
    with open(program, "w") as f:
        f.write(f"#!/bin/sh\nid -un >> {seen}\n")
    os.chmod(program, 0o755)
    job = yard.as_user(USER, "sbatch", "--parsable", "-H", "--wrap", "true").stdout.strip()
    options = ["strigger", "--set", f"--jobid={job}", "--fini", f"--program={program}"]
    refused = yard.as_user(USER, *options, check=False)
    assert refused.returncode != 0
    assert f"the controller runs as {yard.SLURM_USER} and cannot become you" in refused.stderr
    yard.run(*options)
    yard.run("scancel", job)
    wait_for(lambda: os.path.exists(seen) and os.path.getsize(seen), what="the trigger")
    with open(seen) as f:
        assert f.read() == f"{yard.SLURM_USER}\n"


def test_slurmd_keeps_the_rights_it_needs_and_jobs_notice_nothing():
    everything = int(status_of("self")["CapBnd"], 16)
    with tempfile.TemporaryDirectory(prefix="ym-rights-") as folder:
        os.chmod(folder, 0o755)
        prolog = f"{folder}/prolog"
        yard = Yard(folder, nodes=1, extra=f"Prolog={prolog}")
        os.chmod(f"{folder}/out", 0o777)
        with open(prolog, "w") as f:
            f.write(f"#!/bin/sh\ngrep CapEff /proc/self/status > {folder}/prolog.seen\n")
        os.chmod(prolog, 0o755)
        try:
            yard.start()
            status = status_of(yard.pid("slurmd-n1"))
            assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == KEPT & everything
            assert int(status["CapBnd"], 16) == everything

            def task(*prefix):
                shown = yard.run(*prefix, "srun", "cat", "/proc/self/status").stdout
                return dict(line.split(":\t", 1) for line in shown.splitlines() if ":\t" in line)
            as_user = ["setpriv", "--reuid", USER, "--regid", "nogroup", "--clear-groups"]
            mine = task(*as_user)
            assert set(mine["Uid"].split()) == {str(pwd.getpwnam(USER).pw_uid)}
            assert int(mine["CapEff"], 16) == int(mine["CapPrm"], 16) == 0
            assert int(mine["CapBnd"], 16) == everything and mine["NoNewPrivs"] == "0"
            # Root's jobs are root's, and what runs around jobs as root has everything, too.
            assert int(task()["CapEff"], 16) == everything
            with open(f"{folder}/prolog.seen") as f:
                assert int(f.read().split()[1], 16) == everything
            # While a step runs: its shepherd.
            sleeper = subprocess.Popen(["srun", "sleep", "100"], env=yard.env,
                                       stdin=subprocess.DEVNULL)
            wait_for(yard.shepherds, what="a shepherd")
            for pid in yard.shepherds():
                assert int(status_of(pid)["CapEff"], 16) == KEPT & everything
            yard.run("scancel", "-u", "root")
            sleeper.wait(timeout=60)
            # A program with the set-user-id bit.
            shutil.copy("/usr/bin/id", f"{folder}/out/id")
            os.chmod(f"{folder}/out/id", 0o4755)
            direct = yard.run(*as_user, f"{folder}/out/id").stdout
            if "euid=0(root)" not in direct:
                pytest.skip("no program can change its user here")
            assert "euid=0(root)" in yard.run(*as_user, "srun", f"{folder}/out/id").stdout
        finally:
            yard.stop()
