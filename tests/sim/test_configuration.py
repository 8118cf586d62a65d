# SPDX-License-Identifier: Apache-2.0
"""`yardmaster sim --conf` plans as slurmctld would with that file: knobs, preemption, memory."""
import csv
import io
import os
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("YM_BIN", os.path.join(HERE, "../../build/release/bin"))

CONF = """ClusterName=site
SlurmctldHost=head
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n[1-2] CPUs=4 RealMemory=8000
PartitionName=low Nodes=n[1-2] Default=YES PriorityTier=1 MaxTime=INFINITE
PartitionName=high Nodes=n[1-2] PriorityTier=2 MaxTime=INFINITE
SchedulerParameters=ym_policy=backfill{knobs}
"""
HEAD = "JobIDRaw|User|Partition|Submit|ElapsedRaw|TimelimitRaw|ReqCPUS|NNodes|ReqTRES|QOS|Account"


def line(number, minute, run_s, cpus, *, partition="low", limit=10, user="ann", tres="", qos=""):
    return (f"{number}|{user}|{partition}|2026-11-15T10:{minute:02}:00|{run_s}|{limit}|{cpus}|1|"
            f"{tres}|{qos}|")


@pytest.fixture(name="replay")
def fixture_replay(tmp_path):
    def run(lines, knobs="", more=""):
        conf = tmp_path / "slurm.conf"
        conf.write_text(CONF.format(knobs=knobs) + more)
        done = subprocess.run(
            [os.path.join(BIN, "yardmaster"), "sim", "-q", "--conf", str(conf), "--jobs-csv", "-",
             "-"], input="\n".join([HEAD] + lines) + "\n", capture_output=True, text=True,
            timeout=60)
        assert done.returncode == 0, done.stderr
        return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr
    return run


def starts(rows):
    return [int(row["start"]) for row in rows]


def test_scheduler_parameters_count(replay):
    """The wide job is promised a start unless nobody is promised anything."""
    lines = [line(1, 0, 600, 3), line(2, 0, 600, 4), line(3, 1, 600, 4),
             line(4, 2, 1200, 1, limit=20)]
    assert starts(replay(lines)[0]) == [0, 0, 600, 600]
    for knobs in (",bf_max_job_test=0", ",bf_min_age_reserve=100000"):
        rows, said = replay(lines, knobs)
        assert (starts(rows), said) == ([0, 0, 600, 120], "")


@pytest.mark.parametrize("mode,victim", [("CANCEL", ("PREEMPTED", "0")),
                                         ("REQUEUE", ("COMPLETED", "1"))])
def test_jobs_make_room_as_the_configuration_says(replay, mode, victim):
    lines = [line(1, 0, 600, 4), line(2, 0, 600, 4), line(3, 1, 60, 4, partition="high")]
    assert starts(replay(lines)[0]) == [0, 0, 600]
    rows, said = replay(lines, more=f"PreemptType=preempt/partition_prio\nPreemptMode={mode}\n")
    assert starts(rows)[2] == 60 and said == ""
    assert (rows[0]["state"], rows[0]["restarts"]) == ("COMPLETED", "0")
    assert (rows[1]["state"], rows[1]["restarts"]) == victim
    if mode == "REQUEUE":  # from its beginning
        assert int(rows[1]["start"]) >= 120
        assert int(rows[1]["end"]) - int(rows[1]["start"]) == 600


def test_memory_is_what_it_is(replay):
    two = [line(n, 0, 600, 1, tres="cpu=1,mem=5000M,node=1") for n in (1, 2, 3)]
    assert sorted(starts(replay(two)[0])) == [0, 0, 600]
    two = [line(n, 0, 600, 1, tres="cpu=1,mem=1M,node=1") for n in (1, 2, 3)]
    assert starts(replay(two)[0]) == [0, 0, 0]


def test_what_is_ignored_is_said_in_one_line(replay):
    lines = [line(1, 0, 600, 1, partition="gone"), line(2, 0, 600, 1, partition="gone"),
             line(3, 0, 600, 1, qos="urgent")]
    _, said = replay(lines, ",no_such_knob", more="PriorityWeightQOS=1000\n")
    assert said == (
        "yardmaster: backfill: ignored: partition of 2 jobs (not in the configuration: the default "
        "one); QOS of 1 job (no accounting tells of them); no_such_knob is not acted on\n")
