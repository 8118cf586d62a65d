# SPDX-License-Identifier: Apache-2.0
"""`yardmaster sim` starts every job in the very second in which another simulator does.

The small traces here are compared with models.py, which shares nothing with the scheduler, and
small/ has one with all its answers, to be checked with a pencil. The large
ones are those of the Parallel Workloads Archive, with the answers of two other simulators; where
they are not at hand (../shared/traces), that is said.
"""
import csv
import gzip
import io
import json
import os
import random
import subprocess

import models
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("YM_BIN", os.path.join(HERE, "../../build/release/bin"))


def traces_folder():
    """Beside the repository, also for a worktree one level further down."""
    for up in ("../../..", "../../../.."):
        folder = os.path.join(HERE, up, "shared/traces")
        if os.path.isdir(folder):
            return folder
    return None


TRACES = traces_folder()
NAMES = {"fcfs": "fcfs", "easy": "easy", "sjbf": "easy-sjbf", "cons": "conservative",
         "lxf-easy": "largest-slowdown-first"}
FILES = {"KTH": "KTH-SP2-1996-2.1-cln.swf.gz", "CTC": "CTC-SP2-1996-3.1-cln.swf.gz",
         "lublin1": "lublin_256.swf.gz"}
# Mean wait, mean bounded slowdown, utilisation: as far as others have published them.
FIGURES = {
    ("KTH", "fcfs"): (353949.9, 6818.32, .69673), ("KTH", "easy"): (6837.485, 92.7299, .69712),
    ("KTH", "sjbf"): (5906.126, 69.4245, None), ("KTH", "lxf-easy"): (5071.5, 50.916, None),
    ("CTC", "fcfs"): (655548.5, 3652.00, .79723), ("CTC", "easy"): (13941.965, 48.8338, .83582),
    ("CTC", "sjbf"): (11816.812, 30.1024, None), ("CTC", "lxf-easy"): (12251.5, 27.933, None),
    ("lublin1", "fcfs"): (2388443.8, 66502.48, .65491),
    ("lublin1", "easy"): (97155.995, 590.054, .93634),
    ("lublin1", "sjbf"): (73394.375, 219.558, .89767),
    ("lublin1", "lxf-easy"): (55987.8, 102.410, .89734),
}
# Which answers there are.
CASES = [("KTH", "fcfs"), ("KTH", "easy"), ("KTH", "sjbf"), ("KTH", "cons"), ("KTH", "lxf-easy"),
         ("CTC", "fcfs"), ("CTC", "easy"), ("CTC", "sjbf"), ("CTC", "lxf-easy"),
         ("lublin1", "fcfs"), ("lublin1", "easy"), ("lublin1", "sjbf"), ("lublin1", "lxf-easy")]


def sim(*arguments, text=None):
    done = subprocess.run([os.path.join(BIN, "yardmaster"), "sim", *arguments], input=text,
                          capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout


def starts_in(text):
    return {int(row["id"]): int(row["start"]) for row in csv.DictReader(io.StringIO(text))}


def small_trace(seed, jobs=250, procs=32):
    """A queue that is rarely empty: bursts, round and odd limits, runs that end early, ties."""
    dice, now, lines = random.Random(seed), 0, [f"; MaxProcs: {procs}"]
    for number in range(1, jobs + 1):
        now += dice.choice([0, 0, 1, 7, 60, 300]) if number > 1 else 0
        limit = dice.choice([60, 300, 437, 600, 3600, dice.randint(1, 5000)])
        run = dice.choice([limit, dice.randint(1, limit), max(1, limit // 3)])
        size = dice.choice([1, 1, 2, 4, 8, 16, procs, dice.randint(1, procs)])
        lines.append(f"{number} {now} -1 {run} {size} -1 -1 {size} {limit} "
                     f"-1 1 {dice.randint(1, 5)} -1 -1 1 -1 -1 -1")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("policy", sorted(models.POLICIES))
@pytest.mark.parametrize("seed", range(1, 4))
def test_every_job_starts_when_the_model_says(policy, seed):
    trace = small_trace(seed)
    jobs, procs = models.read_swf(trace.splitlines())
    expected = models.starts(jobs, procs, policy)
    assert starts_in(sim("-q", "--policy", policy, "--jobs-csv", "-", "-", text=trace)) == expected


@pytest.mark.parametrize("policy", sorted(models.POLICIES))
def test_the_trace_in_the_repository_has_its_answers_beside_it(policy):
    with open(f"{HERE}/small/{policy}.txt", encoding="utf-8") as f:
        answers = dict(map(int, line.split()) for line in f)
    path = f"{HERE}/small/trace.swf"
    assert starts_in(sim("-q", "--policy", policy, "--jobs-csv", "-", path)) == answers
    with open(path, encoding="utf-8") as f:
        jobs, procs = models.read_swf(f)
    assert models.starts(jobs, procs, policy) == answers


def test_each_policy_has_other_answers_for_the_trace_in_the_repository():
    texts = set()
    for policy in models.POLICIES:
        with open(f"{HERE}/small/{policy}.txt", encoding="utf-8") as f:
            texts.add(f.read())
    assert len(texts) == len(models.POLICIES)


@pytest.mark.skipif(TRACES is None, reason="the traces are not here: ../shared/traces")
@pytest.mark.parametrize("trace,policy", CASES)
def test_a_real_trace_is_scheduled_as_others_schedule_it(trace, policy, tmp_path):
    with gzip.open(f"{TRACES}/starts/{trace}_{policy}_batch.txt.gz", "rt") as f:
        answers = dict(map(int, line.split()) for line in f)
    out, summary = tmp_path / "jobs.csv", tmp_path / "summary.json"
    sim("-q", "--policy", NAMES[policy], "--jobs-csv", str(out), "--json", str(summary),
        f"{TRACES}/{FILES[trace]}")
    starts = starts_in(out.read_text())
    assert starts.keys() == answers.keys()
    first = min(starts)  # some answers count from another zero
    shift = answers[first] - starts[first]
    wrong = [number for number in starts if starts[number] + shift != answers[number]]
    assert not wrong, f"{len(wrong)} of {len(starts)} jobs, the first is {wrong[0]}"
    if (trace, policy) in FIGURES:
        wait, slowdown, busy = FIGURES[trace, policy]
        run = json.loads(summary.read_text())["runs"][0]
        assert run["wait_seconds"]["mean"] == pytest.approx(wait, rel=2e-5)
        assert run["bounded_slowdown"]["mean"] == pytest.approx(slowdown, rel=2e-5)
        if busy:
            assert run["utilisation"] == pytest.approx(busy, abs=2e-5)


@pytest.mark.skipif(TRACES is None, reason="the traces are not here: ../shared/traces")
@pytest.mark.parametrize("trace", sorted(FILES))
def test_the_best_forecast_waits_less_than_others_and_starves_nobody(trace, tmp_path):
    """Against largest slowdown first on the mean, and against EASY at the end."""
    summary = tmp_path / "summary.json"
    sim("-q", "--policy", "best-forecast", "--compare", "largest-slowdown-first,easy",
        "--json", str(summary), f"{TRACES}/{FILES[trace]}")
    ours, slowdown_first, easy = json.loads(summary.read_text())["runs"]
    assert [run["policy"] for run in (ours, slowdown_first, easy)] == [
        "best-forecast", "largest-slowdown-first", "easy"]
    ratios = {
        "mean wait": ours["wait_seconds"]["mean"] / slowdown_first["wait_seconds"]["mean"],
        "mean slowdown":
            ours["bounded_slowdown"]["mean"] / slowdown_first["bounded_slowdown"]["mean"],
        "makespan": ours["makespan_seconds"] / easy["makespan_seconds"],
        "longest wait": ours["wait_seconds"]["max"] / easy["wait_seconds"]["max"]}
    print(trace, ratios)
    assert ratios["mean wait"] <= 1 and ratios["mean slowdown"] <= 1, ratios
    assert ratios["makespan"] <= 1.001 and ratios["longest wait"] <= 2, ratios


def test_a_site_asks_with_its_own_accounting():
    """What sacct printed on a cluster, on a machine of nodes, against what happened there."""
    lines = ["JobIDRaw|User|Partition|Submit|Start|ElapsedRaw|TimelimitRaw|ReqCPUS|NNodes|State",
             "7|ann|long|2026-11-15T10:00:00|2026-11-15T10:00:10|600|20|8|2|COMPLETED",
             "7.batch|||2026-11-15T10:00:00|2026-11-15T10:00:10|600||4|1|COMPLETED",
             "8|bob|short|2026-11-15T10:01:00|2026-11-15T11:00:00|60|5|8|2|COMPLETED",
             "9|bob|short|2026-11-15T10:02:00|2026-11-15T10:30:00|400|5|4|1|TIMEOUT"]
    text = sim("-q", "--machine", "2x4", "--jobs-csv", "-", "--compare", "recorded", "-",
               text="\n".join(lines))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["id"], row["start"], row["state"]) for row in rows[:3]] == [
        ("7", "0", "COMPLETED"), ("8", "600", "COMPLETED"), ("9", "660", "TIMEOUT")]
    assert [row["start"] for row in rows[3:]] == ["10", "3600", "1800"]
    assert rows[3]["policy"] == "recorded"


def test_the_page_stands_alone_and_tells_of_every_run(tmp_path):
    page, packed = tmp_path / "page.html", tmp_path / "small.swf.gz"
    packed.write_bytes(gzip.compress(small_trace(1).encode()))
    shown = sim("--policy", "fcfs", "--compare", "easy", "--html", str(page), str(packed))
    assert "fcfs" in shown.splitlines()[2] and "easy" in shown.splitlines()[2]
    text = page.read_text()
    assert text.count("<svg") == 6  # four figures, and who ran when for each run
    assert "http" not in text and "<script" not in text
    assert "prefers-color-scheme" in text and "@media print" in text


def test_what_is_wrong_with_a_trace_is_told_with_its_line(tmp_path):
    bad = tmp_path / "bad.swf"
    bad.write_text("; MaxProcs: 4\n1 0 -1 ten 4\n")
    done = subprocess.run([os.path.join(BIN, "yardmaster"), "sim", str(bad)], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.endswith("bad.swf:2: field 4 is not a number: 'ten'\n")


def test_a_model_gives_the_same_jobs_for_the_same_seed(tmp_path):
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    for path, seed in ((one, "5"), (two, "5"), (other, "6")):
        sim("-q", "--generate", "lublin", "--jobs", "300", "--seed", seed, "--swf", str(path))
    assert one.read_text() == two.read_text() != other.read_text()
    # And what was written is a trace again.
    assert "300 jobs on 256 processors" in sim("--policy", "easy", str(one))
