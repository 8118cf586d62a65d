# SPDX-License-Identifier: Apache-2.0
"""What the machine itself can do, measured in the same minute as those who are compared with it."""
import tempfile

FSYNC_SECONDS, TRIP_SECONDS = 0.5, 0.3
RECORDS = 512  # submissions that one write to a log may carry
BYTES = 65536


def spawning(count, concurrent, *argv):
    def measure(tools):
        return tools.local("drive", "spawn", count, concurrent, *argv)["per_second"]
    return measure


def fsync(tools):
    """Appends of 64 KiB with fdatasync: what a log can acknowledge, one after the other."""
    with tempfile.TemporaryDirectory(prefix="ymversus.") as folder:
        return tools.local("load", "fsync", folder, FSYNC_SECONDS, BYTES)["per_second"]


def grouped_fsync(tools):
    """The same, each for 512 submissions that came meanwhile."""
    return RECORDS * fsync(tools)


def round_trip(tools):
    return tools.local("drive", "round_trip", TRIP_SECONDS)["per_second"]


# name -> (words for the table, function that gives a rate per second)
LIMITS = {
    "spawn": ("sh -c true, one after the other", spawning(200, 1, "/bin/sh", "-c", "true")),
    "spawn2": ("sh -c true, two side by side", spawning(300, 2, "/bin/sh", "-c", "true")),
    # What the workloads' jobs do: a shell that starts /bin/true and goes on.
    "job": ("sh -c '/bin/true; :', one after the other",
            spawning(200, 1, "/bin/sh", "-c", "/bin/true; :")),
    "true8": ("/bin/true, eight side by side", spawning(400, 8, "/bin/true")),
    "noop": ("a static program that does nothing", None),   # filled in by measure()
    "noop4": ("the same, four side by side", None),
    "fsync": ("fdatasync of 64 KiB", fsync),
    "grouped_fsync": ("512 submissions for each fdatasync of 64 KiB", grouped_fsync),
    "round_trip": ("one byte over TCP and back", round_trip),
}


def measure(tools, name):
    """A rate per second."""
    if name.startswith("noop"):
        return tools.local("drive", "spawn", 300, int(name[4:] or 1), tools.noop)["per_second"]
    return LIMITS[name][1](tools)
