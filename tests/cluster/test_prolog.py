# SPDX-License-Identifier: Apache-2.0
"""Prologs, epilogs and the extern step, with real programs that behave and that do not."""
import os
import signal
import subprocess

import pytest
from yard import Yard, alive, wait_for


@pytest.fixture
def yard(tmp_path):
    made = []

    def make(nodes=1, **settings):
        extra = "\n".join(f"{key}={value}" for key, value in settings.items())
        one = Yard(tmp_path, nodes=nodes, extra=extra)
        made.append(one)
        return one

    yield make
    for one in made:
        one.stop()


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def submit(yard, script, *options):
    done = yard.run("sbatch", "--parsable", "-o", "%j.out", *options, input="#!/bin/sh\n" + script)
    return done.stdout.strip()


def state(yard, job):
    return yard.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T %r").stdout.strip()


def ended(yard, job):
    return wait_for(lambda: (s := state(yard, job).split(" ")[0]) in
                    ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL") and s,
                    what=f"job {job} over")


def node(yard, name="n1"):
    return yard.run("sinfo", "-h", "-N", "-n", name, "-o", "%t %E").stdout.strip()


def words(path):
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


def test_prolog_and_epilog_frame_the_job_and_know_it(yard, tmp_path):
    log = tmp_path / "order"
    program(tmp_path / "p1", f"echo prolog >> {log}; env > {tmp_path}/env.p\n")
    program(tmp_path / "p2", f"echo second >> {log}\n")
    program(tmp_path / "e", f"echo epilog >> {log}; env > {tmp_path}/env.e\n")
    cluster = yard(Prolog="p[12]", Epilog=tmp_path / "e")
    cluster.start()
    job = submit(cluster, f"echo job >> {log}; srun -n1 true; exit 3\n", "-J", "framed",
                 "--comment", "why not")
    assert ended(cluster, job) == "FAILED"
    assert log.read_text().split() == ["prolog", "second", "job", "epilog"]
    told = words(tmp_path / "env.p")
    for name, value in {"SLURM_JOB_ID": job, "SLURM_JOB_USER": "root", "SLURM_JOB_UID": "0",
                        "SLURM_JOB_NAME": "framed", "SLURM_JOB_PARTITION": "debug",
                        "SLURM_JOB_NODELIST": "n1", "SLURMD_NODENAME": "n1",
                        "SLURM_JOB_COMMENT": "why not", "SLURM_JOB_WORK_DIR": f"{tmp_path}/out",
                        "SLURM_SCRIPT_CONTEXT": "prolog_slurmd",
                        "SLURM_CONF": f"{tmp_path}/slurm.conf"}.items():
        assert told.get(name) == value, name
    told = words(tmp_path / "env.e")
    assert told["SLURM_SCRIPT_CONTEXT"] == "epilog_slurmd"
    assert told["SLURM_JOB_EXIT_CODE2"] == "3:0"
    assert told["SLURM_JOB_NAME"] == "framed"


def test_failing_prolog_drains_the_node_and_requeues_the_job_held(yard, tmp_path):
    gate = tmp_path / "good"
    program(tmp_path / "p", f"echo broken >&2; test -e {gate}\n")
    cluster = yard(Prolog=tmp_path / "p")
    cluster.start()
    job = submit(cluster, "echo ran\n")
    wait_for(lambda: state(cluster, job) == "PENDING launch failed requeued held")
    wait_for(lambda: node(cluster) == "drain Prolog error")
    assert not os.path.exists(f"{tmp_path}/out/{job}.out")
    assert "broken" in open(f"{tmp_path}/slurmd-n1.log").read()
    gate.touch()
    cluster.run("scontrol", "update", "NodeName=n1", "State=RESUME")
    cluster.run("scontrol", "release", job)
    assert ended(cluster, job) == "COMPLETED"
    assert open(f"{tmp_path}/out/{job}.out").read() == "ran\n"


def test_srun_is_told_of_a_failing_prolog(yard, tmp_path):
    program(tmp_path / "p", "exit 1\n")
    cluster = yard(Prolog=tmp_path / "p")
    cluster.start()
    done = cluster.run("srun", "-n1", "true", check=False)
    assert done.returncode != 0
    assert "prolog failed" in done.stderr
    wait_for(lambda: node(cluster) == "drain Prolog error")


def test_hanging_prolog_is_killed_at_its_timeout(yard, tmp_path):
    program(tmp_path / "p", f"echo $$ > {tmp_path}/pid; sleep 600 & wait\n")
    cluster = yard(Prolog=tmp_path / "p", PrologTimeout=1,
                   SchedulerParameters="nohold_on_prolog_fail")
    cluster.start()
    job = submit(cluster, "true\n")
    wait_for(lambda: node(cluster) == "drain Prolog error")
    wait_for(lambda: state(cluster, job).startswith("PENDING"))
    assert "held" not in state(cluster, job)
    assert "timed out after 1 s" in open(f"{tmp_path}/slurmd-n1.log").read()
    wait_for(lambda: not alive(int((tmp_path / "pid").read_text())))


def test_prolog_that_prints_a_gigabyte_fills_nothing(yard, tmp_path):
    program(tmp_path / "p", "head -c 1000000000 /dev/zero | tr '\\0' x; "
                            "head -c 10000000 /dev/zero >&2\n")
    cluster = yard(Prolog=tmp_path / "p")
    cluster.start()
    job = submit(cluster, "true\n")
    assert ended(cluster, job) == "COMPLETED"
    spooled = sum(os.path.getsize(os.path.join(folder, name))
                  for folder, _, names in os.walk(f"{tmp_path}/spool") for name in names)
    assert spooled < 1 << 20


def test_failing_epilog_drains_the_node_and_the_job_is_done(yard, tmp_path):
    program(tmp_path / "e", "exit 9\n")
    cluster = yard(Epilog=tmp_path / "e")
    cluster.start()
    job = submit(cluster, "true\n")
    assert ended(cluster, job) == "COMPLETED"
    wait_for(lambda: node(cluster) == "drain Epilog error")


def test_slurmd_killed_during_a_prolog_finds_it_again(yard, tmp_path):
    gate = tmp_path / "go"
    os.mkfifo(gate)
    program(tmp_path / "p", f"echo once >> {tmp_path}/runs; read x < {gate}\n")
    cluster = yard(Prolog=tmp_path / "p")
    cluster.start()
    job = submit(cluster, "echo ran\n")
    wait_for(lambda: os.path.exists(f"{tmp_path}/runs"))
    cluster.kill9("slurmd-n1")
    cluster.start_node(1)
    with open(gate, "w") as f:
        f.write("go\n")
    assert ended(cluster, job) == "COMPLETED"
    assert (tmp_path / "runs").read_text() == "once\n"
    assert open(f"{tmp_path}/out/{job}.out").read() == "ran\n"


def test_job_cancelled_during_its_prolog_runs_nothing_but_the_epilog(yard, tmp_path):
    program(tmp_path / "p", f"touch {tmp_path}/begun; sleep 600\n")
    program(tmp_path / "e", f"touch {tmp_path}/cleaned\n")
    cluster = yard(Prolog=tmp_path / "p", Epilog=tmp_path / "e", KillWait=1)
    cluster.start()
    job = submit(cluster, "echo ran\n")
    wait_for(lambda: (tmp_path / "begun").exists())
    cluster.run("scancel", job)
    assert ended(cluster, job) == "CANCELLED"
    wait_for(lambda: (tmp_path / "cleaned").exists())
    wait_for(lambda: cluster.idle_nodes() == 1)
    assert not os.path.exists(f"{tmp_path}/out/{job}.out")


def test_alloc_prepares_every_node_before_the_first_step(yard, tmp_path):
    program(tmp_path / "p", f"touch {tmp_path}/$SLURMD_NODENAME; "
                            f"while ! test -e {tmp_path}/go; do sleep 0.05; done\n")
    program(tmp_path / "e", f"touch {tmp_path}/end.$SLURMD_NODENAME\n")
    cluster = yard(nodes=2, Prolog=tmp_path / "p", Epilog=tmp_path / "e",
                   PrologFlags="Alloc,DeferBatch")
    cluster.start()
    job = submit(cluster, "srun -l hostname | wc -l\n", "-N2")
    wait_for(lambda: (tmp_path / "n1").exists() and (tmp_path / "n2").exists())
    assert state(cluster, job) == "CONFIGURING Prolog"
    assert cluster.run("squeue", "-h", "-t", "CF", "-o", "%t").stdout == "CF\n"
    assert not os.path.exists(f"{tmp_path}/out/{job}.out")
    (tmp_path / "go").touch()
    assert ended(cluster, job) == "COMPLETED"
    assert open(f"{tmp_path}/out/{job}.out").read() == "2\n"
    assert (tmp_path / "end.n1").exists() and (tmp_path / "end.n2").exists()


def test_contain_keeps_an_extern_step_on_every_node(yard, tmp_path):
    cluster = yard(nodes=2, PrologFlags="Contain")
    cluster.start()
    job = submit(cluster, "sleep 600\n", "-N2")
    wait_for(lambda: state(cluster, job).startswith("RUNNING"))
    shown = cluster.run("squeue", "-h", "-s", "-o", "%i %N").stdout
    assert f"{job}.extern n[1-2]" in shown, shown
    def externs():
        return sum("extern.record" in names for _, _, names in os.walk(f"{tmp_path}/spool"))
    assert externs() == 2
    done = cluster.run("srun", f"--jobid={job}", "--overlap", "-N1", "-n1", "echo", "in")
    assert done.stdout == "in\n"
    cluster.run("scancel", job)
    assert ended(cluster, job) == "CANCELLED"
    wait_for(lambda: cluster.idle_nodes() == 2 and externs() == 0)


def test_the_controllers_own_prolog_and_epilog(yard, tmp_path):
    program(tmp_path / "p", f"env > {tmp_path}/env.p; "
                            f"while ! test -e {tmp_path}/go; do sleep 0.05; done\n")
    program(tmp_path / "e", f"env > {tmp_path}/e.new; mv {tmp_path}/e.new {tmp_path}/env.e\n")
    cluster = yard(PrologSlurmctld=tmp_path / "p", EpilogSlurmctld=tmp_path / "e")
    cluster.start()
    job = submit(cluster, "exit 2\n")
    wait_for(lambda: state(cluster, job) == "CONFIGURING Prolog")
    (tmp_path / "go").touch()
    assert ended(cluster, job) == "FAILED"
    assert words(tmp_path / "env.p")["SLURM_SCRIPT_CONTEXT"] == "prolog_slurmctld"
    wait_for(lambda: (tmp_path / "env.e").exists())
    told = words(tmp_path / "env.e")
    assert told["SLURM_JOB_ID"] == job and told["SLURM_JOB_EXIT_CODE2"] == "2:0"
    assert told["SLURM_JOB_NODELIST"] == "n1"


def test_failing_prolog_of_the_controller_requeues_a_batch_job(yard, tmp_path):
    program(tmp_path / "p", f"echo x >> {tmp_path}/tries; test $(wc -l < {tmp_path}/tries) -ge 2\n")
    cluster = yard(PrologSlurmctld=tmp_path / "p")
    cluster.start()
    job = submit(cluster, "echo $SLURM_RESTART_COUNT\n")
    assert ended(cluster, job) == "COMPLETED"
    assert open(f"{tmp_path}/out/{job}.out").read() == "1\n"
    assert cluster.idle_nodes() == 1


def test_controller_restarted_while_a_job_is_configuring_goes_on(yard, tmp_path):
    program(tmp_path / "p", f"touch {tmp_path}/begun; "
                            f"while ! test -e {tmp_path}/go; do sleep 0.05; done\n")
    cluster = yard(Prolog=tmp_path / "p", PrologFlags="Alloc,DeferBatch")
    cluster.start()
    job = submit(cluster, "echo ran\n")
    wait_for(lambda: (tmp_path / "begun").exists())
    cluster.kill9("slurmctld")
    cluster.start_controller()
    assert state(cluster, job) == "CONFIGURING Prolog"
    (tmp_path / "go").touch()
    assert ended(cluster, job) == "COMPLETED"
    assert open(f"{tmp_path}/out/{job}.out").read() == "ran\n"


def test_srun_runs_its_own_prolog_and_epilog_around_the_tasks(yard, tmp_path):
    for name in ("p", "e"):
        program(tmp_path / name,
                f"echo {name} $SLURM_SCRIPT_CONTEXT $SLURM_STEP_ID $SLURM_JOB_ID $*\nexit 3\n")
    cluster = yard(SrunProlog=tmp_path / "p", SrunEpilog=tmp_path / "e")
    cluster.start()
    done = cluster.run("srun", "-n1", "sh", "-c", "echo task; exit 2", check=False)
    assert done.returncode == 2
    assert done.stdout.splitlines() == ["p prolog_srun 0 1 sh -c echo task; exit 2", "task",
                                        "e epilog_srun 0 1 sh -c echo task; exit 2"]
    done = cluster.run("srun", "-n1", "--prolog=none", "--epilog", program(
        tmp_path / "mine", "echo mine\n"), "echo", "task")
    assert done.stdout.splitlines() == ["task", "mine"]
    done = cluster.run("srun", "-n1", "--prolog=./nothing", "--epilog=NONE", "echo", "task")
    assert done.stdout == "task\n" and "No such file" in done.stderr


def test_srun_that_is_told_to_end_does_not_wait_for_its_prolog(yard, tmp_path):
    hangs = program(tmp_path / "p", f"touch {tmp_path}/began; exec sleep 1000\n")
    cluster = yard()
    cluster.start()
    srun = subprocess.Popen(["srun", "-n1", f"--prolog={hangs}", "sleep", "1000"],
                            env=cluster.env, stdin=subprocess.DEVNULL)
    try:
        wait_for(lambda: (tmp_path / "began").exists(), what="the prolog runs")
        srun.terminate()
        assert srun.wait(timeout=120) != 0
        wait_for(lambda: not cluster.queue(), what="its job over")
    finally:
        srun.kill()


def test_an_epilog_of_the_controller_is_not_lost_with_it(yard, tmp_path):
    log = tmp_path / "log"
    program(tmp_path / "e", f"echo began >> {log}\n"
                            f"while ! test -e {tmp_path}/go; do sleep 0.05; done\n"
                            f"echo ended >> {log}\n")
    cluster = yard(EpilogSlurmctld=tmp_path / "e")
    cluster.start()
    job = submit(cluster, "true\n")
    wait_for(lambda: log.exists(), what="the epilog begins")
    cluster.kill9("slurmctld")
    cluster.start_controller()
    wait_for(lambda: log.read_text() == "began\nbegan\n", what="the epilog begins again")
    (tmp_path / "go").touch()
    wait_for(lambda: log.read_text().count("ended") == 2, what="both end")
    assert ended(cluster, job) == "COMPLETED"


def test_what_is_in_an_extern_step_is_asked_to_end_before_it_is_killed(yard, tmp_path):
    program(tmp_path / "p", f"setsid sh -c 'trap \"echo asked > {tmp_path}/asked; exit\" TERM; "
                            f"echo > {tmp_path}/there; while :; do sleep 0.05; done' "
                            f">/dev/null 2>&1 &\n"
                            f"while ! test -e {tmp_path}/there; do sleep 0.05; done\n")
    cluster = yard(Prolog=tmp_path / "p", PrologFlags="Contain,RunInJob")
    cluster.start()
    job = submit(cluster, "sleep 600\n")
    wait_for(lambda: state(cluster, job).startswith("RUNNING"))
    wait_for(lambda: (tmp_path / "there").exists())
    cluster.run("scancel", job)
    assert ended(cluster, job) == "CANCELLED"
    wait_for(lambda: cluster.idle_nodes() == 1)
    assert (tmp_path / "asked").exists()


def test_nohold_lets_the_client_go_on_while_its_steps_wait_for_the_prolog(yard, tmp_path):
    program(tmp_path / "p", f"while ! test -e {tmp_path}/go; do sleep 0.05; done\n")
    cluster = yard(Prolog=tmp_path / "p", PrologFlags="Alloc,NoHold")
    cluster.start()
    step = f"test -e {tmp_path}/go && echo after the prolog"
    salloc = subprocess.Popen(["salloc", "-n1", "sh", "-c",
                               f"touch {tmp_path}/shell; srun -n1 sh -c '{step}'"],
                              env=cluster.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        wait_for(lambda: (tmp_path / "shell").exists(), what="salloc's command before the prolog")
        wait_for(lambda: ".0 " in cluster.run("squeue", "-h", "-s", "-o", "%i ").stdout,
                 what="a step that waits")
        (tmp_path / "go").touch()
        out, _ = salloc.communicate(timeout=120)
        assert (salloc.returncode, out) == (0, "after the prolog\n")
    finally:
        salloc.kill()


@pytest.mark.parametrize("flags, outcome", [("Alloc", "FAILED JobLaunchFailure"),
                                            ("ForceRequeueOnFail",
                                             "PENDING launch failed requeued held")])
def test_a_job_that_wants_no_requeue_is_requeued_by_force_only(yard, tmp_path, flags, outcome):
    program(tmp_path / "p", "exit 1\n")
    cluster = yard(Prolog=tmp_path / "p", PrologFlags=flags)
    cluster.start()
    job = submit(cluster, "echo ran\n", "--no-requeue")
    wait_for(lambda: state(cluster, job) == outcome, what=outcome)
    wait_for(lambda: node(cluster) == "drain Prolog error", what="a drained node")


def test_a_prolog_that_was_killed_while_slurmd_restarts_drains_nothing(yard, tmp_path):
    program(tmp_path / "p", f"touch {tmp_path}/begun; sleep 600\n")
    cluster = yard(Prolog=tmp_path / "p", KillWait=1, SlurmdDebug="debug")
    cluster.start()
    job = submit(cluster, "echo ran\n")
    wait_for(lambda: (tmp_path / "begun").exists(), what="the prolog")
    shepherd, = cluster.shepherds()
    os.kill(shepherd, signal.SIGSTOP)
    try:
        cluster.run("scancel", job)
        wait_for(lambda: "signal 9 to step prolog" in open(f"{tmp_path}/slurmd-n1.log").read(),
                 what="the order to kill it")
        cluster.kill9("slurmd-n1")
    finally:
        os.kill(shepherd, signal.SIGCONT)
    wait_for(lambda: not alive(shepherd), what="the end of the prolog")
    cluster.start_node(1)
    assert ended(cluster, job) == "CANCELLED"
    wait_for(lambda: node(cluster).split()[0] in ("idle", "drain"), what="a node that is free")
    assert node(cluster).split()[0] == "idle", node(cluster)
