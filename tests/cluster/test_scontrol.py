# SPDX-License-Identifier: Apache-2.0
"""scontrol's verbs with real processes behind them."""
import json
import os
import shutil
import subprocess
import tempfile
import time

import pytest
from yard import BIN, Yard, wait_for


@pytest.fixture(scope="module")
def yard():
    folder = tempfile.mkdtemp(prefix="ym-scontrol.", dir="/tmp")  # other users go in, too
    os.chmod(folder, 0o755)
    with open(os.path.join(folder, "topology.conf"), "w") as f:
        f.write("SwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n2\nSwitchName=top Switches=s[1-2]\n")
    y = Yard(folder, nodes=2, extra="MaxNodeCount=4\nPrivateData=cloud")
    y.start()
    yield y
    y.stop()
    shutil.rmtree(folder, ignore_errors=True)


def out(yard, *command, **kwargs):
    return yard.run(*command, **kwargs).stdout


def shown(yard, job, letters):
    return out(yard, "squeue", "-h", "-j", job, "-o", letters).strip()


def running(yard, *options, wrap="sleep 100"):
    job = out(yard, "sbatch", "--parsable", "-o", yard.dir + "/%j.out", *options,
              "--wrap", wrap).strip()
    wait_for(lambda: shown(yard, job, "%T") == "RUNNING", what="job runs")
    return job


def test_words_reach_the_standard_error_of_a_batch_job(yard):
    job = running(yard, wrap="echo begun; sleep 100")
    path = f"{yard.dir}/{job}.out"
    wait_for(lambda: os.path.exists(path) and "begun" in open(path).read(), what="output")
    yard.run("scontrol", "notify", job, "the", "machine goes down")
    wait_for(lambda: "the machine goes down\n" in open(path).read(), what="the words")
    yard.run("scancel", job)


def start(yard, *command):
    return subprocess.Popen([os.path.join(BIN, command[0]), *command[1:]], env=yard.env,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("command", ["srun", "salloc"])
def test_words_reach_an_interactive_command(yard, command):
    ending = ["-K"] if command == "salloc" else []  # its command would go on after the job's end
    process = start(yard, command, *ending, "-J", "talk-" + command, "sleep", "100")
    name = "talk-" + command
    job = wait_for(lambda: out(yard, "squeue", "-h", "-n", name, "-t", "R", "-o", "%i").strip(),
                   what="job runs")
    # The client says that the job is its own a moment after it runs; until then nobody listens.
    def told():
        yard.run("scontrol", "notify", job, "hello there")
        try:
            told.text += os.read(process.stderr.fileno(), 1 << 16)
        except BlockingIOError:
            pass
        return f"{command}: hello there\n".encode() in told.text
    told.text = b""
    os.set_blocking(process.stderr.fileno(), False)
    wait_for(told, what="the words")
    yard.run("scancel", job)
    process.wait(30)


def test_a_steps_limit_is_changed(yard):
    job = running(yard, wrap="srun --time=60 sleep 100")
    step = f"{job}.0"
    show = lambda: out(yard, "scontrol", "show", "step", step, check=False)
    wait_for(lambda: f"StepId={step}" in show(), what="step")
    assert "TimeLimit=01:00:00" in show()
    yard.run("scontrol", "update", f"stepid={step}", "timelimit=5")
    assert "TimeLimit=00:05:00" in show()
    yard.run("scancel", job)


def test_nodes_are_created_and_deleted(yard):
    yard.run("scontrol", "create", "NodeName=d[1-2]", "CPUs=4", "RealMemory=1000", "Features=new",
             "State=CLOUD")
    assert "NodeName=d1" in out(yard, "scontrol", "show", "node", "d1")
    refused = yard.run("scontrol", "create", "NodeName=d3", "State=CLOUD", check=False)
    assert "MaxNodeCount in slurm.conf is 4" in refused.stderr and refused.returncode == 1
    assert out(yard, "scontrol", "show", "hostlist", "feature{new}") == "d[1-2]\n"
    assert yard.run("squeue", "-w", "n1,d[1-2]").returncode == 0
    unknown = yard.run("squeue", "-w", "d3", check=False)
    assert unknown.stderr == "squeue: error: Invalid node name d3\n" and unknown.returncode == 1
    # They are in the log, not in slurm.conf: a new start knows them.
    yard.kill9("slurmctld")
    yard.start_controller()
    assert "NodeName=d2" in out(yard, "scontrol", "show", "node", "d2")
    yard.run("scontrol", "delete", "NodeName=d[1-2]")
    assert yard.run("scontrol", "show", "node", "d1", check=False).returncode == 1


def test_functions_in_lists_of_hosts(yard):
    assert out(yard, "scontrol", "show", "hostlist", "switch{top}") == "n[1-2]\n"
    assert out(yard, "scontrol", "show", "hostnames", "switchwith{n2}") == "n2\n"
    assert out(yard, "scontrol", "show", "topology").splitlines()[-1] == \
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-2] Switches=s[1-2]"
    bad = yard.run("scontrol", "show", "hostnames", "block{b}", check=False)
    assert "there is no block b" in bad.stderr and bad.returncode == 1


def test_debug_levels_are_set_and_read_back_with_the_configuration(yard):
    level = lambda: [line for line in out(yard, "scontrol", "show", "config").splitlines()
                     if line.startswith(("SlurmctldDebug ", "DebugFlags"))]
    before = level()
    yard.run("scontrol", "setdebug", "debug2")
    yard.run("scontrol", "setdebugflags", "+Backfill", "+steps")
    assert [line.split("= ")[1] for line in level()] == ["Backfill,Steps", "debug2"]
    assert "debug level is debug2 from now on" in open(yard.dir + "/slurmctld.log").read()
    # The controller was restarted a moment ago: nodes may still be on their way back.
    wait_for(lambda: yard.run("scontrol", "setdebug", "verbose", "nodes=n1",
                              check=False).returncode == 0, what="a node that can be told")
    yard.run("scontrol", "reconfigure")
    assert level() == before
    refused = yard.run("runuser", "-u", "nobody", "--", os.path.join(BIN, "scontrol"), "setdebug",
                       "info", check=False)
    assert "slurm_set_debug_level error: Permission denied" in refused.stderr


def test_a_special_exit_is_shown_until_it_is_released(yard):
    job = running(yard)
    yard.run("scontrol", "requeuehold", "State=SpecialExit", job)
    wait_for(lambda: shown(yard, job, "%t") == "SE", what="special exit")
    assert "JobState=SPECIAL_EXIT" in out(yard, "scontrol", "show", "job", job)
    assert out(yard, "squeue", "-h", "-t", "SE", "-o", "%i").strip() == job
    yard.run("scontrol", "release", job)
    assert shown(yard, job, "%t") != "SE"
    yard.run("scancel", job)


def test_a_drained_node_comes_back_by_itself(yard):
    yard.run("scontrol", "update", "nodename=n2", "state=drain", "reason=fan", "resumeafter=1")
    assert "ResumeAfterTime=2" in out(yard, "scontrol", "show", "node", "n2")
    wait_for(lambda: out(yard, "sinfo", "-h", "-n", "n2", "-o", "%T").strip() == "idle",
             what="node is back")


def test_what_is_shown_as_data(yard):
    job = running(yard)
    for kind in ("jobs", "nodes", "partitions", "steps", "reservations", "licenses", "config"):
        data = json.loads(out(yard, "scontrol", "show", kind, "--json"))
        assert data[kind] is not None and data["meta"]["slurm"]["cluster"], kind
        assert kind + ":" in out(yard, "scontrol", "show", kind, "--yaml")
    one = json.loads(out(yard, "scontrol", "--json", "show", "job", job))
    assert one["jobs"][0]["job_id"] == int(job)
    yard.run("scancel", job)


def test_the_configuration_is_written(yard):
    path = yard.dir + "/written.conf"
    assert out(yard, "scontrol", "write", "config", path) == f"Slurm config saved to {path}\n"
    text = open(path).read()
    assert "ClusterName=" in text and "NodeName=n" in text and "PartitionName=debug" in text
    bad = yard.run("scontrol", "write", "config", "/nonexistent/x", check=False)
    assert bad.stderr == "failed to open file `/nonexistent/x`: No such file or directory\n"


def test_users_of_a_directory_are_found_by_getent(yard):
    """Commands are static: what /etc/passwd lacks is asked of getent."""
    folder = yard.dir + "/fake"
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/getent", "w") as f:
        f.write('#!/bin/sh\n[ "$1" = -- ] && shift\ncase "$1 $2" in\n'
                '"passwd ldapuser"|"passwd 54321") echo "ldapuser:x:54321:54321::/:/bin/sh" ;;\n'
                '"group 54321") echo "ldapgroup:x:54321:" ;;\n*) exit 2 ;;\nesac\n')
    os.chmod(folder + "/getent", 0o755)
    env = dict(yard.env, PATH=folder + ":" + os.environ["PATH"])
    run = lambda *c: subprocess.run([os.path.join(BIN, c[0]), *c[1:]], env=env,
                                    capture_output=True, text=True)
    known = run("scancel", "-u", "ldapuser")
    assert known.stderr == "" and known.returncode == 0
    unknown = run("scancel", "-u", "nobodyknows")
    assert unknown.stderr == "scancel: error: Invalid user name: nobodyknows\n"
    assert unknown.returncode == 1
    assert run("squeue", "-u", "ldapuser").stderr == ""
    assert run("squeue", "-u", "nobodyknows").stderr == "squeue: error: Invalid user: nobodyknows\n"
    held = run("sbatch", "-H", "--parsable", "--uid=ldapuser", "--gid=54321", "--wrap", "true")
    if held.returncode == 0:
        job = held.stdout.strip()
        assert "GroupId=ldapgroup(54321)" in run("scontrol", "show", "job", job).stdout
        run("scancel", job)


def test_a_getent_that_does_not_answer_is_not_waited_for(yard):
    folder = yard.dir + "/slow"
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/getent", "w") as f:
        f.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod(folder + "/getent", 0o755)
    env = dict(yard.env, PATH=folder + ":" + os.environ["PATH"])
    begun = time.monotonic()
    slow = subprocess.run([os.path.join(BIN, "scancel"), "-u", "x"], env=env, capture_output=True,
                          text=True, timeout=50)
    assert slow.returncode == 1 and "Invalid user name: x" in slow.stderr
    assert time.monotonic() - begun < 40
