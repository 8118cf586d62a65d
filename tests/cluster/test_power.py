# SPDX-License-Identifier: Apache-2.0
"""Power saving with real daemons: SuspendProgram ends a node's slurmd, ResumeProgram starts it."""
import json
import os

import pytest
from yard import BIN, Yard, alive, wait_for


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


@pytest.fixture
def make_yard(tmp_path):
    made = []

    def make(extra="", resume="start"):
        each = f"for n in $({BIN}/scontrol show hostnames $1); do\n"
        off = program(tmp_path / "off", f"echo off $1 >> {tmp_path}/said\n{each}"
                      f"kill $(cat {tmp_path}/run/slurmd-$n.pid); done\n")
        start = each + f"{BIN}/slurmd -N $n; done\n" if resume == "start" else ""
        on = program(tmp_path / "on", f"echo on $1 >> {tmp_path}/said\n"
                     f"cat $SLURM_RESUME_FILE > {tmp_path}/resume_file\n{start}")
        failed = program(tmp_path / "failed", f"echo failed $1 >> {tmp_path}/said\n")
        one = Yard(tmp_path, nodes=2,
                   extra=f"SuspendProgram={off}\nResumeProgram={on}\nResumeFailProgram={failed}\n"
                         f"SuspendTimeout=2\n{extra}")
        made.append(one)
        one.start_controller()
        for i in (1, 2):
            one.start_node(i)
        return one

    yield make
    for one in made:
        one.stop()


def state(yard, name):
    return yard.run("sinfo", "-h", "-N", "-n", name, "-o", "%t").stdout.strip()


def said(yard):
    try:
        with open(f"{yard.dir}/said") as f:
            return f.read().splitlines()
    except OSError:
        return []


def wait_state(yard, name, wanted, seconds=60):
    wait_for(lambda: state(yard, name) == wanted, seconds=seconds, what=f"{name} {wanted}")


def test_nodes_are_switched_off_and_on_by_hand_and_for_a_job(make_yard):
    yard = make_yard("ResumeTimeout=120")
    for name in ("n1", "n2"):
        wait_state(yard, name, "idle")
    yard.run("scontrol", "power", "down", "n[1-2]")
    for i in (1, 2):
        wait_state(yard, f"n{i}", "idle~")
        wait_for(lambda: not yard.pid(f"slurmd-n{i}") or not alive(yard.pid(f"slurmd-n{i}")),
                 what=f"slurmd n{i} gone")
    shown = yard.run("scontrol", "-o", "show", "node", "n1").stdout
    assert "State=IDLE+POWERED_DOWN " in shown, shown
    # What is off survives the controller.
    yard.kill9("slurmctld")
    yard.start_controller()
    assert state(yard, "n1") == "idle~"
    # By hand.
    yard.run("scontrol", "update", "NodeName=n1", "State=POWER_UP")
    wait_state(yard, "n1", "idle")
    # For a job: a node that is on is taken first, the other one is switched on.
    assert yard.run("srun", "hostname").returncode == 0
    assert state(yard, "n2") == "idle~"
    out = yard.run("srun", "-N2", "sh", "-c", "echo $SLURMD_NODENAME", timeout=180).stdout
    assert sorted(out.split()) == ["n1", "n2"]
    wait_for(lambda: "on n2" in said(yard), what="ResumeProgram")
    with open(f"{yard.dir}/resume_file") as f:
        told = json.load(f)
    assert told["all_nodes_resume"] == "n2"
    assert told["jobs"][0]["nodes_alloc"] == "n[1-2]"
    assert told["jobs"][0]["nodes_resume"] == "n2"


def test_an_idle_node_goes_off_and_a_waiting_job_is_configuring(make_yard):
    yard = make_yard("ResumeTimeout=3600\nSuspendTime=4\nSuspendExcNodes=n1", resume="later")
    wait_state(yard, "n2", "idle~")
    assert said(yard) == ["off n2"]
    job = yard.run("sbatch", "--parsable", "-w", "n2", "--wrap", "echo fine").stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h", "-j", job, "-o", "%t").stdout.strip() == "CF",
             what="job configuring")
    wait_for(lambda: "on n2" in said(yard), what="ResumeProgram")
    wait_for(lambda: state(yard, "n2") in ("mix#", "alloc#"), what="n2 powering up")
    assert state(yard, "n1") == "idle"
    yard.start_node(2)
    out = f"{yard.dir}/out/slurm-{job}.out"
    wait_for(lambda: os.path.exists(out) and open(out).read() == "fine\n", what="job's output")


def test_a_node_that_does_not_come_is_down_and_its_job_is_requeued(make_yard):
    yard = make_yard("ResumeTimeout=3", resume="never")
    wait_state(yard, "n2", "idle")
    yard.run("scontrol", "power", "down", "n2")
    wait_state(yard, "n2", "idle~")
    job = yard.run("sbatch", "--parsable", "-w", "n2", "--wrap", "true").stdout.strip()
    wait_state(yard, "n2", "down~")
    assert "Reason=ResumeTimeout reached" in yard.run("scontrol", "show", "node", "n2").stdout
    wait_for(lambda: "failed n2" in said(yard), what="ResumeFailProgram")
    wait_for(lambda: "Restarts=1" in yard.run("scontrol", "show", "job", job).stdout,
             what="job requeued")
    assert yard.run("squeue", "-h", "-j", job, "-o", "%T").stdout.strip() == "PENDING"
