# SPDX-License-Identifier: Apache-2.0
"""The comparison of workload managers: that it ends, tells what failed, leaves nothing running."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
KEEPER = os.path.join(HERE, "../../bench/versus/keeper.py")
RUN = os.path.join(HERE, "../../bench/versus/run")
BIN = os.environ.get("YM_BIN", os.path.join(HERE, "../../build/release/bin"))


@pytest.fixture
def versus(tmp_path):
    """Starts it; afterwards no process may be left whose environment names its folders."""
    env = dict(os.environ, TMPDIR=str(tmp_path))

    def start(*options):
        return subprocess.Popen(
            [sys.executable, "-B", RUN, "--bin", BIN, "--quick", *options], env=env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    yield start
    assert left_of(tmp_path) == []
    assert [entry for entry in os.listdir(tmp_path) if entry.startswith("ymversus")] == []


def left_of(folder):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ") as f:
                environ = f.read()
            with open(f"/proc/{entry}/cmdline") as f:
                command = f.read().replace("\0", " ")
        except OSError:
            continue
        if f"{folder}/ymversus" in environ:
            found.append(command)
    return found


def test_a_quick_run_ends_well_and_writes_its_rows(versus, tmp_path):
    run = versus("--only", "sbatch_held", "--contestants", "yardmaster", "--json", "found.json",
                 "--html", "found.html")
    out, err = run.communicate(timeout=300)
    assert run.returncode == 0, out + err
    with open(tmp_path / "found.json") as f:
        found = json.load(f)
    rows = {row["row"]: row for row in found["rows"]}
    assert rows["submissions, one submitter"]["contestants"]["yardmaster"]["median"] > 0
    assert rows["submissions, four submitters"]["contestants"]["yardmaster"]["share_of_limit"] > 0
    assert found["troubles"] == []
    assert "| submissions, one submitter |" in out
    with open(tmp_path / "found.html") as f:
        assert "Workload managers side by side" in f.read()


def test_a_broken_prefix_is_named_as_failed_and_the_others_are_measured(versus, tmp_path):
    broken = tmp_path / "broken" / "bin"
    os.makedirs(broken)
    for name in ("slurmctld", "slurmd", "sbatch", "srun", "salloc", "squeue", "sinfo", "scontrol"):
        with open(broken / name, "w") as f:
            f.write("#!/bin/sh\n# Yardmaster\necho 'no such day' >&2\nexit 3\n")
        os.chmod(broken / name, 0o755)
    run = versus("--only", "sbatch_held", "--contestants", "yardmaster",
                 "--with", f"mine={tmp_path}/broken", "--with", "none=/nonexistent")
    out, err = run.communicate(timeout=300)
    assert run.returncode == 1, out + err
    assert "FAILED: mine in sbatch_held: start: slurmctld: exit code 3: no such day" in out
    assert "FAILED: none: no slurmctld" in out or "FAILED: none: munge" in out
    assert "/s, " in out, "ours was measured all the same"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_whoever_ends_it_ends_everything(versus, tmp_path, number):
    run = versus("--only", "idle", "--contestants", "yardmaster", "--sizes", "idle.seconds=600")
    end = time.monotonic() + 120
    while not any("slurmd" in command for command in left_of(tmp_path)):
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    run.send_signal(number)
    run.communicate(timeout=60)
    assert run.returncode != 0
    end = time.monotonic() + 60
    while left_of(tmp_path):
        assert time.monotonic() < end, left_of(tmp_path)
        time.sleep(0.05)
    for entry in os.listdir(tmp_path):  # after SIGKILL nobody is left to tidy up
        if number == signal.SIGKILL and entry.startswith("ymversus"):
            os.rename(tmp_path / entry, tmp_path / f"left.{entry}")


def test_a_keeper_whose_answer_nobody_reads_ends_everything(tmp_path):
    keeper = subprocess.Popen([sys.executable, "-B", KEEPER], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=dict(os.environ, TMPDIR=str(tmp_path)))
    keeper.stdout.close()
    request = {"op": "start", "argv": ["sleep", "600"], "cwd": "/",
               "env": {"PATH": os.environ["PATH"], "MARK": f"{tmp_path}/ymversus"}}
    keeper.stdin.write(json.dumps(request).encode() + b"\n")
    keeper.stdin.flush()
    keeper.wait(timeout=60)
    keeper.stdin.close()
    assert left_of(tmp_path) == []


def test_a_long_answer_comes_whole_while_children_end(tmp_path):
    keeper = subprocess.Popen([sys.executable, "-B", KEEPER], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=dict(os.environ, TMPDIR=str(tmp_path)),
                              text=True)
    env = {"PATH": os.environ["PATH"], "MARK": f"{tmp_path}/ymversus"}

    def ask(op, **request):
        keeper.stdin.write(json.dumps(dict(request, op=op, env=env, cwd="/")) + "\n")
        keeper.stdin.flush()
        return json.loads(keeper.stdout.readline())
    # Who waits for the rest of an answer in vain hears of the keeper's end instead.
    bound = threading.Timer(60, keeper.stdin.close)
    bound.start()
    # Its orphans end as the keeper's children, one after the other.
    ask("start", argv=["sh", "-c", "while :; do (true & ); done"])
    for _ in range(100):
        assert len(ask("run", argv=["seq", "20000"], seconds=60)["stdout"].split()) == 20000
    bound.cancel()
    keeper.stdin.close()
    keeper.wait(timeout=60)
    keeper.stdout.close()
    assert left_of(tmp_path) == []


def test_an_unknown_workload_is_refused_with_those_that_there_are(versus):
    run = versus("--only", "nonsense")
    _, err = run.communicate(timeout=60)
    assert run.returncode == 2
    assert "no workload nonsense; there are: sbatch_held" in err
