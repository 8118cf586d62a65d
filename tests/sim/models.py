# SPDX-License-Identifier: Apache-2.0
"""Scheduling policies in a few lines each, written to be read: what `yardmaster sim` is compared with.

Nothing here is shared with the scheduler. At each instant all ends come first, then all submissions,
then one scheduling pass; processors are counted; a job ends at min(run, limit).
"""
import heapq
from fractions import Fraction


class Job:
    def __init__(self, number, submit, run, procs, limit):
        self.number, self.submit, self.procs, self.limit = number, submit, procs, limit
        self.run = min(run, limit)
        self.start = None


def in_order(job, now):
    return (job.submit, job.number)


def by_limit(job, now):
    return (job.limit, job.submit, job.number)


def by_slowdown(job, now):
    """The largest (wait + limit) / limit first."""
    return (-Fraction(now - job.submit + job.limit, job.limit), job.submit, job.number)


class Machine:
    def __init__(self, procs):
        self.free, self.running = procs, []  # running: (end by limit, number, job)

    def start(self, job, now):
        job.start = now
        self.free -= job.procs
        self.running.append((now + job.limit, job.number, job))

    def end(self, job):
        self.free += job.procs
        self.running = [one for one in self.running if one[2] is not job]

    def room_for(self, job):
        """When the job could start by the limits of those that run, and what is spare then."""
        free = self.free
        ends = sorted(self.running)
        for place, (end, _, other) in enumerate(ends):
            free += other.procs
            together = place + 1 < len(ends) and ends[place + 1][0] == end
            if free >= job.procs and not together:
                return end, free - job.procs
        raise AssertionError("larger than the machine")


def fcfs(machine, queue, now):
    queue.sort(key=lambda job: in_order(job, now))
    while queue and queue[0].procs <= machine.free:
        machine.start(queue.pop(0), now)


def easy(order=in_order, candidates=None):
    def one_pass(machine, queue, now):
        queue.sort(key=lambda job: order(job, now))
        while queue and queue[0].procs <= machine.free:
            machine.start(queue.pop(0), now)
        if not queue:
            return
        promised, spare = machine.room_for(queue[0])
        others = queue[1:]
        if candidates:
            others.sort(key=lambda job: candidates(job, now))
        for job in others:
            fits_before = now + job.limit <= promised
            if job.procs > machine.free or not (fits_before or job.procs <= spare):
                continue
            if not fits_before:
                spare -= job.procs
            machine.start(job, now)
            queue.remove(job)
    return one_pass


POLICIES = {
    "fcfs": lambda: fcfs,
    "easy": lambda: easy(),
    "easy-sjbf": lambda: easy(candidates=by_limit),
    "largest-slowdown-first": lambda: easy(order=by_slowdown),
}


def starts(jobs, procs, policy):
    """Number -> start of jobs that are sorted by submission."""
    machine, queue, ends = Machine(procs), [], []
    one_pass, place = POLICIES[policy](), 0
    while place < len(jobs) or ends:
        now = min([jobs[place].submit] if place < len(jobs) else [], default=float("inf"))
        now = min([now] + ([ends[0][0]] if ends else []))
        while ends and ends[0][0] == now:
            machine.end(heapq.heappop(ends)[2])
        while place < len(jobs) and jobs[place].submit == now:
            queue.append(jobs[place])
            place += 1
        waiting = list(queue)
        one_pass(machine, queue, now)
        for job in waiting:
            if job.start is not None:
                heapq.heappush(ends, (job.start + job.run, job.number, job))
    return {job.number: job.start for job in jobs}


def read_swf(lines):
    """The jobs and the processors of a trace that needs no interpretation."""
    jobs, procs = [], None
    for line in lines:
        if line.startswith(";"):
            if "MaxProcs:" in line:
                procs = int(line.split(":")[1])
            continue
        f = [int(word) for word in line.split()]
        jobs.append(Job(f[0], f[1], f[3], f[7], f[8]))
    return jobs, procs
