# SPDX-License-Identifier: Apache-2.0
"""`yardmaster up`, `down`, `status`, `doctor` and `events`, as root and as an ordinary user."""
import json
import os
import pty
import re
import subprocess
import time

from conftest import BIN, Cluster, alive, wait_for


def test_up_twice_finds_the_cluster_running(own_cluster):
    first = own_cluster.up("--nodes", 2)
    assert "is up: 2 nodes" in first.stdout
    pids = set(own_cluster.pids())
    assert len(pids) == 3
    began = time.monotonic()
    again = own_cluster.up()
    assert "already running: 2 nodes" in again.stdout
    assert set(own_cluster.pids()) == pids
    assert time.monotonic() - began < 5  # far more than it takes, far less than a start may


def test_up_starts_what_is_missing(own_cluster):
    own_cluster.up("--nodes", 2)
    own_cluster.kill("slurmd", "n2")
    assert "starting 1 node" in own_cluster.up().stdout
    assert len(own_cluster.pids("slurmd")) == 2
    own_cluster.kill("slurmctld")
    assert "starting the controller" in own_cluster.up().stdout
    assert own_cluster.run("srun", "-N2", "true").returncode == 0


def test_down_leaves_no_process_and_up_brings_the_same_cluster_back(own_cluster):
    own_cluster.up("--nodes", 2)
    job = own_cluster.sbatch("--wrap", "sleep 1000")
    own_cluster.wait_state(job, "RUNNING")
    assert "cancelling 1 job" in own_cluster.down().stdout
    assert own_cluster.pids() == []
    assert "is not running" in own_cluster.down().stdout
    text = own_cluster.conf.read_text()
    own_cluster.up()
    assert own_cluster.conf.read_text() == text
    assert own_cluster.sbatch("--wrap", "true") > job


def test_down_can_leave_the_jobs_running(own_cluster):
    own_cluster.up("--nodes", 1)
    gate = own_cluster.work / "gate"
    job = own_cluster.sbatch("--wrap", f"while [ ! -e {gate} ]; do sleep 0.1; done; echo went on")
    own_cluster.wait_state(job, "RUNNING")
    wait_for(lambda: own_cluster.pids("slurmstepd"), "a shepherd")
    own_cluster.down("--keep-jobs")
    assert own_cluster.pids("slurmd") == []
    assert len(own_cluster.pids("slurmstepd")) == 1
    own_cluster.up()
    assert own_cluster.job(job)["JobState"] == "RUNNING"
    gate.touch()
    assert own_cluster.output(job) == "went on\n"


def test_down_ends_the_jobs_of_a_cluster_whose_controller_is_dead(own_cluster):
    own_cluster.up("--nodes", 1)
    mark = own_cluster.work / "pid"
    own_cluster.sbatch("--wrap", f"sleep 1000 & echo $! > {mark}; wait")
    pid = int(wait_for(lambda: mark.exists() and mark.read_text().strip(), "the job's child"))
    own_cluster.kill("slurmctld")
    own_cluster.down()
    assert own_cluster.pids() == []
    wait_for(lambda: not alive(pid), "the job's child to end")


def test_an_edited_configuration_is_kept(own_cluster):
    own_cluster.up("--nodes", 1)
    own_cluster.down()
    text = own_cluster.conf.read_text() + "MinJobAge=42\n"
    own_cluster.conf.write_text(text)
    assert "edited by hand" in own_cluster.up().stdout
    assert own_cluster.conf.read_text() == text
    assert re.search(r"MinJobAge\s*= 42", own_cluster.run("scontrol", "show", "config").stdout)
    refused = own_cluster.up("--nodes", 3, check=False)
    assert refused.returncode == 1 and "edited by hand" in refused.stderr


def test_the_number_of_nodes_can_change_while_it_is_down(own_cluster):
    own_cluster.up("--nodes", 1)
    refused = own_cluster.up("--nodes", 2, check=False)
    assert refused.returncode == 1 and "down" in refused.stderr
    own_cluster.down()
    own_cluster.up("--nodes", 2)
    assert own_cluster.nodes() == {"n1": "idle", "n2": "idle"}


def test_a_deep_folder_gets_short_sockets(own_cluster):
    own_cluster.dir = own_cluster.folder / ("d" * 100)
    own_cluster.conf = own_cluster.dir / "etc/slurm.conf"
    own_cluster.up("--nodes", 1)
    assert own_cluster.run("srun", "hostname").returncode == 0
    own_cluster.down()
    assert own_cluster.pids() == []


def test_the_demo_shows_a_batch_job_and_an_srun(own_cluster):
    shown = own_cluster.up("--nodes", 2, "--demo").stdout
    assert "Hello from job 1 on node n1" in shown
    assert "task 0 runs on n1" in shown
    assert "task 1 runs on n2" in shown
    assert "export PATH=" in shown


def test_commands_find_the_cluster_of_their_user_without_a_variable(own_cluster):
    own_cluster.dir = own_cluster.folder / ".local/state/yardmaster"
    own_cluster.conf = ""
    own_cluster.run("yardmaster", "up", "--nodes", "1")
    assert own_cluster.run("sinfo", "-h", "-o", "%N").stdout == "n1\n"
    assert "controller     up" in own_cluster.run("yardmaster", "status").stdout


def test_status_tells_nodes_and_jobs_and_whether_it_is_up(own_cluster):
    missing = own_cluster.run("yardmaster", "status", check=False)
    assert missing.returncode == 1
    own_cluster.up("--nodes", 2)
    job = own_cluster.sbatch("-N1", "--wrap", "sleep 1000")
    own_cluster.wait_state(job, "RUNNING")
    shown = own_cluster.run("yardmaster", "status").stdout
    assert re.search(r"^nodes +1 idle, 1 (mixed|allocated)$", shown, re.M), shown
    assert re.search(r"^jobs +1 RUNNING$", shown, re.M), shown
    assert str(own_cluster.conf) in shown


def test_doctor_finds_nothing_wrong_with_a_new_cluster(own_cluster):
    own_cluster.up("--nodes", 2)
    shown = own_cluster.run("yardmaster", "doctor").stdout
    assert "FAIL" not in shown
    for what in ("configuration", "key", "folders", "ports", "programs", "controller", "nodes"):
        assert re.search(rf"^ok +{what} ", shown, re.M), shown


def at_a_terminal(cluster, *words, **variables):
    """What the command prints there."""
    ours, theirs = pty.openpty()
    env = {**cluster.environment(), "TERM": "xterm", "NO_COLOR": "", **variables}
    try:
        subprocess.run(cluster.command(*words), env=env, stdin=theirs, stdout=theirs,
                       stderr=theirs, check=True)
        return os.read(ours, 65536).decode()
    finally:
        os.close(theirs)
        os.close(ours)


def test_colours_are_for_terminals_that_want_them(own_cluster):
    own_cluster.up("--nodes", 1)
    assert "\x1b" not in own_cluster.run("yardmaster", "doctor").stdout
    assert "\x1b[32mok\x1b[0m" in at_a_terminal(own_cluster, "yardmaster", "doctor")
    assert "\x1b[32mup\x1b[0m" in at_a_terminal(own_cluster, "yardmaster", "status")
    assert "\x1b" not in at_a_terminal(own_cluster, "yardmaster", "status", NO_COLOR="1")
    assert "\x1b" not in at_a_terminal(own_cluster, "squeue")  # which programs read


def test_doctor_tells_what_is_wrong_and_how_to_mend_it(own_cluster):
    own_cluster.up("--nodes", 2)
    own_cluster.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=smoke")
    os.chmod(own_cluster.dir / "etc/slurm.key", 0o644)
    own_cluster.kill("slurmd", "n1")
    shown = wait_for(lambda: (lambda done: "n1 is" in done.stdout and done)(
        own_cluster.run("yardmaster", "doctor", check=False)), "n1 to be missed")
    assert shown.returncode == 1
    assert "chmod 600" in shown.stdout
    assert re.search(r"^warn +nodes +n2 is drained.*smoke$", shown.stdout, re.M), shown.stdout
    own_cluster.down()
    os.chmod(own_cluster.dir / "etc/slurm.key", 0o600)
    stopped = own_cluster.run("yardmaster", "doctor", check=False)
    assert stopped.returncode == 1
    assert re.search(r"^FAIL +controller +slurmctld does not run$", stopped.stdout, re.M)


def test_doctor_tells_which_parameters_are_not_acted_on(own_cluster):
    own_cluster.up("--nodes", 1)
    with open(own_cluster.dir / "etc/slurm.conf", "a") as f:
        f.write("SchedulerParameters=bf_max_job_assoc=3,preempt_youngest_first\n")
    shown = own_cluster.run("yardmaster", "doctor", check=False).stdout
    assert re.findall(r"SchedulerParameters: (.*)", shown) == ["bf_max_job_assoc is not acted on"]


def test_events_are_numbered_without_gaps(own_cluster):
    own_cluster.up("--nodes", 2)
    follower = own_cluster.start("yardmaster", "events", "--follow", "--json")
    job = own_cluster.sbatch("--wrap", "exit 3")
    own_cluster.wait_state(job, "FAILED")
    shown = own_cluster.run("yardmaster", "events").stdout
    numbers = [int(line.split()[0]) for line in shown.splitlines()]
    assert numbers == list(range(1, len(numbers) + 1))
    names = [line.split()[2] for line in shown.splitlines() if f" job={job} " in line + " "]
    assert names[0] == "JobSubmitted"
    assert "JobStarted" in names and "JobFinished" in names
    assert re.search(rf"JobFinished job={job} state=FAILED exit=3:0", shown), shown
    assert shown.splitlines()[5:] == own_cluster.run(
        "yardmaster", "events", "--from", "6").stdout.splitlines()[:len(numbers) - 5]
    own_cluster.kill("slurmctld")
    own_cluster.up()
    last = own_cluster.sbatch("--wrap", "true")
    own_cluster.wait_state(last, "COMPLETED")
    followed = []
    for line in follower.stdout:
        followed.append(json.loads(line))
        if followed[-1]["event"] == "JobFinished" and followed[-1]["body"]["job"] == last:
            break
    follower.terminate()
    follower.wait()
    assert [event["seq"] for event in followed] == list(range(1, len(followed) + 1))


def test_an_ordinary_user_has_a_cluster_of_their_own(user_cluster):
    user_cluster.up("--nodes", 2)
    job = user_cluster.sbatch("-N2", "--wrap", "id -un; srun id -un")
    assert user_cluster.output(job) == f"{user_cluster.user}\n" * 3
    assert "FAIL" not in user_cluster.run("yardmaster", "doctor").stdout
    user_cluster.down()
    assert user_cluster.pids() == []


def test_two_users_clusters_live_side_by_side(own_cluster, user_cluster):
    own_cluster.up("--nodes", 1)
    user_cluster.up("--nodes", 1)
    assert own_cluster.run("srun", "id", "-u").stdout == f"{os.geteuid()}\n"
    assert user_cluster.run("srun", "id", "-un").stdout == f"{user_cluster.user}\n"
    # Down ends nothing of the neighbour's.
    user_cluster.down()
    assert user_cluster.pids() == []
    assert own_cluster.run("srun", "echo", "alive").stdout == "alive\n"


def test_nobody_else_runs_anything_on_a_users_cluster(own_cluster, user_cluster):
    user_cluster.up("--nodes", 1)
    stranger = Cluster(own_cluster.folder / "work")
    stranger.conf = user_cluster.conf
    # Root is an administrator everywhere, but the user's slurmd cannot become root.
    done = stranger.run("srun", "id", "-u", check=False, timeout=60)
    assert done.stdout == "" and done.returncode != 0


def test_help_and_wrong_words(own_cluster):
    assert "up" in own_cluster.run("yardmaster", "--help").stdout
    assert "--nodes" in own_cluster.run("yardmaster", "up", "--help").stdout
    wrong = own_cluster.run("yardmaster", "dwon", check=False)
    assert wrong.returncode == 1 and "did you mean 'down'" in wrong.stderr
    wrong = own_cluster.up("--nodes", "0", check=False)
    assert wrong.returncode == 1 and "from 1 to 256" in wrong.stderr
    assert (BIN / "yardmaster").exists()
