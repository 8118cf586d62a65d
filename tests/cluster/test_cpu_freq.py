# SPDX-License-Identifier: Apache-2.0
"""--cpu-freq: the speed of a step's CPUs, set and set back, in a tree that looks like Linux's."""
import os

import pytest
from yard import Yard, wait_for

VALUES = {"scaling_governor": "powersave", "scaling_min_freq": "1000000",
          "scaling_max_freq": "3000000", "cpuinfo_min_freq": "1000000",
          "cpuinfo_max_freq": "3000000", "scaling_setspeed": "0",
          "scaling_available_governors": "powersave performance userspace",
          "scaling_available_frequencies": "3000000 2000000 1000000"}


@pytest.fixture
def yard(tmp_path):
    folder = tmp_path / "sys/devices/system/cpu"
    for cpu in range(os.cpu_count() or 1):
        one = folder / f"cpu{cpu}/cpufreq"
        one.mkdir(parents=True)
        for name, value in VALUES.items():
            (one / name).write_text(value + "\n")
    made = Yard(tmp_path, nodes=1, cpus=1,
                extra=f"SlurmdParameters=config_overrides,sysfs={tmp_path}/sys\n")
    made.speeds = folder
    yield made
    made.stop()


def told(yard, name):
    return {path.read_text().strip() for path in yard.speeds.glob(f"cpu*/cpufreq/{name}")}


def test_a_steps_cpus_run_at_the_speed_that_it_wants_and_no_longer(yard):
    yard.start()
    seen = yard.run("srun", "-n1", "--cpu-freq=medium", "sh", "-c",
                    f"cat {yard.speeds}/cpu*/cpufreq/scaling_governor; echo $SLURM_CPU_FREQ_REQ")
    assert "userspace" in seen.stdout  # the kernel's files end with a line, these do not
    assert "Medium" in seen.stdout
    wait_for(lambda: told(yard, "scaling_governor") == {"powersave"}, what="the former governor")
    assert told(yard, "scaling_min_freq") == {"1000000"}
    assert told(yard, "scaling_max_freq") == {"3000000"}
    # Within a job its steps inherit the wish.
    out = yard.run("salloc", "-Q", "-n1", "--cpu-freq=performance", "srun", "sh", "-c",
                   f"cat {yard.speeds}/cpu*/cpufreq/scaling_governor")
    assert "performance" in out.stdout
