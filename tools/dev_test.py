# SPDX-License-Identifier: Apache-2.0
"""The front door: what ./dev says and how it gets packages. Nothing is built or installed."""
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DEV = ROOT / "dev"
PACKAGES = [line for line in (ROOT / "packaging/build-packages").read_text().split("\n")
            if line and not line.startswith("#")]


def run(*arguments, **environment):
    return subprocess.run([DEV, *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


def test_help_fits_a_terminal_and_names_what_the_script_does():
    ran = run("help")
    assert ran.returncode == 0 and ran.stderr == ""
    assert all(len(line) <= 80 for line in ran.stdout.splitlines())
    told = set(re.findall(r"^  ([a-z]+)\b", ran.stdout, re.M))
    case = DEV.read_text().partition("case $command in")[2]
    known = set(re.findall(r"[a-z]+", re.search(r"^  ([a-z| ]+)\) \"\$command\"", case, re.M)[1]))
    assert told == known | {"test", "install"}


def test_an_unknown_command_is_refused_in_one_line():
    ran = run("biuld")
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr == "./dev: no command 'biuld'; ./dev help lists them\n"


class Machine:
    """A PATH on which the package tools are played by small scripts that keep a record."""

    def __init__(self, folder, installed):
        self.folder = folder
        self.log = folder / "log"
        self.log.write_text("")
        answer = "".join(f"echo installed {name}\n" for name in installed)
        self.tool("dpkg-query", answer)

    def tool(self, name, text):
        path = self.folder / name
        path.write_text(f'#!/bin/sh\necho {name} "$@" >>{self.log}\n{text}\n')
        path.chmod(0o755)

    def deps(self, uid):
        self.tool("id", f"echo {uid}")
        ran = run("deps", PATH=f"{self.folder}:/usr/bin:/bin")
        calls = self.log.read_text().splitlines()
        return ran, [call for call in calls if call.startswith(("apt-get", "sudo"))]


@pytest.fixture
def lacking(tmp_path):
    """A machine on which only the last two packages are missing."""
    return Machine(tmp_path, PACKAGES[:-2])


INSTALL = f"apt-get install -y -q --no-install-recommends {' '.join(sorted(PACKAGES[-2:]))}"


def test_nothing_is_done_if_nothing_is_missing(tmp_path):
    ran, calls = Machine(tmp_path, PACKAGES).deps(uid=0)
    assert (ran.returncode, ran.stdout, ran.stderr, calls) == (0, "", "", [])


def test_root_installs_what_is_missing_without_refreshing_the_lists(lacking):
    lacking.tool("apt-get", "")
    ran, calls = lacking.deps(uid=0)
    assert (ran.returncode, calls) == (0, [INSTALL])
    assert "installing 2 missing packages" in ran.stderr


def test_old_lists_are_refreshed_once(lacking):
    lacking.tool("apt-get", f'[ "$1" = update ] || grep -q "apt-get update" {lacking.log}')
    ran, calls = lacking.deps(uid=0)
    assert (ran.returncode, calls) == (0, [INSTALL, "apt-get update -q", INSTALL])


def test_it_stops_if_a_package_cannot_be_had(lacking):
    lacking.tool("apt-get", '[ "$1" = update ]')
    ran, calls = lacking.deps(uid=0)
    assert (ran.returncode, len(calls)) == (1, 3)
    assert "could not install" in ran.stderr


def test_without_root_it_prints_the_command_and_stops(lacking):
    lacking.tool("sudo", "exit 1")
    lacking.tool("apt-get", "")
    ran, calls = lacking.deps(uid=1000)
    assert (ran.returncode, calls) == (1, ["sudo -n true"])
    assert ran.stdout == f"  apt-get update && {INSTALL}\n"


def test_sudo_is_used_where_it_asks_nothing(lacking):
    lacking.tool("sudo", "exit 0")
    ran, calls = lacking.deps(uid=1000)
    assert (ran.returncode, calls) == (0, ["sudo -n true", "sudo " + INSTALL])
