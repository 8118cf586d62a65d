# SPDX-License-Identifier: Apache-2.0
"""Files to all nodes of a job. The nodes share this machine's file system: four nodes write one
path."""
import os
import pwd
import shutil
import subprocess

import pytest

from yard import Yard, wait_for


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    cluster = Yard(tmp_path_factory.mktemp("bcast"), nodes=4, cpus=2, extra="TreeWidth=2")
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture
def job(yard):
    """A running job on all four nodes."""
    number = yard.run("sbatch", "--parsable", "-N4", "--wrap", "sleep 1000").stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h", "-j", number, "-o", "%T").stdout == "RUNNING\n")
    yield number
    yard.run("scancel", number)
    wait_for(lambda: not yard.run("squeue", "-h").stdout)


def make_file(yard, name, size):
    path = f"{yard.dir}/out/{name}"
    with open(path, "wb") as f:
        f.write((os.urandom(1000) + b"x" * 9000) * (size // 10000 + 1))
    os.chmod(path, 0o741)
    os.utime(path, (1000000000, 1100000000))
    return path


def content(path):
    with open(path, "rb") as f:
        return f.read()


def test_a_file_arrives_whole_in_pieces(yard, job):
    source = make_file(yard, "whole", 300000)
    target = f"{yard.dir}/whole-copy"
    # Four nodes, one folder: each replaces the other's, so all four have to be right.
    yard.run("sbcast", "-f", "-C", "-s", "64k", "-p", "-j", job, source, target)
    assert content(target) == content(source)
    about = os.stat(target)
    assert about.st_mode & 0o777 == 0o741 and about.st_mtime == 1100000000
    assert [name for name in os.listdir(yard.dir) if "sbcast" in name] == []


def test_only_nodes_that_are_named_get_it(yard, job):
    source = make_file(yard, "some", 1000)
    # Without --force only the first of several nodes could write here: one is asked, one writes.
    yard.run("sbcast", "--nodelist=n3", "-j", job, source, f"{yard.dir}/one-copy")
    assert content(f"{yard.dir}/one-copy") == content(source)
    two = yard.run("sbcast", "--nodelist", "n[1,4]", "-j", job, source, f"{yard.dir}/two-copies",
                   check=False)
    assert two.returncode == 1 and "n2" not in two.stderr and "n3" not in two.stderr, two.stderr
    for nodes, error in (("n[1,9]", "Node n9 is not of this job"), ("n[1", "nodelist")):
        refused = yard.run("sbcast", "--nodelist", nodes, "-j", job, source, f"{yard.dir}/none",
                           check=False)
        assert refused.returncode != 0 and error in refused.stderr, refused.stderr
    assert not os.path.exists(f"{yard.dir}/none")


def test_the_tree_may_have_any_width(yard, job):
    source = make_file(yard, "wide", 100000)
    for width in ("1", "3", "off"):
        target = f"{yard.dir}/wide-{width}"
        yard.run("sbcast", "-f", f"--treewidth={width}", "-j", job, source, target)
        assert content(target) == content(source)
    refused = yard.run("sbcast", "--treewidth=x", "-j", job, source, f"{yard.dir}/x", check=False)
    assert refused.returncode != 0 and "treewidth" in refused.stderr, refused.stderr


def test_every_node_gets_it_and_those_that_cannot_are_named(yard, job):
    source = make_file(yard, "each", 1000)
    target = f"{yard.dir}/each-copy"
    done = yard.run("sbcast", "-j", job, source, target, check=False)
    # Without --force the first of the four wins; the others say why they did not.
    assert done.returncode == 1
    assert done.stderr.count("File exists") == 3, done.stderr
    assert content(target) == content(source)


def test_a_lost_node_costs_only_itself(yard, job):
    source = make_file(yard, "lost", 1000)
    target = f"{yard.dir}/lost-copy"
    # n1 is a head of the tree: the nodes behind it are reached all the same.
    yard.kill9("slurmd-n1")
    try:
        done = yard.run("sbcast", "-f", "-j", job, source, target, check=False)
        assert done.returncode == 1
        assert "n1" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
        assert content(target) == content(source)
    finally:
        yard.start_node(1)
        wait_for(lambda: "*" not in yard.run("sinfo", "-h", "-N", "-o", "%T").stdout)


def test_an_empty_file_is_a_file(yard, job):
    empty = f"{yard.dir}/out/empty"
    with open(empty, "w"):
        pass
    yard.run("sbcast", "-f", "-j", job, empty, f"{yard.dir}/empty-copy")
    assert content(f"{yard.dir}/empty-copy") == b""


def test_refusals_are_clear(yard, job):
    source = make_file(yard, "refused", 10)
    for arguments, text in [
            (["-j", "99999", source, "/tmp/x"], "Invalid job id specified"),
            (["-j", job, "/nowhere", "/tmp/x"], "No such file or directory"),
            (["-j", job, source, "/nowhere/x"], "No such file or directory"),
            (["-j", job, source], "Need two file names"),
            ([source, "/tmp/x"], "--jobid")]:
        done = yard.run("sbcast", *arguments, check=False)
        assert done.returncode == 1 and text in done.stderr, (arguments, done.stderr)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_nobody_writes_where_they_could_not(yard, job):
    for folder in [yard.dir] + [yard.dir.rsplit("/", n)[0] for n in (1, 2)]:
        os.chmod(folder, 0o755)
    nobody = pwd.getpwnam("nobody")
    source = make_file(yard, "secret", 10)
    os.chmod(source, 0o644)

    def as_nobody(*command):
        return subprocess.run(command, env=yard.env, cwd="/tmp", user=nobody.pw_uid,
                              group=nobody.pw_gid, extra_groups=[], capture_output=True, text=True,
                              timeout=60)

    denied = as_nobody("sbcast", "-j", job, source, "/tmp/x")
    assert denied.returncode == 1 and "Access/permission denied" in denied.stderr
    # In a job of their own they write with their own rights only.
    yard.run("scancel", job)
    wait_for(lambda: not yard.run("squeue", "-h").stdout)
    done = as_nobody("salloc", "-N2", "sbcast", source, f"{yard.dir}/theirs")
    assert done.returncode == 1 and done.stderr.count("Permission denied") == 2, done.stderr
    assert not os.path.exists(f"{yard.dir}/theirs")


def test_a_program_is_started_from_its_copy(yard):
    program = f"{yard.dir}/out/program"
    with open(program, "w") as f:
        f.write("#!/bin/sh\necho $0\n")
    os.chmod(program, 0o755)
    done = yard.run("srun", "-N2", f"--bcast={yard.dir}/copy-of-program", program)
    assert done.stdout == f"{yard.dir}/copy-of-program\n" * 2
    assert content(f"{yard.dir}/copy-of-program") == content(program)


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_programs_libraries_come_along_on_request(yard, job):
    folder = f"{yard.dir}/built"
    os.mkdir(folder)

    def build(name, text, *options):
        with open(f"{folder}/{name}.c", "w") as f:
            f.write(text)
        subprocess.run(["cc", "-o", f"{folder}/{name}", f"{folder}/{name}.c", *options], check=True)
    build("libword.so", 'const char* word(void) { return "from the library"; }\n',
          "-shared", "-fPIC")
    build("say", "#include <stdio.h>\nconst char* word(void);\n"
                 "int main(void) { puts(word()); return 0; }\n", f"-L{folder}", "-lword")
    found = dict(yard.env, LD_LIBRARY_PATH=folder)
    for send in ("yes", "no"):
        copy = f"{yard.dir}/say-{send}"
        done = subprocess.run(["sbcast", "-f", f"--send-libs={send}", "-j", job, f"{folder}/say",
                               copy], env=found, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        libraries = os.listdir(f"{copy}_libs") if os.path.exists(f"{copy}_libs") else []
        assert libraries == (["libword.so"] if send == "yes" else []), libraries
    srun = ["srun", f"--jobid={job}", "--overlap", "-N1", "-n1", f"--bcast={yard.dir}/say-too"]
    done = subprocess.run([*srun, "--send-libs", f"{folder}/say"], env=found, capture_output=True,
                          text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "from the library\n"), done.stderr
    # And without the folder that it was built in.
    os.unlink(f"{folder}/libword.so")
    done = yard.run("env", f"LD_LIBRARY_PATH={yard.dir}/say-too_libs", f"{yard.dir}/say-too")
    assert done.stdout == "from the library\n"
