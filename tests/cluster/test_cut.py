# SPDX-License-Identifier: Apache-2.0
"""The network between srun and a node is cut, for shorter and for longer than the time-outs.

The node lives in a network namespace of its own, behind a pair of virtual Ethernet devices, and
sees neither the controller's socket nor shows its own: all traffic is TCP over that pair.
"""
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import termios

import pytest

from yard import BIN, Yard, alive, wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("ip"),
                                reason="network namespaces need root and ip(8)")

TIMEOUTS = "EioTimeout=4\nMessageTimeout=3\nSlurmdTimeout=6\nKillWait=1\n"


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class CutOffNode:
    """A yard whose only node is at the other end of a wire."""

    def __init__(self, dir):
        self.yard = yard = Yard(dir, nodes=1, extra=TIMEOUTS)
        tag = yard.port % 10000
        self.space, self.here, self.there = f"ym{tag}", f"ymh{tag}", f"ymt{tag}"
        net = f"10.{tag // 250 + 1}.{tag % 250}"
        self.address = f"{net}.2"
        self.rewrite(net)
        ip("netns", "add", self.space)
        ip("link", "add", self.here, "type", "veth",
           "peer", "name", self.there, "netns", self.space)
        ip("addr", "add", f"{net}.1/24", "dev", self.here)
        ip("-n", self.space, "addr", "add", f"{net}.2/24", "dev", self.there)
        ip("-n", self.space, "link", "set", self.there, "up")
        ip("-n", self.space, "link", "set", "lo", "up")
        self.join()
        yard.start_controller()
        hidden = f"mount -t tmpfs none {yard.dir}/run && exec {BIN}/slurmd -D -N n1"
        self.slurmd = subprocess.Popen(
            ["ip", "netns", "exec", self.space, "unshare", "-m", "sh", "-c", hidden],
            env=yard.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        wait_for(lambda: yard.idle_nodes() == 1, what="the node beyond the wire")

    def rewrite(self, net):
        path = f"{self.yard.dir}/slurm.conf"
        with open(path) as f:
            text = f.read()
        text = text.replace("localhost(127.0.0.1)", f"localhost({net}.1)")
        text = text.replace("NodeAddr=127.0.0.1", f"NodeAddr={net}.2")
        with open(path, "w") as f:
            f.write(text)

    def cut(self):
        ip("link", "set", self.here, "down")

    def hang_up(self):
        """What is on its way between srun and the node is lost with their connections."""
        done = subprocess.run(["ss", "-K", "dst", self.address, "dport", "=",
                               str(self.yard.port + 1)], check=True, capture_output=True, text=True)
        if "ESTAB" not in done.stdout:
            pytest.skip("this kernel does not let ss -K close connections")

    def join(self):
        ip("link", "set", self.here, "up")

    def start(self, *command):
        return subprocess.Popen(command, env=self.yard.env, cwd=f"{self.yard.dir}/out",
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def stop(self):
        self.join()
        self.slurmd.send_signal(signal.SIGTERM)
        self.slurmd.wait()
        self.yard.stop()
        ip("netns", "del", self.space)


@pytest.fixture
def node(tmp_path):
    one = CutOffNode(tmp_path)
    yield one
    one.stop()


def written(node, name):
    path = f"{node.yard.dir}/out/{name}"
    return os.path.exists(path) and open(path).read().strip()


def test_a_short_cut_costs_nothing(node):
    script = "echo before; echo up > up; while [ ! -e go ]; do sleep 0.05; done; echo after"
    srun = node.start("srun", "sh", "-c", script)
    wait_for(lambda: written(node, "up"), what="the task")
    node.cut()
    open(f"{node.yard.dir}/out/go", "w").close()
    # The task ends while nobody can hear it.
    node.join()
    out, err = srun.communicate(timeout=60)
    assert (srun.returncode, out) == (0, "before\nafter\n"), err
    wait_for(lambda: node.yard.idle_nodes() == 1, what="an idle node")


def test_a_long_cut_ends_the_step_on_both_sides_and_the_node_comes_back(node):
    srun = node.start("srun", "sh", "-c", "echo $$ > pid; while :; do sleep 0.1; done")
    pid = int(wait_for(lambda: written(node, "pid"), what="the task"))
    node.cut()
    _, err = srun.communicate(timeout=60)
    assert srun.returncode != 0, err
    wait_for(lambda: not alive(pid), seconds=30, what="the end of the task")
    node.join()
    wait_for(lambda: node.yard.idle_nodes() == 1 and not node.yard.queue(),
             what="the node back and nothing left")
    assert node.yard.run("srun", "echo", "again").stdout == "again\n"


def test_a_batch_job_goes_on_through_a_short_cut(node):
    job = node.yard.run("sbatch", "--parsable", "-o", "job.out", "--wrap",
                        "echo up > up; while [ ! -e go ]; do sleep 0.05; done").stdout.strip()
    wait_for(lambda: written(node, "up"), what="the job")
    node.cut()
    open(f"{node.yard.dir}/out/go", "w").close()
    node.join()
    wait_for(lambda: not node.yard.queue(), what="its end")
    assert "JobState=COMPLETED" in node.yard.run("scontrol", "show", "job", job).stdout


def unread(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4))[0]


@pytest.mark.skipif(not shutil.which("ss"), reason="needs ss(8)")
def test_input_and_output_that_were_lost_with_a_connection_are_sent_again(node):
    block = os.urandom(50_000)
    srun = subprocess.Popen(
        ["srun", "sh", "-c", "read x; echo $x; until [ -e go ]; do sleep 0.05; done; "
         "echo said while cut; cat"], env=node.yard.env, cwd=f"{node.yard.dir}/out",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        srun.stdin.write(b"first\n")
        srun.stdin.flush()
        assert srun.stdout.readline() == b"first\n"
        node.cut()
        open(f"{node.yard.dir}/out/go", "w").close()
        srun.stdin.write(block)
        srun.stdin.flush()
        wait_for(lambda: unread(srun.stdin) == 0, what="srun to have read it")
        node.hang_up()
        node.join()
        out, _ = srun.communicate(b"last\n", timeout=60)
        assert out == b"said while cut\n" + block + b"last\n"
        assert srun.returncode == 0
    finally:
        srun.kill()
