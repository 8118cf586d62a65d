# SPDX-License-Identifier: Apache-2.0
"""The order of events: workload by workload, in each repeat all contestants in turn, while the
daemons of the others stand still. What fails is written down, and the rest goes on."""
import json
import os
import subprocess
import sys
import time

import limits
from contestants.base import Cannot
from tree import Trouble


class Tools:
    """Programs that the benchmark itself needs."""

    def __init__(self, bin):
        self.bin = os.path.abspath(bin)
        self.drive, self.load, self.noop = (f"{self.bin}/{name}"
                                            for name in ("drive", "load", "noop"))

    def missing(self):
        return [p for p in (self.drive, self.load, self.noop) if not os.access(p, os.X_OK)]

    @staticmethod
    def json_of(done):
        return json.loads(done.stdout.strip().splitlines()[-1])

    def local(self, program, *arguments):
        done = subprocess.run([f"{self.bin}/{program}", *map(str, arguments)], check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)


class Progress:
    """One line that says where we are; on a terminal it is written over."""

    def __init__(self):
        self.begin, self.live = time.monotonic(), sys.stderr.isatty()

    def say(self, text):
        passed = int(time.monotonic() - self.begin)
        line = f"[{passed // 60:3}:{passed % 60:02}] {text}"
        end = "" if self.live else "\n"
        print(("\r\033[K" if self.live else "") + line, end=end, file=sys.stderr, flush=True)

    def done(self):
        if self.live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Contest:
    def __init__(self, tools, contestants, book, progress):
        self.tools, self.contestants, self.book = tools, contestants, book
        self.progress = progress

    def run(self, workload, repeats):
        """Never raises what a contestant did wrong; stops everything also on Ctrl-C."""
        mine = [c for c in self.contestants if workload.name in getattr(c, "only", [workload.name])]
        try:
            mine = [c for c in mine if self.guarded(workload, c, "start",
                                                    lambda c=c: self.start(workload, c))]
            for repeat in range(min(repeats, workload.repeats_max or repeats)):
                known = {}
                for c in list(mine):
                    self.progress.say(f"{workload.name}: {c.label}, {repeat + 1} of "
                                      f"{min(repeats, workload.repeats_max or repeats)}")
                    if not self.guarded(workload, c, "measure",
                                        lambda c=c: self.measure(workload, c, repeat, known)):
                        mine.remove(c)
        finally:
            self.progress.say(f"{workload.name}: stopping")
            for c in self.contestants:
                c.stop()

    def guarded(self, workload, contestant, what, work):
        try:
            work()
            return True
        except Cannot as why:
            self.book.trouble(workload.name, contestant.name, f"cannot: {why}", failed=False)
        except (Trouble, AssertionError, OSError, ValueError, KeyError, AttributeError) as error:
            text = str(error) or type(error).__name__
            self.book.trouble(workload.name, contestant.name, f"{what}: {text}")
            self.progress.say(f"{workload.name}: {contestant.label} FAILED: {text}")
        contestant.stop()
        return False

    def start(self, workload, contestant):
        self.progress.say(f"{workload.name}: starting {contestant.label}")
        if workload.started:
            contestant.start(workload.nodes, workload.cpus, workload.asleep)
            workload.prepare(contestant)
            contestant.tree.freeze()

    def measure(self, workload, contestant, repeat, known):
        if workload.started:
            contestant.tree.thaw()
        try:
            for figure in workload.measure(contestant):
                limit = figure.limit
                if limit and limit not in known:
                    known[limit] = limits.measure(self.tools, limit)
                    self.book.limits.setdefault(limit, []).append(known[limit])
                self.book.add(workload.name, contestant.name, repeat, figure,
                              known.get(limit) if limit else None)
        finally:
            if contestant.tree:
                contestant.tree.freeze()
