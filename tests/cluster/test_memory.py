# SPDX-License-Identifier: Apache-2.0
"""A running job gives memory back: real control groups, real processes."""
import os
import re
import sys

import pytest
from yard import Yard, alive, wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are root's to make")

# Uses 100 MB, and says who it is.
USER = ("import os, time; kept = b'x' * (100 << 20); print(os.getpid(), flush=True); "
        "time.sleep(1000)")
MB = 1 << 20


@pytest.fixture
def yard(tmp_path):
    os.chmod(tmp_path, 0o755)
    one = Yard(tmp_path, nodes=2, cpus=4,
               extra="SelectTypeParameters=CR_Core_Memory\nKillWait=1\nPrologFlags=Contain")
    with open(f"{one.dir}/cgroup.conf", "w") as f:
        f.write("ConstrainCores=no\nConstrainRAMSpace=yes\n")
    try:
        one.start()
        yield one
    finally:
        one.run("scancel", "-u", "root", check=False)
        wait_for(lambda: not one.queue(), seconds=30)
        one.stop()


def submit(yard, script, *options):
    out = yard.run("sbatch", "--parsable", "-o", "job-%j.out", *options,
                   input=f"#!/bin/bash\n{script}\n").stdout
    return int(out.split(";")[0])


def using(yard, *options, step=""):
    """A job that uses memory in its script and in a step; the processes."""
    program = f'{sys.executable} -c "{USER}"'
    number = submit(yard, f"srun {step} {program} &\n{program}", *options)
    path = f"{yard.dir}/out/job-{number}.out"
    wait_for(lambda: os.path.exists(path) and len(open(path).read().split()) >= 2,
             what="two processes")
    return number, [int(pid) for pid in open(path).read().split()]


def shown(yard, what, name):
    out = yard.run("scontrol", "show", what, str(name)).stdout
    return dict(re.findall(r"(\S+?)=(\S*)", out))


def update(yard, number, memory):
    return yard.run("scontrol", "update", f"JobId={number}", f"MinMemoryNode={memory}", check=False)


def folder_of(pid):
    """The process's group where memory is limited."""
    lines = [line.strip().split(":", 2) for line in open(f"/proc/{pid}/cgroup")]
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            return "/sys/fs/cgroup/memory" + path
    return "/sys/fs/cgroup" + lines[0][2]


def limit_of(folder):
    for name in ("memory.limit_in_bytes", "memory.max"):
        if os.path.exists(f"{folder}/{name}"):
            text = open(f"{folder}/{name}").read().strip()
            return 1 << 62 if text == "max" else int(text)
    pytest.skip("memory is not limited on this machine")


def test_what_a_job_gives_back_others_get(yard):
    number, pids = using(yard, "-N1", "-w", "n1", "--mem=1500", step="--mem=1200")
    step, batch = sorted(map(folder_of, pids), key=limit_of)
    job = os.path.dirname(step)
    assert (limit_of(job), limit_of(step)) == (1500 * MB, 1200 * MB)
    other = submit(yard, "sleep 1000", "-w", "n1", "--mem=1000")
    wait_for(lambda: f"{other} PENDING Resources" in yard.queue())

    for more in ("1501", "2G", "0"):
        refused = update(yard, number, more)
        assert refused.returncode == 1
        assert "the memory of a running job can only be lowered" in refused.stderr + refused.stdout
    assert limit_of(job) == 1500 * MB

    assert update(yard, number, "600").returncode == 0
    wait_for(lambda: f"{other} RUNNING None" in yard.queue(), what="the job that had no room")
    assert shown(yard, "job", number)["MinMemoryNode"] == "600M"
    assert "mem=600M" in shown(yard, "job", number)["AllocTRES"]
    assert shown(yard, "node", "n1")["AllocMem"] == "1600"
    assert (limit_of(job), limit_of(step)) == (600 * MB, 600 * MB)
    assert limit_of(batch) > 1 << 50, "its job's limit is the only one"

    # A step that comes later does not raise it, and gets no more than that.
    yard.run("srun", f"--jobid={number}", "--overlap", "true")
    assert limit_of(job) == 600 * MB
    assert yard.run("srun", f"--jobid={number}", "--overlap", "--mem=700", "true",
                    check=False).returncode != 0

    # Less than it uses is never set.
    assert update(yard, number, "50").returncode == 0
    wait_for(lambda: shown(yard, "job", number)["MinMemoryNode"] != "600M")
    kept = int(shown(yard, "job", number)["MinMemoryNode"].rstrip("M"))
    assert 200 < kept < 300
    assert limit_of(job) == kept * MB
    assert all(map(alive, pids))
    assert shown(yard, "job", number)["JobState"] == "RUNNING"


def test_a_node_that_is_away_is_waited_for(yard):
    number = submit(yard, "sleep 1000", "-N2", "--mem=1500")
    wait_for(lambda: f"{number} RUNNING None" in yard.queue())
    yard.kill9("slurmd-n2")
    assert update(yard, number, "500").returncode == 0
    yard.kill9("slurmctld")
    yard.start_controller()
    assert shown(yard, "node", "n1")["AllocMem"] == "1500"
    assert shown(yard, "job", number)["MinMemoryNode"] == "1500M"
    yard.start_node(2)
    wait_for(lambda: shown(yard, "node", "n1")["AllocMem"] == "500", what="both nodes' word")
    assert shown(yard, "node", "n2")["AllocMem"] == "500"
    assert shown(yard, "job", number)["MinMemoryNode"] == "500M"
