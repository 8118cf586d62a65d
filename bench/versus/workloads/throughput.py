# SPDX-License-Identifier: Apache-2.0
"""Jobs from submission to their end."""
import time

from figures import MORE, Figure
from workloads.base import Workload, per_job_cpu


SLOWEST = 15  # jobs a second: who is slower than half of the slowest that was seen, stands still


class Throughput(Workload):
    repeats_max = 3

    def figures(self, contestant, count, submit):
        def work():
            begin = time.monotonic()
            submit()
            contestant.wait_empty(seconds=60 + count // SLOWEST)
            return time.monotonic() - begin
        took, cpu = per_job_cpu(contestant, count, work)
        return [Figure("finished jobs", count / took, "/s", MORE, 10, "spawn2"),
                Figure("CPU of one job", cpu, "ms", goal=10, limit="job")]


class Array(Throughput):
    name, title = "array", "An array of /bin/true, from submission to the last end"
    sizes = {"tasks": (5000, 50)}

    def measure(self, contestant):
        count = self.size["tasks"]
        return self.figures(contestant, count,
                            lambda: contestant.run(*contestant.array_argv(count)))


class Singles(Throughput):
    name, title = "singles", "Single jobs of /bin/true, four submitters, to the last end"
    sizes = {"jobs": (2000, 30)}

    def measure(self, contestant):
        count = self.size["jobs"]
        return self.figures(contestant, count,
                            lambda: contestant.spawn(count, 4, contestant.submit_argv()))
