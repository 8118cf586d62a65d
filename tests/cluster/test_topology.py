# SPDX-License-Identifier: Apache-2.0
"""Networks: the controller reads topology.conf and topology.yaml and places jobs by them."""
import pytest
from yard import Yard, wait_for

TREE = """\
SwitchName=s1 Nodes=n[1-2]
SwitchName=s2 Nodes=n[3-4]
SwitchName=top Switches=s[1-2]
"""
SEVERAL = """\
- topology: fat
  cluster_default: true
  tree:
    switches:
      - {switch: s1, nodes: "n[1-2]"}
      - {switch: s2, nodes: "n[3-4]"}
      - {switch: top, children: "s[1-2]"}
- topology: racks
  block:
    block_sizes: [2]
    blocks:
      - {block: b1, nodes: "n[1,3]"}
      - {block: b2, nodes: "n[2,4]"}
"""


@pytest.fixture
def yard(tmp_path):
    cluster = Yard(tmp_path, nodes=4, cpus=2, extra="TopologyPlugin=topology/tree\n")
    with open(f"{cluster.dir}/topology.conf", "w") as f:
        f.write(TREE)
    yield cluster
    cluster.stop()


def started(yard, *options):
    """The nodes that the job gets."""
    job = yard.run("sbatch", "--parsable", *options, "--wrap", "sleep 300").stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h", "-j", job, "-o", "%t").stdout.strip() == "R")
    return job, yard.run("squeue", "-h", "-j", job, "-o", "%N").stdout.strip()


def test_jobs_get_nodes_under_one_switch(yard):
    yard.start()
    one, _ = started(yard, "-w", "n1", "--exclusive")
    assert started(yard, "-N2", "--exclusive")[1] == "n[3-4]"
    waits = yard.run("sbatch", "--parsable", "-N2", "--exclusive", "--switches=1@5:00", "--wrap",
                     "true").stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h", "-j", waits, "-o", "%r").stdout.strip()
             == "Resources")
    yard.run("scancel", one)
    wait_for(lambda: waits not in yard.run("squeue", "-h", "-o", "%i").stdout.split())
    assert "NodeList=n[1-2]" in yard.run("scontrol", "show", "job", waits).stdout


def test_a_job_may_have_its_block_for_itself_and_rings_are_shown(yard):
    with open(f"{yard.dir}/topology.yaml", "w") as f:
        f.write("""\
- topology: racks
  cluster_default: true
  block:
    block_sizes: [2]
    blocks:
      - {block: b1, nodes: "n[1-2]"}
      - {block: b2, nodes: "n[3-4]"}
- topology: round
  ring:
    rings:
      - {ring: r0, nodes: "n[1-4]"}
""")
    yard.start()
    assert started(yard, "-N1", "--exclusive=topo")[1] == "n1"
    # Nobody joins it, though a node of its block is free.
    assert yard.run("sinfo", "-h", "-t", "blocked", "-o", "%N %t %T").stdout.split() == [
        "n2", "block", "blocked"]
    assert "State=IDLE+BLOCKED" in yard.run("scontrol", "show", "node", "n2").stdout
    assert started(yard, "-N2", "--exclusive")[1] == "n[3-4]"
    waits = yard.run("sbatch", "--parsable", "-n1", "--wrap", "true").stdout.strip()
    wait_for(lambda: yard.run("squeue", "-h", "-j", waits, "-o", "%r").stdout.strip()
             == "Resources")
    assert "RingName=r0 Nodes=n[1-4]" in yard.run("scontrol", "show", "topology").stdout
    assert yard.run("scontrol", "show", "hostnames", "ringwith{n2}").stdout.split() == [
        "n1", "n2", "n3", "n4"]


def test_partitions_may_have_networks_of_their_own(yard):
    with open(f"{yard.dir}/topology.yaml", "w") as f:
        f.write(SEVERAL)
    with open(f"{yard.dir}/slurm.conf", "a") as f:
        f.write("PartitionName=racks Nodes=ALL Topology=racks State=UP\n")
    yard.start()
    first, nodes = started(yard, "-N2", "--exclusive", "-p", "racks")
    assert nodes == "n[1,3]"
    yard.run("scancel", first)
    wait_for(lambda: not yard.queue())
    assert started(yard, "-N2", "--exclusive")[1] == "n[1-2]"


def test_a_mistake_is_told_with_its_line_and_the_old_network_stays(yard):
    yard.start()
    with open(f"{yard.dir}/topology.conf", "a") as f:
        f.write("SwitchName=s3 Nodes=n5 Switches=s1\n")
    refused = yard.run("scontrol", "reconfigure", check=False)
    assert refused.returncode == 1 and "topology.conf:4" in refused.stderr
    started(yard, "-w", "n1", "--exclusive")
    assert started(yard, "-N2", "--exclusive")[1] == "n[3-4]"
