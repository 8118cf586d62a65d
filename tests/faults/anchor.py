# SPDX-License-Identifier: Apache-2.0
"""The first process of a host: makes the host's own view of the machine, says "ready", and buries
the dead until it is killed; the kernel then ends everything else on the host.

    unshare --net --mount --uts --pid --fork anchor.py NAME [MOUNT WORDS...]...

Each argument after the name is a line of words for mount(8).
"""
import os
import signal
import socket
import subprocess
import sys


def main():
    socket.sethostname(sys.argv[1])
    for words in sys.argv[2:]:
        subprocess.run(["mount", *words.split()], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    print("ready", flush=True)
    while True:
        signal.sigwait({signal.SIGCHLD})
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            pass


if __name__ == "__main__":
    main()
