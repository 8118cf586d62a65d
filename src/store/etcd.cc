// SPDX-License-Identifier: Apache-2.0
#include "store/etcd.h"

#include "base/check.h"
#include "base/format.h"
#include "store/etcd_json.h"

namespace ym {
namespace {

std::string range_fields(const EtcdRange& range) {
  std::string out = fmt::format(R"("key":"{}")", to_base64(range.from));
  if (!range.to.empty()) out += fmt::format(R"(,"range_end":"{}")", to_base64(range.to));
  return out;
}

std::string condition_text(const EtcdChange::Holds& holds) {
  return fmt::format(R"({{"key":"{}","target":"MOD","result":"EQUAL","mod_revision":"{}"}})",
                     to_base64(holds.key), holds.mod_revision);
}

std::string put_text(const EtcdChange::Put& put) {
  return fmt::format(R"({{"request_put":{{"key":"{}","value":"{}","lease":"{}"}}}})",
                     to_base64(put.key), to_base64(put.value), put.lease);
}

std::string delete_text(const EtcdRange& range) {
  return fmt::format(R"({{"request_delete_range":{{{}}}}})", range_fields(range));
}

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : ",") + item; }

Result<JsonValue> read_answer(const std::string& text) {
  auto read = parse_json(text);
  if (!read) return fail("etcd: " + read.error().text);
  const JsonValue& value = read->value;
  std::string error = value.at("error").at("message").text;
  if (error.empty()) error = value.at("error").text;
  if (!error.empty()) return fail("etcd: " + error);
  return std::move(read->value);
}

}  // namespace

Result<std::vector<EtcdPair>> Etcd::range(const EtcdRange& range) {
  std::string body = fmt::format(
      R"({{{},"limit":"{}","keys_only":{},"sort_target":"KEY","sort_order":"{}"}})",
      range_fields(range), range.limit, range.keys_only, range.last_first ? "DESCEND" : "ASCEND");
  auto text = call_("/v3/kv/range", body);
  if (!text) return std::unexpected(text.error());
  auto answer = read_answer(*text);
  if (!answer) return std::unexpected(answer.error());
  std::vector<EtcdPair> out;
  for (const JsonValue& item : answer->at("kvs").items) {
    auto key = from_base64(item.at("key").text), value = from_base64(item.at("value").text);
    if (!key || !value) return fail("etcd: a key or value is no base64");
    out.push_back({.key = std::move(*key),
                   .value = std::move(*value),
                   .mod_revision = item.at("mod_revision").number()});
  }
  return out;
}

Result<EtcdChanged> Etcd::change(const EtcdChange& change) {
  YM_CHECK(change.puts.size() + change.deletes.size() <= kEtcdOpsMax);
  std::string conditions, operations;
  for (const auto& holds : change.conditions) add(conditions, condition_text(holds));
  for (const auto& range : change.deletes) add(operations, delete_text(range));
  for (const auto& put : change.puts) add(operations, put_text(put));
  auto text = call_("/v3/kv/txn",
                    fmt::format(R"({{"compare":[{}],"success":[{}]}})", conditions, operations));
  if (!text) return std::unexpected(text.error());
  auto answer = read_answer(*text);
  if (!answer) return std::unexpected(answer.error());
  return EtcdChanged{.done = answer->at("succeeded").is_true(),
                     .revision = answer->at("header").at("revision").number()};
}

Result<std::uint64_t> Etcd::grant(std::uint64_t ttl_s) {
  auto text = call_("/v3/lease/grant", fmt::format(R"({{"TTL":"{}"}})", ttl_s));
  if (!text) return std::unexpected(text.error());
  auto answer = read_answer(*text);
  if (!answer) return std::unexpected(answer.error());
  std::uint64_t lease = answer->at("ID").number();
  if (lease == 0) return fail("etcd: no lease was granted");
  return lease;
}

Result<std::uint64_t> Etcd::keep_alive(std::uint64_t lease) {
  auto text = call_("/v3/lease/keepalive", fmt::format(R"({{"ID":"{}"}})", lease));
  if (!text) return std::unexpected(text.error());
  auto answer = read_answer(*text);
  if (!answer) return std::unexpected(answer.error());
  return answer->at("result").at("TTL").number();
}

Status Etcd::revoke(std::uint64_t lease) {
  auto text = call_("/v3/lease/revoke", fmt::format(R"({{"ID":"{}"}})", lease));
  if (!text) return std::unexpected(text.error());
  auto answer = read_answer(*text);
  return answer ? Status() : std::unexpected(answer.error());
}

Status Etcd::compact(std::uint64_t revision) {
  auto text = call_("/v3/kv/compaction", fmt::format(R"({{"revision":"{}"}})", revision));
  if (!text) return std::unexpected(text.error());
  auto answer = read_answer(*text);
  return answer ? Status() : std::unexpected(answer.error());
}

std::string end_of_prefix(std::string prefix) {
  YM_CHECK(!prefix.empty() && prefix.back() != '\xff');
  prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

}  // namespace ym
