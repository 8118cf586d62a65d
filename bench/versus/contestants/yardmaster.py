# SPDX-License-Identifier: Apache-2.0
"""Yardmaster, with its defaults: each acknowledged job is on the disk. It keeps accounts in its log
in any case and has no accounting database yet, so there is no row "with accounting"."""
import os

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

    def prepare(self, nodes, cpus):
        super().prepare(nodes, cpus)
        self.fill_in("yardmaster.conf")
        os.rename(f"{self.dir}/yardmaster.conf", f"{self.dir}/slurm.conf")

    def fill(self, count):
        """That many held jobs."""
        self.bulk(count)

    def bulk(self, count):
        """Jobs of their own over one connection, as programs can that link the library."""
        own = os.path.join(self.path.split(":")[0], "load")
        load = own if os.path.exists(own) else self.tools.load
        return self.tools.json_of(self.run(load, "submit", f"{self.dir}/run/slurmctld.sock",
                                           f"versus{os.getpid()}", str(count), str(WINDOW),
                                           "held", seconds=600))

    bulk_way = "one connection"
