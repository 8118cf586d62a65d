#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a pass of the planner costs, by the size of the cluster and of the queue.

usage: bench/scheduling.py [--bin FOLDER] [--filter REGEX] [--json FILE] [--svg FILE]

Runs schedule_bench on synthetic clusters that are made from a seed
(src/schedule/planner_bench.cc) and prints tables in Markdown. Times are CPU time of one thread:
other programs on the machine make them longer, but not many times as long. The largest cluster
needs two gigabytes; all of it takes some minutes.
"""
import argparse
import json
import math
import os
import resource
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# (nodes, jobs): median and p99 of "a job ends", most of a full pass, in milliseconds
GOALS = {
    (1000, 10_000): (None, None, 50),
    (10_000, 100_000): (None, None, 300),
    (100_000, 1_000_000): (2, 50, 5000),
}
PLACEMENT = "place_with_cores_gpus_and_topology"
PLACEMENT_GOAL_US = 20


def run(program, pattern):
    done = subprocess.run([program, f"--benchmark_filter={pattern}", "--benchmark_format=json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["benchmarks"]


def measure(program, only):
    """{(nodes, jobs): {"job_ends": counters, "full_pass": counters, ...}}"""
    names = ["job_ends", "full_pass", "job_ends_in_full_pass"]
    found = {}
    # One process for each size: memory of one is not counted for the next.
    sizes = {tuple(one.split("/")[1:3]) for one in list_of(program)
             if one.split("/")[0] in names}
    for nodes, jobs in sorted(sizes, key=lambda size: (int(size[0]), int(size[1]))):
        if only not in f"/{nodes}/{jobs}/":
            continue
        for one in run(program, f"^({'|'.join(names)})/{nodes}/{jobs}/"):
            found.setdefault((int(nodes), int(jobs)), {})[one["name"].split("/")[0]] = one
        print(".", end="", flush=True)
    print()
    return found


def list_of(program):
    done = subprocess.run([program, "--benchmark_list_tests"], check=True, capture_output=True,
                          text=True)
    return done.stdout.split()


def in_ms(microseconds):
    return f"{microseconds / 1000:,.2f}" if microseconds < 10_000 else f"{microseconds / 1000:,.0f}"


def row(size, found):
    cells = [f"{size[0]:,}", f"{size[1]:,}"]
    for name in ("job_ends", "job_ends_in_full_pass"):
        one = found.get(name)
        cells += [in_ms(one["p50_us"]), in_ms(one["p99_us"])] if one else ["", ""]
    full = found.get("full_pass")
    cells += [in_ms(full["p50_us"]), f"{full['promises']:,.0f}"] if full else ["", ""]
    goal = GOALS.get(size, (None, None, None))
    goals = ["–" if one is None else f"{one:,}" for one in goal]
    cells.append(" / ".join(goals) if any(goal) else "")
    return "| " + " | ".join(cells) + " |"


# --- the plot: two panels, cost against jobs and against nodes, both axes logarithmic ---

WIDTH, HEIGHT, MARGIN, GAP = 900, 380, 60, 70
COLOURS = {"full_pass": "#b3541e", "job_ends": "#1e6fb3"}
LABELS = {"full_pass": "full pass, median", "job_ends": "a job ends: quick pass, median"}


def series(found, name, along, fixed):
    """[(size, milliseconds)], along jobs (1) or nodes (0) where the other is as given."""
    return sorted((size[along], one[name]["p50_us"] / 1000) for size, one in found.items()
                  if name in one and size[1 - along] == fixed)


class Panel:
    def __init__(self, left, curves, title):
        self.left, self.curves, self.title = left, curves, title
        self.width = (WIDTH - 2 * MARGIN - GAP) / 2
        xs = [x for points in curves.values() for x, _ in points]
        ys = [y for points in curves.values() for _, y in points]
        self.x = (math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs))))
        self.y = (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))))

    def at(self, x, y):
        across = (math.log10(x) - self.x[0]) / max(1, self.x[1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / max(1, self.y[1] - self.y[0])
        return (self.left + across * self.width,
                HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN))

    def grid(self):
        out = [f'<text x="{self.left}" y="{MARGIN - 18}" class="title">{self.title}</text>']
        for power in range(self.x[0], self.x[1] + 1):
            x, y = self.at(10 ** power, 10 ** self.y[0])
            out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{MARGIN}"/>'
                       f'<text x="{x:.1f}" y="{y + 18:.1f}" class="x">{10 ** power:,}</text>')
        for power in range(self.y[0], self.y[1] + 1):
            x, y = self.at(10 ** self.x[0], 10 ** power)
            text = f"{10.0 ** power:g} ms" if power < 3 else f"{10.0 ** (power - 3):g} s"
            out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x + self.width:.1f}" y2="{y:.1f}"/>'
                       f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" class="y">{text}</text>')
        return out

    def lines(self):
        out = []
        for name, points in self.curves.items():
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*p) for p in points))
            out.append(f'<polyline points="{path}" stroke="{COLOURS[name]}"/>')
            for x, y in (self.at(*p) for p in points):
                out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[name]}"/>')
            x, y = self.at(*points[-1])
            out.append(f'<text x="{x:.1f}" y="{y - 10:.1f}" class="curve" '
                       f'fill="{COLOURS[name]}">{LABELS[name]}</text>')
        return out


def plot(found):
    panels = []
    for along, fixed, title in ((1, 1000, "1,000 nodes, so many pending jobs"),
                                (0, 100_000, "100,000 pending jobs, so many nodes")):
        curves = {name: series(found, name, along, fixed) for name in COLOURS}
        curves = {name: points for name, points in curves.items() if len(points) > 1}
        if curves:
            left = MARGIN + len(panels) * ((WIDTH - 2 * MARGIN - GAP) / 2 + GAP)
            panels.append(Panel(left, curves, title))
    if not panels:
        return None
    body = [line for panel in panels for line in panel.grid() + panel.lines()]
    style = ("text{font:12px sans-serif}.title{font-size:14px}.x{text-anchor:middle}"
             ".y,.curve{text-anchor:end}line{stroke:#ddd}polyline{fill:none;stroke-width:2}")
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
            f'<style>{style}</style><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    return "\n".join([head, *body, "</svg>\n"])


def steepness(points):
    """The power of the size with which the cost grows, from the least to the largest."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    return math.log(y1 / y0) / math.log(x1 / x0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(HERE, "../build/release/bin"))
    parser.add_argument("--filter", default="/", help="of the sizes: /1000/ for a thousand nodes")
    parser.add_argument("--json", help="write all figures there")
    parser.add_argument("--svg", help="write the plot there")
    given = parser.parse_args()
    program = os.path.join(given.bin, "schedule_bench")
    found = measure(program, given.filter)
    print("| nodes | pending jobs | a job ends: median ms | p99 ms | within a full pass: median ms "
          "| p99 ms | full pass ms | promises | goals: median / p99 / full |")
    print("|---|---|---|---|---|---|---|---|---|")
    for size in sorted(found):
        print(row(size, found[size]))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 / 1024
    print(f"\nMemory of the largest cluster, state and planner: {most:.1f} GB (goal 4)")
    placed = [one for one in run(program, f"^{PLACEMENT}/") if "us_per_node" in one]
    for one in placed:
        print(f"Placement among {one['name'].split('/')[1]} nodes: "
              f"{one['us_per_node']:.2f} us for each (goal {PLACEMENT_GOAL_US})")
    for along, fixed, what in ((1, 1000, "jobs"), (0, 100_000, "nodes")):
        for name in COLOURS:
            points = series(found, name, along, fixed)
            if len(points) > 1:
                print(f"{LABELS[name]}: grows with {what} to the power of {steepness(points):.2f}")
    if given.json:
        with open(given.json, "w") as f:
            json.dump({"passes": [dict(nodes=size[0], jobs=size[1], **found[size])
                                  for size in sorted(found)],
                       "placement": placed, "most_memory_gb": most}, f, indent=1)
    picture = plot(found) if given.svg else None
    if picture:
        with open(given.svg, "w") as f:
            f.write(picture)


if __name__ == "__main__":
    main()
