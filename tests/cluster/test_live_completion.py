# SPDX-License-Identifier: Apache-2.0
"""What shells offer behind TAB on a real cluster: the generated completion asks the real commands
for the jobs, nodes, partitions and reservations that are there now."""
import os
import sys

import pytest
from yard import Yard, wait_for

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from shells import bash_offers, fish_offers, installed, zsh_offers  # noqa: E402

OFFERS = {"bash": bash_offers, "fish": fish_offers, "zsh": zsh_offers}


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    yard = Yard(tmp_path_factory.mktemp("completion"), nodes=2,
                extra="KillWait=1")
    with open(f"{yard.dir}/slurm.conf", "a") as f:
        f.write("PartitionName=short Nodes=n1\n")
    yard.start()
    yield yard
    yard.stop()


@pytest.fixture(params=OFFERS)
def offers(request, yard, tmp_path):
    """A line up to the cursor -> what the shell offers there."""
    if not installed(request.param):
        pytest.skip(f"{request.param} is not installed")
    env = dict(yard.env, HOME=str(tmp_path), TERM="dumb")

    def offered(line):
        if request.param == "zsh" and " -" in line:
            pytest.skip("options are the business of zsh's own _arguments")
        words = OFFERS[request.param](line, env, tmp_path)
        return [word.rpartition("=")[2] for word in words]
    return offered


@pytest.fixture
def jobs(yard):
    """The number of a job that runs, and those of an array, one of which is held apart."""
    def submit(*options):
        return yard.run("sbatch", "--parsable", *options, "--wrap", "sleep 1000").stdout.strip()
    running = submit("-J", "train", "-n1")
    array = submit("-J", "many", "--array=1-3", "--hold")
    wait_for(lambda: yard.run("squeue", "-h", "-t", "R", "-o", "%i").stdout.split() == [running],
             what="the job that runs")
    yield running, array
    yard.run("scancel", running, array)
    wait_for(lambda: yard.run("squeue", "-h").stdout == "", what="the queue to empty")


@pytest.mark.parametrize("line", ["scancel ", "scontrol show job ", "scontrol update jobid="])
def test_the_jobs_that_are_there_now(yard, offers, jobs, line):
    running, array = jobs
    assert offers(line) == sorted([array, running])
    # An element with a record of its own is a job of its own.
    yard.run("scontrol", "release", f"{array}_2")
    wait_for(lambda: f"{array}_2" in yard.run("squeue", "-h", "-t", "R", "-o", "%i").stdout,
             what="the element")
    assert offers(line) == sorted([array, f"{array}_2", running])
    yard.run("scancel", running)
    wait_for(lambda: f"{running} " not in yard.run("squeue", "-h", "-o", "%i ").stdout,
             what="the end of the job")
    assert offers(line) == sorted([array, f"{array}_2"])


def test_the_names_of_jobs(offers, jobs):
    assert offers("scancel -n ") == ["many", "train"]
    assert offers("scancel -n tr") == ["train"]


def test_without_jobs_none_is_offered(offers):
    assert offers("scontrol hold ") == []


@pytest.mark.parametrize("line", ["squeue -w ", "scontrol show node ", "scontrol update NodeName="])
def test_nodes(offers, line):
    assert offers(line) == ["n1", "n2"]


@pytest.mark.parametrize("line", ["sbatch -p ", "scontrol show partition "])
def test_partitions_that_come_and_go(yard, offers, line):
    assert offers(line) == ["debug", "short"]
    yard.run("scontrol", "create", "PartitionName=night", "Nodes=n2")
    assert offers(line) == ["debug", "night", "short"]
    yard.run("scontrol", "delete", "PartitionName=night")
    assert offers(line) == ["debug", "short"]


@pytest.mark.parametrize("line", ["scontrol show reservation ", "sbatch --reservation="])
def test_reservations_that_come_and_go(yard, offers, line):
    assert offers(line) == []
    yard.run("scontrol", "create", "reservation", "ReservationName=course", "StartTime=now+1hour",
             "Duration=60", "Nodes=n1", "Users=root")
    assert offers(line) == ["course"]
    yard.run("scontrol", "delete", "ReservationName=course")
    assert offers(line) == []
