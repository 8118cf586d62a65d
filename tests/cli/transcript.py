# SPDX-License-Identifier: Apache-2.0
"""Transcripts: terminal sessions that are replayed and compared byte for byte.

A file of tests/cli/*.txt:

    # What is shown here, in words.
    @ Licenses=matlab:4         a line for slurm.conf; such lines stand before everything else
    $ COMMAND LINE              run by sh; what it prints (both streams, as on a terminal) follows
    output
    [exit 1]                    the exit code, unless it is 0
    ~ COMMAND => TEXT           wait until the command prints TEXT; nothing is compared
    | COMMAND LINE              run and forgotten (to prepare and to clean up)

Each file has a cluster of its own, so its first job is job 1: four nodes n[1-4] with 4 CPUs and
2000 MB, partitions debug* (all nodes), short (n[1-2], 30 minutes) and closed (n[3-4], down). What
differs from run to run is replaced by something of the same width: times by YYYY-MM-DDThh:mm:ss,
elapsed seconds by 0. The cluster's folder is /yard and the machine's name is login.
Empty lines behind an output only separate; empty lines within it count.
"""
import difflib
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../cluster"))
from shell import run_line, wait_until_it_says  # noqa: E402
from yard import Yard  # noqa: E402

PATIENCE = 60  # s, for one command line and for one wait
DIRECTIVES = ("$ ", "~ ", "| ", "# ", "@ ")
OWN_VARIABLES = re.compile(r"^(SLURM|SBATCH|SALLOC|SRUN|SQUEUE|SINFO|SCANCEL|SPRIO|SACCT)")

EXTRA = """\
DefMemPerCPU=100
KillWait=1
Licenses=matlab:4,ansys:2
"""
PARTITIONS = """\
PartitionName=short Nodes=n[1-2] MaxTime=30 DefaultTime=10 MaxNodes=2 PriorityTier=2 State=UP
PartitionName=closed Nodes=n[3-4] State=DOWN
"""


def files():
    return sorted(f"{HERE}/{name}" for name in os.listdir(HERE) if name.endswith(".txt"))


def parse(text):
    """[(line as it stands, output lines that follow it)]"""
    steps, gaps = [], 0
    for line in text.splitlines():
        if line.startswith(DIRECTIVES) or line == "#" or not steps or not is_command(steps[-1]):
            while steps and is_command(steps[-1]) and steps[-1][1] and not steps[-1][1][-1]:
                steps[-1][1].pop()
                gaps += 1
            steps += [("", [])] * gaps + [(line, [])]
            gaps = 0
        else:
            steps[-1][1].append(line)
    return steps


def is_command(step):
    return step[0].startswith("$ ")


class Session:
    def __init__(self, folder, conf):
        self.yard = Yard(folder, nodes=4, cpus=4, extra=EXTRA + conf)
        with open(f"{folder}/slurm.conf") as f:
            text = re.sub("^ClusterName=.*", "ClusterName=yard", f.read(), flags=re.M)
        with open(f"{folder}/slurm.conf", "w") as f:
            f.write(text + PARTITIONS)
        with open(f"{folder}/out/job.sh", "w") as f:
            f.write("#!/bin/sh\n#SBATCH --job-name=script\nsleep 1000\n")
        self.env = {k: v for k, v in self.yard.env.items()
                    if not OWN_VARIABLES.match(k) or k == "SLURM_CONF"}
        self.env.update(TZ="UTC", LC_ALL="C", HOME="/")

    def sh(self, line):
        done = run_line(line, self.env, f"{self.yard.dir}/out", PATIENCE, one_stream=True)
        return done.stdout, done.returncode

    def wait(self, command, text):
        wait_until_it_says(text, lambda: self.sh(command)[0], PATIENCE, command)

    def normal(self, text):
        for pattern, by in (
                (re.escape(self.yard.dir), "/yard"),
                (r"\b%s\b" % re.escape(os.uname().nodename), "login"),
                (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "YYYY-MM-DDThh:mm:ss"),
                (r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4}", "Day Mon dd hh:mm:ss YYYY"),
                (r"(?<![\d:-])((?:00:)*0?0:)\d\d(?![\d:])", r"\g<1>00"),
                (r"\b(Port|Pid|AllocNode:Sid|CPULoad|FreeMem|SLUID)=\S+", r"\1=<n>")):
            text = re.sub(pattern, by, text, flags=re.M)
        return text


def replay(path):
    """(the file's text, the text as it would be now)"""
    with open(path) as f:
        text = f.read()
    steps = parse(text)
    conf = "".join(f"{line[2:]}\n" for line, _ in steps if line.startswith("@ "))
    folder = tempfile.mkdtemp(prefix="ym-cli.", dir="/tmp")
    os.chmod(folder, 0o755)
    session = Session(folder, conf)
    now = []
    try:
        session.yard.start()
        for line, _ in steps:
            now.append(line)
            if line.startswith("~ "):
                command, wanted = line[2:].rsplit(" =>", 1)
                session.wait(command, wanted.strip())
            elif line.startswith("| "):
                session.sh(line[2:])
            elif line.startswith("$ "):
                out, code = session.sh(line[2:])
                now += session.normal(out).rstrip("\n").splitlines()
                if code:
                    now.append(f"[exit {code}]")
    finally:
        session.yard.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return text, "\n".join(now) + "\n"


def difference(path, was, now):
    return "".join(difflib.unified_diff(was.splitlines(True), now.splitlines(True),
                                        os.path.basename(path), "now", n=2))
