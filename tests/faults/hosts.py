# SPDX-License-Identifier: Apache-2.0
"""Hosts on one machine: each has its own network, mounts, name and processes.

A host lives as long as its anchor, the first process of its pid namespace, and the anchor as long
as the thread that made it: whatever happens to the runner, the kernel takes everything down.
Nothing outside of the hosts is changed: no user, no address, no mount of the machine.
"""
import ctypes
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
MTU = 9000
CLONE_NEWNS = 0x00020000


def own_mounts():
    """This process and all that it starts see mounts that nobody else sees."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as f:
                if int(f.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(entry))
        except OSError:
            pass
    return found


def wait_until(holds, what, seconds=60):
    end = time.monotonic() + seconds
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.05)


class Process:
    """A daemon in the foreground on a host. `pid` is the daemon's, as this process sees it."""

    def __init__(self, host, words, env, log):
        with open(log, "ab") as out:
            self.entering = subprocess.Popen(host.command(words), env=env, stdout=out, stderr=out,
                                             stdin=subprocess.DEVNULL)
        self.words = words
        self.pid = None
        end = time.monotonic() + 20
        while self.pid is None and self.entering.poll() is None and time.monotonic() < end:
            self.pid = next(iter(children(self.entering.pid)), None)

    def alive(self):
        return self.entering.poll() is None

    def signal(self, number):
        if self.alive() and self.pid:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass

    def pause(self):
        self.signal(signal.SIGSTOP)

    def go_on(self):
        # nsenter stops itself with its child.
        self.signal(signal.SIGCONT)
        if self.alive():
            self.entering.send_signal(signal.SIGCONT)

    def kill(self):
        self.go_on()
        self.signal(signal.SIGKILL)
        self.entering.wait(timeout=30)


class Host:
    def __init__(self, name, address, folder, mounts=()):
        self.name, self.address, self.folder = name, address, folder
        os.makedirs(f"{folder}/run", exist_ok=True)
        self.outer = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--uts", "--pid",
             "--fork", "--kill-child=KILL", "--mount-proc", "--propagation", "private",
             sys.executable, f"{HERE}/anchor.py", name, *mounts],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.device = None
        if self.outer.stdout.readline() != "ready\n":
            raise RuntimeError(f"the host {name} could not be made")
        self.pid = children(self.outer.pid)[0]

    def plug_in(self, prefix):
        """A TUN device for the host; its other end is for the switch."""
        self.device = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
        name = f"ymf{self.pid}"
        fcntl.ioctl(self.device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
        ip("link", "set", name, "netns", str(self.pid), "name", "net0")
        for words in (["addr", "add", f"{self.address}/{prefix}", "dev", "net0"],
                      ["link", "set", "net0", "mtu", str(MTU), "txqueuelen", "2000", "up"]):
            self.run(["ip", *words], check=True)
        return self.device

    def command(self, words, user=None):
        """The words of a command that runs here; user: (uid, gid)."""
        enter = ["nsenter", "-t", str(self.pid), "-n", "-m", "-u", "-p"]
        if user:
            enter += ["-S", str(user[0]), "-G", str(user[1])]
        return [*enter, "--", *words]

    def run(self, words, user=None, env=None, check=False, timeout=60, **options):
        return subprocess.run(self.command(words, user), env=env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=check, timeout=timeout, **options)

    def lose_power(self):
        """Every process dies at once, but the anchor; what a reboot would clear is cleared."""
        self.run(["sh", "-c", "kill -9 -1; true"])
        wait_until(lambda: self.run(["sh", "-c", "set -- /proc/[0-9]*; echo $#"])
                   .stdout.strip() == "2", f"the end of everything on {self.name}")
        self.run(["sh", "-c", f"rm -rf {self.folder}/run/*"])

    def close(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.outer.wait(timeout=60)
        self.outer.stdout.close()
        if self.device is not None:
            os.close(self.device)


class Fabric:
    """The switch that joins the hosts, and what is wrong with it at the moment."""

    def __init__(self, hosts, seed):
        self.names = [host.name for host in hosts]
        devices = [host.plug_in(24) for host in hosts]
        ports = [f"{host.name}={fd}={host.address}" for host, fd in zip(hosts, devices)]
        self.process = subprocess.Popen(
            [sys.executable, f"{HERE}/switch.py", str(seed), *ports], pass_fds=devices, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ways(self, a, b=None, directions="both"):
        """Between a and b, or between a and everybody else."""
        others = [b] if b else [name for name in self.names if name != a]
        out = [[a, other] for other in others] if directions in ("both", "out") else []
        back = [[other, a] for other in others] if directions in ("both", "in") else []
        return out + back

    def set(self, ways, **rule):
        """Without a rule the ways are calm."""
        self.process.stdin.write(json.dumps({"ways": ways, "set": rule}) + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise RuntimeError("the switch has ended")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()
