# SPDX-License-Identifier: Apache-2.0
"""Reservations and licences on a cluster with real processes, across a restart."""
import pytest

from yard import Yard, wait_for


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    yard = Yard(tmp_path_factory.mktemp("reservations"), nodes=2,
                extra="KillWait=1\nLicenses=matlab:4,ansys")
    yard.start()
    yield yard
    yard.stop()


@pytest.fixture(autouse=True)
def tidy_up(yard):
    yield
    yard.run("scancel", "-u", "root", check=False)
    wait_for(lambda: yard.run("squeue", "-h").stdout == "", what="the queue to empty")


def state(yard, job):
    return yard.run("squeue", "-h", "-j", job, "-o", "%T %r").stdout.strip()


def submit(yard, *options):
    return yard.run("sbatch", "--parsable", *options, "--wrap", "sleep 100").stdout.strip()


def first_node(yard):
    return yard.run("sinfo", "-h", "-N", "-o", "%N").stdout.split()[0]


def licence(yard, name):
    text = yard.run("scontrol", "-o", "show", "licenses", name).stdout
    return dict(pair.split("=") for pair in text.split())


def test_a_job_waits_for_a_licence_and_gets_it_when_the_other_ends(yard):
    first = submit(yard, "-L", "matlab:3,ansys")
    wait_for(lambda: state(yard, first) == "RUNNING None", what="the first job")
    assert licence(yard, "matlab")["Used"] == "3"
    second = submit(yard, "-L", "matlab:2")
    wait_for(lambda: state(yard, second) == "PENDING Licenses", what="the second to wait")
    yard.run("scancel", first)
    wait_for(lambda: state(yard, second) == "RUNNING None", what="the second job")
    assert licence(yard, "matlab")["Used"] == "2"
    assert licence(yard, "ansys")["Free"] == "1"


@pytest.mark.parametrize("wish", ["x", "matlab:9", "matlab:x"])
def test_a_licence_that_is_not_there_is_refused(yard, wish):
    done = yard.run("sbatch", "-L", wish, "--wrap", "true", check=False)
    assert done.returncode == 1
    assert "Invalid license specification" in done.stderr


def test_a_reservation_is_its_users_alone_and_survives_a_restart(yard):
    node = first_node(yard)
    made = yard.run("scontrol", "create", "reservation", "reservationname=mine", "starttime=now",
                    "duration=60", f"nodes={node}", "users=root", "flags=maint")
    assert made.stdout == "Reservation created: mine\n"
    assert yard.run("sinfo", "-h", "-n", node, "-o", "%t").stdout.split()[0] == "maint"
    inside = submit(yard, "--reservation=mine")
    outside = submit(yard, "-w", node)
    wait_for(lambda: state(yard, inside) == "RUNNING None", what="the job inside")
    wait_for(lambda: "ReqNodeNotAvail" in state(yard, outside), what="the job outside to wait")
    busy = yard.run("scontrol", "delete", "reservation=mine", check=False)
    assert "Requested reservation is in use" in busy.stderr + busy.stdout
    yard.kill9("slurmctld")
    yard.start_controller()
    shown = yard.run("scontrol", "show", "reservation", "mine").stdout
    assert f"Nodes={node} NodeCnt=1" in shown and "State=ACTIVE" in shown
    assert state(yard, inside) == "RUNNING None"
    yard.run("scancel", inside)
    wait_for(lambda: yard.run("scontrol", "delete", "reservation=mine", check=False)
             .returncode == 0, what="the reservation to be deleted")
    wait_for(lambda: state(yard, outside) == "RUNNING None", what="the job outside")
    assert yard.run("scontrol", "show", "reservation").stdout == "No reservations in the system\n"


def test_what_is_missing_is_told(yard):
    refused = yard.run("scontrol", "create", "reservation", "starttime=now", "duration=5",
                       "nodes=ALL", "users=nobody_such", check=False)
    assert refused.returncode == 1
    assert "Error creating the reservation: Invalid user id" in refused.stderr + refused.stdout
