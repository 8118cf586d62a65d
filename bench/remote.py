# SPDX-License-Identifier: Apache-2.0
"""What a command costs that reaches its controller over the network: plainly, with a full handshake
of TLS, with a ticket of the last one."""
import os
import shutil
import statistics


def machine(yard, name):
    """Another machine's slurm.conf: no socket of a daemon is where it looks."""
    folder = f"{yard.dir}/{name}"
    os.makedirs(f"{folder}/tickets", mode=0o700)
    with open(f"{yard.dir}/slurm.conf") as f:
        text = f.read().replace(f"{yard.dir}/run/", f"{folder}/")
    with open(f"{folder}/slurm.conf", "w") as f:
        f.write(text)
    shutil.copy(f"{yard.dir}/slurm.key", folder)  # mode and all
    authority = f"{yard.dir}/state/tls/ca_cert.pem"
    if os.path.exists(authority):
        shutil.copy(authority, folder)
    return dict(yard.env, SLURM_CONF=f"{folder}/slurm.conf", XDG_RUNTIME_DIR=f"{folder}/tickets")


def bench_tls(tools, report, rounds=5, count=60):
    plain = machine(tools.new_yard(extra="TLSType=none"), "away")
    secret = machine(tools.new_yard(extra="TLSType=tls/s2n"), "away")
    tickets = f"{secret['XDG_RUNTIME_DIR']}/yardmaster/*"
    kinds = {"plain": (plain, "/nonexistent"), "full": (secret, tickets),
             "resumed": (secret, "/nonexistent")}
    times = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind, (env, forget) in kinds.items():
            # All of them through a shell that removes something: nothing, or the tickets.
            ask = f"rm -f {forget}; exec {tools.bin}/squeue -h -j 1"
            done = tools.one_json(tools.load, "spawn", str(count), "/bin/sh", "-c", ask, env=env)
            times[kind].append(done["median_seconds"])
    base = statistics.median(times["plain"])
    for kind in kinds:
        median = statistics.median(times[kind])
        report(f"a remote squeue, {kind}, ms", 1000 * median, f"{median / base:.2f} x plain")
