# SPDX-License-Identifier: Apache-2.0
"""Signals and limits on real processes: who gets which signal, when, and what users read of it."""
import os
import re
import signal
import subprocess

import pytest

from yard import Yard, wait_for


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    yard = Yard(tmp_path_factory.mktemp("control"), nodes=2, extra="KillWait=1")
    yard.start()
    yield yard
    yard.stop()


def output(yard, name):
    try:
        with open(f"{yard.dir}/out/{name}") as f:
            return f.read()
    except OSError:
        return ""


def submit(yard, script, *options):
    """A batch job that has said that it is ready."""
    done = yard.run("sbatch", "--parsable", "-o", "%j.out", *options, "--wrap", script)
    job = done.stdout.strip()
    wait_for(lambda: "ready" in output(yard, f"{job}.out"), what=f"job {job} to be ready")
    return job


def over(yard, job):
    """The job's facts once it is over and clean."""
    def facts():
        text = yard.run("scontrol", "show", "job", job).stdout
        state = re.search(r"JobState=(\S+)", text)[1]
        return text if state not in ("PENDING", "RUNNING", "COMPLETING") else None
    return wait_for(facts, what=f"job {job} to end")


# A shell that notes the signal and goes on until its step, which does the same, is gone, and until
# it is let go: the two get their signals one after the other. The step writes to a file of its own:
# with --full its srun gets the signal, too.
SCRIPT = """trap 'echo shell got it' USR1
srun -o %j.step sh -c '
  trap "echo step got it; exit 0" USR1; echo ready; while :; do sleep 0.05; done' &
while kill -0 $! 2>/dev/null || [ ! -e $SLURM_JOB_ID.go ]; do sleep 0.05; done
echo end"""


def submit_with_step(yard):
    done = yard.run("sbatch", "--parsable", "-o", "%j.out", "--wrap", SCRIPT)
    job = done.stdout.strip()
    wait_for(lambda: "ready" in output(yard, f"{job}.step"), what="the step")
    return job


@pytest.mark.parametrize("options, shell", [([], False), (["-f"], True)])
def test_a_signal_goes_to_the_steps_and_with_full_to_the_shell_too(yard, options, shell):
    job = submit_with_step(yard)
    yard.run("scancel", "-s", "USR1", *options, job)
    wait_for(lambda: "step got it" in output(yard, f"{job}.step"), what="the step's word")
    if shell:
        wait_for(lambda: "shell got it" in output(yard, f"{job}.out"), what="the shell's word")
    with open(f"{yard.dir}/out/{job}.go", "w"):
        pass
    wait_for(lambda: "end" in output(yard, f"{job}.out"), what="the end")
    assert ("shell got it" in output(yard, f"{job}.out")) == shell


def test_with_batch_only_the_shell_gets_the_signal(yard):
    job = submit_with_step(yard)
    yard.run("scancel", "-b", "-s", "10", job)
    wait_for(lambda: "shell got it" in output(yard, f"{job}.out"), what="the shell")
    assert "step got it" not in output(yard, f"{job}.step")
    yard.run("scancel", job)
    over(yard, job)


def test_a_cancelled_job_reads_why_and_so_does_a_cancelled_step(yard):
    job = submit(yard, "srun sh -c 'echo ready; sleep 1000'; echo after; sleep 1000")
    yard.run("scancel", f"{job}.0")
    wait_for(lambda: "after" in output(yard, f"{job}.out"), what="the step's end")
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
    text = output(yard, f"{job}.out")
    assert re.search(rf"slurmstepd: error: \*\*\* STEP {job}\.0 ON n\d CANCELLED AT {time} \*\*\*",
                     text), text
    yard.run("scancel", job)
    assert "JobState=CANCELLED" in over(yard, job)
    text = output(yard, f"{job}.out")
    assert re.search(rf"slurmstepd: error: \*\*\* JOB {job} ON n\d CANCELLED AT {time} \*\*\*",
                     text), text


def test_what_ignores_sigterm_is_killed_after_killwait(yard):
    job = submit(yard, "trap 'echo deaf' TERM; echo ready; while :; do sleep 0.05; done")
    yard.run("scancel", job)
    assert "JobState=CANCELLED" in over(yard, job)
    assert "deaf" in output(yard, f"{job}.out"), "SIGTERM came first"


def test_a_limit_is_announced_as_signal_says(yard):
    script = "trap 'echo warned' USR1; echo ready; while :; do sleep 0.05; done"
    job = submit(yard, script, "-t", "1", "--signal=B:USR1@58")  # after two seconds
    wait_for(lambda: "warned" in output(yard, f"{job}.out"), 20, "the warning")
    assert output(yard, f"{job}.out").count("warned") == 1
    yard.run("scancel", job)
    over(yard, job)


def test_a_lost_node_ends_only_the_step_of_a_job_that_may_go_on(yard):
    job = submit(yard, "srun -N2 --no-kill sh -c 'echo ready; sleep 1000' & "
                       "while :; do sleep 0.05; done", "-N2", "--no-kill")
    yard.run("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=test")
    assert "JobState=RUNNING" in yard.run("scontrol", "show", "job", job).stdout
    yard.run("scontrol", "update", "NodeName=n2", "State=RESUME")
    yard.run("scancel", job)
    over(yard, job)


def test_a_begin_time_comes_also_behind_a_job_that_waits_for_room(yard):
    def pending(*options):
        return yard.run("sbatch", "--parsable", "-o", "%j.out", *options, "--wrap",
                        "echo ready; sleep 1000").stdout.strip()
    first = submit(yard, "echo ready; sleep 1000", "-wn1", "-n4")
    blocked = pending("-wn1", "-n4")
    later = pending("-wn2", "-n1", "--begin=now+2")
    wait_for(lambda: f"{later} PENDING BeginTime" in yard.queue(), what="one that begins later")
    wait_for(lambda: f"{later} RUNNING None" in yard.queue(), 20, "its begin")
    yard.run("scancel", first, blocked, later)
    over(yard, first)
    over(yard, later)


def test_a_job_that_can_never_run_waits_or_is_ended_as_it_asked(yard):
    gate = f"{yard.dir}/out/gate"
    first = submit(yard, f"echo ready; until [ -e {gate} ]; do sleep 0.05; done; exit 1")
    waits, ends = (yard.run("sbatch", "--parsable", "-d", f"afterok:{first}", "-o", "/dev/null",
                            f"--kill-on-invalid-dep={word}", "--wrap", "true").stdout.strip()
                   for word in ("no", "yes"))
    open(gate, "w").close()
    text = over(yard, ends)
    assert "JobState=CANCELLED" in text and "Reason=DependencyNeverSatisfied" in text
    assert f"{waits} PENDING DependencyNeverSatisfied" in yard.queue()
    yard.run("scancel", waits)


def test_an_allocation_without_a_shell_stays_until_it_is_cancelled(tmp_path):
    yard = Yard(tmp_path, nodes=1, extra="InactiveLimit=1")
    yard.start()
    try:
        said = yard.run("salloc", "--no-shell", "-n1").stderr
        job = re.search(r"Granted job allocation (\d+)", said)[1]
        # Another one that loses its client shows that the limit has been looked at since.
        other = subprocess.Popen(["salloc", "sleep", "600"], env=yard.env, cwd=f"{yard.dir}/out",
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        wait_for(lambda: len(yard.queue()) == 2, what="two allocations")
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()
        wait_for(lambda: len(yard.queue()) == 1, what="one allocation")
        assert yard.run("srun", "--jobid", job, "echo", "here").stdout == "here\n"
        yard.run("scancel", job)
    finally:
        yard.stop()
