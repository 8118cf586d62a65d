// SPDX-License-Identifier: Apache-2.0
// Generic resources (GRES): GPUs and whatever else a site counts on its nodes. What a node has,
// what is asked for, and what is held.
//
// A kind is a name and perhaps a type: gpu, gpu:a100, tool. Devices of a kind that has files are
// told apart by number: their places among all devices of the same name on their node, whatever
// their types. Kinds without files are counted only. A shared kind (shard, mps) gives out parts of
// the node's GPUs: its devices are these, by the same numbers, and a GPU is given out either whole
// or in parts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "model/ids.h"

namespace ym {

inline constexpr std::size_t kGresKindsMax = 64;        // of one node
inline constexpr std::uint32_t kGresDevicesMax = 1024;  // of one name on one node, with files

// Flags of gres.conf. DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
inline constexpr std::uint32_t kGresCountOnly = 1, kGresNvidiaEnv = 2, kGresAmdEnv = 4,
                               kGresOneapiEnv = 8, kGresOpenclEnv = 16, kGresOneSharing = 32,
                               kGresNoGpuEnv = 64;

// One line of gres.conf as far as it is about one node: what slurmd found there.
struct GresItem {
  std::string name, type;
  std::uint64_t count = 0;
  std::string files;  // "/dev/nvidia[0-1]"; empty: counted only
  std::string cores;  // near to them, by Slurm's own numbers of cores: "0-3,8"; empty: all
  std::string links;  // to the other devices of the name: "-1,4"
  std::uint32_t flags = 0;
  bool multiple = false;  // MultipleFiles: all of them are one device
  bool operator==(const GresItem&) const = default;
};

struct GresDevice {
  std::uint32_t room = 1;  // of a shared kind, how many parts
  std::uint32_t used = 0;
  std::string cores, links;  // see GresItem
  bool operator==(const GresDevice&) const = default;
};
// One kind on one node.
struct GresKind {
  std::string name, type;
  std::uint64_t count = 0;
  std::uint64_t used = 0;
  bool no_consume = false;  // anybody may have any number at any time
  bool shared = false;
  std::uint32_t first = 0;          // number of its first device
  std::vector<GresDevice> devices;  // empty: counted only
  std::uint32_t flags = 0;
  bool operator==(const GresKind&) const = default;
};
using GresKinds = std::vector<GresKind>;

// What of one kind somebody holds on one node.
struct GresShare {
  NodeId node;
  std::string name, type;
  std::uint64_t count = 0;
  std::vector<std::uint32_t> devices;  // by number, ascending; empty: counted only
  std::vector<std::uint32_t> parts;    // of a shared kind, of each device
  bool operator==(const GresShare&) const = default;
};
using GresShares = std::vector<GresShare>;  // ascending by node

// DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class GresPer : std::uint8_t { Node = 0, Job = 1, Socket = 2, Task = 3 };

// The options as users write them, of a job or a step: "gpu:2,shard:a:1".
struct GresOptions {
  std::string per_job, per_node, per_socket, per_task;
  std::string cpus_per, memory_per, bind, freq, flags;
  std::uint32_t tasks_per = 0;
  bool operator==(const GresOptions&) const = default;
};

struct GresWish {
  std::string name, type;
  std::uint64_t count = 0;
  GresPer per = GresPer::Node;
  bool operator==(const GresWish&) const = default;
};
// The same, understood: made once, when the request is admitted.
struct GresRequest {
  std::vector<GresWish> wishes;
  std::uint32_t cpus_per_gpu = 0;  // 0: no wish
  std::uint64_t memory_per_gpu_mb = 0;
  std::uint32_t tasks_per_gpu = 0;
  bool enforce_binding = false;  // only devices near to the job's cores
  bool many_per_shared = false;  // parts of several GPUs will do
  bool one_task_per_shared = false;
  bool operator==(const GresRequest&) const = default;
};

// A line of gres.conf.
struct GresLine {
  std::string nodes;  // hostlist; empty: every node
  GresItem item;
  bool counted = false;    // Count was given
  std::string autodetect;  // AutoDetect: off, nvml, rsmi …; empty: not given
  bool operator==(const GresLine&) const = default;
};

}  // namespace ym
