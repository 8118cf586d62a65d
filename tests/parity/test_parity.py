# SPDX-License-Identifier: Apache-2.0
"""Yardmaster beside what Debian's Slurm said: whatever differs is known, and has a reason."""
import os
import shutil
import tempfile

import parity
import pytest

KNOWN = parity.read_differences()
CASES = {case.name: case for case in parity.cases()}
RECORDED = parity.read_recordings()
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: commands of several users")


@pytest.fixture(scope="module")
def ours():
    folder = tempfile.mkdtemp(prefix="ym-parity.", dir="/tmp")
    os.chmod(folder, 0o755)  # some commands run as another user
    clusters = parity.Clusters(parity.Alone, folder)
    try:
        yield clusters
    finally:
        clusters.stop()
        shutil.rmtree(folder, ignore_errors=True)


@needs_root
@pytest.mark.parametrize("name", CASES)
def test_only_known_differences(ours, name):
    differences = ours.of(CASES[name]).run(CASES[name], RECORDED[name])
    _, known = KNOWN.get(name, ("", {}))
    assert differences == known, (
        "differences.md says otherwise (tests/parity/compare --rewrite brings it up to date):\n"
        + "\n".join(parity.as_lines(differences)))


def test_every_case_is_recorded_as_it_stands():
    assert set(RECORDED) == set(CASES)
    for name, case in CASES.items():
        lines = [line for kind, line in case.steps if kind != "~"]
        assert [said.line for said in RECORDED[name]] == lines, f"{name}: compare --record"


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
