# SPDX-License-Identifier: Apache-2.0
"""How many jobs of a real trace `yardmaster sim` replays in a second."""
import os
import resource
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = "KTH-SP2-1996-2.1-cln.swf.gz"


def trace_file():
    """Beside the repository, also for a worktree one level further down."""
    for up in ("../..", "../../.."):
        path = os.path.join(HERE, up, "shared/traces", TRACE)
        if os.path.exists(path):
            return path
    return None


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bench_replay(tools, report, rounds=5):
    """KTH-SP2 under EASY, start of the program, reading of the trace and the CSV included. It is
    one thread: its CPU time is what it takes on a machine that does nothing else."""
    path = trace_file()
    if path is None:
        print(f"replay: skipped, {TRACE} is not here (../shared/traces)")
        return
    took = []
    for _ in range(rounds):
        before = cpu_seconds()
        text = subprocess.run([f"{tools.bin}/yardmaster", "sim", "--policy", "easy", "-q",
                               "--jobs-csv", "-", path],
                              check=True, capture_output=True, text=True).stdout
        took.append(cpu_seconds() - before)
    jobs = text.count("\n") - 1
    report("simulated jobs/s, KTH-SP2 under EASY", jobs / statistics.median(took),
           f"{jobs} jobs in {statistics.median(took):.2f} s of a processor, median of {rounds}")
