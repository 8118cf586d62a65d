# SPDX-License-Identifier: Apache-2.0
"""Scheduling policies in a few lines each, to be read: what `yardmaster sim` is compared with.

Nothing here is shared with the scheduler. At each instant all ends come first, then all
submissions, then one scheduling pass; processors are counted; a job ends at min(run, limit).
"""
import bisect
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


def fcfs(machine, queue, now, ended_early):
    queue.sort(key=lambda job: in_order(job, now))
    while queue and queue[0].procs <= machine.free:
        machine.start(queue.pop(0), now)


def easy(order=in_order, candidates=None):
    def one_pass(machine, queue, now, ended_early):
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


class Profile:
    """Free processors over time, in steps: from times[i] on free[i] of them."""

    def __init__(self, now, procs):
        self.times, self.free = [now], [procs]

    def cut(self, at):
        place = bisect.bisect_left(self.times, at)
        if place == len(self.times) or self.times[place] != at:
            self.times.insert(place, at)
            self.free.insert(place, self.free[place - 1])
        return place

    def take(self, start, end, procs):
        first = self.cut(start)
        for place in range(first, self.cut(end)):
            self.free[place] -= procs

    def earliest(self, job):
        place = 0
        while True:
            while self.free[place] < job.procs:
                place += 1
            start, last = self.times[place], place
            while last < len(self.times) and self.times[last] < start + job.limit:
                if self.free[last] < job.procs:
                    break
                last += 1
            else:
                return start
            place = last


def conservative(procs):
    """Every job is promised a start when it comes; when one ends early, all are asked again in the
    order of the queue, and may move forward."""
    promises = {}

    def one_pass(machine, queue, now, ended_early):
        queue.sort(key=lambda job: in_order(job, now))
        profile = Profile(now, procs)
        for end, _, job in machine.running:
            profile.take(now, end, job.procs)
        known = [job for job in queue if job.number in promises]
        for job in known:
            profile.take(promises[job.number], promises[job.number] + job.limit, job.procs)
        for job in queue:
            start = promises.get(job.number)
            if start is not None and not ended_early:
                continue
            if start is not None:
                profile.take(start, start + job.limit, -job.procs)
            promises[job.number] = profile.earliest(job)
            profile.take(promises[job.number], promises[job.number] + job.limit, job.procs)
        for job in list(queue):
            if promises[job.number] == now:
                machine.start(job, now)
                queue.remove(job)
        return min((promises[job.number] for job in queue), default=None)
    return one_pass


POLICIES = {
    "conservative": conservative,
    "fcfs": lambda procs: fcfs,
    "easy": lambda procs: easy(),
    "easy-sjbf": lambda procs: easy(candidates=by_limit),
    "largest-slowdown-first": lambda procs: easy(order=by_slowdown),
}


def starts(jobs, procs, policy):
    """Number -> start of jobs that are sorted by submission."""
    machine, queue, ends, due = Machine(procs), [], [], None
    one_pass, place = POLICIES[policy](procs), 0
    while place < len(jobs) or ends or queue:
        now = min([job.submit for job in jobs[place:place + 1]] + [end[0] for end in ends[:1]] +
                  [time for time in [due] if time is not None])
        ended_early = False
        while ends and ends[0][0] == now:
            job = heapq.heappop(ends)[2]
            ended_early = ended_early or job.run < job.limit
            machine.end(job)
        while place < len(jobs) and jobs[place].submit == now:
            queue.append(jobs[place])
            place += 1
        waiting = list(queue)
        due = one_pass(machine, queue, now, ended_early)  # when a promise is due, if it gives any
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
