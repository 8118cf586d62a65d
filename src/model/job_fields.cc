// SPDX-License-Identifier: Apache-2.0
#include "model/job_fields.h"

#include <algorithm>
#include <cstring>

namespace ym {
namespace {

// The one list of what belongs to which field: f(pointer to member) for each.
template <class F>
void spec_members(std::uint64_t fields, F&& f) {
  if (has(fields, JobField::Name)) f(&JobSpec::name);
  if (has(fields, JobField::User)) {
    f(&JobSpec::user_name);
    f(&JobSpec::uid);
  }
  if (has(fields, JobField::Group)) f(&JobSpec::gid);
  if (has(fields, JobField::Account)) {
    f(&JobSpec::account);
    f(&JobSpec::qos);
  }
  if (has(fields, JobField::Partition)) f(&JobSpec::partitions);
  if (has(fields, JobField::Times)) {
    f(&JobSpec::time_limit_s);
    f(&JobSpec::time_min_s);
    f(&JobSpec::begin);
    f(&JobSpec::deadline);
  }
  if (has(fields, JobField::Priority)) f(&JobSpec::nice);
  if (has(fields, JobField::NodeCount) || has(fields, JobField::CpuCount) ||
      has(fields, JobField::Size)) {
    f(&JobSpec::tasks);
    f(&JobSpec::cpus_per_task);
    f(&JobSpec::tasks_per_node);
    f(&JobSpec::min_nodes);
  }
  if (has(fields, JobField::Size)) {
    f(&JobSpec::max_nodes);
    f(&JobSpec::min_cpus_per_node);
    f(&JobSpec::memory_per_node_mb);
    f(&JobSpec::memory_per_cpu_mb);
  }
}

template <class F>
void job_members(std::uint64_t fields, F&& f) {
  f(&Job::id);
  f(&Job::array_job);
  f(&Job::array_task);
  f(&Job::array);
  f(&Job::state);
  f(&Job::requeue_wanted);
  f(&Job::configuring);
  f(&Job::special_exit);
  f(&Job::het_job);
  f(&Job::het_offset);
  f(&Job::het_count);
  if (has(fields, JobField::Priority)) {
    f(&Job::priority);
    f(&Job::holds);
  }
  if (has(fields, JobField::Times)) {
    f(&Job::submit);
    f(&Job::eligible);
    f(&Job::limit_end);
  }
  if (has(fields, JobField::Run) || has(fields, JobField::Times)) {
    f(&Job::start);
    f(&Job::end);
    f(&Job::suspended_at);
    f(&Job::suspended_for);
  }
  if (has(fields, JobField::Times)) f(&Job::preemption);
  if (has(fields, JobField::Size)) f(&Job::memory);
  if (has(fields, JobField::Exit)) {
    f(&Job::exit);
    f(&Job::derived_exit);
    f(&Job::restarts);
    f(&Job::end_reason);
  }
  if (has(fields, JobField::Dependency)) f(&Job::dependency);
}

void put(std::string& out, const std::string& text) {
  auto size = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}
template <class T>
  requires std::is_trivially_copyable_v<T>
void put(std::string& out, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Not against adversaries: a collision costs a comparison.
std::uint64_t hash_bytes(std::string_view bytes) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  std::uint64_t hash = bytes.size() * kFactor;
  auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 29;
  };
  std::uint64_t word = 0;
  while (bytes.size() >= sizeof word) {
    std::memcpy(&word, bytes.data(), sizeof word);
    mix(word);
    bytes.remove_prefix(sizeof word);
  }
  word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  mix(word);
  return hash;
}

constexpr std::size_t kFirstSlots = 128, kSlots = 4 * kSpecPlaces;

}  // namespace

JobSpec only(std::uint64_t fields, const JobSpec& spec) {
  if (has(fields, JobField::Everything)) return spec;
  JobSpec out;
  spec_members(fields, [&](auto member) { out.*member = spec.*member; });
  return out;
}

Job only(std::uint64_t fields, const Job& job) {
  if (has(fields, JobField::Everything)) {
    Job out = job;
    out.spec = {};
    return out;
  }
  Job out;
  job_members(fields, [&](auto member) { out.*member = job.*member; });
  if (job.completing()) out.nodes_left = {job.nodes_left.front()};  // that there are any
  return out;
}

void append_key(std::string& out, std::uint64_t fields, const JobSpec& spec) {
  spec_members(fields, [&](auto member) { put(out, spec.*member); });
}

SpecPlaces::SpecPlaces() : slots_(kFirstSlots) {}

void SpecPlaces::put(std::uint64_t hash, std::uint32_t number) {
  std::size_t at = hash % slots_.size();
  while (slots_[at].number) at = (at + 1) % slots_.size();
  slots_[at] = {.hash = hash, .number = number};
  ++filled_;
}

// Leaves out those that are too old to be named. Grows with what there is: most answers have few.
void SpecPlaces::clean() {
  std::vector<Slot> old(std::min(2 * slots_.size(), kSlots));
  std::swap(old, slots_);
  filled_ = 0;
  for (const Slot& slot : old)
    if (slot.number && last_ - slot.number < kSpecPlaces - kRowsInFrame)
      put(slot.hash, slot.number);
}

SpecPlaces::Place SpecPlaces::find(std::uint64_t fields, const JobSpec& spec) {
  key_.clear();
  append_key(key_, fields, spec);
  std::uint64_t hash = hash_bytes(key_);
  const std::size_t size = slots_.size();
  for (std::size_t at = hash % size; slots_[at].number; at = (at + 1) % size) {
    const Slot& slot = slots_[at];
    bool lives = last_ - slot.number < kSpecPlaces - kRowsInFrame;
    if (lives && slot.hash == hash && keys_[slot.number % kSpecPlaces] == key_)
      return {.number = slot.number, .fresh = false};
  }
  if (filled_ >= size / 2) clean();
  ++last_;
  if (keys_.size() < kSpecPlaces) keys_.resize(std::max<std::size_t>(keys_.size(), last_ + 1));
  keys_[last_ % kSpecPlaces] = key_;
  put(hash, last_);
  return {.number = last_, .fresh = true};
}

bool SpecShelf::resolve(JobRows& rows) {
  if (specs_.empty() && !rows.specs.empty()) specs_.resize(kSpecPlaces);
  for (JobSpec& spec : rows.specs) specs_[++count_ % kSpecPlaces] = Ref(std::move(spec));
  for (JobRow& row : rows.rows) {
    if (!row.spec_place) continue;
    bool there = row.spec_place <= count_ && count_ - row.spec_place < kSpecPlaces;
    if (!there) return false;
    row.job.spec = specs_[row.spec_place % kSpecPlaces];
    if (row.partition.empty()) row.partition = row.job.spec->partitions;
  }
  return true;
}

}  // namespace ym
