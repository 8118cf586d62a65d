# SPDX-License-Identifier: Apache-2.0
"""The workloads. Each has a name, a title, the cluster that it wants, prepare(contestant) and
measure(contestant), which gives figures and is called once in each repeat; `sizes` are the full
ones and those of --quick. It goes in turn through the contestants, while the others stand still."""
from workloads.backfill import Backfill
from workloads.crash import Crash
from workloads.depth import Depth
from workloads.idle import ColdStart, Idle
from workloads.steps import Now, Steps, Wide
from workloads.submitting import Bulk, SbatchHeld, SbatchRunnable
from workloads.throughput import Array, Singles

ALL = [SbatchHeld, SbatchRunnable, Bulk, Array, Singles, Steps, Wide, Now, Depth, Backfill, Crash,
       ColdStart, Idle]
