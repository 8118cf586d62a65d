# SPDX-License-Identifier: Apache-2.0
"""Several controllers on one machine, and an etcd for them."""
import os
import re
import signal
import subprocess

from yard import Yard, alive, free_ports, wait_for


class Standbys(Yard):
    """Controllers c0 (called localhost), c1, c2 … on loopback addresses of their own."""

    def __init__(self, dir, controllers=2, extra="", **kwargs):
        self.names = ["localhost"] + [f"c{i}" for i in range(1, controllers)]
        hosts = "".join(f"SlurmctldHost=c{i}(127.0.0.{i + 1})\n" for i in range(1, controllers))
        super().__init__(dir, extra=f"{hosts}"
                         f"SlurmctldPidFile={dir}/run/slurmctld-%n.pid\n"
                         f"SlurmctldLogFile={dir}/slurmctld-%n.log\n{extra}", **kwargs)

    def daemon(self, index):
        return f"slurmctld-{self.names[index]}"

    def start_controller(self, index=0):
        self.run("slurmctld", "-N", self.names[index])

    def start(self):
        for index in range(len(self.names)):
            self.start_controller(index)
        wait_for(lambda: self.leader() == 0, what="the first controller to lead")
        for i in range(1, self.nodes + 1):
            self.start_node(i)
        wait_for(lambda: self.idle_nodes() == self.nodes, what="all nodes idle")

    def ping(self):
        return self.run("scontrol", "ping", check=False).stdout

    def leader(self):
        found = re.search(r"^(\S+) leads$", self.ping(), re.M)
        return self.names.index(found.group(1)) if found else None

    def log_of(self, index):
        try:
            with open(f"{self.dir}/{self.daemon(index)}.log") as f:
                return f.read()
        except OSError:
            return ""

    def logs(self, lines=25):
        text = "".join(f"--- {name}\n" + "\n".join(self.log_of(i).splitlines()[-lines:]) + "\n"
                       for i, name in enumerate(self.names))
        return text + super().logs(lines)

    def submit(self, name, *options):
        """The id, once the controller has acknowledged the job."""
        done = self.run("sbatch", "--parsable", "-J", name, *options, "--wrap", "true")
        return int(done.stdout)

    def jobs(self):
        """Every job that the controller knows, by name."""
        out = self.run("squeue", "-h", "-t", "all", "-o", "%i %j").stdout.splitlines()
        found = {}
        for line in out:
            job, name = line.split()
            found.setdefault(name, []).append(int(job))
        return found

    def stop(self):
        for index in reversed(range(len(self.names))):
            pid = self.pid(self.daemon(index))
            if pid and alive(pid):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
        super().stop()


def make_certificates(dir):
    """An authority, and certificates for etcd and for the controllers, in a folder of their own."""
    os.makedirs(dir)

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=dir, check=True, capture_output=True)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=etcd authority")
    with open(f"{dir}/names", "w") as f:
        f.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    for name in ("server", "client"):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", f"{name}.pem", "-days", "2", "-extfile", "names")
        os.chmod(f"{dir}/{name}.key", 0o600)
    return dir


class Etcd:
    """Members of an etcd on this machine. `certificates`: the folder of make_certificates()."""

    def __init__(self, dir, members=3, certificates=None):
        first = free_ports(2 * members)
        self.clients = [f"127.0.0.1:{first + 2 * i}" for i in range(members)]
        peers = [f"http://127.0.0.1:{first + 2 * i + 1}" for i in range(members)]
        together = ",".join(f"m{i}={peer}" for i, peer in enumerate(peers))
        scheme, secure = "http", []
        if certificates:
            scheme = "https"
            secure = ["--cert-file", f"{certificates}/server.pem", "--key-file",
                      f"{certificates}/server.key", "--trusted-ca-file", f"{certificates}/ca.pem",
                      "--client-cert-auth"]
        self.dir = dir
        self.commands = [
            ["etcd", "--name", f"m{i}", "--data-dir", f"{dir}/etcd-{i}",
             "--listen-client-urls", f"{scheme}://{self.clients[i]}",
             "--advertise-client-urls", f"{scheme}://{self.clients[i]}",
             "--listen-peer-urls", peers[i], "--initial-advertise-peer-urls", peers[i],
             "--initial-cluster", together, "--initial-cluster-state", "new", *secure]
            for i in range(members)]
        self.start()

    def start(self):
        self.members = []
        for i, command in enumerate(self.commands):
            with open(f"{self.dir}/etcd-{i}.log", "a") as log:
                self.members.append(subprocess.Popen(command, stdout=log, stderr=log))

    def place(self, prefix, scheme="etcd"):
        return f"StateSaveLocation={scheme}://{','.join(self.clients)}/{prefix}\n"

    def stop(self):
        for member in self.members:
            member.kill()
        for member in self.members:
            member.wait()
