# SPDX-License-Identifier: Apache-2.0
"""A crontab's job with real daemons."""
import os

import pytest
from yard import Yard, wait_for


@pytest.fixture
def yard(tmp_path):
    one = Yard(tmp_path, nodes=1, extra="ScronParameters=enable")
    one.start()
    yield one
    one.stop()


def test_a_crontabs_job_runs_and_waits_for_its_next_time(yard):
    out = f"{yard.dir}/out/ran"
    yard.run("scrontab", "-", input=f"#SCRON -o /dev/null\n* * * * * date >> {out}\n")
    job = yard.run("squeue", "-h", "-o", "%i").stdout.strip()
    assert yard.run("squeue", "-h", "-o", "%t %r").stdout.strip() == "PD BeginTime"
    wait_for(lambda: os.path.exists(out), seconds=180, what="the job ran")
    # The same job waits again. It has a time to wait for unless the minute is just over.
    wait_for(lambda: yard.run("squeue", "-h", "-j", job, "-o", "%t %r").stdout.strip()
             == "PD BeginTime", seconds=180, what="the next time")
    assert "Restarts=" in yard.run("scontrol", "show", "job", job).stdout
    refused = yard.run("scancel", job, check=False)
    assert refused.returncode == 1 and "--cron" in refused.stderr
    yard.run("scancel", "--cron", job)
    wait_for(lambda: not yard.run("squeue", "-h").stdout, what="nothing waits")
    assert "#DISABLED: * * * * *" in yard.run("scrontab", "-l").stdout
