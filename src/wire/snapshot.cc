// SPDX-License-Identifier: Apache-2.0
#include "wire/snapshot.h"

#include "wire/codec.h"
#include "wire/codec_impl.h"
#include "wire/schema/events.h"
#include "wire/schema/reservation.h"

namespace ym::wire {

// A chunk is a message with any number of these; the head comes first.
struct SnapshotHead {
  std::string cluster_name;
  std::uint32_t next_job_id = 1, next_node_id = 1, next_partition_id = 1, next_reservation_id = 1;
  std::uint32_t next_trigger_id = 1;
  Sluid last_sluid;
  Seq seq;
  Instant time;
};
template <class F>
void fields(F&& f, const RememberedAnswer*) {
  f(1, "seq", &RememberedAnswer::seq);
  f(2, "at", &RememberedAnswer::at);
  f(3, "answered", &RememberedAnswer::answered);
}
struct SnapshotChunk {
  Ref<SnapshotHead> head;
  std::vector<Node> nodes;
  std::vector<Partition> partitions;
  std::vector<Job> jobs;
  std::vector<Reservation> reservations;
  std::vector<License> licenses;
  std::vector<Trigger> triggers;
  std::vector<Crontab> crontabs;
  std::vector<RememberedAnswer> answers;
};

// NUMBERS ARE NEVER CHANGED OR REUSED.
template <class F>
void fields(F&& f, const SnapshotHead*) {
  f(1, "cluster_name", &SnapshotHead::cluster_name);
  f(2, "next_job_id", &SnapshotHead::next_job_id);
  f(3, "next_node_id", &SnapshotHead::next_node_id);
  f(4, "next_partition_id", &SnapshotHead::next_partition_id);
  f(5, "last_sluid", &SnapshotHead::last_sluid);
  f(6, "seq", &SnapshotHead::seq);
  f(7, "time", &SnapshotHead::time);
  f(8, "next_reservation_id", &SnapshotHead::next_reservation_id);
  f(20, "next_trigger_id", &SnapshotHead::next_trigger_id);
}
template <class F>
void fields(F&& f, const SnapshotChunk*) {
  f(1, "head", &SnapshotChunk::head);
  f(2, "nodes", &SnapshotChunk::nodes);
  f(3, "partitions", &SnapshotChunk::partitions);
  f(4, "jobs", &SnapshotChunk::jobs);
  f(5, "reservations", &SnapshotChunk::reservations);
  f(6, "licenses", &SnapshotChunk::licenses);
  f(20, "triggers", &SnapshotChunk::triggers);
  f(21, "crontabs", &SnapshotChunk::crontabs);
  f(125, "answers", &SnapshotChunk::answers);
}

bool write_snapshot(const State& state, const std::function<bool(std::string_view)>& sink) {
  constexpr std::size_t kChunk = 64 * 1024;
  SnapshotChunk first;
  first.head = Ref(SnapshotHead{.cluster_name = state.cluster_name,
                                .next_job_id = state.next_job_id,
                                .next_node_id = state.next_node_id,
                                .next_partition_id = state.next_partition_id,
                                .next_reservation_id = state.next_reservation_id,
                                .next_trigger_id = state.next_trigger_id,
                                .last_sluid = state.last_sluid,
                                .seq = state.seq,
                                .time = state.time});
  std::string chunk = encode(first);
  bool open = true;
  // Records are written straight into the chunk, as the repeated fields of SnapshotChunk.
  auto add = [&](std::uint32_t number, const auto& record) {
    put_field(chunk, number, record, true);
    if (chunk.size() < kChunk) return true;
    open = sink(chunk);
    chunk.clear();
    return open;
  };
  state.nodes.visit_from(0, [&](std::uint64_t, const Node& node) { return add(2, node); });
  if (open)
    state.partitions.visit_from(0, [&](std::uint64_t, const Partition& p) { return add(3, p); });
  if (open) state.jobs.visit_from(0, [&](std::uint64_t, const Job& job) { return add(4, job); });
  if (open)
    state.reservations.visit_from(
        0, [&](std::uint64_t, const Reservation& one) { return add(5, one); });
  for (const auto& [name, license] : *state.licenses)
    if (open) add(6, license);
  if (open)
    state.triggers.visit_from(0, [&](std::uint64_t, const Trigger& one) { return add(20, one); });
  for (const auto& [uid, crontab] : *state.crontabs)
    if (open) add(21, crontab);
  if (open)
    state.answers.visit_from(
        0, [&](std::uint64_t, const RememberedAnswer& one) { return add(125, one); });
  if (open && !chunk.empty()) open = sink(chunk);
  return open;
}

Status SnapshotReader::add(std::string_view bytes) {
  auto chunk = decode<SnapshotChunk>(bytes);
  if (!chunk) return std::unexpected(chunk.error());
  if (chunk->head) {
    have_head_ = true;
    state_.cluster_name = chunk->head->cluster_name;
    state_.next_job_id = chunk->head->next_job_id;
    state_.next_node_id = chunk->head->next_node_id;
    state_.next_partition_id = chunk->head->next_partition_id;
    state_.next_reservation_id = chunk->head->next_reservation_id;
    state_.next_trigger_id = chunk->head->next_trigger_id;
    state_.last_sluid = chunk->head->last_sluid;
    state_.seq = chunk->head->seq;
    state_.time = chunk->head->time;
  }
  for (Node& node : chunk->nodes) state_.nodes.put(node.id.value, node);
  for (Partition& partition : chunk->partitions)
    state_.partitions.put(partition.id.value, partition);
  for (Reservation& one : chunk->reservations) state_.reservations.put(one.id.value, one);
  if (!chunk->licenses.empty()) {
    Licenses licenses = *state_.licenses;
    for (License& license : chunk->licenses) licenses[license.name] = license;
    state_.licenses = Ref(std::move(licenses));
  }
  for (Trigger& one : chunk->triggers) state_.triggers.put(one.id.value, one);
  for (RememberedAnswer& one : chunk->answers) state_.answers.put(one.seq.value, one);
  if (!chunk->crontabs.empty()) {
    std::map<Uid, Crontab> crontabs = *state_.crontabs;
    for (Crontab& crontab : chunk->crontabs) crontabs[crontab.uid] = crontab;
    state_.crontabs = Ref(std::move(crontabs));
  }
  for (Job& job : chunk->jobs) {
    std::uint32_t key = job.id.value;
    state_.note_element(job);
    state_.jobs.put(key, std::move(job));
  }
  return {};
}

Result<State> SnapshotReader::finish() {
  if (!have_head_) return fail("snapshot has no head");
  std::map<std::string, NodeId, std::less<>> nodes;
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    nodes[node.spec->name] = node.id;
    if (node.kept_for) state_.kept_changes = 1;
  });
  std::map<std::string, PartitionId, std::less<>> partitions;
  state_.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    partitions[partition.spec->name] = partition.id;
  });
  state_.node_names = Ref(std::move(nodes));
  state_.partition_names = Ref(std::move(partitions));
  return std::move(state_);
}

std::uint64_t hash_of(const State& state) {
  std::uint64_t hash =
      0xcbf29ce484222325;  // FNV-1a: simple, the same everywhere; not against adversaries
  write_snapshot(state, [&](std::string_view chunk) {
    for (char c : chunk) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return true;
  });
  return hash;
}

}  // namespace ym::wire
