# SPDX-License-Identifier: Apache-2.0
"""Where tasks go: over nodes, and on the CPUs of this machine."""
import os
import re

import pytest

from yard import Yard, wait_for

CPUS = sorted(os.sched_getaffinity(0))
ALLOWED = ["sh", "-c", "echo $SLURM_PROCID $(grep Cpus_allowed_list /proc/self/status | cut -f2)"]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Nodes that pretend to have CPUs."""
    cluster = Yard(tmp_path_factory.mktemp("many"), nodes=2, cpus=4)
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """This machine, with the CPUs that it has."""
    if len(CPUS) < 2 or CPUS != list(range(len(CPUS))):
        pytest.skip("needs a machine with CPUs 0 and 1")
    if os.geteuid() != 0:
        pytest.skip("binding without a wish is for daemons of root")
    cluster = Yard(tmp_path_factory.mktemp("real"), nodes=1, cpus=2)
    cluster.start()
    yield cluster
    cluster.stop()


def nodes_of_tasks(cluster, *options, env=()):
    names = dict(env)
    script = "echo $SLURM_PROCID $SLURMD_NODENAME $SLURM_LOCALID $SLURM_GTIDS"
    out = cluster.run("env", *[f"{k}={v}" for k, v in names.items()], "srun", *options,
                      "sh", "-c", script).stdout
    return {int(line.split()[0]): line.split()[1:] for line in out.splitlines()}


def test_tasks_are_laid_over_nodes_as_asked(many):
    block = nodes_of_tasks(many, "-N2", "-n4", "--exclusive")
    assert [block[i][0] for i in range(4)] == ["n1", "n1", "n2", "n2"]
    cyclic = nodes_of_tasks(many, "-N2", "-n4", "--exclusive", "-m", "cyclic")
    assert [cyclic[i][0] for i in range(4)] == ["n1", "n2", "n1", "n2"]
    assert cyclic[2] == ["n1", "1", "0,2"] and cyclic[3] == ["n2", "1", "1,3"]
    plane = nodes_of_tasks(many, "-N2", "-n6", "--exclusive", "-m", "plane=2")
    assert [plane[i][0] for i in range(6)] == ["n1", "n1", "n2", "n2", "n1", "n1"]


def test_a_task_is_named_by_its_rank_and_node_when_it_fails(many):
    done = many.run("srun", "-N2", "-n4", "--exclusive", "-m", "cyclic", "sh", "-c",
                    "test $SLURM_PROCID != 3 || exit 7", check=False)
    assert done.returncode == 7
    assert "n2: task 3: Exited with exit code 7" in done.stderr


def test_a_hostfile_says_where_each_task_runs(many, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("n2\nn1\nn2\n")
    script = tmp_path / "job"
    script.write_text(f"#!/bin/sh\nexport SLURM_HOSTFILE={hosts}\n"
                      "srun -n3 -l sh -c 'echo $SLURMD_NODENAME' | sort\n")
    many.run("sbatch", "-N2", "--exclusive", "--wait", "-o", "hosts.out", str(script))
    with open(f"{many.dir}/out/hosts.out") as f:
        assert f.read() == "0: n2\n1: n1\n2: n2\n"


def test_a_hostfile_says_which_nodes_a_batch_job_gets(many, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("n2\nn1\nn2\n")
    said = many.run("env", f"SLURM_HOSTFILE={hosts}", "sbatch", "-m", "arbitrary", "--wait", "-o",
                    f"{tmp_path}/out", "--wrap",
                    "echo $SLURM_JOB_NODELIST $SLURM_NTASKS; srun -l printenv SLURMD_NODENAME")
    assert said.returncode == 0
    first, *rest = (tmp_path / "out").read_text().splitlines()
    assert first == "n[1-2] 3"
    assert sorted(rest) == ["0: n2", "1: n1", "2: n2"]


def test_a_hostfile_named_at_submission_counts_for_the_steps(many, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("n2\nn1*2\n")
    many.run("env", f"SLURM_HOSTFILE={hosts}", "sbatch", "-N2", "--exclusive", "--wait", "-o",
             "at-submission.out", "--wrap", "srun -n3 -l sh -c 'echo $SLURMD_NODENAME' | sort")
    with open(f"{many.dir}/out/at-submission.out") as f:
        assert f.read() == "0: n2\n1: n1\n2: n1\n"


def test_the_jobs_wishes_are_seen_by_its_script_and_its_steps(many):
    many.run("sbatch", "-N2", "-n4", "--exclusive", "-m", "cyclic", "--ntasks-per-socket=4",
             "--wait", "-o", "wish.out", "--wrap",
             "echo $SLURM_DISTRIBUTION $SLURM_NTASKS_PER_SOCKET; "
             "srun -l sh -c 'echo $SLURMD_NODENAME' | sort")
    with open(f"{many.dir}/out/wish.out") as f:
        assert f.read() == "cyclic 4\n0: n1\n1: n2\n2: n1\n3: n2\n"


def test_pretended_cpus_bind_nobody(many):
    out = many.run("srun", "-n1", "sh", "-c",
                   "echo ${SLURM_CPU_BIND-none}; grep Cpus_allowed_list /proc/self/status").stdout
    bound, allowed = out.splitlines()
    assert bound == "none" and allowed.split()[1] == (
        f"{CPUS[0]}-{CPUS[-1]}" if len(CPUS) > 1 else f"{CPUS[0]}")


def test_nonsense_is_refused_and_help_is_given(many):
    bad = many.run("srun", "--cpu-bind=elsewhere", "true", check=False)
    assert bad.returncode == 1 and "--cpu-bind" in bad.stderr
    assert many.run("srun", "-m", "diagonal", "true", check=False).returncode == 255
    assert "map_cpu:" in many.run("srun", "--cpu-bind=help").stdout
    assert "local" in many.run("srun", "--mem-bind=help").stdout


def test_tasks_are_bound_to_cores_without_a_wish(real):
    out = real.run("srun", "-n2", *ALLOWED).stdout
    assert sorted(out.splitlines()) == ["0 0", "1 1"]


def test_the_users_list_counts_and_is_told(real):
    done = real.run("srun", "-n2", "-l", "--cpu-bind=verbose,map_cpu:1,0", *ALLOWED)
    assert sorted(done.stdout.splitlines()) == ["0: 0 1", "1: 1 0"]
    said = sorted(done.stderr.splitlines())
    assert re.fullmatch(r"0: cpu-bind=MASK - n1, task  0  0 \[\d+\]: mask 0x2 set", said[0]), said
    assert re.fullmatch(r"1: cpu-bind=MASK - n1, task  1  1 \[\d+\]: mask 0x1 set", said[1]), said


def test_no_binding_is_a_wish_too(real):
    out = real.run("srun", "-n2", "--cpu-bind=none", "sh", "-c", "echo $SLURM_CPU_BIND").stdout
    assert out.splitlines() == ["quiet,none"] * 2


def test_memory_is_bound_on_request(real):
    done = real.run("srun", "-n1", "--mem-bind=verbose,local", "sh", "-c",
                    "echo $SLURM_MEM_BIND; grep -c ' bind:0' /proc/self/numa_maps || true")
    assert "mem-bind=LOC - n1, task  0  0" in done.stderr
    assert done.stdout.splitlines()[0] == "verbose,local"
    if "cannot bind" not in done.stderr and os.path.exists("/proc/self/numa_maps"):
        assert int(done.stdout.splitlines()[1]) > 0


def test_jobs_and_exact_steps_get_cpus_of_their_own(real):
    real.run("sbatch", "-n1", "-o", "own-%j.out", "--wrap",
             "grep Cpus_allowed_list /proc/self/status; sleep 60")
    real.run("sbatch", "-n1", "-o", "own-%j.out", "--wrap",
             "grep Cpus_allowed_list /proc/self/status; sleep 60")

    def lists():
        found = []
        for name in os.listdir(f"{real.dir}/out"):
            if name.startswith("own-"):
                with open(f"{real.dir}/out/{name}") as f:
                    found += [line.split()[1] for line in f if line.startswith("Cpus_allowed_list")]
        return len(found) == 2 and sorted(found)

    assert wait_for(lists, what="both jobs running") == ["0", "1"]
    # A restarted slurmd knows from its spool who has what.
    real.kill9("slurmd-n1")
    real.start_node(1)
    wait_for(lambda: "mix" in real.run("sinfo", "-h", "-o", "%t").stdout
             or "alloc" in real.run("sinfo", "-h", "-o", "%t").stdout, what="node back")
    ids = real.run("squeue", "-h", "-o", "%i").stdout.split()
    real.run("scancel", max(ids, key=int))
    out = real.run("srun", "-n1", *ALLOWED).stdout.split()
    assert out == ["0", "1"]
    real.run("scancel", min(ids, key=int))
    wait_for(lambda: not real.queue(), what="empty queue")
    steps = real.run("salloc", "-n2", "sh", "-c",
                     "srun --exact -n1 sh -c 'grep Cpus_allowed_list /proc/self/status; sleep 1' & "
                     "srun --exact -n1 sh -c 'grep Cpus_allowed_list /proc/self/status; sleep 1' & "
                     "wait").stdout
    assert sorted(line.split()[1] for line in steps.splitlines()) == ["0", "1"]
