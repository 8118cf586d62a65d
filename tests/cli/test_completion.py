# SPDX-License-Identifier: Apache-2.0
"""What real shells offer behind TAB. The cluster is made up: squeue, sinfo and scontrol that answer
always the same."""
import os

import pytest

from shells import bash_offers, fish_offers, installed, zsh_offers

ANSWERS = {
    "squeue": 'case "$*" in *%j*) printf "build\\ntrain\\ntrain\\n" ;; '
              '*) printf "7\\n52_[1-3]\\n52_4\\n" ;; esac',
    "sinfo": 'case "$*" in *-N*) printf "n1\\nn1\\nn2\\n" ;; *) printf "debug\\nshort\\n" ;; esac',
    "scontrol": 'echo "ReservationName=course StartTime=now"',
}
JOBS = ["52", "52_4", "7"]
# The line up to the cursor, and what is offered.
CASES = [
    ("scancel ", JOBS),
    ("squeue -j ", JOBS),
    ("scancel -n ", ["build", "train"]),
    ("squeue -w ", ["n1", "n2"]),
    ("sbatch -p ", ["debug", "short"]),
    ("sbatch -p debug,s", ["debug,short"]),
    ("scontrol ho", ["hold"]),
    ("scontrol show part", ["partitions"]),
    ("scontrol show job ", JOBS),
    ("scontrol show node n", ["n1", "n2"]),
    ("scontrol show reservation ", ["course"]),
    ("scontrol hold ", JOBS),
    ("scontrol update Job", ["JobId="]),
    ("yardmaster exp", ["explain"]),
    ("yardmaster explain ", JOBS),
    ("yardmaster completion f", ["fish"]),
]
KEYS = [("scontrol update jobid=", JOBS), ("scontrol update NodeName=n", ["n1", "n2"])]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    for name, text in ANSWERS.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", HOME=str(folder), TERM="dumb")


@pytest.mark.parametrize("line, offered", CASES + KEYS)
def test_bash_offers(made_up, tmp_path, line, offered):
    assert bash_offers(line, made_up, tmp_path) == offered


@pytest.mark.skipif(not installed("fish"), reason="fish is not installed")
@pytest.mark.parametrize("line, offered", CASES + [
    (line, [line.split(" ")[-1].partition("=")[0] + "=" + one for one in offered])
    for line, offered in KEYS])
def test_fish_offers(made_up, tmp_path, line, offered):
    assert fish_offers(line, made_up, tmp_path) == offered


@pytest.mark.skipif(not installed("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("line, offered", [case for case in CASES + KEYS if " -" not in case[0]])
def test_zsh_offers(made_up, tmp_path, line, offered):
    assert zsh_offers(line, made_up, tmp_path) == offered
