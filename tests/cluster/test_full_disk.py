# SPDX-License-Identifier: Apache-2.0
"""A full disk under the controller's log: new work is refused with the reason, nothing that was
acknowledged is lost, and work goes on when there is space again. Needs root, for a small disk."""
import os
import subprocess

import pytest

from yard import Yard, wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small disk")


@pytest.fixture
def make_yard(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "none", str(state)],
                             capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a small disk: {mounted.stderr.strip()}")
    made = []

    def make(**kwargs):
        made.append(cluster := Yard(tmp_path, nodes=1, **kwargs))
        cluster.start()
        return cluster
    yield make
    for cluster in made:
        cluster.stop()
    subprocess.run(["umount", str(state)], check=True)


def fill(path):
    with open(path, "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 65536) == 65536:
                pass
        except OSError:
            pass


def submit(yard, size):
    """A held job with a script of its own, so that each takes space."""
    script = "#!/bin/sh\n# " + os.urandom(size // 2).hex() + "\n"
    return yard.run("sbatch", "--parsable", "--hold", "-o", "/dev/null", "/dev/stdin", check=False,
                    input=script)


def test_a_full_disk_refuses_work_and_loses_none(make_yard):
    yard = make_yard()
    acknowledged = [int(submit(yard, 1000).stdout)]
    fill(f"{yard.dir}/state/filler")
    refused = None
    for _ in range(200):  # what was zeroed in advance still takes some
        done = submit(yard, 200_000)
        if done.returncode != 0:
            refused = done
            break
        acknowledged.append(int(done.stdout))
    assert refused, "everything was accepted on a full disk"
    again = submit(yard, 1000)
    assert again.returncode != 0
    assert "cannot write its log" in again.stderr
    assert yard.run("squeue", "-h", "-o", "%i").stdout, "questions are answered all the same"

    os.unlink(f"{yard.dir}/state/filler")
    done = wait_for(lambda: (d := submit(yard, 1000)).returncode == 0 and d, what="work goes on")
    acknowledged.append(int(done.stdout))
    yard.kill9("slurmctld")
    yard.start_controller()
    known = set(yard.run("squeue", "-h", "-o", "%i").stdout.split())
    lost = [job for job in acknowledged if str(job) not in known]
    assert not lost
    assert len(set(acknowledged)) == len(acknowledged)


# With TLS it notes its own certificate when it starts.
@pytest.mark.parametrize("tls", ["none", "tls/s2n"])
def test_a_controller_starts_on_a_full_disk(make_yard, tls):
    yard = make_yard(extra=f"TLSType={tls}\n")
    first = submit(yard, 1000).stdout.strip()
    yard.kill9("slurmctld")
    fill(f"{yard.dir}/state/filler")
    yard.start_controller()
    assert yard.run("squeue", "-h", "-o", "%i").stdout.split() == [first]
    assert "cannot write its log" in submit(yard, 1000).stderr
    os.unlink(f"{yard.dir}/state/filler")
    done = wait_for(lambda: (d := submit(yard, 1000)).returncode == 0 and d, what="work goes on")
    yard.kill9("slurmctld")
    yard.start_controller()
    known = yard.run("squeue", "-h", "-o", "%i").stdout.split()
    assert sorted(known) == sorted([first, done.stdout.strip()])
    wait_for(yard.idle_nodes, what="the node is back")
