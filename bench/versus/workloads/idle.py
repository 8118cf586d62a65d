# SPDX-License-Identifier: Apache-2.0
"""What a cluster costs while nobody uses it, and how long it takes to come into being."""
import time

from figures import Figure
from workloads.base import Workload


class ColdStart(Workload):
    name, title = "cold_start", "From nothing to the first job that ended"
    started = False
    repeats_max = 3

    def measure(self, contestant):
        contestant.prepare(self.nodes, self.cpus)
        begin = time.monotonic()
        try:
            contestant.start_daemons()
            contestant.run(*contestant.first_argv())
            return [Figure("four nodes and a first job", time.monotonic() - begin, "s")]
        finally:
            contestant.stop()


class Idle(Workload):
    name, title = "idle", "Four nodes and nothing to do"
    sizes = {"seconds": (20, 1)}
    repeats_max = 3

    def measure(self, contestant):
        time.sleep(self.size["seconds"] / 5)
        before = contestant.tree.cpu_seconds()
        time.sleep(self.size["seconds"])
        cpu = contestant.tree.cpu_seconds() - before
        kb = sum(one["kb"] for one in contestant.tree.memory_kb())
        return [Figure("CPU of all daemons", 1000 * cpu / self.size["seconds"], "ms/s"),
                Figure("memory of all daemons", kb / 1024, "MB")]
