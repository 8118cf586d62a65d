# SPDX-License-Identifier: Apache-2.0
"""The controller is killed with -9 amidst a burst of submissions: which of the acknowledged jobs
does it not know afterwards, and which of their numbers does it hand out again?"""
from figures import Figure
from workloads.base import Workload


class Crash(Workload):
    name, title = "crash", "kill -9 of the controller amidst a burst of submissions"
    sizes = {"burst": (1000, 60), "kill_after": (500, 30), "later": (50, 5)}
    repeats_max = 3

    def measure(self, contestant):
        found = contestant.drive("burst", self.size["burst"], 4, self.size["kill_after"],
                                 contestant.controller_pid(), *contestant.submit_argv(held=True))
        acknowledged = set(found["acknowledged"])
        contestant.start_controller()
        contestant.until(lambda: contestant.run(*contestant.nodes_argv(), check=False).code == 0,
                         "an answer after the crash", 120)
        lost = acknowledged - set(contestant.queued())
        # With as many again, so that a number which is free for the controller comes.
        again = {contestant.submitted(contestant.run(*contestant.submit_argv(held=True)))
                 for _ in range(self.size["later"])}
        share = 100 * len(lost) / len(acknowledged)
        contestant.cancel_all()
        return [Figure("acknowledged jobs lost", share, "%"),
                Figure("numbers handed out again", len(acknowledged & again), f"of {len(again)}")]
