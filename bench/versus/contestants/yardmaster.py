# SPDX-License-Identifier: Apache-2.0
"""Yardmaster, with its defaults: each acknowledged job is on the disk. It keeps accounts in its log
in any case and has no accounting database yet, so there is no row "with accounting"."""
import os
import time

from contestants.slurmlike import SlurmLike

WINDOW = 512


class Yardmaster(SlurmLike):
    name, label = "yardmaster", "Yardmaster"
    remark = "defaults; no accounting database yet"

    def __init__(self, tools, path=None, name=None):
        super().__init__(tools)
        self.path = path or tools.bin
        if name:
            self.name = self.label = name

    def prepare(self, nodes, cpus, asleep=False):
        super().prepare(nodes, cpus, asleep)
        self.fill_in("yardmaster.conf", **self.sleepers())
        os.rename(f"{self.dir}/yardmaster.conf", f"{self.dir}/slurm.conf")

    def fill(self, count):
        """That many held jobs."""
        self.bulk(count)

    def load_argv(self, mode, *arguments):
        own = os.path.join(self.path.split(":")[0], "load")
        return [own if os.path.exists(own) else self.tools.load, mode,
                f"{self.dir}/run/slurmctld.sock", f"versus{os.getpid()}", *map(str, arguments)]

    def bulk(self, count, window=WINDOW):
        """Jobs of their own over one connection, as programs can that link the library."""
        return self.tools.json_of(self.run(*self.load_argv("submit", count, window, "held"),
                                           seconds=600))

    def acknowledged_one_by_one(self, count):
        return self.bulk(count, window=1)["per_second"]

    def questions_one_by_one(self, seconds):
        asking = self.tree.start(*self.load_argv("poll", 1, 0))
        time.sleep(seconds)
        return self.tools.json_of(self.tree.finish(asking))["per_second"]

    bulk_way = "one connection"
