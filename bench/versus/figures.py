# SPDX-License-Identifier: Apache-2.0
"""One measured number, and what is known of all numbers of a row."""
import statistics
from typing import NamedTuple, Optional

MORE, LESS = "more", "less"  # which of two is better


class Figure(NamedTuple):
    row: str
    value: float
    unit: str
    better: str = LESS
    goal: Optional[float] = None    # how many times better than the best other manager
    limit: Optional[str] = None     # name in limits.py: what the machine itself can do
    limit_count: int = 1            # how many of these one of the row contains


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values),
            "values": values}


def advantage(ours, theirs, better):
    """How many times better ours is; None where there is no such number (nothing over nothing)."""
    over, under = (ours, theirs) if better == MORE else (theirs, ours)
    return over / under if under > 0 else None


def share(figure, limit_per_second):
    """How much of what the machine could do the figure is, 1 at best."""
    if figure.better == MORE:
        return figure.value * figure.limit_count / limit_per_second
    seconds = figure.value / {"ms": 1000, "s": 1}[figure.unit]
    return figure.limit_count / limit_per_second / seconds


class Book:
    """All that was measured, in the order in which it came."""

    def __init__(self, reference):
        self.reference = reference
        self.rows = {}      # (workload, row) -> what it is
        self.found = {}     # (workload, row) -> contestant -> repeat -> value
        self.shares = {}    # (workload, row) -> contestant -> [share]
        self.troubles = []  # {"workload", "contestant", "text", "failed"}
        self.limits = {}    # name -> [per second]

    def add(self, workload, contestant, repeat, figure, limit):
        key = (workload, figure.row)
        self.rows.setdefault(key, figure)
        self.found.setdefault(key, {}).setdefault(contestant, {})[repeat] = figure.value
        if limit:
            self.shares.setdefault(key, {}).setdefault(contestant, []).append(share(figure, limit))

    def trouble(self, workload, contestant, text, failed=True):
        self.troubles.append({"workload": workload, "contestant": contestant,
                              "text": text, "failed": failed})

    def failed(self):
        return any(trouble["failed"] for trouble in self.troubles)

    def summary(self):
        """A list of rows, ready for JSON."""
        out = []
        for key, figure in self.rows.items():
            workload, row = key
            of = self.found[key]
            values = {name: spread(list(repeats.values())) for name, repeats in of.items()}
            entry = {"workload": workload, "row": row, "unit": figure.unit,
                     "better": figure.better, "goal": figure.goal, "limit": figure.limit,
                     "contestants": values}
            for name, entry_of in values.items():
                if key in self.shares and name in self.shares[key]:
                    entry_of["share_of_limit"] = statistics.median(self.shares[key][name])
                ratios = self.ratios(of, name, figure.better)
                if ratios:
                    entry_of["advantage"] = spread(ratios)
            others = [v["advantage"]["median"] for name, v in values.items() if "advantage" in v]
            if figure.goal and others:
                entry["met"] = min(others) >= figure.goal
            out.append(entry)
        return out

    def ratios(self, of, name, better):
        """How many times better the reference is, repeat by repeat: a busy moment hurts both."""
        if name == self.reference or self.reference not in of:
            return []
        pairs = [(of[self.reference][i], of[name][i]) for i in of[name] if i in of[self.reference]]
        found = [advantage(ours, theirs, better) for ours, theirs in pairs]
        return [ratio for ratio in found if ratio is not None]
