// SPDX-License-Identifier: Apache-2.0
// For tests: an etcd in memory, as far as we use it. Its clock stands still: leases end when told.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/format.h"
#include "store/etcd.h"
#include "store/etcd_json.h"

namespace ym {

class EtcdForTest {
 public:
  EtcdCall connect() {
    return [this](const std::string& path, const std::string& body) { return call(path, body); };
  }

  Result<std::string> call(const std::string& path, const std::string& body) {
    ++calls;
    if (down) return fail("connection refused");
    // What a network does: the change is made, and nobody hears of it.
    bool lose = lose_answers > 0 && path == "/v3/kv/txn";
    auto read = parse_json(body);
    if (!read) return std::unexpected(read.error());
    std::string answer = handle(path, read->value);
    if (!lose) return answer;
    --lose_answers;
    return fail("no answer in time");
  }

  // As if all holders had been silent for too long.
  void end_leases() {
    for (std::uint64_t lease : std::set(leases_)) end_lease(lease);
  }
  std::size_t count(const std::string& prefix) const {
    auto from = pairs_.lower_bound(prefix), to = pairs_.lower_bound(end_of_prefix(prefix));
    return static_cast<std::size_t>(std::distance(from, to));
  }

  bool down = false;
  int lose_answers = 0;
  std::uint64_t calls = 0;
  std::uint64_t compacted = 0;

 private:
  struct Held {
    std::string value;
    std::uint64_t revision = 0, lease = 0;
  };
  using Pairs = std::map<std::string, Held>;

  std::string handle(const std::string& path, const JsonValue& ask) {
    if (path == "/v3/kv/range") return range(ask);
    if (path == "/v3/kv/txn") return change(ask);
    if (path == "/v3/lease/grant") {
      leases_.insert(++last_lease_);
      return fmt::format(R"({{"ID":"{}","TTL":"{}"}})", last_lease_, ask.at("TTL").text);
    }
    std::uint64_t lease = ask.at("ID").number();
    if (path == "/v3/lease/keepalive")
      return fmt::format(R"({{"result":{{"ID":"{}"{}}}}})", lease,
                         leases_.contains(lease) ? R"(,"TTL":"2")" : "");
    if (path == "/v3/lease/revoke") {
      end_lease(lease);
      return "{}";
    }
    compacted = ask.at("revision").number();
    return "{}";
  }
  void end_lease(std::uint64_t lease) {
    leases_.erase(lease);
    std::erase_if(pairs_, [&](const auto& pair) { return pair.second.lease == lease; });
  }
  std::pair<Pairs::iterator, Pairs::iterator> find(const JsonValue& ask) {
    std::string from = *from_base64(ask.at("key").text);
    std::string to = *from_base64(ask.at("range_end").text);
    if (to.empty()) to = from + '\0';
    return {pairs_.lower_bound(from), pairs_.lower_bound(to)};
  }
  std::string range(const JsonValue& ask) {
    auto [from, to] = find(ask);
    std::vector<std::string> found;
    for (auto it = from; it != to; ++it)
      found.push_back(fmt::format(
          R"({{"key":"{}","value":"{}","mod_revision":"{}"}})", to_base64(it->first),
          ask.at("keys_only").is_true() ? "" : to_base64(it->second.value), it->second.revision));
    if (ask.at("sort_order").text == "DESCEND") std::ranges::reverse(found);
    if (std::uint64_t limit = ask.at("limit").number(); limit && found.size() > limit)
      found.resize(limit);
    std::string list;
    for (const std::string& one : found) list += (list.empty() ? "" : ",") + one;
    return fmt::format(R"({{"header":{{"revision":"{}"}},"kvs":[{}]}})", revision_, list);
  }
  std::string change(const JsonValue& ask) {
    bool holds = std::ranges::all_of(ask.at("compare").items, [&](const JsonValue& one) {
      auto at = pairs_.find(*from_base64(one.at("key").text));
      return (at == pairs_.end() ? 0 : at->second.revision) == one.at("mod_revision").number();
    });
    if (holds) ++revision_;
    for (const JsonValue& one : holds ? ask.at("success").items : std::vector<JsonValue>()) {
      if (const JsonValue& gone = one.at("request_delete_range"); !gone.names.empty()) {
        auto [from, to] = find(gone);
        pairs_.erase(from, to);
      }
      if (const JsonValue& put = one.at("request_put"); !put.names.empty())
        pairs_[*from_base64(put.at("key").text)] = {.value = *from_base64(put.at("value").text),
                                                    .revision = revision_,
                                                    .lease = put.at("lease").number()};
    }
    return fmt::format(R"({{"header":{{"revision":"{}"}}{}}})", revision_,
                       holds ? R"(,"succeeded":true)" : "");
  }

  Pairs pairs_;
  std::set<std::uint64_t> leases_;
  std::uint64_t revision_ = 1, last_lease_ = 100;
};

}  // namespace ym
