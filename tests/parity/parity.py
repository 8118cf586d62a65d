# SPDX-License-Identifier: Apache-2.0
"""The same command lines given to Debian's Slurm and to Yardmaster; what differs, by case.

A file of cases (cases/*.txt):

    # What is asked here, in words.
    == name_of_the_case
    $ COMMAND LINE          run by sh in both clusters; output and exit code are compared
    % COMMAND LINE          run in both; only the exit code is compared
    ~ COMMAND => TEXT       wait in both until the command prints TEXT; not compared
    | COMMAND LINE          run in both and forgotten (to prepare and to clean up)

$J1, $J2 … are the jobs submitted so far in the case. Both clusters are brought to the same next job
id, without jobs, before each case; the ids are printed as Job01, Job02 … What may differ by nature
(times, folders, host, version) is replaced by something of the same width where columns matter.

differences.md holds, for each case that differs, a reason and the difference itself, line by line.
"""
import concurrent.futures
import difflib
import os
import re
import signal
import subprocess
import time

import debian_slurm
from yard import Yard

HERE = os.path.dirname(os.path.abspath(__file__))
DIFFERENCES = f"{HERE}/differences.md"
PATIENCE = 3  # s, for one command line; longer means that it waits for ever

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


class Pair:
    """Both clusters, side by side."""

    def __init__(self, folder):
        self.systems = {}
        self.base = 0  # the last id used before the case
        self.threads = concurrent.futures.ThreadPoolExecutor(2)
        for name, make in (("theirs", debian_slurm.DebianSlurm), ("ours", Yard)):
            dir = f"{folder}/{name}"
            os.makedirs(dir)
            yard = self.systems[name] = make(dir, nodes=4, cpus=4, extra=EXTRA)
            with open(f"{dir}/slurm.conf") as f:
                text = re.sub("^ClusterName=.*", "ClusterName=parity", f.read(), flags=re.M)
            with open(f"{dir}/slurm.conf", "w") as f:
                f.write(text + PARTITIONS)
            with open(f"{dir}/out/job.sh", "w") as f:
                f.write("#!/bin/sh\n#SBATCH --job-name=script\nsleep 1000\n")
            yard.env.update(TZ="UTC", LC_ALL="C", SLURM_TIME_FORMAT="standard", HOME="/")

    def start(self):
        def start(name):
            self.systems[name].start_controller()
            for i in range(1, self.systems[name].nodes + 1):
                self.systems[name].start_node(i)
            self.wait(name, IDLE, "idle 4")
        self.both(start)

    def stop(self):
        for yard in self.systems.values():
            yard.stop()

    def sh(self, name, line, jobs=()):
        yard = self.systems[name]
        env = dict(yard.env, **{f"J{i + 1}": job for i, job in enumerate(jobs)})
        run = subprocess.Popen(["sh", "-c", line], env=env, cwd=f"{yard.dir}/out", text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGTERM)
            out, err = run.communicate()
            err += f"(did not end within {PATIENCE} s)\n"
        return subprocess.CompletedProcess(line, run.returncode, out, err)

    def wait(self, name, command, text, jobs=(), seconds=20):
        end = time.monotonic() + seconds
        while (said := self.sh(name, command, jobs).stdout.strip()) != text:
            if time.monotonic() > end:
                raise TimeoutError(f"{name}: {command} says {said!r}, not {text!r}")
            time.sleep(0.02)

    def next_id(self, name):
        job = int(self.sh(name, "sbatch --parsable --hold --wrap true").stdout.split(";")[0])
        self.sh(name, f"scancel {job}")
        return job

    def both(self, act):
        """act(name) for both at once -> {name: what it gave}."""
        return dict(zip(self.systems, self.threads.map(act, self.systems)))

    def align(self):
        """The same next job id on both."""
        ids = self.both(self.next_id)
        while len(set(ids.values())) > 1:
            lowest = min(ids, key=ids.get)
            ids[lowest] = self.next_id(lowest)
        return ids["ours"]

    def reset(self):
        """No jobs, all nodes in service, the same next id."""
        def clear(name):
            self.sh(name, "scancel --quiet $(squeue -h -o %A | sort -u) 2>/dev/null")
            self.wait(name, "squeue -h", "")
            if self.sh(name, IDLE).stdout.split() != ["idle", "4"]:
                self.sh(name, "scontrol update nodename=n[1-4] state=resume")
                self.wait(name, IDLE, "idle 4")
        self.both(clear)
        self.base = self.align()

    def run(self, case):
        """(differences {command line: lines}, everything that each printed {name: lines})."""
        self.reset()
        texts = {name: [] for name in self.systems}
        jobs = {name: [] for name in self.systems}
        differences = {}
        for kind, line in case.steps:
            if kind == "~":
                command, text = line.rsplit(" =>", 1)
                self.both(lambda name: self.wait(name, command, text.strip(), jobs[name]))
                continue
            done = self.both(lambda name: self.sh(name, line, jobs[name]))
            self.note_jobs(done, jobs)
            if kind == "|":
                continue
            said = {name: self.transcript(name, kind, done[name], jobs[name])
                    for name in self.systems}
            if said["theirs"] != said["ours"]:
                diff = difflib.ndiff(said["theirs"], said["ours"])
                differences[line] = [text[0] + text[2:] for text in diff if text[0] in "-+"]
            for name in self.systems:
                texts[name] += [f"$ {line}", *said[name]]
        return differences, texts

    def note_jobs(self, done, jobs):
        """A job that only one of the two took leaves a gap in the other's list."""
        new = {name: SUBMITTED.findall(done[name].stdout + done[name].stderr)
               for name in self.systems}
        most = max(map(len, new.values()))
        for name in self.systems:
            jobs[name] += new[name] + ["99998"] * (most - len(new[name]))
        if len(set(map(len, new.values()))) > 1 or len({d.returncode for d in done.values()}) > 1:
            self.align()

    def transcript(self, name, kind, done, jobs):
        lines = []
        if kind == "$":
            lines += self.normal(name, done.stdout, jobs).splitlines()
            # Who of several processes complains first is chance, and so are some notices.
            lines += sorted(f"2> {text}"
                            for text in self.normal(name, done.stderr, jobs).splitlines()
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

    def normal(self, name, text, jobs):
        yard = self.systems[name]
        text = re.sub(r"(?<!\d)5\d{4}(?!\d)", lambda m: self.job_name(m[0], jobs), text)
        for pattern, by in (
                (re.escape(yard.dir), "<dir>"),
                (r"\b(%s)\b" % re.escape(os.uname().nodename), "<host>"),
                (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "<- date and time ->"),
                (r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4}", "<----- date and time --->"),
                (r"\d\d/\d\d-\d\d:\d\d:\d\d", "<-- date -->"),
                (r"(?<=[ |,])(\d\d:)?0?\d:\d\d(?= |$|\||,)", lambda m: re.sub(r"\d", "0", m[0])),
                (r"(?<=RunTime=)\d\d:\d\d:\d\d", "00:00:00"),
                (r"\b(Port|Pid|AllocNode:Sid|CPULoad|FreeMem|SLUID)=\S+", r"\1=<n>"),
                (r"\bPriority=[1-9]\d*", "Priority=<p>"),
                (r"\.\d+\.new\b", ".<n>.new"),
                (r"\bScheduler=\w+", "Scheduler=<s>")):
            text = re.sub(pattern, by, text, flags=re.M)
        return text


class Case:
    def __init__(self, name, about, file):
        self.name, self.about, self.file, self.steps = name, about, file, []


def cases(folder=f"{HERE}/cases"):
    found = []
    for file in sorted(os.listdir(folder)):
        about = []
        with open(f"{folder}/{file}") as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip("\n")
                if line.startswith("#"):
                    about.append(line[1:].strip())
                elif line.startswith("== "):
                    name = f"{file.removesuffix('.txt')}/{line[3:].strip()}"
                    assert name not in [case.name for case in found], f"{name} stands twice"
                    found.append(Case(name, " ".join(about), file))
                    about = []
                elif line[:2] in ("$ ", "% ", "~ ", "| "):
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
