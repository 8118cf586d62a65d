# SPDX-License-Identifier: Apache-2.0
"""Random command lines of sbatch, right and wrong ones: no crash, and no nonsense is accepted.

The judge knows nothing of the parser: for each option it has values that mean something, and what
squeue must show then, and values that mean nothing. A line is to be accepted if and only if none of
its values means nothing; what was accepted has to be in the queue as it was asked for; a refusal
says something on stderr, nothing on stdout, and ends with 1 or 255.

YM_LINES: how many lines (10000). YM_SEED: another run.
"""
import os
import random
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import transcript

LINES = int(os.environ.get("YM_LINES", "10000"))
SEED = int(os.environ.get("YM_SEED", "26"))

# Option: (forms, {value: what squeue shows of it, as {letter: text}}, [values that mean nothing])
LONG = "--{0}={1}"
OPTIONS = {
    "time": (["-t {1}", "-t{1}", LONG],
             {"5": {"l": "5:00"}, "90": {"l": "1:30:00"}, "1-0": {"l": "1-00:00:00"},
              "0:20": {"l": "1:00"}, "UNLIMITED": {"l": "UNLIMITED"}},
             ["x", "1:2:3:4", "5m", "1-x"]),
    "nodes": (["-N{1}", "-N {1}", LONG], {"1": {"D": "1"}, "2": {"D": "2"}},
              ["x", "0", "3-1", "-1", "1.5", "1-", "2k2", "99999999999"]),
    "ntasks": (["-n{1}", LONG], {"1": {}, "2": {}}, ["0", "x", "-1", "2x", "99999999999"]),
    "cpus-per-task": (["-c{1}", LONG], {"1": {}, "2": {}}, ["0", "x", "-2", "1.5"]),
    "mem": ([LONG], {"100": {"m": "100M"}, "300M": {"m": "300M"}, "1G": {"m": "1G"}},
            ["x", "-5", "1Q", "G", "99999G"]),
    "tmp": ([LONG], {"0": {}}, ["x", "-1"]),
    "partition": (["-p{1}", "-p {1}", LONG],
                  {"debug": {"P": "debug"}, "short": {"P": "short"},
                   "debug,short": {"P": "debug,short"}},
                  ["nowhere", "debug,nowhere"]),
    "account": (["-A{1}", LONG], {"acct": {"a": "acct"}}, []),
    "comment": ([LONG], {"hello": {"k": "hello"}}, []),
    "array": (["-a{1}", LONG], {"1-3": {}, "0-7:2": {}, "1,5%1": {}},
              ["x", "5-1", "1-", "1-10:0", "-1", "1-99999"]),
    "dependency": (["-d{1}", LONG], {"singleton": {}},
                   ["nonsense", "afterok:", "after:x", "afterok"]),
    "begin": (["-b{1}", LONG],
              {"now+1hour": {}, "2037-01-01T00:00:00": {"S": "2037-01-01T00:00:00"}},
              ["someday", "25:00"]),
    "deadline": ([LONG], {"2037-01-01": {}}, ["someday", "2001-01-01"]),
    "constraint": (["-C{1}", LONG], {}, ["nonsense"]),
    "nodelist": (["-w{1}", LONG], {"n1": {"n": "n1"}, "n[1-2]": {"n": "n[1-2]"}}, ["n9", "n[1-"]),
    "exclude": (["-x{1}", LONG], {"n4": {}}, ["n9", "[1"]),
    "mail-type": ([LONG], {"NONE": {}, "END,FAIL": {}, "all": {}, "TIME_LIMIT_80": {}},
                  ["x", "END;FAIL", "ENDE"]),
    "signal": ([LONG], {"USR1": {}, "B:USR2@30": {}, "10@5": {}, "R:TERM": {}},
               ["FOO", "USR1@x", "X:USR1", "USR1@99999999"]),
    "nice": ([LONG], {"5": {}, "0": {}}, ["x", "99999999999"]),
    "distribution": (["-m{1}", LONG], {"block": {}, "cyclic:block": {}, "plane=2": {}},
                     ["x", "plane", "block:x"]),
    "hint": ([LONG], {"compute_bound": {}}, ["x"]),
    "open-mode": ([LONG], {"append": {}, "truncate": {}}, ["x"]),
    "profile": ([LONG], {"all": {}, "task,energy": {}}, ["x", "task,x"]),
    "cpu-freq": ([LONG], {"low-high": {}, "Performance": {}, "2400000": {}},
                 ["x", "low-", "low-high:x"]),
    "switches": ([LONG], {"1": {}, "2@10": {}}, ["x", "0", "1@x"]),
    "segment": ([LONG], {"1": {}}, ["x", "0"]),
    "delay-boot": ([LONG], {"5": {}}, ["x"]),
    "kill-on-invalid-dep": ([LONG], {"yes": {}, "no": {}}, ["x", "1"]),
    "wait-all-nodes": ([LONG], {"0": {}, "1": {}}, ["x", "2"]),
    "threads-per-core": ([LONG], {"1": {}}, ["x", "0"]),
    "acctg-freq": ([LONG], {"task=5": {}}, ["x"]),
    "propagate": ([LONG], {"NONE": {}, "NOFILE": {}}, ["nonsense"]),
    "exclusive": ([LONG], {"user": {}}, ["x", "us"]),
    "gres": ([LONG], {"none": {}}, ["gpu:1", "nonsense", "gpu:0x"]),
    "gpus": (["-G{1}", LONG], {}, ["1", "x", "a100:1"]),
    "gpus-per-task": ([LONG], {}, ["1", "x"]),
    "gpu-bind": ([LONG], {}, ["x"]),
    "gres-flags": ([LONG], {"enforce-binding": {}}, ["x"]),
    "container": ([LONG], {}, ["/x"]),
    "bbf": ([LONG], {}, ["/nonexistent"]),
    "nodefile": (["-F{1}", LONG], {}, ["/nonexistent"]),
    "uid": ([LONG], {"root": {"u": "root"}, "0": {"u": "root"}}, ["nonsense"]),
    "clusters": (["-M{1}", LONG], {"yard": {}}, ["elsewhere"]),
    "nonsense": ([LONG, "--{0}"], {}, ["1"]),
    "tiime": ([LONG], {}, ["5"]),
    "y": (["-{0}"], {}, [""]),
}
FLAGS = ["--contiguous", "-O", "--requeue", "--no-requeue", "-k", "--spread-job", "--use-min-nodes",
         "--reboot", "--stepmgr", "--exclusive", "--nice", "-s", "--consolidate-segments"]
# Lines that Slurm prints without the command's name.
BARE = ("Try \"sbatch --help\"", "Invalid time specification (pos=")


def random_line(rng, number):
    """(arguments, whether it makes sense, what squeue shows)"""
    words, sense, shown = ["-H", "-J", f"line{number}"], True, {"j": f"line{number}"}
    given = {}
    for name in rng.sample(sorted(OPTIONS), rng.randint(1, 5)):
        forms, good, bad = OPTIONS[name]
        wrong = bool(bad) and (not good or rng.random() < 0.12)
        value = rng.choice(bad if wrong else sorted(good))
        sense = sense and not wrong
        given[name] = value
        shown.update({} if wrong else good[value])
        form = rng.choice(forms)
        words += form.format(name, value).split(" ") if " " in form else [form.format(name, value)]
    words += rng.sample(FLAGS, rng.randint(0, 2))
    if "-s" in words and any(w.startswith("--exclusive") for w in words):
        sense = False  # one or the other
    if given.get("nodes") == "1" and given.get("nodelist") == "n[1-2]":
        sense = False  # more nodes than it wants
    # -w counts its nodes unless -N does; fewer tasks than nodes lower -N.
    if any(w.startswith(("-w", "--nodelist", "-n", "--ntasks")) for w in words):
        shown.pop("D", None)
    return words + ["--wrap", "true"], sense, shown


def judge(line, sense, run):
    """What is wrong with the answer; nothing if all is well."""
    lines = run.stderr.splitlines()
    if run.returncode not in (0, 1, 255):
        return f"ended with {run.returncode}"
    if any(not text.startswith(("sbatch: ",) + BARE) for text in lines):
        return "a line without the command's name"
    if run.returncode == 0 and not sense:
        return "nonsense was accepted"
    if run.returncode != 0 and sense:
        return "sense was refused"
    if run.returncode == 0 and not run.stdout.startswith("Submitted batch job "):
        return "accepted without a word"
    if run.returncode != 0 and (run.stdout or not lines):
        return "a refusal that does not say why"
    return None


def test_random_lines_are_accepted_if_and_only_if_they_mean_something():
    folder = tempfile.mkdtemp(prefix="ym-cli.", dir="/tmp")
    os.chmod(folder, 0o755)
    session = transcript.Session(folder, "")
    rng = random.Random(SEED)
    lines = [random_line(rng, i) for i in range(LINES)]

    def submit(line):
        return subprocess.run(["sbatch", *line[0]], env=session.env, cwd=f"{folder}/out", text=True,
                              capture_output=True, timeout=60)

    try:
        session.yard.start()
        with ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(submit, lines))
        letters = "jlDmPaknSu"
        text, _ = session.sh("squeue -h -o '" + "|".join(f"%{c}" for c in letters) + "'")
    finally:
        session.yard.stop()
        shutil.rmtree(folder, ignore_errors=True)
    wrong = []
    queue = {row.split("|")[0].strip(): dict(zip(letters, map(str.strip, row.split("|"))))
             for row in text.splitlines()}
    for (words, sense, shown), run in zip(lines, runs):
        said = judge(words, sense, run)
        if not said and sense:
            row = queue.get(shown["j"], {})
            differs = {c: (row.get(c), value) for c, value in shown.items() if row.get(c) != value}
            said = f"squeue shows {differs}" if differs else None
        if said:
            wrong.append(f"{said}: sbatch {' '.join(words)}\n{run.stdout}{run.stderr}")
    assert not wrong, f"{len(wrong)} of {LINES}, seed {SEED}\n" + "\n".join(wrong[:10])
    assert sum(sense for _, sense, _ in lines) > LINES / 4  # both kinds were tried
    assert sum(not sense for _, sense, _ in lines) > LINES / 4
