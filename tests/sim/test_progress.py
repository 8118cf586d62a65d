# SPDX-License-Identifier: Apache-2.0
"""`yardmaster sim` shows on a terminal how far it is, and takes that away in the end."""
import os
import pty
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("YM_BIN", os.path.join(HERE, "../../build/release/bin"))
SIM = [os.path.join(BIN, "yardmaster"), "sim", "--generate", "lublin", "--jobs", "5000",
       "--policy", "fcfs"]


def on_a_terminal(command):
    """What it writes to stderr, where that is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other end is closed
            pass
        assert process.wait() == 0
    os.close(ours)
    return shown.decode()


def test_a_bar_grows_and_goes():
    shown = on_a_terminal(SIM)
    bars = re.findall(r"\rfcfs +\[(#*)( *)\] +(\d+) %\x1b\[K", shown)
    assert [int(percent) for *_, percent in bars] == [81, 100]  # told every 4,096 jobs
    for done, left, percent in bars:
        assert len(done) + len(left) == 40 and len(done) == int(percent) * 40 // 100
    assert shown.endswith("\r\x1b[K")


def test_nobody_sees_it_who_wants_quiet_or_reads_a_file():
    assert on_a_terminal(SIM + ["-q"]) == ""
    done = subprocess.run(SIM, capture_output=True, text=True, check=True)
    assert done.stderr == ""
