# SPDX-License-Identifier: Apache-2.0
"""Random lines of every command, right and wrong ones: no crash, and no nonsense is accepted.

Like test_random_lines.py, which is about what sbatch's options mean: here the judge only knows of
each word whether it means something to its command. A line is to end with 0 if and only if all of
its words do; a refusal says why, on stderr, and never ends by a signal. srun and salloc are tried
with sbatch's values, too, as far as they know the option.

YM_COMMAND_LINES: how many lines (5000). YM_SEED: another run.
"""
import os
import random
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import transcript
from test_random_lines import FLAGS, OPTIONS

LINES = int(os.environ.get("YM_COMMAND_LINES", "5000"))
SEED = int(os.environ.get("YM_SEED", "26"))

JOB = "1"  # waits, held
# Command: (words before the others, groups of which one word at most is taken, words behind, [words
# that mean nothing]). A word may have blanks in it; it is split there.
COMMANDS = {
    "squeue": ([], [["-h", "-l", "-s", "--start", "--json", "--yaml"], ["-r", "--array"],
                    ["-a", "--all"], ["-t PD", "--states=all", "-tR,PD", "-t pending"],
                    ["-u root", "--user=0", "--me"], ["-p debug", "--partition=debug,short"],
                    ["-S i,-u", "--sort=-P", "-S P,u"], ["-w n1", "--nodelist=n[1-2]"],
                    ["-o %i|%j", "--format=%.10i%P", "-O JobID,Name:20", "-O jobarrayid:"],
                    ["-j 1", "--jobs=1,2", "-j1", "--jobs"],
                    ["-A acct", "-q normal", "-n wrap", "-L x"]],
               [], ["-t bogus", "-j x", "-S bogus", "-w n9", "-i x", "--bogus", "-y", "extra",
                    "-t", "-w n[1-", "--iterate=0.5x"]),
    "sinfo": ([], [["-N", "-s", "-R", "-l", "-T", "--json"], ["-h"], ["-a", "--all"], ["-d", "-r"],
                   ["-t idle", "--states=down,drain", "-t IDLE"], ["-p debug", "-p closed,short"],
                   ["-n n1", "--nodes=n[1-4]"], ["-S P", "--sort=+t,-N"],
                   ["-o %n", "-o %20P%a", "-O nodehost,cpus:8", "--format=%C"], ["-e", "--exact"]],
              [], ["-t bogus", "-i x", "--bogus", "-t", "-k", "--iterate=-1x"]),
    "scontrol": (["-o", "--oneliner", "-a", "-d"],
                 [["show job 1", "show job", "show node n1", "show nodes", "show partition debug",
                   "show config", "show hostnames n[1-3]", "show hostlist n1,n2", "ping", "version",
                   "show step", "show reservation", "show licenses", "hold 1", "uhold 1",
                   "update jobid=1 timelimit=5", "update jobid=1 nice=3 comment=x",
                   "update nodename=n4 comment=x", "setdebug info", "completing", "show daemons",
                   "setdebugflags +Steps", "setdebugflags -Steps", "show topology"]],
                 [], ["show bogus", "show job x", "show job 999", "show node n9", "bogus", "hold",
                      "hold x", "update bogus=1", "update jobid=1 timelimit=x",
                      "show hostnames n[1-",
                      "create reservation", "setdebug bogus", "setdebugflags bogus",
                      "update nodename=n9 state=drain", "update jobid=1 priority=x", "requeue",
                      "update jobid=1 nonsense=1", "show partition nowhere", "--bogus",
                      "create reservation starttime=x duration=5 users=root nodecnt=1",
                      "create reservation starttime=now duration=5 users=root tres=bogus=1"]),
    "scancel": ([], [["999", "998_3", "999_[1-4]"], ["-f"],
                     ["-t PENDING", "--state=RUNNING"], ["-Q"], ["-n nobody", "-p short"]],
                [], ["x", "-t bogus", "-s BOGUS", "-u nouser", "--bogus", "1_x", "-s", "1."]),
    "sacct": ([], [["-X", "-a", "-b"], ["-n", "--noheader"], ["-P", "-p"],
                   ["-o jobid,state", "--format=JobID%-20,User", "-o ALL"], ["-j 1", "-j 1,2.0"],
                   ["-S 2001-01-01", "--starttime=now-1day"], ["-s PD", "--state=R,CD"],
                   ["--units=K", "--units=G"], ["-u root", "-p", "-A acct"]],
              [], ["-j x", "-o bogus", "-S bogus", "-s bogus", "--units=Q", "--bogus", "-S"]),
    "sprio": ([], [["-h"], ["-l", "-w"], ["-j 1"], ["-o %i", "--format=%.10Y%u"], ["-n"],
                   ["-S i", "--sort=-Y"], ["-p debug"], ["-u root"]],
              [], ["-j x", "-S bogus", "--bogus", "-j"]),
    "sdiag": ([], [["-a", "--all", "--json"], ["-i", "-t", "--sort-by-time", "-T"]], [],
              ["-x", "extra", "--bogus"]),
    "strigger": ([], [["--get", "--get --jobid=1", "--get -v",
                       "--set --jobid=1 --fini --program=/bin/true",
                       "--set --node --down --program=/bin/true",
                       "--set --node=n1 --up --offset=20 --program=/bin/true"]], [],
                 ["--set", "--clear --id=99999999", "--set --node --down", "--bogus",
                  "--set --jobid=x --fini --program=/bin/true", "--get extra",
                  "--set --jobid=1 --fini --offset=x --program=/bin/true"]),
    "scrontab": ([], [["-l", "tab.txt", "-r"]], [],
                 ["-x", "/nonexistent", "bad.txt", "-u nouser -l", "tab.txt extra"]),
    "sbcast": ([], [["--help", "-V", "--usage"]], [],
               ["", "/etc/passwd", "--compress=bogus a b", "-s x a b", "--jobid=x a b",
                "--jobid=999 /etc/passwd /tmp/never", "/nonexistent /tmp/never", "--bogus"]),
    "sattach": ([], [["--help", "-V", "--usage"]], [],
                ["", "x", "1.0", "999.0", "1.x", "--bogus", "--input-filter=x 1.0", "1.0 2.0"]),
    "swait": ([], [["--help", "-V", "--usage"]], [],
              ["x", "999", "1.x", "--bogus", "--timeout=x 1", "--timeout", "-Q -v 1", "1 2",
               "--follow 1.0", "1.batch"]),
    "sstat": ([], [["-e", "--helpformat", "-V"]], [],
              ["", "-j x", "-o bogus -j 1", "--bogus", "-j 1.x"]),
}
# A held job never runs; --test-only only asks.
START = {"srun": (["--test-only"], ["true"]), "salloc": (["-I1", "--begin=2037-01-01"], ["true"])}
NOT_OF = {"srun": {"array", "uid", "kill-on-invalid-dep", "wait-all-nodes", "mail-type", "begin",
                   "container", "clusters", "exclusive", "nodefile", "bbf", "dependency", "y"},
          "salloc": {"array", "uid", "open-mode", "kill-on-invalid-dep", "begin", "propagate",
                     "clusters", "nodefile", "y", "deadline"}}
NOT_FLAGS = {"--requeue", "--no-requeue", "--stepmgr", "-O", "-s", "--exclusive", "--nice"}


def random_line(rng):
    """(words, whether they make sense)"""
    command = rng.choice(sorted(COMMANDS) + sorted(START))
    if command in START:
        return start_line(rng, command)
    before, groups, behind, bad = COMMANDS[command]
    words = rng.sample(before, rng.randint(0, min(1, len(before))))
    wrong = rng.random() < 0.4
    if wrong:
        words.append(rng.choice(bad))
    else:
        some = rng.sample(groups, rng.randint(1, min(4, len(groups))))
        words += [rng.choice(group) for group in some]
        if command == "scancel":
            words.append("999")
    return [command] + " ".join(words + behind).split(), not wrong


def start_line(rng, command):
    before, behind = START[command]
    words, sense = list(before), True
    names = sorted(set(OPTIONS) - NOT_OF[command])
    for name in rng.sample(names, rng.randint(1, 4)):
        forms, good, bad = OPTIONS[name]
        wrong = bool(bad) and (not good or rng.random() < 0.12)
        value = rng.choice(bad if wrong else sorted(good))
        sense = sense and not wrong
        words += rng.choice(forms).format(name, value).split()
    flags = [flag for flag in FLAGS if flag not in NOT_FLAGS]
    return [command] + words + rng.sample(flags, rng.randint(0, 2)) + behind, sense


def judge(words, sense, run):
    """What is wrong with the answer; nothing if all is well."""
    said = run.stdout + run.stderr
    if run.returncode < 0 or run.returncode > 128 and run.returncode != 255:
        return f"ended with {run.returncode}"
    if "terminate called" in said or "Assertion" in said or "YM_CHECK" in said:
        return "a crash"
    if words[0] == "salloc" and sense:
        busy = "Requested nodes are busy" in run.stderr
        return None if busy else "sense was refused, or a begin in years was not waited for"
    # Another line may have been there before.
    if sense and any(text in said for text in ("Duplicate event trigger", "no crontab for")):
        return None
    if sense and run.returncode != 0:
        return "sense was refused"
    if not sense and run.returncode == 0:
        return "nonsense was accepted"
    if not sense and not said.strip():
        return "a refusal that does not say why"
    return None


def test_lines_of_every_command_end_well_if_and_only_if_they_mean_something():
    folder = tempfile.mkdtemp(prefix="ym-cli.", dir="/tmp")
    os.chmod(folder, 0o755)
    session = transcript.Session(folder, "ScronParameters=enable\n")
    for name, text in (("tab.txt", "0 0 1 1 * true\n"), ("bad.txt", "99 0 1 1 * true\n")):
        with open(f"{folder}/out/{name}", "w") as f:
            f.write(text)
    rng = random.Random(SEED)
    lines = [random_line(rng) for _ in range(LINES)]

    def run(line):
        return subprocess.run(line[0], env=session.env, cwd=f"{folder}/out", text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=180)

    try:
        session.yard.start()
        session.sh("sbatch -H --wrap true")
        with ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(run, lines))
        alive, code = session.sh("scontrol ping")
    finally:
        session.yard.stop()
        shutil.rmtree(folder, ignore_errors=True)
    wrong = [f"{said}: {' '.join(words)}\n{done.stdout[-300:]}{done.stderr[-300:]}"
             for (words, sense), done in zip(lines, runs) if (said := judge(words, sense, done))]
    assert "is UP" in alive, alive
    assert not wrong, f"{len(wrong)} of {LINES}, seed {SEED}\n" + "\n".join(wrong[:10])
    tried = {words[0] for words, _ in lines}
    assert tried == set(COMMANDS) | set(START)
    assert sum(sense for _, sense in lines) > LINES / 4  # both kinds were tried
    assert sum(not sense for _, sense in lines) > LINES / 4
