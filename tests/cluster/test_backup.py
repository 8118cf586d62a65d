# SPDX-License-Identifier: Apache-2.0
"""The whole state in a file, and a controller that goes on from it elsewhere."""
import os
import shutil
import stat

import pytest

from yard import Yard, wait_for


@pytest.fixture
def yards(tmp_path):
    made = []

    def make(name, **kwargs):
        yard = Yard(tmp_path / name, nodes=1, **kwargs)
        made.append(yard)
        return yard
    yield make
    for yard in made:
        yard.stop()


def queue(yard):
    return sorted(yard.run("squeue", "-h", "-o", "%A %j %T").stdout.splitlines())


def state(yard, job):
    out = yard.run("scontrol", "show", "job", str(job), check=False).stdout
    return next((word.split("=")[1] for word in out.split() if word.startswith("JobState=")), "")


def a_queue(yard):
    """One job has ended, two wait with scripts of their own; returns the ids of those."""
    done = yard.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", "true").stdout.strip()
    wait_for(lambda: state(yard, done) == "COMPLETED", what="the first job has run")
    held = []
    for i in range(2):
        held.append(yard.run("sbatch", "--parsable", "-H", "-t", "5", "-J", f"held{i}", "-o",
                             "/dev/null", "--wrap", f"echo from-the-backup-{i} > $YM_OUT/{i}",
                             ).stdout.strip())
    yard.run("scontrol", "create", "reservation", "ReservationName=later", "Nodes=n1",
             "StartTime=now+2days", "Duration=60", "Users=root")
    return held


def test_a_restored_controller_goes_on_with_the_queue(yards, tmp_path):
    first = yards("first")
    first.env["YM_OUT"] = str(tmp_path)
    first.start()
    held = a_queue(first)
    before = queue(first)
    kept = str(tmp_path / "kept")
    said = first.run("yardmaster", "backup", kept).stdout
    assert said.startswith(f"{kept}: cluster yard{os.getpid()} at event ")
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    assert "is there already" in first.run("yardmaster", "backup", kept, check=False).stderr
    first.run("yardmaster", "backup", "--force", "-q", kept)
    # What comes after is not in it.
    first.run("sbatch", "-H", "--wrap", "true")
    first.stop()

    second = yards("second")
    said = second.run("yardmaster", "restore", "--check", kept).stdout
    assert "the backup is sound" in said and "3 jobs" in said
    assert not os.path.exists(f"{second.dir}/state")
    assert "restored cluster" in second.run("yardmaster", "restore", kept).stdout
    second.start()
    assert queue(second) == before
    assert "ReservationName=later" in second.run("scontrol", "show", "reservation").stdout
    for i, job in enumerate(held):
        second.run("scontrol", "release", job)
        wait_for(lambda: state(second, job) == "COMPLETED", what="the restored job has run")
        with open(tmp_path / str(i)) as f:
            assert f.read() == f"from-the-backup-{i}\n"
    new = second.run("sbatch", "--parsable", "-H", "--wrap", "true").stdout.strip()
    assert int(new) > max(map(int, held))


def test_nothing_is_overwritten_that_somebody_needs(yards, tmp_path):
    yard = yards("first")
    yard.start()
    yard.env["YM_OUT"] = str(tmp_path)
    a_queue(yard)
    kept = str(tmp_path / "kept")
    yard.run("yardmaster", "backup", kept)
    yard.run("scancel", "--me", "-t", "PENDING")
    refused = yard.run("yardmaster", "restore", "--force", kept, check=False)
    assert refused.returncode == 1
    assert "a controller uses the state: stop it first" in refused.stderr

    yard.stop()
    refused = yard.run("yardmaster", "restore", kept, check=False)
    assert refused.returncode == 1
    assert "has a state already" in refused.stderr and "--force" in refused.stderr
    # The state that was there goes on.
    yard.start()
    assert queue(yard) == []
    yard.stop()
    said = yard.run("yardmaster", "restore", "--force", kept).stdout
    aside = said.split("the state before is in ")[1].strip()
    assert any(name.endswith(".seg") for name in os.listdir(aside))
    yard.start()
    assert len(queue(yard)) == 2

    yard.stop()
    with open(f"{yard.dir}/slurm.conf") as f:
        text = f.read()
    with open(f"{yard.dir}/slurm.conf", "w") as f:
        f.write(text.replace("ClusterName=", "ClusterName=other"))
    refused = yard.run("yardmaster", "restore", "--force", kept, check=False)
    assert "the backup is of cluster yard" in refused.stderr
    assert "slurm.conf is of otheryard" in refused.stderr


def test_the_way_back_from_a_later_release_is_a_backup_of_this_one(yards, tmp_path):
    yard = yards("first")
    yard.start()
    yard.env["YM_OUT"] = str(tmp_path)
    a_queue(yard)
    before, kept = queue(yard), str(tmp_path / "kept")
    yard.run("yardmaster", "backup", kept)
    yard.stop()
    with open(f"{yard.dir}/state/format", "w") as f:
        f.write("99 9.9.9\n")
    refused = yard.run("slurmctld", check=False)
    assert refused.returncode == 1 and "or restore a backup of this one" in refused.stderr
    yard.run("yardmaster", "restore", "--force", kept)
    yard.start()
    assert queue(yard) == before


def test_a_damaged_backup_is_refused_before_anything_is_written(yards, tmp_path):
    yard = yards("first")
    yard.start()
    yard.env["YM_OUT"] = str(tmp_path)
    a_queue(yard)
    kept = str(tmp_path / "kept")
    yard.run("yardmaster", "backup", kept)
    with open(kept, "rb") as f:
        good = f.read()
    other = yards("second")
    for what, bytes in [("cut", good[:-20]), ("changed", good[:200] + b"?" + good[201:]),
                        ("longer", good + b"x"), ("empty", b""), ("other", b"#!/bin/sh\n" * 9)]:
        with open(kept, "wb") as f:
            f.write(bytes)
        refused = other.run("yardmaster", "restore", kept, check=False)
        assert refused.returncode == 1 and "backup" in refused.stderr, what
        assert not os.path.exists(f"{other.dir}/state"), what


def test_only_administrators_make_backups(yards, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root: acts as several users")
    yard = yards("first")
    yard.start()
    os.chmod(yard.dir, 0o755)
    folder = tmp_path
    while str(folder) != "/tmp" and str(folder) != "/":
        os.chmod(folder, 0o755)
        folder = folder.parent
    os.makedirs(tmp_path / "open")
    os.chmod(tmp_path / "open", 0o777)

    def become():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    refused = yard.run("yardmaster", "backup", str(tmp_path / "open/kept"), check=False,
                       preexec_fn=become)
    assert refused.returncode == 1
    assert "Access/permission denied" in refused.stderr
    assert os.listdir(tmp_path / "open") == []
    shutil.rmtree(tmp_path / "open")
