# SPDX-License-Identifier: Apache-2.0
"""Every variable that programs may find in a job's environment: in a batch script, in a step of
it, in a step of an srun of its own, and in salloc's shell."""
import os
import re
import subprocess

import pytest

from conftest import new_folder
from yard import Yard, wait_for

import shutil

NUMBER, TIME = r"[0-9]+", r"[0-9]{10}"
LAUNCHER = "--external-launcher"
HERE = subprocess.run(["hostname", "-s"], capture_output=True, text=True).stdout.strip()
USER = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
OPTIONS = ["-N2", "-n4", "-c1", "--ntasks-per-node=2", "--mem=100", "-A", "acc", "-q", "normal",
           "-J", "named", "-t", "10", "--extra=word", "-O"]

# What is true in all four places. Values are regular expressions for the whole value.
OF_THE_JOB = {
    "SLURM_JOB_ID": NUMBER, "SLURM_JOBID": NUMBER, "SLURM_JOB_NAME": "named",
    "SLURM_JOB_NODELIST": r"n\[1-2\]", "SLURM_JOB_NUM_NODES": "2",
    "SLURM_JOB_CPUS_PER_NODE": NUMBER + r"(\(x2\))?", "SLURM_JOB_PARTITION": "debug",
    "SLURM_JOB_ACCOUNT": "acc", "SLURM_JOB_QOS": "normal",
    "SLURM_JOB_UID": str(os.getuid()), "SLURM_JOB_GID": str(os.getgid()), "SLURM_JOB_USER": USER,
    "SLURM_JOB_START_TIME": TIME, "SLURM_JOB_END_TIME": TIME, "SLURM_CLUSTER_NAME": "yard[0-9]+",
    "SLURM_SUBMIT_DIR": "/.*/out", "SLURM_SUBMIT_HOST": HERE,
    "SLURM_NODELIST": r"n\[1-2\]", "SLURM_NNODES": "2", "SLURM_NTASKS": "4", "SLURM_NPROCS": "4",
    "SLURM_TASKS_PER_NODE": r"2\(x2\)", "SLURM_MEM_PER_NODE": "100", "SLURM_CPUS_PER_TASK": "1",
    "SLURM_NTASKS_PER_NODE": "2", "SLURM_OVERCOMMIT": "1", "SLURM_JOB_EXTRA": "word",
    "SLURM_CONF": "/.*/slurm.conf",
    "HYDRA_BOOTSTRAP": "slurm", "HYDRA_LAUNCHER_EXTRA_ARGS": LAUNCHER,
    "I_MPI_HYDRA_BOOTSTRAP": "slurm", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": LAUNCHER,
    "OMPI_MCA_plm_slurm_args": LAUNCHER, "PRTE_MCA_plm_slurm_args": LAUNCHER,
}
OF_A_TASK = {
    "SLURM_TASK_PID": NUMBER, "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0",
    "SLURM_CPUS_ON_NODE": NUMBER, "SLURMD_NODENAME": "n1", "SLURM_TOPOLOGY_ADDR": "n1",
    "SLURM_TOPOLOGY_ADDR_PATTERN": "node", "SLURM_PRIO_PROCESS": "-?" + NUMBER,
    "TMPDIR": "/tmp", "HOME": "/.*", "PATH": ".*/.*", "USER": ".+", "LOGNAME": ".+", "SHELL": "/.*",
}
OF_A_BATCH = {"ENVIRONMENT": "BATCH", "SLURM_GTIDS": "0", "SLURM_UMASK": "0[0-7]{3}"}
OF_AN_ARRAY = {
    "SLURM_ARRAY_JOB_ID": NUMBER, "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "1",
    "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_MAX": "3", "SLURM_ARRAY_TASK_STEP": "1",
}
OF_A_STEP = {
    "SLURM_STEP_ID": "0", "SLURM_STEPID": "0", "SLURM_STEP_NODELIST": r"n\[1-2\]",
    "SLURM_STEP_NUM_NODES": "2", "SLURM_STEP_NUM_TASKS": "4",
    "SLURM_STEP_TASKS_PER_NODE": r"2\(x2\)", "SLURM_GTIDS": "0,1",
    "SLURM_STEP_LAUNCHER_PORT": NUMBER, "SLURM_SRUN_COMM_PORT": NUMBER,
    "SLURM_SRUN_COMM_HOST": r"[0-9.]+", "SLURM_LAUNCH_NODE_IPADDR": r"[0-9.]+",
    "SLURM_UMASK": "0[0-7]{3}",
}
NOT_IN_A_BATCH = [name for name in OF_A_STEP if name not in ("SLURM_GTIDS", "SLURM_UMASK")]


@pytest.fixture(scope="module")
def yard():
    folder = new_folder()
    cluster = Yard(folder, nodes=2, cpus=2)
    for name in ("TMPDIR", "USER", "LOGNAME", "SHELL"):
        cluster.env.pop(name, None)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def wrong(environment, *tables):
    """The entries that are missing or different."""
    out = []
    for table in tables:
        for name, pattern in table.items():
            value = environment.get(name)
            if value is None or not re.fullmatch(pattern, value, re.DOTALL):
                out.append(f"{name}={value} is not {pattern}")
    return out


def read_environment(path):
    with open(path) as f:
        return dict(entry.split("=", 1) for entry in f.read().split("\0") if "=" in entry)


def wait_read(path):
    wait_for(lambda: os.path.exists(path), what=path)
    return read_environment(path)


def save(path):
    """Shell code of a task: its environment into a file, complete or not there at all."""
    return f'[ "${{SLURM_PROCID:-0}}" != 0 ] || {{ env -0 > {path}.new; mv {path}.new {path}; }}'


def test_a_batch_script_and_its_step(yard):
    batch, step = f"{yard.dir}/out/batch", f"{yard.dir}/out/step"
    script = f"#!/bin/sh\n{save(batch)}\nsrun sh -c '{save(step)}'\n"
    job = yard.run("sbatch", "--parsable", "-a3", *OPTIONS, "-o", "/dev/null", input=script)
    seen = wait_read(batch)
    assert wrong(seen, OF_THE_JOB, OF_A_TASK, OF_A_BATCH, OF_AN_ARRAY) == []
    assert [name for name in NOT_IN_A_BATCH if name in seen] == []
    assert [name for name in seen if "RLIMIT" in name] == []
    assert seen["SLURM_ARRAY_JOB_ID"] == job.stdout.strip()
    inner = wait_read(step)
    assert wrong(inner, OF_THE_JOB, OF_A_TASK, OF_A_STEP, OF_AN_ARRAY) == []
    assert "ENVIRONMENT" not in inner
    assert inner["SLURM_JOB_ID"] == seen["SLURM_JOB_ID"]


def test_an_srun_of_its_own(yard):
    path = f"{yard.dir}/out/own"
    yard.run("srun", *OPTIONS, "sh", "-c", save(path))
    assert wrong(read_environment(path), OF_THE_JOB, OF_A_TASK, OF_A_STEP) == []


def test_sallocs_shell(yard):
    path = f"{yard.dir}/out/salloc"
    yard.run("salloc", *OPTIONS, "sh", "-c", save(path))
    seen = read_environment(path)
    assert wrong(seen, OF_THE_JOB) == []
    assert "SLURM_STEP_ID" not in seen


def test_a_job_that_asked_for_nothing_is_told_nothing(yard):
    path = f"{yard.dir}/out/plain"
    yard.env["SLURM_RESTART_COUNT"] = "7"  # of a job around it
    try:
        yard.run("sbatch", "-o", "/dev/null", input=f"#!/bin/sh\n{save(path)}\n")
    finally:
        del yard.env["SLURM_RESTART_COUNT"]
    seen = wait_read(path)
    for name in ("SLURM_NTASKS", "SLURM_CPUS_PER_TASK", "SLURM_NTASKS_PER_NODE", "SLURM_HINT",
                 "SLURM_MEM_PER_CPU", "SLURM_DISTRIBUTION", "SLURM_ARRAY_TASK_ID",
                 "SLURM_JOB_GPUS", "SLURM_GPUS", "SLURM_RESTART_COUNT", "SLURM_OVERCOMMIT"):
        assert name not in seen
    assert seen["SLURM_TASKS_PER_NODE"] == "1"


def test_a_requeued_job_counts_its_restarts(yard):
    path = f"{yard.dir}/out/again"
    script = f'#!/bin/sh\n[ -n "$SLURM_RESTART_COUNT" ] || exec sleep 1000\n{save(path)}\n'
    job = yard.run("sbatch", "--parsable", "--requeue", "-o", "/dev/null",
                   input=script).stdout.strip()
    wait_for(lambda: f"{job} RUNNING None" in yard.queue(), what="the job's start")
    yard.run("scontrol", "requeue", job)
    assert wait_read(path)["SLURM_RESTART_COUNT"] == "1"
