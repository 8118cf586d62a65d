#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The parent of everything that one contestant runs: daemons, jobs and the commands that ask.

Whatever daemon leaves its parent becomes a child of this process, so the tree below it is the
contestant: what it costs, what it holds in memory, and what has to end. When standard input
closes, be it that the benchmark was killed, everything below is killed, too.

A line of JSON is a request, a line of JSON its answer; see the functions named op_*.
"""
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
TICK = os.sysconf("SC_CLK_TCK")


def stat_of(pid):
    """The fields behind the name, the state first; None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None


def below(root):
    """{pid: its stat} of all descendants."""
    children, stats = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        stat = stat_of(entry)
        if stat:
            stats[int(entry)] = stat
            children.setdefault(int(stat[1]), []).append(int(entry))
    found, left = {}, list(children.get(root, []))
    while left:
        pid = left.pop()
        found[pid] = stats[pid]
        left += children.get(pid, [])
    return found


class Keeper:
    def __init__(self):
        self.wake, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.ended = {}      # pid -> how, of those in outputs
        self.outputs = {}    # pid -> (stdout, stderr) files
        self.rest = b""

    # --- children -------------------------------------------------------------------------------

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            # Of others nobody asks how they ended, and their numbers come again: whoever has one
            # next would be over before it began.
            if pid in self.outputs:
                self.ended[pid] = os.waitstatus_to_exitcode(status)

    def wait(self, seconds, done):
        """Until done() or the time is over; ends everything if the benchmark is gone."""
        end = time.monotonic() + seconds
        while True:
            self.reap()
            if done():
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            ready, _, _ = select.select([0, self.wake], [], [], left)
            if self.wake in ready:
                os.read(self.wake, 4096)
            if 0 in ready:  # nobody asks twice at once: that is the end
                sys.exit(1)

    def kill_all(self, grace):
        me = os.getpid()
        for pid in below(me):
            self.send(pid, signal.SIGTERM)
            self.send(pid, signal.SIGCONT)
        end = time.monotonic() + grace
        while below(me) and time.monotonic() < end:
            self.reap()
            time.sleep(0.02)
        for _ in range(500):
            left = below(me)
            if not left:
                return
            for pid in left:
                self.send(pid, signal.SIGKILL)
            self.reap()
            time.sleep(0.02)

    @staticmethod
    def send(pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    # --- requests -------------------------------------------------------------------------------

    def op_start(self, argv, env, cwd):
        # Files, not pipes: a daemon keeps its output open for ever.
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        try:
            process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err)
        except OSError as error:
            return {"error": f"{argv[0]}: {error.strerror}"}
        process.returncode = 0  # waited for here, not by subprocess
        self.outputs[process.pid] = (out, err)
        return {"pid": process.pid}

    def op_output(self, pid):
        """What it has printed so far."""
        out, err = self.outputs[pid]
        for f in (out, err):
            f.seek(0)
        return {"stdout": out.read().decode(errors="replace"),
                "stderr": err.read().decode(errors="replace")}

    def op_wait(self, pid, seconds):
        well = self.wait(seconds, lambda: pid in self.ended)
        if not well:
            self.send(pid, signal.SIGKILL)
            self.wait(10, lambda: pid in self.ended)
        answer = self.op_output(pid)
        for f in self.outputs.pop(pid):
            f.close()
        return dict(answer, code=self.ended.pop(pid, -9), late=not well)

    def op_run(self, argv, env, cwd, seconds):
        begin = time.monotonic()
        started = self.op_start(argv, env, cwd)
        if "error" in started:
            return started
        answer = self.op_wait(started["pid"], seconds)
        return dict(answer, seconds=time.monotonic() - begin)

    def op_signal(self, pid, number):
        self.send(pid, number)
        return {}

    def op_cpu(self):
        """Seconds of processor time of everything so far, ended or not."""
        ticks = sum(sum(int(t) for t in stat[11:15]) for stat in below(os.getpid()).values())
        mine = os.times()
        return {"seconds": ticks / TICK + mine.children_user + mine.children_system}

    def op_memory(self):
        """KB of each process, what is shared counted by its share."""
        found = []
        for pid in below(os.getpid()):
            try:
                with open(f"/proc/{pid}/smaps_rollup") as f:
                    sizes = [int(line.split()[1]) for line in f if line.startswith("Pss:")]
                with open(f"/proc/{pid}/comm") as f:
                    found.append({"pid": pid, "name": f.read().strip(), "kb": sum(sizes)})
            except OSError:
                continue
        return {"processes": found}

    def op_freeze(self, frozen):
        for pid in below(os.getpid()):
            self.send(pid, signal.SIGSTOP if frozen else signal.SIGCONT)
        return {}

    def op_kill_all(self, grace):
        self.kill_all(grace)
        return {"left": len(below(os.getpid()))}

    @staticmethod
    def say(line):
        # Not by sys.stdout: if a signal, as each end of a child is one, interrupts it, Python 3.11
        # loses the rest, and whoever asked waits for ever.
        left = memoryview(line.encode())
        while left:
            left = left[os.write(1, left):]

    def serve(self):
        while True:
            while b"\n" in self.rest:
                line, self.rest = self.rest.split(b"\n", 1)
                request = json.loads(line)
                answer = getattr(self, "op_" + request.pop("op"))(**request)
                self.say(json.dumps(answer) + "\n")
            ready, _, _ = select.select([0, self.wake], [], [])
            if self.wake in ready:
                os.read(self.wake, 4096)
                self.reap()
            if 0 in ready:
                some = os.read(0, 1 << 16)
                if not some:
                    return
                self.rest += some


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the benchmark says when
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    keeper = Keeper()
    try:
        keeper.serve()
    except BrokenPipeError:
        pass  # the benchmark was killed before it had its answer
    finally:
        keeper.kill_all(2)
