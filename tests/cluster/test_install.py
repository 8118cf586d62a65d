# SPDX-License-Identifier: Apache-2.0
"""What `./dev install` puts under a prefix works from there, and from wherever it is moved to."""
import os
import shutil
import subprocess

import pytest

import yard as yards
from yard import Yard, wait_for


@pytest.fixture
def moved_prefix(tmp_path):
    build = os.path.dirname(os.path.abspath(yards.BIN))
    subprocess.run(["cmake", "--install", build, "--prefix", str(tmp_path / "first")], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.move(tmp_path / "first", tmp_path / "second")
    return tmp_path / "second"


def test_an_installed_tree_can_be_moved_and_finds_its_own_configuration(moved_prefix, tmp_path):
    cluster = Yard(tmp_path / "yard", nodes=2)
    os.makedirs(moved_prefix / "etc", exist_ok=True)
    shutil.copy(f"{cluster.dir}/slurm.conf", moved_prefix / "etc/slurm.conf")
    del cluster.env["SLURM_CONF"]
    cluster.env["PATH"] = f"{moved_prefix}/bin:{moved_prefix}/sbin:/usr/bin:/bin"
    try:
        cluster.start()
        assert cluster.run("srun", "-N2", "echo", "moved").stdout == "moved\nmoved\n"
        said = cluster.run("sbatch", "--version").stdout
        assert said.startswith("slurm ")
    finally:
        cluster.stop()
    assert os.path.exists(moved_prefix / "share/man/man1/sbatch.1")
    for daemon in ("slurmctld", "slurmd", "sackd"):
        with open(moved_prefix / f"lib/systemd/system/{daemon}.service") as f:
            assert f"ExecStart=/usr/sbin/{daemon} -D" in f.read()
        assert os.path.exists(moved_prefix / f"sbin/{daemon}")


def test_sighup_reads_the_configuration_again(tmp_path):
    cluster = Yard(tmp_path / "yard", nodes=1)
    try:
        cluster.start()
        with open(f"{cluster.dir}/slurm.conf", "a") as f:
            f.write("PartitionName=second Nodes=n1\n")
        os.kill(cluster.pid("slurmctld"), 1)
        wait_for(lambda: "second" in cluster.run("sinfo", "-h", "-o", "%P").stdout.split(),
                 what="the new partition")
    finally:
        cluster.stop()
