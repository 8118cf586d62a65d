# SPDX-License-Identifier: Apache-2.0
"""Yardmaster beside Debian's Slurm: whatever differs is known, and has a reason."""
import os
import shutil
import tempfile
import warnings

import debian_slurm
import parity
import pytest

WHY_NOT = debian_slurm.why_not()
KNOWN = parity.read_differences()
CASES = {case.name: case for case in parity.cases()}
needs_slurm = pytest.mark.skipif(bool(WHY_NOT), reason=str(WHY_NOT))


@pytest.fixture(scope="module")
def pair():
    folder = tempfile.mkdtemp(prefix="ym-parity.", dir="/tmp")
    os.chmod(folder, 0o755)  # some commands run as another user
    both = parity.Pair(folder)
    try:
        both.start()
        yield both
    finally:
        both.stop()
        shutil.rmtree(folder, ignore_errors=True)


@needs_slurm
@pytest.mark.parametrize("name", CASES)
def test_only_known_differences(pair, name):
    differences, _ = pair.run(CASES[name])
    _, known = KNOWN.get(name, ("", {}))
    new = {line: lines for line, lines in differences.items() if line not in known}
    assert not new, "not in differences.md:\n" + "\n".join(parity.as_lines(new))
    for line in known:
        if differences.get(line) != known[line]:
            warnings.warn(f"{name}: {line}: differs otherwise than differences.md says, or no "
                          "longer; tests/parity/compare --rewrite brings it up to date")


def test_every_known_difference_has_its_case_and_a_reason():
    for name, (reason, differences) in KNOWN.items():
        assert name in CASES, f"differences.md: no case {name}"
        assert reason, f"differences.md: no reason for {name}"
        lines = [line for _, line in CASES[name].steps]
        for line in differences:
            assert line in lines, f"differences.md: {name} has no line {line}"


def test_differences_survive_being_written_and_read(tmp_path):
    path = tmp_path / "differences.md"
    path.write_text("# Head\n\nWords.\n")
    found = {"a/b": ("It is so.", {"squeue -o '$x'": ["-1", "+2"], "true": ["+exit 1"]}),
             "c/d": ("And so.", {"false": ["-exit 1"]})}
    parity.write_differences(found, path)
    assert parity.read_differences(path) == found
    parity.write_differences(found, path)
    assert parity.read_differences(path) == found
    assert path.read_text().startswith("# Head\n\nWords.\n")
