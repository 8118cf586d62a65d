# SPDX-License-Identifier: Apache-2.0
"""Programs of real MPI libraries, several nodes, a user who is not root."""
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile

import pytest

from yard import BIN, Yard, wait_for

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  int rank, size, sum = 0, name_size;
  char host[MPI_MAX_PROCESSOR_NAME];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(host, &name_size);
  int one = rank + 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int token = rank;
  if (size > 1) {
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  const char* node = getenv("SLURMD_NODENAME");
  printf("rank %d of %d sum %d from %d on %s\n", rank, size, sum, token, node ? node : "?");
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "abort") == 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make users")


def needs(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


needs_openmpi = needs("mpicc.openmpi", "mpirun.openmpi")
needs_mpich = needs("mpicc.mpich", "mpiexec.hydra")
needs_helper = pytest.mark.skipif(not os.path.exists(f"{BIN}/slurm-pmix"),
                                  reason="slurm-pmix was not built: libpmix-dev is missing")


class MpiYard(Yard):
    """Two nodes on this machine, and a user with a home."""

    def __init__(self, dir, user, **options):
        super().__init__(dir, nodes=2, cpus=4, **options)
        self.user = pwd.getpwnam(user)
        self.home = f"{self.dir}/home"
        os.mkdir(self.home)
        shutil.chown(self.home, user)
        # Open MPI's two nodes on one machine must not think that they share memory.
        self.env.update(HOME=self.home, USER=user, OMPI_MCA_btl="self,tcp",
                        OMPI_MCA_btl_tcp_if_include="lo", OMPI_MCA_oob_tcp_if_include="lo")

    def compile(self, compiler):
        source, program = f"{self.home}/hello.c", f"{self.home}/hello-{compiler}"
        with open(source, "w") as f:
            f.write(PROGRAM)
        subprocess.run([compiler, "-o", program, source], check=True, timeout=60)
        os.chmod(program, 0o755)
        return program

    def as_user(self, *command, check=True, timeout=60):
        done = subprocess.run(command, env=self.env, cwd=self.home, user=self.user.pw_uid,
                              group=self.user.pw_gid, extra_groups=[], capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=timeout)
        if check:
            said = f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
            assert done.returncode == 0, f"{said}\n{self.logs()}"
        return done


def make_yard(**options):
    folder = tempfile.mkdtemp(prefix="ym-mpi-", dir="/tmp")
    os.chmod(folder, 0o755)
    user = f"ymmpi{os.getpid() % 100000}"
    subprocess.run(["useradd", "-M", "-d", "/nonexistent", user], check=True, capture_output=True)
    cluster = MpiYard(folder, user, **options)
    return cluster, user, folder


def unmake_yard(cluster, user, folder):
    cluster.stop()
    subprocess.run(["userdel", "-f", user], check=False, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def yard():
    # Nothing here waits for KillWait: a step whose srun was ended with its job is over at once.
    cluster, user, folder = make_yard(extra="KillWait=300")
    try:
        cluster.start()
        yield cluster
    finally:
        unmake_yard(cluster, user, folder)


@pytest.fixture(scope="module")
def mpich(yard):
    return yard.compile("mpicc.mpich")


def expect_all(text, size=4, nodes=("n1", "n2")):
    """Each rank once, the right sum, tokens from the neighbours, all nodes."""
    lines = sorted(line for line in text.splitlines() if line.startswith("rank "))
    total = size * (size + 1) // 2
    assert len(lines) == size, text
    for rank, line in enumerate(lines):
        before = (rank - 1) % size
        assert line.startswith(f"rank {rank} of {size} sum {total} from {before} on "), text
    assert {line.rsplit(" ", 1)[1] for line in lines} == set(nodes), text


def test_the_list_tells_what_there_is(yard):
    words = yard.run("srun", "--mpi=list").stdout.split()
    assert {"none", "pmi1", "pmi2"} <= set(words)
    assert ("pmix" in words) == os.path.exists(f"{BIN}/slurm-pmix")
    refused = yard.run("srun", "--mpi=telepathy", "true", check=False)
    assert refused.returncode != 0 and "--mpi=list" in refused.stderr


@needs_root
@needs_mpich
@pytest.mark.parametrize("kind", ["pmi1", "pmi2"])
def test_mpich_meets_across_nodes(yard, mpich, kind):
    expect_all(yard.as_user("srun", f"--mpi={kind}", "-N2", "-n4", mpich).stdout)


@needs_root
@needs_mpich
def test_mpich_on_one_node(yard, mpich):
    expect_all(yard.as_user("srun", "--mpi=pmi1", "-wn1", "-n3", mpich).stdout, 3, ["n1"])


@needs_root
@needs_mpich
def test_an_abort_ends_the_step_with_its_code(yard, mpich):
    done = yard.as_user("srun", "--mpi=pmi1", "-N2", "-n4", mpich, "abort", check=False)
    assert done.returncode == 7, done.stderr
    assert "MPI_Abort" in done.stderr


@pytest.fixture(scope="module")
def openmpi(yard):
    return yard.compile("mpicc.openmpi")


@needs_root
@needs_openmpi
@needs_helper
def test_open_mpi_meets_across_nodes(yard, openmpi):
    expect_all(yard.as_user("srun", "--mpi=pmix", "-N2", "-n4", openmpi).stdout)
    left = [name for name in os.listdir("/tmp") if name.startswith("slurm-pmix-")]
    mine = [name for name in left if os.stat(f"/tmp/{name}").st_uid == yard.user.pw_uid]
    assert not mine, "the helper removes its files"


@needs_root
@needs_openmpi
@needs_helper
def test_an_abort_of_open_mpi_ends_the_step(yard, openmpi):
    done = yard.as_user("srun", "--mpi=pmix", "-N2", "-n4", openmpi, "abort", check=False)
    assert done.returncode == 7, done.stderr
    assert "MPI_Abort" in done.stderr


ACROSS = ("-n3", "-w", "n1"), ("-n2", "-w", "n2")


@needs_root
@needs_mpich
def test_components_of_a_heterogeneous_job_are_one_world(yard, mpich):
    first, second = ACROSS
    done = yard.as_user("srun", "--mpi=pmi1", *first, mpich, ":", "--mpi=pmi1", *second, mpich)
    expect_all(done.stdout, size=5)
    # Both on one node, too.
    done = yard.as_user("srun", "--mpi=pmi1", "-n2", "-wn1", mpich, ":", "--mpi=pmi1", "-n1",
                        "-wn1", mpich)
    expect_all(done.stdout, size=3, nodes=("n1",))


@needs_root
@needs_openmpi
@needs_helper
def test_components_are_one_world_to_open_mpi(yard, openmpi):
    first, second = ACROSS
    done = yard.as_user("srun", "--mpi=pmix", *first, openmpi, ":", "--mpi=pmix", *second, openmpi)
    expect_all(done.stdout, size=5)


def batch(yard, text):
    """What a batch job's script said."""
    script = f"{yard.home}/job.sh"
    with open(script, "w") as f:
        f.write(f"#!/bin/sh\n{text}\n")
    done = yard.as_user("sbatch", "--wait", "--parsable", "-N2", "-n4", script, check=False)
    with open(f"{yard.home}/slurm-{done.stdout.strip()}.out") as f:
        said = f.read()
    assert done.returncode == 0, f"{done.stderr}\n{said}\n{yard.logs()}"
    return said


@needs_root
@needs_openmpi
def test_mpirun_finds_the_nodes_of_its_job(yard, openmpi):
    expect_all(batch(yard, f"mpirun.openmpi {openmpi}"))


@needs_root
@needs_mpich
def test_hydra_finds_the_nodes_of_its_allocation(yard, mpich):
    done = yard.as_user("salloc", "-N2", "-n4", "mpiexec.hydra", "-n", "4", "-ppn", "2", mpich)
    expect_all(done.stdout)


# As a PMI-1 client: rank 0 waits in a barrier that the other one never enters.
FENCE = """#!/bin/bash
: fence-task $1
[ $SLURM_PROCID = 0 ] || exec sleep 1000
echo "cmd=init pmi_version=1 pmi_subversion=1" >&$PMI_FD
read -u $PMI_FD answer
echo "cmd=barrier_in" >&$PMI_FD
touch $1/waiting
read -u $PMI_FD answer
touch $1/let-go
"""


def test_a_node_that_is_lost_during_a_fence_ends_the_step(tmp_path):
    one = Yard(tmp_path, nodes=2, extra="EioTimeout=2\nKillWait=1\nSlurmdTimeout=3")
    (tmp_path / "fence").write_text(FENCE)
    (tmp_path / "fence").chmod(0o755)
    srun = None
    try:
        one.start()
        srun = subprocess.Popen(["srun", "--mpi=pmi1", "-N2", "-n2", "--ntasks-per-node=1",
                                 f"{tmp_path}/fence", str(tmp_path)], env=one.env,
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: (tmp_path / "waiting").exists(), what="rank 0 in its fence")
        one.kill9("slurmd-n2")
        for pid in one.processes("spool/n2"):
            os.kill(pid, signal.SIGKILL)
        _, err = srun.communicate(timeout=60)
        assert srun.returncode != 0 and "n2" in err, err
        wait_for(lambda: not one.processes("fence"), what="no task left on the other node")
        assert not (tmp_path / "let-go").exists()
        wait_for(lambda: not one.queue(), what="an empty queue")
    finally:
        if srun:
            srun.kill()
        one.stop()
