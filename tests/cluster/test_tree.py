# SPDX-License-Identifier: Apache-2.0
"""Launches, signals, kills and questions for many nodes go down a tree of slurmd; a node that is
lost in the middle costs only itself."""
import ctypes
import errno
import os
import pwd
import re
import signal
import socket
import subprocess

import pytest

from yard import Yard, alive, wait_for

NODES = 9


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    cluster = Yard(tmp_path_factory.mktemp("tree"), nodes=NODES, cpus=2,
                   extra="TreeWidth=2\nMessageTimeout=4\nSlurmdTimeout=300\nSlurmdDebug=debug")
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture
def job(yard):
    """A running job on all nodes."""
    number = yard.run("sbatch", "--parsable", f"-N{NODES}", "--wrap", "sleep 1000").stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h", "-j", number, "-o", "%T").stdout == "RUNNING\n")
    yield number
    yard.run("scancel", number)
    wait_for(lambda: not yard.run("squeue", "-h").stdout)


@pytest.fixture
def lost(yard):
    """Stops slurmd of nodes by SIGSTOP or SIGKILL, and puts everything right in the end."""
    broken = []

    def lose(i, how):
        pid = yard.pid(f"slurmd-n{i}")
        broken.append((i, pid, how))
        os.kill(pid, how)
        if how == signal.SIGKILL:
            wait_for(lambda: not alive(pid))

    yield lose
    for i, pid, how in broken:
        if how == signal.SIGSTOP:
            os.kill(pid, signal.SIGCONT)
        else:
            yard.start_node(i)
    wait_for(lambda: "*" not in yard.run("sinfo", "-h", "-N", "-o", "%T").stdout)


def names(*numbers):
    return sorted(f"n{i}" for i in numbers)


EVERYONE = names(*range(1, NODES + 1))
SAY_NODE = ("sh", "-c", "echo $SLURMD_NODENAME")


def log_of(yard, i):
    with open(f"{yard.dir}/slurmd-n{i}.log") as f:
        return f.read()


def srun(yard, job, *words, **kwargs):
    return yard.run("srun", "--jobid", job, "--overlap", f"-N{NODES}", f"-n{NODES}", *words,
                    **kwargs)


def test_a_launch_reaches_every_node_and_all_are_heard(yard, job):
    done = srun(yard, job, *SAY_NODE)
    assert sorted(done.stdout.split()) == EVERYONE, done.stderr
    # Two heads with three or four nodes behind them, which are heads in their turn.
    passed = [i for i in range(1, NODES + 1) if "order 202 goes on to" in log_of(yard, i)]
    assert len(passed) >= 4, yard.logs()


def test_what_goes_in_reaches_all_and_what_comes_out_is_whole(yard, job):
    text = "".join(f"line {i}\n" for i in range(20000))
    done = srun(yard, job, "cat", input=text)
    assert len(done.stdout) == NODES * len(text)
    assert sorted(done.stdout.splitlines()) == sorted(text.splitlines() * NODES)


def test_components_wider_than_the_tree_go_down_a_tree_of_their_own(yard):
    def passed_on():
        return sum(log_of(yard, i).count("order 202 goes on to") for i in range(1, NODES + 1))
    before = passed_on()
    out = yard.run("srun", "-l", "-N5", "-n5", "hostname", ":", "-N4", "-n4", "hostname").stdout
    assert sorted(line.split(":")[0].strip() for line in out.splitlines()) == [
        str(task) for task in range(NODES)]
    # Each component is wider than two nodes: its heads pass the launch on.
    assert passed_on() - before >= 2
    done = yard.run("srun", "-N4", "-n4", "false", ":", "-N1", "-n1", "sh", "-c", "exit 7",
                    check=False)
    assert done.returncode == 7, done.stderr


def test_exit_codes_of_all_count(yard, job):
    done = srun(yard, job, "sh", "-c", "exit $SLURM_PROCID", check=False)
    assert done.returncode == NODES - 1


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_head_that_is_lost_costs_only_itself(yard, job, lost, how):
    # n1 is a head, with the nodes up to n5 behind it.
    lost(1, how)
    done = srun(yard, job, "--no-kill", *SAY_NODE, check=False)
    assert sorted(done.stdout.split()) == names(*range(2, NODES + 1)), done.stderr
    assert done.returncode == 1
    failures = [line for line in done.stderr.splitlines() if "failed on node" in line]
    assert len(failures) == 1 and "failed on node n1: " in failures[0], done.stderr


def test_a_head_that_is_slow_is_not_lost(yard, job, lost):
    # Its connections are taken by the kernel; it goes on when the others have begun.
    lost(1, signal.SIGSTOP)
    process = subprocess.Popen(
        ["srun", "--jobid", job, "--overlap", f"-N{NODES}", f"-n{NODES}", *SAY_NODE], env=yard.env,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    heard = [process.stdout.readline().strip() for _ in range(NODES - 1)]
    os.kill(yard.pid("slurmd-n1"), signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert sorted(heard + out.split()) == EVERYONE, err
    assert process.returncode == 0 and err == ""


def test_nodes_on_other_machines_are_reached_by_their_addresses(yard):
    # Without their sockets in the file system, nodes are dialled over TCP, with tokens.
    sockets = [f"{yard.dir}/run/slurmd-n{i}.sock" for i in range(1, NODES + 1)]
    for path in sockets:
        os.rename(path, path + ".away")
    try:
        done = yard.run("srun", f"-N{NODES}", f"-n{NODES}", *SAY_NODE)
        assert sorted(done.stdout.split()) == EVERYONE, done.stderr
        assert yard.run("yardmaster", "ping").stdout.startswith(f"{NODES} of {NODES} nodes")
    finally:
        for path in sockets:
            os.rename(path + ".away", path)


def test_a_node_in_the_middle_that_is_lost_costs_only_itself(yard, job, lost):
    lost(2, signal.SIGKILL)
    lost(7, signal.SIGKILL)
    done = srun(yard, job, "--no-kill", *SAY_NODE, check=False)
    assert sorted(done.stdout.split()) == names(1, 3, 4, 5, 6, 8, 9), done.stderr
    failed = re.findall(r"Task launch for StepId=\S+ failed on node (\S+):", done.stderr)
    assert sorted(failed) == names(2, 7), done.stderr


def test_without_no_kill_a_lost_node_ends_the_step(yard, job, lost):
    lost(9, signal.SIGKILL)
    done = srun(yard, job, "sleep", "100", check=False)
    assert done.returncode != 0
    assert "Task launch for StepId=" in done.stderr and "failed on node n9: " in done.stderr
    assert "Application launch failed" in done.stderr


def test_signals_of_srun_reach_every_task(yard, job):
    process = subprocess.Popen(
        ["srun", "--jobid", job, "--overlap", f"-N{NODES}", f"-n{NODES}", "sh", "-c",
         "trap 'echo caught; exit 3' USR1; echo ready; while :; do sleep 0.05; done"],
        env=yard.env, cwd=f"{yard.dir}/out", stdout=subprocess.PIPE, text=True)
    for _ in range(NODES):
        assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGUSR1)
    out, _ = process.communicate(timeout=60)
    assert out == "caught\n" * NODES and process.returncode == 3


def test_a_cancelled_job_ends_on_every_node(yard):
    number = yard.run("sbatch", "--parsable", f"-N{NODES}", "--wrap",
                      f"srun -N{NODES} -n{NODES} sleep 1000").stdout.strip()
    wait_for(lambda: len(yard.shepherds()) >= NODES + 1, what="a shepherd on every node")
    yard.run("scancel", number)
    wait_for(lambda: not yard.shepherds(), what="no shepherd")
    wait_for(lambda: yard.idle_nodes() == NODES)
    # The controller spoke to two nodes, these to the others.
    passed = [i for i in range(1, NODES + 1) if "order 302 goes on to" in log_of(yard, i)]
    assert len(passed) >= 4, yard.logs()


def test_a_job_ends_everywhere_though_a_head_is_stopped(yard, lost):
    number = yard.run("sbatch", "--parsable", f"-N{NODES}", "--wrap",
                      f"srun -N{NODES} -n{NODES} sleep 1000").stdout.strip()
    wait_for(lambda: len(yard.shepherds()) >= NODES + 1, what="a shepherd on every node")
    # The first head of the controller; its step stays until it goes on.
    lost(1, signal.SIGSTOP)
    yard.run("scancel", number)
    wait_for(lambda: len(yard.shepherds()) <= 2, what="only the shepherds of n1 left")


def test_sstat_hears_of_every_node(yard, job):
    step = subprocess.Popen(["srun", "--jobid", job, "--overlap", f"-N{NODES}", f"-n{NODES}",
                             "sleep", "1000"], env=yard.env, stdin=subprocess.DEVNULL)
    try:
        def pids():
            done = yard.run("sstat", "-n", "-P", "-i", "-a", "-j", job, check=False)
            rows = [line.split("|") for line in done.stdout.splitlines()]
            counts = [len(row[-1].split(",")) for row in rows if not row[0].endswith("batch")]
            return counts and max(counts) == NODES
        wait_for(pids, what="a process id of every node")
    finally:
        step.terminate()
        step.wait(timeout=60)


def test_ping_counts_and_names_who_does_not_answer(yard, lost):
    done = yard.run("yardmaster", "ping")
    assert re.fullmatch(rf"{NODES} of {NODES} nodes answer, \d+ ms\n", done.stdout)
    lost(3, signal.SIGKILL)
    lost(6, signal.SIGKILL)
    done = yard.run("yardmaster", "ping", check=False)
    assert done.returncode == 1
    assert re.fullmatch(rf"{NODES - 2} of {NODES} nodes answer, \d+ ms; no answer: n\[3,6\]\n",
                        done.stdout), done.stdout
    assert yard.run("yardmaster", "ping", "n[4-5]").stdout.startswith("2 of 2 nodes answer")
    assert yard.run("yardmaster", "ping", "n77", check=False).returncode == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_the_tree_acts_with_the_rights_of_who_asks(yard, job):
    for folder in [yard.dir] + [yard.dir.rsplit("/", n)[0] for n in (1, 2)]:
        os.chmod(folder, 0o755)
    nobody = pwd.getpwnam("nobody")

    def as_nobody(*command):
        return subprocess.run(command, env=yard.env, cwd="/tmp", user=nobody.pw_uid,
                              group=nobody.pw_gid, extra_groups=[], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60)

    # Another's step is not shown, wherever it runs.
    step = subprocess.Popen(["srun", "--jobid", job, "--overlap", f"-N{NODES}", f"-n{NODES}",
                             "sleep", "1000"], env=yard.env, stdin=subprocess.DEVNULL)
    try:
        wait_for(lambda: len(yard.shepherds()) > NODES, what="a shepherd on every node")
        assert as_nobody("sstat", "-n", "-P", "-i", "-a", "-j", job).stdout.count(",") == 0
    finally:
        step.terminate()
        step.wait(timeout=60)
    yard.run("scancel", job)
    wait_for(lambda: not yard.run("squeue", "-h").stdout)
    done = as_nobody("srun", f"-N{NODES}", f"-n{NODES}", "id", "-u")
    assert done.stdout == f"{nobody.pw_uid}\n" * NODES, done.stderr
    assert as_nobody("yardmaster", "ping").stdout.startswith(f"{NODES} of {NODES} nodes answer")


def cut_stream(shepherd):
    """Ends the connection between a shepherd and its srun, behind the back of both."""
    handle = os.pidfd_open(shepherd)
    for fd in os.listdir(f"/proc/{shepherd}/fd"):
        try:
            if not os.readlink(f"/proc/{shepherd}/fd/{fd}").startswith("socket:"):
                continue
        except FileNotFoundError:
            continue  # closed since it was listed: the shepherd goes on meanwhile
        copy = ctypes.CDLL(None, use_errno=True).syscall(438, handle, int(fd), 0)  # pidfd_getfd
        if copy < 0:
            assert ctypes.get_errno() == errno.EBADF, os.strerror(ctypes.get_errno())
            continue
        with socket.socket(fileno=copy) as one:
            if not one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                one.shutdown(socket.SHUT_RDWR)
    os.close(handle)


def signals_wait(pid):
    with open(f"/proc/{pid}/status") as f:
        return any(line.split()[0] in ("SigPnd:", "ShdPnd:") and int(line.split()[1], 16)
                   for line in f)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to reach into other processes")
def test_a_signal_reaches_tasks_whose_streams_are_lost(yard, job, lost):
    process = subprocess.Popen(
        ["srun", "--jobid", job, "--overlap", f"-N{NODES}", f"-n{NODES}", "sh", "-c",
         "trap 'echo caught; exit 3' USR1; echo ready; while :; do sleep 0.05; done"],
        env=yard.env, cwd=f"{yard.dir}/out", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        text=True)
    for _ in range(NODES):
        assert process.stdout.readline() == "ready\n"
    # No stream can be taken up again while slurmd is stopped; only the kernel answers for it.
    for i in range(1, NODES + 1):
        lost(i, signal.SIGSTOP)
    for shepherd in yard.processes("slurmstepd: [" + job + ".0]"):
        cut_stream(shepherd)
    process.send_signal(signal.SIGUSR1)
    wait_for(lambda: not signals_wait(process.pid), what="srun has taken the signal")
    for i in range(1, NODES + 1):
        os.kill(yard.pid(f"slurmd-n{i}"), signal.SIGCONT)
    out, _ = process.communicate(timeout=60)
    assert out == "caught\n" * NODES and process.returncode == 3
