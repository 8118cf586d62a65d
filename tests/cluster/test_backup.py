# SPDX-License-Identifier: Apache-2.0
"""The whole state in a file, and a controller that goes on from it elsewhere."""
import base64
import json
import os
import re
import shutil
import signal
import stat
import time
import urllib.request

import pytest

from standbys import Etcd, Standbys
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


# --- wherever the log lives, with standbys and with TLS ---

@pytest.fixture
def etcd(tmp_path):
    if not shutil.which("etcd"):
        pytest.skip("etcd is not installed")
    os.makedirs(tmp_path / "etcd")
    made = Etcd(tmp_path / "etcd", 1)
    yield made
    made.stop()


@pytest.fixture
def several(tmp_path):
    """Two controllers with TLS, two nodes, and a queue."""
    yard = Standbys(tmp_path / "several", controllers=2, nodes=2, extra="TLSType=tls/s2n\n")
    yard.env["YM_OUT"] = str(tmp_path)
    yield yard
    yard.stop()


def keep_in(yard, place):
    """StateSaveLocation from now on."""
    with open(f"{yard.dir}/slurm.conf") as f:
        text = f.read()
    with open(f"{yard.dir}/slurm.conf", "w") as f:
        f.write(re.sub(r"^StateSaveLocation=.*$", f"StateSaveLocation={place}", text, flags=re.M))


def in_etcd(etcd, prefix):
    return etcd.place(prefix).split("=", 1)[1].strip()


def restore(yard, *words):
    """A leader that was killed has its lease for some seconds."""
    done = wait_for(lambda: (lambda done: done if " leads: stop" not in done.stderr else None)(
        yard.run("yardmaster", "restore", *words, check=False)), seconds=20, what="no leader")
    assert done.returncode == 0, done.stderr
    return done.stdout


def trust(yard):
    """(the authority, the serials that are revoked) that commands of this machine believe."""
    with open(f"{yard.dir}/run/slurmctld-%n.ca") as f:
        text = f.read()
    return (re.search("-----BEGIN.*?END CERTIFICATE-----", text, re.S)[0],
            set(re.findall("^# revoked (\\S+)", text, re.M)))


def test_a_state_moves_between_a_folder_and_etcd_with_all_that_belongs_to_it(several, etcd,
                                                                             tmp_path):
    places = [f"{several.dir}/state", in_etcd(etcd, "a"), in_etcd(etcd, "b"),
              f"{several.dir}/other"]
    several.start()
    held = a_queue(several)
    several.run("scontrol", "revoke", "n2")
    before, believed = queue(several), trust(several)
    assert believed[1]
    for i, place in enumerate(places[1:]):
        kept = str(tmp_path / f"kept{i}")
        several.run("yardmaster", "backup", kept)
        with open(kept, "rb") as f:
            bytes = f.read()
        assert b"EC PRIVATE KEY" in bytes or b"BEGIN PRIVATE KEY" in bytes
        assert b"blocked n2" in bytes and b"leader/epoch" not in bytes
        several.stop()
        keep_in(several, place)
        assert "restored cluster" in restore(several, kept)
        for index in range(2):
            several.start_controller(index)
        wait_for(lambda: several.leader() is not None, what="a leader")
        assert queue(several) == before
        after = trust(several)
        assert after[0] == believed[0] and after[1] >= believed[1]
        assert "n2" in several.run("scontrol", "certificates").stdout
    several.start_node(1)
    wait_for(lambda: several.idle_nodes() >= 1, what="a node that believes it")
    several.run("scontrol", "release", held[0])
    wait_for(lambda: state(several, held[0]) == "COMPLETED", what="the restored job has run")


def test_in_etcd_nothing_is_overwritten_that_somebody_needs(several, etcd, tmp_path):
    keep_in(several, in_etcd(etcd, "a"))
    several.start()
    a_queue(several)
    before, kept = queue(several), str(tmp_path / "kept")
    several.run("yardmaster", "backup", kept)
    refused = several.run("yardmaster", "restore", "--force", kept, check=False)
    assert refused.returncode == 1 and "leads: stop all controllers first" in refused.stderr
    several.run("scancel", "-t", "PENDING", "--me")
    later = several.submit("later", "-H")
    several.stop()

    def refusal():
        said = several.run("yardmaster", "restore", kept, check=False).stderr
        return said if "leads" not in said else None
    said = wait_for(refusal, seconds=20, what="no leader")
    assert "has a state already" in said and "--force" in said
    # What was there is in a file, and comes back from it.
    aside = restore(several, "--force", kept).split("the state before is in ")[1].strip()
    assert stat.S_IMODE(os.stat(aside).st_mode) == 0o600
    several.start()
    assert queue(several) == before
    several.stop()
    restore(several, "--force", aside)
    several.start()
    assert [row.split()[0] for row in queue(several)] == [str(later)]


def test_the_way_back_from_a_later_release_in_etcd(several, etcd, tmp_path):
    place = in_etcd(etcd, "a")
    keep_in(several, place)
    several.start()
    a_queue(several)
    before, kept = queue(several), str(tmp_path / "kept")
    several.run("yardmaster", "backup", kept)
    several.stop()
    write_in_etcd(etcd, "/a/text/format/later/000000", "99 9.9.9\n")
    write_in_etcd(etcd, "/a/texts/format", "later 1")
    several.start_controller(0)
    wait_for(lambda: "written by a later release (9.9.9, format 99)" in several.log_of(0),
             what="a refusal")
    several.stop()
    said = restore(several, "--force", kept)
    assert said.split("the state before is in ")[1].strip().endswith(".keys")
    several.start()
    assert queue(several) == before


def test_a_restore_takes_no_revocation_back(several, etcd, tmp_path):
    for place in (f"{several.dir}/state", in_etcd(etcd, "a")):
        keep_in(several, place)
        several.start()
        kept = str(tmp_path / f"kept{len(place)}")
        several.run("yardmaster", "backup", kept)
        several.run("scontrol", "revoke", "n2")
        revoked = trust(several)[1]
        assert revoked
        several.stop()
        restore(several, "--force", kept)
        for index in range(2):
            several.start_controller(index)
        wait_for(lambda: several.leader() is not None, what="a leader")
        assert trust(several)[1] >= revoked, place
        blocked = several.run("scontrol", "certificates").stdout
        assert "n2" in blocked
        several.stop()
        shutil.rmtree(f"{several.dir}/spool", ignore_errors=True)
        os.makedirs(f"{several.dir}/spool", exist_ok=True)


@pytest.mark.parametrize("home", ["a folder", "etcd"])
def test_a_standby_that_slept_through_a_restore_begins_anew(several, etcd, tmp_path, home):
    if home == "etcd":
        keep_in(several, in_etcd(etcd, "a"))
    several.start()
    a_queue(several)
    before, kept = queue(several), str(tmp_path / "kept")
    several.run("yardmaster", "backup", kept)
    several.submit("later", "-H")
    standby = several.pid(several.daemon(1))
    time.sleep(1)  # it follows
    os.kill(standby, signal.SIGSTOP)
    os.kill(several.pid(several.daemon(0)), signal.SIGKILL)
    restore(several, "--force", kept)
    os.kill(standby, signal.SIGCONT)
    wait_for(lambda: several.leader() == 1, what="the standby to lead")
    assert queue(several) == before


def write_in_etcd(etcd, key, value):
    """Through its JSON gateway, as a controller would."""
    body = {"key": base64.b64encode(key.encode()).decode(),
            "value": base64.b64encode(value.encode()).decode()}
    urllib.request.urlopen(f"http://{etcd.clients[0]}/v3/kv/put", json.dumps(body).encode())
