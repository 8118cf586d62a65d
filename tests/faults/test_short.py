# SPDX-License-Identifier: Apache-2.0
"""A short round of faults on a real cluster; `./dev sim --cluster` is the long one."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*words):
    return subprocess.run([sys.executable, "-B", f"{HERE}/run.py", *words], capture_output=True,
                          text=True, timeout=500)


def test_a_short_round_of_faults_costs_nothing_that_was_acknowledged():
    done = run("--seed", "958", "--round", "10")
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 mistakes" in done.stdout
    assert " 0 ok" not in done.stdout, "no job was submitted at all"


def test_a_seed_tells_its_faults_without_running_them():
    first, second = run("--plan", "--seed", "5"), run("--plan", "--seed", "5")
    assert first.returncode == 0 and first.stdout == second.stdout
    assert len(first.stdout.splitlines()) > 5
    assert run("--only", "nonsense").returncode == 2
