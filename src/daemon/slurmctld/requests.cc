// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/requests.h"

namespace ym {

RequestId Requests::open(ReplyTo to) {
  std::lock_guard lock(mutex_);
  std::uint64_t id = next_++;
  open_.emplace(id, to);
  return RequestId{id};
}

std::optional<ReplyTo> Requests::close(RequestId id) {
  std::lock_guard lock(mutex_);
  auto at = open_.find(id.value);
  if (at == open_.end()) return std::nullopt;
  ReplyTo to = at->second;
  open_.erase(at);
  return to;
}

bool Requests::watch(const Watch& watch) {
  std::lock_guard lock(mutex_);
  if (watches_.size() >= kWatchesMax) return false;
  watches_.emplace(watch.watch.job, watch);
  return true;
}

std::vector<Requests::Watch> Requests::watching(const std::vector<JobId>& jobs) const {
  std::lock_guard lock(mutex_);
  std::vector<Watch> found;
  if (watches_.empty()) return found;
  for (JobId job : jobs)
    for (auto [at, end] = watches_.equal_range(job); at != end; ++at) found.push_back(at->second);
  return found;
}

bool Requests::unwatch(const Watch& watch) {
  std::lock_guard lock(mutex_);
  for (auto [at, end] = watches_.equal_range(watch.watch.job); at != end; ++at) {
    const ReplyTo& to = at->second.to;
    if (to.connection == watch.to.connection && to.correlation == watch.to.correlation) {
      watches_.erase(at);
      return true;
    }
  }
  return false;
}

void Requests::own(ConnectionId connection, JobId job) {
  std::lock_guard lock(mutex_);
  for (auto [at, end] = owners_.equal_range(connection.value); at != end; ++at)
    if (at->second == job) return;
  owners_.emplace(connection.value, job);
}

std::vector<ConnectionId> Requests::owners_of(JobId job) const {
  std::lock_guard lock(mutex_);
  std::vector<ConnectionId> out;
  for (const auto& [connection, owned] : owners_)
    if (owned == job) out.push_back(ConnectionId{connection});
  return out;
}

std::vector<JobId> Requests::forget(ConnectionId connection) {
  std::lock_guard lock(mutex_);
  std::erase_if(watches_,
                [&](const auto& entry) { return entry.second.to.connection == connection; });
  std::vector<JobId> jobs;
  auto [at, end] = owners_.equal_range(connection.value);
  for (auto it = at; it != end; ++it) jobs.push_back(it->second);
  owners_.erase(at, end);
  return jobs;
}

void Requests::node_connected(const std::string& node, ConnectionId connection) {
  std::lock_guard lock(mutex_);
  nodes_[node] = connection;
  node_of_[connection.value] = node;
}

std::optional<std::string> Requests::node_disconnected(ConnectionId connection) {
  std::lock_guard lock(mutex_);
  auto at = node_of_.find(connection.value);
  if (at == node_of_.end()) return std::nullopt;
  std::string node = std::move(at->second);
  node_of_.erase(at);
  auto current = nodes_.find(node);
  if (current == nodes_.end() || current->second != connection) return std::nullopt;
  nodes_.erase(current);
  return node;
}

std::optional<ConnectionId> Requests::connection_of(const std::string& node) const {
  std::lock_guard lock(mutex_);
  auto at = nodes_.find(node);
  if (at == nodes_.end()) return std::nullopt;
  return at->second;
}

std::vector<ConnectionId> Requests::node_connections() const {
  std::lock_guard lock(mutex_);
  std::vector<ConnectionId> all;
  for (const auto& [node, connection] : nodes_) all.push_back(connection);
  return all;
}

}  // namespace ym
