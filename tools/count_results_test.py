# SPDX-License-Identifier: Apache-2.0
"""The count at the end of ./dev test: what it prints and how it ends, for each kind of result."""
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("count_results")


def count(folder, entries, reports=None):
    """entries: name -> (status, message of <skipped> or None). Returns (last line, exit code)."""
    rows = []
    for name, (status, message) in entries.items():
        inner = f'<skipped message="{message}"/>' if message is not None else ""
        rows.append(f'<testcase name="{name}" status="{status}">{inner}</testcase>')
    (folder / "ctest.junit").write_text(f"<testsuite>{''.join(rows)}</testsuite>")
    for name, cases in (reports or {}).items():
        (folder / name).write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    ran = subprocess.run([SCRIPT, folder], capture_output=True, text=True)
    return ran.stdout.splitlines()[-1], ran.returncode


PASSED = '<testcase name="a" status="run" result="completed"/>'
FAILED = '<testcase name="b" status="run" result="completed"><failure message="no"/></testcase>'
SKIPPED = '<testcase name="c" status="run" result="skipped"><skipped message="why"/></testcase>'
DISABLED = '<testcase name="d" status="notrun" result="suppressed"/>'


@pytest.mark.parametrize("entries, reports, line, code", [
    ({"lint/tidy": ("run", None)}, {}, "1 passed, 0 failed", 0),
    ({"unit/base": ("run", None)}, {"base_test.xml": PASSED * 3}, "3 passed, 0 failed", 0),
    ({"unit/base": ("fail", None)}, {"base_test.xml": PASSED + FAILED}, "1 passed, 1 failed", 1),
    ({"unit/base": ("run", None)}, {"base_test.xml": PASSED + SKIPPED + DISABLED},
     "1 passed, 0 failed, 2 skipped", 0),
    ({"cluster/first": ("run", None), "lint/tidy": ("run", None)},
     {"cluster-first.xml": PASSED * 2}, "3 passed, 0 failed", 0),
    # The program passed all its cases, then crashed or ran out of time.
    ({"unit/base": ("fail", None)}, {"base_test.xml": PASSED}, "1 passed, 1 failed", 1),
    # It died before it could report.
    ({"unit/base": ("fail", None)}, {}, "0 passed, 1 failed", 1),
    # It was never built.
    ({"unit/base": ("notrun", "Unable to find executable")}, {}, "0 passed, 1 failed", 1),
    ({"a": ("run", None), "b": ("notrun", "SKIP_RETURN_CODE=77")}, {},
     "1 passed, 0 failed, 1 skipped", 0),
    # Nothing ran: that is no success.
    ({}, {}, "0 passed, 0 failed", 1),
    ({"b": ("notrun", "SKIP_RETURN_CODE=77")}, {}, "0 passed, 0 failed, 1 skipped", 1),
])
def test_the_last_line_and_the_exit_code(tmp_path, entries, reports, line, code):
    assert count(tmp_path, entries, reports) == (line, code)


def test_without_a_result_of_ctest_it_fails(tmp_path):
    ran = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1] == "0 passed, 0 failed"


def test_what_was_skipped_is_named_with_its_reason(tmp_path):
    count(tmp_path, {"unit/base": ("run", None)}, {"base_test.xml": PASSED + SKIPPED})
    ran = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("skipped: unit/base")]
    assert len(lines) == 1 and lines[0].endswith("c: why")
