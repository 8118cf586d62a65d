# SPDX-License-Identifier: Apache-2.0
"""Histories written by hand: good ones pass, and every rule finds what it is there for."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
import checker  # noqa: E402
import schedule  # noqa: E402
import switch  # noqa: E402


class Story:
    """A history, a second for each record unless it says otherwise."""

    def __init__(self):
        self.records = [{"type": "meta", "t": 0, "cpus": 4, "slurmd_timeout": 10,
                         "controllers": ["ctl"]}]
        self.t, self.op, self.lines = 0, 0, {"n1": [], "n2": []}

    def add(self, type, **fields):
        self.t += 1
        self.records.append({"type": type, "t": self.t, **fields})

    def do(self, what, result, value=None, who="ann", **fields):
        self.op += 1
        number = self.op
        self.add("invoke", op=number, who=who, what=what, **fields)
        self.add(result, op=number, value=value)
        return self

    def submit(self, token, job=None, result="ok", **fields):
        return self.do("submit", result, str(job) if job else None, token=token, **fields)

    def sees(self, *rows, who="root"):
        return self.do("query", "ok", [[job, name, state, "n1"] for job, name, state in rows],
                       who=who)

    def wrote(self, event, token, job, cpus=1, node="n1", run=0, at=None, others="-"):
        self.lines[node].append(f"{event} {token} {job}.{run} {cpus} {at or self.t} "
                                + (others if event == "start" else ""))
        return self

    def ran(self, token, job, **fields):
        return self.wrote("start", token, job, **fields).wrote("done", token, job, **fields)

    def fault(self, kind, host, lasts, other="", rule=None):
        record = {"kind": kind, "host": host, "other": other, "at": self.t, "rule": rule or {}}
        self.add("fault", does="begin", **record)
        self.t += lasts - 1
        self.add("fault", does="end", **record)
        return self

    def mistakes(self):
        ledgers = [{"type": "ledger", "t": self.t, "node": node, "lines": lines}
                   for node, lines in self.lines.items()]
        return checker.check(self.records + ledgers)

    def rules(self):
        return {rule for rule, _ in self.mistakes()}


def good():
    return Story().submit("a", 1).ran("a", 1).submit("b", 2).ran("b", 2)


def test_a_good_history_has_no_mistakes():
    assert good().sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED")).mistakes() == []


@pytest.mark.parametrize("rule, story", [
    ("acknowledged_jobs_exist", good().sees((1, "a", "COMPLETED"))),
    ("acknowledged_jobs_exist", good().submit("c", 2).sees((1, "a", "COMPLETED"),
                                                          (2, "b", "COMPLETED"))),
    ("acknowledged_jobs_exist", Story().submit("a", 1).sees((1, "z", "COMPLETED"))),
    ("numbers_keep_their_jobs", Story().sees((1, "a", "PENDING")).sees((1, "b", "COMPLETED"))),
    ("numbers_keep_their_jobs", Story().submit("a", result="unknown")
     .sees((1, "a", "COMPLETED"), (2, "a", "COMPLETED"))),
    ("numbers_keep_their_jobs", good().ran("b", 3).sees((1, "a", "COMPLETED"),
                                                        (2, "b", "COMPLETED"))),
    ("refused_jobs_do_not_exist", Story().submit("a", result="fail").sees((1, "a", "COMPLETED"))),
    ("refused_jobs_do_not_exist", Story().submit("a", result="fail").ran("a", 1).sees()),
    ("runs_start_once", good().wrote("start", "b", 2, node="n2")
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("runs_start_once", good().wrote("start", "b", 2, run=1)
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("completed_means_it_came_to_its_end", Story().submit("a", 1).sees((1, "a", "COMPLETED"))),
    ("completed_means_it_came_to_its_end", Story().submit("a", 1).wrote("start", "a", 1)
     .wrote("killed", "a", 1).sees((1, "a", "COMPLETED"))),
    ("ends_have_causes", Story().submit("a", 1).sees((1, "a", "CANCELLED"))),
    ("ends_have_causes", Story().submit("a", 1).wrote("start", "a", 1)
     .sees((1, "a", "NODE_FAIL"))),
    ("ends_have_causes", Story().submit("a", 1).fault("cut", "n2", 30, rule={"cut": True},
                                                      other="login")
     .wrote("start", "a", 1).sees((1, "a", "NODE_FAIL"))),
    ("ends_have_causes", Story().submit("a", 1).ran("a", 1).sees((1, "a", "FAILED"))),
    ("ends_have_causes", Story().submit("a", 1, requeue=True).wrote("start", "a", 1)
     .ran("a", 1, run=1).sees((1, "a", "COMPLETED"))),
    ("cancelled_jobs_do_not_go_on", Story().submit("a", 1).do("cancel", "ok", token="a", job=1)
     .wrote("start", "a", 1, at=90).sees((1, "a", "CANCELLED"))),
    ("cancelled_jobs_do_not_go_on", Story().submit("a", 1).do("cancel", "ok", token="a", job=1)
     .fault("cut", "n1", 90, rule={"cut": True})
     .ran("a", 1, at=80).sees((1, "a", "COMPLETED"))),
    ("held_jobs_do_not_start", Story().submit("a", 1, hold=True).ran("a", 1)
     .sees((1, "a", "COMPLETED"))),
    ("answers_are_current", Story().submit("a", 1).sees(who="ann").ran("a", 1)
     .sees((1, "a", "COMPLETED"))),
    ("answers_are_current", good().do("look", "ok", None, job=1, token="a")
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("ends_are_final", good().sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))
     .sees((1, "a", "RUNNING"), (2, "b", "COMPLETED"))),
    ("notes_are_kept", good().do("note", "ok", job=1, token="a", text="x")
     .do("look", "ok", {"note": ""}, job=1, token="a")
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("no_cpu_is_given_twice", Story().submit("a", 1).submit("b", 2)
     .wrote("start", "a", 1, cpus=3).wrote("start", "b", 2, cpus=2)
     .wrote("done", "a", 1).wrote("done", "b", 2)
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("no_cpu_is_given_twice", good().wrote("start", "c", 3, cpus=2, others=",x:0:2,y:0:1")
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("output_is_whole", good().do("srun", "ok", "sai", token="s").ran("s", 3)
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("output_is_whole", good().do("srun", "ok", "said s\n", token="s")
     .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("acknowledged_jobs_exist", Story().submit("a", 1, width=2).ran("a_0", "1_0")
     .sees(("1_0", "a", "COMPLETED"))),
    ("runs_start_once", Story().submit("a", 1, width=2).ran("a_0", "1_0").ran("a_0", "1_0")
     .ran("a_1", "1_1").sees(("1_0", "a", "COMPLETED"), ("1_1", "a", "COMPLETED"))),
    ("runs_start_once", good().do("srun", "unknown", token="s", nodes=2).ran("s", 3)
     .wrote("start", "s", 3).sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("output_is_whole", good().do("srun", "ok", "said s\n", token="s", nodes=2).ran("s", 3)
     .ran("s", 3, node="n2").sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))),
    ("ends_have_causes", Story().submit("a", 1, requeue=True).ran("a", 1, run=1)
     .sees((1, "a", "COMPLETED"))),
    ("everything_ends", Story().submit("a", 1).wrote("start", "a", 1).sees((1, "a", "RUNNING"))),
])
def test_each_rule_finds_its_mistake(rule, story):
    assert rule in story.rules(), story.mistakes()


def test_a_daemon_that_died_by_itself_is_a_mistake():
    story = good().sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED"))
    story.add("died", host="ctl", status=134)
    assert story.rules() == {"everything_ends"}


def test_a_killed_shepherd_explains_a_failed_job():
    story = Story().submit("a", 1).wrote("start", "a", 1).sees((1, "a", "FAILED"))
    assert story.rules() == {"ends_have_causes"}
    story.add("shepherd", host="n1", job=1, step="batch")
    assert story.mistakes() == []


def full_disk(host, requeue=False):
    return Story().submit("a", 1, requeue=requeue).fault("disk", host, 3)


@pytest.mark.parametrize("story", [
    full_disk("ctl").sees((1, "a", "FAILED")),
    full_disk("n1").wrote("start", "a", 1).wrote("killed", "a", 1).sees((1, "a", "FAILED")),
    full_disk("n1", requeue=True).sees((1, "a", "FAILED")),
    full_disk("n1", requeue=True).wrote("start", "a", 1).ran("a", 1, run=1)
    .sees((1, "a", "COMPLETED")),
])
def test_a_full_spool_explains_nothing_of_a_job_that_has_run_or_may_run_elsewhere(story):
    assert story.rules() == {"ends_have_causes"}


def test_a_full_spool_explains_a_job_that_could_not_be_launched():
    assert full_disk("n1").sees((1, "a", "FAILED")).mistakes() == []
    again = full_disk("n1", requeue=True).ran("a", 1, run=1).sees((1, "a", "COMPLETED"))
    assert again.mistakes() == []


@pytest.mark.parametrize("story", [
    # Nobody knows whether it was taken: it was not, or it was.
    Story().submit("a", result="unknown").sees(),
    Story().submit("a", result="unknown").ran("a", 1).sees((1, "a", "COMPLETED")),
    # A lost node explains the end of its jobs, and a second run of those that want it.
    Story().submit("a", 1).wrote("start", "a", 1).fault("power", "n1", 3)
    .sees((1, "a", "NODE_FAIL")),
    Story().submit("a", 1).wrote("start", "a", 1).fault("cut", "n1", 20, rule={"cut": True})
    .wrote("killed", "a", 1).sees((1, "a", "NODE_FAIL")),
    Story().submit("a", 1, requeue=True).wrote("start", "a", 1).fault("power", "n1", 3)
    .ran("a", 1, run=1).sees((1, "a", "COMPLETED")),
    # It was given to a machine that lost its power before the script began.
    Story().submit("a", 1, requeue=True).fault("power", "n1", 3).ran("a", 1, run=1, node="n2")
    .sees((1, "a", "COMPLETED")),
    # Cancelled before, at, or too late.
    Story().submit("a", 1).do("cancel", "ok", token="a", job=1).sees((1, "a", "CANCELLED")),
    Story().submit("a", 1).ran("a", 1).do("cancel", "unknown", token="a", job=1)
    .sees((1, "a", "COMPLETED")),
    # One task on each of two nodes.
    good().do("srun", "ok", "said s\n" * 2, token="s", nodes=2).ran("s", 3).ran("s", 3, node="n2")
    .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED")),
    # Tasks of an array are jobs of their own.
    Story().submit("a", 1, width=2).ran("a_0", "1_0").ran("a_1", "1_1")
    .sees(("1_0", "a", "COMPLETED"), ("1_1", "a", "COMPLETED")),
    # A doubtful comment may have been written.
    good().do("note", "unknown", job=1, token="a", text="x")
    .do("look", "ok", {"note": "x"}, job=1, token="a")
    .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED")),
    # The machine that lost its power runs nothing any more.
    Story().submit("a", 1, requeue=True).submit("b", 2).wrote("start", "a", 1, cpus=4)
    .fault("power", "n1", 3).ran("b", 2, cpus=4, node="n2").ran("a", 1, cpus=4, run=1)
    .sees((1, "a", "COMPLETED"), (2, "b", "COMPLETED")),
])
def test_what_faults_explain_is_no_mistake(story):
    assert story.mistakes() == []


def test_a_schedule_is_a_function_of_its_seed_and_ends_in_time():
    for seed in range(50):
        faults = schedule.draw(seed, 45, ["ctl"], ["n1", "n2"])
        assert faults == schedule.draw(seed, 45, ["ctl"], ["n1", "n2"])
        assert all(fault.at + fault.lasts <= 45.01 for fault in faults)
    kinds = {fault.kind for seed in range(50) for fault in
             schedule.draw(seed, 45, ["ctl"], ["n1"])}
    assert kinds == set(schedule.KINDS)
    only = schedule.draw(7, 45, ["ctl"], ["n1"], ("cut",))
    assert only and {fault.kind for fault in only} == {"cut"}


def fates(packets=1000, **rule):
    way = switch.Way(__import__("random").Random(1))
    way.now = {**switch.CALM, **rule}
    return [way.fates(float(i)) for i in range(packets)]


def test_a_way_cuts_loses_doubles_and_delays_packets():
    assert all(one == [float(i)] for i, one in enumerate(fates()))
    assert fates(cut=True) == [[]] * 1000
    assert 250 < sum(not one for one in fates(loss=0.3)) < 350
    assert 250 < sum(len(one) == 2 for one in fates(twice=0.3)) < 350
    assert all(one[0] >= i + 0.5 for i, one in enumerate(fates(delay=0.5)))
    times = [one[0] for one in fates(delay=0.1, jitter=3)]
    assert times == sorted(times), "jitter alone reorders nothing"
    late = [one[0] for one in fates(late=0.3, late_by=5)]
    assert late != sorted(late)
