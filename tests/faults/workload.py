# SPDX-License-Identifier: Apache-2.0
"""Users on the login host: each does one thing after the other and writes down what it was told."""
import random
import re
import threading
import time

import cluster
from history import now

# sbatch and srun say so when the question left and no answer came.
UNKNOWN = re.compile(r"may have been accepted")
TIMED_OUT = (124, 137)
OPERATIONS = {"submit": 50, "cancel": 9, "query": 18, "look": 9, "srun": 6, "release": 5, "note": 6}


def rows_of(text):
    return [line.split("|") for line in text.splitlines() if line.count("|") >= 3]


class Client(threading.Thread):
    def __init__(self, site, history, user, seed, until):
        super().__init__(daemon=True)
        self.site, self.history, self.user, self.until = site, history, user, until
        self.rng = random.Random(f"client {user} {seed}")
        self.count = 0
        self.mine = []  # (id, token) of what was acknowledged, newest last
        self.held = []
        self.arrays = []
        self.error = None

    def run(self):
        names, weights = zip(*OPERATIONS.items())
        try:
            while now() < self.until:
                rush = time.monotonic() < self.site.rush_until
                if rush and self.rng.random() < 0.8:
                    self.submit(rush=True)
                    continue
                getattr(self, self.rng.choices(names, weights)[0])()
                if not rush:
                    time.sleep(self.rng.expovariate(1 / 0.25))
        except Exception as error:  # the run has failed, and says with what
            self.error = error

    def ask(self, *words, patience=20):
        return self.site.ask(*words, user=self.user, patience=patience)

    def token(self):
        self.count += 1
        return f"{self.user}{self.count}"

    def job(self):
        """(cpus, seconds): mostly small; some live through faults."""
        seconds = self.rng.uniform(4, 14) if self.rng.random() < 0.12 else self.rng.uniform(0.1, 2)
        return self.rng.choice([1, 1, 1, 2, 2, cluster.CPUS]), round(seconds, 1)

    def submit(self, rush=False):
        token, (cpus, seconds) = self.token(), (1, 0.1) if rush else self.job()
        hold, requeue = self.rng.random() < 0.08, self.rng.random() < 0.3
        seconds = min(seconds, 1.0) if hold else seconds  # some are released at the very end
        width = self.rng.choice([2, 3]) if self.rng.random() < 0.1 and not hold else 1
        words = ["--parsable", f"-c{cpus}", "-o", "/dev/null", "-J", token,
                 "--requeue" if requeue else "--no-requeue", *(["--hold"] if hold else []),
                 *([f"--array=0-{width - 1}"] if width > 1 else [])]
        number = self.history.invoke(self.user, "submit", token=token, cpus=cpus, seconds=seconds,
                                     hold=hold, requeue=requeue, width=width)
        done = self.ask("sbatch", *words, f"{self.site.dir}/job.sh", token, str(seconds), str(cpus))
        if done.returncode == 0:
            job = done.stdout.strip().split(";")[0]
            self.history.add("ok", op=number, value=job)
            if width > 1:
                self.arrays.append((job, token, width))
            else:
                self.mine.append((job, token))
            if hold:
                self.held.append((job, token))
            return
        unknown = UNKNOWN.search(done.stderr) or done.returncode in TIMED_OUT
        self.history.add("unknown" if unknown else "fail", op=number, why=done.stderr.strip())

    def srun(self):
        token = self.token()
        cpus, seconds = self.rng.choice([1, 2]), round(self.rng.uniform(0.1, 1.5), 1)
        number = self.history.invoke(self.user, "srun", token=token, cpus=cpus, seconds=seconds)
        done = self.ask("srun", f"-c{cpus}", "-J", token,
                        f"{self.site.dir}/job.sh", token, str(seconds), str(cpus), patience=40)
        if done.returncode == 0:
            self.history.add("ok", op=number, value=done.stdout)
        else:
            self.history.add("unknown", op=number, why=done.stderr.strip())

    def cancel(self):
        if self.arrays and self.rng.random() < 0.2:
            job, token, width = self.rng.choice(self.arrays[-2:])
            self.change("cancel", job, token, "scancel", job, width=width)
        elif self.mine:
            job, token = self.rng.choice(self.mine[-6:])
            self.change("cancel", job, token, "scancel", job)

    def release(self):
        if self.held:
            job, token = self.held.pop(0)
            self.change("release", job, token, "scontrol", "release", job)

    def note(self):
        """One writer for each job's comment: a register that readers can check."""
        if self.mine:
            job, token = self.rng.choice(self.mine[-4:])
            self.count += 1
            text = f"note{self.count}"
            self.change("note", job, token, "scontrol", "update", f"JobId={job}",
                        f"Comment={text}", text=text)

    def change(self, what, job, token, *words, **fields):
        number = self.history.invoke(self.user, what, job=job, token=token, **fields)
        done = self.ask(*words)
        # A command that asked twice may be told that it is done already: that is no "no".
        self.history.add("ok" if done.returncode == 0 else "unknown", op=number,
                         why=done.stderr.strip())

    def query(self):
        ask_all(self.site, self.history, self.user)

    def look(self):
        if self.mine:
            look_at(self.site, self.history, self.user, *self.rng.choice(self.mine[-8:]))


def ask_all(site, history, user):
    number = history.invoke(user, "query")
    done = site.ask("squeue", "-h", "-r", "-t", "all", "-o", "%i|%j|%T|%N|%A", user=user)
    if done.returncode != 0:
        history.add("fail", op=number, why=done.stderr.strip())
        return None
    rows = rows_of(done.stdout)
    history.add("ok", op=number, value=rows)
    return rows


def look_at(site, history, user, job, token):
    number = history.invoke(user, "look", job=job, token=token)
    done = site.ask("scontrol", "show", "job", job, user=user)
    said = dict(re.findall(r"(\S+?)=(\S*)", done.stdout))
    if done.returncode == 0 and said.get("JobId") == job:
        history.add("ok", op=number, value={"name": said.get("JobName"),
                                            "state": said.get("JobState"),
                                            "restarts": int(said.get("Restarts", 0)),
                                            "note": said.get("Comment", "")})
    elif "Invalid job id" in done.stderr:
        history.add("ok", op=number, value=None)
    else:
        history.add("fail", op=number, why=done.stderr.strip())
