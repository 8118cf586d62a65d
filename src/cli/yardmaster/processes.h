// SPDX-License-Identifier: Apache-2.0
// The processes of one cluster on this machine: found, started, waited for and ended.
//
// A process is the cluster's if its program has a daemon's name and its command line or its
// environment names the cluster's slurm.conf. Process ids of files are never trusted: they may be
// somebody else's by now.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ym::cli {

struct ClusterProcess {
  pid_t pid = 0;
  std::string program;  // "slurmctld", "slurmd" or "slurmstepd"
  std::string node;     // of slurmd -N
};

// What /proc tells of one process.
struct ProcessFacts {
  std::string program;                 // the base name of its program
  std::vector<std::string> arguments;  // without the program's own name
  std::vector<std::string> environment;
};
// The cluster's process if the facts make it one. `spool` is the folder above the nodes' spools:
// a shepherd is told a folder in there.
std::optional<ClusterProcess> classify(const ProcessFacts& facts, const std::string& configuration,
                                       const std::string& spool);

std::vector<ClusterProcess> cluster_processes(const std::string& configuration,
                                              const std::string& spool);

// All children of the process, and theirs, as far as they still know their parents.
std::vector<pid_t> descendants_of(pid_t ancestor);

// Where a program of ours is: beside this one, or in ../sbin or ../bin.
Result<std::string> find_program(const std::string& name);

struct Spawn {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string folder;    // to run in; empty: this one
  bool capture = false;  // its output comes back from wait_for_child
};
struct Child {
  pid_t pid = 0;
  int output = -1;
};
Result<Child> spawn(const Spawn& what);
struct ChildEnd {
  int exit_code = 0;  // 128 + signal where one ended it
  std::string output;
};
ChildEnd wait_for_child(Child child);

// Our own environment without what would make a daemon or a command think that it is in a job.
std::vector<std::string> clean_environment();

bool alive(pid_t pid);
// Sleeps in small steps until `holds` or the time is over; tells whether it held.
template <class Holds>
bool wait_until(Duration patience, Holds holds);
void short_pause();
Duration now_for_waiting();

template <class Holds>
bool wait_until(Duration patience, Holds holds) {
  for (Duration end = now_for_waiting() + patience;;) {
    if (holds()) return true;
    if (now_for_waiting() >= end) return false;
    short_pause();
  }
}

}  // namespace ym::cli
