# SPDX-License-Identifier: Apache-2.0
"""What is asked to be logged is logged: DebugFlags, setdebugflags and setdebug."""
import pytest
from yard import Yard, wait_for


@pytest.fixture
def yard(tmp_path):
    one = Yard(tmp_path, nodes=1, extra="DebugFlags=TraceJobs,Kafka")
    one.start()
    yield one
    one.stop()


def log(yard):
    with open(f"{yard.dir}/slurmctld.log") as f:
        return f.read()


def heard(yard, text):
    return wait_for(lambda: text in log(yard), what=f"{text} in the log")


def test_flags_add_lines_about_their_subject_until_they_are_taken_away(yard):
    assert "DebugFlags=Kafka: nothing is logged for it" in log(yard)
    yard.run("srun", "-n1", "true")
    heard(yard, "TRACEJOBS: ")
    assert "STEPS: " not in log(yard)
    yard.run("scontrol", "setdebugflags", "+Steps", "+Agent", "+Backfill", "+AuditRPCs",
             "-TraceJobs")
    shown = yard.run("scontrol", "show", "config").stdout
    assert "AuditRPCs,Backfill,Kafka,Steps" in shown.replace("Agent,", "")
    before = log(yard).count("TRACEJOBS: ")
    yard.run("srun", "-n1", "true")
    for text in ("STEPS: ", "AGENT: order ", "BACKFILL: ", "AUDIT_RPCS: message "):
        heard(yard, text)
    assert log(yard).count("TRACEJOBS: ") == before
    yard.run("scontrol", "reconfigure")
    yard.run("srun", "-n1", "true")
    wait_for(lambda: log(yard).count("TRACEJOBS: ") > before, what="the configured flags again")


def test_a_higher_level_shows_every_question(yard):
    assert "Processing RPC" not in log(yard)
    yard.run("scontrol", "setdebug", "debug2")
    yard.run("squeue")
    heard(yard, "debug: Processing RPC: message ")
