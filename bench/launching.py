# SPDX-License-Identifier: Apache-2.0
"""How fast a node starts things, against a bare loop of posix_spawn in the same run."""
import statistics
import subprocess
import time


def spawn_seconds(one_json, load, count, *command, env=None):
    return one_json(load, "spawn", str(count), *command, env=env)["seconds"] / count


def bench_jobs(tools, report, rounds=3, count=1500):
    """Batch jobs of /bin/true through one slurmd, from submission to the end, log durable."""
    yard = tools.new_yard(nodes=1, cpus=8)
    ratios, rates = [], []
    for _ in range(rounds):
        bare = 1 / spawn_seconds(tools.one_json, tools.load, 1000, "/bin/sh", "-c", "true")
        ours = tools.one_json(tools.load, "run", tools.socket_of(yard), tools.cluster_of(yard),
                              str(count), "256")["per_second"]
        ratios.append(ours / bare)
        rates.append(ours)
    report("batch jobs/s through one slurmd", statistics.median(rates),
           f"{100 * statistics.median(ratios):.0f} % of a bare loop of sh -c true (goal 40)")


def bench_mock(tools, report, rounds=3, count=60_000):
    """Jobs through submission, planning, start and end, log durable; nodes that answer at once."""
    rates = []
    for _ in range(rounds):
        yard = tools.new_yard(controller_of=8, cpus=64)
        rates.append(tools.one_json(f"{tools.bin}/mock", tools.socket_of(yard),
                                    tools.cluster_of(yard), "8", "64", str(count),
                                    "4096")["per_second"])
    report("jobs/s with nodes that answer at once", statistics.median(rates), "goal 20000")


def bench_srun(tools, report, rounds=5, count=60):
    """One `srun true` from start to exit, with an allocation of its own and within one."""
    yard = tools.new_yard(nodes=1, cpus=8)
    ratios, times = [], []
    for _ in range(rounds):
        bare = tools.one_json(tools.load, "spawn", "300", "/bin/sh", "-c", "true")
        ours = tools.one_json(tools.load, "spawn", str(count), f"{tools.bin}/srun", "true",
                              env=yard.env, stdin=subprocess.DEVNULL)
        ratios.append(ours["median_seconds"] / bare["median_seconds"])
        times.append(ours["median_seconds"])
    report("srun true, ms", 1000 * statistics.median(times),
           f"{statistics.median(ratios):.1f} x a bare spawn of sh -c true (goal 8)")
    report_memory(tools, yard, report)


def private_kb(pid):
    total = 0
    with open(f"/proc/{pid}/smaps_rollup") as f:
        for line in f:
            if line.startswith("Private_"):
                total += int(line.split()[1])
    return total


def report_memory(tools, yard, report):
    step = subprocess.Popen([f"{tools.bin}/srun", "sleep", "60"], env=yard.env,
                            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        shepherd = tools.wait_for(yard.shepherds, what="a shepherd")
        tools.wait_for(lambda: "sleep" in tools.children_of(shepherd[0]), what="its task")
        report("a shepherd's private memory, KB", private_kb(shepherd[0]), "goal 3000")
    finally:
        step.terminate()
        step.wait()


def bench_wide(tools, report, nodes=64, rounds=15):
    """`srun -N64 true` over 64 slurmd on this machine, against 64 bare spawns."""
    yard = tools.new_yard(nodes=nodes, cpus=2)
    ratios, times = [], []
    for _ in range(rounds):
        bare = nodes * spawn_seconds(tools.one_json, tools.load, nodes, "/bin/sh", "-c", "true")
        begin = time.perf_counter()
        subprocess.run([f"{tools.bin}/srun", f"-N{nodes}", "true"], env=yard.env, check=True,
                       stdin=subprocess.DEVNULL, close_fds=False)
        took = time.perf_counter() - begin
        ratios.append(took / bare)
        times.append(took)
    report(f"srun -N{nodes} true, ms", 1000 * statistics.median(times),
           f"{statistics.median(ratios):.1f} x {nodes} bare spawns (goal 3)")
