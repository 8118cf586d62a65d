# SPDX-License-Identifier: Apache-2.0
"""Partitions that are not for everybody: what users made for the test are shown of them and of
their jobs, and whose jobs they take."""
import os
import subprocess

import pytest

from conftest import new_folder
from yard import BIN, Yard, wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: acts as several users")

PARTITIONS = """\
PartitionName=hidden Nodes=ALL Hidden=YES
PartitionName=team Nodes=ALL AllowGroups={group}
PartitionName=physics Nodes=ALL AllowAccounts=physics
PartitionName=notarts Nodes=ALL DenyAccounts=arts
PartitionName=high Nodes=ALL AllowQos=high
"""
EVERYBODYS = {"debug", "physics", "notarts", "high"}
EVERY = EVERYBODYS | {"hidden", "team"}
NO_GROUP = "User's group not permitted to use this partition"
NO_ACCOUNT = "Invalid account or account/partition combination specified"
NO_QOS = "Invalid qos specification"


class Users(Yard):
    """A member of the team, somebody else, and root."""

    def ask(self, user, *command, **kwargs):
        words = ["setpriv", "--reuid", user, "--regid", user, "--init-groups", *command]
        return self.run(*(words if user != "root" else command), **kwargs)

    def submit(self, user, *options):
        done = self.ask(user, "sbatch", "--parsable", *options, "--wrap", "sleep 1000")
        return done.stdout.strip()

    def refusal(self, user, *options):
        done = self.ask(user, "sbatch", "-H", *options, "--wrap", "true", check=False)
        return done.stderr if done.returncode else None

    def partitions(self, user, *options):
        return {line.rstrip("*") for line in
                self.ask(user, "sinfo", "-h", "-o", "%P", *options).stdout.split()}

    def records(self, user, *options):
        said = self.ask(user, "scontrol", "-o", *options, "show", "partition").stdout
        return {line.split()[0].partition("=")[2] for line in said.splitlines()}

    def jobs(self, user, *options):
        return set(self.ask(user, "squeue", "-h", "-o", "%i", *options).stdout.split())

    def steps(self, user, *options):
        said = self.ask(user, "squeue", "-h", "-s", "-o", "%i", *options).stdout.split()
        return {step.partition(".")[0] for step in said}

    def job_records(self, user, *options):
        said = self.ask(user, "scontrol", "-o", *options, "show", "job").stdout
        return {line.split()[0].partition("=")[2] for line in said.splitlines()}


@pytest.fixture(scope="module")
def yard():
    folder, mark = new_folder(), os.getpid() % 100000
    group, ann, bob = f"ymg{mark}", f"yma{mark}", f"ymb{mark}"
    # PartitionName lines may stand before those of the nodes.
    cluster = Users(folder, nodes=2, cpus=8, extra=PARTITIONS.format(group=group))
    cluster.ann, cluster.bob = ann, bob
    os.chmod(f"{folder}/out", 0o777)
    subprocess.run(["groupadd", group], check=True)
    subprocess.run(["useradd", "-M", "-G", group, ann], check=True, capture_output=True)
    subprocess.run(["useradd", "-M", bob], check=True, capture_output=True)
    try:
        reach = ["runuser", "-u", bob, "--", "test", "-x", f"{BIN}/squeue"]
        if subprocess.run(reach, check=False).returncode != 0:
            pytest.skip(f"{BIN} is closed to other users")
        cluster.start()
        cluster.job = {"debug": cluster.submit(bob), "hidden": cluster.submit(bob, "-p", "hidden"),
                       "team": cluster.submit(ann, "-p", "team")}
        wait_for(lambda: cluster.steps("root", "-a") == set(cluster.job.values()), what="the steps")
        yield cluster
        # Jobs outlive their daemons, and who gets these numbers of users next would own them.
        cluster.run("scancel", "-u", f"{ann},{bob}")
        wait_for(lambda: not cluster.jobs("root"), what="the end of all jobs")
    finally:
        cluster.stop()
        for user in (ann, bob):
            subprocess.run(["userdel", "-f", user], check=False, capture_output=True)
        subprocess.run(["groupdel", group], check=False, capture_output=True)


def test_partitions_are_shown_to_whom_they_are_open_and_with_all_to_everybody(yard):
    for ask in (yard.partitions, yard.records):
        assert ask("root") == EVERY
        assert ask(yard.ann) == EVERYBODYS | {"team"}
        assert ask(yard.bob) == EVERYBODYS
        assert ask(yard.bob, "--all") == EVERY
        assert ask(yard.ann, "--all", "--hide") == EVERYBODYS | {"team"}


def test_the_environment_may_ask_for_all_of_them(yard):
    command = ("sinfo", "-h", "-o", "%P")
    assert "team" not in yard.ask(yard.bob, *command).stdout.split()
    assert "team" in yard.ask(yard.bob, "env", "SINFO_ALL=1", *command).stdout.split()
    command = ("squeue", "-h", "-o", "%i")
    assert yard.job["team"] not in yard.ask(yard.bob, *command).stdout.split()
    assert yard.job["team"] in yard.ask(yard.bob, "env", "SQUEUE_ALL=1", *command).stdout.split()


def test_a_partition_that_is_named_is_shown(yard):
    assert yard.partitions(yard.bob, "-p", "hidden,team") == {"hidden", "team"}
    assert "Hidden=YES" in yard.ask(yard.bob, "scontrol", "show", "partition", "hidden").stdout


def test_their_jobs_and_steps_are_shown_with_them(yard):
    every, hers, his = (set(yard.job[name] for name in names.split()) for names in
                        ("debug hidden team", "debug team", "debug"))
    for ask in (yard.jobs, yard.steps, yard.job_records):
        assert ask("root") == every
        assert ask(yard.ann) == hers
        assert ask(yard.bob) == his, "his own job in a hidden partition, too"
        assert ask(yard.bob, "--all") == every
    assert yard.jobs(yard.bob, "-p", "hidden") == {yard.job["hidden"]}
    assert yard.jobs(yard.bob, "-j", yard.job["team"]) == {yard.job["team"]}
    shown = yard.ask(yard.bob, "scontrol", "show", "job", yard.job["hidden"]).stdout
    assert "Partition=hidden" in shown


def test_a_job_that_may_start_in_several_is_shown_by_each_of_them(yard):
    both = yard.submit(yard.bob, "-H", "-p", "hidden,debug")
    # What others do may be seen a moment later.
    wait_for(lambda: both in yard.jobs(yard.ann), what="the job to be shown")
    yard.ask(yard.bob, "scontrol", "update", f"jobid={both}", "partition=hidden")
    wait_for(lambda: both not in yard.jobs(yard.ann), what="the hidden job to be hidden")
    assert both in yard.jobs("root")
    yard.ask(yard.bob, "scancel", both)


def test_jobs_are_taken_from_whom_the_rules_name(yard):
    ann, bob = yard.ann, yard.bob
    assert yard.refusal(bob, "-p", "hidden") is None, "hidden is not closed"
    assert NO_GROUP in yard.refusal(bob, "-p", "team")
    assert NO_GROUP in yard.refusal(bob, "-p", "debug,team")
    assert yard.refusal(ann, "-p", "team") is None
    assert yard.refusal("root", "-p", "team") is None
    for user in (ann, bob, "root"):
        assert NO_ACCOUNT in yard.refusal(user, "-p", "physics", "-A", "arts")
        assert yard.refusal(user, "-p", "physics", "-A", "physics") is None
        assert NO_ACCOUNT in yard.refusal(user, "-p", "notarts", "-A", "arts")
        assert yard.refusal(user, "-p", "notarts", "-A", "law") is None
        assert yard.refusal(user, "-p", "high", "-q", "high") is None
    assert NO_QOS in yard.refusal(bob, "-p", "high", "-q", "low")
    assert yard.refusal("root", "-p", "high", "-q", "low") is None
    # The same when a job moves.
    moved = yard.submit(bob, "-H")
    to_team = ("scontrol", "update", f"jobid={moved}", "partition=team")
    assert NO_GROUP in yard.ask(bob, *to_team, check=False).stderr
    yard.ask("root", *to_team)
    yard.ask(bob, "scontrol", "update", f"jobid={moved}", "comment=mine")
    yard.ask("root", "scancel", "-u", f"{bob},root", "-t", "PENDING")
