# SPDX-License-Identifier: Apache-2.0
"""With which rights of root the daemons run: slurmd keeps what it needs, and jobs notice nothing."""
import os
import pwd
import shutil
import subprocess
import tempfile

import pytest

from test_trust import needs_root
from yard import Yard, wait_for

pytestmark = needs_root
USER = "nobody"
# CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, NET_BIND_SERVICE, NET_ADMIN, SYS_PTRACE,
# SYS_ADMIN, SYS_NICE, SYS_RESOURCE: docs/SECURITY.md says what for.
KEPT = sum(1 << one for one in (0, 1, 3, 5, 6, 7, 10, 12, 19, 21, 23, 24))


def status_of(pid):
    with open(f"/proc/{pid}/status") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


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
