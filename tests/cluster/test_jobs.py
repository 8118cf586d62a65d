# SPDX-License-Identifier: Apache-2.0
"""Jobs on a real cluster of four nodes: submitted, seen, changed, ended."""
import re
import signal
import subprocess

import pytest

from conftest import wait_for


def test_a_batch_jobs_output_appears(cluster):
    script = ("#!/bin/bash\n#SBATCH --job-name=first -N2\n"
              "echo $SLURM_JOB_ID $SLURM_JOB_NAME $SLURM_JOB_NODELIST $1\n")
    path = cluster.work / "first.sh"
    path.write_text(script)
    job = cluster.sbatch(path, "word")
    assert cluster.output(job) == f"{job} first n[1-2] word\n"
    facts = cluster.job(job)
    assert facts["JobState"] == "COMPLETED" and facts["ExitCode"] == "0:0"


@pytest.mark.parametrize("script, code", [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
def test_srun_ends_with_its_tasks_code(cluster, script, code):
    assert cluster.run("srun", "sh", "-c", script, check=False).returncode == code


def test_srun_carries_input_and_output_both_ways(cluster):
    text = "".join(f"line {n}\n" for n in range(5000))
    assert cluster.run("srun", "cat", input=text).stdout == text
    done = cluster.run("srun", "-n2", "-N2", "-l", "sh", "-c", "cat; echo err >&2", input="hi\n")
    assert sorted(done.stdout.splitlines()) == ["0: hi", "1: hi"]
    assert sorted(done.stderr.splitlines()) == ["0: err", "1: err"]


def test_srun_is_ended_by_two_interrupts(cluster):
    run = cluster.start("srun", "sh", "-c", "echo here; sleep 1000")
    assert run.stdout.readline() == "here\n"
    run.send_signal(signal.SIGINT)
    assert "interrupt" in run.stderr.readline()  # Signals that wait together are one.
    run.send_signal(signal.SIGINT)
    try:
        run.wait(20)
    except subprocess.TimeoutExpired:
        run.kill()
        pytest.fail("srun goes on")
    assert run.returncode != 0
    wait_for(lambda: not cluster.run("squeue", "-h").stdout, "the job to be gone")


def test_an_array_runs_each_element_once(cluster):
    job = cluster.sbatch("--array=1-6%3", "-o", "array-%A_%a.out", "--wrap",
                         "echo $SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID")
    files = [cluster.work / f"array-{job}_{n}.out" for n in range(1, 7)]
    wait_for(lambda: all(f.exists() and f.read_text() for f in files), "six files")
    assert [f.read_text() for f in files] == [f"{job} {n}\n" for n in range(1, 7)]


def test_scancel_ends_a_job(cluster):
    job = cluster.sbatch("--wrap", "sleep 1000")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scancel", job)
    cluster.wait_state(job, "CANCELLED")
    wait_for(lambda: set(cluster.nodes().values()) == {"idle"}, "idle nodes")


def test_squeue_and_sinfo_print_what_is_asked_for(cluster):
    job = cluster.sbatch("-J", "shown", "-N4", "--exclusive", "--wrap", "sleep 1000")
    waiting = cluster.sbatch("-N4", "--wrap", "true")
    cluster.wait_state(job, "RUNNING")
    lines = cluster.run("squeue", "-h", "-o", "%i|%j|%t|%D|%R").stdout.splitlines()
    assert f"{job}|shown|R|4|n[1-4]" in lines
    assert any(re.fullmatch(rf"{waiting}\|wrap\|PD\|4\|\((Resources|Priority|None)\)", line)
               for line in lines), lines
    assert cluster.run("sinfo", "-h", "-o", "%P %D %t %N").stdout == "debug* 4 alloc n[1-4]\n"
    header = cluster.run("squeue").stdout.splitlines()[0].split()
    assert header == ["JOBID", "PARTITION", "NAME", "USER", "ST", "TIME", "NODES",
                      "NODELIST(REASON)"]


def test_a_held_job_waits_until_it_is_released(cluster):
    job = cluster.sbatch("--hold", "--wrap", "true")
    assert cluster.job(job)["Reason"] == "JobHeldUser"
    cluster.run("scontrol", "release", job)
    cluster.wait_state(job, "COMPLETED")


def test_jobs_wait_for_those_they_depend_on(cluster):
    log = cluster.work / "chain"
    first = cluster.sbatch("--hold", "--wrap", f"echo 1 >> {log}")
    second = cluster.sbatch(f"--dependency=afterok:{first}", "--wrap", f"echo 2 >> {log}; exit 1")
    third = cluster.sbatch(f"--dependency=afternotok:{second}", "--wrap", f"echo 3 >> {log}")
    never = cluster.sbatch(f"--dependency=afterok:{second}", "--wrap", f"echo 4 >> {log}")
    assert cluster.job(second)["Reason"] == "Dependency"
    cluster.run("scontrol", "release", first)
    cluster.wait_state(third, "COMPLETED")
    assert log.read_text() == "1\n2\n3\n"
    wait_for(lambda: cluster.job(never)["Reason"] == "DependencyNeverSatisfied", "the verdict")


def test_a_requeued_job_runs_again(cluster):
    log = cluster.work / "requeued"
    job = cluster.sbatch("--requeue", "--wrap", f"echo run $SLURM_RESTART_COUNT >> {log}; "
                         f"[ $(wc -l < {log}) -ge 2 ] || sleep 1000")
    wait_for(lambda: log.exists() and log.read_text(), "the first run")
    cluster.run("scontrol", "requeue", job)
    facts = cluster.wait_state(job, "COMPLETED")
    assert facts["Restarts"] == "1"
    assert log.read_text() in ("run\nrun 1\n", "run 0\nrun 1\n")


def test_a_job_that_is_over_its_limit_is_ended(cluster):
    job = cluster.sbatch("--time=10", "--wrap", "sleep 1000")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=0:01")
    # Limits are whole minutes.
    facts = cluster.wait_state(job, "TIMEOUT", patience=120)
    assert facts["Reason"] == "TimeLimit"


def test_a_drained_node_gets_no_work(cluster):
    cluster.run("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=broken fan")
    try:
        assert cluster.nodes()["n1"] == "drained"
        assert cluster.run("srun", "sh", "-c", "echo $SLURMD_NODENAME").stdout == "n2\n"
        assert "broken fan" in cluster.run("scontrol", "show", "node", "n1").stdout
    finally:
        cluster.run("scontrol", "update", "NodeName=n1", "State=RESUME")
    assert cluster.nodes()["n1"] == "idle"


def test_steps_of_a_job_share_its_nodes(cluster):
    job = cluster.sbatch("-N2", "-n4", "--wrap",
                         "srun sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME' | sort; "
                         "srun -N1 -n1 echo one")
    assert cluster.output(job) == "0 n1\n1 n1\n2 n2\n3 n2\none\n"


def test_salloc_gives_a_shell_with_nodes(cluster):
    done = cluster.run("salloc", "-N2", "sh", "-c", "srun sh -c 'echo $SLURMD_NODENAME' | sort")
    assert done.stdout == "n1\nn2\n"
    assert "Granted job allocation" in done.stderr


def test_impossible_requests_are_refused_at_once(cluster):
    refused = cluster.run("sbatch", "-c100000", "--wrap", "true", check=False)
    assert refused.returncode == 1
    assert "Requested node configuration is not available" in refused.stderr
    refused = cluster.run("sbatch", "-p", "nowhere", "--wrap", "true", check=False)
    assert "invalid partition" in refused.stderr.lower()
