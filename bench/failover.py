# SPDX-License-Identifier: Apache-2.0
"""How long nobody is served when the leading controller dies or is stopped."""
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from datetime import datetime

from standbys import Etcd, Standbys
from yard import wait_for

PARTS = ("lease", "replay", "nodes", "job")


def moment(yard, index, pattern, after):
    """When the controller logged a line like that, the first after `after`; None: it did not."""
    for line in yard.log_of(index).splitlines():
        stamp = re.match(r"\[([^\]]+)\]", line)
        if stamp and re.search(pattern, line):
            at = datetime.fromisoformat(stamp[1]).timestamp()
            if at >= after - 0.001:
                return at
    return None


def one_round(yard, how):
    """Seconds of each part, from the leader's end to the start of a job that was asked for then."""
    old = yard.leader()
    pid = yard.pid(yard.daemon(old))
    begin = time.time()
    os.kill(pid, how)
    done = subprocess.run(["srun", "-N1", "date", "+%s.%N"], env=yard.env, cwd=f"{yard.dir}/out",
                          capture_output=True, text=True, check=True, timeout=120)
    started = float(done.stdout)
    new = 1 - old
    leads, serves, node = (wait_for(lambda: moment(yard, new, line, begin), 30, line)
                           for line in ("leads from now on", "serves on port", "connected from"))
    if how == signal.SIGSTOP:
        os.kill(pid, signal.SIGCONT)
    else:
        wait_for(lambda: not os.path.exists(f"/proc/{pid}"), what="the old leader's end")
        yard.start_controller(old)
    wait_for(lambda: yard.ping().count("is UP") == 2, 120, "both to answer")
    wait_for(lambda: yard.idle_nodes() == yard.nodes, 120, "idle nodes")
    time.sleep(1)  # the next one is not to be a part of this
    return {"lease": leads - begin, "replay": serves - leads, "nodes": max(node - serves, 0.0),
            "job": started - max(node, serves), "all": started - begin}


def rounds_of(tools, report, words, count, how, etcd):
    dir = tempfile.mkdtemp(prefix="ymbench.")
    members = Etcd(dir) if etcd else None
    extra = f"StateSaveLocation=etcd://{','.join(members.clients)}/bench\n" if etcd else ""
    yard = Standbys(dir, extra=extra)
    try:
        yard.start()
        rows = [one_round(yard, how) for _ in range(count)]
    finally:
        yard.stop()
        if members:
            members.stop()
        shutil.rmtree(dir, ignore_errors=True)
    all = [row["all"] for row in rows]
    parts = ", ".join(f"{part} {statistics.median(row[part] for row in rows):.2f}"
                      for part in PARTS)
    report(f"{words}, s until a job starts", statistics.median(all),
           f"longest {max(all):.2f} of {count}; medians: {parts}")


def bench_failover(tools, report, count=7):
    """kill -9 and SIGSTOP of the leader, with a shared folder and with an etcd of three members."""
    rounds_of(tools, report, "folder, kill -9", count, signal.SIGKILL, False)
    if shutil.which("etcd"):
        rounds_of(tools, report, "etcd, kill -9", count, signal.SIGKILL, True)
    rounds_of(tools, report, "folder, SIGSTOP", 3, signal.SIGSTOP, False)
    if shutil.which("etcd"):
        rounds_of(tools, report, "etcd, SIGSTOP", 3, signal.SIGSTOP, True)
