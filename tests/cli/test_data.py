# SPDX-License-Identifier: Apache-2.0
"""--json and --yaml: what a program reads of them, in the structure of Slurm's data parser."""
import json
import os
import shutil
import tempfile
import time

import pytest
import transcript

yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def session():
    folder = tempfile.mkdtemp(prefix="ym-cli.", dir="/tmp")
    os.chmod(folder, 0o755)
    session = transcript.Session(folder, "")
    try:
        session.yard.start()
        session.sh("sbatch -J first -N2 -n4 -t 10 --comment='say \"ä\"\ttwice' --wrap 'sleep 1000'")
        session.sh("sbatch -H -J many -a 1-5:2%2 --wrap true")
        session.wait("squeue -h -t R -o %i", "1")
        session.sh("scontrol update nodename=n4 state=drain reason='broken fan'")
        yield session
    finally:
        session.yard.stop()
        shutil.rmtree(folder, ignore_errors=True)


def both(session, command):
    """The same document of both notations, as JSON's."""
    out, code = session.sh(f"{command} --json")
    assert code == 0, out
    as_json = json.loads(out)
    out, code = session.sh(f"{command} --yaml")
    assert code == 0, out
    as_yaml = yaml.safe_load(out)
    for part in (as_json, as_yaml):
        part["meta"].pop("command")
        part.pop("last_update", None)
    assert as_json == as_yaml
    assert as_json["errors"] == as_json["warnings"] == []
    assert as_json["meta"]["slurm"]["cluster"] == "yard"
    return as_json


def number(value):
    return {"set": True, "infinite": False, "number": value}


def test_squeue(session):
    jobs = both(session, "squeue")["jobs"]
    assert [job["job_id"] for job in jobs] == [1, 2]
    first, many = jobs
    assert first["name"] == "first"
    assert first["job_state"] == ["RUNNING"]
    assert first["comment"] == 'say "ä"\ttwice'
    assert first["time_limit"] == number(10)
    assert first["nodes"] == "n[1-2]"
    assert first["node_count"] == number(2)
    assert first["tres_alloc_str"] == "cpu=4,mem=400M,node=2,billing=4"
    assert abs(first["start_time"]["number"] - time.time()) < 600
    held = first["job_resources"]["nodes"]["allocation"]
    assert [node["name"] for node in held] == ["n1", "n2"]
    assert sum(node["cpus"]["count"] for node in held) == 4
    assert first["exit_code"]["status"] == ["SUCCESS"]
    assert first["stdout_expanded"].endswith("/out/slurm-1.out")
    assert many["job_state"] == ["PENDING"]
    assert many["state_reason"] == "JobHeldUser"
    assert many["hold"] is True
    assert many["array_job_id"] == number(2)
    assert many["array_task_string"] == "1-5:2"
    assert many["array_task_id"]["set"] is False
    assert many["time_limit"] == {"set": False, "infinite": True, "number": 0}
    assert len(both(session, "squeue -r")["jobs"]) == 4
    assert len(both(session, "squeue -t R")["jobs"]) == 1
    assert both(session, "squeue -n nobody")["jobs"] == []


def test_sinfo(session):
    rows = both(session, "sinfo")["sinfo"]
    debug = {tuple(row["node"]["state"]): row for row in rows
             if row["partition"]["name"] == "debug"}
    assert set(debug) == {("MIXED",), ("IDLE",), ("IDLE", "DRAIN")}
    assert debug["IDLE",]["nodes"]["nodes"] == ["n3"]
    drained = debug["IDLE", "DRAIN"]
    assert drained["nodes"]["total"] == drained["nodes"]["other"] == 1
    assert drained["reason"]["description"] == "broken fan"
    assert drained["cpus"]["minimum"] == drained["cpus"]["total"] == 4
    assert drained["memory"]["maximum"] == 2000
    short = [row["partition"] for row in rows if row["partition"]["name"] == "short"][0]
    assert short["maximums"]["time"] == number(30)
    assert short["nodes"] == {"allowed_allocation": "", "configured": "n[1-2]", "total": 2}
    assert len(both(session, "sinfo -N -p debug")["sinfo"]) == 4
