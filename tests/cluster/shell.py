# SPDX-License-Identifier: Apache-2.0
"""Command lines as a user types them, each with an end."""
import os
import signal
import subprocess
import time


def run_line(line, env, cwd, patience, one_stream=False):
    """subprocess.CompletedProcess; what takes longer than `patience` seconds is ended and says so
    on stderr. With one_stream both streams are in stdout, in their order, as on a terminal."""
    run = subprocess.Popen(["sh", "-c", line], env=env, cwd=cwd, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT if one_stream else subprocess.PIPE,
                           start_new_session=True)
    late = ""
    try:
        out, err = run.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGTERM)
        out, err = run.communicate()
        late = f"(did not end within {patience} s)\n"
    if one_stream:
        return subprocess.CompletedProcess(line, run.returncode, out + late, "")
    return subprocess.CompletedProcess(line, run.returncode, out, err + late)


def wait_until_it_says(text, ask, patience, what):
    """`ask()` is what a command prints; asked again until that is `text`."""
    end = time.monotonic() + patience
    while (said := ask().strip()) != text:
        if time.monotonic() > end:
            raise TimeoutError(f"{what} says {said!r}, not {text!r}")
        time.sleep(0.02)
