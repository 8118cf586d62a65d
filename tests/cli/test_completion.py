# SPDX-License-Identifier: Apache-2.0
"""What real shells offer behind TAB. The cluster is made up: squeue, sinfo and scontrol that answer
always the same."""
import os
import shutil
import subprocess

import pytest

BIN = os.environ.get("YM_BIN", os.path.join(os.path.dirname(__file__), "../../build/release/bin"))
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


def script(shell):
    return subprocess.run([f"{BIN}/yardmaster", "completion", shell], check=True, text=True,
                          capture_output=True).stdout


def words_of_bash(line):
    """As readline splits a line: = is a word of its own."""
    words = []
    for word in line.split(" "):
        before, sign, value = word.partition("=")
        words += [before, sign] + ([value] if value else []) if sign else [before]
    return words


@pytest.mark.parametrize("line, offered", CASES + KEYS)
def test_bash_offers(made_up, line, offered):
    words = words_of_bash(line)
    quoted = " ".join(f"'{word}'" for word in words)
    done = subprocess.run(
        ["bash", "--norc", "-c", script("bash") + f"\ncompopt() {{ :; }}\nCOMP_WORDS=({quoted})\n"
         f"COMP_CWORD={len(words) - 1}\n_yardmaster\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""],
        env=made_up, text=True, capture_output=True, timeout=60)
    assert done.stderr == ""
    assert sorted(done.stdout.split()) == offered


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize("line, offered", CASES + [
    (line, [line.split(" ")[-1].partition("=")[0] + "=" + one for one in offered])
    for line, offered in KEYS])
def test_fish_offers(made_up, tmp_path, line, offered):
    (tmp_path / "yardmaster.fish").write_text(script("fish"))
    done = subprocess.run(
        ["fish", "--no-config", "-c",
         f"source {tmp_path}/yardmaster.fish; complete -C '{line}'"],
        env=made_up, text=True, capture_output=True, timeout=60)
    assert done.stderr == ""
    assert sorted(text.split("\t")[0] for text in done.stdout.splitlines()) == offered


# Operands only: options are the business of zsh's own _arguments.
ZSH = """
service={command} words=({words}) CURRENT={current} PREFIX='{prefix}'
_arguments() {{ : }}
_files() {{ : }}
compset() {{ [[ $2 == '*=' ]] && PREFIX=${{PREFIX#*=}}; true }}
compadd() {{ for word in $@; do [[ $word == -* ]] || print -r -- $word; done }}
source {file}
_yardmaster_operand
"""


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("line, offered", [case for case in CASES + KEYS if " -" not in case[0]])
def test_zsh_offers(made_up, tmp_path, line, offered):
    (tmp_path / "_yardmaster").write_text(script("zsh"))
    words = line.split(" ")
    text = ZSH.format(command=words[0], words=" ".join(f"'{word}'" for word in words),
                      current=len(words), prefix=words[-1], file=tmp_path / "_yardmaster")
    done = subprocess.run(["zsh", "-f", "-c", text], env=made_up, text=True, capture_output=True,
                          timeout=60)
    assert done.stderr == ""
    begun = words[-1].split("=")[-1]
    assert sorted({word for word in done.stdout.split() if word.startswith(begun)}) == offered
