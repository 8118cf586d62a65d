# SPDX-License-Identifier: Apache-2.0
"""scontrol reboot with a program that ends slurmd as a reboot would, and a slurmd that says that
its machine has booted (-b)."""
import os

import pytest
from yard import Yard, alive, wait_for


@pytest.fixture
def yard(tmp_path):
    mark = tmp_path / "mark"
    program = tmp_path / "reboot"
    program.write_text(
        "#!/bin/sh\n"
        f"echo $SLURMD_NODENAME $1 $(id -u) >> {mark}\n"
        f"kill $(cat {tmp_path}/run/slurmd-$SLURMD_NODENAME.pid)\n")
    program.chmod(0o755)
    one = Yard(tmp_path, nodes=2,
               extra=f"RebootProgram=\"{program} -now\"\nResumeTimeout=30\nReturnToService=0")
    one.mark = mark
    with open(f"{one.dir}/slurm.conf") as f:
        text = f.read().replace("ReturnToService=2\n", "")
    with open(f"{one.dir}/slurm.conf", "w") as f:
        f.write(text)
    yield one
    one.stop()


def state(yard, name="n1"):
    return yard.run("sinfo", "-h", "-N", "-n", name, "-o", "%T|%E").stdout.strip()


def shown(yard, name="n1"):
    text = yard.run("scontrol", "-o", "show", "node", name).stdout
    return text.split("State=")[1].split()[0]


def boot(yard, i):
    wait_for(lambda: not yard.pid(f"slurmd-n{i}") or not alive(yard.pid(f"slurmd-n{i}")),
             what=f"slurmd n{i} ended by the reboot")
    yard.run("slurmd", "-b", "-N", f"n{i}")


def test_an_idle_node_reboots_at_once_and_serves_again(yard):
    yard.start()
    yard.run("scontrol", "reboot", "n1")
    wait_for(lambda: yard.mark.exists(), what="RebootProgram ran")
    assert yard.mark.read_text() == f"n1 -now {os.geteuid()}\n"
    assert shown(yard).startswith("DOWN") and "REBOOT_ISSUED" in shown(yard)
    assert state(yard) == "reboot^|reboot requested : reboot issued"
    # What was decided survives the controller.
    yard.kill9("slurmctld")
    yard.start_controller()
    assert state(yard) == "reboot^|reboot requested : reboot issued"
    boot(yard, 1)
    wait_for(lambda: state(yard) == "idle|none", what="node back")
    assert yard.run("srun", "-w", "n1", "echo", "fine").stdout == "fine\n"
    assert yard.mark.read_text().count("\n") == 1


def test_asap_drains_a_busy_node_and_a_cancelled_reboot_does_not_happen(yard):
    yard.start()
    job = yard.run("sbatch", "--parsable", "-w", "n1", "--wrap", "sleep 1000").stdout.strip()
    wait_for(lambda: "RUNNING" in yard.queue()[0], what="job runs")
    yard.run("scontrol", "reboot", "ASAP", "nextstate=DOWN", "reason=new kernel", "n1")
    assert state(yard) == "draining@|new kernel"
    assert shown(yard) == "MIXED+DRAIN+REBOOT_REQUESTED"
    yard.run("scontrol", "cancel_reboot", "n1")
    assert state(yard) == "mixed|none"
    yard.run("scontrol", "reboot", "ASAP", "nextstate=DOWN", "reason=new kernel", "n1")
    assert not yard.mark.exists()
    yard.run("scancel", job)
    wait_for(lambda: yard.mark.exists(), what="RebootProgram ran when the job was gone")
    assert yard.run("scontrol", "cancel_reboot", "n1", check=False).returncode == 1
    boot(yard, 1)
    wait_for(lambda: state(yard) == "down|new kernel : reboot issued : reboot complete",
             what="node back, and down")
    yard.run("scontrol", "update", "node=n1", "state=resume")
    wait_for(lambda: state(yard) == "idle|none", what="node resumed")


def test_a_node_that_does_not_come_back_in_time_is_down(yard):
    with open(f"{yard.dir}/slurm.conf") as f:
        text = f.read().replace("ResumeTimeout=30", "ResumeTimeout=1")
    with open(f"{yard.dir}/slurm.conf", "w") as f:
        f.write(text)
    yard.start()
    yard.run("scontrol", "reboot", "nextstate=RESUME", "reason=fans", "n2")
    wait_for(lambda: state(yard, "n2").startswith("down"), what="node given up")
    assert state(yard, "n2").split("|")[1] == "fans : reboot issued : reboot timed out"
    assert state(yard, "n1") == "idle|none"


def test_a_job_may_want_its_nodes_to_boot_first(yard):
    yard.start()
    job = yard.run("sbatch", "--parsable", "--reboot", "-w", "n1", "-o", f"{yard.dir}/out/booted",
                   "--wrap", "echo $SLURMD_NODENAME").stdout.strip()
    wait_for(lambda: yard.mark.exists(), what="RebootProgram ran")
    assert yard.run("squeue", "-h", "-j", job, "-o", "%t").stdout.strip() == "CF"
    # The controller knows what it waits for after a restart, and tells nobody twice.
    yard.kill9("slurmctld")
    yard.start_controller()
    boot(yard, 1)
    wait_for(lambda: os.path.exists(f"{yard.dir}/out/booted"), what="the script")
    wait_for(lambda: "COMPLETED" in yard.run("sacct", "-n", "-X", "-j", job, "-o", "state").stdout,
             what="its end")
    assert open(f"{yard.dir}/out/booted").read() == "n1\n"
    assert yard.mark.read_text().count("\n") == 1
