# SPDX-License-Identifier: Apache-2.0
"""What nobody should do to a controller: others are answered all the same, and it stays within its
bounds. bench/abuse.cc does it, bench/abuse.py measures it."""
import json
import os
import pwd
import resource
import shutil
import signal
import ssl
import subprocess
import tempfile
import time

import pytest

from yard import BIN, SANITIZED, Yard, wait_for

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: acts as several users")


class Abuse:
    """A process of bench/abuse.cc: from "ready" until it is told to end."""
    all = []

    def __init__(self, *command):
        self.process = subprocess.Popen([f"{BIN}/abuse", *map(str, command)], text=True,
                                        stdout=subprocess.PIPE)
        Abuse.all.append(self.process)
        assert self.process.stdout.readline() == "ready\n"

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=180)
        assert self.process.returncode == 0
        return json.loads(out)


class UserYard(Yard):
    def __init__(self, dir, **kwargs):
        super().__init__(dir, **kwargs)
        os.chmod(self.dir, 0o755)
        os.chmod(f"{self.dir}/out", 0o777)
        os.chmod(f"{self.dir}/run", 0o755)
        with open(f"{self.dir}/slurm.conf") as f:
            self.cluster = next(line.split("=")[1].strip() for line in f if "ClusterName" in line)

    @property
    def socket(self):
        return f"{self.dir}/run/slurmctld.sock"

    def memory_mb(self):
        with open(f"/proc/{self.pid('slurmctld')}/status") as f:
            return next(int(line.split()[1]) // 1024 for line in f if line.startswith("VmRSS"))

    def log(self):
        with open(f"{self.dir}/slurmctld.log") as f:
            return f.read()


def as_user(name):
    entry = pwd.getpwnam(name)

    def become():
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    return become


def jobs_of(yard, uid):
    return len(yard.run("squeue", "-h", "-r", "-o", "%A", "-u", str(uid)).stdout.split())


@pytest.fixture
def make_yard():
    yards = []
    with tempfile.TemporaryDirectory(prefix="ym-abuse-") as folder:
        def make(extra=""):
            yard = UserYard(f"{folder}/{len(yards)}", nodes=1, extra=extra)
            os.chmod(folder, 0o755)
            yards.append(yard)
            return yard
        yield make
        for process in Abuse.all:  # what a failed test left
            process.kill()
            process.wait()
        Abuse.all.clear()
        for yard in yards:
            yard.stop()


SUFFERER = 40003  # bench/abuse.cc
IDLE_USERS = 50


def idle_connections():
    """10,000, if this machine lets two processes have as many files each."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 10_000 if most == resource.RLIM_INFINITY else min(10_000, (most - 2500) // 2)


@needs_root
def test_others_are_answered_whatever_some_do(make_yard):
    yard = make_yard()
    yard.start()
    before = yard.memory_mb()
    some = [Abuse("idle", yard.socket, yard.cluster, idle_connections(), IDLE_USERS)]
    # As many commands ask again and again; poll ends with an error if one of them is refused.
    pollers = subprocess.Popen([f"{BIN}/load", "poll", yard.socket, yard.cluster, "50", "1000"],
                               stdout=subprocess.PIPE, text=True)
    Abuse.all.append(pollers)
    assert pollers.stdout.readline() == "ready\n"
    some += [Abuse("loris", yard.socket, 400),
             Abuse("garbage", yard.socket, 50),
             Abuse("silent", yard.port, 6, 260),
             Abuse("flood", yard.socket, yard.cluster, 40)]
    wait_for(lambda: jobs_of(yard, 40000) > 0, what="the flood has begun")
    # The user who suffers ends with an error at the first refusal. What he was told is so.
    probe = json.loads(subprocess.run(
        [f"{BIN}/abuse", "probe", yard.socket, yard.cluster, "2"], check=True, text=True,
        capture_output=True, timeout=180).stdout)
    assert probe["count"] > 0
    assert jobs_of(yard, SUFFERER) == probe["count"], "each of his submissions is there, once"
    job = yard.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", "true",
                   preexec_fn=as_user("nobody")).stdout.strip()
    wait_for(lambda: "COMPLETED" in yard.run("scontrol", "show", "job", job).stdout,
             what="somebody's job has run")
    assert yard.run("sinfo", "-h", "-o", "%D %T").stdout in ("1 idle\n", "1 mixed\n")
    idle, loris, garbage, silent, flood = [one.end() for one in some]
    pollers.send_signal(signal.SIGTERM)
    polled, _ = pollers.communicate(timeout=180)
    assert pollers.returncode == 0, polled
    assert idle["connections"] == idle_connections()
    assert idle["cut"] == 0, "who is quiet is not in the way"
    assert silent["cut"] > 0, "more at the door than there is room for"
    assert loris["cut"] > 0, "more at the door than one user may have"
    assert garbage["cut"] > 0
    assert flood["taken"] > 0
    # Each of the flooder's jobs is kept, as he asked for: about a kilobyte. A sanitizer keeps what
    # was freed, too.
    assert SANITIZED or yard.memory_mb() < before + 400 + flood["taken"] // 500
    assert yard.run("squeue", "-h", "-o", "%A", "-j", job, check=False).returncode == 0


def tls_hello():
    """The first words of a client that then says no more: the server has answered with its whole
    part of the handshake, and waits."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    out = ssl.MemoryBIO()
    half = context.wrap_bio(ssl.MemoryBIO(), out)
    with pytest.raises(ssl.SSLWantReadError):
        half.do_handshake()
    return out.read()


@needs_root
@pytest.mark.parametrize("tls", ["none", "tls/s2n"])
def test_silent_connections_of_several_addresses_lock_nobody_out(make_yard, tls):
    yard = make_yard(f"TLSType={tls}")
    yard.start()
    # A machine with the key and nothing else: its commands come over TCP.
    away = f"{yard.dir}/away"
    os.makedirs(away)
    with open(f"{yard.dir}/slurm.conf") as f, open(f"{away}/slurm.conf", "w") as to:
        to.write(f.read().replace(f"{yard.dir}/run/", f"{away}/"))
    shutil.copy(f"{yard.dir}/slurm.key", away)
    away_env = dict(yard.env, SLURM_CONF=f"{away}/slurm.conf", XDG_RUNTIME_DIR="")
    hello = f"{yard.dir}/first"
    with open(hello, "wb") as f:
        f.write(tls_hello())
    silent = [Abuse("silent", yard.port, 6, 260, *([hello] if tls != "none" else [])),
              Abuse("silent", yard.port + 1, 6, 260)]  # the node's slurmd has a door, too
    for _ in range(10):
        far = subprocess.run(["sinfo", "-h", "-o", "%D"], env=away_env, capture_output=True,
                             text=True, timeout=180)
        assert (far.returncode, far.stdout, far.stderr) == (0, "1\n", "")
        assert yard.run("squeue", "-h", preexec_fn=as_user("nobody")).stdout == ""
    # srun talks to the node, too, over TCP as the user's command may not use its socket there.
    ran = subprocess.run(["srun", "echo", "here"], env=away_env, capture_output=True, text=True,
                         timeout=180)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "here\n", "")
    for one in silent:
        said = one.end()
        assert said["cut"] > 0, said


@needs_root
def test_a_user_above_the_rate_waits_and_is_served(make_yard):
    yard = make_yard("SlurmctldParameters=rl_enable,rl_bucket_size=4,rl_refill_rate=2,"
                     "rl_log_freq=3600")
    yard.start()
    for _ in range(8):
        assert yard.run("squeue", "-h", preexec_fn=as_user("nobody")).stdout == ""
    lines = [line for line in yard.log().splitlines() if "RPC limit exceeded" in line]
    assert len(lines) == 1, "once an hour"
    assert f"uid {pwd.getpwnam('nobody').pw_uid} with REQUEST_JOB_INFO" in lines[0]
    # srun asks several things, and waits for its job in between.
    assert yard.run("srun", "hostname", preexec_fn=as_user("nobody")).stdout
    # Root, and what the nodes say, is not counted.
    before = yard.log().count("RPC limit exceeded")
    for _ in range(20):
        yard.run("squeue", "-h")
    assert yard.log().count("RPC limit exceeded") == before
    # New rules are taken at once.
    with open(f"{yard.dir}/slurm.conf") as f:
        text = f.read()
    with open(f"{yard.dir}/slurm.conf", "w") as f:
        f.write(text.replace("rl_enable,", ""))
    yard.run("scontrol", "reconfigure")
    flood = Abuse("flood", yard.socket, yard.cluster, 1)
    wait_for(lambda: jobs_of(yard, 40000) > 10, what="the flooder's jobs are taken")
    flood.end()


@needs_root
def test_a_flood_above_the_rate_leaves_nothing_behind(make_yard):
    yard = make_yard("SlurmctldParameters=rl_enable,rl_bucket_size=20,rl_refill_rate=1,"
                     "rl_log_freq=-1")
    yard.start()
    begin = time.monotonic()
    flood = Abuse("flood", yard.socket, yard.cluster, 4)
    yard.run("sbatch", "-H", "--wrap", "true", preexec_fn=as_user("daemon"))
    wait_for(lambda: jobs_of(yard, 40000) >= 20, what="what is in the bucket is taken")
    flood.end()
    assert jobs_of(yard, 40000) <= 20 + (time.monotonic() - begin) + 1
    assert jobs_of(yard, pwd.getpwnam("daemon").pw_uid) == 1
    assert "RPC limit exceeded" not in yard.log()
