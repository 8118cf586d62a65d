# SPDX-License-Identifier: Apache-2.0
"""One task's output through one srun, against the same through a pipe and cat."""
import statistics
import subprocess
import time


def seconds(command, env):
    begin = time.monotonic()
    subprocess.run(command, shell=True, check=True, env=env, stdin=subprocess.DEVNULL, cwd="/tmp")
    return time.monotonic() - begin


def bench_streams(tools, report):
    size_mib = 2048
    task = f"head -c {size_mib}M /dev/zero"
    yard = tools.new_yard(nodes=1)
    yard.run("srun", "true")
    rounds = []
    for _ in range(5):
        bare = seconds(f"{task} | cat > /dev/null", yard.env)
        ours = seconds(f"srun {task} > /dev/null", yard.env)
        rounds.append((bare / ours, size_mib / ours))
    report("MiB/s of one task's output", statistics.median(r[1] for r in rounds),
           f"{statistics.median(r[0] for r in rounds):.2f} of a pipe through cat (goal 0.5)")
