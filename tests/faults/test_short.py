# SPDX-License-Identifier: Apache-2.0
"""Short rounds of faults on real clusters; `./dev sim --cluster` is the long one."""
import os
import re
import subprocess
import sys

import pytest

import cluster

HERE = os.path.dirname(os.path.abspath(__file__))

# Which seeds, and why these: in each of them a leader is hit in several ways. Where there are
# standbys it is stopped for longer than its lease, and killed: the lead moves more than once.
ROUNDS = {
    "one controller": ("--seed", "958", "--round", "10"),
    "a shared folder": ("--controllers", "2", "--seed", "1216", "--round", "10"),
    "an etcd": ("--controllers", "2", "--etcd", "3", "--seed", "3442", "--round", "14",
                "--only", "kill,pause,cut"),
    # A node's spool, twice: what cannot be launched there is for the others.
    "full disks": ("--seed", "5", "--round", "8", "--only", "disk"),
}


def run(*words):
    return subprocess.run([sys.executable, "-B", f"{HERE}/run.py", *words], capture_output=True,
                          text=True, timeout=500)


@pytest.mark.parametrize("words", ROUNDS.values(), ids=ROUNDS)
def test_a_short_round_of_faults_costs_nothing_that_was_acknowledged(words):
    if "--etcd" in words and not cluster.ETCD:
        pytest.skip("etcd is not installed")
    done = run(*words)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 mistakes" in done.stdout
    assert not re.search(r"jobs: 0 ok", done.stdout), "no job was submitted at all"
    if "--controllers" in words:
        led = set(re.findall(r"(?:kill|pause|power) (ctl\d?) for", done.stdout))
        assert led == {"ctl", "ctl2"}, f"the lead did not move: {done.stdout}"


def test_a_seed_tells_its_faults_without_running_them():
    first, second = run("--plan", "--seed", "5"), run("--plan", "--seed", "5")
    assert first.returncode == 0 and first.stdout == second.stdout
    assert len(first.stdout.splitlines()) > 5
    assert run("--only", "nonsense").returncode == 2


def test_every_disk_is_filled_in_some_seed():
    def filled(*words):
        return {host for seed in range(1, 9)
                for host in re.findall(r"disk (\w+) for", run("--plan", "--only", "disk", "--seed",
                                                              str(seed), *words).stdout)}
    assert filled() == {"ctl", "n1", "n2", "n3"}
    assert filled("--controllers", "2", "--etcd", "3") == {"e1", "e2", "e3", "n1", "n2", "n3"}
