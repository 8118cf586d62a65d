# SPDX-License-Identifier: Apache-2.0
"""X programs of a job reach the display that the command was started in front of (--x11)."""
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import threading

import pytest
from yard import Yard, wait_for

REAL = bytes(range(16))
NAME = b"MIT-MAGIC-COOKIE-1"

# An X client, as small as can be: shows its cookie, draws, and says what the display answered.
CLIENT = r"""
import os, socket, struct, sys
display = os.environ["DISPLAY"]
host, rest = display.split(":")
number = rest.split(".")[0]
data = open(os.environ["XAUTHORITY"], "rb").read()
cookie = b""
while data:
    data = data[2:]
    texts = []
    for _ in range(4):
        size, = struct.unpack(">H", data[:2])
        texts.append(data[2:2 + size])
        data = data[2 + size:]
    if texts[:2] == [socket.gethostname().encode(), number.encode()]:
        cookie = texts[3]
if len(sys.argv) > 1:
    cookie = b"no friend of us."
s = socket.create_connection((host, 6000 + int(number)))
s.sendall(b"l\0" + struct.pack("<HHHHH", 11, 0, 18, len(cookie), 0) +
          b"MIT-MAGIC-COOKIE-1\0\0" + cookie + b"draw")
answer = b""
while not answer.endswith(b"."):
    more = s.recv(4096)
    if not more:
        break
    answer += more
print(os.environ.get("SLURMD_NODENAME"), display, cookie.hex(), answer[-40:], flush=True)
"""


class Display:
    """An X server that knows its cookie, and answers each client that shows it."""

    def __init__(self, tcp=False):
        self.cookies = []
        for _ in range(100):
            self.number = random.randrange(2000, 20000)
            path = f"/tmp/.X11-unix/X{self.number}"
            try:
                if tcp:
                    self.socket = socket.socket()
                    self.socket.bind(("127.0.0.1", 6000 + self.number))
                else:
                    os.makedirs("/tmp/.X11-unix", mode=0o1777, exist_ok=True)
                    self.socket = socket.socket(socket.AF_UNIX)
                    self.socket.bind(path)
                break
            except OSError:
                continue
        self.path = None if tcp else path
        self.name = f"127.0.0.1:{self.number}" if tcp else f":{self.number}"
        self.socket.listen(64)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer = self.socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.talk, args=(peer,), daemon=True).start()

    def talk(self, peer):
        with peer:
            head = peer.recv(12, socket.MSG_WAITALL)
            if len(head) < 12:
                return
            name, data = struct.unpack("<HH", head[6:10])
            rest = peer.recv((name + 3) // 4 * 4 + (data + 3) // 4 * 4, socket.MSG_WAITALL)
            self.cookies.append(rest[(name + 3) // 4 * 4:][:data])
            peer.sendall(peer.recv(4).upper() + b" seen.")

    def close(self):
        self.socket.close()
        if self.path:
            os.unlink(self.path)


def xauthority(path, number):
    host = socket.gethostname().encode()
    with open(path, "wb") as f:
        f.write(struct.pack(">H", 256))
        for text in (host, str(number).encode(), NAME, REAL):
            f.write(struct.pack(">H", len(text)) + text)


@pytest.fixture
def make(tmp_path):
    things = []

    def make_one(kind, *args, **kwargs):
        one = kind(*args, **kwargs)
        things.append(one)
        return one
    yield make_one
    for one in reversed(things):
        one.stop() if isinstance(one, Yard) else one.close()


def start(make, tmp_path, tcp=False, **kwargs):
    display = make(Display, tcp)
    yard = make(Yard, tmp_path, **kwargs)
    xauthority(f"{yard.dir}/Xauthority", display.number)
    yard.env.update(DISPLAY=display.name, XAUTHORITY=f"{yard.dir}/Xauthority")
    with open(f"{yard.dir}/client.py", "w") as f:
        f.write(CLIENT)
    yard.start()
    return yard, display


def helpers(yard):
    """Processes that serve a display of one of this yard's nodes."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
            with open(f"/proc/{entry}/stat") as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        nodes = [yard.pid(f"slurmd-n{i}") for i in range(1, yard.nodes + 1)]
        if words[0] == b"slurm-x11" and parent in nodes:
            found.append(int(entry))
    return found


def test_clients_of_every_node_draw_on_the_display_and_never_learn_its_cookie(make, tmp_path):
    yard, display = start(make, tmp_path, extra="PrologFlags=X11")
    out = yard.run("srun", "--x11", "-N2", sys.executable, f"{yard.dir}/client.py").stdout
    lines = sorted(line.split(maxsplit=3) for line in out.splitlines())
    assert [line[0] for line in lines] == ["n1", "n2"]
    assert all(line[3] == "b'DRAW seen.'" for line in lines), out
    assert lines[0][1] != lines[1][1], "both nodes are this machine: their displays differ"
    assert display.cookies == [REAL, REAL]
    assert all(len(line[2]) == 32 and line[2] != REAL.hex() for line in lines)
    wait_for(lambda: not helpers(yard), what="the displays gone with the job")


def test_only_the_chosen_node_has_a_display(make, tmp_path):
    yard, _ = start(make, tmp_path, extra="PrologFlags=X11")
    for where, having in (("first", ["n1"]), ("last", ["n2"]), ("all", ["n1", "n2"])):
        out = yard.run("srun", f"--x11={where}", "-N2", "sh", "-c",
                       "case $DISPLAY in localhost:*) echo $SLURMD_NODENAME;; esac").stdout
        assert sorted(out.split()) == having, where


def test_steps_of_an_allocation_find_the_display_and_its_shell_keeps_its_own(make, tmp_path):
    yard, display = start(make, tmp_path, extra="PrologFlags=X11")
    out = yard.run("salloc", "--x11", "-N1", "sh", "-c",
                   f"echo $DISPLAY; srun {sys.executable} {yard.dir}/client.py;"
                   f"srun --x11 {sys.executable} {yard.dir}/client.py")
    lines = out.stdout.splitlines()
    assert lines[0] == display.name
    assert [line.endswith("b'DRAW seen.'") for line in lines[1:]] == [True, True], out.stdout
    assert "Ignoring --x11 option for a job step within an existing job." in out.stderr
    wait_for(lambda: not helpers(yard), what="the display gone with the allocation")


def test_a_client_without_the_jobs_cookie_is_refused_before_the_display(make, tmp_path):
    yard, display = start(make, tmp_path, extra="PrologFlags=X11", nodes=1)
    out = yard.run("srun", "--x11", sys.executable, f"{yard.dir}/client.py", "stranger").stdout
    assert "without the job's cookie" in out
    assert display.cookies == []


def test_a_real_client_reads_the_cookie_file(make, tmp_path):
    xauth = shutil.which("xauth")
    if not xauth:
        pytest.skip("xauth is not installed")
    yard, _ = start(make, tmp_path, extra="PrologFlags=X11", nodes=1)
    out = yard.run("srun", "--x11", "sh", "-c", f"echo $DISPLAY; {xauth} list $DISPLAY").stdout
    display, entry = out.splitlines()
    number = display.split(":")[1].split(".")[0]
    place, name, cookie = entry.split()
    assert place == f"{socket.gethostname()}/unix:{number}"
    assert name == NAME.decode()
    assert len(cookie) == 32


def test_the_cookie_may_stand_in_the_users_own_file(make, tmp_path):
    yard, _ = start(make, tmp_path, extra="PrologFlags=X11\nX11Parameters=home_xauthority",
                    nodes=1)
    out = yard.run("srun", "--x11", "sh", "-c", "echo $XAUTHORITY").stdout
    assert out.strip().endswith("/.Xauthority")


def test_a_batch_script_goes_to_a_display_that_its_node_can_reach(make, tmp_path):
    yard, display = start(make, tmp_path, tcp=True, extra="PrologFlags=X11", nodes=1)
    job = yard.run("sbatch", "--parsable", "--x11=batch", "-o", f"{yard.dir}/out.txt", "--wrap",
                   f"{sys.executable} {yard.dir}/client.py; env | grep ^SLURM_X11").stdout.strip()
    wait_for(lambda: not yard.run("squeue", "-h", "-j", job, check=False).stdout,
             what="the job's end")
    with open(f"{yard.dir}/out.txt") as f:
        text = f.read()
    assert text.strip().endswith("b'DRAW seen.'"), text
    assert display.cookies == [REAL]
    wait_for(lambda: not helpers(yard), what="the display gone with the job")


def test_what_cannot_be_is_told_in_slurms_words(make, tmp_path):
    yard, display = start(make, tmp_path, extra="PrologFlags=X11", nodes=1)

    def told(*command, **env):
        env = {**yard.env, **env}
        done = subprocess.run(command, env={k: v for k, v in env.items() if v is not None},
                              capture_output=True, text=True, timeout=180)
        return done.returncode, done.stderr.splitlines()
    assert told("srun", "--x11", "true", DISPLAY=None) == (
        255, ["srun: error: No DISPLAY variable set, cannot setup x11 forwarding."])
    assert told("salloc", "--x11", "true", DISPLAY="nonsense") == (
        255, ["salloc: error: Error parsing DISPLAY environment variable. "
              "Cannot use X11 forwarding."])
    assert told("srun", "--x11", "true", DISPLAY=":1999") == (
        255, ["srun: error: Cannot stat() local X11 socket `/tmp/.X11-unix/X1999`"])
    assert told("srun", "--x11", "true", XAUTHORITY="/nowhere") == (
        255, ["srun: error: Could not retrieve magic cookie. Cannot use X11 forwarding."])
    assert told("srun", "--x11=sometimes", "true") == (
        255, ["srun: error: Invalid --x11 specification"])
    assert told("sbatch", "--x11", "--wrap", "true") == (
        1, [f"sbatch: error: --x11: display {display.name} is a socket of this machine, which a "
            "batch job cannot reach; use srun or salloc, or a display HOST:NUMBER"])


def test_without_the_flag_there_is_no_forwarding(make, tmp_path):
    yard, _ = start(make, tmp_path, nodes=1)
    done = yard.run("srun", "--x11", "true", check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "srun: error: Unable to allocate resources: X11 forwarding not available\n")
    assert "X11 forwarding not available" in yard.run(
        "sbatch", "--x11", "--wrap", "true", check=False).stderr
