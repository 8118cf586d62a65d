# SPDX-License-Identifier: Apache-2.0
"""Reading a long queue: the first line, all of it, one job of it, and a thousand who ask again and
again while jobs start."""
import json
import os
import signal
import statistics
import subprocess

PENDING = 100_000


def lines(tools, yard, count, line, *command):
    return tools.one_json(tools.load, "lines", str(count), str(line), *command, env=yard.env)


def bench_queue(tools, report, rounds=7):
    """squeue of 100,000 pending jobs: first line and all of them; one job, and a user's few."""
    yard = tools.new_yard()
    tools.one_json(tools.load, "submit", tools.socket_of(yard), tools.cluster_of(yard),
                   str(PENDING), "512", "held")
    squeue = f"{tools.bin}/squeue"
    found = [lines(tools, yard, 1, 2, squeue) for _ in range(rounds)]
    report("first line of 100,000 jobs, ms",
           1000 * statistics.median(f["line_seconds"] for f in found), "goal 20")
    report("all of 100,000 jobs, ms", 1000 * statistics.median(f["seconds"] for f in found),
           f"{found[0]['bytes']} bytes")
    one, noop = [], []
    for _ in range(rounds):
        noop.append(tools.one_json(tools.load, "spawn", "200", f"{tools.bin}/noop"))
        one.append(tools.one_json(tools.load, "spawn", "100", squeue, "-j", "77", env=yard.env))
    ratio = statistics.median(o["median_seconds"] / n["median_seconds"]
                              for o, n in zip(one, noop))
    report("squeue -j ID among them, ms",
           1000 * statistics.median(o["median_seconds"] for o in one),
           f"{ratio:.2f} x the time of a static no-op (goal 3)")
    few = lines(tools, yard, 20, 1, squeue, "-u", "nobody")
    report("squeue -u of one without jobs, ms", 1000 * few["seconds"], "")


def run_jobs(tools, yard, count):
    return tools.one_json(tools.load, "run", tools.socket_of(yard), tools.cluster_of(yard),
                          str(count), "256")["per_second"]


class Pollers:
    """A thousand users, each with squeue's usual question about once a second."""

    def __init__(self, tools, yard, count, pause_ms, nice=0):
        self.nice = nice
        os.chmod(yard.dir, 0o755)  # or they do not reach the socket
        self.command = [tools.load, "poll", tools.socket_of(yard), tools.cluster_of(yard),
                        str(count), str(pause_ms)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: os.nice(self.nice))
        assert self.process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.found = json.loads(self.process.communicate()[0])


def bench_pollers(tools, report, rounds=15, count=1500, pollers=1000):
    """The rate at which jobs start and end, with and without a thousand pollers, in turn."""
    yard = tools.new_yard(nodes=1, cpus=8)
    run_jobs(tools, yard, count)
    ratios, answered, own = [], [], []
    for _ in range(rounds):
        alone = run_jobs(tools, yard, count)
        with Pollers(tools, yard, pollers, 1000) as many:
            beside = run_jobs(tools, yard, count)
        again = run_jobs(tools, yard, count)
        ratios.append(2 * beside / (alone + again))
        answered.append(many.found["per_second"])
        own.append(100 * many.found["cpu_seconds"] / many.found["seconds"] / os.cpu_count())
    lost = [100 * (1 - part) for part in statistics.quantiles(ratios, n=4)]
    report("jobs/s beside 1,000 pollers, % lost", lost[1],
           f"half of {rounds} rounds {lost[2]:.1f} to {lost[0]:.1f}, "
           f"{statistics.median(answered):.0f} answers/s; the pollers themselves take "
           f"{statistics.median(own):.1f} % of the processors (goal 5)")
