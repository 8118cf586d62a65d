# SPDX-License-Identifier: Apache-2.0
"""A machine that boots: everything on it is gone at once, and slurmd finds another boot id.

The boot id is a file of the kernel's; a mount over it, seen by slurmd only, is a reboot.
"""
import os
import re
import signal
import subprocess

import pytest

from yard import BIN, Yard, alive, wait_for

BOOT_ID = "/proc/sys/kernel/random/boot_id"


def can_mount():
    probe = ["unshare", "-m", "mount", "--bind", "/proc/self/comm", BOOT_ID]
    return os.geteuid() == 0 and subprocess.run(probe, capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not can_mount(), reason="needs root to mount over the boot id")


class Machine:
    """A yard whose only node can lose its power."""

    def __init__(self, dir, extra):
        self.yard = Yard(dir, nodes=1, extra=extra)
        conf = f"{self.yard.dir}/slurm.conf"
        with open(conf) as f:
            text = f.read()
        if "ReturnToService" in extra:
            text = text.replace("ReturnToService=2\n", "", 1)
        with open(conf, "w") as f:
            f.write(text)
        self.boots = 0
        self.yard.start_controller()
        self.power_on()
        wait_for(lambda: self.yard.idle_nodes() == 1, what="the node")

    def power_on(self):
        self.boots += 1
        fake = f"{self.yard.dir}/boot_id"
        with open(fake, "w") as f:
            f.write(f"00000000-0000-0000-0000-{self.boots:012d}\n")
        self.yard.run("unshare", "-m", "sh", "-c",
                      f"mount --bind {fake} {BOOT_ID} && exec {BIN}/slurmd -N n1")

    def power_off(self):
        """slurmd, the shepherds and all that they have started, and nothing is written any more."""
        self.yard.kill9("slurmd-n1")
        shepherds = self.yard.shepherds()
        below = [pid for shepherd in shepherds for pid in descendants(shepherd)]
        for pid in shepherds + below:
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not any(map(alive, shepherds + below)), what="darkness")

    def submit(self, *options):
        job = self.yard.run("sbatch", "--parsable", "-n1", "-o", "%j.out", "--open-mode=append",
                            *options, "--wrap",
                            "echo run $SLURM_RESTART_COUNT; [ $SLURM_RESTART_COUNT ] || sleep 1000"
                            ).stdout.strip()
        path = f"{self.yard.dir}/out/{job}.out"
        wait_for(lambda: os.path.exists(path) and open(path).read(), what=f"job {job}")
        return job

    def job(self, number):
        text = self.yard.run("scontrol", "show", "job", number).stdout
        return dict(re.findall(r"(\S+?)=(\S*)", text))


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = [int(word) for word in f.read().split()]
    except OSError:
        return []
    return children + [below for child in children for below in descendants(child)]


@pytest.fixture
def machine(tmp_path):
    made = []

    def make(extra=""):
        made.append(Machine(tmp_path, extra))
        return made[0]
    yield make
    for one in made:
        one.yard.stop()


def test_jobs_are_lost_with_the_machine_and_start_again_where_they_may(machine):
    one = machine()
    may, may_not = one.submit("--requeue"), one.submit("--no-requeue")
    one.power_off()
    one.power_on()
    wait_for(lambda: one.job(may_not)["JobState"] == "NODE_FAIL", what="the lost job")
    wait_for(lambda: one.job(may)["JobState"] == "COMPLETED", what="the second run of the other")
    assert one.job(may)["Restarts"] == "1"
    wait_for(lambda: one.yard.idle_nodes() == 1, what="a node that is back by itself")
    assert not one.yard.shepherds()


def test_a_node_that_boots_unasked_stays_down_where_the_site_wants_to_look_at_it(machine):
    one = machine("ReturnToService=1")
    lost = one.submit("--no-requeue")
    one.power_off()
    one.power_on()
    wait_for(lambda: one.job(lost)["JobState"] == "NODE_FAIL", what="the lost job")
    node = one.yard.run("sinfo", "-h", "-N", "-o", "%t %E").stdout.strip()
    assert node == "down Node unexpectedly rebooted"
    one.yard.run("scontrol", "update", "NodeName=n1", "State=RESUME")
    assert one.yard.run("srun", "-n1", "echo", "again").stdout == "again\n"
