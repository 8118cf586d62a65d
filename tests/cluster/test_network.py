# SPDX-License-Identifier: Apache-2.0
"""Commands over the network: proved by the cluster's key, or by a token that a local slurmd signs.
And nodes that fetch their configuration."""
import os
import pwd
import re
import subprocess

import pytest

from yard import Yard, wait_for


@pytest.fixture
def yard(tmp_path):
    cluster = Yard(tmp_path, nodes=2)
    cluster.start()
    yield cluster
    cluster.stop()


def without_controller_socket(yard):
    os.rename(f"{yard.dir}/run/slurmctld.sock", f"{yard.dir}/run/moved.sock")


def test_whoever_reads_the_key_needs_no_socket(yard):
    without_controller_socket(yard)
    assert yard.run("scontrol", "ping").stdout.startswith("Slurmctld(primary)")
    assert yard.run("srun", "-N2", "echo", "hi").stdout == "hi\nhi\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_another_user_is_proved_by_the_local_slurmd(yard):
    without_controller_socket(yard)
    for folder in [yard.dir] + [yard.dir.rsplit("/", n)[0] for n in (1, 2)]:
        os.chmod(folder, 0o755)
    nobody = pwd.getpwnam("nobody")

    def as_nobody(*command):
        return subprocess.run(command, env=yard.env, cwd="/tmp", user=nobody.pw_uid,
                              group=nobody.pw_gid, extra_groups=[], capture_output=True, text=True,
                              timeout=60)

    done = as_nobody("srun", "id", "-un")
    assert (done.stdout, done.returncode) == ("nobody\n", 0), done.stderr
    # And is nobody else: root's job is not theirs to cancel.
    job = yard.run("sbatch", "--parsable", "--hold", "--wrap", "true").stdout.strip()
    denied = as_nobody("scancel", job)
    assert denied.returncode != 0 and "Access/permission denied" in denied.stderr
    assert yard.run("squeue", "-h", "-j", job, "-o", "%T").stdout == "PENDING\n"


def test_a_wrong_key_is_refused(yard, tmp_path):
    without_controller_socket(yard)
    os.rename(f"{yard.dir}/slurm.key", f"{yard.dir}/right.key")
    with open(f"{yard.dir}/slurm.key", "wb") as f:
        f.write(os.urandom(64))
    os.chmod(f"{yard.dir}/slurm.key", 0o600)
    denied = yard.run("squeue", check=False)
    assert denied.returncode != 0
    os.rename(f"{yard.dir}/right.key", f"{yard.dir}/slurm.key")
    yard.run("squeue")


def test_reconfigure_takes_a_changed_file_or_refuses_it_whole(yard):
    conf = f"{yard.dir}/slurm.conf"
    with open(conf) as f:
        good = f.read()
    with open(conf, "w") as f:
        f.write(good + "PartitionName=second Nodes=n2\n")
    yard.run("scontrol", "reconfigure")
    assert "second" in yard.run("sinfo", "-h", "-o", "%P").stdout.split()
    with open(conf, "w") as f:
        f.write(good + "PartitonName=third Nodes=n2\n")
    refused = yard.run("scontrol", "reconfigure", check=False)
    assert refused.returncode != 0
    assert "PartitionName" in refused.stderr, "the nearest key is named"
    with open(conf, "w") as f:
        f.write(good)
    assert "second" in yard.run("sinfo", "-h", "-o", "%P").stdout.split(), "nothing has changed"
    yard.run("scontrol", "reconfigure")
    wait_for(lambda: yard.idle_nodes() == 2, what="all nodes idle")


def test_a_node_without_a_file_fetches_it(yard, tmp_path):
    yard.kill9("slurmd-n2")
    env = dict(yard.env, SLURM_KEY_FILE=f"{yard.dir}/slurm.key")
    del env["SLURM_CONF"]
    port = yard.port
    done = subprocess.run(["slurmd", "-N", "n2", "--conf-server", f"127.0.0.1:{port}"], env=env,
                          cwd="/", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    wait_for(lambda: yard.run("srun", "-w", "n2", "echo", "back", check=False).stdout == "back\n",
             what="work on the node")


def test_the_whole_log_reaches_a_slow_reader(yard):
    """More than the controller keeps for one connection: it waits, or is taken up again, but no
    event is missing or comes twice."""
    load = os.path.join(os.path.dirname(yard.run("which", "sbatch").stdout.strip()), "load")
    with open(f"{yard.dir}/slurm.conf") as f:
        cluster = f.readline().strip().split("=")[1]
    subprocess.run([load, "submit", f"{yard.dir}/run/slurmctld.sock", cluster, "600000", "512",
                    "held"], check=True, stdout=subprocess.DEVNULL)
    reader = subprocess.Popen(["yardmaster", "events", "--json"], env=yard.env, cwd="/tmp",
                              stdout=subprocess.PIPE, text=True)
    numbers = [int(re.search(r'"seq":(\d+)', reader.stdout.readline())[1])]
    # It does not read now. Once this is answered, the controller has sent what it will send unread.
    # A busy machine may take longer over it than a command waits.
    wait_for(lambda: yard.run("scontrol", "write", "batch_script", "1", "-",
                              check=False).returncode == 0, what="the script")
    numbers += [int(re.search(r'"seq":(\d+)', line)[1]) for line in reader.stdout]
    assert reader.wait() == 0
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 600000
