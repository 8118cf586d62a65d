# SPDX-License-Identifier: Apache-2.0
"""How fast submissions are acknowledged, a process for each, and in bulk."""
import time

from contestants.base import Cannot
from figures import MORE, Figure
from workloads.base import Workload, per_job_cpu


class SbatchHeld(Workload):
    name, title = "sbatch_held", "Held jobs, a submitting process for each"
    sizes = {"one": (200, 15), "four": (400, 20)}
    held = True

    def measure(self, contestant):
        argv, figures = contestant.submit_argv(held=self.held), []
        for who, concurrent, goal, limit in (("one", 1, 4, "noop"), ("four", 4, 5, "noop4")):
            count = self.size[who]
            found, cpu = per_job_cpu(contestant, count,
                                     lambda: contestant.spawn(count, concurrent, argv))
            label = f"{who} submitter{'s' if concurrent > 1 else ''}"
            figures += [Figure(f"submissions, {label}", found["per_second"], "/s", MORE, goal,
                               limit),
                        Figure(f"CPU of one, {label}", cpu, "ms")]
            self.after(contestant)
        return figures

    def after(self, contestant):
        pass


class SbatchRunnable(SbatchHeld):
    name, title = "sbatch_runnable", "Jobs that may run at once, a submitting process for each"
    sizes = {"one": (200, 15), "four": (400, 20)}
    held = False

    def after(self, contestant):
        contestant.wait_empty()


class Bulk(Workload):
    name, title = "bulk", "Many jobs at once"
    sizes = {"array": (10000, 500), "jobs": (20000, 500), "single": (500, 50)}

    def measure(self, contestant):
        begin = time.monotonic()
        contestant.run(*contestant.array_argv(self.size["array"], held=True))
        took = time.monotonic() - begin
        figures = [Figure(f"array of {self.size['array']:,}, until acknowledged", 1000 * took,
                          "ms")]
        try:
            found = contestant.bulk(self.size["jobs"])
            figures.append(Figure("jobs of their own, by the fastest way there is",
                                  found["per_second"], "/s", MORE, 50, "grouped_fsync"))
            single = contestant.acknowledged_one_by_one(self.size["single"])
            figures.append(Figure("one after the other over one connection", single, "/s", MORE,
                                  limit="fsync"))
        except Cannot:
            pass
        return figures
