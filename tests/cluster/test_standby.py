# SPDX-License-Identifier: Apache-2.0
"""Several controllers over one folder: whoever leads may be killed or stopped at any moment, and
nobody notices more than a pause."""
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from standbys import Etcd, Standbys, make_certificates
from yard import wait_for

# How long a test waits for what takes seconds on an idle machine.
PATIENCE = 180


@pytest.fixture
def standbys(tmp_path):
    made = []

    def make(**kwargs):
        made.append(Standbys(tmp_path, **kwargs))
        return made[-1]

    yield make
    for yard in made:
        yard.stop()


def burst(pool, yard, word, count):
    return [pool.submit(yard.submit, f"{word}{i}", "-H") for i in range(count)]


def test_a_killed_leader_costs_a_pause_and_nothing_else(standbys):
    yard = standbys()
    yard.start()
    script = "for i in $(seq 1 80); do echo line $i; sleep 0.1; done"
    running = subprocess.Popen(["srun", "-N1", "sh", "-c", script], env=yard.env,
                               cwd=f"{yard.dir}/out", stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    wait_for(lambda: "RUNNING" in yard.run("squeue", "-h", "-o", "%T").stdout, what="srun runs")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        asked = burst(pool, yard, "burst", 60)
        wait_for(lambda: sum(one.done() for one in asked) >= 10, what="a burst under way")
        yard.kill9(yard.daemon(0))
        killed = time.monotonic()
        next_one = pool.submit(yard.run, "srun", "-N1", "true")
        next_one.result(PATIENCE)
        print(f"the next job had run {time.monotonic() - killed:.1f} s after the kill")
        ids = [one.result(PATIENCE) for one in asked]
    assert len(set(ids)) == len(ids)
    known = yard.jobs()
    for i, job in enumerate(ids):
        assert known[f"burst{i}"] == [job], f"burst{i} was acknowledged as {job}"
    assert yard.leader() == 1
    out, _ = running.communicate(timeout=PATIENCE)
    assert out.splitlines() == [f"line {i}" for i in range(1, 81)]
    assert running.returncode == 0


def test_a_leader_that_was_stopped_acknowledges_nothing_when_it_goes_on(standbys):
    yard = standbys()
    yard.start()
    pid = yard.pid(yard.daemon(0))
    before = [yard.submit(f"before{i}", "-H") for i in range(3)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        os.kill(pid, signal.SIGSTOP)
        # These reach the one that is stopped; they are asked of its successor, and not done twice.
        asked = burst(pool, yard, "during", 12)
        wait_for(lambda: "leads from now on" in yard.log_of(1), PATIENCE, "the standby to lead")
        during = [one.result(PATIENCE) for one in asked]
    after = yard.submit("after", "-H")
    os.kill(pid, signal.SIGCONT)
    wait_for(lambda: "leads no more" in yard.log_of(0), PATIENCE, "the old leader to step down")
    wait_for(lambda: yard.ping().count("is UP") == 2, PATIENCE, "both to answer")
    assert yard.leader() == 1
    known = yard.jobs()
    for name, job in ([(f"before{i}", j) for i, j in enumerate(before)] + [("after", after)]
                      + [(f"during{i}", j) for i, j in enumerate(during)]):
        assert known[name] == [job]
    assert len(known) == 16


def test_takeover_moves_the_lead_there_and_back(standbys):
    yard = standbys(extra="SlurmctldPrimaryOnProg=/bin/true\nSlurmctldPrimaryOffProg=/bin/true\n")
    yard.start()
    job = yard.submit("first", "-H")
    assert yard.ping() == ("Slurmctld(primary) at localhost is UP\n"
                           "Slurmctld(backup1) at c1 is UP\nlocalhost leads\n")
    pulled = f"{yard.dir}/pulled"
    yard.run("strigger", "--set", "--backup_slurmctld_assumed_control",
             f"--program=/bin/touch {pulled}")
    yard.run("scontrol", "takeover")
    wait_for(lambda: yard.leader() == 1, what="the backup to lead")
    wait_for(lambda: os.path.exists(pulled), what="the trigger's program")
    assert yard.jobs() == {"first": [job]}
    yard.run("scontrol", "takeover", "0")
    wait_for(lambda: yard.leader() == 0, what="the primary to lead again")
    second = yard.submit("second", "-H")
    assert yard.jobs() == {"first": [job], "second": [second]}
    wrong = yard.run("scontrol", "takeover", "7", check=False)
    assert wrong.returncode == 1 and "invalid backup controller index" in wrong.stderr
    wait_for(lambda: yard.idle_nodes() == yard.nodes, what="the nodes to follow")
    yard.run("srun", "-N1", "true")


def test_the_third_controller_leads_when_two_are_gone(standbys):
    yard = standbys(controllers=3)
    yard.start()
    jobs = {"one": [yard.submit("one", "-H")]}
    yard.kill9(yard.daemon(0))
    jobs["two"] = [yard.submit("two", "-H")]
    assert yard.leader() == 1
    yard.kill9(yard.daemon(1))
    jobs["three"] = [yard.submit("three", "-H")]
    assert yard.leader() == 2
    assert yard.jobs() == jobs
    # Who comes back does not take the lead from one that is well.
    yard.start_controller(0)
    wait_for(lambda: "localhost is UP" in yard.ping(), what="the first to stand by")
    assert yard.leader() == 2
    yard.run("srun", "-N2", "true")


def test_the_order_of_starts_does_not_matter(standbys):
    yard = standbys()
    for i in range(1, yard.nodes + 1):
        yard.start_node(i)
    wait_for(lambda: "waiting for slurmctld: " in open(f"{yard.dir}/slurmd-n1.log").read(),
             what="a node to say what it waits for")
    asked = subprocess.Popen(["squeue", "-h"], env=yard.env, stderr=subprocess.PIPE, text=True)
    yard.start_controller(1)
    assert asked.wait(PATIENCE) == 0, asked.stderr.read()  # it waited, too
    wait_for(lambda: yard.leader() == 1, what="the backup to lead alone")
    wait_for(lambda: yard.idle_nodes() == yard.nodes, what="the nodes to find it")
    job = yard.submit("early", "-H")
    yard.start_controller(0)
    wait_for(lambda: yard.ping().count("is UP") == 2, what="both to answer")
    assert yard.leader() == 1
    # One that ends says so, and is followed at once.
    os.kill(yard.pid(yard.daemon(1)), signal.SIGTERM)
    wait_for(lambda: yard.leader() == 0, what="the primary to lead")
    assert yard.jobs() == {"early": [job]}


@pytest.mark.skipif(not shutil.which("etcd"), reason="etcd is not installed")
def test_a_log_in_etcd_survives_a_member_and_its_leader(standbys, tmp_path):
    etcd = Etcd(tmp_path)
    try:
        yard = standbys(extra=etcd.place("yard"))
        yard.start()
        first = yard.submit("first", "-H")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            asked = burst(pool, yard, "burst", 30)
            wait_for(lambda: sum(one.done() for one in asked) >= 5, what="a burst under way")
            etcd.members[0].kill()
            wait_for(lambda: sum(one.done() for one in asked) >= 10, PATIENCE, "it to go on")
            yard.kill9(yard.daemon(0))
            ids = [one.result(PATIENCE) for one in asked]
        known = yard.jobs()
        assert known["first"] == [first]
        for i, job in enumerate(ids):
            assert known[f"burst{i}"] == [job]
        assert yard.leader() == 1
        wait_for(lambda: yard.idle_nodes() == yard.nodes, PATIENCE, "the nodes to follow")
        # Scripts are in etcd, too.
        with open(f"{yard.dir}/out/script.sh", "w") as f:
            f.write("#!/bin/sh\necho from etcd\n")
        yard.run("sbatch", "--wait", "-o", f"{yard.dir}/out/said", "script.sh")
        with open(f"{yard.dir}/out/said") as f:
            assert f.read() == "from etcd\n"
    finally:
        etcd.stop()


@pytest.mark.skipif(not shutil.which("etcd"), reason="etcd is not installed")
def test_a_controller_waits_for_its_etcd_and_says_so(standbys, tmp_path):
    etcd = Etcd(tmp_path, members=1)
    etcd.stop()
    yard = standbys(extra=etcd.place("yard"), controllers=1)
    yard.start_controller()
    wait_for(lambda: f"waiting for etcd at {etcd.clients[0]}" in yard.log_of(0), PATIENCE,
             "the controller to say what it waits for")
    etcd.start()
    try:
        wait_for(lambda: "leads from now on" in yard.log_of(0), PATIENCE, "it to lead")
        yard.submit("early", "-H")
    finally:
        etcd.stop()


@pytest.mark.skipif(not shutil.which("etcd"), reason="etcd is not installed")
def test_an_etcd_that_wants_certificates_gets_them(standbys, tmp_path):
    made = make_certificates(f"{tmp_path}/certificates")
    etcd = Etcd(tmp_path, members=1, certificates=made)
    try:
        files = (f"SlurmctldParameters=etcd_ca_file={made}/ca.pem,etcd_cert_file={made}/client.pem,"
                 f"etcd_cert_key_file={made}/client.key\n")
        yard = standbys(extra=etcd.place("yard", "etcds") + files)
        yard.start()
        job = yard.submit("secret", "-H")
        yard.kill9(yard.daemon(0))
        wait_for(lambda: yard.leader() == 1, PATIENCE, "the backup to lead")
        assert yard.jobs() == {"secret": [job]}
        # Whoever brings none is not let in.
        bare = subprocess.run(["curl", "-s", "--cacert", f"{made}/ca.pem",
                               f"https://{etcd.clients[0]}/version"], capture_output=True)
        assert bare.returncode != 0
    finally:
        etcd.stop()


@pytest.mark.skipif(not shutil.which("etcd"), reason="etcd is not installed")
@pytest.mark.parametrize("wrong", ["an etcd of another authority", "a controller of another one",
                                   "a controller without any"])
def test_an_etcd_and_a_controller_that_do_not_believe_each_other(standbys, tmp_path, wrong):
    """Nothing is written, nobody leads, and the log says why; with the right files it goes on."""
    made, other = (make_certificates(f"{tmp_path}/{name}") for name in ("made", "other"))
    etcd = Etcd(tmp_path, members=1, certificates=made)
    believed = other if wrong.startswith("an etcd") else made
    shown = other if wrong == "a controller of another one" else made
    own = f",etcd_cert_file={shown}/client.pem,etcd_cert_key_file={shown}/client.key"
    if wrong == "a controller without any":
        own = ""
    try:
        yard = standbys(extra=etcd.place("yard", "etcds") +
                        f"SlurmctldParameters=etcd_ca_file={believed}/ca.pem{own}\n",
                        controllers=1)
        refused = subprocess.Popen(["slurmctld", "-D"], env=yard.env, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            reason = next(line for line in refused.stderr if "waiting for etcd at" in line and
                          ("certificate" in line or "TLS" in line))
        finally:
            refused.kill()
            refused.communicate()
        assert etcd.clients[0] in reason, reason
        curl = ["curl", "-s", "--cacert", f"{made}/ca.pem", "--cert", f"{made}/client.pem",
                "--key", f"{made}/client.key", f"https://{etcd.clients[0]}/v3/kv/range", "-d",
                '{"key":"AA==","range_end":"AA=="}']
        stored = subprocess.run(curl, capture_output=True, text=True, check=True).stdout
        assert "kvs" not in stored, stored
        with open(f"{yard.dir}/slurm.conf") as f:
            text = f.read()
        right = (f"etcd_ca_file={made}/ca.pem,etcd_cert_file={made}/client.pem,"
                 f"etcd_cert_key_file={made}/client.key")
        with open(f"{yard.dir}/slurm.conf", "w") as f:
            f.write(re.sub("(?m)^SlurmctldParameters=.*$", f"SlurmctldParameters={right}", text))
        yard.start_controller()
        wait_for(lambda: "leads from now on" in yard.log_of(0), PATIENCE, "it to lead")
        yard.submit("fine", "-H")
    finally:
        etcd.stop()


@pytest.mark.skipif(not shutil.which("etcd"), reason="etcd is not installed")
def test_a_revocation_is_known_to_the_next_leader_where_the_log_is_in_etcd(standbys, tmp_path):
    etcd = Etcd(tmp_path, members=1)
    try:
        yard = standbys(extra=etcd.place("yard") + "TLSType=tls/s2n\n", nodes=2)
        yard.start()
        assert not os.path.exists(f"{yard.dir}/tls"), "the authority is not beside slurm.conf"
        listed = yard.run("scontrol", "certificates").stdout
        assert "n1" in listed and "n2" in listed
        yard.run("scontrol", "revoke", "n2")
        yard.kill9(yard.daemon(0))
        wait_for(lambda: yard.leader() == 1, PATIENCE, "the backup to lead")
        wait_for(lambda: "node n1 connected" in yard.log_of(1), PATIENCE, "n1 to follow")
        assert "n2" in yard.run("scontrol", "certificates").stdout
        wait_for(lambda: "is refused as node n2" in yard.log_of(1), PATIENCE, "n2 to be refused")
    finally:
        etcd.stop()


def test_what_a_repetition_would_do_twice_is_done_once_when_the_leader_dies(standbys):
    yard = standbys()
    yard.start()

    def set_trigger(number):  # each another one: the same again would be refused
        return yard.run("strigger", "--set", "--node", "--down", "--program=/bin/true",
                        f"--offset={number}")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(set_trigger, i) for i in range(40)]
        wait_for(lambda: sum(one.done() for one in asked) >= 8, what="some under way")
        yard.kill9(yard.daemon(0))
        for one in asked:
            one.result(PATIENCE)  # a pause, not an error
    rows = yard.run("strigger", "--get", "--noheader").stdout.splitlines()
    assert len(rows) == 40, "each was set once"


def test_nodes_come_to_a_new_leader_that_calls_them(standbys):
    yard = standbys()
    yard.start()
    pid = yard.pid(yard.daemon(0))
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_for(lambda: "leads from now on" in yard.log_of(1), PATIENCE, "the standby to lead")
        wait_for(lambda: yard.log_of(1).count("connected from") >= yard.nodes, PATIENCE,
                 "the nodes to come")
        yard.run("srun", "-N2", "true")
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: "leads no more" in yard.log_of(0), PATIENCE, "the old leader to step down")
    wait_for(lambda: yard.idle_nodes() == yard.nodes, PATIENCE, "idle nodes")
