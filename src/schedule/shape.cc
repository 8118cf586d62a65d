// SPDX-License-Identifier: Apache-2.0
#include "schedule/shape.h"

#include <algorithm>

namespace ym {
namespace {

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put(std::string& out, const std::string& text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

void put(std::string& out, const GresRequest& request) {
  for (const GresWish& wish : request.wishes) {
    put(out, wish.name);
    put(out, wish.type);
    put(out, wish.count);
    put(out, wish.per);
  }
  put(out, request.cpus_per_gpu);
  put(out, request.memory_per_gpu_mb);
  put(out, request.tasks_per_gpu);
  put(out, static_cast<char>(request.enforce_binding | request.many_per_shared << 1 |
                             request.one_task_per_shared << 2));
}

// What only some ask for, beside the numbers.
void put_wishes(std::string& key, const JobSpec& spec) {
  put(key, spec.extras->features);
  put(key, spec.extras->required_nodes);
  put(key, spec.extras->excluded_nodes);
  put(key, spec.extras->licenses);
  put(key, spec.extras->reservation);
  put(key, spec.extras->binding.distribution);
  put(key, spec.extras->binding.threads_per_core);
  put(key, spec.extras->binding.tasks_per_socket);
  put(key, spec.extras->binding.tasks_per_core);
  put(key, spec.extras->sockets_per_node);
  put(key, spec.extras->cores_per_socket);
  put(key, spec.extras->core_spec);
  put(key, spec.extras->thread_spec);
  put(key, spec.extras->tmp_mb);
  const JobSpecials& specials = *spec.extras->specials;
  put(key, static_cast<char>(specials.spread | specials.use_min_nodes << 1 |
                             specials.all_memory << 2 | specials.exclusive_kind << 3));
  put(key, specials.prefer);
  if (specials.exclusive_kind == kExclusiveUser) put(key, spec.uid.value);
  if (!specials.mcs_label.empty()) put(key, specials.mcs_label);
  if (specials.switches || specials.segment) {
    put(key, specials.switches);
    put(key, specials.switch_wait_s);
    put(key, specials.segment);
    put(key, static_cast<char>(specials.consolidate_segments | specials.spread_segments << 1));
  }
  if (!specials.node_counts.empty()) put(key, specials.node_counts);
  if (specials.gres) put(key, *specials.gres);
  if (specials.keeps) put(key, specials.keeps);
}

}  // namespace

std::string shape_key(const JobSpec& spec) {
  std::string key;
  key.reserve(128);
  put(key, spec.partitions);
  put(key, spec.qos);  // who makes room for it
  put(key, spec.tasks);
  put(key, spec.cpus_per_task);
  put(key, spec.tasks_per_node);
  put(key, spec.min_nodes);
  put(key, spec.max_nodes);
  put(key, spec.min_cpus_per_node);
  put(key, spec.memory_per_node_mb);
  put(key, spec.memory_per_cpu_mb);
  put(key, spec.time_limit_s);
  put(key, spec.time_min_s);
  put(key, static_cast<char>(spec.exclusive | spec.contiguous << 1 | spec.overcommit << 2 |
                             spec.oversubscribe << 3));
  if (spec.extras) put_wishes(key, spec);
  return key;
}

std::uint64_t kind_of(const JobSpec& spec) {
  static const std::string kNone = [] {
    std::string none;
    put_wishes(none, JobSpec());
    return none;
  }();
  if (spec.contiguous || spec.overcommit || spec.oversubscribe || spec.time_min_s) return 0;
  if (spec.extras) {
    std::string wishes;
    put_wishes(wishes, spec);
    if (wishes != kNone) return 0;
  }
  std::string key;
  put(key, spec.partitions);
  put(key, spec.cpus_per_task);
  put(key, spec.tasks_per_node);
  put(key, spec.max_nodes);
  put(key, spec.min_cpus_per_node);
  put(key, static_cast<char>(spec.exclusive));
  return std::max<std::uint64_t>(1, shape_hash(key));
}

std::uint64_t shape_hash(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace ym
