#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a pass of the planner costs, by the size of the cluster and of the queue.

usage: bench/scheduling.py [--bin FOLDER] [--filter REGEX]

Runs schedule_bench on synthetic clusters that are made from a seed
(src/schedule/planner_bench.cc) and prints a table in Markdown. Times are CPU time of one thread.
The largest cluster needs some gigabytes and minutes.
"""
import argparse
import json
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


def measure(program, only):
    """{(nodes, jobs): {"job_ends": counters, "full_pass": counters}}"""
    names = ["job_ends", "full_pass"]
    found = {}
    done = subprocess.run([program, f"--benchmark_filter=^({'|'.join(names)}){only}",
                           "--benchmark_format=json"], check=True, capture_output=True, text=True)
    for one in json.loads(done.stdout)["benchmarks"]:
        name, nodes, jobs = one["name"].split("/")[:3]
        found.setdefault((int(nodes), int(jobs)), {})[name] = one
    return found


def in_ms(microseconds):
    return f"{microseconds / 1000:,.2f}" if microseconds < 10_000 else f"{microseconds / 1000:,.0f}"


def row(size, found):
    ends, full = found.get("job_ends"), found.get("full_pass")
    cells = [f"{size[0]:,}", f"{size[1]:,}"]
    cells += [in_ms(ends["p50_us"]), in_ms(ends["p99_us"])] if ends else ["", ""]
    cells += [in_ms(full["p50_us"]), f"{full['promises']:,.0f}"] if full else ["", ""]
    goal = GOALS.get(size, (None, None, None))
    goals = ["–" if one is None else f"{one:,}" for one in goal]
    cells.append(" / ".join(goals) if any(goal) else "")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(HERE, "../build/release/bin"))
    parser.add_argument("--filter", default="/", help="of the sizes: /1000/ for a thousand nodes")
    given = parser.parse_args()
    found = measure(os.path.join(given.bin, "schedule_bench"), given.filter)
    print("| nodes | pending jobs | a job ends: median ms | p99 ms | full pass ms | promises "
          "| goals |")
    print("|---|---|---|---|---|---|---|")
    for size in sorted(found):
        print(row(size, found[size]))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 / 1024
    print(f"\nMemory of the largest cluster, state and planner: {most:.1f} GB")


if __name__ == "__main__":
    main()
