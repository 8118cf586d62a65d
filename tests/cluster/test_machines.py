# SPDX-License-Identifier: Apache-2.0
"""What nodes are made of: wishes for it, what of it is kept for the system, and which CPUs a job
got."""
import os

import pytest
from yard import Yard, wait_for

CPUS = sorted(os.sched_getaffinity(0))


def started(tmp_path, node="", cpus=4, extra=""):
    one = Yard(tmp_path, nodes=1, cpus=cpus, extra=extra)
    path = f"{one.dir}/slurm.conf"
    with open(path) as f:
        text = f.read().replace("RealMemory=2000", f"RealMemory=2000 {node}")
    with open(path, "w") as f:
        f.write(text)
    one.start()
    return one


def test_nodes_are_chosen_by_sockets_cores_and_threads(tmp_path):
    cluster = started(tmp_path, node="Sockets=2 CoresPerSocket=1 ThreadsPerCore=2")
    try:
        for wish in (["-B", "2:1:2"], ["-B2"], ["--sockets-per-node=2", "--threads-per-core=2"]):
            assert cluster.run("srun", *wish, "echo", "fine").stdout == "fine\n"
        for wish in (["-B", "3"], ["--cores-per-socket=2"], ["-B", "*:*:4"]):
            done = cluster.run("sbatch", *wish, "--wrap", "true", check=False)
            assert done.returncode == 1
            assert "Requested node configuration is not available" in done.stderr
    finally:
        cluster.stop()


def test_no_two_jobs_share_a_core(tmp_path):
    cluster = started(tmp_path, node="Sockets=1 CoresPerSocket=2 ThreadsPerCore=2")

    def states():
        return sorted(cluster.run("squeue", "-h", "-o", "%T %C").stdout.splitlines())

    try:
        script = "echo $SLURM_CPUS_ON_NODE $SLURM_JOB_CPUS_PER_NODE; sleep 1000"
        submit = ["sbatch", "--parsable", "-n1", "--mem=10", "-o", f"{tmp_path}/%j.out", "--wrap"]
        jobs = [cluster.run(*submit, script).stdout.strip() for _ in range(4)]
        wait_for(lambda: states() == 2 * ["PENDING 1"] + 2 * ["RUNNING 2"], what="two jobs")
        assert "NumCPUs=2 " in cluster.run("scontrol", "show", "job", jobs[0]).stdout
        assert "CPUAlloc=4 " in cluster.run("scontrol", "show", "node", "n1").stdout
        out = tmp_path / f"{jobs[0]}.out"
        wait_for(lambda: out.exists() and out.read_text() == "2 2\n", what="its output")
        cluster.run("scancel", *jobs)
        wait_for(lambda: states() == [], what="the end")
        count = ["sh", "-c", "echo $SLURM_JOB_CPUS_PER_NODE"]
        for wish, cpus in (("-n2", 2), ("-n3", 4), ("-n1 -c2", 2), ("-n2 --ntasks-per-core=1", 4),
                           ("-n2 --hint=nomultithread", 4), ("-n1 --threads-per-core=1", 2)):
            shown = cluster.run("srun", *wish.split(), *count).stdout
            assert set(shown.split()) == {str(cpus)}, wish
    finally:
        cluster.run("scancel", "-u", "root", check=False)
        cluster.stop()


def test_what_is_kept_for_the_system_is_not_given_to_jobs(tmp_path):
    cluster = started(tmp_path, node="CoreSpecCount=1 MemSpecLimit=500",
                      extra="SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU_Memory\n"
                            "AllowSpecResourcesUsage=YES")
    try:
        shown = cluster.run("scontrol", "show", "node", "n1").stdout
        assert "CPUEfctv=3 CPUTot=4" in shown and "CoreSpecCount=1 MemSpecLimit=500" in shown
        assert cluster.run("sbatch", "-c4", "--wrap", "true", check=False).returncode == 1
        assert cluster.run("sbatch", "--mem=1600", "--wrap", "true", check=False).returncode == 1
        count = ["sh", "-c", "echo $SLURM_JOB_CPUS_PER_NODE"]
        assert cluster.run("srun", "-n1", "--exclusive", *count).stdout == "3\n"
        assert cluster.run("srun", "-n1", "-S2", *count).stdout == "2\n"
    finally:
        cluster.stop()


@pytest.mark.skipif(len(CPUS) < 2 or CPUS != list(range(len(CPUS))) or os.geteuid() != 0,
                    reason="needs CPUs 0 and 1, and daemons of root")
def test_details_of_a_job_tell_its_cpus(tmp_path):
    cluster = started(tmp_path, cpus=2)

    def ids(job):
        shown = cluster.run("scontrol", "-d", "show", "job", job).stdout
        return shown.split("Nodes=n1 CPU_IDs=")[1].split()[0]

    try:
        jobs = [cluster.run("sbatch", "--parsable", "--wrap",
                            "grep Cpus_allowed_list /proc/self/status; sleep 1000").stdout.strip()
                for _ in range(2)]
        wait_for(lambda: sorted(ids(job) for job in jobs) == ["0", "1"], what="ids of both jobs")
        # They are known again when a new controller has heard of the node.
        cluster.kill9("slurmctld")
        cluster.start_controller()
        wait_for(lambda: sorted(ids(job) for job in jobs) == ["0", "1"], what="ids after a restart")
    finally:
        cluster.run("scancel", "-u", "root", check=False)
        cluster.stop()
