# SPDX-License-Identifier: Apache-2.0
"""Who takes part. The first is the one that the others are compared with."""
import os

from contestants.debian_slurm import DebianSlurm, DebianSlurmWithDatabase, is_ours
from contestants.gridengine import Gridengine
from contestants.yardmaster import Yardmaster

KNOWN = {one.name: one for one in (Yardmaster, DebianSlurm, DebianSlurmWithDatabase, Gridengine)}


def from_prefix(tools, name, prefix):
    """One more, of any folder of compatible programs: Yardmaster's or Slurm's."""
    prefix = os.path.abspath(prefix)
    path = f"{prefix}/bin:{prefix}/sbin:{prefix}"
    return (Yardmaster if is_ours(path) else DebianSlurm)(tools, path=path, name=name)
