# SPDX-License-Identifier: Apache-2.0
"""Heterogeneous jobs with real processes: the script, steps in one and in several components."""
import os
import signal
import subprocess

import pytest

from yard import Yard, wait_for


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    yard = Yard(tmp_path_factory.mktemp("yard"), nodes=3, extra="KillWait=1")
    yard.start()
    yield yard
    yard.stop()


@pytest.fixture(autouse=True)
def empty(yard):
    yield
    yard.run("scancel", "-u", "root", check=False)
    wait_for(lambda: not yard.run("squeue", "-h").stdout, what="an empty queue")


def submit(yard, *words, script):
    path = f"{yard.dir}/out/job.sh"
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + script)
    out = yard.run("sbatch", "--parsable", *words, "job.sh").stdout
    return int(out)


def output(yard, job):
    with open(f"{yard.dir}/out/slurm-{job}.out") as f:
        return f.read()


def states(yard, job):
    out = yard.run("squeue", "-h", "-t", "all", "-j", str(job), "-o", "%i %T").stdout
    return dict(line.split() for line in out.splitlines())


def variables(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


SCRIPT = """\
#SBATCH -n2 -w n1
#SBATCH hetjob
#SBATCH -N2 -n2 -c2
env
"""


def test_the_script_runs_once_and_is_told_of_all_components(yard):
    job = submit(yard, "--wait", script=SCRIPT)
    assert states(yard, job) == {f"{job}+0": "COMPLETED", f"{job}+1": "COMPLETED"}
    env = variables(output(yard, job))
    assert env["SLURM_JOB_ID"] == str(job)
    assert env["SLURM_JOB_NODELIST"] == "n1"
    assert env["SLURM_HET_SIZE"] == "2"
    assert env["SLURM_JOB_ID_HET_GROUP_1"] == str(job + 1)
    assert env["SLURM_JOB_NODELIST_HET_GROUP_0"] == "n1"
    assert env["SLURM_JOB_NUM_NODES_HET_GROUP_1"] == "2"
    assert env["SLURM_NTASKS_HET_GROUP_0"] == "2"
    assert env["SLURM_CPUS_PER_TASK_HET_GROUP_1"] == "2"
    assert env["SLURM_TASKS_PER_NODE_HET_GROUP_1"] == "1(x2)"
    assert not os.path.exists(f"{yard.dir}/out/slurm-{job + 1}.out")


STEPS = """\
#SBATCH -n2 -w n1
#SBATCH hetjob
#SBATCH -N2 -n2 -w n[2-3]
show='echo $SLURM_PROCID/$SLURM_NTASKS $SLURM_NODEID/$SLURM_NNODES $SLURMD_NODENAME $SLURM_JOB_ID'
echo one; srun -l sh -c "$show" | sort
echo two; srun -l --het-group=1 sh -c "$show" | sort
echo all; srun -l --het-group=0,1 sh -c "$show" | sort
echo programs; srun -l --het-group=1 echo b : --het-group=0 echo a | sort
echo colon; srun -l echo x : echo y | sort
srun --het-group=2 true || true
"""


def test_a_step_runs_in_one_component_or_as_one_world_in_several(yard):
    job = submit(yard, "--wait", script=STEPS)
    assert output(yard, job).replace(f" {job}\n", " J\n") == """\
one
0: 0/2 0/1 n1 J
1: 1/2 0/1 n1 J
two
0: 0/2 0/2 n2 J
1: 1/2 1/2 n3 J
all
0: 0/4 0/3 n1 J
1: 1/4 0/3 n1 J
2: 2/4 1/3 n2 J
3: 3/4 2/3 n3 J
programs
0: a
1: a
2: b
3: b
colon
0: x
1: x
2: y
3: y
srun: error: Requested het-group offset exceeds highest hetjob index (2 > 1)
"""


def test_srun_gets_components_of_its_own_and_ends_with_the_highest_code(yard):
    done = yard.run("srun", "-l", "-n1", "sh", "-c", "echo $SLURM_PROCID; exit 2", ":", "-N2",
                    "sh", "-c", "echo $SLURM_PROCID; exit 5", check=False)
    assert sorted(done.stdout.split("\n")[:-1]) == ["0: 0", "1: 1", "2: 2"]
    assert done.returncode == 5
    assert "tasks 1-2: Exited with exit code 5" in done.stderr or \
        done.stderr.count("Exited with exit code 5") == 2


def test_a_signal_reaches_the_tasks_of_all_components(yard):
    run = subprocess.Popen(["srun", "-n1", "sleep", "300", ":", "-n1", "sleep", "300"],
                           env=yard.env, cwd=f"{yard.dir}/out", stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    steps = wait_for(lambda: [line for line in yard.run(
        "squeue", "-h", "-s", "-o", "%i").stdout.split() if "+" in line and line.endswith(".0")],
        what="its steps")
    wait_for(lambda: len(yard.shepherds()) == 2, what="both shepherds")
    assert len(steps) == 2 and steps[0].split("+")[1] == "0.0" and steps[1].endswith("+1.0")
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=120)
    assert run.returncode != 0
    wait_for(lambda: not yard.shepherds(), what="their end")


def test_steps_are_named_by_component_and_number(yard):
    job = submit(yard, "-n1", ":", "-n1",
                 script="srun sh -c 'sleep 300' : sh -c 'echo $SLURM_PROCID; sleep 300'\n")
    wait_for(lambda: len(yard.run("squeue", "-h", "-s", "-o", "%i").stdout.split()) == 3,
             what="its steps")
    wait_for(lambda: "1" in output(yard, job), what="the second's output")
    assert f"{job}+1.0" in yard.run("sstat", "-j", f"{job}+1.0", "-P", "-n", "-o", "jobid").stdout
    layout = yard.run("sattach", "--layout", f"{job}+1.0").stdout
    assert "1 tasks, 1 nodes" in layout and ": 1" in layout
    shown = yard.run("scontrol", "show", "step", f"{job}+1").stdout
    assert f"StepId={job}+1.0" in shown and f"{job}+0.0" not in shown
    yard.run("scancel", f"{job}+0.0", f"{job}+1.0")
    wait_for(lambda: set(states(yard, job).values()) <= {"COMPLETED", "FAILED", "CANCELLED"},
             what="the end of srun, and so of the job")


def test_in_an_ordinary_job_two_programs_are_one_world(yard):
    done = yard.run("salloc", "-Q", "-N2", "-n2", "srun", "-l", "-N1", "-n1", "-wn1", "sh", "-c",
                    "echo a $SLURM_PROCID/$SLURM_NTASKS", ":", "-N1", "-n1", "-wn2", "sh", "-c",
                    "echo b $SLURM_PROCID/$SLURM_NTASKS")
    assert sorted(done.stdout.splitlines()) == ["0: a 0/2", "1: b 1/2"]


def test_salloc_gets_all_components_and_gives_them_back(yard):
    done = yard.run("salloc", "-n1", ":", "-N2", "sh", "-c", "env; srun -l hostname : hostname")
    env = variables(done.stdout)
    job = int(env["SLURM_JOB_ID"])
    assert env["SLURM_HET_SIZE"] == "2"
    assert env["SLURM_JOB_ID_HET_GROUP_1"] == str(job + 1)
    assert env["SLURM_JOB_NUM_NODES_HET_GROUP_1"] == "2"
    assert sum(line[:2] in ("0:", "1:", "2:") for line in done.stdout.splitlines()) == 3
    wait_for(lambda: set(states(yard, job).values()) == {"COMPLETED"}, what="their end")


def test_of_a_running_job_one_component_can_be_cancelled(yard):
    job = submit(yard, "-n1", ":", "-n1", script="sleep 300\n")
    wait_for(lambda: set(states(yard, job).values()) == {"RUNNING"}, what="its start")
    yard.run("scancel", f"{job}+1")
    wait_for(lambda: states(yard, job) == {f"{job}+0": "RUNNING", f"{job}+1": "CANCELLED"},
             what="the end of the second")
    yard.run("scancel", str(job))
    wait_for(lambda: set(states(yard, job).values()) == {"CANCELLED"}, what="the end of all")


def test_all_come_back_after_a_requeue_and_a_restart_of_the_controller(yard):
    job = submit(yard, "-n1", ":", "-n1", script="echo run $SLURM_RESTART_COUNT; sleep 300\n")
    wait_for(lambda: set(states(yard, job).values()) == {"RUNNING"}, what="its start")
    yard.run("scontrol", "requeue", str(job))
    yard.kill9("slurmctld")
    yard.start_controller()
    wait_for(lambda: set(states(yard, job).values()) == {"RUNNING"} and
             "run 1" in output(yard, job), what="its second start")
