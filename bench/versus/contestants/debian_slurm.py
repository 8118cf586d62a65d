# SPDX-License-Identifier: Apache-2.0
"""Slurm as Debian has it (slurm-wlm with munge), tuned for high throughput: conf/slurm.conf.
Nothing of it touches /etc/slurm, /run/munge or a service of the machine."""
import os
import pwd
import shutil

from contestants.base import SYSTEM_PATH
from contestants.slurmlike import SlurmLike

# See conf/slurm.conf.
SCHEDULER = ("batch_sched_delay=0,sched_min_interval=0,sched_interval=1,default_queue_depth=1000,"
             "bf_interval=1")
ARRAY_MAX = 10000


def is_ours(path):
    """Whether the slurmctld there is Yardmaster's."""
    found = shutil.which("slurmctld", path=path)
    if not found:
        return False
    with open(os.path.realpath(found), "rb") as f:
        return b"ardmaster" in f.read()


class DebianSlurm(SlurmLike):
    name, label = "debian_slurm", "Debian's Slurm"
    remark = "no accounting"
    path = SYSTEM_PATH
    bulk_way = "four sbatch at a time"

    def __init__(self, tools, path=None, name=None):
        super().__init__(tools)
        self.path = path or self.path
        if name:
            self.name = self.label = name

    def why_not(self):
        if not shutil.which("munged", path=SYSTEM_PATH):
            return "munge is not installed"
        if is_ours(self.path):
            return "the slurmctld there is Yardmaster's own"
        if os.geteuid() != 0:
            return "only root can run a munged and slurmd of its own"
        return super().why_not()

    def accounting(self):
        return "AccountingStorageType=accounting_storage/none"

    def prepare(self, nodes, cpus, asleep=False):
        super().prepare(nodes, cpus, asleep)
        self.fill_in("slurm.conf", SCHEDULER=SCHEDULER, ACCOUNTING=self.accounting(),
                     **self.sleepers())
        for name in ("plugstack.conf", "cgroup.conf"):
            open(f"{self.dir}/{name}", "w").close()
        for i in range(1, nodes + 1):
            os.makedirs(f"{self.dir}/spool/n{i}", exist_ok=True)

    def start_daemons(self):
        self.start_munged()
        self.start_accounting()
        super().start_daemons()

    def start_accounting(self):
        pass

    def start_munged(self):
        with open(f"{self.dir}/munge.key", "wb") as f:
            os.fchmod(f.fileno(), 0o600)
            f.write(os.urandom(128))
        self.tree.start(shutil.which("munged", path=SYSTEM_PATH), "--foreground", "--force",
                        f"--socket={self.dir}/run/munge.socket",
                        f"--key-file={self.dir}/munge.key",
                        f"--pid-file={self.dir}/run/munged.pid",
                        f"--log-file={self.dir}/munged.log",
                        f"--seed-file={self.dir}/munged.seed",
                        "--num-threads=10")  # the guide that conf/slurm.conf names
        self.until(lambda: os.path.exists(f"{self.dir}/run/munge.socket"), "munged's socket", 30)

    def fill(self, count):
        """That many held jobs. A change of an array's tasks gives each a record of its own; that
        takes a fraction of the time of as many sbatch."""
        left = count
        while left > 0:
            some = min(left, ARRAY_MAX)
            job = self.submitted(self.run(*self.array_argv(some, held=True)))
            if some > 1:
                self.run(self.program("scontrol"), "update", f"jobid={job}_[1-{some - 1}]",
                         "nice=5", seconds=600)
            left -= some

    def bulk(self, count):
        """The fastest way that its commands have: several at a time."""
        return self.spawn(min(count, 500), 4, self.submit_argv(held=True))


class DebianSlurmWithDatabase(DebianSlurm):
    """The same with slurmdbd and a MariaDB of its own."""
    name, label = "slurm_dbd", "Debian's Slurm with slurmdbd"
    remark = "slurmdbd and MariaDB"
    # What accounting has no part in would be the same figures twice.
    only = ("array", "singles", "sbatch_held", "idle", "cold_start", "crash")

    def why_not(self):
        for name in ("slurmdbd", "mariadbd", "mariadb-install-db", "mariadb"):
            if not shutil.which(name, path=SYSTEM_PATH):
                return f"{name} is not installed"
        return super().why_not()

    def accounting(self):
        return ("AccountingStorageType=accounting_storage/slurmdbd\n"
                f"AccountingStorageHost=127.0.0.1\nAccountingStoragePort={self.dbd_port()}\n"
                f"AccountingStoragePass={self.dir}/run/munge.socket")

    def dbd_port(self):
        return self.port + self.nodes + 1

    def start_accounting(self):
        try:
            user = pwd.getpwnam("mysql").pw_name
        except KeyError:
            user = "nobody"  # mariadb-server-core makes no user
        os.makedirs(f"{self.dir}/sql")
        for folder in ("sql", "run"):
            shutil.chown(f"{self.dir}/{folder}", user)
        self.fill_in("mariadb.cnf", SQL_PORT=self.dbd_port() + 1, SQL_USER=user)
        open(f"{self.dir}/mariadbd.log", "w").close()
        shutil.chown(f"{self.dir}/mariadbd.log", user)
        # slurmdbd asks for a file that only its user can read.
        self.fill_in("slurmdbd.conf", SQL_PORT=self.dbd_port() + 1, DBD_PORT=self.dbd_port())
        os.chmod(f"{self.dir}/slurmdbd.conf", 0o600)
        defaults = f"--defaults-file={self.dir}/mariadb.cnf"
        self.run("mariadb-install-db", defaults, "--auth-root-authentication-method=normal",
                 "--skip-test-db", f"--user={user}")
        self.tree.start(shutil.which("mariadbd", path=SYSTEM_PATH), defaults)
        asks = ("mariadb", "--no-defaults", f"--socket={self.dir}/run/sql.socket", "-u", "root",
                "-e")
        self.until(lambda: self.run(*asks, "select 1", check=False).code == 0, "MariaDB", 60)
        self.run(*asks, "create user slurm@localhost identified by 'slurm'; create user"
                 " slurm@127.0.0.1 identified by 'slurm'; grant all on *.* to slurm@localhost;"
                 " grant all on *.* to slurm@127.0.0.1")
        self.run(self.program("slurmdbd"), seconds=60)
        add = ("sacctmgr", "-i", "add", "cluster", f"versus{os.getpid()}")
        self.until(lambda: self.run(*add, check=False).code == 0, "slurmdbd", 60)
