# SPDX-License-Identifier: Apache-2.0
"""OverSubscribe without GANG: several jobs have the same CPUs at once, each with its own memory."""
import os
import re

import pytest
from yard import Yard, wait_for

CPUS = sorted(os.sched_getaffinity(0))
# Says on which CPUs it may run and how much it has run, then goes on running until it is told.
SPIN = """grep Cpus_allowed_list /proc/self/status
while [ ! -e {stop} ]; do :; done
"""


def started(tmp_path, sharing, cpus=2):
    one = Yard(tmp_path, nodes=1, cpus=cpus,
               extra="SelectTypeParameters=CR_Core_Memory\nKillWait=1\n"
                     f"PartitionName=shared Nodes=ALL OverSubscribe={sharing}\n")
    one.start()
    return one


@pytest.fixture
def shared(tmp_path):
    yards = []

    def make(*args, **kwargs):
        yards.append(started(tmp_path, *args, **kwargs))
        return yards[-1]

    yield make
    for one in yards:
        one.run("scancel", "-u", "root", check=False)
        one.stop()


def submit(yard, *options, script="sleep 1000"):
    return yard.run("sbatch", "--parsable", "-p", "shared", "-o", "%j.out", *options, "--wrap",
                    script).stdout.strip()


def states(yard):
    return sorted(yard.run("squeue", "-h", "-o", "%T %C %m").stdout.splitlines())


def record(yard, what, name, *options):
    return dict(re.findall(r"(\S+?)=(\S*)", yard.run("scontrol", *options, "show", what,
                                                     name).stdout))


def test_as_many_jobs_as_are_allowed_run_at_once(shared):
    yard = shared("FORCE:2")
    for _ in range(3):
        submit(yard, "-n1", "-c2", "--mem=500")
    wait_for(lambda: states(yard) == ["PENDING 2 500M"] + 2 * ["RUNNING 2 500M"], what="two jobs")
    node = record(yard, "node", "n1")
    assert (node["CPUAlloc"], node["CPUTot"], node["AllocMem"]) == ("2", "2", "1000")
    assert yard.run("sinfo", "-h", "-p", "shared", "-o", "%t %C %h").stdout.split() == \
        ["alloc", "2/0/0/2", "FORCE:2"]


def test_memory_is_not_shared(shared):
    yard = shared("FORCE:4")
    for _ in range(2):
        submit(yard, "-n1", "-c2", "--mem=1500")
    wait_for(lambda: states(yard) == ["PENDING 2 1500M", "RUNNING 2 1500M"], what="one job")


def test_only_those_share_who_say_so(shared):
    yard = shared("YES:2")
    for _ in range(2):
        submit(yard, "-n1", "-c2", "--mem=100", "--oversubscribe")
    submit(yard, "-n1", "-c2", "--mem=200")
    wait_for(lambda: states(yard) == ["PENDING 2 200M"] + 2 * ["RUNNING 2 100M"], what="two jobs")


@pytest.mark.skipif(CPUS != list(range(len(CPUS))) or os.geteuid() != 0,
                    reason="needs the CPUs from 0 on, and daemons of root")
def test_two_jobs_run_on_the_same_cpus(shared, tmp_path):
    # All that the machine has: a node that was configured with fewer has others to hand out.
    all_of_them = len(CPUS)
    yard = shared("FORCE:2", cpus=all_of_them)
    stop = f"{tmp_path}/stop"
    jobs = [submit(yard, "-n1", f"-c{all_of_them}", "--mem=300", script=SPIN.format(stop=stop))
            for _ in range(2)]

    def ran(job):
        """How long its script has run, in ticks, and where it may."""
        pids = yard.run("scontrol", "listpids", job).stdout.split("\n")[1:]
        pid = next(line.split()[0] for line in pids if line)
        with open(f"/proc/{pid}/stat") as f:
            return int(f.read().rsplit(")", 1)[1].split()[11])

    def output(job):
        path = f"{yard.dir}/out/{job}.out"
        return open(path).read().split() if os.path.exists(path) else []

    wait_for(lambda: all(output(job) for job in jobs), what="both scripts")
    assert output(jobs[0]) == output(jobs[1]), "both are on the same CPUs"
    before = [ran(job) for job in jobs]
    wait_for(lambda: all(ran(job) > ticks for job, ticks in zip(jobs, before)),
             what="both scripts to get on")
    assert states(yard) == 2 * [f"RUNNING {all_of_them} 300M"], "neither was suspended for it"
    details = [record(yard, "job", job, "-d") for job in jobs]
    last = f"-{all_of_them - 1}" if all_of_them > 1 else ""
    assert [one["CPU_IDs"] for one in details] == 2 * [f"0{last}"]
    # A controller and a node that start again know who has which CPUs.
    yard.kill9("slurmctld")
    yard.start_controller()
    yard.kill9("slurmd-n1")
    yard.start_node(1)
    wait_for(lambda: record(yard, "node", "n1").get("State") == "ALLOCATED", what="the node")
    assert states(yard) == 2 * [f"RUNNING {all_of_them} 300M"]
    submit(yard, "-n1", "--mem=300")
    wait_for(lambda: states(yard) == ["PENDING 1 300M"] +
             2 * [f"RUNNING {all_of_them} 300M"], what="a third")
    open(stop, "w").close()
    wait_for(lambda: states(yard) == ["RUNNING 1 300M"], what="the ends")
