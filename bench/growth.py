#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How cost grows with jobs, nodes, users and steps.

usage: bench/growth.py [--bin FOLDER] [--only jobs,nodes,users,steps] [--quick]
                       [--json FILE] [--svg FILE]

Real daemons, one size after the other; what is counted is processor time (the kernel's count of
nanoseconds for each thread), of the controller, of slurmd and of the command, for each operation:
other programs on the machine make it longer, but not many times as long. Prints tables in Markdown
and with each column the power of the size with which it grows (0: not at all, 1: in proportion).
"""
import argparse
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {"jobs": (10, 100, 1000, 10_000, 100_000), "nodes": (4, 16, 64, 256, 1000),
         "users": (1, 10, 100, 1000), "steps": (1, 10, 100, 1000)}
QUICK = {"jobs": (10, 100), "nodes": (4, 16), "users": (1, 10), "steps": (1, 10)}
QUEUE = 1000  # jobs that the users ask for
TITLES = {"jobs": "pending jobs", "nodes": "nodes (without a machine: they answer at once)",
          "users": "users who ask squeue's usual question once a second",
          "steps": "steps that the job has had, one at a time"}


def cpu_ms(pid):
    """Of all threads that there are."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            total += int(f.read().split()[0])
    return total / 1e6


def memory_mb(pid):
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Pss:")) / 1024


class Bench:
    """Yards, and what is measured in them."""

    def __init__(self, bin):
        self.bin, self.yards = bin, []

    def yard(self, nodes=0, cpus=8, controller_of=1):
        from yard import Yard
        # What ended is forgotten soon, or the table of jobs would grow with the measuring.
        self.yards.append(Yard(tempfile.mkdtemp(prefix="ymgrowth."), nodes=nodes or controller_of,
                               cpus=cpus, min_job_age=2, extra="MaxJobCount=1000000"))
        os.chmod(self.yards[-1].dir, 0o755)  # other users ask, too
        self.yards[-1].start() if nodes else self.yards[-1].start_controller()
        return self.yards[-1]

    def end(self):
        for yard in self.yards:
            yard.stop()
            shutil.rmtree(yard.dir)
        self.yards = []

    def told(self, yard, program, *arguments):
        done = subprocess.run([f"{self.bin}/{program}", *map(str, arguments)], check=True,
                              capture_output=True, text=True, env=yard.env,
                              stdin=subprocess.DEVNULL)
        return json.loads(done.stdout.strip().splitlines()[-1])

    def place(self, yard):
        with open(f"{yard.dir}/slurm.conf") as f:
            return f"{yard.dir}/run/slurmctld.sock", f.readline().strip().split("=")[1]

    def submit(self, yard, count, window):
        return self.told(yard, "load", "submit", *self.place(yard), count, window, "held")

    def each(self, yard, count, *argv):
        """ms of the controller and of the command, for one."""
        before = cpu_ms(yard.pid("slurmctld"))
        found = self.told(yard, "drive", "spawn", count, 1, f"{self.bin}/{argv[0]}", *argv[1:])
        if found["failed"]:
            raise RuntimeError(f"{argv}: {found['failed']} failed")
        after = cpu_ms(yard.pid("slurmctld"))
        return (after - before) / count, 1000 * found["cpu_seconds"] / count


def of_jobs(bench, size):
    yard = bench.yard()
    bench.submit(yard, size, 512)
    one, one_command = bench.each(yard, 60, "squeue", "-h", "-j", "5")
    show, show_command = bench.each(yard, 60, "scontrol", "show", "job", "5")
    everything, all_command = bench.each(yard, 3, "squeue", "-h")
    memory = memory_mb(yard.pid("slurmctld"))
    before, count = cpu_ms(yard.pid("slurmctld")), 300
    bench.submit(yard, count, 1)
    submission = (cpu_ms(yard.pid("slurmctld")) - before) / count
    yard.kill9("slurmctld")
    begin = time.monotonic()
    yard.start_controller()
    yard.run("squeue", "-h", "-j", "5")
    restart = 1000 * (time.monotonic() - begin)
    return {"one submission, controller": submission, "squeue -j, controller": one,
            "squeue -j, command": one_command, "scontrol show job, controller": show,
            "scontrol show job, command": show_command, "squeue, controller": everything,
            "squeue, command": all_command, "restart (wall)": restart,
            "controller's memory, MB": memory}


def of_nodes(bench, size):
    yard = bench.yard(controller_of=size, cpus=64)
    before, count = cpu_ms(yard.pid("slurmctld")), 5000
    bench.told(yard, "mock", *bench.place(yard), size, 64, count, 256)
    job = (cpu_ms(yard.pid("slurmctld")) - before) / count
    listing, list_command = bench.each(yard, 30, "sinfo")
    every, every_command = bench.each(yard, 10, "sinfo", "-N", "-h")
    return {"a job from submission to end, controller": job, "sinfo, controller": listing,
            "sinfo, command": list_command, "sinfo -N, controller": every,
            "sinfo -N, command": every_command,
            "controller's memory, MB": memory_mb(yard.pid("slurmctld"))}


def of_users(bench, size, seconds=6):
    """While a job is submitted each half second, so that answers do not stay the same."""
    yard = bench.yard()
    bench.submit(yard, QUEUE, 512)
    pid = yard.pid("slurmctld")
    pollers = subprocess.Popen([f"{bench.bin}/load", "poll", *bench.place(yard), str(size), "1000"],
                               stdout=subprocess.PIPE, text=True)
    try:
        if pollers.stdout.readline() != "ready\n":
            raise RuntimeError("no pollers")
        before, begin = cpu_ms(pid), time.monotonic()
        while time.monotonic() - begin < seconds:
            bench.submit(yard, 1, 1)
            time.sleep(0.5)
        busy = (cpu_ms(pid) - before) / (time.monotonic() - begin)
    finally:
        pollers.send_signal(signal.SIGTERM)
        pollers.communicate()
    return {"controller, ms each second": busy, "the same for each user": busy / size,
            "controller's memory, MB": memory_mb(pid)}


def of_steps(bench, sizes):
    """One job has all of them: [(size, figures)]."""
    yard = bench.yard(nodes=1)
    yard.run("salloc", "--no-shell", "-n1")
    job = yard.run("squeue", "-h", "-o", "%A").stdout.split()[0]
    found, had = [], 0
    for size in sizes:
        count = size - had
        pids = [yard.pid(name) for name in ("slurmctld", "slurmd-n1")]
        before = [cpu_ms(pid) for pid in pids]
        told = bench.told(yard, "drive", "spawn", count, 1, f"{bench.bin}/srun", f"--jobid={job}",
                          "-n1", "/bin/true")
        if told["failed"]:
            raise RuntimeError(f"{told['failed']} steps failed")
        spent = [(cpu_ms(pid) - b) / count for pid, b in zip(pids, before)]
        found.append((size, {"a step, controller": spent[0], "a step, slurmd": spent[1],
                             "a step, srun": 1000 * told["cpu_seconds"] / count,
                             "a step (wall)": 1000 * told["p50"]}))
        had = size
    return found


MEASURES = {"jobs": of_jobs, "nodes": of_nodes, "users": of_users}


def measure(bench, kind, sizes):
    if kind == "steps":
        try:
            return of_steps(bench, sizes)
        finally:
            bench.end()
    found = []
    for size in sizes:
        print(f"{kind}: {size:,}", file=sys.stderr, flush=True)
        try:
            found.append((size, MEASURES[kind](bench, size)))
        finally:
            bench.end()
    return found


def steepness(points):
    """The power of the size, between the first and the last; None where there is none."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    if x0 == x1 or y0 <= 0 or y1 <= 0:
        return None
    return math.log(y1 / y0) / math.log(x1 / x0)


def columns(found):
    return list(found[0][1])


def table(kind, found):
    heads = columns(found)
    lines = [f"| {TITLES[kind]} | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for size, figures in found:
        cells = [f"{figures[head]:,.3g}" if figures[head] < 1000 else f"{figures[head]:,.0f}"
                 for head in heads]
        lines.append(f"| {size:,} | " + " | ".join(cells) + " |")
    powers = [steepness([(size, figures[head]) for size, figures in found]) for head in heads]
    lines.append("| power | " + " | ".join("–" if p is None else f"{p:.2f}" for p in powers) + " |")
    return "\n".join(lines)


# --- the plot: a panel for each kind, both axes logarithmic ---

COLOURS = ("#1e6fb3", "#b3541e", "#2e8b57", "#7b3fa0", "#a08a1e", "#c2185b", "#4f6d7a", "#8d6e63",
           "#37474f")
WIDE, HIGH, LEFT, TOP, LEGEND = 560, 300, 70, 40, 20


def panel(kind, found, top):
    curves = {head: [(size, figures[head]) for size, figures in found if figures[head] > 0]
              for head in columns(found) if "MB" not in head}
    curves = {head: points for head, points in curves.items() if len(points) > 1}
    xs = [x for points in curves.values() for x, _ in points]
    ys = [y for points in curves.values() for _, y in points]
    if not xs:
        return []
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    first, last = math.log10(min(xs)), math.log10(max(xs))

    def at(x, y):
        across = (math.log10(x) - first) / max(1e-9, last - first)
        up = (math.log10(y) - low) / max(1, high - low)
        return LEFT + across * WIDE, top + TOP + (1 - up) * HIGH

    out = [f'<text x="{LEFT}" y="{top + 22}" class="title">{TITLES[kind]}</text>']
    for x in sorted(set(xs)):
        across = at(x, 10.0 ** low)[0]
        out.append(f'<line x1="{across:.1f}" y1="{top + TOP}" x2="{across:.1f}" '
                   f'y2="{top + TOP + HIGH}"/><text x="{across:.1f}" y="{top + TOP + HIGH + 16}" '
                   f'class="x">{x:,}</text>')
    for power in range(low, high + 1):
        up = at(min(xs), 10.0 ** power)[1]
        out.append(f'<line x1="{LEFT}" y1="{up:.1f}" x2="{LEFT + WIDE}" y2="{up:.1f}"/>'
                   f'<text x="{LEFT - 6}" y="{up + 4:.1f}" class="y">{10.0 ** power:g} ms</text>')
    for i, (head, points) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*p) for p in points))
        out.append(f'<polyline points="{path}" stroke="{colour}"/>')
        below = top + TOP + LEGEND * (i + 0.5)
        out.append(f'<line x1="{LEFT + WIDE + 15}" y1="{below:.1f}" x2="{LEFT + WIDE + 35}" '
                   f'y2="{below:.1f}" style="stroke:{colour};stroke-width:2"/>'
                   f'<text x="{LEFT + WIDE + 40}" y="{below + 4:.1f}">{head}</text>')
    return out


def plot(all_found):
    each = HIGH + TOP + 40
    body = [line for i, (kind, found) in enumerate(all_found.items())
            for line in panel(kind, found, i * each)]
    style = ("text{font:12px sans-serif}.title{font-size:14px}.x{text-anchor:middle}"
             ".y{text-anchor:end}line{stroke:#ddd}polyline{fill:none;stroke-width:2}")
    width, height = LEFT + WIDE + 300, each * len(all_found)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
                      f'<style>{style}</style><rect width="{width}" height="{height}" '
                      'fill="white"/>', *body, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(HERE, "../build/release/bin"))
    parser.add_argument("--only", default=",".join(SIZES), help="of " + ",".join(SIZES))
    parser.add_argument("--quick", action="store_true", help="small sizes: does it work?")
    parser.add_argument("--json", help="write all figures there")
    parser.add_argument("--svg", help="write the plot there")
    given = parser.parse_args()
    kinds = given.only.split(",")
    if unknown := [kind for kind in kinds if kind not in SIZES]:
        parser.error(f"no {unknown[0]}; there are {' '.join(SIZES)}")
    os.environ["YM_BIN"] = bin = os.path.abspath(given.bin)
    sys.path.insert(0, os.path.join(HERE, "../tests/cluster"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # not without the yards' end
    bench, found = Bench(bin), {}
    for kind in kinds:
        found[kind] = measure(bench, kind, (QUICK if given.quick else SIZES)[kind])
        print(table(kind, found[kind]) + "\n", flush=True)
    if given.json:
        with open(given.json, "w") as f:
            json.dump(found, f, indent=1)
    if given.svg:
        with open(given.svg, "w") as f:
            f.write(plot(found))


if __name__ == "__main__":
    main()
