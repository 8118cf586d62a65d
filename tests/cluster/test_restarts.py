# SPDX-License-Identifier: Apache-2.0
"""Daemons die with SIGKILL while work runs; the work goes on."""
from conftest import wait_for


def test_jobs_and_sruns_outlive_the_controller(cluster):
    gate = cluster.work / "gate-controller"
    wait = f"while [ ! -e {gate} ]; do sleep 0.05; done"
    job = cluster.sbatch("--wrap", f"echo began; {wait}; echo ended")
    pending = cluster.sbatch("--hold", "--wrap", "true")
    run = cluster.start("srun", "sh", "-c", f"echo began; {wait}; echo ended; exit 5")
    assert run.stdout.readline() == "began\n"
    cluster.wait_state(job, "RUNNING")
    cluster.kill("slurmctld")
    cluster.up("--quiet")
    assert cluster.job(job)["JobState"] == "RUNNING"
    assert cluster.job(pending)["Reason"] == "JobHeldUser"
    gate.touch()
    assert cluster.output(job) == "began\nended\n"
    assert run.wait(30) == 5
    assert run.stdout.read() == "ended\n"
    wait_for(lambda: set(cluster.nodes().values()) == {"idle"}, "idle nodes")


def test_work_that_ends_while_the_controller_is_away_is_reported(cluster):
    mark = cluster.work / "ended-alone"
    gate = cluster.work / "gate-alone"
    job = cluster.sbatch(
        "--wrap", f"while [ ! -e {gate} ]; do sleep 0.05; done; touch {mark}; exit 3")
    cluster.wait_state(job, "RUNNING")
    cluster.kill("slurmctld")
    gate.touch()
    wait_for(mark.exists, "the job to end")
    cluster.up("--quiet")
    facts = cluster.wait_state(job, "FAILED")
    assert facts["ExitCode"] == "3:0"
    assert facts["Restarts"] == "0"


def test_a_job_outlives_its_slurmd(cluster):
    gate = cluster.work / "gate-node"
    log = cluster.work / "node-log"
    job = cluster.sbatch("--wrap", f"echo x >> {log}; while [ ! -e {gate} ]; do sleep 0.05; done")
    node = cluster.wait_state(job, "RUNNING")["NodeList"]
    wait_for(log.exists, "the job's first line")
    cluster.kill("slurmd", node)
    cluster.up("--quiet")
    assert cluster.job(job)["JobState"] == "RUNNING"
    gate.touch()
    cluster.wait_state(job, "COMPLETED")
    assert log.read_text() == "x\n"


def test_a_job_that_ends_while_its_slurmd_is_away_is_reported(cluster):
    gate = cluster.work / "gate-away"
    job = cluster.sbatch("--wrap", f"while [ ! -e {gate} ]; do sleep 0.05; done; exit 4")
    node = cluster.wait_state(job, "RUNNING")["NodeList"]
    wait_for(lambda: cluster.pids("slurmstepd"), "a shepherd")
    cluster.kill("slurmd", node)
    gate.touch()
    wait_for(lambda: not cluster.pids("slurmstepd"), "the shepherd to end")
    cluster.up("--quiet")
    assert cluster.wait_state(job, "FAILED")["ExitCode"] == "4:0"


def test_everything_at_once(cluster):
    gate = cluster.work / "gate-all"
    script = f"while [ ! -e {gate} ]; do sleep 0.05; done; echo $SLURM_JOB_ID"
    jobs = [cluster.sbatch("--wrap", script) for _ in range(4)]
    for job in jobs:
        cluster.wait_state(job, "RUNNING")
    wait_for(lambda: len(cluster.pids("slurmstepd")) == 4, "four shepherds")
    cluster.kill("slurmctld")
    for node in ("n1", "n2", "n3", "n4"):
        cluster.kill("slurmd", node)
    cluster.up("--quiet")
    gate.touch()
    assert [cluster.output(job) for job in jobs] == [f"{job}\n" for job in jobs]
