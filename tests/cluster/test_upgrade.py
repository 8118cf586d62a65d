# SPDX-License-Identifier: Apache-2.0
"""The programs of the last release beside today's: they talk to each other, and today's controller
goes on from the old one's log. From the first tagged release (git tag v*) on.

The old programs are in $YM_OLD_BIN, or are built once from the tag into build/release-TAG."""
import os
import subprocess

import pytest

import yard as yard_module
from yard import Yard, wait_for

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)


def last_release():
    tags = git("tag", "--list", "v*", "--sort=-version:refname").stdout.split()
    here = git("tag", "--points-at", "HEAD").stdout.split()
    return next((tag for tag in tags if tag not in here), None)


def build(tag):
    source = os.path.join(ROOT, "build", f"release-{tag}")
    bin = os.path.join(source, "build/release/bin")
    if not os.path.exists(os.path.join(bin, "slurmctld")):
        os.makedirs(source, exist_ok=True)
        archive = subprocess.run(["git", "-C", ROOT, "archive", tag], capture_output=True,
                                 check=True).stdout
        subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
        subprocess.run(["cmake", "--preset", "release"], cwd=source, check=True)
        subprocess.run(["cmake", "--build", "build/release", "--target", "programs"], cwd=source,
                       check=True)
    return bin


@pytest.fixture(scope="module")
def old_bin():
    if "YM_OLD_BIN" in os.environ:
        return os.environ["YM_OLD_BIN"]
    tag = last_release()
    if not tag:
        pytest.skip("there is no tagged release before this one yet: nothing to upgrade from")
    return build(tag)


def use(yard, bin):
    yard.env["PATH"] = f"{bin}:{os.environ['PATH']}"


def job_state(yard, job):
    out = yard.run("scontrol", "show", "job", job, check=False).stdout
    return next((word.split("=")[1] for word in out.split() if word.startswith("JobState=")), "")


def test_an_upgrade_in_the_usual_order_loses_nothing(old_bin, tmp_path):
    """The controller first, then the nodes, then the commands; a job runs through all of it."""
    yard = Yard(tmp_path, nodes=1)
    new_bin = yard_module.BIN
    try:
        use(yard, old_bin)
        yard.start()
        running = yard.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap",
                           f"until [ -e {tmp_path}/go ]; do sleep 0.2; done").stdout.strip()
        wait_for(lambda: job_state(yard, running) == "RUNNING", what="the job runs")
        held = yard.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap",
                        "true").stdout.strip()
        yard.kill9("slurmctld")
        use(yard, new_bin)
        yard.start_controller()
        use(yard, old_bin)  # old commands and an old slurmd at a new controller
        wait_for(lambda: job_state(yard, running) == "RUNNING", what="it is known again")
        yard.run("scontrol", "release", held)
        wait_for(lambda: job_state(yard, held) == "COMPLETED", what="the held job has run")
        yard.kill9("slurmd-n1")
        use(yard, new_bin)
        yard.start_node(1)
        (tmp_path / "go").touch()
        wait_for(lambda: job_state(yard, running) == "COMPLETED", what="the old job has ended")
        assert yard.run("srun", "echo", "hello").stdout == "hello\n"
    finally:
        yard.stop()


def test_an_older_controller_goes_on_or_refuses_clearly(old_bin, tmp_path):
    yard = Yard(tmp_path, nodes=1)
    try:
        yard.start()
        yard.run("sbatch", "-H", "--wrap", "true")
        yard.kill9("slurmctld")
        use(yard, old_bin)
        started = yard.run("slurmctld", check=False)
        if started.returncode != 0:
            assert "later release" in started.stderr
            use(yard, yard_module.BIN)
            yard.start_controller()  # and nothing was spoilt
        assert len(yard.run("squeue", "-h").stdout.splitlines()) == 1
    finally:
        yard.stop()
