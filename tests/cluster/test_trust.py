# SPDX-License-Identifier: Apache-2.0
"""Who is believed: keys that change while the cluster works, and clients that forge."""
import base64
import errno
import hashlib
import hmac
import json
import os
import pwd
import secrets
import socket
import struct
import subprocess
import tempfile
import threading
import time

import pytest

from yard import Yard, wait_for

USER = "nobody"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: acts as several users")


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwt(key, kid=None, alg="HS256", **claims):
    """A token as any library makes it."""
    head = {"alg": alg, "typ": "JWT"}
    if kid:
        head["kid"] = kid
    text = b64(json.dumps(head).encode()) + "." + b64(json.dumps(claims).encode())
    return text + "." + b64(hmac.new(key, text.encode(), hashlib.sha256).digest())


def hello(token, cluster=""):
    payload = (struct.pack("<H", len(cluster)) + cluster.encode() +
               struct.pack("<H", len(token)) + token.encode())
    return (b"YMR1" + struct.pack("<HH", 1, 1) +
            struct.pack("<IHHQ", len(payload), 1, 0, 0) + payload)


def knock(port, token, cluster=""):
    """Says hello at a daemon's port; "welcome", or the words of the refusal."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
        s.sendall(hello(token, cluster))
        data = b""
        while len(data) < 24:
            got = s.recv(65536)
            if not got:
                break
            data += got
        length, kind = struct.unpack("<IH", data[8:14])
        while len(data) < 24 + length:
            data += s.recv(65536)
        return "welcome" if kind == 2 else data[28:24 + length].decode()


class RemoteYard(Yard):
    """Nodes and commands that reach the controller over the network only."""

    def __init__(self, dir, **kwargs):
        super().__init__(dir, **kwargs)
        with open(f"{self.dir}/slurm.conf") as f:
            text = f.read()
        os.makedirs(f"{self.dir}/far")
        with open(f"{self.dir}/far/slurm.conf", "w") as f:
            f.write(text.replace(f"{self.dir}/run/slurmctld.pid", f"{self.dir}/far/slurmctld.pid"))
        self.far_env = dict(self.env, SLURM_CONF=f"{self.dir}/far/slurm.conf")
        os.chmod(self.dir, 0o755)
        os.chmod(f"{self.dir}/out", 0o777)
        self.cluster = next(line.split("=")[1] for line in text.splitlines()
                            if line.startswith("ClusterName="))

    def share_keys(self):
        """The far folder is another machine's: its key files are copies."""
        for name in ("slurm.key", "slurm.jwks"):
            near, far = f"{self.dir}/{name}", f"{self.dir}/far/{name}"
            if os.path.exists(near):
                with open(near, "rb") as f:
                    write_secret(far, f.read())
            elif os.path.exists(far):
                os.unlink(far)

    def start_node(self, i):
        self.share_keys()
        subprocess.run(["slurmd", "-N", f"n{i}"], env=self.far_env, check=True, timeout=180)

    def far(self, *command, user=None, check=True, **env):
        def become():
            if user:
                entry = pwd.getpwnam(user)
                os.setgroups([])
                os.setgid(entry.pw_gid)
                os.setuid(entry.pw_uid)
        done = subprocess.run(command, env=dict(self.far_env, **env), cwd=f"{self.dir}/out",
                              capture_output=True, text=True, timeout=180, preexec_fn=become,
                              stdin=subprocess.DEVNULL)
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}\n{self.logs()}"
        return done

    def known_keys(self, daemon):
        """What the daemon said last of its keys."""
        try:
            with open(f"{self.dir}/{daemon}.log") as f:
                lines = [line for line in f if "keys: " in line]
        except OSError:
            return ""
        return lines[-1].split("keys: ")[1].strip() if lines else ""


def write_secret(path, data):
    temporary = path + ".new"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as f:
        f.write(data)
    os.rename(temporary, path)


@pytest.fixture
def yard():
    # Not pytest's own folder, which only its user may enter.
    with tempfile.TemporaryDirectory(prefix="ym-trust-") as folder:
        yard = RemoteYard(folder, nodes=2, extra="SlurmdDebug=verbose")
        yield yard
        yard.stop()


class Bystander(threading.Thread):
    """A user who works on while something else goes on; every failure counts."""

    def __init__(self, yard, *command):
        super().__init__()
        self.yard, self.command = yard, command
        self.failures, self.rounds, self.over = [], 0, threading.Event()

    def run(self):
        while not self.over.is_set():
            done = self.yard.far(*self.command, user=USER, check=False)
            self.rounds += 1
            if done.returncode != 0:
                self.failures.append(done.stdout + done.stderr)

    def finish(self):
        self.over.set()
        self.join()
        assert not self.failures, self.failures[0] + self.yard.logs()
        assert self.rounds > 0


@needs_root
def test_keys_change_while_jobs_run_and_clients_come_and_go(yard):
    yard.start()
    job = yard.run("sbatch", "--parsable", "--wrap", "sleep 600").stdout.strip()
    old_token = yard.run("scontrol", "token", "lifespan=3600").stdout.strip().split("=", 1)[1]
    keys = {name: secrets.token_bytes(32) for name in ("k1", "k2")}

    def stage(names, default, said, slurm_key=True):
        """Files first, everywhere; then one word to the controller."""
        entries = [{"alg": "HS256", "kty": "oct", "kid": name, "k": b64(keys[name]),
                    **({"use": "default"} if name == default else {})} for name in names]
        write_secret(f"{yard.dir}/slurm.jwks", json.dumps({"keys": entries}).encode())
        if not slurm_key and os.path.exists(f"{yard.dir}/slurm.key"):
            os.unlink(f"{yard.dir}/slurm.key")
        yard.share_keys()
        yard.run("scontrol", "reconfigure")
        for daemon in ("slurmctld", "slurmd-n1", "slurmd-n2"):
            wait_for(lambda: yard.known_keys(daemon) == said, what=f"{daemon} has {said}")

    asking = Bystander(yard, "squeue")
    running = Bystander(yard, "srun", "-N2", "-O", "--overlap", "true")
    asking.start()
    running.start()
    try:
        stage(["k1"], None, "k1, slurm.key (signs)")
        stage(["k1"], "k1", "k1 (signs), slurm.key")
        assert yard.far("squeue", user=USER, SLURM_JWT=old_token).returncode == 0
        # Tokens that were signed before live for a minute; a site waits for that before it retires
        # a key. Here nobody holds one: commands get theirs when they need them.
        stage(["k1", "k2"], "k1", "k1 (signs), k2, slurm.key")
        stage(["k1", "k2"], "k2", "k1, k2 (signs), slurm.key")
    finally:
        asking.finish()
        running.finish()
    stage(["k2"], "k2", "k2 (signs)", slurm_key=False)
    refused = yard.far("squeue", user=USER, check=False, SLURM_JWT=old_token)
    assert refused.returncode != 0, "a token of a retired key"
    assert "signed" in refused.stderr
    assert yard.far("srun", "-N2", "-O", "--overlap", "id", "-un",
                    user=USER).stdout.split() == [USER] * 2
    assert yard.run("squeue", "-h", "-j", job, "-o", "%T").stdout.strip() == "RUNNING"
    # A set that makes no sense changes nothing.
    write_secret(f"{yard.dir}/slurm.jwks", b'{"keys":[]}')
    refused = yard.run("scontrol", "reconfigure", check=False)
    assert refused.returncode != 0 and "it has no keys" in refused.stderr
    assert yard.far("squeue", user=USER).returncode == 0
    yard.run("scancel", job)


@needs_root
def test_forged_tokens_open_no_door(yard):
    yard.start()
    with open(f"{yard.dir}/slurm.key", "rb") as f:
        key = f.read()
    now = int(time.time())
    good = {"uid": 0, "gid": 0, "sun": "root", "kind": "user", "aud": yard.cluster,
            "iat": now, "exp": now + 600, "jti": "0" * 32}

    def claims(**changes):
        return {name: value for name, value in {**good, **changes}.items() if value is not None}

    for port in (yard.port, yard.port + 1):  # slurmctld, slurmd
        assert knock(port, jwt(key, **good)) == "welcome"
        refused = {
            "no token": "",
            "own key": jwt(b"m" * 64, **good),
            "no signature": jwt(key, **good).rsplit(".", 1)[0] + ".",
            "alg none": jwt(key, alg="none", **good),
            "unknown kid": jwt(key, kid="k9", **good),
            "expired": jwt(key, **claims(iat=now - 600, exp=now - 300)),
            "future": jwt(key, **claims(iat=now + 3600, exp=now + 7200)),
            "for ever": jwt(key, **claims(exp=None)),
            "another cluster": jwt(key, **claims(aud="elsewhere")),
            "uid -1": jwt(key, **claims(uid=4294967295)),
            "garbage": "x" * 4000,
        }
        for why, token in refused.items():
            assert knock(port, token) != "welcome", why
        # Of the next second: it is not from before the daemon's start.
        once = jwt(key, **claims(once=1, jti=secrets.token_hex(16), iat=int(time.time()) + 1))
        assert knock(port, once) == "welcome"
        assert "used already" in knock(port, once)


@needs_root
def test_a_token_serves_once_even_if_the_daemon_was_restarted(yard):
    yard.start()
    with open(f"{yard.dir}/slurm.key", "rb") as f:
        key = f.read()
    now = int(time.time()) + 1
    once = jwt(key, uid=0, gid=0, sun="root", kind="user", aud=yard.cluster, iat=now, exp=now + 59,
               jti=secrets.token_hex(16), once=1)
    assert knock(yard.port, once) == "welcome"
    wait_for(lambda: time.time() > now + 1, what="the token's second is over")
    yard.kill9("slurmctld")
    yard.start_controller()
    assert "made before this server started" in knock(yard.port, once)
    # Commands make new ones by themselves, at once and as often as it takes.
    for user in (None, USER):
        assert yard.far("squeue", "-h", user=user).stdout == ""
    wait_for(lambda: yard.idle_nodes() == yard.nodes, what="the nodes are back")


@needs_root
def test_whoever_takes_the_controllers_port_gives_no_orders(yard):
    yard.start()
    yard.kill9("slurmctld")
    squatter = socket.socket()
    squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

    def is_bound():
        """Threads of a process that was killed may hold the port for a moment longer."""
        try:
            squatter.bind(("127.0.0.1", yard.port))
        except OSError as error:
            assert error.errno == errno.EADDRINUSE
            return False
        return True

    wait_for(is_bound, what="the port")
    squatter.listen()
    squatter.settimeout(0.2)
    welcome = struct.pack("<H", len(yard.cluster)) + yard.cluster.encode()
    hello = (b"YMR1" + struct.pack("<HH", 1, 1) +
             struct.pack("<IHHQ", len(welcome), 2, 0, 0) + welcome)

    def seen_through():
        try:
            peer, _ = squatter.accept()
            peer.sendall(hello)
            peer.settimeout(60)
            while peer.recv(65536):
                pass
            peer.close()
        except OSError:
            pass
        with open(f"{yard.dir}/slurmd-n1.log") as f:
            return "does not prove that it is of cluster" in f.read()

    wait_for(seen_through, what="slurmd sees through it")
    squatter.close()
    yard.start_controller()
    wait_for(lambda: yard.idle_nodes() == 2, what="nodes are back at their controller")


@needs_root
def test_a_token_is_for_oneself_unless_root_asks(yard):
    yard.start()
    mine = yard.far("scontrol", "token", user=USER).stdout.strip().split("=", 1)
    assert mine[0] == "SLURM_JWT"
    inside = json.loads(base64.urlsafe_b64decode(mine[1].split(".")[1] + "=="))
    assert inside["sun"] == USER and inside["uid"] == pwd.getpwnam(USER).pw_uid
    assert yard.far("scontrol", "token", "username=root", user=USER, check=False).returncode != 0
    theirs = yard.run("scontrol", "token", f"username={USER}").stdout.strip().split("=", 1)[1]
    inside = json.loads(base64.urlsafe_b64decode(theirs.split(".")[1] + "=="))
    assert inside["sun"] == USER and inside["uid"] == pwd.getpwnam(USER).pw_uid


def write_keys(yard, *entries):
    """A slurm.jwks; an entry is a name, and more fields."""
    keys = [{"alg": "HS256", "kty": "oct", "kid": name, "k": b64(secrets.token_bytes(32)), **more}
            for name, more in entries]
    write_secret(f"{yard.dir}/slurm.jwks", json.dumps({"keys": keys}).encode())


def test_another_key_signs_when_the_default_expires(tmp_path):
    yard = Yard(tmp_path, nodes=1, extra="AuthInfo=clock_skew=0")
    ends = int(time.time()) + 6
    write_keys(yard, ("new", {}), ("old", {"use": "default", "exp": ends}))
    try:
        yard.start()
        assert yard.run("srun", "echo", "before").stdout == "before\n"
        wait_for(lambda: time.time() > ends + 1, what="the end of the key")
        assert yard.run("srun", "echo", "after").stdout == "after\n"
        with open(f"{yard.dir}/slurmctld.log") as f:
            lines = [line for line in f if "key old, the default, has come to its end" in line]
        assert len(lines) == 1 and "new signs now" in lines[0], lines
    finally:
        yard.stop()


def test_that_no_key_is_left_is_said(tmp_path):
    yard = Yard(tmp_path, nodes=1, extra="AuthInfo=clock_skew=0")
    write_keys(yard, ("only", {"exp": int(time.time()) + 10}))
    try:
        yard.start_controller()
        wait_for(lambda: "key only, which signs, expires within an hour" in yard.logs(),
                 what="a word before")
        said = wait_for(lambda: yard.run("scontrol", "ping", check=False).stderr, what="a warning")
        assert "every key has expired" in said
        assert "every key has expired" in yard.run("yardmaster", "doctor", check=False).stdout
        with open(f"{yard.dir}/slurmctld.log") as f:
            assert f.read().count("every key has expired") == 1
        write_keys(yard, ("next", {}))
        yard.run("scontrol", "reconfigure")
        wait_for(lambda: yard.run("scontrol", "ping", check=False).returncode == 0, what="a key")
    finally:
        yard.stop()


class SlurmUserYard(Yard):
    """The controller belongs to a user who may do nothing; slurmd to root."""
    SLURM_USER = "daemon"

    def __init__(self, dir, **kwargs):
        super().__init__(dir, **kwargs)
        with open(f"{self.dir}/slurm.conf") as f:
            text = f.read()
        with open(f"{self.dir}/slurm.conf", "w") as f:
            f.write(text.replace("SlurmUser=root", f"SlurmUser={self.SLURM_USER}"))
        self.owner = pwd.getpwnam(self.SLURM_USER)
        for folder in ("", "/run"):
            os.chown(self.dir + folder, self.owner.pw_uid, self.owner.pw_gid)
            os.chmod(self.dir + folder, 0o755)
        os.chmod(f"{self.dir}/out", 0o777)

    def start_controller(self, *options):
        self.as_user(self.SLURM_USER, "slurmctld", *options)

    def as_user(self, user, *command, check=True):
        entry = pwd.getpwnam(user)

        def become():
            os.setgroups([])
            os.setgid(entry.pw_gid)
            os.setuid(entry.pw_uid)
        return self.run(*command, check=check, preexec_fn=become)


def identity(pid):
    """The uids that a process has, and its capabilities."""
    with open(f"/proc/{pid}/status") as f:
        lines = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    return set(lines["Uid"].split()), int(lines["CapEff"], 16)


@needs_root
def test_the_controller_needs_no_privilege():
    with tempfile.TemporaryDirectory(prefix="ym-trust-") as folder:
        yard = SlurmUserYard(folder, nodes=1)
        try:
            yard.start()
            assert identity(yard.pid("slurmctld")) == ({str(yard.owner.pw_uid)}, 0)
            job = yard.as_user(USER, "sbatch", "--parsable", "--wrap", "id -un").stdout.strip()
            wait_for(lambda: job not in yard.run("squeue", "-h", "-o", "%i").stdout.split(),
                     what="the job is over")
            with open(f"{yard.dir}/out/slurm-{job}.out") as f:
                assert f.read() == f"{USER}\n"
            assert yard.as_user(USER, "srun", "id", "-un").stdout == f"{USER}\n"
            # SlurmUser governs, others do not.
            yard.as_user(yard.SLURM_USER, "scontrol", "reconfigure")
            refused = yard.as_user(USER, "scontrol", "reconfigure", check=False)
            assert refused.returncode != 0
            # What is secret is closed to others.
            for path, mode in {"slurm.key": 0o600, "state": 0o700, "state/log": 0o700,
                               "state/blobs": 0o700}.items():
                assert os.stat(f"{yard.dir}/{path}").st_mode & 0o7777 == mode, path
        finally:
            yard.stop()


@needs_root
def test_nothing_of_a_users_is_opened_with_roots_rights():
    """Whatever a user names is opened as he: files that only root may open stay closed, and what
    only he may enter is entered as he."""
    with tempfile.TemporaryDirectory(prefix="ym-trust-") as folder:
        yard = RemoteYard(folder, nodes=1)
        secret, closed, own = (f"{yard.dir}/{name}" for name in ("secret", "closed", "own"))
        os.makedirs(closed, mode=0o700)
        os.makedirs(own, mode=0o700)
        os.chown(own, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
            f.write("A=root's\n0 cat /etc/shadow\n")
        os.symlink(secret, f"{own}/link")
        try:
            yard.start()

            def ended(*options):
                """The state of a batch job of the user's, and what it printed."""
                done = yard.far("sbatch", "--parsable", *options, "--wrap", "cat; echo done",
                                user=USER, check=False)
                if done.returncode != 0:
                    return "REFUSED", done.stderr
                job = done.stdout.strip()
                wait_for(lambda: job not in yard.run("squeue", "-h", "-o", "%i").stdout.split(),
                         what="the job is over")
                shown = yard.run("scontrol", "-o", "show", "job", job).stdout
                return next(word.split("=")[1] for word in shown.split()
                            if word.startswith("JobState=")), shown
            for options in (["-o", secret], ["-o", f"{closed}/out"], ["-o", f"{own}/link"],
                            ["-o", secret, "--open-mode=append"], ["-e", f"{closed}/err"],
                            ["-i", secret], ["-i", f"{own}/link"]):
                state, shown = ended(*options)
                assert state != "COMPLETED", f"{options}: {shown}"
            for command in (["srun", "-i", secret, "cat"], ["srun", "-o", secret, "echo", "x"],
                            ["srun", "--multi-prog", secret],
                            ["sbatch", secret],
                            ["sbatch", f"--export-file={secret}", "--wrap", "true"],
                            ["srun", f"--task-prolog={closed}/prolog", "echo", "fine"],
                            ["srun", f"--bcast={closed}/copy", "true"],
                            ["srun", f"--bcast={own}/link", "--force", "true"],
                            ["srun", secret]):
                done = yard.far(*command, user=USER, check=False)
                assert "root's" not in done.stdout + done.stderr, command
                assert done.returncode != 0 or done.stdout == "fine\n", command
            # The folder that the job works in is entered as the user, too.
            assert "No such" not in yard.far("srun", "-D", own, "pwd", user=USER).stderr
            assert yard.far("srun", "-D", own, "pwd", user=USER).stdout == f"{own}\n"
            assert yard.far("srun", "-D", closed, "pwd", user=USER).stdout != f"{closed}\n"
            yard.far("srun", "-D", own, "-o", f"{own}/said", "echo", "mine", user=USER)
            with open(f"{own}/said") as f:
                assert f.read() == "mine\n"
            assert os.stat(f"{own}/said").st_uid == pwd.getpwnam(USER).pw_uid
            with open(secret) as f:
                assert f.read() == "A=root's\n0 cat /etc/shadow\n", "untouched"
            assert os.listdir(closed) == []
        finally:
            yard.stop()
