# SPDX-License-Identifier: Apache-2.0
"""The controller does not hear its nodes for longer than SlurmdTimeout, and that is its own fault:
no node is lost, and no job with it."""
import os
import signal
import time

from yard import Yard, wait_for

TIMEOUT_S = 4


def started(dir):
    yard = Yard(dir, nodes=1, extra=f"SlurmdTimeout={TIMEOUT_S}")
    yard.start()
    job = yard.run("sbatch", "--parsable", "--no-requeue", "-o", "/dev/null", "--wrap",
                   "echo up > up; while [ ! -e go ]; do sleep 0.05; done").stdout.strip()
    wait_for(lambda: os.path.exists(f"{yard.dir}/out/up"), what="the job")
    return yard, job


def runs_to_its_end(yard, job):
    # Whoever would give the node up has done so when a job submitted now has run.
    wait_for(lambda: yard.run("sbatch", "--wait", "-o", "/dev/null", "--wrap", "true",
                              check=False).returncode == 0, what="work goes on")
    assert f"{job} RUNNING None" in yard.queue(), yard.logs()
    open(f"{yard.dir}/out/go", "w").close()
    wait_for(lambda: not yard.queue(), what="the end of the job")
    assert "JobState=COMPLETED" in yard.run("scontrol", "show", "job", job).stdout


def test_a_controller_that_stood_still_loses_no_node(tmp_path):
    yard, job = started(tmp_path)
    try:
        pid = yard.pid("slurmctld")
        os.kill(pid, signal.SIGSTOP)
        time.sleep(TIMEOUT_S + 2)
        os.kill(pid, signal.SIGCONT)
        runs_to_its_end(yard, job)
    finally:
        yard.stop()
