# SPDX-License-Identifier: Apache-2.0
"""What running steps use, as sstat and scontrol listpids tell it, and what is left at their end."""
import json
import re

import pytest

from yard import Yard, wait_for


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    yard = Yard(tmp_path_factory.mktemp("usage"), nodes=2,
                extra="KillWait=1\nJobAcctGatherFrequency=1")
    yard.start()
    yield yard
    yard.stop()


HOLDER = """
import sys, time
held = bytearray(50 << 20)
for at in range(0, len(held), 4096): held[at] = 1
print("ready", flush=True)
while True:
    sum(range(10000))
"""


@pytest.fixture(scope="module")
def job(yard):
    """A job with a step of one task that holds 50 MB and computes."""
    with open(f"{yard.dir}/holder.py", "w") as f:
        f.write(HOLDER)
    script = f"srun -n1 /usr/bin/python3 {yard.dir}/holder.py"
    job = yard.run("sbatch", "--parsable", "-o", "%j.out", "--wrap", script).stdout.strip()

    def ready():
        try:
            with open(f"{yard.dir}/out/{job}.out") as f:
                return "ready" in f.read()
        except OSError:
            return False
    wait_for(ready, what="the step")
    return job


def sstat(yard, job, fields):
    line = yard.run("sstat", "-nP", "-j", job, "-o", fields).stdout.strip()
    return line.split("|") if line else None


def kilobytes(text):
    number, unit = re.fullmatch(r"(\d+)([KMG]?)", text).groups()
    return int(number) * {"": 1 / 1024, "K": 1, "M": 1024, "G": 1 << 20}[unit]


def test_sstat_sees_memory_that_a_task_holds_and_its_time_grow(yard, job):
    id, rss, node, tasks = sstat(yard, job, "JobID,MaxRSS,MaxRSSNode,NTasks")
    assert id == f"{job}.0" and node in ("n1", "n2") and tasks == "1"
    assert 50 << 10 <= kilobytes(rss) <= 90 << 10
    wait_for(lambda: sstat(yard, job, "AveCPU")[0] >= "00:00:01", what="processor time")
    steps = yard.run("sstat", "-anP", "-j", job, "-o", "JobID").stdout.split()
    assert steps == [f"{job}.0", f"{job}.batch"]


def test_listpids_shows_real_processes(yard, job):
    nodes = yard.run("squeue", "-h", "-o", "%N").stdout.strip()
    rows = [line.split() for line in
            yard.run("scontrol", "listpids", f"{job}.0", nodes).stdout.splitlines()[1:]]
    pid, shown_job, step, local, rank = rows[0]
    assert (shown_job, step, local, rank) == (job, "0", "0", "0")
    with open(f"/proc/{pid}/cmdline") as f:
        assert "holder.py" in f.read()
    assert [job] == yard.run("scontrol", "listjobs", nodes).stdout.split()[1:]
    assert [job, "batch"] in [line.split() for line in
                              yard.run("scontrol", "liststeps", nodes).stdout.splitlines()]
    told = json.loads(yard.run("scontrol", "--json", "listpids", job, nodes).stdout)
    assert {row["job"] for row in told["rows"]} == {int(job)}
    assert pid in yard.run("sstat", "-inP", "-j", job).stdout


def test_the_end_of_a_step_leaves_what_it_used_in_the_log(yard, job):
    yard.run("scancel", job)
    wait_for(lambda: not yard.run("squeue", "-h").stdout, what="the job's end")
    log = yard.run("yardmaster", "events", "--json").stdout.splitlines()
    ends = [line for line in log if "StepEnded" in line]
    of_step = [line for line in ends if '"max_rss_kb"' in line and '"read_bytes"' in line]
    assert len(ends) == 2 and len(of_step) == 2, "the step's and the batch script's: " + str(ends)
    assert max(int(n) for line in ends
               for n in re.findall(r'"max_rss_kb": ?(\d+)', line)) >= 50 << 10, ends


# Two children that hold memory together: the sum is seen only by who looks while they live.
PAIR = """
import os, time
pids = []
for n in range(2):
    pid = os.fork()
    if pid == 0:
        held = bytearray(40 << 20)
        for at in range(0, len(held), 4096): held[at] = 1
        time.sleep(3)
        os._exit(0)
    pids.append(pid)
for pid in pids: os.waitpid(pid, 0)
"""


def peak_of_last_step(yard):
    log = yard.run("yardmaster", "events", "--json").stdout.splitlines()
    ends = [line for line in log if "StepEnded" in line]
    return max(int(n) for n in re.findall(r'"max_rss_kb": ?(\d+)', ends[-1]))


def test_samples_are_taken_as_often_as_the_site_or_the_step_says(yard):
    with open(f"{yard.dir}/pair.py", "w") as f:
        f.write(PAIR)
    program = ["/usr/bin/python3", f"{yard.dir}/pair.py"]
    yard.run("srun", "-n1", "--acctg-freq=task=0", *program)
    assert peak_of_last_step(yard) < 75 << 10, "nobody has looked"
    yard.run("srun", "-n1", *program)
    assert peak_of_last_step(yard) >= 80 << 10, "the site wants a look each second"
