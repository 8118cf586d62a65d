# SPDX-License-Identifier: Apache-2.0
"""Which faults when: a pure function of the seed."""
import random

from dataclasses import asdict, dataclass, field

KINDS = ("cut", "slow", "lossy", "shuffle", "kill", "pause", "shepherd", "power", "disk",
         "clock")
# Those that break a process: one at a time on each host.
LEADER = "leader"  # whoever leads when the fault begins
ON_PROCESSES = {"kill", "pause", "power", "clock"}


@dataclass
class Fault:
    kind: str
    at: float       # seconds after the start
    lasts: float
    host: str       # whom it hits
    other: str = ""  # the other end of a way; everybody, if empty
    rule: dict = field(default_factory=dict)
    directions: str = "both"
    offset: str = ""  # of a clock

    def words(self):
        other = f" <-> {self.other or 'all'}" if self.rule else ""
        way = f" ({self.directions})" if self.rule and self.directions != "both" else ""
        what = " ".join(f"{k}={v}" for k, v in self.rule.items() if k != "cut") + self.offset
        return f"{self.kind} {self.host}{other}{way} {what}".strip() + f" for {self.lasts:.1f} s"

    def record(self):
        return asdict(self)


def rule_of(kind, rng):
    return {
        "cut": lambda: {"cut": True},
        "slow": lambda: {"delay": round(rng.uniform(0.05, 0.8), 2),
                         "jitter": round(rng.uniform(0.0, 0.3), 2)},
        "lossy": lambda: {"loss": round(rng.uniform(0.05, 0.4), 2)},
        "shuffle": lambda: {"twice": round(rng.uniform(0.0, 0.4), 2),
                            "late": round(rng.uniform(0.1, 0.5), 2),
                            "late_by": round(rng.uniform(0.01, 0.3), 2)},
    }.get(kind, dict)()


def length(rng, long_s):
    """Mostly shorter than the time after which a node counts as lost, at times longer."""
    return rng.uniform(long_s * 1.1, long_s * 1.6) if rng.random() < 0.2 else rng.uniform(0.3, 5.0)


def one(kind, at, lasts, rng, controllers, nodes, members):
    fault = Fault(kind, round(at, 2), round(lasts, 2), controllers[0])
    hosts = [*controllers, *nodes, *members, "login"]
    if kind == "disk":
        # Of its own chance: the seeds of before have the other faults that they had. The state is
        # in the first controller's folder, or with the members.
        disks = members or controllers[:1]
        chance = random.Random(f"disk {at} {lasts}")
        fault.host = chance.choice([*disks, *nodes] if chance.random() < 0.5 else list(disks))
        return fault
    if kind == "shepherd":
        fault.host, fault.lasts = rng.choice(nodes), 0.1
        return fault
    if kind in ON_PROCESSES:
        # Controllers are where it hurts, and the one that leads most of all.
        fault.host = rng.choice([*controllers, *members] if rng.random() < 0.5 else nodes)
        if fault.host in controllers and len(controllers) > 1 and rng.random() < 0.6:
            fault.host = LEADER
        if kind == "clock":
            fault.offset = rng.choice(["-3600", "-30", "-5", "+5", "+30", "+3600"])
        return fault
    fault.rule = rule_of(kind, rng)
    fault.host = rng.choice(hosts)
    if fault.host in controllers and len(controllers) > 1 and rng.random() < 0.5:
        fault.host = LEADER
    if rng.random() < 0.6:
        fault.other = rng.choice([name for name in hosts if name != fault.host])
    fault.directions = rng.choice(["both", "both", "in", "out"])
    return fault


def clashes(fault, others):
    """Two hands on one process, or one disk."""
    for other in others:
        apart = other.at + other.lasts + 1 < fault.at or fault.at + fault.lasts + 1 < other.at
        both = ({fault.kind, other.kind} <= ON_PROCESSES and fault.host == other.host
                or fault.kind == other.kind == "disk")
        if both and not apart:
            return True
    return False


def draw(seed, seconds, controllers, nodes, kinds=KINDS, members=(), long_s=10):
    """Faults in the order of their beginning; all have ended after `seconds`. The members are those
    of an etcd."""
    rng = random.Random(f"faults {seed}")
    faults, at = [], rng.uniform(0.5, 2.0)
    while at < seconds - 1:
        lasts = min(length(rng, long_s), seconds - at)
        fault = one(rng.choice(kinds), at, lasts, rng, controllers, nodes, members)
        if not clashes(fault, faults):
            faults.append(fault)
        at += rng.uniform(0.3, 4.0)
    return faults
