# SPDX-License-Identifier: Apache-2.0
"""The clock of a node jumps while jobs run there. libfaketime moves slurmd's wall clock only."""
import glob
import os

import pytest

from yard import SANITIZED, Yard, alive, wait_for

# A sanitizer reads the clock before libfaketime is ready, and reports what that does then.
LIBRARY = None if SANITIZED else next(
    iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
NO_LIBRARY = "libfaketime is not installed, or cannot be with a sanitizer"

pytestmark = pytest.mark.skipif(not LIBRARY, reason=NO_LIBRARY)


class MovingClock:
    """`whose` clock it is: the node's or the controller's."""

    def __init__(self, dir, whose="node"):
        self.file = f"{dir}/clock"
        self.set("+0")
        self.yard = yard = Yard(dir, nodes=1, extra="KillWait=2")
        plain = dict(yard.env)
        if whose == "node":
            yard.start_controller()
        yard.env.update(LD_PRELOAD=LIBRARY, FAKETIME_TIMESTAMP_FILE=self.file,
                        FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1",
                        DONT_FAKE_MONOTONIC="1")
        if whose == "controller":
            yard.start_controller()
            yard.env = plain
        yard.start_node(1)
        yard.env = plain
        wait_for(lambda: yard.idle_nodes() == 1, what="the node")

    def set(self, offset):
        with open(f"{self.file}.new", "w") as f:
            f.write(offset)
        os.rename(f"{self.file}.new", self.file)


@pytest.fixture
def clock(tmp_path):
    one = MovingClock(tmp_path)
    yield one
    one.yard.stop()


@pytest.mark.parametrize("jump", ["-1h", "+1h"])
def test_a_jump_neither_lengthens_nor_shortens_a_grace(clock, jump):
    yard = clock.yard
    job = yard.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap",
                   "trap 'date +%s.%N > term' TERM; echo $$ > pid; while :; do sleep 0.1; done"
                   ).stdout.strip()
    path = f"{yard.dir}/out/pid"
    pid = int(wait_for(lambda: os.path.exists(path) and open(path).read().strip(), what="the job"))
    yard.run("scancel", job)
    term = f"{yard.dir}/out/term"
    wait_for(lambda: os.path.exists(term), what="SIGTERM")
    clock.set(jump)
    # Not before KillWait is over: a second of it is certain to be left.
    assert alive(pid)
    wait_for(lambda: not alive(pid), seconds=30, what="SIGKILL")
    wait_for(lambda: yard.idle_nodes() == 1 and not yard.queue(), what="an idle node")


@pytest.fixture
def controllers_clock(tmp_path):
    one = MovingClock(tmp_path, "controller")
    yield one
    one.yard.stop()


@pytest.mark.parametrize("jump", ["-1h", "+1h"])
def test_a_jump_of_the_controllers_clock_costs_no_job_and_no_node(controllers_clock, jump):
    yard = controllers_clock.yard
    job = yard.run("sbatch", "--parsable", "--no-requeue", "-o", "job.out", "--wrap",
                   "echo up > up; while [ ! -e go ]; do sleep 0.05; done; echo done").stdout.strip()
    wait_for(lambda: os.path.exists(f"{yard.dir}/out/up"), what="the job")
    limited = yard.run("sbatch", "--parsable", "-t30", "-o", "/dev/null", "--wrap",
                       "echo up > too; sleep 1000").stdout.strip()
    # The node has nothing more to say for some seconds.
    wait_for(lambda: os.path.exists(f"{yard.dir}/out/too"), what="the other job")
    waiting = yard.run("sbatch", "--parsable", "-n4", "-o", "/dev/null", "--wrap",
                       "true").stdout.strip()
    controllers_clock.set(jump)
    if jump == "+1h":  # limits are by that clock; who looks at them looks at the nodes, too
        wait_for(lambda: not [one for one in yard.queue() if one.startswith(f"{limited} ")],
                 what="the end of the job with a limit")
    else:
        yard.run("scancel", limited)
    yard.run("sbatch", "--wait", "--nice=-100", "-o", "/dev/null", "--wrap", "true")
    assert f"{job} RUNNING None" in yard.queue()
    # And orders are still said again: a node that missed one hears it.
    yard.kill9("slurmd-n1")
    yard.run("scancel", job)
    yard.start_node(1)
    # The one that was submitted by the old time has its turn now.
    wait_for(lambda: not yard.queue() and yard.idle_nodes() == 1, what="the end of all jobs")
    assert "COMPLETED" in yard.run("scontrol", "show", "job", waiting).stdout


@pytest.mark.parametrize("jump", ["-1h", "+1h"])
def test_a_jump_costs_no_job_and_no_node(clock, jump):
    yard = clock.yard
    yard.run("sbatch", "-o", "job.out", "--wrap",
             "echo up > up; while [ ! -e go ]; do sleep 0.05; done; echo done")
    wait_for(lambda: os.path.exists(f"{yard.dir}/out/up"), what="the job")
    clock.set(jump)
    yard.run("scontrol", "ping")
    open(f"{yard.dir}/out/go", "w").close()
    wait_for(lambda: not yard.queue(), what="its end")
    with open(f"{yard.dir}/out/job.out") as f:
        assert f.read() == "done\n"
    assert yard.idle_nodes() == 1
