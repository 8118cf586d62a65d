# SPDX-License-Identifier: Apache-2.0
"""A running job gives nodes back."""
import os

import pytest
from yard import Yard, wait_for


@pytest.fixture
def yard(tmp_path):
    one = Yard(tmp_path, nodes=3)
    one.start()
    yield one
    one.stop()


def test_a_script_gives_nodes_back_and_goes_on_with_the_others(yard):
    script = """#!/bin/sh
srun -N3 -n3 sleep 1000 &
sleep 0.1
while [ "$(squeue -h -s -j $SLURM_JOB_ID -o %i | grep -c '[.]0$')" != 1 ]; do sleep 0.1; done
scontrol update JobId=$SLURM_JOB_ID NumNodes=1 > said
. ./slurm_job_${SLURM_JOB_ID}_resize.sh
echo $SLURM_NNODES $SLURM_JOB_NODELIST $SLURM_JOB_CPUS_PER_NODE ${SLURM_NTASKS:-none} > env
srun --overlap sh -c 'echo $SLURMD_NODENAME $SLURM_STEP_NUM_NODES' > step
sleep 1000
"""
    with open(f"{yard.dir}/out/script", "w") as f:
        f.write(script)
    job = yard.run("sbatch", "--parsable", "-N3", "-n3", "script").stdout.strip()
    step = f"{yard.dir}/out/step"
    wait_for(lambda: os.path.exists(step) and open(step).read(), what="a step on what is left")
    assert open(step).read() == "n1 1\n"
    assert open(f"{yard.dir}/out/env").read() == "1 n1 1 none\n"
    assert f"source ./slurm_job_{job}_resize.csh" in open(f"{yard.dir}/out/said").read()
    assert os.path.exists(f"{yard.dir}/out/slurm_job_{job}_resize.csh")
    shown = yard.run("scontrol", "show", "job", job).stdout
    assert "NumNodes=1 " in shown and "NodeList=n1\n" in shown
    # The others are free as soon as the step's tasks there are gone.
    wait_for(lambda: yard.idle_nodes() == 2, what="two nodes free")
    assert sorted(yard.run("srun", "-N2", "sh", "-c", "echo $SLURMD_NODENAME").stdout.split()) == [
        "n2", "n3"]
    refused = yard.run("scontrol", "update", f"JobId={job}", "NumNodes=2", check=False)
    assert refused.returncode == 1 and "gets no more" in refused.stderr + refused.stdout
    yard.run("scancel", job)
    wait_for(lambda: yard.idle_nodes() == 3, what="all free")
