# SPDX-License-Identifier: Apache-2.0
"""How a task comes to life: as whom, where, with which limits and environment, and what happens
when something of that is missing. Daemons run as root, jobs as users made for the test."""
import os
import re
import shutil
import signal
import subprocess

import pytest

from conftest import new_folder
from yard import BIN, Yard, wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to run jobs of other users")

EXTRA = """\
TaskProlog={dir}/task_prolog
TaskEpilog={dir}/task_epilog
PropagatePrioProcess=1
"""
PROLOG = """#!/bin/sh
[ -n "$ASK_PROLOG" ] || exit 0
echo "export FROM_PROLOG=$SLURM_PROCID-$SLURM_SCRIPT_CONTEXT"
echo "unset TAKE_AWAY"
echo "print the prolog says hello"
echo "this means nothing"
[ "$ASK_PROLOG" != fail ] || exit 9
[ "$ASK_PROLOG" != hang ] || sleep 1000
"""
EPILOG = """#!/bin/sh
[ -z "$EPILOG_FILE" ] || echo "site $SLURM_TASK_EXIT_CODE $SLURM_PROCID $(id -un)" >> $EPILOG_FILE
"""
STEP_FD_LIMIT = 4000  # of the second node's slurmd


class Launching(Yard):
    """A yard that runs commands as an ordinary user."""

    def as_user(self, *command, user=None, check=True, env=None, prefix="", **kwargs):
        """`prefix` is shell code that runs before, still as root."""
        # Not runuser: what PAM does would replace the limits.
        words = ["setpriv", "--reuid", user or self.user, "--regid", user or self.user,
                 "--init-groups", *map(str, command)]
        if env:
            words[6:6] = ["env", *(f"{k}={v}" for k, v in env.items())]
        if prefix:
            words = ["sh", "-c", prefix + '; exec "$@"', "sh", *words]
        return self.run(*words, check=check, **kwargs)

    def submit(self, script, *options, **kwargs):
        done = self.as_user("sbatch", "--parsable", *options,
                            input=f"#!/bin/sh\n{script}\n", **kwargs)
        return int(done.stdout.strip())

    def job(self, number):
        text = self.run("scontrol", "show", "job", str(number)).stdout
        return dict(re.findall(r"(\S+?)=(\S*)", text))

    def ended(self, number):
        """The job's record once it is over and off its nodes."""
        def over():
            seen = self.job(number)
            return seen if seen["JobState"] not in ("PENDING", "RUNNING", "COMPLETING") else None
        return wait_for(over, what=f"end of job {number}")

    def output(self, number, name=None):
        self.ended(number)
        with open(name or f"{self.dir}/out/slurm-{number}.out") as f:
            return f.read()


@pytest.fixture(scope="module")
def yard():
    folder = new_folder()
    cluster = Launching(folder, nodes=2, extra=EXTRA.format(dir=folder))
    for name, text in (("task_prolog", PROLOG), ("task_epilog", EPILOG)):
        with open(f"{folder}/{name}", "w") as f:
            f.write(text)
        os.chmod(f"{folder}/{name}", 0o755)
    os.chmod(f"{folder}/out", 0o777)
    cluster.user, group = f"yml{os.getpid() % 100000}", f"ymg{os.getpid() % 100000}"
    home = f"{folder}/home"
    subprocess.run(["groupadd", group], check=True)
    subprocess.run(["useradd", "-m", "-d", home, "-s", "/bin/sh", "-G", group, cluster.user],
                   check=True, capture_output=True)
    try:
        reach = ["runuser", "-u", cluster.user, "--", "test", "-x", f"{BIN}/srun"]
        if subprocess.run(reach, check=False).returncode != 0:
            pytest.skip(f"{BIN} is closed to other users")
        with open(f"{home}/.profile", "w") as f:
            f.write("echo welcome\nexport LOGIN_ONLY=from-login COLOUR=login\n")
        cluster.start_controller()
        cluster.start_node(1)
        cluster.run("sh", "-c", f"ulimit -n {STEP_FD_LIMIT}; exec slurmd -N n2")
        wait_for(lambda: cluster.idle_nodes() == 2, what="both nodes idle")
        yield cluster
    finally:
        cluster.stop()
        subprocess.run(["userdel", "-f", cluster.user], check=False, capture_output=True)
        subprocess.run(["groupdel", group], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


# --- limits ---

def test_a_step_has_the_limits_of_srun(yard):
    low = "ulimit -Sn 333"
    show = ["srun", "sh", "-c", "ulimit -Sn"]
    assert yard.as_user(*show, prefix=low).stdout == "333\n"
    none = ["srun", "--propagate=NONE", "sh", "-c", "ulimit -Sn"]
    assert yard.as_user(*none, prefix=low).stdout != "333\n"
    core = ["srun", "--propagate=CORE", "sh", "-c", "ulimit -Sn; ulimit -Sc"]
    other, zero = yard.as_user(*core, prefix=low + "; ulimit -Sc 0").stdout.split()
    assert other != "333" and zero == "0"


def test_a_batch_job_has_the_limits_of_its_submitter(yard):
    job = yard.submit("ulimit -Sn; ulimit -Ss; env | grep -c RLIMIT",
                      prefix="ulimit -Sn 321; ulimit -Ss 7000")
    assert yard.output(job).split() == ["321", "7000", "0"]


def test_a_limit_that_was_named_must_be_set(yard):
    high = f"ulimit -n {STEP_FD_LIMIT + 1000}"
    hard = ["srun", "-wn2", "--propagate=NOFILE", "true"]
    done = yard.as_user(*hard, prefix=high, check=False)
    assert done.returncode == 5
    text = f"Can't propagate RLIMIT_NOFILE of {STEP_FD_LIMIT + 1000} from submit host"
    assert text in done.stderr
    soft = yard.as_user("srun", "-wn2", "sh", "-c", "ulimit -Sn", prefix=high)
    assert soft.stdout == f"{STEP_FD_LIMIT}\n"
    assert "Can't propagate RLIMIT_NOFILE" in soft.stderr


def test_a_limit_that_does_not_exist_is_refused(yard):
    done = yard.as_user("srun", "--propagate=FISH", "true", check=False)
    assert done.returncode != 0 and "FISH" in done.stderr


# --- identity and place ---

def test_a_task_is_its_user_with_all_groups(yard):
    expected = subprocess.run(["id", yard.user], capture_output=True, text=True).stdout
    assert yard.as_user("srun", "id").stdout == expected
    assert len(re.findall(r"\d+\(", expected.split("groups=")[1])) == 2


def test_umask_and_priority_come_along(yard):
    done = yard.as_user("srun", "sh", "-c", "umask; nice", prefix="umask 027; renice -n 5 $$ >&2")
    assert done.stdout.split() == ["0027", "5"]
    job = yard.submit("umask; nice", prefix="umask 026; renice -n 6 $$ >&2")
    assert yard.output(job).split() == ["0026", "6"]


def test_nobody_is_more_urgent_than_the_kernel_lets_him_be(yard):
    """The number is the client's: it is set with the user's rights, not with root's."""
    urgent = "renice -n -19 $$ >&2"
    ours = f"{os.nice(0)}\n"  # and the daemons'
    assert yard.as_user("srun", "nice", prefix=urgent).stdout == ours
    assert yard.output(yard.submit("nice", prefix=urgent)) == ours
    # Root may.
    root = yard.run("sh", "-c", "renice -n -4 $$ >&2; exec srun nice")
    assert root.stdout == "-4\n"


def relative_core_names():
    with open("/proc/sys/kernel/core_pattern") as f:
        return not f.read().startswith(("/", "|"))


@pytest.mark.skipif(not relative_core_names(), reason="this machine keeps core files elsewhere")
def test_a_core_file_lies_in_the_working_directory_of_its_task(yard, tmp_path):
    os.chmod(tmp_path, 0o777)
    done = subprocess.run(["sh", "-c", "ulimit -c unlimited; exec srun --propagate=CORE "
                           f"-D {tmp_path} sh -c 'kill -SEGV $$'"],
                          env=yard.env, cwd="/", capture_output=True, text=True, timeout=180)
    assert done.returncode == 128 + signal.SIGSEGV, done.stderr
    assert [name for name in os.listdir(tmp_path) if name.startswith("core")], done.stderr


def test_a_lost_working_directory_is_replaced_and_said(yard):
    done = yard.as_user("srun", "-D", "/nonexistent/x", "pwd")
    assert done.stdout == "/tmp\n"
    assert ("couldn't chdir to `/nonexistent/x': No such file or directory: going to /tmp instead"
            in done.stderr)
    assert yard.as_user("srun", "--chdir=/usr", "pwd").stdout == "/usr\n"


def test_tmpdir_is_the_users_own_or_the_nodes(yard):
    show = ["srun", "sh", "-c", "echo $TMPDIR"]
    assert yard.as_user(*show, env={"TMPDIR": f"{yard.dir}/out/mine"}).stdout.endswith("/mine\n")
    assert os.path.isdir(f"{yard.dir}/out/mine")
    assert yard.as_user("env", "-u", "TMPDIR", *show).stdout == "/tmp\n"
    lost = yard.as_user(*show, env={"TMPDIR": "/nonexistent/t"})
    assert lost.stdout == "/tmp\n" and "Unable to create TMPDIR" in lost.stderr


def test_each_task_leads_its_own_process_group(yard):
    done = yard.as_user("srun", "-n2", "sh", "-c", "[ $(ps -o pgid= -p $$) = $$ ] && echo leads")
    assert done.stdout == "leads\nleads\n"


# --- task prologs and epilogs ---

def test_a_task_prolog_exports_unsets_and_prints(yard):
    done = yard.as_user("srun", "-n2", "sh", "-c", "echo $FROM_PROLOG $TAKE_AWAY.",
                        env={"ASK_PROLOG": "1", "TAKE_AWAY": "x"})
    assert sorted(done.stdout.splitlines()) == [
        "0-prolog_task .", "1-prolog_task .", "the prolog says hello", "the prolog says hello"]
    job = yard.submit("echo $FROM_PROLOG", env={"ASK_PROLOG": "1"})
    assert yard.output(job) == "the prolog says hello\n0-prolog_task\n"


def test_the_users_prolog_comes_after_the_sites_and_his_epilog_before(yard):
    log = f"{yard.dir}/out/epilog.log"
    for name, text in (("mine_before", "echo export SEEN=after-$FROM_PROLOG"),
                       ("mine_after", f"echo mine $SLURM_TASK_EXIT_CODE >> {log}")):
        with open(f"{yard.dir}/out/{name}", "w") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(f"{yard.dir}/out/{name}", 0o755)
    done = yard.as_user("srun", "--task-prolog=./mine_before", "--task-epilog=./mine_after",
                        "sh", "-c", "echo $SEEN; exit 3", check=False,
                        env={"ASK_PROLOG": "1", "EPILOG_FILE": log})
    assert done.returncode == 3
    assert done.stdout == "the prolog says hello\nafter-0-prolog_task\n"
    with open(log) as f:
        assert f.read() == f"mine 3\nsite 3 0 {yard.user}\n"


def test_a_failing_task_prolog_fails_the_task(yard):
    done = yard.as_user("srun", "echo", "ran", env={"ASK_PROLOG": "fail"}, check=False)
    assert done.returncode == 9
    assert "ran" not in done.stdout
    assert "TaskProlog failed status=9" in done.stderr


def test_a_hanging_task_prolog_ends_with_its_job(yard):
    job = yard.submit("echo ran", env={"ASK_PROLOG": "hang"})
    wait_for(lambda: yard.job(job)["JobState"] == "RUNNING", what="the job's start")
    yard.as_user("scancel", job)
    assert yard.ended(job)["JobState"] == "CANCELLED"
    wait_for(lambda: yard.idle_nodes() == 2, what="both nodes idle")


# --- environment ---

def test_export_chooses_the_environment(yard):
    show = ["sh", "-c", "echo $A:$B:${SLURM_JOB_ID:+id}"]
    env = {"A": "1", "B": "2"}
    assert yard.as_user("srun", "--export=A", *show, env=env).stdout == "1::id\n"
    assert yard.as_user("srun", "--export=ALL,B=9,C=1", *show, env=env).stdout == "1:2:id\n"
    assert yard.as_user("srun", "--export=B='x,y'", *show, env=env).stdout == ":x,y:id\n"
    nil = yard.as_user("srun", "--export=NONE", "/bin/sh", "-c", "echo $A:$B", env=env)
    assert nil.stdout == ":\n"


def test_a_preserved_environment_keeps_the_allocations_numbers(yard):
    show = "srun {} -N1 -n1 sh -c 'echo $SLURM_NTASKS $SLURM_JOB_NUM_NODES $SLURM_PRESERVE_ENV'"
    inside = "; ".join(show.format(option) for option in ("", "-E", "--preserve-env"))
    done = yard.as_user("salloc", "-N2", "-n4", "sh", "-c", inside)
    assert done.stdout.splitlines() == ["1 2", "4 2", "4 2"]


def test_export_none_brings_the_login_environment(yard):
    job = yard.submit("echo $MINE:$LOGIN_ONLY:$COLOUR:$HOME:${PATH:+path}", "--export=NONE",
                      env={"MINE": "1", "COLOUR": "submitted"})
    assert yard.output(job) == f":from-login:login:{yard.dir}/home:path\n"


def test_get_user_env_loses_against_what_was_exported(yard):
    job = yard.submit("echo $LOGIN_ONLY:$COLOUR", "--get-user-env=20L",
                      env={"COLOUR": "submitted"})
    assert yard.output(job) == "from-login:submitted\n"


def test_a_login_that_hangs_fails_the_job_in_words(yard):
    profile = f"{yard.dir}/home/.profile"
    with open(profile) as f:
        before = f.read()
    try:
        with open(profile, "w") as f:
            f.write("sleep 1000\n")
        job = yard.submit("echo ran", "--get-user-env=2")
        text = yard.output(job)
    finally:
        with open(profile, "w") as f:
            f.write(before)
    assert "cannot get the login environment" in text and "2 seconds" in text
    assert "ran" not in text
    assert yard.ended(job)["JobState"] == "FAILED"


def test_export_file_brings_variables_with_any_characters(yard):
    path = f"{yard.dir}/out/variables"
    with open(path, "wb") as f:
        f.write(b"ODD=a,b 'c'\nd\0PLAIN=1\0")
    os.chmod(path, 0o644)
    job = yard.submit('printf "%s|%s" "$ODD" "$PLAIN"', f"--export-file={path}", "--export=NIL")
    assert yard.output(job) == "a,b 'c'\nd|1"
    bad = yard.as_user("sbatch", "--export-file=/nonexistent", "--wrap=true", check=False)
    assert bad.returncode == 1
    assert "Could not open user environment file /nonexistent" in bad.stderr


# --- programs ---

def test_multi_prog_gives_each_task_its_program(yard):
    path = f"{yard.dir}/out/multi.conf"
    with open(path, "w") as f:
        f.write("# what each does\n0-1  echo 'a  b' %t:%o\n"
                "2    echo two \\\n  %t:%o\n*    echo rest %t:%o\n")
    done = yard.as_user("srun", "-n4", "-O", "-l", "--multi-prog", path)
    assert sorted(done.stdout.splitlines()) == [
        "0: a  b 0:0", "1: a  b 1:1", "2: two 2:0", "3: rest 3:3"]


@pytest.mark.parametrize("program, code, text", [
    ("no-such-program", 2, "execve(): no-such-program: No such file or directory"),
    ("/etc/passwd", 13, "execve(): /etc/passwd: Permission denied"),
    ("./bad", 2, "execve(): bad interpreter(/nonexistent/sh): No such file or directory"),
])
def test_a_program_that_cannot_run_is_named(yard, program, code, text):
    with open(f"{yard.dir}/out/bad", "w") as f:
        f.write("#!/nonexistent/sh\n")
    os.chmod(f"{yard.dir}/out/bad", 0o755)
    done = yard.as_user("srun", program, check=False)
    assert done.returncode == code
    assert f"slurmstepd: error: {text}" in done.stderr


def test_the_program_is_looked_for_on_the_users_path(yard):
    os.makedirs(f"{yard.dir}/out/tools", exist_ok=True)
    with open(f"{yard.dir}/out/tools/mytool", "w") as f:
        f.write("#!/bin/sh\necho found $0\n")
    os.chmod(f"{yard.dir}/out/tools/mytool", 0o755)
    path = f"{yard.dir}/out/tools:{BIN}:/usr/bin:/bin"
    done = yard.as_user("srun", "mytool", env={"PATH": path})
    assert done.stdout == f"found {yard.dir}/out/tools/mytool\n"


# --- faults ---

def test_a_missing_home_is_no_obstacle(yard):
    os.rename(f"{yard.dir}/home", f"{yard.dir}/home.away")
    try:
        assert yard.as_user("srun", "sh", "-c", "echo $HOME; pwd",
                            env={"HOME": f"{yard.dir}/home"}).stdout.startswith(yard.dir)
        job = yard.submit("echo ran", "-D", f"{yard.dir}/home", "-o", f"{yard.dir}/out/homeless")
        assert "ran" in yard.output(job, f"{yard.dir}/out/homeless")
    finally:
        os.rename(f"{yard.dir}/home.away", f"{yard.dir}/home")


def test_a_job_of_a_user_who_is_gone_is_held_and_the_node_works_on(yard):
    name = f"ymq{os.getpid() % 100000}"
    subprocess.run(["useradd", "-M", "-d", "/nonexistent", name], check=True, capture_output=True)
    try:
        job = yard.submit("echo ran", "--hold", user=name)
    finally:
        subprocess.run(["userdel", name], check=True, capture_output=True)
    yard.run("scontrol", "release", str(job))
    try:
        wait_for(lambda: yard.job(job)["Reason"] == "launch_failed_requeued_held", what="the hold")
        assert yard.job(job)["JobState"] == "PENDING"
        wait_for(lambda: yard.idle_nodes() == 2, what="both nodes idle")
    finally:
        yard.run("scancel", str(job))


@pytest.mark.parametrize("script, text", [
    ("#!/bin/sh\r\necho\r\n", "Batch script contains DOS line breaks"),
    ("echo no interpreter\n", "This does not look like a batch script"),
    ("", "Batch script is empty!"),
])
def test_what_is_no_script_is_refused(yard, script, text):
    done = yard.as_user("sbatch", input=script, check=False)
    assert done.returncode == 1 and text in done.stderr


def test_a_script_with_a_bad_interpreter_fails_in_words(yard):
    done = yard.as_user("sbatch", "--parsable", input="#!/nonexistent/bash\ntrue\n")
    job = int(done.stdout)
    assert "execve(): bad interpreter(/nonexistent/bash)" in yard.output(job)
    assert yard.ended(job)["JobState"] == "FAILED"


@pytest.mark.parametrize("folder", ["missing", "closed"])
def test_an_output_file_that_cannot_be_opened_fails_the_job(yard, folder):
    if folder == "closed":
        os.makedirs(f"{yard.dir}/closed", mode=0o700, exist_ok=True)
    path = f"{yard.dir}/{folder}/out"
    job = yard.submit("echo ran", "-o", path)
    seen = yard.ended(job)
    assert seen["JobState"] == "FAILED" and seen["ExitCode"] == "0:53", seen
    done = yard.as_user("srun", "-o", f"{path}-%t", "true", check=False)
    assert done.returncode != 0 and "Could not open stdout file" in done.stderr
    wait_for(lambda: yard.idle_nodes() == 2, what="both nodes idle")


def test_a_task_that_closes_its_streams_goes_on(yard):
    later = f"sleep 0.2; echo after > {yard.dir}/out/closed"
    done = yard.as_user("srun", "sh", "-c", f"echo before; exec <&- >&- 2>&-; {later}")
    assert done.stdout == "before\n"
    with open(f"{yard.dir}/out/closed") as f:
        assert f.read() == "after\n"


def test_a_stopped_task_is_cancelled_all_the_same(yard):
    job = yard.submit("kill -STOP $$; echo ran")
    shell = wait_for(lambda: [pid for pid in os.listdir("/proc") if pid.isdigit()
                              and stopped_script(pid, yard.dir)], what="a stopped script")
    assert shell
    yard.as_user("scancel", job)
    assert yard.ended(job)["JobState"] == "CANCELLED"
    wait_for(lambda: yard.idle_nodes() == 2, what="both nodes idle")


def stopped_script(pid, folder):
    try:
        with open(f"/proc/{pid}/cmdline") as f:
            command = f.read()
        with open(f"/proc/{pid}/stat") as f:
            return folder in command and "slurm_script" in command and \
                f.read().rsplit(")", 1)[1].split()[0] == "T"
    except OSError:
        return False


def test_a_full_spool_drains_the_node_and_the_job_is_held(yard):
    spool = f"{yard.dir}/spool/n1"
    small = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none",
                            f"{spool}/attempts"], capture_output=True, text=True)
    if small.returncode != 0:
        pytest.skip(f"cannot mount a small disk: {small.stderr.strip()}")
    try:
        with open(f"{spool}/attempts/filler", "wb", buffering=0) as f:
            try:
                while f.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        done = yard.as_user("srun", "-wn1", "true", check=False)
        assert done.returncode != 0 and "No space left on device" in done.stderr
        # A node that launches nothing would swallow one job after the other.
        job = yard.submit("echo ran", "-wn1")
        wait_for(lambda: yard.job(job)["Reason"] == "launch_failed_requeued_held", what="the hold")
        wait_for(lambda: "batch job complete failure" in yard.run("sinfo", "-h", "-o", "%E").stdout,
                 what="the drain")
        yard.run("scancel", str(job))
    finally:
        os.unlink(f"{spool}/attempts/filler")
        yard.run("scontrol", "update", "nodename=n1", "state=resume")
        wait_for(lambda: yard.idle_nodes() == 2, what="both nodes idle")
        subprocess.run(["umount", f"{spool}/attempts"], check=True)
    assert yard.as_user("srun", "-wn1", "echo", "again").stdout == "again\n"


def test_jobs_that_end_at_once_all_end_well(yard):
    yard.run("sbatch", "-a", "1-400", "-o", "/dev/null", "--wrap", "true", "-J", "brief")
    wait_for(lambda: not yard.run("squeue", "-h", "-n", "brief").stdout, what="the array's end")
    assert yard.run("squeue", "-h", "-n", "brief", "-t", "F,NF", "-o", "%i %r").stdout == ""
