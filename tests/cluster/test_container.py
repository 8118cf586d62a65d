# SPDX-License-Identifier: Apache-2.0
"""--container: batch scripts and steps in OCI bundles, by runc where it may run, and by a runtime
of thirty lines where only a change of root is allowed."""
import json
import os
import pwd
import shutil
import subprocess

import pytest
from yard import Yard, wait_for

NOBODY = pwd.getpwnam("nobody")
BUSYBOX = shutil.which("busybox")
pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="root's daemons run other people's jobs"),
    pytest.mark.skipif(not BUSYBOX, reason="busybox-static is not installed"),
]

# create, start, run, state, kill, delete: as the OCI's runtimes have them, in a new root instead of
# namespaces. The containers that it knows are files in STATE.
RUNTIME = """#!/usr/bin/python3
import ctypes, json, os, signal, sys
STATE = "{state}"
verb, name = sys.argv[1], sys.argv[2]
path = STATE + "/" + name
with open(STATE + "/log", "a") as log:
    log.write(f"{{verb}} {{name}} {{os.getuid()}}\\n")

def become():
    with open(sys.argv[3] + "/config.json") as f:
        config = json.load(f)
    process, root = config["process"], config["root"]["path"]
    uid, gid = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.unshare(0x10000000 | 0x20000) == 0, "unshare"
    for file, text in (("setgroups", "deny"), ("uid_map", f"0 {{uid}} 1"),
                       ("gid_map", f"0 {{gid}} 1")):
        open(f"/proc/self/{{file}}", "w").write(text)
    for mount in config["mounts"]:
        if mount["type"] == "bind":
            target = root + mount["destination"]
            os.makedirs(target, exist_ok=True)
            source = mount["source"].encode()
            assert libc.mount(source, target.encode(), None, 4096, None) == 0, "mount"
    os.chroot(root)
    os.chdir(process["cwd"])
    os.execvpe(process["args"][0], process["args"], dict(e.split("=", 1) for e in process["env"]))

if verb == "run":
    become()
elif verb == "create":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    pid = os.fork()
    if pid == 0:
        signal.sigwait([signal.SIGUSR1])
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
        become()
    open(path, "w").write(str(pid))
elif verb == "start":
    os.kill(int(open(path).read()), signal.SIGUSR1)
elif verb == "state":
    print(json.dumps({{"status": "running", "pid": int(open(path).read())}}))
elif verb == "kill":
    os.kill(int(open(path).read()), signal.SIGTERM)
elif verb == "delete":
    os.unlink(path)
"""

ID = "%n.%u.%j.%s.%t"
RUN = "RunTimeRun=\"{runtime} run " + ID + " %b\"\n"
CREATE = "".join(f'RunTime{verb.capitalize()}="{{runtime}} {word} {ID}{more}"\n'
                 for verb, word, more in (("create", "create", " %b"), ("start", "start", ""),
                                          ("query", "state", ""), ("kill", "kill", ""),
                                          ("delete", "delete", "")))
RUNC = "".join(f'RunTime{verb}="runc --rootless=true --root={{state}} {word} {ID}{more}"\n'
               for verb, word, more in (("Run", "run", " -b %b"), ("Query", "state", ""),
                                        ("Kill", "kill", " KILL"),
                                        ("Delete", "delete --force", "")))


def make_bundle(folder, **process):
    """A root with busybox in it, which is nobody's own."""
    binaries = folder / "rootfs/bin"
    binaries.mkdir(parents=True)
    shutil.copy(BUSYBOX, binaries / "busybox")
    for name in ("sh", "cat", "echo", "sleep", "env", "pwd", "ls", "id"):
        (binaries / name).symlink_to("busybox")
    (folder / "rootfs/inside").write_text("only here\n")
    mapping = [{"containerID": 0, "hostID": NOBODY.pw_uid, "size": 1}]
    config = {
        "ociVersion": "1.0.0",
        "process": {"user": {"uid": 0, "gid": 0}, "args": ["sh"],
                    "env": ["PATH=/bin", "OWN=bundle"],
                    "cwd": "/bin", **process},
        "root": {"path": "rootfs"},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
        "linux": {"uidMappings": mapping,
                  "gidMappings": [dict(mapping[0], hostID=NOBODY.pw_gid)],
                  "namespaces": [{"type": "pid"}, {"type": "mount"}, {"type": "user"}]}}
    (folder / "config.json").write_text(json.dumps(config))
    for top, folders, files in os.walk(folder):
        os.chown(top, NOBODY.pw_uid, NOBODY.pw_gid)
        for name in files:
            os.lchown(f"{top}/{name}", NOBODY.pw_uid, NOBODY.pw_gid)
    return str(folder)


def open_folders(tmp_path):
    """pytest's folders are root's; nobody has to pass through them."""
    path = tmp_path
    while path != path.parent and str(path) != "/tmp":
        path.chmod(0o755)
        path = path.parent


@pytest.fixture
def yard(tmp_path):
    made = Yard(tmp_path, nodes=1, cpus=2, extra="KillWait=1\n")
    open_folders(tmp_path)
    for name in ("state-of-runtime", "mine"):
        (tmp_path / name).mkdir()
        os.chown(tmp_path / name, NOBODY.pw_uid, NOBODY.pw_gid)
    runtime = tmp_path / "runtime"
    runtime.write_text(RUNTIME.format(state=tmp_path / "state-of-runtime"))
    runtime.chmod(0o755)
    made.home = str(tmp_path / "mine")
    made.bundle = make_bundle(tmp_path / "bundle")

    def configure(text):
        (tmp_path / "oci.conf").write_text(
            text.format(runtime=runtime, state=tmp_path / "state-of-runtime"))
        made.start()

    def nobody(*command, check=True):
        done = subprocess.run(command, env=made.env, cwd=made.home, user=NOBODY.pw_uid,
                              group=NOBODY.pw_gid, extra_groups=[], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=180)
        said = f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        assert not check or done.returncode == 0, f"{said}\n{made.logs()}"
        return done

    made.configure, made.nobody = configure, nobody
    yield made
    made.stop()


def state_of(yard, job):
    return yard.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").stdout.strip()


def ended(yard, job):
    wait_for(lambda: state_of(yard, job) in ("COMPLETED", "FAILED", "CANCELLED"), what="its end")
    return state_of(yard, job)


def leftovers(yard):
    folder = f"{yard.dir}/spool/n1/containers"
    return os.listdir(folder) if os.path.isdir(folder) else []


def calls(yard):
    try:
        with open(f"{yard.dir}/state-of-runtime/log") as f:
            return [line.split() for line in f]
    except FileNotFoundError:
        return []


def test_a_step_runs_in_its_bundle_as_its_user(yard):
    yard.configure(RUN + "EnvExclude=\"^(SECRET|SLURM_CONF)=\"\n")
    yard.env["SECRET"] = "x"
    yard.env["LANG_OF_MINE"] = "plain"
    out = yard.nobody("srun", f"--container={yard.bundle}", "-n2", "-l", "sh", "-c",
                      "cat /inside; echo $OWN $PATH $SLURM_PROCID $LANG_OF_MINE $(pwd) [$SECRET]")
    assert sorted(out.stdout.splitlines()) == [
        "0: bundle /bin 0 plain /bin []", "0: only here",
        "1: bundle /bin 1 plain /bin []", "1: only here"]
    assert {tuple(call[2:]) for call in calls(yard)} == {(str(NOBODY.pw_uid),)}
    failed = yard.nobody("srun", f"--container={yard.bundle}", "sh", "-c", "exit 7", check=False)
    assert failed.returncode == 7
    wait_for(lambda: leftovers(yard) == [], what="no files left")
    # A variable says the same, and tasks are told.
    yard.env["SLURM_CONTAINER"] = yard.bundle
    assert yard.nobody("srun", "env").stdout.count(f"SLURM_CONTAINER={yard.bundle}\n") == 1


def test_a_batch_script_runs_in_its_bundle_and_everybody_is_told(yard):
    yard.configure(RUN + "CreateEnvFile=newline\nMountSpoolDir=/spool/of-%j\n")
    script = f"{yard.home}/script"
    with open(script, "w") as f:
        f.write("#!/bin/sh\n#SBATCH -o out.%j\ncat /inside\necho $0 $1\n"
                "cat /spool/of-$SLURM_JOB_ID/task-0/environment | sh -c 'while read l; do "
                "case $l in SLURM_JOB_NAME=*) echo $l;; esac; done'\nexit 3\n")
    job = yard.nobody("sbatch", "--parsable", f"--container={yard.bundle}", "--container-id=seven",
                      script, "word").stdout.strip()
    assert ended(yard, job) == "FAILED"
    with open(f"{yard.home}/out.{job}") as f:
        assert f.read() == (f"only here\n/spool/of-{job}/task-0/slurm_script word\n"
                            "SLURM_JOB_NAME=script\n")
    shown = yard.run("scontrol", "show", "job", job).stdout
    assert f"   Container={yard.bundle}\n" in shown and "ExitCode=3:0" in shown
    assert "   ContainerID=seven\n" in shown
    assert yard.run("squeue", "-h", "-t", "all", "-j", job, "-O", "container:200").stdout.strip() \
        == yard.bundle
    assert yard.run("sacct", "-n", "-P", "-X", "-j", job, "-o", "container").stdout.strip() \
        == yard.bundle
    wait_for(lambda: leftovers(yard) == [], what="no files left")


def test_create_and_start_know_the_exit_code_and_a_cancel_kills(yard):
    yard.configure(CREATE)
    out = yard.nobody("srun", f"--container={yard.bundle}", "sh", "-c", "cat /inside; exit 5",
                      check=False)
    assert (out.stdout, out.returncode) == ("only here\n", 5), out.stderr + yard.logs()
    verbs = [call[0] for call in calls(yard)]
    assert verbs[:3] == ["create", "state", "start"] and verbs[-1] == "delete"
    job = yard.nobody("sbatch", "--parsable", "-o", "/dev/null", f"--container={yard.bundle}",
                      "--wrap", "sleep 1000").stdout.strip()
    wait_for(lambda: ["start", f"n1.nobody.{job}.4294967291.0", str(NOBODY.pw_uid)] in calls(yard),
             what="the container")
    yard.nobody("scancel", job)
    assert ended(yard, job) == "CANCELLED"

    def mine():
        return [call[0] for call in calls(yard) if f".{job}." in call[1]]
    wait_for(lambda: "delete" in mine(), what="the end of its container")
    assert "kill" in mine() and mine()[-1] == "delete"
    wait_for(lambda: leftovers(yard) == [], what="no files left")


def test_a_bundle_that_is_none_is_refused_where_it_would_run(yard):
    yard.configure(RUN)
    refused = yard.nobody("srun", "--container=/nonexistent", "true", check=False)
    assert refused.returncode == 1
    assert ("slurmstepd: error: Container runtime not configured or invalid: "
            "/nonexistent/config.json: No such file or directory") in refused.stderr
    with open(f"{yard.bundle}/config.json", "w") as f:
        f.write("{")
    refused = yard.nobody("srun", f"--container={yard.bundle}", "true", check=False)
    assert "config.json: not a JSON object" in refused.stderr
    # What the user may not read is not read for him.
    os.chmod(f"{yard.bundle}/config.json", 0o600)
    os.chown(f"{yard.bundle}/config.json", 0, 0)
    refused = yard.nobody("srun", f"--container={yard.bundle}", "true", check=False)
    assert "config.json: Permission denied" in refused.stderr


def test_a_site_may_leave_the_bundle_to_its_own_program(yard):
    # As Apptainer is used: no config.json, the image's path and the command as words.
    yard.configure("IgnoreFileConfigJson=true\nContainerPath=/tmp/ym-%U-%j-%s\n"
                   "DisableCleanup=true\nRunTimeRun=\"echo %r %b %m; exec %@\"\n")
    out = yard.nobody("srun", "--container=/images/one.sif", "echo", "it's", "a \"word\"")
    lines = out.stdout.splitlines()
    spool = lines[0].split()[2]
    try:
        assert lines[0].split()[:2] == ["/images/one.sif", "/images/one.sif"]
        assert lines[1] == "it's a \"word\""
        assert spool.startswith(f"/tmp/ym-{NOBODY.pw_uid}-") and os.path.isdir(f"{spool}/task-0")
    finally:
        shutil.rmtree(spool)


def test_no_runtime_means_no_job(yard):
    yard.start()
    refused = yard.nobody("sbatch", f"--container={yard.bundle}", "--wrap", "true", check=False)
    assert refused.returncode == 1
    assert refused.stderr == ("sbatch: error: Batch job submission failed: "
                              "Container runtime not configured or invalid\n")


def runc_runs(folder):
    """Whether this machine lets an ordinary user have namespaces of his own."""
    if not shutil.which("runc"):
        return False
    done = subprocess.run(["runc", "--rootless=true", f"--root={folder}/probe", "run", "-b",
                           f"{folder}/bundle", "probe"], user=NOBODY.pw_uid, group=NOBODY.pw_gid,
                          extra_groups=[], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60,
                          env={"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": f"{folder}/mine"})
    return done.returncode == 0


def test_runc_runs_what_it_is_given(yard, tmp_path):
    (tmp_path / "probe").mkdir()
    os.chown(tmp_path / "probe", NOBODY.pw_uid, NOBODY.pw_gid)
    if not runc_runs(tmp_path):
        pytest.skip("runc is not installed, or may not make namespaces here")
    yard.configure(RUNC)
    out = yard.nobody("srun", f"--container={yard.bundle}", "sh", "-c",
                      "cat /inside; id; echo $$; exit 4", check=False)
    first, user, pid = out.stdout.splitlines()
    assert (first, user[:11], pid) == ("only here", "uid=0 gid=0", "1"), out.stderr + yard.logs()
    assert out.returncode == 4
    job = yard.nobody("sbatch", "--parsable", "-o", "out", f"--container={yard.bundle}", "--wrap",
                      "cat /inside; sleep 1000").stdout.strip()
    wait_for(lambda: os.path.exists(f"{yard.home}/out") and open(f"{yard.home}/out").read(),
             what="its output")
    yard.nobody("scancel", job)
    assert ended(yard, job) == "CANCELLED"
    wait_for(lambda: leftovers(yard) == [], what="no files left")
    assert os.listdir(f"{yard.dir}/state-of-runtime") == []
