// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/requests.h"

#include <utility>

namespace ym {

bool Requests::room(const Weight& weight) const {
  if (!weight.uid) return true;
  if (bytes_ + weight.bytes > limits_.bytes_max) return false;
  auto at = users_.find(*weight.uid);
  if (at == users_.end()) return true;  // so a single request is never too large
  return at->second.count < limits_.of_one_max &&
         at->second.bytes + weight.bytes <= limits_.bytes_of_one_max;
}

bool Requests::has_room(std::optional<std::uint32_t> uid) const {
  std::lock_guard lock(mutex_);
  return room({.uid = uid, .bytes = 0});
}

std::optional<RequestId> Requests::open(ReplyTo to, Weight weight) {
  std::lock_guard lock(mutex_);
  if (!room(weight)) return std::nullopt;
  if (weight.uid) {
    UnderWay& user = users_[*weight.uid];
    ++user.count;
    user.bytes += weight.bytes;
    bytes_ += weight.bytes;
  }
  std::uint64_t id = next_++;
  open_.emplace(id, Open{to, weight});
  return RequestId{id};
}

std::optional<ReplyTo> Requests::close(RequestId id) {
  std::lock_guard lock(mutex_);
  auto at = open_.find(id.value);
  if (at == open_.end()) return std::nullopt;
  Open found = at->second;
  open_.erase(at);
  if (auto user = found.weight.uid ? users_.find(*found.weight.uid) : users_.end();
      user != users_.end()) {
    bytes_ -= found.weight.bytes;
    UnderWay& his = user->second;
    his.bytes -= found.weight.bytes;
    --his.count;
    if (his.count <= limits_.ahead / 2 && his.bytes <= limits_.bytes_ahead / 2) {
      released_.insert(released_.end(), his.held.begin(), his.held.end());
      his.held.clear();
    }
    if (his.count == 0) users_.erase(user);
  }
  return found.to;
}

bool Requests::hold_back(ConnectionId connection, std::optional<std::uint32_t> uid) {
  std::lock_guard lock(mutex_);
  auto user = uid ? users_.find(*uid) : users_.end();
  if (user == users_.end()) return false;
  UnderWay& his = user->second;
  if (his.count < limits_.ahead && his.bytes < limits_.bytes_ahead) return false;
  his.held.insert(connection);
  return true;
}

std::vector<ConnectionId> Requests::take_released() {
  std::lock_guard lock(mutex_);
  return std::exchange(released_, {});
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
  for (auto& [uid, his] : users_) his.held.erase(connection);
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
