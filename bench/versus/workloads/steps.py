# SPDX-License-Identifier: Apache-2.0
"""Programs that start at once: steps within an allocation, over many nodes, and one alone."""
import json

from contestants.base import Cannot
from figures import MORE, Figure
from tree import Trouble
from workloads.base import Workload


class Steps(Workload):
    name, title = "steps", "srun -n1 true within one allocation"
    sizes = {"one": (60, 5), "eight": (160, 16)}

    def measure(self, contestant):
        figures = []
        for who, concurrent, limit in (("one", 1, "spawn"), ("eight", 8, "true8")):
            drive = [contestant.tools.drive, "spawn", str(self.size[who]), str(concurrent),
                     *contestant.step_argv()]
            done = contestant.run(*contestant.within_argv(8, drive), seconds=600)
            found = json.loads(done.stdout)
            if found["failed"]:
                raise Trouble(f"{found['failed']} of {self.size[who]} steps failed:"
                              f" {done.stderr.strip()[-200:]}")
            figures += [Figure(f"steps, {who} at a time", found["per_second"], "/s", MORE, 5,
                               limit),
                        Figure(f"CPU of a command, {who} at a time",
                               1000 * found["cpu_seconds"] / self.size[who], "ms")]
        return figures


class Wide(Workload):
    name, title = "wide", "srun -N16 -n1024 true"
    nodes, cpus = 16, 64
    sizes = {"times": (3, 1), "tasks": (1024, 64)}

    def measure(self, contestant):
        argv = contestant.now_argv(f"-N{self.nodes}", f"-n{self.size['tasks']}")
        found = contestant.spawn(self.size["times"], 1, argv, seconds=300)
        return [Figure(f"srun -N{self.nodes} -n{self.size['tasks']} true", found["p50"], "s",
                       goal=3, limit="true8", limit_count=self.size["tasks"])]


class Now(Workload):
    name, title = "now", "One program with an allocation of its own"
    sizes = {"times": (20, 3), "waits": (5, 2)}

    def measure(self, contestant):
        figures = []
        try:
            alone = contestant.spawn(self.size["times"], 1, contestant.now_argv())
            figures.append(Figure("srun true", 1000 * alone["p50"], "ms", goal=7, limit="spawn"))
        except Cannot:
            pass
        waits = contestant.spawn(self.size["waits"], 1, contestant.wait_argv())
        return [*figures, Figure("sbatch -W true", 1000 * waits["p50"], "ms", limit="spawn")]
