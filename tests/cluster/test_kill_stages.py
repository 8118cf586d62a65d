# SPDX-License-Identifier: Apache-2.0
"""kill -9 of srun, of the shepherd and of slurmd, sweeping over the stages of a launch.

Whatever the moment: nothing of the step is left, the node is idle again, and the next step runs.
"""
import os
import signal
import subprocess
import time

import pytest

from yard import Yard, alive, wait_for

# Milliseconds after the start of srun. A launch takes some ten to fifty of them here.
TASK = ": stage-task {}; while :; do sleep 0.2; done"
STAGES = [0, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 60, 90]


@pytest.fixture
def yard(tmp_path):
    cluster = Yard(tmp_path, nodes=1, extra="EioTimeout=2\nKillWait=1\nInactiveLimit=3")
    cluster.start()
    yield cluster
    cluster.stop()


def launch_and_kill(yard, victim, after_ms):
    srun = subprocess.Popen(["srun", "--quiet", "sh", "-c", TASK.format(yard.dir)],
                            env=yard.env, cwd=f"{yard.dir}/out", stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after_ms / 1000)
    pids = {"srun": lambda: [srun.pid], "slurmd": lambda: [yard.pid("slurmd-n1")],
            "shepherd": lambda: yard.shepherds()}[victim]()
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if victim == "slurmd":
        wait_for(lambda: not alive(pids[0]), what="a dead slurmd")
        yard.start_node(1)
    if victim != "srun":
        srun.send_signal(signal.SIGTERM)  # it may wait for a step that never came to life
    try:
        srun.wait(timeout=30)
    except subprocess.TimeoutExpired:
        srun.kill()
        raise AssertionError(f"srun hangs; {victim} killed after {after_ms} ms\n{yard.logs()}")


@pytest.mark.parametrize("victim", ["srun", "shepherd", "slurmd"])
def test_killed_at_any_stage_of_a_launch_nothing_is_left(yard, victim):
    for after_ms in STAGES:
        launch_and_kill(yard, victim, after_ms)
    yard.run("scancel", "-u", "root", check=False)
    wait_for(lambda: not yard.processes("stage-task"), seconds=60, what="no task left")
    wait_for(lambda: not yard.shepherds(), seconds=60, what="no shepherd left")
    wait_for(lambda: yard.idle_nodes() == 1 and not yard.queue(), seconds=60, what="an idle node")
    assert yard.run("srun", "echo", "again").stdout == "again\n"
