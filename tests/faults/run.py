#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whole clusters under faults: `./dev sim --cluster`.

Rounds of about a minute, each on a fresh cluster with faults and work drawn from the round's seed,
until the minutes are over. A round that goes wrong keeps its folder and says how to run it again.
"""
import argparse
import os
import random
import shutil
import sys
import tempfile
import time

import checker
import cluster
import history
import hosts
import schedule
import workload
from nemesis import Nemesis

CLIENTS = ("ann", "ann", "bob", "cleo")
DRAWN_CONTROLLERS = (1,)
SETTLE_S = 90
SHOWN_OF_A_RULE = 4


def parse(argv):
    parser = argparse.ArgumentParser(prog="./dev sim --cluster", description=__doc__)
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("--seed", type=int, help="run this round only, or start with it")
    parser.add_argument("--rounds", type=int, help="so many rounds instead of minutes")
    parser.add_argument("--round", type=float, default=45, metavar="SECONDS",
                        help="how long faults go on in each round (default 45)")
    parser.add_argument("--only", metavar="FAULT,...", help=", ".join(schedule.KINDS))
    parser.add_argument("--plan", action="store_true", help="print the faults of a seed, and exit")
    parser.add_argument("--sabotage", action="store_true",
                        help="a controller that forgets all jobs whenever it starts: this must be "
                             "found")
    parser.add_argument("--controllers", type=int, metavar="N", help="so many controllers")
    parser.add_argument("--etcd", type=int, metavar="N", help="with an etcd of so many members")
    parser.add_argument("--check", metavar="HISTORY", help="read the history of a round once more")
    parser.add_argument("--keep", action="store_true", help="keep the folder of a good round, too")
    options = parser.parse_args(argv)
    if options.only:
        kinds = options.only.split(",")
        for kind in kinds:
            if kind not in schedule.KINDS:
                parser.error(f"no fault {kind}; there are: {', '.join(schedule.KINDS)}")
    options.kinds = tuple(options.only.split(",")) if options.only else schedule.KINDS
    if options.seed is not None and options.rounds is None:
        options.rounds = 1
    return options


def why_not():
    """What this machine lacks, if anything."""
    if os.geteuid() != 0:
        return "hosts of their own need root"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    for program in ("ip", "nsenter", "unshare", "setpriv", "flock"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


class Progress:
    """A line that is written over on a terminal, and lines elsewhere."""

    def __init__(self, seed):
        self.seed, self.begin, self.live = seed, time.monotonic(), sys.stdout.isatty()

    def say(self, text):
        line = f"seed {self.seed} {time.monotonic() - self.begin:5.1f} s: {text}"
        print(f"\r{line:<99.99}" if self.live else line, end="" if self.live else "\n", flush=True)

    def end(self, text):
        print(("\r" if self.live else "") + f"{text:<99}".rstrip(), flush=True)


def settle(site, log):
    """After the faults: everybody is released, and all must end. What does not, in sentences."""
    for job, token, state, *_ in workload.ask_all(site, log, "root") or []:
        if state == "PENDING":
            number = log.invoke("root", "release", job=job, token=token)
            done = site.ask("scontrol", "release", job)
            log.add("ok" if done.returncode == 0 else "unknown", op=number)
    end, least = time.monotonic() + SETTLE_S, None
    while True:
        asked = site.ask("squeue", "-h", "-o", "%i|%j|%T|%r")
        rows, idle = workload.rows_of(asked.stdout), site.idle_nodes()
        if asked.returncode == 0 and not rows and idle == set(site.nodes):
            break
        log.add("waiting", rows=rows[:20], idle=sorted(idle))
        for node in site.full - idle:
            site.resume(node)
        if least is None or len(rows) < least:  # a slow machine, but one that gets on
            end, least = time.monotonic() + SETTLE_S, len(rows)
        if time.monotonic() > end:
            wrong = [f"job {row[0]} ({row[1]}) is {row[2]}, {row[3]}, {SETTLE_S} s after the last "
                     f"end" for row in rows]
            return wrong + [f"{node} is not idle at the end" for node in site.nodes
                            if node not in idle]
        time.sleep(0.3)
    return [f"a process of {one} lives at the end" for one in site.left_over()]


def last_words(site, log, clients):
    """What is known at the end, and again after a crash: no difference is allowed."""
    workload.ask_all(site, log, "root")
    for client in clients:
        for job, token in client.mine[-10:]:
            workload.look_at(site, log, "root", job, token)
    for host in site.controllers:
        site.daemons[host].kill()
    for host in site.controllers:
        site.start(host)
    workload.ask_all(site, log, "root")


def play(site, log, faults, options, seed, say):
    site.start_all()
    log.add("meta", cpus=cluster.CPUS, slurmd_timeout=cluster.SLURMD_TIMEOUT_S, seed=seed,
            controllers=site.controllers)
    until = history.now() + options.round
    clients = [workload.Client(site, log, user, f"{seed}.{i}", until)
               for i, user in enumerate(CLIENTS)]
    for i, client in enumerate(clients):
        client.count = i * 100000  # two clients of one user do not share tokens
        client.start()
    Nemesis(site, log, say).run(faults, options.round)
    say("mended; waiting for the end of all jobs")
    for client in clients:
        client.join(timeout=120)
        if client.error or client.is_alive():
            raise RuntimeError(f"the client {client.user} is stuck") from client.error
    log.add("meta", unsettled=settle(site, log))
    last_words(site, log, clients)
    for node in site.nodes:
        log.add("ledger", node=node, lines=site.ledger(node))


def setup_of(seed, options):
    """What was asked for, or drawn: one controller, two with a folder, three with an etcd."""
    if options.controllers or options.etcd:
        return cluster.Setup(controllers=options.controllers or 1, etcd=options.etcd or 0)
    controllers = random.Random(f"setup {seed}").choice(DRAWN_CONTROLLERS)
    return cluster.Setup(controllers=controllers,
                         etcd=3 if controllers == 3 and cluster.ETCD else 0)


def plan(seed, options):
    """(Setup, faults) of a seed."""
    setup = setup_of(seed, options)
    faults = schedule.draw(seed, options.round, setup.controller_names(), setup.node_names(),
                           options.kinds, setup.etcd_names(), cluster.SLURMD_TIMEOUT_S)
    setup.clocks = any(fault.kind == "clock" for fault in faults)
    return setup, faults


def one_round(seed, options):
    """Whether it went well."""
    setup, faults = plan(seed, options)
    progress = Progress(seed)
    progress.say(setup.words())
    folder = tempfile.mkdtemp(prefix="ymf-", dir="/tmp")  # short: paths of sockets are
    os.chmod(folder, 0o755)
    path = f"{folder}/history"
    log = history.History(path)
    site = cluster.Site(folder, seed, setup)
    site.sabotage = options.sabotage
    try:
        play(site, log, faults, options, seed, progress.say)
    finally:
        site.close()
        log.close()
    records = history.read(path)
    wrong = judge(records, progress, len(faults))
    if wrong or options.keep:
        words = [f"--{name} {getattr(options, name)}" for name in ("only", "controllers", "etcd")
                 if getattr(options, name)]
        again = " ".join(["./dev sim --cluster --seed", str(seed), f"--round {options.round:g}",
                          *words])
        print(f"  again: {again}\n  history and logs: {folder}", flush=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return not wrong


def judge(records, progress, faults):
    """Prints a line, and more if something is wrong; whether it is."""
    wrong = checker.check(records)
    case = checker.load(records)
    counts = {kind: sum(op.result == kind for op in case.of("submit"))
              for kind in ("ok", "fail", "unknown")}
    if not counts["ok"]:
        wrong.append(("work_is_done", "no job was acknowledged at all"))
    progress.end(f"seed {progress.seed}: {faults} faults, {len(case.operations)} operations, jobs: "
                 + ", ".join(f"{n} {kind}" for kind, n in counts.items())
                 + f"; {len(wrong)} mistakes in {time.monotonic() - progress.begin:.0f} s")
    shown = {}
    for rule, sentence in wrong:
        shown[rule] = shown.get(rule, 0) + 1
        if shown[rule] <= SHOWN_OF_A_RULE:
            print(f"  {rule}: {sentence}")
    return bool(wrong)


def main():
    options = parse(sys.argv[1:])
    if options.plan:
        setup, faults = plan(options.seed or 1, options)
        print(setup.words())
        for fault in faults:
            print(f"{fault.at:6.2f} {fault.words()}")
        return 0
    if options.check:
        records = history.read(options.check)
        begun = sum(one["type"] == "fault" and one["does"] == "begin" for one in records)
        return 1 if judge(records, Progress("?"), begun) else 0
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    if options.etcd and not cluster.ETCD:
        print("skipped: etcd is not installed")
        return 77
    hosts.own_mounts()
    seed = options.seed if options.seed is not None else random.randrange(1, 10**6)
    end, rounds, good = time.monotonic() + options.minutes * 60, 0, True
    while rounds < options.rounds if options.rounds else time.monotonic() < end:
        good = one_round(seed + rounds, options) and good
        rounds += 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
