# SPDX-License-Identifier: Apache-2.0
"""Debian's slurm-wlm beside ours and a bare loop of posix_spawn: the same commands, in turn, in one
run. Every round asks all of them, so that a busy moment hurts all alike; while one is asked the
other's daemons are stopped, so that neither pays for what the other does in the background. Medians
of the rounds' ratios are what counts."""
import contextlib
import os
import signal
import statistics
import subprocess
import time

from launching import spawn_seconds

# As its makers advise for many short jobs: schedule at once, forget soon, write few logs.
QUICK = """\
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
SlurmctldDebug=error
SlurmdDebug=error
MaxJobCount=200000
MaxArraySize=10001
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
"""
ARRAY = 10000
CPUS = 64  # many: its scheduler starts jobs in rounds, as many as fit
OURS, THEIRS = "ours", "Debian's Slurm"


class Beside:
    def __init__(self, tools):
        self.tools = tools
        self.yards = {OURS: tools.new_yard(nodes=1, cpus=CPUS),
                      THEIRS: tools.new_slurm(CPUS, QUICK)}

    @contextlib.contextmanager
    def alone(self, name):
        """The daemons of the others stand still meanwhile."""
        pids = [yard.pid(daemon) for other, yard in self.yards.items() if other != name
                for daemon in ("slurmctld", *(f"slurmd-n{i + 1}" for i in range(yard.nodes)))]
        pids = [pid for pid in pids if pid]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def timed(self, name, *command):
        yard = self.yards[name]
        begin = time.perf_counter()
        subprocess.run(command, env=yard.env, cwd=f"{yard.dir}/out", check=True, close_fds=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return time.perf_counter() - begin

    def bare(self, count=300):
        return spawn_seconds(self.tools.one_json, self.tools.load, count, "/bin/sh", "-c", "true")

    def program(self, name, program):
        return f"{self.tools.bin}/{program}" if name == OURS else f"/usr/bin/{program}"

    def rounds(self, count, measure):
        """count times {name: what measure(name) gives, "bare": seconds of a bare spawn}."""
        found = []
        for _ in range(count):
            times = {"bare": self.bare()}
            for name in self.yards:
                with self.alone(name):
                    times[name] = measure(name)
            found.append(times)
        return found

    def array_seconds(self, name, count):
        """One array of `true`, from sbatch to the last end, for each job."""
        yard = self.yards[name]
        begin = time.perf_counter()
        yard.run("sbatch", "-Q", "-o", "/dev/null", f"--array=1-{count}", "--wrap", "true")
        while yard.run("squeue", "-h").stdout:
            time.sleep(0.1)
        return (time.perf_counter() - begin) / count

    def srun_seconds(self, name, count=20):
        return statistics.median(self.timed(name, self.program(name, "srun"), "true")
                                 for _ in range(count))

    def sbatch_seconds(self, name, count=150):
        yard = self.yards[name]
        return spawn_seconds(self.tools.one_json, self.tools.load, count,
                             self.program(name, "sbatch"), "--hold", f"{yard.dir}/out/job.sh",
                             env=yard.env)

    def queue_jobs(self, count):
        """That many pending jobs in each, a record for each of them."""
        wanted = {name: count - len(yard.run("squeue", "-h", "-o", "%i").stdout.split())
                  for name, yard in self.yards.items()}
        ours, theirs = self.yards[OURS], self.yards[THEIRS]
        self.tools.one_json(self.tools.load, "submit", self.tools.socket_of(ours),
                            self.tools.cluster_of(ours), str(wanted[OURS]), "512", "held")
        # A change of some tasks takes them out of the array, one record each.
        left = wanted[THEIRS]
        while left > 0:
            some = min(left, ARRAY)
            array = theirs.run("sbatch", "--hold", "--parsable", f"--array=1-{some}",
                               "--wrap", "true").stdout.strip()
            theirs.run("scontrol", "update", f"jobid={array}_[1-{some - 1}]", "nice=5")
            left -= some
        for name, yard in self.yards.items():
            there = len(yard.run("squeue", "-h", "-o", "%i").stdout.split())
            # Theirs keeps some of the elements of a large array in one record.
            assert 0.99 * count <= there <= count, f"{name} has {there} pending jobs, not {count}"


def say(report, what, found, per_second=False):
    """Two rows, ours and theirs, with the ratio of each round's times."""
    for name in (OURS, THEIRS):
        value = statistics.median(r[name] for r in found)
        to_bare = statistics.median(r[name] / r["bare"] for r in found)
        remark = f"{to_bare:.1f} x a bare spawn of sh -c true"
        if name == THEIRS:
            remark += f"; {statistics.median(r[THEIRS] / r[OURS] for r in found):.1f} x our time"
        report(f"{what}, {name}", 1 / value if per_second else 1000 * value, remark)


def bench_slurm(tools, report, rounds=3, jobs=300, pending=10000):
    beside = Beside(tools)
    for yard in beside.yards.values():
        with open(f"{yard.dir}/out/job.sh", "w") as f:
            f.write("#!/bin/sh\ntrue\n")
    say(report, "srun true, ms", beside.rounds(rounds + 2, beside.srun_seconds))
    found = beside.rounds(rounds, lambda name: beside.array_seconds(name, jobs))
    say(report, "batch jobs/s", found, per_second=True)
    say(report, "sbatch/s", beside.rounds(rounds, beside.sbatch_seconds), per_second=True)
    beside.queue_jobs(pending)
    found = beside.rounds(rounds + 6,
                          lambda name: beside.timed(name, beside.program(name, "squeue")))
    say(report, f"squeue of {pending} jobs, ms", found)


def bench_slurm_queue(tools, report, rounds=5, pending=100000):
    """squeue of a long queue, to its first job and to its end."""
    beside = Beside(tools)
    beside.queue_jobs(pending)

    def listed(name):
        with beside.alone(name):
            return tools.one_json(tools.load, "lines", "1", "2", beside.program(name, "squeue"),
                                  env=beside.yards[name].env)

    found = [{name: listed(name) for name in beside.yards} for _ in range(rounds)]
    for what, key in (("first job", "line_seconds"), ("all", "seconds")):
        for name in (OURS, THEIRS):
            value = statistics.median(f[name][key] for f in found)
            ratio = statistics.median(f[THEIRS][key] / f[OURS][key] for f in found)
            report(f"squeue of {pending} jobs, {what}, {name}, ms", 1000 * value,
                   f"{ratio:.1f} x our time (goal 10 for all)" if name == THEIRS else "")
