# SPDX-License-Identifier: Apache-2.0
"""Questions to a controller with a short and a long queue, alone and beside a hundred others who
ask; its memory; its restart with that queue."""
import time

from contestants.base import Cannot
from figures import Figure
from tree import Trouble
from workloads.base import Workload

POLLERS, PAUSE_MS = 100, 1000
NOISE_KB = 10000  # a queue that takes less than this says nothing of a job's memory


class Depth(Workload):
    name, title = "depth", "Questions to queues of different lengths"
    nodes, cpus = 4, 16
    sizes = {"small": (10, 10), "middle": (10000, 100), "large": (50000, 300), "times": (7, 2),
             "pollers": (POLLERS, 5)}
    repeats_max = 3

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.state = {}  # contestant -> depth at which it is, its first job, memory at the first

    def depths(self):
        return [self.size["small"], self.size["middle"], self.size["large"]]

    def prepare(self, contestant):
        self.state[contestant.name] = {}

    def measure(self, contestant):
        """All depths; later repeats start over with an empty queue."""
        state, figures = self.state[contestant.name], []
        if state:
            contestant.stop()
            contestant.start(self.nodes, self.cpus)
        state["here"], state["first_kb"] = 0, None
        for depth in self.depths():
            contestant.fill(depth - state["here"])  # less what earlier questions submitted
            there = contestant.queued()
            if not 0.99 * depth <= len(there) <= 1.01 * depth:
                raise Trouble(f"{len(there)} pending jobs, not {depth}")
            figures += self.questions(contestant, depth, there[len(there) // 2])
            figures += self.under_pollers(contestant, depth, there[len(there) // 2])
            figures += self.memory_and_restart(contestant, state, depth)
            state["here"] = len(contestant.queued())
        return figures

    def ask(self, contestant, argv, times=None):
        return 1000 * contestant.spawn(times or self.size["times"], 1, argv)["p50"]

    def questions(self, contestant, depth, job):
        at = f"{depth:,} pending"
        found = [Figure(f"list of all, {at}", self.ask(contestant, contestant.list_argv()), "ms",
                        goal=10 if depth == self.size["large"] else None),
                 Figure(f"one job's line, {at}", self.ask(contestant, contestant.one_argv(job)),
                        "ms", goal=5, limit="noop"),
                 Figure(f"all of one job, {at}", self.ask(contestant, contestant.show_argv(job)),
                        "ms", goal=5, limit="noop"),
                 Figure(f"nodes, {at}", self.ask(contestant, contestant.nodes_argv()), "ms",
                        limit="noop")]
        if depth == self.size["small"]:
            found += self.over_one_connection(contestant, at)
        submit = contestant.submit_argv(held=True)
        return [*found, Figure(f"submission, {at}", self.ask(contestant, submit, 2), "ms",
                               limit="noop")]

    @staticmethod
    def over_one_connection(contestant, at):
        try:
            rate = contestant.questions_one_by_one(1)
        except Cannot:
            return []
        return [Figure(f"list of all over one connection, {at}", 1000 / rate, "ms",
                       limit="round_trip")]

    def under_pollers(self, contestant, depth, job):
        """Each of the pollers looks for jobs of his own about once a second."""
        at, tree = f"{depth:,} pending, {self.size['pollers']} pollers", contestant.tree
        pollers = tree.start(contestant.tools.drive, "poll", str(self.size["pollers"]),
                             str(PAUSE_MS), *contestant.poller_argv())
        try:
            contestant.until(lambda: "ready" in tree.output(pollers), "the pollers", 120)
            one = self.ask(contestant, contestant.one_argv(job))
            everything = self.ask(contestant, contestant.list_argv())
            show = self.ask(contestant, contestant.show_argv(job))
            nodes = self.ask(contestant, contestant.nodes_argv())
            submit = self.ask(contestant, contestant.submit_argv(held=True), 2)
        finally:
            tree.finish(pollers)
        return [Figure(f"list of all, {at}", everything, "ms"),
                Figure(f"one job's line, {at}", one, "ms", goal=5),
                Figure(f"all of one job, {at}", show, "ms", goal=5),
                Figure(f"nodes, {at}", nodes, "ms"),
                Figure(f"submission, {at}", submit, "ms")]

    def memory_and_restart(self, contestant, state, depth):
        kb = {one["pid"]: one["kb"] for one in contestant.tree.memory_kb()}
        kb = kb.get(contestant.controller_pid(), 0)
        figures = [Figure(f"controller's memory, {depth:,} pending", kb / 1024, "MB")]
        if state["first_kb"] is None:
            state["first_kb"] = kb
        elif depth == self.size["large"] and kb - state["first_kb"] > NOISE_KB:
            each = (kb - state["first_kb"]) / (depth - self.size["small"])
            figures.append(Figure("memory for each pending job", each, "KB", goal=5))
        begin = time.monotonic()
        try:
            contestant.stop_controller()
            contestant.start_controller()
            contestant.until(lambda: contestant.run(*contestant.nodes_argv(), check=False).code
                             == 0, "an answer after the restart", 120)
        except Cannot:
            return figures
        return [*figures, Figure(f"restart until the first answer, {depth:,} pending",
                                 time.monotonic() - begin, "s", goal=5 if depth ==
                                 self.size["large"] else None)]
