# SPDX-License-Identifier: Apache-2.0
"""TLS on every connection over the network: nothing in clear, nobody in between, certificates that
renew themselves, are revoked, and are given to those who join."""
import glob
import os
import re
import select
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

import pytest

from test_trust import RemoteYard, knock, write_secret
from test_x11 import CLIENT, REAL, Display, xauthority
from yard import wait_for

TLS = "TLSType=tls/s2n\n"


class TlsYard(RemoteYard):
    """Beside the nodes' machine there is one with nothing of the cluster's but what is put there:
    its commands reach everybody over the network."""

    def __init__(self, dir, extra=TLS, **kwargs):
        super().__init__(dir, extra=extra, **kwargs)
        self.away_env = self.machine("away")

    def machine(self, name, **changes):
        """Another machine: its slurm.conf, and where its daemons would be if it had some."""
        folder = f"{self.dir}/{name}"
        os.makedirs(folder)
        with open(f"{self.dir}/slurm.conf") as f:
            text = f.read().replace(f"{self.dir}/run/", f"{folder}/")
        for old, new in changes.items():
            text = re.sub(f"(?m)^{old}=.*$", f"{old}={new}", text)
        with open(f"{folder}/slurm.conf", "w") as f:
            f.write(text)
        return dict(self.env, SLURM_CONF=f"{folder}/slurm.conf", XDG_RUNTIME_DIR="")

    def give(self, machine, *, key=False, authority=False):
        if key:
            with open(f"{self.dir}/slurm.key", "rb") as f:
                write_secret(f"{self.dir}/{machine}/slurm.key", f.read())
        if authority:
            shutil.copy(f"{self.dir}/state/tls/ca_cert.pem", f"{self.dir}/{machine}/ca_cert.pem")

    def away(self, *command, check=True, env=None, user=None, **more):
        done = subprocess.run(command, env=dict(env or self.away_env, **more),
                              cwd=f"{self.dir}/out", capture_output=True, text=True, timeout=180,
                              stdin=subprocess.DEVNULL, user=user, group=user and "nogroup",
                              extra_groups=[] if user else None)
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}\n{self.logs()}"
        return done

    def certificates(self, name):
        """Serial numbers of those that are good."""
        rows = self.run("scontrol", "certificates").stdout.splitlines()
        return [re.search(r"Serial=(\w+)", row)[1] for row in rows
                if row.startswith(f"Name={name} ") and row.endswith("State=GOOD")]

    @property
    def node_port(self):
        return self.port + 1

    def stop(self):
        # Daemons of the other machines, too.
        for path in glob.glob(f"{self.dir}/*/slurmd-*.pid"):
            if not path.startswith(f"{self.dir}/run/"):
                shutil.copy(path, f"{self.dir}/run/")
        super().stop()


def yard_with(**kwargs):
    # Not pytest's own folder, which only its user may enter.
    folder = tempfile.TemporaryDirectory(prefix="ym-tls-")
    yard = TlsYard(folder.name, **kwargs)
    yard.folder = folder
    return yard


@pytest.fixture
def yard():
    yard = yard_with(nodes=2)
    yard.start()
    yield yard
    yard.stop()
    yard.folder.cleanup()


class Wire(threading.Thread):
    """Everything that travels on the loopback interface to or from these ports."""

    def __init__(self, ports):
        super().__init__()
        self.ports, self.seen, self.over = ports, [], False
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
        self.socket.bind(("lo", 0))
        self.socket.settimeout(0.2)

    def run(self):
        while not self.over:
            try:
                packet = self.socket.recv(1 << 17)
            except TimeoutError:
                continue
            ip = packet[14:]
            if len(ip) < 40 or ip[0] >> 4 != 4 or ip[9] != 6:
                continue
            tcp = ip[(ip[0] & 15) * 4:]
            ports = {int.from_bytes(tcp[0:2], "big"), int.from_bytes(tcp[2:4], "big")}
            if ports & self.ports:
                self.seen.append(tcp[(tcp[12] >> 4) * 4:])

    def finish(self):
        self.over = True
        self.join()
        self.socket.close()
        return b"".join(self.seen)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to listen to the network")
@pytest.mark.parametrize("tls", [True, False])
def test_what_jobs_are_and_say_travels_in_clear_only_without_tls(tls):
    yard = yard_with(nodes=1, extra=TLS if tls else "TLSType=none\n")
    wire = Wire({yard.port, yard.node_port})
    wire.start()
    try:
        yard.start()
        yard.give("away", key=True)
        yard.away("sbatch", "--wrap", "echo SECRETSCRIPT", "-J", "SECRETNAME", "-o", "/dev/null")
        assert yard.away("srun", "echo", "SECRETOUTPUT").stdout == "SECRETOUTPUT\n"
    finally:
        seen = wire.finish()
        yard.stop()
        yard.folder.cleanup()
    assert len(seen) > 1000
    for word in (b"SECRETSCRIPT", b"SECRETNAME", b"SECRETOUTPUT"):
        assert (word in seen) is not tls, word


def test_every_kind_of_connection_works_with_tls():
    yard = yard_with(nodes=4, extra=TLS + "TreeWidth=2\n")
    try:
        yard.start()
        yard.give("away", key=True)
        assert yard.away("srun", "-N4", "echo", "hi").stdout == "hi\n" * 4
        # More than any buffer on the way, in both directions.
        text = "".join(f"line {n} of many\n" for n in range(50000))
        done = subprocess.run(["srun", "cat"], env=yard.away_env, input=text, timeout=180,
                              capture_output=True, text=True, cwd=f"{yard.dir}/out")
        assert done.stdout == text, done.stderr
        with open(f"{yard.dir}/out/file", "w") as f:
            f.write(text)
        got = f"{yard.dir}/out/got"
        yard.away("salloc", "-N4", "sh", "-c", f"sbcast -f {yard.dir}/out/file {got} && "
                  f"srun -N4 sh -c 'cmp {yard.dir}/out/file {got} && echo same'")
        job = yard.away("sbatch", "--parsable", "-N4", "-o", "/dev/null", "--wrap",
                        "srun -N4 sleep 600").stdout.strip()
        wait_for(lambda: yard.away("squeue", "-h", "-s", "-j", job, "-o", "%i").stdout.count(
            f"{job}.0"), what="the step")
        yard.away("scancel", job)
        wait_for(lambda: job not in yard.away("squeue", "-h", "-o", "%i").stdout.split(),
                 what="the job's end")
        yard.kill9("slurmd-n1")
        yard.start_node(1)
        wait_for(lambda: yard.idle_nodes() == 4, what="all nodes idle")
        assert yard.away("srun", "-w", "n1", "echo", "back").stdout == "back\n"
    finally:
        yard.stop()
        yard.folder.cleanup()


def test_x_programs_reach_their_display_through_tls():
    display, yard = Display(), yard_with(nodes=1, extra=TLS + "PrologFlags=X11\n")
    try:
        yard.start()
        yard.give("away", key=True)
        xauthority(f"{yard.dir}/out/Xauthority", display.number)
        with open(f"{yard.dir}/out/client.py", "w") as f:
            f.write(CLIENT)
        done = yard.away("srun", "--x11", sys.executable, "client.py", DISPLAY=display.name,
                         XAUTHORITY=f"{yard.dir}/out/Xauthority")
        assert "DRAW seen." in done.stdout and display.cookies == [REAL]
    finally:
        yard.stop()
        display.close()
        yard.folder.cleanup()


def test_a_user_without_the_key_believes_the_authority(yard):
    token = yard.run("scontrol", "token").stdout.strip().split("=", 1)[1]
    nobody_knows = yard.away("srun", "echo", "hi", check=False, SLURM_JWT=token)
    assert nobody_knows.returncode != 0
    yard.give("away", authority=True)
    for _ in range(2):  # the second time with a ticket
        assert yard.away("srun", "echo", "hi", SLURM_JWT=token).stdout == "hi\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_on_a_login_node_sackd_says_whom_to_believe(yard):
    login = yard.machine("login")
    yard.give("login", key=True)
    alone = yard.away("squeue", env=login, user="nobody", check=False)
    assert alone.returncode != 0
    sackd = subprocess.Popen(["sackd", "-D", "-L", f"{yard.dir}/login/sackd.log"], env=login,
                             stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: os.path.exists(f"{yard.dir}/login/sackd.ca"), what="the authority")
        done = yard.away("srun", "id", "-un", env=login, user="nobody")
        assert done.stdout == "nobody\n"
        serial, = yard.certificates("n2")
        yard.run("scontrol", "revoke", "n2")
        wait_for(lambda: serial in open(f"{yard.dir}/login/sackd.ca").read(), what="the news")
    finally:
        sackd.terminate()
        sackd.wait()


def test_who_does_not_speak_tls_is_told_so_and_so_is_who_does(yard):
    assert "TLS is needed" in knock(yard.port, "x.y.z", yard.cluster)
    assert "TLS is needed" in knock(yard.node_port, "x.y.z", yard.cluster)
    plain = yard.machine("plain", TLSType="none", ClusterName=f"{yard.cluster}\nMessageTimeout=2")
    yard.give("plain", key=True)
    told = yard.away("squeue", env=plain, check=False)
    assert told.returncode != 0 and "TLS is needed" in told.stderr


class Between(threading.Thread):
    """Somebody who answers in the controller's place, with a certificate of this cluster's, and
    passes on what he hears."""

    def __init__(self, target, certificate, key):
        super().__init__(daemon=True)
        self.target, self.heard = target, b""
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        try:
            near = self.context.wrap_socket(client, server_side=True)
            far = trusting.wrap_socket(socket.create_connection(("127.0.0.1", self.target)))
            self.pass_on(near, far)
        except OSError:
            pass
        client.close()

    def pass_on(self, near, far):
        """One thread for both ways: no TLS session is used by two. What is readable may be of TLS's
        own, with nothing for us in it."""
        near.setblocking(False)
        far.setblocking(False)
        while True:
            ready = [one for one in (near, far) if one.pending()] or select.select(
                [near, far], [], [])[0]
            for source in ready:
                try:
                    data = source.recv(65536)
                except ssl.SSLWantReadError:
                    continue
                if not data:
                    near.close()
                    far.close()
                    return
                self.heard += data
                (far if source is near else near).sendall(data)


def test_who_stands_between_is_seen_through(yard):
    impostor = Between(yard.port, f"{yard.dir}/spool/n1/tls/cert.pem",
                       f"{yard.dir}/spool/n1/tls/key.pem")
    misled = yard.machine("misled", SlurmctldPort=f"{impostor.port}\nMessageTimeout=2")
    yard.give("misled", key=True)
    by_key = yard.away("sbatch", "--wrap", "echo SECRETSCRIPT", env=misled, check=False)
    assert by_key.returncode != 0
    assert "for another connection" in by_key.stderr or "does not prove" in by_key.stderr
    assert b"SECRETSCRIPT" not in impostor.heard
    token = yard.run("scontrol", "token").stdout.strip().split("=", 1)[1]
    yard.give("misled", authority=True)
    os.unlink(f"{yard.dir}/misled/slurm.key")
    heard = impostor.heard
    by_name = yard.away("squeue", env=misled, check=False, SLURM_JWT=token)
    assert by_name.returncode != 0 and impostor.heard == heard
    impostor.listener.close()


def test_certificates_are_renewed_while_jobs_run():
    yard = yard_with(nodes=1, extra=TLS + "TLSParameters=cert_life=20\n")
    try:
        yard.start()
        yard.give("away", authority=True, key=True)
        talker = subprocess.Popen(
            ["srun", "sh", "-c", "echo begun; while ! test -e stop; do sleep 0.2; done; echo over"],
            env=yard.away_env, cwd=f"{yard.dir}/out", stdout=subprocess.PIPE, text=True)
        assert talker.stdout.readline() == "begun\n"
        for name in ("slurmctld", "n1"):
            first = yard.certificates(name)
            assert first, yard.logs()
            wait_for(lambda: set(yard.certificates(name)) - set(first), what="another certificate")
        assert yard.away("srun", "--overlap", "echo", "on").stdout == "on\n"
        open(f"{yard.dir}/out/stop", "w").close()
        assert talker.communicate(timeout=180)[0] == "over\n" and talker.returncode == 0
    finally:
        yard.stop()
        yard.folder.cleanup()


def test_a_revoked_node_is_refused_until_it_joins_again(yard):
    yard.give("away", authority=True, key=True)
    with open(f"{yard.dir}/run/slurmd-n1.ca") as f:
        assert "revoked" not in f.read()
    serial, = yard.certificates("n2")
    yard.run("scontrol", "revoke", "n2")
    # Other nodes, and with them the commands of their machines, hear of it.
    wait_for(lambda: f"# revoked {serial}" in open(f"{yard.dir}/run/slurmd-n1.ca").read(),
             what="the news at n1")
    wait_for(lambda: "were revoked" in open(f"{yard.dir}/slurmd-n2.log").read(),
             what="the news at n2")
    assert yard.run("srun", "-w", "n1", "echo", "fine").stdout == "fine\n"
    yard.kill9("slurmctld")
    yard.start_controller()
    assert yard.certificates("n2") == []
    wait_for(lambda: yard.idle_nodes() >= 1, what="n1")
    # The machine is set up anew: nothing of the cluster's is on it.
    yard.kill9("slurmd-n2")
    shutil.rmtree(f"{yard.dir}/spool/n2")
    anew = yard.machine("anew")
    slurmd = ["slurmd", "-N", "n2", "--join"]
    assert "no join token" in yard.run("scontrol", "token", "join=n9", check=False).stderr
    token = yard.run("scontrol", "token", "join=n2", "lifespan=600").stdout.strip()
    wrong = yard.away(*slurmd, token[:-2] + "AA", env=anew, check=False)
    assert wrong.returncode != 0 and "cannot join" in wrong.stderr
    yard.away(*slurmd, token, env=anew)
    wait_for(lambda: len(yard.certificates("n2")) == 1, what="a new certificate")
    wait_for(lambda: yard.idle_nodes() == 2, what="both nodes")
    assert yard.away("srun", "-w", "n2", "echo", "back").stdout == "back\n"
    assert os.stat(f"{yard.dir}/anew/slurm.key").st_mode & 0o777 == 0o600
    # It has served.
    third = yard.machine("third")
    used = yard.away(*slurmd, token, env=third, check=False)
    assert used.returncode != 0 and "has been used" in used.stderr


def test_a_site_brings_its_own_authority(yard):
    """Its files are those that another cluster has made: any authority's will do."""
    theirs = f"{yard.dir}/spool/n1/tls"
    files = (f"ca_cert_file={yard.dir}/state/tls/ca_cert.pem,ctld_cert_file={theirs}/cert.pem,"
             f"ctld_cert_key_file={theirs}/key.pem,slurmd_cert_file={theirs}/cert.pem,"
             f"slurmd_cert_key_file={theirs}/key.pem")
    own = yard_with(nodes=2, extra=TLS + f"TLSParameters={files}\n")
    try:
        own.start()
        own.give("away", key=True)
        assert own.away("srun", "-N2", "echo", "hi").stdout == "hi\n" * 2
        assert not os.path.exists(f"{own.dir}/state/tls/ca_key.pem")
        refused = own.run("scontrol", "revoke", "n1", check=False)
        assert refused.returncode != 0 and "site's own authority" in refused.stderr
    finally:
        own.stop()
        own.folder.cleanup()
