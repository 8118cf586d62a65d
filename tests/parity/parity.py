# SPDX-License-Identifier: Apache-2.0
"""The same command lines given to Debian's Slurm and to Yardmaster; what differs, by case.

A file of cases (cases/*.txt):

    @ PriorityType=…        a line for slurm.conf; before all cases of the file, which run on
                            clusters of this shape then
    # What is asked here, in words.
    == name_of_the_case
    $ COMMAND LINE          run by sh in both clusters; output and exit code are compared
    % COMMAND LINE          run in both; only the exit code is compared
    ! COMMAND LINE          as $, but it waits for ever in at least one: ended after a while
    ~ COMMAND => TEXT       wait in both until the command prints TEXT; not compared
    | COMMAND LINE          run in both and forgotten (to prepare and to clean up)

$J1, $J2 … are the jobs submitted so far in the case. Both clusters are brought to the same next job
id, without jobs, before each case; the ids are printed as Job01, Job02 … What may differ by nature
(times, folders, host, version) is replaced by something of the same width where columns matter.

What Debian's Slurm said is recorded in recorded/*.txt, so that the test needs only Yardmaster and
means the same on every machine; `tests/parity/compare --record` asks both anew.

differences.md holds, for each case that differs, a reason and the difference itself, line by line.
"""
import concurrent.futures
import dataclasses
import difflib
import os
import re

import debian_slurm
from shell import run_line, wait_until_it_says
from yard import Yard

HERE = os.path.dirname(os.path.abspath(__file__))
DIFFERENCES = f"{HERE}/differences.md"
RECORDED = f"{HERE}/recorded"
PATIENCE = {"!": 3}  # s, for one command line
LONGER = 60

# One shape for both. DefMemPerCPU: otherwise a job takes all memory of its nodes.
EXTRA = """\
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
KillWait=1
Licenses=matlab:4,ansys:2
MaxArraySize=1001
FirstJobId=50001
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
"""
PARTITIONS = """\
PartitionName=short Nodes=n[1-2] MaxTime=30 DefaultTime=10 MaxNodes=2 PriorityTier=2 State=UP
PartitionName=closed Nodes=n[3-4] State=DOWN
PartitionName=leaving Nodes=n[3-4] State=DRAIN
PartitionName=asleep Nodes=n4 State=INACTIVE
"""


SUBMITTED = re.compile(r"(?:Submitted batch job|Granted job allocation) (\d+)")
CHANCE = re.compile(r"Force Terminated|allocation \w+ has been revoked|queued and waiting for|"
                    r"has been allocated resources|Pending job allocation")
IDLE = "sinfo -h -p debug -o '%t %D'"


class System:
    """One of the two clusters."""

    def __init__(self, name, folder, conf):
        self.name = name
        self.base = 0  # the last id used before the case
        dir = f"{folder}/{name}"
        os.makedirs(dir)
        make = {"theirs": debian_slurm.DebianSlurm, "ours": Yard}[name]
        self.yard = make(dir, nodes=4, cpus=4, extra=EXTRA + conf)
        with open(f"{dir}/slurm.conf") as f:
            text = re.sub("^ClusterName=.*", "ClusterName=parity", f.read(), flags=re.M)
        with open(f"{dir}/slurm.conf", "w") as f:
            f.write(text + PARTITIONS)
        with open(f"{dir}/out/job.sh", "w") as f:
            f.write("#!/bin/sh\n#SBATCH --job-name=script\nsleep 1000\n")
        self.yard.env.update(TZ="UTC", LC_ALL="C", SLURM_TIME_FORMAT="standard", HOME="/")

    def start(self):
        self.yard.start_controller()
        for i in range(1, self.yard.nodes + 1):
            self.yard.start_node(i)
        self.wait(IDLE, "idle 4")

    def sh(self, line, jobs=(), kind="$"):
        env = dict(self.yard.env, **{f"J{i + 1}": job for i, job in enumerate(jobs)})
        return run_line(line, env, f"{self.yard.dir}/out", PATIENCE.get(kind, LONGER))

    def wait(self, command, text, jobs=(), seconds=20):
        wait_until_it_says(text, lambda: self.sh(command, jobs).stdout, seconds,
                           f"{self.name}: {command}")

    def take_id(self):
        job = int(self.sh("sbatch --parsable --hold --wrap true").stdout.split(";")[0])
        self.sh(f"scancel {job}")
        return job

    def clear(self):
        """No jobs, all nodes in service."""
        self.sh("scancel --quiet $(squeue -h -o %A | sort -u) 2>/dev/null")
        self.wait("squeue -h", "")
        if self.sh(IDLE).stdout.split() != ["idle", "4"]:
            self.sh("scontrol update nodename=n[1-4] state=resume")
            self.wait(IDLE, "idle 4")

    def transcript(self, kind, done, jobs):
        lines = []
        if kind != "%":
            lines += self.normal(done.stdout, jobs).splitlines()
            # Who of several processes complains first is chance, and so are some notices.
            lines += sorted(f"2> {text}" for text in self.normal(done.stderr, jobs).splitlines()
                            if not CHANCE.search(text))
        if done.returncode:
            lines.append(f"exit {done.returncode}")
        return lines

    def job_name(self, job, jobs):
        """Job01 for $J1; another id is counted from the beginning of the case. All as wide."""
        if job in jobs:
            return f"Job{jobs.index(job) + 1:02}"
        number = int(job) - self.base
        return f"Id{number:03}" if 0 < number < 1000 else job

    def normal(self, text, jobs):
        text = re.sub(r"(?<!\d)5\d{4}(?!\d)", lambda m: self.job_name(m[0], jobs), text)
        for pattern, by in (
                (re.escape(self.yard.dir), "<dir>"),
                (r"\b(%s)\b" % re.escape(os.uname().nodename), "<host>"),
                (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "<- date and time ->"),
                (r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4}", "<----- date and time --->"),
                (r"\d\d/\d\d-\d\d:\d\d:\d\d", "<-- date -->"),
                (r"(?<=[ |,])(\d\d:)?0?\d:\d\d(?= |$|\||,)", lambda m: re.sub(r"\d", "0", m[0])),
                (r"(?<=RunTime=)\d\d:\d\d:\d\d", "00:00:00"),
                (r"\b(Port|Pid|AllocNode:Sid|CPULoad|FreeMem|SLUID)=\S+", r"\1=<n>"),
                (r"\bs[0-9A-HJKMNP-TV-Z]{13}\b", "<-- sluid -->"),
                (r"\bPriority=[1-9]\d*", "Priority=<p>"),
                (r"\.\d+\.new\b", ".<n>.new"),
                (r"\bScheduler=\w+", "Scheduler=<s>")):
            text = re.sub(pattern, by, text, flags=re.M)
        return text


@dataclasses.dataclass
class Said:
    """What Debian's Slurm said to one line, and what both needed to go on alike."""
    line: str
    lines: list
    jobs: int = 0     # that either of the two took
    aligned: int = 0  # the last id used after both were brought together again, from `base`; 0: not


class Alone:
    """Yardmaster beside the recording."""

    def __init__(self, folder, conf=""):
        self.ours = System("ours", folder, conf)

    def start(self):
        self.ours.start()

    def stop(self):
        self.ours.yard.stop()

    def run(self, case, recording):
        """Differences {command line: lines}."""
        self.ours.clear()
        self.ours.base = self.ours.take_id()
        jobs, differences, said = [], {}, iter(recording)
        for kind, line in case.steps:
            if kind == "~":
                command, text = line.rsplit(" =>", 1)
                self.ours.wait(command, text.strip(), jobs)
                continue
            done = self.ours.sh(line, jobs, kind)
            theirs = next(said)
            new = submitted(done)
            jobs += new + [NO_JOB] * (theirs.jobs - len(new))
            while theirs.aligned and self.ours.take_id() < self.ours.base + theirs.aligned:
                continue
            if kind != "|":
                note_difference(differences, line, theirs.lines,
                                self.ours.transcript(kind, done, jobs))
        return differences


class Pair:
    """Both clusters, side by side."""

    def __init__(self, folder, conf=""):
        self.systems = {name: System(name, folder, conf) for name in ("theirs", "ours")}
        self.threads = concurrent.futures.ThreadPoolExecutor(2)

    def start(self):
        self.both(lambda name: self.systems[name].start())

    def stop(self):
        for system in self.systems.values():
            system.yard.stop()

    def both(self, act):
        """act(name) for both at once -> {name: what it gave}."""
        return dict(zip(self.systems, self.threads.map(act, self.systems)))

    def align(self):
        """The same next job id on both."""
        ids = self.both(lambda name: self.systems[name].take_id())
        while len(set(ids.values())) > 1:
            lowest = min(ids, key=ids.get)
            ids[lowest] = self.systems[lowest].take_id()
        return ids["ours"]

    def run(self, case):
        """(differences {command line: lines}, [Said])."""
        self.both(lambda name: self.systems[name].clear())
        base = self.align()
        for system in self.systems.values():
            system.base = base
        jobs = {name: [] for name in self.systems}
        differences, recording = {}, []
        for kind, line in case.steps:
            if kind == "~":
                command, text = line.rsplit(" =>", 1)
                self.both(lambda name: self.systems[name].wait(command, text.strip(), jobs[name]))
                continue
            done = self.both(lambda name: self.systems[name].sh(line, jobs[name], kind))
            said = Said(line, [])
            self.note_jobs(done, jobs, said, base)
            if kind != "|":
                lines = {name: system.transcript(kind, done[name], jobs[name])
                         for name, system in self.systems.items()}
                said.lines = lines["theirs"]
                note_difference(differences, line, lines["theirs"], lines["ours"])
            recording.append(said)
        return differences, recording

    def note_jobs(self, done, jobs, said, base):
        """A job that only one of the two took leaves a gap in the other's list."""
        new = {name: submitted(done[name]) for name in self.systems}
        said.jobs = max(map(len, new.values()))
        for name in self.systems:
            jobs[name] += new[name] + [NO_JOB] * (said.jobs - len(new[name]))
        if len(set(map(len, new.values()))) > 1 or len({d.returncode for d in done.values()}) > 1:
            said.aligned = self.align() - base


class Clusters:
    """Pair or Alone, once for each shape that cases ask for, started when one does."""

    def __init__(self, kind, folder):
        self.kind, self.folder, self.started = kind, folder, {}

    def of(self, case):
        if case.conf not in self.started:
            # The length of a folder's name is seen where names are cut: the usual shape is alone.
            inner = f"{self.folder}/{len(self.started)}" if case.conf else self.folder
            self.started[case.conf] = cluster = self.kind(inner, case.conf)
            cluster.start()
        return self.started[case.conf]

    def stop(self):
        for cluster in self.started.values():
            cluster.stop()


NO_JOB = "99998"


def submitted(done):
    return SUBMITTED.findall(done.stdout + done.stderr)


def note_difference(differences, line, theirs, ours):
    if theirs != ours:
        diff = difflib.ndiff(theirs, ours)
        differences[line] = [text[0] + text[2:] for text in diff if text[0] in "-+"]


def write_recordings(recordings, folder=RECORDED):
    """Case -> [Said]; a file for each file of cases, in their order."""
    os.makedirs(folder, exist_ok=True)
    texts = {}
    for case in cases():
        text = texts.setdefault(case.file, [])
        text.append(f"== {case.name}")
        for said in recordings.get(case.name, []):
            text.append(f"$ {said.line}")
            if said.jobs or said.aligned:
                text.append(f"@ {said.jobs} {said.aligned}")
            text += [f"> {line}" for line in said.lines]
    for file, text in texts.items():
        with open(f"{folder}/{file}", "w") as f:
            f.write("\n".join(text) + "\n")


def read_recordings(folder=RECORDED):
    """Case -> [Said]."""
    found = {}
    for file in sorted(os.listdir(folder)):
        with open(f"{folder}/{file}") as f:
            for line in f.read().splitlines():
                kind, text = line[:2], line[2:]
                if kind == "==":
                    found[text.strip()] = recording = []
                elif kind == "$ ":
                    recording.append(Said(text, []))
                elif kind == "@ ":
                    recording[-1].jobs, recording[-1].aligned = map(int, text.split())
                elif kind == "> ":
                    recording[-1].lines.append(text)
                else:
                    raise ValueError(f"{file}: {line}")
    return found


class Case:
    def __init__(self, name, about, file, conf):
        self.name, self.about, self.file, self.conf, self.steps = name, about, file, conf, []


def cases(folder=f"{HERE}/cases"):
    found = []
    for file in sorted(os.listdir(folder)):
        about, conf = [], ""
        with open(f"{folder}/{file}") as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip("\n")
                if line.startswith("@ "):
                    assert not found or found[-1].file != file, f"{file}:{number}: too late"
                    conf += line[2:] + "\n"
                elif line.startswith("#"):
                    about.append(line[1:].strip())
                elif line.startswith("== "):
                    name = f"{file.removesuffix('.txt')}/{line[3:].strip()}"
                    assert name not in [case.name for case in found], f"{name} stands twice"
                    found.append(Case(name, " ".join(about), file, conf))
                    about = []
                elif line[:2] in ("$ ", "% ", "! ", "~ ", "| "):
                    found[-1].steps.append((line[0], line[2:]))
                elif line:
                    raise ValueError(f"{file}:{number}: {line}")
    return found


def read_differences(path=DIFFERENCES):
    """Case -> (reason, {command line: lines})."""
    found = {}
    with open(path) as f:
        sections = re.split(r"^## ", f.read(), flags=re.M)[1:]
    for section in sections:
        name, rest = section.split("\n", 1)
        reason, _, block = rest.partition("```diff\n")
        differences = {}
        for line in block.rpartition("```")[0].splitlines():
            if line.startswith("$ "):
                differences[line[2:]] = lines = []
            else:
                lines.append(line)
        found[name.strip()] = (reason.strip(), differences)
    return found


def write_differences(found, path=DIFFERENCES):
    with open(path) as f:
        head = re.split(r"^## ", f.read(), flags=re.M)[0].rstrip("\n")
    parts = [head + "\n"]
    for name, (reason, differences) in found.items():
        block = "".join(f"{line}\n" for line in as_lines(differences))
        parts.append(f"## {name}\n{reason}\n\n```diff\n{block}```\n")
    with open(path, "w") as f:
        f.write("\n".join(parts))


def as_lines(differences):
    return [text for line, lines in differences.items() for text in [f"$ {line}", *lines]]
