# SPDX-License-Identifier: Apache-2.0
"""Time limits of minutes in seconds: libfaketime puts the controller's clock forward."""
import os
import re
import subprocess

import pytest

from test_clock import LIBRARY
from yard import Yard, wait_for

pytestmark = pytest.mark.skipif(not LIBRARY, reason="libfaketime is not installed")

EXTRA = """KillWait=1
PartitionName=patient Nodes=ALL MaxTime=INFINITE OverTimeLimit=2
"""
AT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"


class Hurried(Yard):
    """A yard whose controller's clock can be put forward."""

    def __init__(self, dir):
        super().__init__(dir, nodes=1, extra=EXTRA)
        self.clock = f"{self.dir}/clock"
        self.put_forward(0)
        plain = dict(self.env)
        self.env.update(LD_PRELOAD=LIBRARY, FAKETIME_TIMESTAMP_FILE=self.clock,
                        FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1",
                        DONT_FAKE_MONOTONIC="1")
        self.start_controller()
        self.env = plain
        self.start_node(1)
        wait_for(lambda: self.idle_nodes() == 1, what="the node")

    def put_forward(self, seconds):
        with open(f"{self.clock}.new", "w") as f:
            f.write(f"+{seconds}")
        os.rename(f"{self.clock}.new", self.clock)

    def output(self, name):
        path = f"{self.dir}/out/{name}"
        return open(path).read() if os.path.exists(path) else ""

    def state(self, job):
        return self.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").stdout.strip()


@pytest.fixture
def yard(tmp_path):
    one = Hurried(tmp_path)
    yield one
    one.stop()


def submit(yard, *options):
    job = yard.run("sbatch", "--parsable", "-n1", "-t1", "-o", "%j.out", *options, "--wrap",
                   "echo ready; sleep 1000").stdout.strip()
    wait_for(lambda: "ready" in yard.output(f"{job}.out"), what=f"job {job}")
    return job


def test_who_is_ended_by_a_limit_reads_so(yard):
    job = submit(yard)
    srun = subprocess.Popen(["srun", "-n1", "-t1", "sh", "-c", "echo ready; sleep 1000"],
                            env=yard.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    try:
        assert srun.stdout.readline() == "ready\n"
        yard.put_forward(61)
        _, err = srun.communicate(timeout=120)
    finally:
        srun.kill()
    assert srun.returncode != 0
    due = rf"CANCELLED AT {AT} DUE TO TIME LIMIT \*\*\*"
    assert re.search(rf"slurmstepd: error: \*\*\* STEP \d+\.0 ON n1 {due}", err), err
    wait_for(lambda: yard.state(job) == "TIMEOUT", what="the batch job's end")
    text = yard.output(f"{job}.out")
    assert re.search(rf"slurmstepd: error: \*\*\* JOB {job} ON n1 {due}", text), text


def test_a_partition_may_let_its_jobs_exceed_their_limits(yard):
    strict, patient = submit(yard), submit(yard, "-p", "patient")
    yard.put_forward(90)
    wait_for(lambda: yard.state(strict) == "TIMEOUT", what="the end of the one")
    assert yard.state(patient) == "RUNNING"
    yard.put_forward(190)
    wait_for(lambda: yard.state(patient) == "TIMEOUT", what="the end of the other")
