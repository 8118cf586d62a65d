# SPDX-License-Identifier: Apache-2.0
"""Preemption with real processes: each mode on a cluster of one node."""
import os
import re

import pytest

from yard import Yard, alive, wait_for

TIERS = """PreemptType=preempt/partition_prio
PreemptMode={mode}
KillWait=1
PartitionName=low Nodes=ALL PriorityTier=1 MaxTime=INFINITE {low}
PartitionName=high Nodes=ALL PriorityTier=2 MaxTime=INFINITE PreemptMode=OFF
"""


@pytest.fixture
def yards(tmp_path):
    made = []

    def make(mode, low=""):
        made.append(Yard(tmp_path, nodes=1, extra=TIERS.format(mode=mode, low=low)))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        end(one)


def end(yard):
    """Nothing of its jobs is left, whether it runs or is suspended."""
    scripts = yard.processes("slurm_script")
    yard.stop()
    assert [pid for pid in scripts if alive(pid)] == []
    assert yard.job_processes() == []


def state(yard, job):
    return yard.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").stdout.strip()


def output(yard, job):
    path = f"{yard.dir}/out/{job}.out"
    return open(path).read() if os.path.exists(path) else ""


def submit(yard, partition, script, *options):
    return yard.run("sbatch", "--parsable", "-p", partition, "-n1", "-c4", "-o", "%j.out",
                    "--open-mode=append", *options, "--wrap", script).stdout.strip()


def running(yard, partition, script, *options):
    job = submit(yard, partition, script, *options)
    wait_for(lambda: "ready" in output(yard, job), what=f"job {job}")
    return job


def test_requeue(yards):
    yard = yards("REQUEUE")
    low = running(yard, "low", "echo ready $SLURM_RESTART_COUNT; sleep 1000")
    high = running(yard, "high", "echo ready; sleep 1000")
    # It has gone back to the queue, and says so.
    wait_for(lambda: state(yard, low) == "PENDING", what="the requeue")
    shown = yard.run("scontrol", "show", "job", low).stdout
    assert re.search(r"PreemptEligibleTime=\S+ PreemptTime=\d{4}-", shown), shown
    assert "Restarts=1" in shown
    assert "DUE TO PREEMPTION" in output(yard, low)
    assert state(yard, high) == "RUNNING"
    yard.run("scancel", high)
    wait_for(lambda: "ready 1" in output(yard, low), what="the second start")
    events = yard.run("yardmaster", "events").stdout
    assert f"JobPreempted job={low} by={high} mode=REQUEUE" in events


def test_no_requeue_is_cancelled(yards):
    yard = yards("REQUEUE")
    low = running(yard, "low", "echo ready; sleep 1000", "--no-requeue")
    high = running(yard, "high", "echo ready; sleep 1000")
    wait_for(lambda: state(yard, low) == "PREEMPTED", what="the end")
    assert state(yard, high) == "RUNNING"


def test_cancel_with_grace_time(yards):
    yard = yards("CANCEL", "GraceTime=5")
    # The step is warned and ends by itself; the script goes on until the grace is over.
    step = "trap 'echo warned; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
    low = running(yard, "low", f'srun sh -c "{step}"; echo saved; sleep 1000')
    high = submit(yard, "high", "echo ready; sleep 1000")
    wait_for(lambda: "saved" in output(yard, low), what="the warning")
    assert "warned" in output(yard, low)
    wait_for(lambda: state(yard, low) == "PREEMPTED", what="the end of the grace time")
    wait_for(lambda: "ready" in output(yard, high), what="the other's start")
    rows = yard.run("sacct", "-n", "-P", "-X", "-j", low, "-o", "State", check=False).stdout
    assert "PREEMPTED" in rows


def test_suspend_and_go_on(yards):
    yard = yards("SUSPEND,GANG")
    count = "i=0; echo ready; while :; do i=$((i+1)); echo $i > count; sleep 0.1; done"
    low = running(yard, "low", count)
    high = running(yard, "high", "echo ready; sleep 1000")
    wait_for(lambda: state(yard, low) == "SUSPENDED", what="the suspension")
    assert state(yard, high) == "RUNNING"
    # Whoever is of its own tier does not take its place.
    third = submit(yard, "low", "echo ready")
    yard.run("scancel", high)
    wait_for(lambda: state(yard, low) == "RUNNING", what="the resumption")
    read = lambda: int(open(f"{yard.dir}/out/count").read() or 0)
    before = read()
    wait_for(lambda: read() > before, what="the loop to go on")
    assert state(yard, third) == "PENDING"
    yard.run("scancel", low)
    wait_for(lambda: "ready" in output(yard, third), what="the third job")


def test_who_is_suspended_is_told_before(yards):
    yard = yards("SUSPEND,GANG")
    low = running(yard, "low",
                  "trap 'echo told' TSTP; echo ready; while :; do sleep 1000 & wait; done")
    running(yard, "high", "echo ready; sleep 1000")
    wait_for(lambda: "told" in output(yard, low), what="SIGTSTP")
    assert state(yard, low) == "SUSPENDED"


def test_jobs_take_turns(tmp_path):
    yard = Yard(tmp_path, nodes=1, extra="PreemptMode=GANG\nSchedulerTimeSlice=5\n"
                "PartitionName=shared Nodes=ALL OverSubscribe=FORCE:2 MaxTime=INFINITE\n")
    yard.start()
    try:
        first = running(yard, "shared", "echo ready; sleep 1000")
        second = running(yard, "shared", "echo ready; sleep 1000")
        wait_for(lambda: state(yard, first) == "SUSPENDED", what="the second one's turn")
        wait_for(lambda: state(yard, second) == "SUSPENDED", what="the first one's turn")
        wait_for(lambda: state(yard, first) == "RUNNING", what="the first one to go on")
        third = submit(yard, "shared", "echo ready")
        yard.run("scancel", first)
        wait_for(lambda: "ready" in output(yard, third), what="the third one's turn")
    finally:
        end(yard)


def test_partitions_show_their_mode(yards):
    yard = yards("SUSPEND,GANG", "GraceTime=7")
    shown = yard.run("scontrol", "show", "partition", "low").stdout
    assert "PreemptMode=GANG,SUSPEND" in shown and "GraceTime=7" in shown, shown
    assert "PreemptMode=OFF" in yard.run("scontrol", "show", "partition", "high").stdout
    rows = yard.run("sinfo", "-h", "-o", "%P %M").stdout.split("\n")
    assert "low GANG,SUSPEND" in rows and "high OFF" in rows, rows
    config = yard.run("scontrol", "show", "config").stdout
    assert re.search(r"PreemptMode\s+= GANG,SUSPEND", config), config
