// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/step_queries.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "daemon/slurmd/node_daemon.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

StepQueries::~StepQueries() {
  for (auto& [number, round] : rounds_) {
    loop_.cancel(round.timer);
    for (auto& [shepherd, asked] : round.waiting) loop_.unwatch(asked.fd.get());
  }
}

bool StepQueries::ask(const std::vector<Key>& whom, const ControlPacket& question, Done done) {
  if (asked_ + whom.size() > kQueriesMax && asked_ > 0) return false;
  std::uint64_t number = next_++;
  Round& round = rounds_[number];
  round.done = std::move(done);
  for (const Key& key : whom) {
    auto connection = shepherds_.open(key.first, key.second, question);
    if (!connection) continue;  // it has just ended
    std::uint64_t shepherd = next_++;
    int fd = connection->get();
    round.waiting[shepherd] = {.whom = key, .fd = std::move(*connection)};
    ++asked_;
    auto watched = loop_.watch_readable(fd, [this, number, shepherd] { heard(number, shepherd); });
    if (watched) continue;
    round.waiting.erase(shepherd);
    --asked_;
  }
  round.timer = loop_.after(round.waiting.empty() ? Duration(0) : kQueryPatience,
                            [this, number] { finish(number); });
  return true;
}

void StepQueries::heard(std::uint64_t number, std::uint64_t shepherd) {
  Round& round = rounds_.at(number);
  auto at = round.waiting.find(shepherd);
  if (at == round.waiting.end()) return;
  std::string packet(kControlPacketMax, '\0');
  ssize_t got = ::recv(at->second.fd.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) {
    packet.resize(static_cast<std::size_t>(got));
    round.answers.push_back({.from = at->second.whom, .packet = std::move(packet)});
  }
  loop_.unwatch(at->second.fd.get());
  round.waiting.erase(at);
  --asked_;
  if (!round.waiting.empty()) return;
  loop_.cancel(round.timer);
  finish(number);
}

void StepQueries::finish(std::uint64_t number) {
  auto at = rounds_.find(number);
  Round round = std::move(at->second);
  rounds_.erase(at);
  for (auto& [shepherd, asked] : round.waiting) loop_.unwatch(asked.fd.get());
  asked_ -= round.waiting.size();
  round.done(std::move(round.answers));
}

// ------------------------------------------------------------- the daemon's part of it

// Who may look: root and the daemon's own user at everything, others at what is theirs.
void NodeDaemon::query_steps_here(ConnectionId from, const Peer& peer, const Frame& frame) {
  auto query = wire::decode<QueryStepsHere>(frame.payload);
  if (!query) return server_->close(from, query.error().text);
  auto answer = [this, from, correlation = frame.header.correlation](const StepsHere& answers) {
    server_->send(from, {.type = wire::message_number<StepsHere>, .correlation = correlation},
                  wire::encode(answers));
  };
  if (!ask_steps(*query, peer.uid, answer)) server_->close(from, kTooManyQuestions);
}

bool NodeDaemon::ask_steps(const QueryStepsHere& query, std::uint32_t uid,
                           std::function<void(StepsHere)> done) {
  std::vector<StepQueries::Key> keys;
  for (const agent::Agent::Alive& one : agent_.alive_steps(query.job, query.step))
    keys.emplace_back(one.sluid, one.step);
  bool sees_all = uid == 0 || uid == ::geteuid();
  auto told = [sees_all, uid, done = std::move(done)](const std::vector<StepQueries::Answer>& all) {
    StepsHere answers;
    for (const StepQueries::Answer& one : all)
      if (auto answer = wire::decode<StepsHere>(one.packet))
        for (StepHere& row : answer->rows)
          if (sees_all || row.uid.value == uid) answers.rows.push_back(std::move(row));
    done(std::move(answers));
  };
  return queries_.ask(keys, {.kind = ControlKind::Query}, std::move(told));
}

}  // namespace ym
