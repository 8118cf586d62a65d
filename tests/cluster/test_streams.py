# SPDX-License-Identifier: Apache-2.0
"""Streams between srun and the tasks: slow, stopped and vanished readers, lost connections, input,
labels, files by pattern, terminals."""
import hashlib
import os
import signal
import subprocess

import pytest

from yard import SANITIZED, Yard, alive, wait_for

MIB = 1 << 20


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    cluster = Yard(tmp_path_factory.mktemp("yard"), nodes=2)
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture(autouse=True)
def clean(yard):
    yield
    wait_for(lambda: not yard.queue(), what="an empty queue")
    wait_for(lambda: not yard.shepherds(), what="no shepherd left")


def start(yard, *command, **kwargs):
    return subprocess.Popen(command, env=yard.env, cwd=f"{yard.dir}/out",
                            **{"stdin": subprocess.DEVNULL, **kwargs})


def memory_kb(pid):
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith("RssAnon"):
                return int(line.split()[1])


def writer(mib, seed=7):
    """A program that writes so much, which does not repeat soon, and then says so in a file."""
    return (f"import os,random\nr=random.Random({seed})\nb=r.randbytes({MIB})\n"
            f"for n in range({mib}): w=b[n%997:]+b[:n%997]; "
            f"[w:=w[os.write(1,w):] for _ in iter(lambda: len(w)>0, False)]\n"
            f"open('written','w').close()\n")


def expected(mib, seed=7):
    import random
    block = random.Random(seed).randbytes(MIB)
    digest = hashlib.sha256()
    for n in range(mib):
        digest.update(block[n % 997:] + block[:n % 997])
    return digest.hexdigest()


def digest_of(stream):
    digest, size = hashlib.sha256(), 0
    while True:
        piece = stream.read(MIB)
        if not piece:
            return digest.hexdigest(), size
        digest.update(piece)
        size += len(piece)


def forget_written(yard):
    path = f"{yard.dir}/out/written"
    if os.path.exists(path):
        os.unlink(path)
    return path


def test_a_stopped_srun_holds_nobody_up_and_gets_every_byte(yard):
    written = forget_written(yard)
    srun = start(yard, "srun", "python3", "-c", writer(300), stdout=subprocess.PIPE)
    wait_for(lambda: yard.shepherds(), what="the shepherd")
    os.kill(srun.pid, signal.SIGSTOP)
    wait_for(lambda: os.path.exists(written), what="the task to finish although nobody reads")
    (shepherd,) = yard.shepherds()
    assert SANITIZED or memory_kb(shepherd) < 4096
    os.kill(srun.pid, signal.SIGCONT)
    assert digest_of(srun.stdout) == (expected(300), 300 * MIB)
    assert srun.wait() == 0


def test_much_input_arrives_whole(yard):
    data = os.urandom(MIB) * 20
    srun = start(yard, "srun", "sha256sum", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, _ = srun.communicate(data)
    assert out.split()[0].decode() == hashlib.sha256(data).hexdigest()


def test_input_that_nobody_reads_keeps_nothing_else_from_coming(yard):
    """The task reads nothing of what exceeds every buffer, yet says much and hears signals."""
    written = forget_written(yard)
    srun = start(yard, "srun", "sh", "-c",
                 "head -c 50000000 /dev/zero; touch written; exec sleep 600",
                 stdin=open("/dev/zero", "rb"), stdout=subprocess.PIPE)
    seen = 0
    while seen < 50000000:
        seen += len(srun.stdout.read1(MIB))
    wait_for(lambda: os.path.exists(written), what="all written")
    srun.send_signal(signal.SIGTERM)
    srun.stdout.close()
    assert srun.wait(timeout=120) == 128 + signal.SIGTERM


def test_labels_stand_before_lines(yard):
    done = yard.run("srun", "-n3", "-l", "sh", "-c", "printf 'a\\nb'")
    assert sorted(done.stdout.splitlines()) == [f"{n}: {c}" for n in range(3) for c in "ab"]


def test_closed_and_empty_input_is_an_end(yard):
    assert yard.run("srun", "cat").stdout == ""
    done = yard.run("sh", "-c", "srun cat <&-")
    assert done.stdout == ""


def test_input_goes_to_all_tasks_or_to_one(yard):
    assert yard.run("srun", "-n3", "cat", input="x\n").stdout == "x\n" * 3
    done = yard.run("srun", "-n3", "-l", "-i1", "cat", input="x\n")
    assert done.stdout == "1: x\n"
    assert yard.run("srun", "-n2", "-inone", "cat", input="x\n").stdout == ""


def test_files_have_their_names_by_pattern(yard):
    yard.run("srun", "-N2", "-n4", "-J", "patterns", "-o", "out.%x.%u.%j.%s.%2t.%n.%N.%%", "sh",
             "-c", "echo $SLURM_PROCID $SLURM_JOB_ID")
    names = sorted(n for n in os.listdir(f"{yard.dir}/out") if n.startswith("out."))
    job = names[0].split(".")[3]
    assert [n.split(".")[5] for n in names] == ["00", "01", "02", "03"]
    for name in names:
        node = name.split(".")[6]
        assert name.endswith(f".{node}.n{int(node) + 1}.%")
        with open(f"{yard.dir}/out/{name}") as f:
            assert f.read() == f"{int(name.split('.')[5])} {job}\n"
        os.unlink(f"{yard.dir}/out/{name}")


def test_files_are_truncated_or_appended_to(yard):
    path = f"{yard.dir}/out/mode"
    for pattern in ("mode", "mode%t"):  # srun's own, and the node's
        name = pattern.replace("%t", "0")
        for word, mode, there in [("a", "truncate", "a\n"), ("b", "append", "a\nb\n"),
                                  ("c", "truncate", "c\n")]:
            yard.run("srun", "--open-mode", mode, "-o", pattern, "echo", word)
            with open(f"{yard.dir}/out/{name}") as f:
                assert f.read() == there, (pattern, mode)
    assert os.path.exists(path)


def test_only_one_task_is_heard(yard):
    assert yard.run("srun", "-n3", "-l", "-o2", "echo", "hi").stdout == "2: hi\n"
    assert yard.run("srun", "-n3", "-onone", "echo", "hi").stdout == ""


def running_step(yard):
    def found():
        lines = yard.run("squeue", "-h", "-s", "-o", "%i").stdout.split()
        return [line for line in lines if line.endswith(".0")]
    return wait_for(found, what="a running step")[0]


def test_somebody_else_joins_a_step(yard):
    srun = start(yard, "srun", "-n2", "sh", "-c",
                 'while read line; do echo "$SLURM_PROCID heard $line"; '
                 'test $line = end && exit 3; done',
                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    step = running_step(yard)
    assert "2 tasks, " in yard.run("sattach", "--layout", step).stdout
    sattach = start(yard, "sattach", "-l", step, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
    sattach.stdin.write(b"hello\n")
    sattach.stdin.flush()
    said = {sattach.stdout.readline() for _ in range(2)}
    assert said == {b"0: 0 heard hello\n", b"1: 1 heard hello\n"}
    srun.stdin.write(b"end\n")
    srun.stdin.flush()
    out, _ = sattach.communicate(timeout=120)
    assert sorted(out.splitlines()) == [b"0: 0 heard end", b"1: 1 heard end"]
    assert sattach.returncode == 3
    assert sorted(srun.communicate(timeout=120)[0].splitlines()) == \
        [b"0 heard end", b"0 heard hello", b"1 heard end", b"1 heard hello"]


def test_a_listener_that_does_not_read_is_cut_off_alone(yard):
    srun = start(yard, "srun", "sh", "-c", "read go; head -c 30000000 /dev/zero",
                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    step = running_step(yard)
    sattach = start(yard, "sattach", "-v", step, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True)
    assert "attached to 1 task" in sattach.stderr.readline()
    os.kill(sattach.pid, signal.SIGSTOP)
    out, _ = srun.communicate(b"go\n", timeout=120)
    assert len(out) == 30000000 and srun.returncode == 0
    os.kill(sattach.pid, signal.SIGCONT)
    _, err = sattach.communicate(timeout=120)
    assert sattach.returncode == 1 and "too slow" in err


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_nobody_else_may_attach(yard):
    for folder in [yard.dir] + [yard.dir.rsplit("/", n)[0] for n in (1, 2)]:
        os.chmod(folder, 0o755)
    srun = start(yard, "srun", "cat", stdin=subprocess.PIPE)
    step = running_step(yard)
    denied = subprocess.run(["sattach", step], env=yard.env, cwd="/tmp", user="nobody",
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert denied.returncode == 1 and "denied" in denied.stderr
    srun.communicate(b"", timeout=120)


def test_a_terminal_has_the_size_of_ours(yard):
    import fcntl
    import pty
    import struct
    import termios
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
    srun = subprocess.Popen(["srun", "--pty", "sh", "-c", "stty size; read x; stty size; read x"],
                            env=yard.env, cwd="/tmp", stdin=slave, stdout=slave, stderr=slave,
                            start_new_session=True,
                            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    said = b""

    def hear(what):
        nonlocal said
        while what not in said:
            said += os.read(master, 4096)
    hear(b"33 77")
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 44, 99, 0, 0))
    wait_for(lambda: window_of_task(yard) == (44, 99), what="the task's terminal to change")
    os.write(master, b"\r")
    hear(b"44 99")
    os.write(master, b"\r")
    assert srun.wait(timeout=120) == 0
    os.close(master)


def window_of_task(yard):
    """The size of the terminal that the shepherd's first child has."""
    import fcntl
    import struct
    import termios
    for shepherd in yard.shepherds():
        with open(f"/proc/{shepherd}/task/{shepherd}/children") as f:
            for child in f.read().split():
                fd = os.open(os.readlink(f"/proc/{child}/fd/0"), os.O_RDONLY | os.O_NOCTTY)
                try:
                    return struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, b"\0" * 8))[:2]
                finally:
                    os.close(fd)


def test_a_failed_task_or_the_first_end_may_end_the_step(yard):
    script = "test $SLURM_PROCID = 1 && exit 5; exec sleep 600"
    done = yard.run("srun", "-n2", "-K", "sh", "-c", script, check=False)
    assert done.returncode == 128 + signal.SIGTERM and "Terminating StepId=" in done.stderr
    done = yard.run("srun", "-n2", "-W1", "sh", "-c", "test $SLURM_PROCID = 1 || exec sleep 600",
                    check=False)
    assert done.returncode == 128 + signal.SIGKILL and "First task exited 1s ago" in done.stderr


def interrupted(yard, *options):
    said = forget_written(yard)
    srun = start(yard, "srun", *options, "sh", "-c",
                 "trap 'echo caught; exit 4' INT; touch written; while :; do sleep 0.05; done",
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists(said), what="the task")
    srun.send_signal(signal.SIGINT)
    return srun


def test_interrupts_ask_forward_or_end(yard):
    srun = interrupted(yard)
    assert "one more within 1 sec" in srun.stderr.readline()
    assert "running" in srun.stderr.readline()
    srun.send_signal(signal.SIGINT)
    out, err = srun.communicate(timeout=120)
    assert (out, srun.returncode) == ("caught\n", 4) and "Job step aborted" in err
    for option, words in (("-X", None), ("--quit-on-interrupt", "Job step aborted")):
        out, err = interrupted(yard, option).communicate(timeout=120)
        assert out == "caught\n" and (words is None or words in err), option


def test_input_comes_from_a_file_for_each_task_or_for_all(yard):
    for n in range(2):
        with open(f"{yard.dir}/out/in.{n}", "w") as f:
            f.write(f"for {n}\n")
    done = yard.run("srun", "-n2", "-l", "-i", "in.%t", "cat")
    assert sorted(done.stdout.splitlines()) == ["0: for 0", "1: for 1"]
    assert yard.run("srun", "-n2", "-i", "in.1", "cat").stdout == "for 1\n" * 2
    yard.run("sbatch", "--wait", "-i", "in.0", "-o", "of-job", "-e", "of-job.err", "--wrap",
             "cat; echo aside >&2")
    with open(f"{yard.dir}/out/of-job") as f:
        assert f.read() == "for 0\n"
    with open(f"{yard.dir}/out/of-job.err") as f:
        assert f.read() == "aside\n"


def test_unbuffered_output_comes_before_its_line_ends(yard):
    srun = start(yard, "srun", "-u", "sh", "-c", "printf prompt; read x; echo $x",
                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert srun.stdout.read(6) == b"prompt"
    out, _ = srun.communicate(b"answer\n", timeout=120)
    assert out == b"answer\n" and srun.returncode == 0


def test_an_answer_that_comes_while_srun_still_speaks_is_not_overlooked(tmp_path):
    """Eight at a time on few processors: some nodes answer before their srun begins to listen. The
    next look would be after MessageTimeout, which nobody lives to see here."""
    cluster = Yard(tmp_path, nodes=1, cpus=8, extra="MessageTimeout=3600\n")
    cluster.start()
    try:
        steps = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do srun -n1 --exact true || exit 1; done"
        eight = " & ".join(f"( {steps} )" for _ in range(8))
        for _ in range(4):
            cluster.run("salloc", "-Q", "-n8", "sh", "-c", f"{eight} & wait", timeout=240)
    finally:
        cluster.stop()
