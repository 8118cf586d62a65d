# SPDX-License-Identifier: Apache-2.0
"""kill -9 of srun, of the shepherd and of slurmd, at each stage of a launch, and sweeping over all.

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


def start_srun(yard, *command):
    return subprocess.Popen(["srun", "--quiet", *command],
                            env=yard.env, cwd=f"{yard.dir}/out", stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def launch_and_kill(yard, victim, after_ms):
    srun = start_srun(yard, "sh", "-c", TASK.format(yard.dir))
    time.sleep(after_ms / 1000)
    kill(yard, victim, srun, f"{victim} killed after {after_ms} ms")


def kill(yard, victim, srun, what):
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
        srun.wait(timeout=120)
    except subprocess.TimeoutExpired:
        srun.kill()
        raise AssertionError(f"srun hangs; {what}\n{yard.logs()}")


def nothing_is_left(yard):
    yard.run("scancel", "-u", "root", check=False)
    wait_for(lambda: not yard.processes("stage-task"), seconds=60, what="no task left")
    wait_for(lambda: not yard.shepherds(), seconds=60, what="no shepherd left")
    wait_for(lambda: yard.idle_nodes() == 1 and not yard.queue(), seconds=60, what="an idle node")
    assert yard.run("srun", "echo", "again").stdout == "again\n"


@pytest.mark.parametrize("victim", ["srun", "shepherd", "slurmd"])
def test_killed_at_any_stage_of_a_launch_nothing_is_left(yard, victim):
    for after_ms in STAGES:
        launch_and_kill(yard, victim, after_ms)
    nothing_is_left(yard)


# --- each stage for itself: a program of the site's that waits holds the launch there ---

GATE = """#!/bin/sh
# Arrives, and goes on when it may.
echo >> {dir}/at.{stage}
n=0
until [ -e {dir}/go.{stage} ] || [ $n = 600 ]; do sleep 0.05; n=$((n + 1)); done
"""
GATES = {"prolog": "Prolog", "task_prolog": "TaskProlog", "task_epilog": "TaskEpilog",
         "epilog": "Epilog"}


@pytest.fixture
def gated(tmp_path):
    for stage in GATES:
        path = tmp_path / stage
        path.write_text(GATE.format(dir=tmp_path, stage=stage))
        path.chmod(0o755)
        (tmp_path / f"go.{stage}").touch()
    programs = "\n".join(f"{key}={tmp_path}/{stage}" for stage, key in GATES.items())
    cluster = Yard(tmp_path, nodes=1,
                   extra=f"EioTimeout=2\nKillWait=1\nInactiveLimit=3\n{programs}")
    cluster.start()
    yield cluster
    for stage in GATES:
        (tmp_path / f"go.{stage}").touch()
    cluster.stop()


@pytest.mark.parametrize("stage, victim", [
    *((stage, "srun") for stage in ("prolog", "task_prolog", "running", "task_epilog", "epilog")),
    *((stage, "shepherd") for stage in ("task_prolog", "running", "task_epilog")),
    *((stage, "slurmd") for stage in ("prolog", "task_prolog", "running", "task_epilog",
                                      "epilog"))])
def test_killed_at_a_known_stage_nothing_is_left(gated, tmp_path, stage, victim):
    arrived = tmp_path / f"at.{stage}"
    if stage in GATES:
        (tmp_path / f"go.{stage}").unlink()
    # Behind the task's own stage it has to end by itself.
    ends = stage in ("task_epilog", "epilog")
    task = f": stage-task {tmp_path}; touch {tmp_path}/at.running; {'' if ends else 'sleep 600'}"
    srun = start_srun(gated, "sh", "-c", task)
    wait_for(arrived.exists, what=f"the stage {stage}")
    kill(gated, victim, srun, f"{victim} killed at {stage}")
    if stage in GATES:
        (tmp_path / f"go.{stage}").touch()
    nothing_is_left(gated)


@pytest.mark.parametrize("daemon", ["slurmctld", "slurmd-n1"])
def test_an_srun_that_is_killed_while_it_waits_for_an_answer_leaves_nothing(yard, daemon):
    pid = yard.pid(daemon)
    os.kill(pid, signal.SIGSTOP)
    try:
        srun = start_srun(yard, "sh", "-c", TASK.format(yard.dir))
        if daemon != "slurmctld":  # it has its allocation, and nobody answers at the node
            wait_for(lambda: [row for row in yard.queue() if "RUNNING" in row or " R " in row],
                     what="an allocation")
        else:  # it has connected, and nobody has read what it says
            wait_for(lambda: len(os.listdir(f"/proc/{srun.pid}/fd")) > 3, what="a connection")
        srun.kill()
        srun.wait()
    finally:
        os.kill(pid, signal.SIGCONT)
    nothing_is_left(yard)


def test_an_srun_that_is_killed_while_its_job_is_pending_leaves_nothing(yard):
    first = yard.run("sbatch", "--parsable", "--exclusive", "--wrap", "sleep 600").stdout.strip()
    srun = start_srun(yard, "sh", "-c", TASK.format(yard.dir))
    wait_for(lambda: len(yard.queue()) == 2, what="a job that waits")
    srun.kill()
    srun.wait()
    wait_for(lambda: len(yard.queue()) == 1, what="the waiting job gone")
    yard.run("scancel", first)
    nothing_is_left(yard)
