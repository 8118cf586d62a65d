# SPDX-License-Identifier: Apache-2.0
"""Programs that people bring: each finds the Slurm that it expects."""
import os
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cluster"))
from yard import Yard, wait_for  # noqa: E402


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    cluster = Yard(tmp_path_factory.mktemp("clients"), nodes=3)
    cluster.env.update(HOME=cluster.dir, USER="root", LC_ALL="C.UTF-8")
    cluster.start()
    yield cluster
    cluster.stop()


# --- snakemake ---

WORKFLOW = """\
PARTS = ["a", "b", "c"]

rule all:
    input: "sum.txt"

rule part:
    output: "{part}.txt"
    resources: runtime=5, mem_mb=400
    shell: "echo {wildcards.part} $SLURM_JOB_ID $SLURM_CPUS_PER_TASK > {output}"

rule sum:
    input: expand("{part}.txt", part=PARTS)
    output: "sum.txt"
    threads: 2
    resources: runtime=5, mem_mb=400
    shell: "cat {input} > {output}; echo sum $SLURM_JOB_ID $SLURM_CPUS_PER_TASK >> {output}"
"""


# It looks at its jobs twice a minute, and no option changes that.
IMPATIENCE = """\
import time
import throttler
sleep, init = time.sleep, throttler.Throttler.__init__
time.sleep = lambda seconds: sleep(min(seconds, 0.2))
throttler.Throttler.__init__ = lambda self, rate_limit, period=1.0, **rest: init(
    self, rate_limit, min(period, 0.2), **rest)
"""


def snakemake(yard, folder, workflow):
    os.makedirs(folder)
    with open(f"{folder}/sitecustomize.py", "w") as f:
        f.write(IMPATIENCE)
    with open(f"{folder}/Snakefile", "w") as f:
        f.write(workflow)
    return subprocess.run(
        ["snakemake", "--slurm", "--jobs", "3"], env=dict(yard.env, PYTHONPATH=folder),
        cwd=folder, capture_output=True, text=True, timeout=400,
        stdin=subprocess.DEVNULL)


@needs("snakemake")
def test_snakemake_runs_its_rules_as_jobs(yard):
    done = snakemake(yard, f"{yard.dir}/flow", WORKFLOW)
    assert done.returncode == 0, done.stdout + done.stderr + yard.logs()
    with open(f"{yard.dir}/flow/sum.txt") as f:
        rows = [line.split() for line in f]
    assert [row[0] for row in rows] == ["a", "b", "c", "sum"]
    assert len({row[1] for row in rows}) == 4, "four jobs"
    assert [row[2] for row in rows] == ["1", "1", "1", "2"]


@needs("snakemake")
def test_snakemake_sees_that_a_job_has_failed(yard):
    done = snakemake(yard, f"{yard.dir}/fails",
                     'rule all:\n    output: "x"\n    resources: runtime=5, mem_mb=400\n'
                     '    shell: "exit 3"\n')
    assert done.returncode != 0
    assert re.search(r"SLURM status is: 'FAILED'", done.stdout + done.stderr), done.stderr


# --- ClusterShell ---

# The groups of ClusterShell's own example.
GROUPS = """\
[slurmpart,sp]
map: sinfo -h -o "%N" -p $GROUP
all: sinfo -h -o "%N"
list: sinfo -h -o "%R"
reverse: sinfo -h -N -o "%R" -n $NODE

[slurmstate,st]
map: sinfo -h -o "%N" -t $GROUP
all: sinfo -h -o "%N"
list: sinfo -h -o "%T" | tr -d '*~#!%$@+^-'
reverse: sinfo -h -N -o "%T" -n $NODE | tr -d '*~#!%$@+^-'

[slurmjob,sj]
map: squeue -h -j $GROUP -o "%N"
list: squeue -h -o "%i" -t R
reverse: squeue -h -w $NODE -o "%i"

[slurmuser,su]
map: squeue -h -u $GROUP -o "%N" -t R
list: squeue -h -o "%u" -t R
reverse: squeue -h -w $NODE -o "%u"
"""


@needs("nodeset")
def test_clustershell_groups_are_partitions_states_jobs_and_users(yard):
    os.makedirs(f"{yard.dir}/.config/clustershell/groups.conf.d", exist_ok=True)
    folder = f"{yard.dir}/.config/clustershell"
    with open(f"{folder}/groups.conf", "w") as f:
        f.write("[Main]\ndefault: slurmpart\nconfdir: $CFGDIR/groups.conf.d\n")
    with open(f"{folder}/groups.conf.d/slurm.conf", "w") as f:
        f.write(GROUPS)
    env = {"XDG_CONFIG_HOME": f"{yard.dir}/.config", "CLUSTERSHELL_CFGDIR": folder}

    def nodeset(*arguments):
        return subprocess.run(["nodeset", *arguments], env=dict(yard.env, **env), text=True,
                              capture_output=True, check=True, timeout=60).stdout.split()

    job = yard.run("sbatch", "--parsable", "-w", "n2", "--wrap", "sleep 600").stdout.strip()
    wait_for(lambda: f"{job} RUNNING" in "\n".join(yard.queue()), what="a running job")
    try:
        assert nodeset("-f", "@sp:debug") == ["n[1-3]"]
        assert nodeset("-l", "-s", "sp") == ["@sp:debug"]
        assert nodeset("-f", "@st:mixed") == ["n2"]
        assert nodeset("-f", "@st:idle") == ["n[1,3]"]
        assert nodeset("-f", f"@sj:{job}") == ["n2"]
        assert nodeset("-l", "-s", "sj") == [f"@sj:{job}"]
        assert nodeset("-f", "@su:root") == ["n2"]
        assert nodeset("-a", "-s", "sp", "-f") == ["n[1-3]"]
    finally:
        yard.run("scancel", job)


# --- GNU parallel ---

@needs("parallel")
def test_parallel_runs_steps_of_one_job_side_by_side(yard):
    script = """#!/bin/sh
#SBATCH -N2 -n4 -o parallel.out
seq 12 | parallel --will-cite -j $SLURM_NTASKS srun -N1 -n1 --exact sh -c \\
    "'echo {} \\$SLURM_JOB_ID \\$SLURM_STEP_ID \\$SLURMD_NODENAME'"
"""
    job = yard.run("sbatch", "--parsable", "--wait", input=script).stdout.strip()
    with open(f"{yard.dir}/out/parallel.out") as f:
        rows = [line.split() for line in f]
    assert sorted(int(row[0]) for row in rows) == list(range(1, 13))
    assert {row[1] for row in rows} == {job}
    assert len({row[2] for row in rows}) == 12, "twelve steps"


# --- dask ---

CALCULATION = """\
import sys
from dask.distributed import Client
with Client(scheduler_file=sys.argv[1], timeout=60) as client:
    client.wait_for_workers(3, timeout=60)
    import os
    print(sum(client.gather(client.map(lambda x: x * x, range(100)))))
    print(len(client.run(lambda: os.environ["SLURM_PROCID"])))
    client.shutdown()
"""


@needs("dask-worker")
def test_dask_workers_run_as_tasks_of_a_step(yard):
    with open(f"{yard.dir}/out/calculation.py", "w") as f:
        f.write(CALCULATION)
    file = f"{yard.dir}/out/scheduler.json"
    script = f"""#!/bin/sh
#SBATCH -N3 -o dask.out -t 5
dask-scheduler --scheduler-file {file} --interface lo --port 0 --no-dashboard 2>scheduler.log &
srun dask-worker --scheduler-file {file} --interface lo --nthreads 1 --no-dashboard \\
    --no-nanny 2>workers.log &
/usr/bin/python3 calculation.py {file}
wait
"""
    job = yard.run("sbatch", "--parsable", "--wait", input=script, timeout=200).stdout.strip()
    with open(f"{yard.dir}/out/dask.out") as f:
        said = f.read()
    assert said.splitlines()[:2] == [str(sum(x * x for x in range(100))), "3"], (job, said)
