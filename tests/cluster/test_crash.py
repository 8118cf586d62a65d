# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments: no acknowledged job is lost, none runs twice, none is stuck."""
import os
import random
import re
import subprocess
import threading
import time

import pytest

from yard import Yard, alive, wait_for

SUBMITTERS = 4
KILLS = 20
# Each round is 1,000 submissions under 20 kills; YM_CRASH_ROUNDS=20 takes some four minutes.
ROUNDS = int(os.environ.get("YM_CRASH_ROUNDS", "1"))


@pytest.fixture
def yard(tmp_path):
    cluster = Yard(tmp_path, nodes=2, cpus=8)
    cluster.start()
    yield cluster
    cluster.stop()


class Submitters:
    """Submit in parallel until told to stop; remember what was acknowledged."""

    def __init__(self, yard, count, script):
        self.yard, self.script = yard, script
        self.acknowledged, self.unsure = [], 0
        self.left = count
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.work) for _ in range(SUBMITTERS)]
        for thread in self.threads:
            thread.start()

    def work(self):
        while True:
            with self.lock:
                if self.left == 0:
                    return
                self.left -= 1
            done = self.yard.run("sbatch", "-o", "/dev/null", "--wrap", self.script, check=False,
                                 timeout=120)
            match = re.match(r"Submitted batch job (\d+)", done.stdout)
            with self.lock:
                if match:
                    self.acknowledged.append(int(match[1]))
                else:
                    self.unsure += 1

    def join(self):
        for thread in self.threads:
            thread.join()


def runs(yard, job):
    try:
        with open(f"{yard.dir}/out/ran.{job}") as f:
            return len(f.readlines())
    except OSError:
        return 0


def check_all_ran_once(yard, acknowledged):
    wait_for(lambda: not yard.queue(), seconds=180, what="empty queue")
    assert len(set(acknowledged)) == len(acknowledged), "an id was given twice"
    lost = [job for job in acknowledged if runs(yard, job) == 0]
    twice = [job for job in acknowledged if runs(yard, job) > 1]
    assert not lost, f"lost: {lost}\n{yard.logs()}"
    assert not twice, f"ran twice: {twice}\n{yard.logs()}"


@pytest.mark.parametrize("seed", range(1, ROUNDS + 1))
def test_killing_the_controller_loses_nothing(yard, seed):
    chance = random.Random(seed)
    submitters = Submitters(yard, 1000, "echo x >> ran.$SLURM_JOB_ID")
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.05, 0.8))
        yard.kill9("slurmctld")
        yard.start_controller()
    submitters.join()
    assert len(submitters.acknowledged) > 500, f"{submitters.unsure} were not acknowledged"
    check_all_ran_once(yard, submitters.acknowledged)


def test_killing_slurmd_neither_ends_nor_repeats_jobs(yard):
    chance = random.Random(2)
    script = "echo x >> ran.$SLURM_JOB_ID; sleep 0.3; echo done >> done.$SLURM_JOB_ID"
    submitters = Submitters(yard, 300, script)
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.05, 0.6))
        node = chance.randrange(1, 3)
        yard.kill9(f"slurmd-n{node}")
        time.sleep(chance.uniform(0, 0.2))
        yard.start_node(node)
    submitters.join()
    check_all_ran_once(yard, submitters.acknowledged)
    unfinished = [job for job in submitters.acknowledged
                  if not os.path.exists(f"{yard.dir}/out/done.{job}")]
    assert not unfinished, f"began but never ended: {unfinished}"
    states = yard.run("squeue", "-h", "-t", "all", "-o", "%i %T").stdout.split()
    assert set(states[1::2]) == {"COMPLETED"}


def test_running_work_goes_on_without_its_controller(yard):
    script = "sleep 3; echo finished > finished"
    job = yard.run("sbatch", "--parsable", "--wrap", script).stdout.strip()
    wait_for(lambda: f"{job} RUNNING None" in yard.queue(), what="running job")
    srun = subprocess.Popen(["srun", "sh", "-c", "echo begun; sleep 3; echo ended"], env=yard.env,
                            cwd=f"{yard.dir}/out", stdout=subprocess.PIPE, text=True)
    assert srun.stdout.readline() == "begun\n"
    yard.kill9("slurmctld")
    time.sleep(0.5)
    yard.start_controller()
    assert srun.communicate(timeout=60)[0] == "ended\n"
    assert srun.returncode == 0
    wait_for(lambda: os.path.exists(f"{yard.dir}/out/finished"), what="end of the batch job")
    wait_for(lambda: not yard.queue(), what="empty queue")


def test_a_second_controller_on_the_same_state_is_refused(yard):
    first = yard.pid("slurmctld")
    os.unlink(f"{yard.dir}/run/slurmctld.pid")
    second = yard.run("slurmctld", check=False)
    assert second.returncode == 1
    assert str(first) in second.stderr
    assert alive(first)
    with open(f"{yard.dir}/run/slurmctld.pid", "w") as f:
        f.write(str(first))


def test_a_damaged_log_is_refused_and_nothing_before_the_damage_is_lost(yard):
    jobs = [yard.run("sbatch", "--parsable", "--hold", "--wrap", "true").stdout.strip()
            for _ in range(30)]
    yard.kill9("slurmctld")
    log = f"{yard.dir}/state/log"
    segment = sorted(name for name in os.listdir(log) if name.endswith(".seg"))[0]
    with open(f"{log}/{segment}", "r+b") as f:
        content = f.read()
        at = len(content.rstrip(b"\0")) * 3 // 4
        f.seek(at)
        f.write(bytes([content[at] ^ 0x40]))
    refused = yard.run("slurmctld", check=False)
    assert refused.returncode == 1
    assert segment in refused.stderr and "-i" in refused.stderr
    yard.start_controller("-i")
    known = yard.run("squeue", "-h", "-o", "%i").stdout.split()
    assert known == jobs[:len(known)], "what is before the damage is whole and in order"
    assert 5 < len(known) < 30
    assert any(name.endswith(".damaged") for name in os.listdir(log)), "the evidence is kept"
