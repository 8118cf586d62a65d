# SPDX-License-Identifier: Apache-2.0
"""The five hottest operations cost what bench/instructions.json says, and not 5 % more."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../../bench/instructions")
BIN = os.environ.get("YM_BIN", os.path.join(HERE, "../../build/release/bin"))


def load():
    loader = importlib.machinery.SourceFileLoader("instructions", PROGRAM)
    spec = importlib.util.spec_from_loader("instructions", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def released():
    """Whether these programs are what ships: optimised, without sanitizers."""
    with open(os.path.join(BIN, "../CMakeCache.txt")) as f:
        cache = f.read()
    return "CMAKE_BUILD_TYPE:STRING=Release\n" in cache and "YM_SANITIZE:STRING=\n" in cache


def test_no_operation_has_grown_without_the_file_being_changed():
    if not released():
        pytest.skip("the counts are of the preset release, this is another one")
    done = subprocess.run([sys.executable, PROGRAM, "--bin", BIN], capture_output=True, text=True)
    if done.returncode == 2:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr


def test_six_percent_more_are_too_many_and_four_are_not():
    recorded = {"instructions": {"submission": 10000}}
    lines, grown = load().compare(recorded, {"submission": 10600})
    assert grown and "TOO MANY" in lines[0]
    assert not load().compare(recorded, {"submission": 10400})[1]


def test_an_operation_that_nobody_recorded_is_a_failure():
    assert load().compare({"instructions": {}}, {"launch": 1})[1]
