# SPDX-License-Identifier: Apache-2.0
"""Questions to the controller, and programs that it runs beside the jobs: the queue in its order,
steps that have ended, triggers and mail."""
import os
import pwd
import re
import shutil
import subprocess
import tempfile

import pytest

from yard import Yard, wait_for

NOTER = """#!/bin/sh
{ id -u; printf '%%s\\n' "$@"; echo "$SLURM_JOB_MAIL_TYPE $SLURM_JOB_ID"; } > %(dir)s/note.$$
mv %(dir)s/note.$$ %(dir)s/noted.$$
"""


@pytest.fixture(scope="module")
def yard():
    folder = tempfile.mkdtemp(prefix="ymqueries.")  # others reach it, too
    os.chmod(folder, 0o755)
    notes = f"{folder}/notes"
    yard = Yard(folder, nodes=2, extra=f"KillWait=1\nMailProg={folder}/noter")
    os.makedirs(notes, exist_ok=True)
    os.chmod(notes, 0o1777)
    with open(f"{folder}/noter", "w") as f:
        f.write(NOTER % {"dir": notes})
    os.chmod(f"{folder}/noter", 0o755)
    yard.start()
    yield yard
    yard.stop()
    shutil.rmtree(folder)


def noted(yard):
    """What the programs that have run were told: the user, arguments, mail's type and job."""
    folder, found = f"{yard.dir}/notes", []
    for name in sorted(os.listdir(folder)):
        if name.startswith("noted."):
            with open(f"{folder}/{name}") as f:
                found.append(f.read().split("\n"))
    return found


@pytest.fixture(autouse=True)
def no_notes(yard):
    for name in os.listdir(f"{yard.dir}/notes"):
        os.unlink(f"{yard.dir}/notes/{name}")


def test_squeue_streams_in_the_order_it_would_sort_in(yard):
    for i in range(8):
        yard.run("sbatch", "-H", "-J", f"j{i % 3}", f"--nice={i * 7 % 5}", "--wrap", "true")
    running = yard.run("sbatch", "--parsable", "--wrap", "sleep 100").stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h", "-j", running, "-o", "%t").stdout == "R\n")
    columns = ("-h", "-o", "%i %P %j %u %t %R")
    streamed = yard.run("squeue", *columns).stdout
    assert len(streamed.splitlines()) == 9
    assert streamed == yard.run("squeue", "-S", "P,t,-p", *columns).stdout
    yard.run("scontrol", "update", "jobid=2", "nice=1000")  # another place in the order
    yard.run("scancel", "5")
    assert yard.run("squeue", *columns).stdout.splitlines() != streamed.splitlines()
    streamed = yard.run("squeue", *columns).stdout
    assert streamed == yard.run("squeue", "-S", "P,t,-p", *columns).stdout
    assert yard.run("squeue", "-h", "-u", "nobody").stdout == ""
    mine = yard.run("squeue", "-h", "-u", "root", "-t", "R", "-o", "%i").stdout
    assert mine == f"{running}\n"
    yard.run("scancel", "-u", "root")
    wait_for(lambda: yard.run("squeue", "-h").stdout == "", what="an empty queue")


def test_sacct_knows_ended_steps_even_after_a_crash_of_the_controller(yard):
    job = yard.run("sbatch", "--parsable", "--wait", "--wrap", "srun true; srun false",
                   check=False).stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h").stdout == "", what="a clean node")

    def told():
        return yard.run("sacct", "-nP", "-j", job, "-o", "jobid,state,exitcode,ntasks").stdout
    assert told() == (f"{job}|FAILED|1:0|\n{job}.batch|FAILED|1:0|1\n"
                      f"{job}.0|COMPLETED|0:0|1\n{job}.1|FAILED|1:0|1\n")
    before = told()
    yard.kill9("slurmctld")
    yard.start_controller()
    assert told() == before


def test_a_trigger_runs_its_program_as_the_user_who_set_it(yard, ordinary_user):
    uid = pwd.getpwnam(ordinary_user).pw_uid
    job = yard.run("sbatch", "-H", "--parsable", "-o", "/dev/null", "--wrap", "true",
                   user=uid, group=uid, extra_groups=[]).stdout.strip()
    yard.run("strigger", "--set", "--fini", f"--jobid={job}", f"--program={yard.dir}/noter said",
             user=uid, group=uid, extra_groups=[])
    denied = yard.run("strigger", "--set", "--down", f"--program={yard.dir}/noter", check=False,
                      user=uid, group=uid, extra_groups=[])
    assert denied.returncode == 1 and "Access/permission denied" in denied.stderr
    yard.kill9("slurmctld")
    yard.start_controller()  # it is in the log
    yard.run("scancel", job)
    note = wait_for(lambda: noted(yard), what="the trigger's program")[0]
    assert note[:3] == [str(uid), "said", job]
    assert yard.run("strigger", "--get", "-N").stdout == ""


def test_a_drained_node_pulls_a_permanent_trigger_each_time(yard):
    yard.run("strigger", "--set", "--drained", "--node=n2", "--flags=perm",
             f"--program={yard.dir}/noter")
    for count in (1, 2):
        yard.run("scontrol", "update", "nodename=n2", "state=drain", "reason=x")
        wait_for(lambda: len(noted(yard)) == count, what="the trigger's program")
        yard.run("scontrol", "update", "nodename=n2", "state=resume")
    assert all(note[1] == "n2" for note in noted(yard))
    yard.run("strigger", "--clear", "--user=root")


def test_mail_tells_of_begin_and_end(yard):
    job = yard.run("sbatch", "--parsable", "-J", "named", "--mail-type=BEGIN,END",
                   "--mail-user=ada@example.org", "-o", "/dev/null", "--wrap", "true")
    job = job.stdout.strip()
    mails = wait_for(lambda: len(noted(yard)) == 2 and noted(yard), what="two mails")
    by_type = {note[4].split()[0]: note for note in mails}
    assert set(by_type) == {"BEGIN", "END"}
    user, flag, subject, to, facts = by_type["END"][:5]
    assert (flag, to, facts) == ("-s", "ada@example.org", f"END {job}")
    assert subject.startswith(f"Slurm Job_id={job} Name=named Ended, Run time 00:00:0")
    assert subject.endswith(", COMPLETED, ExitCode 0")


def test_what_if_tells_what_an_update_would_bring_and_changes_nothing(yard):
    def submit(*options):
        return yard.run("sbatch", "--parsable", "--exclusive", *options).stdout.strip()

    def state(job):
        return yard.run("squeue", "-h", "-j", job, "-o", "%t").stdout.strip()
    first = submit("-w", "n1", "-t", "10", "--wrap", "sleep 100")
    wait_for(lambda: state(first) == "R")
    wide = submit("-N2", "-t", "10", "--wrap", "true")
    long = submit("-N1", "-t", "60", "--wrap", "sleep 100")
    told = yard.run("yardmaster", "what-if", long, "--time=5").stdout.splitlines()
    assert told[0].startswith(f"Job {long} as it is: it starts 2")
    assert told[1].startswith("With --time=5: it starts 2") and "on n2 in" in told[1]
    assert told[1].endswith(" sooner.")
    assert len(told) == 2
    assert yard.run("squeue", "-h", "-j", long, "-o", "%l %t").stdout == "1:00:00 PD\n"
    # What does not help is told as well, and what nobody may have is refused.
    told = yard.run("yardmaster", "what-if", long, "-t", "50").stdout
    assert ", no sooner.\n  Priority: " in told
    refused = yard.run("yardmaster", "what-if", long, "-N", "9", check=False)
    assert refused.returncode == 1 and refused.stderr.startswith(f"yardmaster: error: {long}: ")
    # And so it is.
    yard.run("scontrol", "update", f"jobid={long}", "timelimit=5")
    wait_for(lambda: state(long) == "R", what="the job to start in the hole")
    yard.run("scancel", first, wide, long)
    wait_for(lambda: yard.run("squeue", "-h").stdout == "", what="an empty queue")


@pytest.mark.parametrize("command", ["squeue", "sinfo"])
def test_iterate_shows_it_again_with_the_time_above(yard, command):
    shown = subprocess.Popen([command, "--iterate=1"], env=yard.env, stdout=subprocess.PIPE,
                             text=True)
    try:
        lines, times = [], 0
        for line in shown.stdout:
            lines.append(line)
            times += bool(re.match(r"[A-Z][a-z]{2} [A-Z][a-z]{2} .*\d\d:\d\d:\d\d", line))
            if times == 3:
                break
        heading = "JOBID" if command == "squeue" else "PARTITION"
        assert sum(heading in line for line in lines) == 2, lines
    finally:
        shown.kill()
        shown.communicate()


def test_the_simulator_replays_what_sacct_tells(yard):
    """As docs/guide/simulator.md has it: what ran here, as it was and under another policy."""
    numbers = [yard.run("sbatch", "--parsable", "-t1", "-J", "replayed", f"-n{1 + i % 2}", "--wrap",
                        "sleep 1.1").stdout.strip() for i in range(5)]
    wait_for(lambda: yard.run("squeue", "-h", "-t", "all", "-n", "replayed", "-o", "%T").stdout
             == "COMPLETED\n" * 5)
    table = yard.run("sacct", "--allusers", "--parsable2", "--allocations", "-j", ",".join(numbers),
                     "--format=JobIDRaw,User,Partition,Submit,Eligible,Start,ElapsedRaw,"
                     "TimelimitRaw,ReqCPUS,NNodes,ReqTRES,QOS,Account").stdout
    with open(f"{yard.dir}/told.txt", "w") as f:
        f.write(table)
    done = yard.run("yardmaster", "sim", f"{yard.dir}/told.txt", "--conf", f"{yard.dir}/slurm.conf",
                    "--compare", "recorded,easy")
    assert "recorded" in done.stdout and "easy" in done.stdout, done
    yard.run("yardmaster", "sim", f"{yard.dir}/told.txt", "--conf", f"{yard.dir}/slurm.conf",
             "--policy", "easy", "--jobs-csv", f"{yard.dir}/jobs.csv")
    with open(f"{yard.dir}/jobs.csv") as f:
        rows = f.read().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == numbers, rows
