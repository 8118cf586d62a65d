# SPDX-License-Identifier: Apache-2.0
"""What workloads share."""


class Workload:
    name, title = "", ""
    nodes, cpus = 4, 16
    sizes = {}          # name -> (full, quick)
    repeats_max = None  # of those that take minutes each
    started = True      # measure() finds a running cluster
    asleep = False      # of a controller alone: its nodes have to be switched on first

    def __init__(self, quick, given=()):
        """given: sizes that somebody chose, by name."""
        self.size = {name: quick_one if quick else full
                     for name, (full, quick_one) in self.sizes.items()}
        self.size.update({name: size for name, size in given if name in self.sizes})

    def prepare(self, contestant):
        pass

    def measure(self, contestant):
        raise NotImplementedError


def per_job_cpu(contestant, count, work):
    """What work() gives, and ms of CPU for each job: daemons, jobs and commands, all of it."""
    before = contestant.tree.cpu_seconds()
    found = work()
    return found, 1000 * (contestant.tree.cpu_seconds() - before) / count
