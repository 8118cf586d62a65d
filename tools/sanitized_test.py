# SPDX-License-Identifier: Apache-2.0
import os
import subprocess

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sanitized")

# A child that nobody waits for, which goes on after its finding and ends well.
RACE = """
#include <thread>
#include <unistd.h>
int shared;
int main() {
  if (fork() != 0) return 0;
  std::thread other([] { shared = 1; });
  shared = 2;
  other.join();
  _exit(0);
}
"""


def sanitized(*command, **environment):
    # This test may run under the tool itself, whose options would win.
    own = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    return subprocess.run([TOOL, *command], env={**own, **environment}, text=True,
                          capture_output=True, timeout=60, check=False)


def test_the_commands_own_end_counts_where_nothing_was_found():
    assert sanitized("true").returncode == 0
    assert sanitized("sh", "-c", "exit 7").returncode == 7
    assert sanitized().returncode == 2


def test_a_finding_of_any_process_fails_a_command_that_ended_well(tmp_path):
    leave = 'p=${%s#*log_path=}; echo "what was found" >"${p%%%%:*}.4711"'
    for name in ("TSAN_OPTIONS", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
        done = sanitized("sh", "-c", leave % name, TMPDIR=str(tmp_path))
        assert done.returncode == 1, name
        assert "what was found" in done.stdout


def test_a_race_in_a_daemon_is_found(tmp_path):
    (tmp_path / "race.cc").write_text(RACE)
    subprocess.run(["clang++-19", "-fsanitize=thread", "-g1", "race.cc", "-o", "race"],
                   cwd=tmp_path, check=True)
    # The pipe ends with the last process that holds it.
    done = sanitized("sh", "-c", f"{tmp_path}/race | cat", TMPDIR=str(tmp_path))
    assert done.returncode == 1
    assert "data race" in done.stdout
    assert "race.cc:" in done.stdout, "it tells the line"
