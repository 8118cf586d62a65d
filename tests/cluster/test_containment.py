# SPDX-License-Identifier: Apache-2.0
"""What a job may use, and that nothing of it is left: real control groups, real processes."""
import os
import re
import signal
import subprocess
import sys

import pytest
from yard import Yard, alive, wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are root's to make")

HOG = "import time; kept = bytearray(200 << 20); print('done', flush=True)"


def started(folder, **options):
    one = Yard(folder, nodes=1, cpus=4, **options)
    return one


def write_cgroup_conf(yard, text):
    with open(f"{yard.dir}/cgroup.conf", "w") as f:
        f.write(text)


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contain")
    os.chmod(folder, 0o755)
    one = started(folder, extra="KillWait=1\nUnkillableStepTimeout=1")
    write_cgroup_conf(one, "ConstrainCores=yes\nConstrainRAMSpace=yes\nConstrainDevices=yes\n")
    try:
        one.start()
        yield one
    finally:
        one.stop()


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Without control groups."""
    folder = tmp_path_factory.mktemp("bare")
    os.chmod(folder, 0o755)
    one = started(folder, extra="KillWait=1\nUnkillableStepTimeout=15")
    write_cgroup_conf(one, "CgroupPlugin=disabled\n")
    try:
        one.start()
        yield one
    finally:
        one.stop()


@pytest.fixture(params=["groups", "no groups"])
def either(request):
    return request.getfixturevalue("yard" if request.param == "groups" else "bare")


def submit(yard, script, *options):
    out = yard.run("sbatch", "--parsable", "-o", "job-%j.out", *options,
                   input=f"#!/bin/bash\n{script}\n").stdout
    return int(out.split(";")[0])


def job(yard, number):
    out = yard.run("scontrol", "show", "job", str(number), check=False).stdout
    return dict(re.findall(r"(\S+?)=(\S*)", out))


def wait_state(yard, number, *states, seconds=30):
    try:
        return wait_for(lambda: (lambda j: j if j.get("JobState") in states else None)(
            job(yard, number)), seconds=seconds)
    except AssertionError:
        raise AssertionError(f"{job(yard, number).get('JobState')}, not {states}\n{yard.logs()}")


def output(yard, number):
    try:
        with open(f"{yard.dir}/out/job-{number}.out") as f:
            return f.read()
    except OSError:
        return ""


def marked(mark):
    """Processes whose command line has the mark."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and alive(int(entry)):
            found.append(int(entry))
    return found


def wait_gone(mark, seconds=20):
    wait_for(lambda: not marked(mark), seconds=seconds, what=f"the end of {mark}")


def test_a_batch_job_that_uses_too_much_memory_is_out_of_memory(yard):
    number = submit(yard, f'exec {sys.executable} -c "{HOG}"', "--mem=64")
    seen = wait_state(yard, number, "OUT_OF_MEMORY", "COMPLETED", "FAILED")
    assert seen["JobState"] == "OUT_OF_MEMORY"
    assert seen["ExitCode"] == "0:125"
    said = output(yard, number)
    assert (f"slurmstepd: error: Detected 1 oom_kill event in StepId={number}.batch. Some of the "
            "step tasks have been OOM Killed.") in said
    assert "done" not in said


def test_a_step_that_uses_too_much_memory_is_told_and_its_job_out_of_memory(yard):
    done = yard.run("srun", "--mem=64", sys.executable, "-c", HOG, check=False)
    assert done.returncode == 253, done.stdout + done.stderr
    assert "oom_kill event in StepId=" in done.stderr
    assert "task 0: Out Of Memory" in done.stderr
    number = int(re.search(r"StepId=(\d+)\.0", done.stderr)[1])
    wait_state(yard, number, "OUT_OF_MEMORY")


def test_oom_kill_step_ends_all_of_the_step(tmp_path):
    os.chmod(tmp_path, 0o755)
    one = started(tmp_path, extra="TaskPluginParam=OOMKillStep")
    mark = f"bystander-{os.getpid()}"
    try:
        one.start()
        # The one that is too big is a child of a task that would go on, beside another task.
        number = submit(one, f"bash -c 'sleep 100; true' {mark} & "
                             f'{sys.executable} -c "{HOG}"; sleep 100; echo went on', "--mem=64")
        wait_state(one, number, "OUT_OF_MEMORY")
        assert "went on" not in output(one, number)
        assert not marked(mark)
    finally:
        one.stop()


def test_a_job_says_itself_whether_its_step_ends_with_one_process(yard):
    script = f'{sys.executable} -c "{HOG}"; echo went on'
    number = submit(yard, script + "; sleep 100", "--mem=64", "--oom-kill-step")
    wait_state(yard, number, "OUT_OF_MEMORY")
    assert "went on" not in output(yard, number)
    number = submit(yard, script, "--mem=64", "--oom-kill-step=0")
    wait_state(yard, number, "OUT_OF_MEMORY")
    assert "went on" in output(yard, number)


def test_a_step_may_say_otherwise_than_its_job(yard):
    task = f'{sys.executable} -c "{HOG}"'
    number = submit(yard, f"cat > oom.sh <<'END'\n{task}\necho went on\nEND\n"
                          "srun --oom-kill-step sh ./oom.sh\necho after", "--mem=64",
                    "--oom-kill-step=0")
    wait_state(yard, number, "COMPLETED")
    assert "went on" not in output(yard, number) and "after" in output(yard, number)


def test_a_job_within_its_memory_is_left_alone(yard):
    number = submit(yard, "echo fine", "--mem=64")
    wait_state(yard, number, "COMPLETED")
    assert output(yard, number) == "fine\n"


def test_devices_that_nobody_needs_are_denied(yard):
    number = submit(yard, "echo x >/dev/null && head -c1 /dev/zero | wc -c\n"
                          "head -c1 /dev/kmsg >/dev/null && echo read it")
    wait_state(yard, number, "COMPLETED", "FAILED")
    said = output(yard, number)
    assert said.startswith("1\n")
    assert "Operation not permitted" in said
    assert "read it" not in said


def test_a_daemon_ends_with_its_job(either):
    mark = f"daemon-{os.getpid()}-{id(either)}"
    number = submit(either, f"(setsid bash -c 'trap \"\" TERM HUP; exec 0<&- 1>&- 2>&-; "
                            f"while :; do sleep 1; done' {mark} &)\n"
                            f"while ! pgrep -f {mark} >/dev/null; do :; done; echo left")
    wait_state(either, number, "COMPLETED")
    assert output(either, number) == "left\n"
    wait_gone(mark)


def test_those_who_fork_without_end_are_ended_with_their_job(either):
    mark = f"bomb-{os.getpid()}-{id(either)}"
    # Forty that replace themselves all the time by a child, so that none lives long; they end after
    # a while by themselves, so that a broken test leaves the machine usable.
    bomb = (f"bash -c 'r() {{ [ $SECONDS -gt 20 ] && exit; sleep 0.02; r & exit; }}; "
            f"for i in $(seq 40); do (trap \"\" TERM; r) & done; wait' {mark}")
    number = submit(either, f"{bomb} & wait; sleep 100", "-o", "/dev/null")
    wait_for(lambda: len(marked(mark)) > 20, what="many processes")
    either.run("scancel", str(number))
    wait_state(either, number, "CANCELLED")
    wait_gone(mark)


def test_what_ignores_sigterm_is_killed(either):
    mark = f"deaf-{os.getpid()}-{id(either)}"
    number = submit(either, f"trap '' TERM; bash -c 'trap \"\" TERM; while :; do sleep 1; done' "
                            f"{mark} & wait; sleep 100")
    wait_for(lambda: marked(mark))
    either.run("scancel", str(number))
    wait_gone(mark)
    wait_for(lambda: job(either, number).get("JobState") == "CANCELLED")


def test_a_stopped_task_is_killed(either):
    mark = f"stopped-{os.getpid()}-{id(either)}"
    number = submit(either, f"bash -c 'kill -STOP $$; sleep 100' {mark}")
    wait_for(lambda: marked(mark))
    either.run("scancel", str(number))
    wait_gone(mark)


def shepherd_of(yard, number):
    # Of this cluster: others on this machine have jobs of the same number.
    return wait_for(lambda: yard.processes(f"slurmstepd: [{number}.batch]"), what="shepherd")[0]


@pytest.mark.parametrize("detached", [False, True])
def test_killing_the_shepherd_leaves_nothing(either, detached):
    mark = f"orphan-{os.getpid()}-{id(either)}-{detached}"
    number = submit(either, f"{'setsid ' if detached else ''}bash -c 'while :; do sleep 1; done' "
                            f"{mark} & wait; sleep 100", "--no-requeue")
    wait_for(lambda: marked(mark))
    os.kill(shepherd_of(either, number), signal.SIGKILL)
    wait_gone(mark)
    wait_state(either, number, "FAILED", "NODE_FAIL")


def test_slurmd_ends_what_a_shepherd_left_that_died_while_it_was_away(either):
    mark = f"late-{os.getpid()}-{id(either)}"
    number = submit(either, f"bash -c 'while :; do sleep 1; done' {mark}; true", "--no-requeue")
    wait_for(lambda: marked(mark))
    shepherd = shepherd_of(either, number)
    either.kill9("slurmd-n1")
    os.kill(shepherd, signal.SIGKILL)
    wait_for(lambda: not alive(shepherd))
    either.start_node(1)
    wait_gone(mark)
    wait_state(either, number, "FAILED", "NODE_FAIL")


@pytest.fixture
def freezer():
    """A group whose processes no signal reaches while it is frozen."""
    folder = f"/sys/fs/cgroup/freezer/ymtest{os.getpid()}"
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("no freezer to make a process unkillable with")

    def put(file, text):
        with open(f"{folder}/{file}", "w") as f:
            f.write(text)
    try:
        yield put
    finally:
        put("freezer.state", "THAWED")
        wait_for(lambda: subprocess.run(["rmdir", folder], check=False,
                                        capture_output=True).returncode == 0)


def test_a_process_that_cannot_be_killed_drains_the_node_and_does_not_hold_the_job(yard, freezer):
    mark = f"undead-{os.getpid()}"
    number = submit(yard, f"bash -c 'while :; do sleep 1; done' {mark} & wait; sleep 100")
    pid = wait_for(lambda: marked(mark))[0]
    freezer("cgroup.procs", str(pid))
    freezer("freezer.state", "FROZEN")
    yard.run("scancel", str(number))
    wait_for(lambda: not yard.run("squeue", "-h", "-j", str(number), check=False).stdout.strip(),
             what="the job to leave the queue")
    log = open(f"{yard.dir}/slurmd-n1.log").read()
    assert f"job {number} step batch: these processes cannot be killed" in log
    assert f"process {pid} (bash) in state" in log
    node = yard.run("scontrol", "show", "node", "n1").stdout
    assert "DRAIN" in node and "Reason=Kill task failed" in node
    freezer("freezer.state", "THAWED")
    wait_gone(mark)
    yard.run("scontrol", "update", "NodeName=n1", "State=RESUME")


def test_the_sites_program_is_told_of_a_step_that_cannot_be_killed(tmp_path, freezer):
    os.chmod(tmp_path, 0o755)
    (tmp_path / "tell").write_text(f"#!/bin/sh\nenv > {tmp_path}/told.new; "
                                   f"mv {tmp_path}/told.new {tmp_path}/told\n")
    (tmp_path / "tell").chmod(0o755)
    one = started(tmp_path, extra="KillWait=1\nUnkillableStepTimeout=1\n"
                                  f"UnkillableStepProgram={tmp_path}/tell")
    mark = f"undead-too-{os.getpid()}"
    try:
        one.start()
        number = submit(one, f"srun -n1 bash -c 'while :; do sleep 1; done' {mark}")
        pid = wait_for(lambda: [p for p in marked(mark) if is_task(p)], what="the task")[0]
        freezer("cgroup.procs", str(pid))
        freezer("freezer.state", "FROZEN")
        one.run("scancel", str(number))
        wait_for(lambda: (tmp_path / "told").exists(), what="the program")
        told = (tmp_path / "told").read_text().splitlines()
        for line in (f"SLURM_JOB_ID={number}", "SLURM_STEP_ID=0", "SLURMD_NODENAME=n1"):
            assert line in told, told
        wait_for(lambda: "Kill task failed" in one.run("sinfo", "-h", "-o", "%E").stdout,
                 what="a drained node")
        wait_for(lambda: not one.queue(), what="an empty queue")
        freezer("freezer.state", "THAWED")
        wait_gone(mark)
    finally:
        one.stop()


def is_task(pid):
    """Not srun, whose command line has the mark, too."""
    try:
        return os.readlink(f"/proc/{pid}/exe").endswith("bash")
    except OSError:
        return False


# --- suspend and resume ---

COUNT = "n=0; while [ $n -lt 100000 ]; do n=$((n+1)); echo $n; sleep 0.02; done"


def counted(yard, number):
    lines = output(yard, number).split()
    return int(lines[-1]) if lines else 0


def stands_still(yard, number):
    """Two looks, a few of the loop's turns apart, see the same."""
    before = counted(yard, number)
    subprocess.run(["sleep", "0.2"], check=True)
    return counted(yard, number) == before


def test_a_suspended_job_stands_still_until_it_is_resumed(either):
    number = submit(either, COUNT, "-t", "5")
    wait_for(lambda: counted(either, number) > 2)
    either.run("scontrol", "suspend", str(number))
    assert job(either, number)["JobState"] == "SUSPENDED"
    assert either.run("squeue", "-h", "-j", str(number), "-o", "%t %T").stdout == "S SUSPENDED\n"
    wait_for(lambda: stands_still(either, number), what="standstill")
    end = job(either, number)["EndTime"]
    at = counted(either, number)
    # Its cpus are free: a job that needs all of the node runs.
    either.run("srun", "-n4", "true")
    assert counted(either, number) == at
    # Once the other one's cpus are free again.
    wait_for(lambda: either.run("scontrol", "resume", str(number), check=False).returncode == 0)
    wait_for(lambda: counted(either, number) > at + 2, what="progress")
    seen = job(either, number)
    assert seen["JobState"] == "RUNNING"
    assert seen["EndTime"] >= end
    either.run("scancel", str(number))
    wait_state(either, number, "CANCELLED")


def test_whoever_waits_starts_when_another_is_suspended(either):
    number = submit(either, COUNT, "-t", "5", "-n4")
    wait_for(lambda: counted(either, number) > 2)
    other = submit(either, "echo ready", "-t", "5", "-n4")
    wait_for(lambda: job(either, other).get("Reason") in ("Resources", "Priority"))
    either.run("scontrol", "suspend", str(number))
    wait_state(either, other, "COMPLETED")
    either.run("scancel", str(number))
    wait_state(either, number, "CANCELLED")


def test_a_suspended_job_stays_suspended_while_daemons_restart(either):
    number = submit(either, COUNT)
    wait_for(lambda: counted(either, number) > 2)
    either.run("scontrol", "suspend", str(number))
    wait_for(lambda: stands_still(either, number), what="standstill")
    either.kill9("slurmd-n1")
    either.start_node(1)
    either.kill9("slurmctld")
    either.start_controller()
    wait_for(lambda: job(either, number).get("JobState") == "SUSPENDED")
    assert stands_still(either, number)
    at = counted(either, number)
    # Resumed while slurmd is away: it goes on when slurmd is back.
    either.kill9("slurmd-n1")
    either.run("scontrol", "resume", str(number))
    either.start_node(1)
    wait_for(lambda: counted(either, number) > at + 2, what="progress")
    either.run("scancel", str(number))
    wait_state(either, number, "CANCELLED")


def test_a_suspended_job_can_be_cancelled(either):
    mark = f"cold-{os.getpid()}-{id(either)}"
    number = submit(either, f"trap 'echo asked to end; exit' TERM; bash -c 'sleep 100' {mark} & "
                            "echo ready; wait")
    wait_for(lambda: "ready" in output(either, number))
    either.run("scontrol", "suspend", str(number))
    either.run("scancel", str(number))
    wait_state(either, number, "CANCELLED")
    wait_gone(mark)
    wait_for(lambda: "asked to end" in output(either, number))


def test_a_job_is_not_resumed_onto_cpus_that_others_have(yard):
    number = submit(yard, "sleep 100", "-n4")
    wait_state(yard, number, "RUNNING")
    yard.run("scontrol", "suspend", str(number))
    other = submit(yard, "sleep 100", "-n1")
    wait_state(yard, other, "RUNNING")
    refused = yard.run("scontrol", "resume", str(number), check=False)
    assert refused.returncode != 0 and "Requested nodes are busy" in refused.stderr
    yard.run("scancel", str(other))
    wait_for(lambda: yard.run("scontrol", "resume", str(number), check=False).returncode == 0)
    yard.run("scancel", str(number))
    wait_state(yard, number, "CANCELLED")


def test_a_suspended_job_can_be_requeued(either):
    number = submit(either, "echo run $SLURM_RESTART_COUNT; [ $SLURM_RESTART_COUNT ] || sleep 100",
                    "--requeue", "--open-mode=append")
    wait_for(lambda: "run" in output(either, number))
    either.run("scontrol", "suspend", str(number))
    either.run("scontrol", "requeue", str(number))
    assert wait_state(either, number, "PENDING")["Reason"] == "JobHeldAdmin"
    either.run("scontrol", "release", str(number))
    assert wait_state(either, number, "COMPLETED")["Restarts"] == "1"
    assert output(either, number).splitlines()[-1] == "run 1"


def test_each_task_of_a_step_is_in_a_group_of_its_own(yard):
    def groups(*options):
        out = yard.run("srun", "-l", *options, "cat", "/proc/self/cgroup").stdout
        return re.findall(r"^(\d+): .*/(job_\w+)/step_0(\S*)$", out, re.M)
    alone = groups("-n1")
    if not alone:
        pytest.skip("no control groups here")
    assert {(task, group) for task, _, group in alone} == {("0", "")}
    two = groups("-n2")
    assert {("0", "/task_0"), ("1", "/task_1")} <= {(task, group) for task, _, group in two}
    def left():
        return subprocess.run(["find", "/sys/fs/cgroup", "-name", two[0][1]], check=False,
                              capture_output=True, text=True).stdout
    wait_for(lambda: left() == "", what="the job's groups removed")
