// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/node_caller.h"

#include <unistd.h>

#include <utility>

#include "net/frame.h"
#include "net/token.h"
#include "os/clock.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

// Before each round. Most nodes come by themselves in the first of these.
constexpr Duration kRounds[] = {Duration(150), Duration(1000), Duration(3000), Duration(10'000)};
constexpr std::size_t kCallsAtOnce = 64;
constexpr Duration kPatience = std::chrono::seconds(2);
constexpr Duration kNeverAgain = std::chrono::hours(1);
constexpr Duration kTokenLife = std::chrono::minutes(1);

}  // namespace

void NodeCaller::begin() {
  append_frame(opening_, {.type = wire::message_number<ControllerLeads>, .correlation = 1},
               wire::encode(options_.message));
  timer_ = loop_.after(kRounds[0], [this] { round(); });
}

void NodeCaller::end() {
  loop_.cancel(std::exchange(timer_, {}));
  waiting_.clear();
  calls_.clear();
}

void NodeCaller::round() {
  timer_ = {};
  if (++rounds_ < std::size(kRounds)) timer_ = loop_.after(kRounds[rounds_], [this] { round(); });
  waiting_.clear();
  for (NodeAddress& node : options_.missing()) waiting_.push_back(std::move(node));
  call_next();
}

void NodeCaller::call_next() {
  while (!waiting_.empty() && calls_.size() < kCallsAtOnce) {
    NodeAddress node = std::move(waiting_.front());
    waiting_.pop_front();
    call(node);
  }
}

// Nothing is said before the other side has proved that it holds the cluster's key.
void NodeCaller::call(const NodeAddress& node) {
  std::uint64_t number = ++last_;
  LinkOptions options{
      .addresses = {{.host = node.address.empty() ? node.name : node.address, .port = node.port}},
      .cluster = options_.cluster,
      .token = [this](std::string_view binding) { return token(binding); },
      .check_proof =
          [this](const Greeting& greeting, std::string_view proof) {
            return check_server(*options_.keys->ring(), greeting, proof, {.now = wall_clock()});
          },
      .tls = [this] { return options_.tls; },
      .opening = opening_,
      .connect_deadline = kPatience,
      .retry_min = kNeverAgain,
      .retry_max = kNeverAgain,
      .silence = kPatience};
  // A handler may not end its own link. The node answers by closing.
  LinkHandlers handlers;
  handlers.on_down = [this, number](const Error&, bool, Duration) {
    loop_.post([this, number] { hang_up(number); });
  };
  auto link = std::make_unique<Link>(loop_, std::move(options), std::move(handlers));
  link->start();
  calls_.emplace(number, std::move(link));
}

void NodeCaller::hang_up(std::uint64_t number) {
  if (calls_.erase(number) > 0) call_next();
}

std::string NodeCaller::token(std::string_view binding) const {
  Instant now = wall_clock();
  auto made = sign_token(*options_.keys->ring(),
                         {.uid = ::geteuid(),
                          .gid = ::getegid(),
                          .issued = now,
                          .expires = now + kTokenLife,
                          .audience = options_.cluster,
                          .kind = "controller",
                          .id = {},
                          .binding = std::string(binding),
                          .once = true},
                         system_entropy());
  return made ? *made : std::string();
}

}  // namespace ym
