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

from yard import Yard, alive, free_ports, wait_for

# How long a test waits for what takes seconds on an idle machine.
PATIENCE = 180


class Standbys(Yard):
    """Controllers c0 (called localhost), c1, c2 … on loopback addresses of their own."""

    def __init__(self, dir, controllers=2, extra="", **kwargs):
        self.names = ["localhost"] + [f"c{i}" for i in range(1, controllers)]
        hosts = "".join(f"SlurmctldHost=c{i}(127.0.0.{i + 1})\n" for i in range(1, controllers))
        super().__init__(dir, extra=f"{hosts}"
                         f"SlurmctldPidFile={dir}/run/slurmctld-%n.pid\n"
                         f"SlurmctldLogFile={dir}/slurmctld-%n.log\n{extra}", **kwargs)

    def daemon(self, index):
        return f"slurmctld-{self.names[index]}"

    def start_controller(self, index=0):
        self.run("slurmctld", "-N", self.names[index])

    def start(self):
        for index in range(len(self.names)):
            self.start_controller(index)
        wait_for(lambda: self.leader() == 0, what="the first controller to lead")
        for i in range(1, self.nodes + 1):
            self.start_node(i)
        wait_for(lambda: self.idle_nodes() == self.nodes, what="all nodes idle")

    def ping(self):
        return self.run("scontrol", "ping", check=False).stdout

    def leader(self):
        found = re.search(r"^(\S+) leads$", self.ping(), re.M)
        return self.names.index(found.group(1)) if found else None

    def log_of(self, index):
        try:
            with open(f"{self.dir}/{self.daemon(index)}.log") as f:
                return f.read()
        except OSError:
            return ""

    def logs(self, lines=25):
        text = "".join(f"--- {name}\n" + "\n".join(self.log_of(i).splitlines()[-lines:]) + "\n"
                       for i, name in enumerate(self.names))
        return text + super().logs(lines)

    def submit(self, name, *options):
        """The id, once the controller has acknowledged the job."""
        done = self.run("sbatch", "--parsable", "-J", name, *options, "--wrap", "true")
        return int(done.stdout)

    def jobs(self):
        """Every job that the controller knows, by name."""
        out = self.run("squeue", "-h", "-t", "all", "-o", "%i %j").stdout.splitlines()
        found = {}
        for line in out:
            job, name = line.split()
            found.setdefault(name, []).append(int(job))
        return found

    def stop(self):
        for index in reversed(range(len(self.names))):
            pid = self.pid(self.daemon(index))
            if pid and alive(pid):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
        super().stop()


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
    yard.run("scontrol", "takeover")
    wait_for(lambda: yard.leader() == 1, what="the backup to lead")
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
    yard.start_controller(1)
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


class Etcd:
    """Members of an etcd on this machine."""

    def __init__(self, dir, members=3):
        first = free_ports(2 * members)
        self.clients = [f"127.0.0.1:{first + 2 * i}" for i in range(members)]
        peers = [f"http://127.0.0.1:{first + 2 * i + 1}" for i in range(members)]
        together = ",".join(f"m{i}={peer}" for i, peer in enumerate(peers))
        self.members = []
        for i in range(members):
            with open(f"{dir}/etcd-{i}.log", "w") as log:
                self.members.append(subprocess.Popen(
                    ["etcd", "--name", f"m{i}", "--data-dir", f"{dir}/etcd-{i}",
                     "--listen-client-urls", f"http://{self.clients[i]}",
                     "--advertise-client-urls", f"http://{self.clients[i]}",
                     "--listen-peer-urls", peers[i], "--initial-advertise-peer-urls", peers[i],
                     "--initial-cluster", together, "--initial-cluster-state", "new"],
                    stdout=log, stderr=log))

    def stop(self):
        for member in self.members:
            member.kill()
        for member in self.members:
            member.wait()


@pytest.mark.skipif(not shutil.which("etcd"), reason="etcd is not installed")
def test_a_log_in_etcd_survives_a_member_and_its_leader(standbys, tmp_path):
    etcd = Etcd(tmp_path)
    try:
        yard = standbys(extra=f"StateSaveLocation=etcd://{','.join(etcd.clients)}/yard\n")
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
