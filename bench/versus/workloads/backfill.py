# SPDX-License-Identifier: Apache-2.0
"""What one look at a long queue costs: a full cluster, and thousands of different jobs that wait.

The nodes are asleep (State=CLOUD, a ResumeProgram that does nothing), so that no slurmd is needed:
jobs are given nodes and wait there for them to come up, and hold them as running ones do. Both tell
in sdiag how long their last look took, and at how many jobs they looked."""
import random
import re

from figures import Figure
from tree import Trouble
from workloads.base import Workload

SEED = 7
LOOKS = 3  # that are waited for in each repeat


def requests(count):
    """Options of different jobs; the same for everybody."""
    dice = random.Random(SEED)
    for _ in range(count):
        nodes = dice.choice((1, 1, 1, 2, 4, 8, 16, 32))
        yield [f"-N{nodes}", f"-n{nodes * dice.randint(1, 16)}", f"-t{10 * dice.randint(1, 144)}"]


class Backfill(Workload):
    name, title = "backfill", "A look at a queue of different jobs, for a cluster that is full"
    sizes = {"nodes": (1000, 20), "jobs": (10500, 120)}
    cpus, asleep = 16, True
    repeats_max = 3

    @property
    def nodes(self):
        return self.size["nodes"]

    def prepare(self, contestant):
        contestant.submit_several(requests(self.size["jobs"]))

    def measure(self, contestant):
        seen, looks = set(), []
        before = self.look(contestant)["cycles"]

        def enough():
            now = self.look(contestant)
            if now["cycles"] > before and now["cycles"] not in seen and now["depth"] > 0:
                seen.add(now["cycles"])
                looks.append(now)
            contestant.stir()
            return len(looks) >= LOOKS
        contestant.until(enough, f"{LOOKS} looks at the queue", 600)
        last = sorted(looks, key=lambda one: one["us"] / one["depth"])[LOOKS // 2]
        if last["waiting"] < self.size["jobs"] // 2:
            raise Trouble(f"only {last['waiting']} jobs wait")
        return [Figure("one look at the queue", last["us"] / 1000, "ms"),
                Figure("for each job looked at", last["us"] / last["depth"], "us", goal=1000)]

    @staticmethod
    def look(contestant):
        said = contestant.run(contestant.program("sdiag")).stdout

        def number(label, text):
            found = re.search(rf"^\s*{re.escape(label)}:\s+(\d+)", text, re.M)
            if not found:
                raise Trouble(f"sdiag has no line '{label}'")
            return int(found.group(1))
        about = said.split("Backfilling stats", 1)[-1]
        return {"cycles": number("Total cycles", about), "us": number("Last cycle", about),
                "depth": number("Last depth cycle", about),
                "waiting": number("Last queue length", about)}
