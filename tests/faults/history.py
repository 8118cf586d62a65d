# SPDX-License-Identifier: Apache-2.0
"""What everybody did and was told, in order, as lines of JSON.

Each operation has two records with the same number: `invoke`, and `ok`, `fail` (nothing was done)
or `unknown` (it may have been done, now or later). Faults and what the jobs saw are records, too:
the file is all that the checker needs.
"""
import itertools
import json
import threading
import time


def now():
    """Seconds since boot: the same clock on all hosts, which no fault moves."""
    return round(time.clock_gettime(time.CLOCK_BOOTTIME), 3)


class History:
    def __init__(self, path):
        self.file = open(path, "w")
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)
        self.counts = {}

    def add(self, type, **fields):
        with self.lock:
            record = {"t": now(), "type": type, **fields}
            self.counts[type] = self.counts.get(type, 0) + 1
            self.file.write(json.dumps(record) + "\n")
            self.file.flush()

    def invoke(self, who, what, **fields):
        with self.lock:
            number = next(self.numbers)
        self.add("invoke", op=number, who=who, what=what, **fields)
        return number

    def close(self):
        self.file.close()


def read(path):
    with open(path) as f:
        return [json.loads(line) for line in f]
