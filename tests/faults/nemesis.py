# SPDX-License-Identifier: Apache-2.0
"""Does to a cluster what a schedule says, and mends it again."""
import os
import re
import time

from schedule import LEADER, ON_PROCESSES
from switch import CALM

RUSH_BEFORE_S = 0.3
RUSH_AFTER_S = 0.3


def merged(rules):
    """Several faults on one way: each number at its worst."""
    result = {}
    for rule in rules:
        for name, value in rule.items():
            result[name] = max(value, result.get(name, CALM[name]))
    return result


class Nemesis:
    def __init__(self, site, history, say=lambda text: None):
        self.site, self.history, self.say = site, history, say
        self.active = []

    def run(self, faults, seconds):
        """Returns when all is mended. Runs in the thread that made the hosts."""
        begin = time.monotonic()
        steps = [(fault.at, 1, i, fault) for i, fault in enumerate(faults)]
        steps += [(fault.at + fault.lasts, 0, i, fault) for i, fault in enumerate(faults)]
        try:
            for at, starts, _, fault in sorted(steps, key=lambda step: step[:3]):
                if starts:
                    # What is on its way when the fault comes is where the doubt is.
                    self.wait(begin + at - RUSH_BEFORE_S)
                    self.site.rush_until = begin + at + RUSH_AFTER_S
                self.wait(begin + min(at, seconds))
                (self.break_it if starts else self.mend)(fault)
            self.wait(begin + seconds)
        finally:
            for fault in list(self.active):
                self.mend(fault)

    def wait(self, moment):
        while (left := moment - time.monotonic()) > 0:
            time.sleep(min(left, 0.5))
            self.check_daemons()

    def check_daemons(self):
        """A daemon that nobody killed must live."""
        killed = {fault.host for fault in self.active if fault.kind in ("kill", "power")}
        # An etcd that cannot write ends, and does not come up while it cannot: that is its way.
        killed |= {fault.host for fault in self.active
                   if fault.kind == "disk" and fault.host in self.site.members}
        for host in self.site.dead():
            if host not in killed:
                status = self.site.daemons[host].entering.returncode
                self.history.add("died", host=host, status=status)
                self.site.start(host)

    def break_it(self, fault):
        if fault.host == LEADER:
            fault.host = self.site.leader()
            taken = [one for one in self.active if one.host == fault.host
                     and one.kind in ON_PROCESSES]
            if fault.host == fault.other or taken and fault.kind in ON_PROCESSES:
                return  # two hands on one process
        self.say(fault.words())
        self.history.add("fault", does="begin", **fault.record())
        self.active.append(fault)
        getattr(self, f"begin_{fault.kind}", self.ways)(fault)

    def mend(self, fault):
        if fault not in self.active:
            return
        self.active.remove(fault)
        getattr(self, f"end_{fault.kind}", self.ways)(fault)
        self.history.add("fault", does="end", **fault.record())

    # --- one pair for each kind of fault ---

    def ways(self, fault):
        """Ways that the fault touches get what all faults of the moment say about them."""
        def touched(one):
            return self.site.fabric.ways(one.host, one.other or None, one.directions)
        for way in touched(fault):
            rules = [one.rule for one in self.active if one.rule and way in touched(one)]
            self.site.fabric.set([way], **merged(rules))

    def begin_kill(self, fault):
        self.site.daemons[fault.host].kill()

    def end_kill(self, fault):
        self.site.start(fault.host)

    def begin_shepherd(self, fault):
        """kill -9 of one slurmstepd: the job is lost, and nothing of it may stay."""
        host = self.site.hosts[fault.host]
        found = re.findall(r"^(\d+) slurmstepd: \[(\d+)\.(\w+)\]",
                           host.run(["pgrep", "-af", "^slurmstepd:"]).stdout, re.M)
        if found:
            pid, job, step = found[len(found) // 2]
            self.history.add("shepherd", host=fault.host, job=int(job), step=step)
            host.run(["kill", "-9", pid])

    def end_shepherd(self, fault):
        pass

    def begin_pause(self, fault):
        self.site.daemons[fault.host].pause()

    def end_pause(self, fault):
        self.site.daemons[fault.host].go_on()

    def begin_power(self, fault):
        self.site.hosts[fault.host].lose_power()
        if fault.host in self.site.nodes:
            self.site.note(fault.host, "power")

    def end_power(self, fault):
        self.site.start(fault.host, booted=True)

    def begin_disk(self, fault):
        with open(f"{self.site.disk(fault.host)}/filler", "wb", buffering=0) as f:
            try:
                while f.write(bytes(65536)) == 65536:
                    pass
            except OSError:
                pass  # no space left: that is what we came for

    def end_disk(self, fault):
        os.unlink(f"{self.site.disk(fault.host)}/filler")
        others = [one for one in self.active if one.host == fault.host and one.kind in ON_PROCESSES]
        if fault.host in self.site.members and fault.host in self.site.dead() and not others:
            self.site.start(fault.host)
        if fault.host in self.site.nodes:
            self.site.full.add(fault.host)
            self.site.resume(fault.host)

    def begin_clock(self, fault):
        self.site.set_clock(fault.host, fault.offset)

    def end_clock(self, fault):
        self.site.set_clock(fault.host, "+0")
