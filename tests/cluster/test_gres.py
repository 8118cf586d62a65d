# SPDX-License-Identifier: Apache-2.0
"""GPUs and other generic resources, with device files that have no driver: who may open one is
told that there is no such device, who may not that it is not permitted."""
import json
import os
import re
import signal
import subprocess
import tempfile

import pytest
from yard import Yard, wait_for



def can_make_devices():
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(["mknod", f"{folder}/x", "c", "240", "0"], stderr=subprocess.DEVNULL)
        return made.returncode == 0


pytestmark = pytest.mark.skipif(not can_make_devices(), reason="device files cannot be made here")

TYPES = "GresTypes=gpu,shard,tool,bw"
GPUS = "gpu:a100:2,gpu:v100:2,shard:8,tool:3,bw:lustre:no_consume:4G"
MAJOR = "240"  # of the numbers that no driver has


def make(folder, nodes=1, gres=GPUS, conf=None, cgroup="", extra=""):
    os.chmod(folder, 0o755)
    one = Yard(folder, nodes=nodes, cpus=8, extra=f"{TYPES}\n{extra}")
    devices = f"{one.dir}/dev"
    os.makedirs(devices)
    for number in range(4):
        subprocess.run(["mknod", "-m", "666", f"{devices}/nvidia{number}", "c", MAJOR, str(number)],
                       check=True)
    path = f"{one.dir}/slurm.conf"
    with open(path) as f:
        text = f.read()
    with open(path, "w") as f:
        f.write(text.replace("RealMemory=2000", f"RealMemory=2000 Gres={gres}"))
    with open(f"{one.dir}/gres.conf", "w") as f:
        f.write(conf.format(dev=devices) if conf else
                f"Name=gpu Type=a100 File={devices}/nvidia[0-1] Cores=0-3\n"
                f"Name=gpu Type=v100 File={devices}/nvidia[2-3] Cores=4-7\n"
                "Name=shard Count=8\n")
    with open(f"{one.dir}/cgroup.conf", "w") as f:
        f.write(cgroup or "CgroupPlugin=disabled\n")
    return one


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    one = make(tmp_path_factory.mktemp("gres"))
    try:
        one.start()
        yield one
    finally:
        one.stop()


@pytest.fixture(autouse=True)
def empty(request):
    yield
    if "yard" in request.fixturenames:
        one = request.getfixturevalue("yard")
        one.run("scancel", "--me", check=False)
        wait_for(lambda: not one.queue(), what="an empty queue")


def submit(yard, script, *options):
    return yard.run("sbatch", "--parsable", "-o", "job-%j.out", *options,
                    input=f"#!/bin/bash\n{script}\n").stdout.strip()


def output(yard, job):
    try:
        with open(f"{yard.dir}/out/job-{job}.out") as f:
            return f.read()
    except FileNotFoundError:
        return ""  # not yet


def shown(yard, *words):
    out = yard.run("scontrol", "-d", "show", *words).stdout
    return dict(re.findall(r"(\S+?)=(\S*)", out))


def used(yard):
    return shown(yard, "node", "n1")["GresUsed"]


def state(yard, job):
    return shown(yard, "job", job)["JobState"]


def wait_state(yard, job, wanted):
    wait_for(lambda: state(yard, job) == wanted, what=f"job {job} {wanted}")


VARIABLES = "env | grep -E 'GPU|CUDA_V|ROCR|ZE_AFF|SHARD|TRES' | sort"


def variables(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_a_job_sees_the_gpus_that_it_has_and_the_node_shows_them_as_used(yard):
    job = submit(yard, f"{VARIABLES}; echo step; srun sh -c \"{VARIABLES}\"; sleep 60",
                 "--gres=gpu:v100:1,tool:2,bw:lustre:1G")
    wait_for(lambda: "SLURM_STEP_GPUS" in output(yard, job), what="the step's variables")
    batch, step = output(yard, job).split("step\n")
    alike = {"CUDA_VISIBLE_DEVICES": "2", "GPU_DEVICE_ORDINAL": "2", "ROCR_VISIBLE_DEVICES": "2",
             "ZE_AFFINITY_MASK": "2", "SLURM_GPUS_ON_NODE": "1", "SLURM_JOB_GPUS": "2"}
    assert variables(batch) == alike
    assert variables(step) == {**alike, "SLURM_STEP_GPUS": "2"}
    assert used(yard) == ("gpu:a100:0(IDX:N/A),gpu:v100:1(IDX:2),shard:a100:0(0/2,0/2),"
                          "shard:v100:0(0/2,0/2),tool:2,bw:lustre:0")
    told = shown(yard, "job", job)
    assert told["GRES"] == "gpu:v100:1(IDX:2),tool(CNT:2),bw:lustre(CNT:0)"
    assert told["JOB_GRES"] == "gpu:v100:1,tool:2,bw:lustre:0"
    assert told["TresPerNode"] == "gres/gpu:v100:1,gres/tool:2,gres/bw:lustre:1G"
    assert told["AllocTRES"].endswith("gres/gpu=1,gres/gpu:v100=1,gres/tool=2")
    node = shown(yard, "node", "n1")
    assert node["Gres"].startswith("gpu:a100:2(S:0-3),gpu:v100:2(S:4-7),shard:a100:4(S:0-3)")
    assert node["AllocTRES"].endswith("gres/gpu=1,gres/gpu:v100=1,gres/tool=2")
    # And for machines.
    rows = json.loads(yard.run("squeue", "--json").stdout)["jobs"]
    assert rows[0]["gres_detail"] == ["gpu:v100:1(IDX:2),tool(CNT:2),bw:lustre(CNT:0)"]
    assert yard.run("squeue", "-h", "-o", "%b").stdout.strip() == told["TresPerNode"]
    assert "gpu:v100:1(IDX:2)" in yard.run("sinfo", "-h", "-O", "gresused:90").stdout
    yard.run("scancel", job)
    wait_for(lambda: used(yard).startswith("gpu:a100:0(IDX:N/A),gpu:v100:0(IDX:N/A)"))


def test_a_job_waits_for_gpus_that_others_have(yard):
    first = submit(yard, "sleep 60", "--gres=gpu:3")
    wait_state(yard, first, "RUNNING")
    second = submit(yard, "sleep 60", "--gpus=2")
    other = submit(yard, "sleep 60", "--gres=gpu:1")
    wait_for(lambda: shown(yard, "job", second)["Reason"] == "Resources", what="a reason")
    assert state(yard, other) == "PENDING" or state(yard, other) == "RUNNING"
    text = yard.run("yardmaster", "explain", second).stdout
    assert "not enough is free of gres/gpu:2" in text
    yard.run("scancel", first)
    wait_state(yard, second, "RUNNING")
    assert shown(yard, "job", second)["GRES"].startswith("gpu:")


def test_what_is_held_survives_the_controller(yard):
    job = submit(yard, "sleep 60", "--gres=gpu:a100:2")
    wait_state(yard, job, "RUNNING")
    before = used(yard)
    assert before.startswith("gpu:a100:2(IDX:0-1)")
    yard.kill9("slurmctld")
    yard.start_controller()
    wait_for(lambda: yard.run("sinfo", "-h", "-o", "%t", check=False).stdout.strip() == "mix")
    assert used(yard) == before
    more = submit(yard, "sleep 60", "--gres=gpu:3")
    wait_for(lambda: shown(yard, "job", more)["Reason"] == "Resources", what="a reason")
    yard.run("scancel", job)
    wait_state(yard, more, "RUNNING")


def test_steps_take_parts_of_what_their_job_has(yard):
    show = "echo $CUDA_VISIBLE_DEVICES"
    lines = yard.run("salloc", "-n2", "--gres=gpu:a100:2", "sh", "-c", f"""
        srun -n1 sh -c '{show}'
        srun -n1 --gres=none sh -c '{show}'
        srun -n1 --gres=gpu:1 sh -c '{show}'
        srun -n1 --gres=gpu:3 true
        srun -n1 --gpus=3 true
        srun -n1 --exact --gpus=1 sh -c '{show}; touch a; while ! test -e b; do sleep 0.05; done' &
        while ! test -e a; do sleep 0.05; done
        srun -n1 --exact --gpus=1 sh -c '{show}; touch b'
        wait; rm a b""", check=False)
    refused = "Invalid generic resource (gres) specification"
    assert lines.stderr.count(refused) == 2, lines.stderr
    said = lines.stdout.splitlines()
    assert said[:3] == ["0,1", "", "0"]
    assert sorted(said[3:]) == ["0", "1"], "two steps at once have different ones"


def test_a_step_waits_for_gpus_of_another_step(yard):
    done = yard.run("salloc", "-n2", "--gres=gpu:a100:1", "sh", "-c", """
        srun -n1 --exact sh -c 'touch a; while ! test -e b; do sleep 0.05; done; echo one' &
        while ! test -e a; do sleep 0.05; done
        srun -n1 --exact --overlap sh -c 'echo beside $CUDA_VISIBLE_DEVICES'
        srun -n1 --exact sh -c 'echo two' &
        sleep 0.7; touch b
        wait; rm a b""")
    assert done.stdout.splitlines() == ["beside 0", "one", "two"]
    assert "step creation temporarily disabled, retrying (Requested nodes are busy)" in done.stderr


@pytest.mark.parametrize("options, wanted", [
    (["--gpus-per-task=1"], ["0", "1"]),
    (["--gpus=2", "--gpu-bind=single:2"], ["0", "0"]),
    (["--gpus=2", "--gpu-bind=map_gpu:1,0"], ["1", "0"]),
    (["--gpus=2", "--gpu-bind=mask_gpu:0x3,0x2"], ["0,1", "1"]),
    (["--gpus=2", "--gpu-bind=none"], ["0,1", "0,1"]),
    (["--ntasks-per-gpu=1", "--gpus=2"], ["0", "1"]),
])
def test_tasks_are_bound_to_gpus(yard, options, wanted):
    done = yard.run("srun", "-l", "-n2", *options, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
    assert sorted(done.stdout.splitlines()) == [f"{i}: {w}" for i, w in enumerate(wanted)]


def test_binding_is_told_if_that_is_wanted(yard):
    done = yard.run("srun", "-n1", "--gpus=2", "--gpu-bind=verbose,map_gpu:1", "true")
    assert ("gpu-bind: usable_gres=0x2; bit_alloc=0x3; local_inx=2; global_list=1; "
            "local_list=1") in done.stderr


def test_a_gpu_is_given_whole_or_in_shards(yard):
    job = submit(yard, f"{VARIABLES}; sleep 60", "--gres=shard:2")
    wait_for(lambda: "SHARDS" in output(yard, job), what="variables")
    said = variables(output(yard, job))
    assert said["SLURM_SHARDS_ON_NODE"] == "2"
    assert said["CUDA_VISIBLE_DEVICES"] == "0"
    assert "SLURM_GPUS_ON_NODE" not in said
    all_gpus = submit(yard, "sleep 60", "--gres=gpu:4")
    three = submit(yard, "sleep 60", "--gres=gpu:3", "--nice=-10")
    wait_state(yard, three, "RUNNING")
    assert shown(yard, "job", three)["GRES"] == "gpu:a100:1(IDX:1),gpu:v100:2(IDX:2-3)"
    assert state(yard, all_gpus) == "PENDING"


def test_cpus_memory_and_tasks_follow_the_gpus(yard):
    done = yard.run("srun", "--gpus=3", "--gpus-per-task=1", "--cpus-per-gpu=2",
                    "--mem-per-gpu=100", "sh", "-c",
                    "scontrol show job $SLURM_JOB_ID | grep -o 'AllocTRES=.*'; "
                    "echo $SLURM_GPUS $SLURM_GPUS_PER_TASK $SLURM_CPUS_PER_GPU $SLURM_NTASKS")
    lines = done.stdout.splitlines()
    assert lines.count("3 1 2 3") == 3
    assert "AllocTRES=cpu=6,mem=300M,node=1,billing=6,gres/gpu=3,gres/gpu:a100=2,gres/gpu:v100=1" \
        in lines


def test_a_job_alone_on_its_node_has_its_gpus_but_its_steps_must_ask(yard):
    done = yard.run("salloc", "--exclusive", "sh", "-c", """
        scontrol -d show job $SLURM_JOB_ID | grep -v SubmitLine | grep -o 'GRES=gpu.*'
        srun -n1 sh -c 'echo x$CUDA_VISIBLE_DEVICES'
        srun -n1 --gpus=4 sh -c 'echo x$CUDA_VISIBLE_DEVICES'""")
    assert done.stdout.splitlines()[-3:] == [
        "GRES=gpu:a100:2(IDX:0-1),gpu:v100:2(IDX:2-3),tool(CNT:3),bw:lustre(CNT:0)", "x",
        "x0,1,2,3"]


def test_slurmd_prints_what_it_found(yard):
    out = yard.run("slurmd", "-N", "n1", "-G").stdout.splitlines()
    assert out[0] == f"Gres Name=gpu Type=a100 Count=2 File={yard.dir}/dev/nvidia[0-1] Cores=0-3"
    assert "Gres Name=tool Count=3" in out


@pytest.fixture
def own(tmp_path):
    made = []

    def start(**options):
        made.append(make(tmp_path, **options))
        return made[0]

    yield start
    for one in made:
        one.stop()


def test_gpus_of_a_job_may_be_on_several_nodes(own):
    yard = own(nodes=2)
    yard.start()
    done = yard.run("salloc", "-N2", "--gpus=6", "sh", "-c", """
        scontrol -d show job $SLURM_JOB_ID | grep -v SubmitLine | grep -o 'GRES=gpu.*'
        echo $SLURM_GPUS
        srun -l -N2 sh -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'
        srun -l -N2 --gpus=3 sh -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'
        srun -l -N1 -n1 sh -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'""")
    lines = done.stdout.splitlines()
    assert lines[:4] == ["GRES=gpu:a100:4,gpu:v100:2",
                         "GRES=gpu:a100:2(IDX:0-1),gpu:v100:2(IDX:2-3)",
                         "GRES=gpu:a100:2(IDX:0-1)", "6"]
    assert sorted(lines[4:6]) == ["0: n1 0,1,2,3", "1: n2 0,1"]
    assert sorted(lines[6:8]) == ["0: n1 0,1", "1: n2 0"]
    assert lines[8:] == ["0: n1 0,1,2,3"], "a step on one node gets what is there"


def test_a_new_configuration_is_taken_over(own):
    yard = own()
    yard.start()
    job = submit(yard, "sleep 60", "--gres=tool:2")
    wait_state(yard, job, "RUNNING")
    with open(f"{yard.dir}/slurm.conf") as f:
        text = f.read()
    with open(f"{yard.dir}/slurm.conf", "w") as f:
        f.write(text.replace("tool:3", "tool:7"))
    yard.run("scontrol", "reconfigure")
    wait_for(lambda: "tool:7" in shown(yard, "node", "n1")["Gres"], what="more tools")
    assert "tool:2" in used(yard)
    more = submit(yard, "true", "--gres=tool:5")
    wait_state(yard, more, "COMPLETED")
    assert shown(yard, "node", "n1")["State"].startswith("MIXED")
    yard.run("scancel", job)


def test_a_node_without_files_fetches_gres_conf_too(own):
    yard = own()
    yard.start_controller()
    env = dict(yard.env, SLURM_KEY_FILE=f"{yard.dir}/slurm.key")
    del env["SLURM_CONF"]
    subprocess.run(["slurmd", "-N", "n1", "--conf-server", f"127.0.0.1:{yard.port}"], env=env,
                   cwd="/", check=True, timeout=60)
    wait_for(lambda: yard.idle_nodes() == 1, what="the node idle")
    done = yard.run("srun", "--gres=gpu:v100:1", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
    assert done.stdout == "2\n"


def test_a_node_with_fewer_gpus_than_configured_is_drained(own):
    yard = own(conf="Name=gpu Type=a100 File={dev}/nvidia[0-1]\nName=gpu Type=v100 "
                    "File={dev}/nvidia2,{dev}/nvidia9\n")
    yard.start_controller()
    yard.start_node(1)
    wait_for(lambda: yard.run("sinfo", "-h", "-o", "%t").stdout.strip() == "inval", what="drained")
    assert yard.run("sinfo", "-h", "-o", "%E").stdout.strip() == \
        "gres/gpu count reported lower than configured (3 < 4)"
    assert yard.run("sinfo", "-h", "-t", "inval", "-o", "%N %T").stdout.split() == ["n1", "inval"]
    assert "INVALID_REG" in yard.run("scontrol", "show", "node", "n1").stdout
    with open(f"{yard.dir}/slurmd-n1.log") as f:
        assert "/dev/nvidia9 is not there" in f.read()


def test_a_step_opens_its_own_devices_only(own):
    yard = own(cgroup="ConstrainDevices=yes\n", extra="Prolog=prolog.sh\nPrologFlags=Alloc")
    with open(f"{yard.dir}/prolog.sh", "w") as f:
        f.write(f"#!/bin/sh\necho $SLURM_JOB_GPUS > {yard.dir}/out/prolog.said\n")
    os.chmod(f"{yard.dir}/prolog.sh", 0o755)
    yard.start()
    look = "; ".join(f"cat {yard.dir}/dev/nvidia{i}" for i in range(4)) + \
        "; echo $CUDA_VISIBLE_DEVICES $SLURM_STEP_GPUS"
    opened = yard.run("srun", "--gres=gpu:v100:1", "sh", "-c", look)
    said = [line.rsplit(": ", 1)[1] for line in opened.stderr.splitlines() if "nvidia" in line]
    denied, absent = "Operation not permitted", "No such device or address"
    assert said == [denied, denied, absent, denied], opened.stderr
    assert opened.stdout.strip() == "0 2", "counted from 0 among those that it can open"
    with open(f"{yard.dir}/out/prolog.said") as f:
        assert f.read().strip() == "2"
    none = yard.run("srun", "sh", "-c", look).stderr
    assert none.count(denied) == 4, none
    job = submit(yard, look, "--gres=gpu:2")
    wait_state(yard, job, "COMPLETED")
    assert output(yard, job).count(absent) == 2
    assert output(yard, job).count(denied) == 2


def test_detected_gpus_need_no_lines(own):
    """The drivers' files would be the machine's own: without any, the log tells."""
    yard = own(gres="tool:1", conf="AutoDetect=nvml\n")
    yard.start()
    with open(f"{yard.dir}/slurmd-n1.log") as f:
        assert "AutoDetect=nvml found no GPU" in f.read()
    os.kill(yard.pid("slurmd-n1"), signal.SIGHUP)
    assert yard.run("srun", "--gres=tool:1", "echo", "ok").stdout == "ok\n"


@pytest.fixture
def clocks(own, tmp_path):
    """A cluster whose nvidia-smi notes in a file what it was told: (yard, the file)."""
    told = f"{tmp_path}/told"
    smi = f"{tmp_path}/nvidia-smi"
    with open(smi, "w") as f:
        f.write(f"""#!/bin/sh
echo "$@" | sed 's/ --query.*/ asked/' >> {told}
for word; do case $word in --filename=*) out=${{word#--filename=}};; esac; done
case "$*" in *supported-clocks*) printf '5001, 1590\\n5001, 1200\\n405, 645\\n' > $out;; esac
""")
    os.chmod(smi, 0o755)
    yard = own()
    path = f"{yard.dir}/slurm.conf"
    with open(path) as f:
        text = f.read()
    with open(path, "w") as f:
        f.write(text.replace("SlurmdParameters=", f"SlurmdParameters=nvidia_smi={smi},"))
    yard.start()
    return yard, told


def test_clocks_of_gpus_are_set_for_a_step_and_set_back(clocks):
    yard, told = clocks
    ran = yard.run("srun", "--gres=gpu:v100:1", "--gpu-freq=1250,verbose", "sh", "-c",
                   f"echo $SLURM_GPU_FREQ; cat {told}")
    assert ran.stdout.splitlines() == ["1250,verbose", "-i 2 asked",
                                       "-i 2 --applications-clocks=5001,1200"]
    assert "GpuFreq=graphics_freq:1200,memory_freq:5001" in ran.stderr
    wait_for(lambda: open(told).read().endswith("-i 2 --reset-applications-clocks\n"),
             what="the clocks to be set back")


def test_clocks_of_a_scripts_own_gpus_are_set_for_it(clocks):
    yard, told = clocks
    job = submit(yard, f"cat {told}", "--gres=gpu:v100:1", "--gpu-freq=1250,verbose")
    wait_state(yard, job, "COMPLETED")
    assert output(yard, job).splitlines() == ["GpuFreq=graphics_freq:1200,memory_freq:5001",
                                              "-i 2 asked", "-i 2 --applications-clocks=5001,1200"]
    wait_for(lambda: open(told).read().endswith("-i 2 --reset-applications-clocks\n"),
             what="the clocks to be set back")
