# SPDX-License-Identifier: Apache-2.0
"""A user's answers while others do what they should not: bench/abuse.cc and a thousand pollers.

Those who do it run with nice 19 (YM_BENCH_NICE): in a cluster they are on other machines, here they
would take the controller's processors from it."""
import json
import os
import signal
import subprocess
import time

from queue_reading import Pollers

SECONDS = int(os.environ.get("YM_BENCH_SECONDS", "10"))
NICE = int(os.environ.get("YM_BENCH_NICE", "19"))


class Abuse:
    def __init__(self, tools, *command):
        self.process = subprocess.Popen([f"{tools.bin}/abuse", *map(str, command)], text=True,
                                        stdout=subprocess.PIPE, preexec_fn=lambda: os.nice(NICE))
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.said = json.loads(self.process.communicate(timeout=60)[0])


def memory_mb(yard):
    with open(f"/proc/{yard.pid('slurmctld')}/status") as f:
        return next(int(line.split()[1]) // 1024 for line in f if line.startswith("VmRSS"))


def bench_abuse(tools, report):
    """p99 of connecting, asking and submitting, quiet and with all of it at once."""
    one_round(tools, report, "", "")
    # As a site might choose it: the user who is measured stays below.
    limited = "SlurmctldParameters=rl_enable,rl_bucket_size=2000,rl_refill_rate=1000"
    one_round(tools, report, "rl_enable: ", limited)


def one_round(tools, report, prefix, extra):
    yard = tools.new_yard(extra=extra)
    os.chmod(yard.dir, 0o755)
    socket, cluster = tools.socket_of(yard), tools.cluster_of(yard)

    def probe(what, *place):
        found = tools.one_json(f"{tools.bin}/abuse", "probe", *(place or (socket, cluster)),
                               str(SECONDS), *(place and ("40003", f"{yard.dir}/slurm.key")))
        for kind in ("connect", "ask", "submit"):
            report(f"{prefix}{what}: {kind}, p99 ms", found[f"{kind}_p99_ms"],
                   f"p50 {found[f'{kind}_p50_ms']:.2f}, max {found[f'{kind}_max_ms']:.1f}")
    probe("quiet")
    over_tcp = (f"127.0.0.1:{yard.port}", cluster)
    probe("quiet, over TCP", *over_tcp)
    with Abuse(tools, "silent", yard.port, 8, 300) as silent:
        probe("8 addresses with 300 silent connections each")
        probe("the same, over TCP", *over_tcp)
    report(f"{prefix}silent connections that had to make room", silent.said["cut"], "")
    with Abuse(tools, "idle", socket, cluster, 10_000, 50):
        with Pollers(tools, yard, 1000, 1000, nice=NICE):
            time.sleep(1)
            report(f"{prefix}memory with 10,000 idle and 1,000 asking, MB", memory_mb(yard), "")
            probe("10,000 idle, 1,000 asking once a second")
            with Abuse(tools, "loris", socket, 400), Abuse(tools, "garbage", socket, 50):
                probe("and slow hellos and garbage")
                with Abuse(tools, "flood", socket, cluster, 40) as flood:
                    probe("and one user's flood of submissions")
                    report(f"{prefix}memory then, MB", memory_mb(yard), "")
                report(f"{prefix}the flooder's submissions taken", flood.said["taken"],
                       f"{flood.said['refused']} told to come back later")
