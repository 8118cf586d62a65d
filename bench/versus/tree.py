# SPDX-License-Identifier: Apache-2.0
"""The benchmark's hand on a contestant's processes: what keeper.py does, as calls."""
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Trouble(Exception):
    """What goes wrong with a contestant, in words for the table."""


class Done:
    def __init__(self, answer):
        self.code, self.seconds = answer["code"], answer.get("seconds", 0)
        self.stdout, self.stderr = answer["stdout"], answer["stderr"]


class Tree:
    """Invariant: after stop() no process that was started through it, nor any of theirs, lives."""

    def __init__(self, env, cwd):
        self.env, self.cwd = env, cwd
        self.keeper = subprocess.Popen(
            [sys.executable, "-B", os.path.join(HERE, "keeper.py")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, start_new_session=True)

    def ask(self, op, **request):
        try:
            self.keeper.stdin.write(json.dumps(dict(request, op=op)) + "\n")
            self.keeper.stdin.flush()
            line = self.keeper.stdout.readline()
        except (BrokenPipeError, ValueError):
            line = ""
        if not line:
            raise Trouble("its keeper has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise Trouble(answer["error"])
        return answer

    def run(self, *argv, check=True, seconds=120, env=None):
        answer = self.ask("run", argv=list(argv), env=env or self.env, cwd=self.cwd,
                          seconds=seconds)
        name = " ".join(os.path.basename(argv[0]).split() + list(argv[1:4]))
        if answer["late"]:
            raise Trouble(f"{name}: no end within {seconds} s")
        done = Done(answer)
        if check and done.code != 0:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise Trouble(f"{name}: exit code {done.code}: {''.join(last)}")
        return done

    def start(self, *argv):
        return self.ask("start", argv=list(argv), env=self.env, cwd=self.cwd)["pid"]

    def output(self, pid):
        return self.ask("output", pid=pid)["stdout"]

    def finish(self, pid, number=signal.SIGTERM, seconds=60):
        self.signal(pid, number)
        return Done(self.ask("wait", pid=pid, seconds=seconds))

    def signal(self, pid, number):
        self.ask("signal", pid=pid, number=int(number))

    def cpu_seconds(self):
        return self.ask("cpu")["seconds"]

    def memory_kb(self):
        return self.ask("memory")["processes"]

    def freeze(self):
        self.ask("freeze", frozen=True)

    def thaw(self):
        self.ask("freeze", frozen=False)

    def stop(self):
        """Also while a request is under way: the keeper ends everything when its input closes."""
        try:
            self.keeper.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.keeper.wait(30)
        except subprocess.TimeoutExpired:
            self.keeper.kill()
            self.keeper.wait()
        self.keeper.stdout.close()
