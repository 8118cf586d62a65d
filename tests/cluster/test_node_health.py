# SPDX-License-Identifier: Apache-2.0
"""A node's health: HealthCheckProgram with real programs, and what a machine lacks."""
import os

import pytest
from yard import Yard, alive, wait_for


@pytest.fixture
def yard(tmp_path):
    made = []

    def make(**settings):
        extra = "\n".join(f"{key}={value}" for key, value in settings.items())
        one = Yard(tmp_path, nodes=1, extra=extra)
        made.append(one)
        return one

    yield make
    for one in made:
        one.stop()


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def node(yard):
    return yard.run("sinfo", "-h", "-N", "-n", "n1", "-o", "%t %E").stdout.strip()


def lines(path):
    return path.read_text().split("\n")[:-1] if path.exists() else []


def test_a_check_runs_before_the_node_registers_then_on_its_interval_and_may_drain_the_node(
        yard, tmp_path):
    seen, sick, state = tmp_path / "seen", tmp_path / "sick", tmp_path / "first"
    cluster = yard(HealthCheckProgram=program(
        tmp_path / "check", f"sinfo=$(sinfo -h -n $SLURMD_NODENAME -o %t)\n"
        f"[ -e {state} ] || echo $sinfo > {state}\n"
        f"echo $SLURMD_NODENAME >> {seen}\n"
        f"[ -e {sick} ] && "
        "scontrol update node=$SLURMD_NODENAME state=drain reason='NHC: bad fan'\n"
        "exit 0\n"), HealthCheckInterval=1)
    # The program's PATH is short: the commands are found through this one.
    check = tmp_path / "check"
    check.write_text(check.read_text().replace("#!/bin/sh\n",
                                               f"#!/bin/sh\nPATH={cluster.env['PATH']}\n"))
    cluster.start()
    assert state.read_text().strip() != "idle"
    assert lines(seen)[0] == "n1"
    sick.touch()
    wait_for(lambda: node(cluster) == "drain NHC: bad fan", what="node drained by its check")


def test_a_check_that_hangs_is_killed_with_its_children_and_holds_nothing_up(yard, tmp_path):
    pids = tmp_path / "pids"
    cluster = yard(HealthCheckProgram=program(
        tmp_path / "check", f"[ -e {tmp_path}/up ] || exit 0\n"
        f"sleep 1000 & echo $! >> {pids}; wait\n"),
        HealthCheckInterval=1, HealthCheckTimeout=1)
    cluster.start()
    (tmp_path / "up").touch()
    child = int(wait_for(lambda: lines(pids), what="the check runs")[0])
    assert cluster.run("srun", "-n1", "echo", "fine").stdout == "fine\n"
    wait_for(lambda: not alive(child), what="the child of the check killed")
    wait_for(lambda: "timed out" in open(f"{tmp_path}/slurmd-n1.log").read(), what="it was told")


def test_a_check_for_idle_nodes_leaves_busy_ones_alone(yard, tmp_path):
    seen, gate, log = tmp_path / "seen", tmp_path / "gate", tmp_path / "slurmd-n1.log"
    cluster = yard(HealthCheckProgram=program(tmp_path / "check", f"echo ran >> {seen}\n"),
                   HealthCheckInterval=1, HealthCheckNodeState="IDLE", SlurmdDebug="verbose")
    cluster.start()
    cluster.run("sbatch", "-n1", "-o", "/dev/null",
                input=f"#!/bin/sh\nwhile [ ! -e {gate} ]; do sleep 0.05; done\n")

    def left_out(times):
        wait_for(lambda: log.read_text().count("health check is not for this state") >= times,
                 what="a check left out")

    left_out(1)
    before = len(lines(seen))
    left_out(2)
    assert len(lines(seen)) == before
    gate.touch()
    wait_for(lambda: len(lines(seen)) > before, what="a check of the idle node")


def test_a_machine_with_less_than_slurm_conf_says_is_drained(yard, tmp_path):
    cluster = yard()
    conf = tmp_path / "slurm.conf"
    text = conf.read_text().replace("SlurmdParameters=config_overrides\n", "")
    conf.write_text(text.replace("CPUs=4 RealMemory=2000",
                                 "CPUs=1 RealMemory=100 TmpDisk=4000000000"))
    cluster.start_controller()
    cluster.start_node(1)
    wait_for(lambda: node(cluster) == "inval Low TmpDisk", what="node drained")


def test_slurmd_prints_a_line_that_describes_this_machine(yard, tmp_path):
    cluster = yard()
    said = cluster.run("slurmd", "-C").stdout.splitlines()
    told = dict(word.split("=", 1) for word in said[0].split())
    assert int(told["CPUs"]) == os.cpu_count()
    assert int(told["CPUs"]) == (int(told["Boards"]) * int(told["SocketsPerBoard"]) *
                                 int(told["CoresPerSocket"]) * int(told["ThreadsPerCore"]))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    assert abs(int(told["RealMemory"]) - memory) < 2
    assert said[-1].startswith("UpTime=")
    # It is a line for slurm.conf: a node that says so and no more is not drained.
    conf = tmp_path / "slurm.conf"
    text = conf.read_text().replace("SlurmdParameters=config_overrides\n", "")
    described = said[0].split(" ", 1)[1]
    conf.write_text(text.replace("CPUs=4 RealMemory=2000", described))
    cluster.start()
    assert node(cluster).split()[0] == "idle"


def test_a_node_tells_its_load_and_its_free_memory(yard):
    cluster = yard()
    cluster.start()
    told = cluster.run("sinfo", "-h", "-N", "-n", "n1", "-o", "%O %e").stdout
    load, free = told.split()
    assert float(load) >= 0
    with open("/proc/meminfo") as f:
        total = int(f.readline().split()[1]) >> 10
    assert 0 < int(free) <= total


def test_a_node_that_can_launch_nothing_takes_itself_out_of_service_and_its_job_waits(
        yard, tmp_path):
    one = yard()
    one.start()
    # Nothing can be written where jobs are noted.
    attempts = tmp_path / "spool/n1/attempts"
    attempts.rename(tmp_path / "aside")
    attempts.write_text("in the way")
    job = one.run("sbatch", "--parsable", "--wrap", "true").stdout.strip()
    wait_for(lambda: node(one) == "drain batch job complete failure", what="the node to drain")

    def row():
        return one.run("squeue", "-h", "-j", job, "-o", "%T %r", check=False).stdout.strip()
    wait_for(lambda: row() == "PENDING launch failed requeued held", what="the job to be held")
    attempts.unlink()
    (tmp_path / "aside").rename(attempts)
    one.run("scontrol", "update", "NodeName=n1", "State=RESUME")
    one.run("scontrol", "release", job)
    wait_for(lambda: "COMPLETED" in one.run("scontrol", "show", "job", job).stdout,
             what="the job to run after all")
