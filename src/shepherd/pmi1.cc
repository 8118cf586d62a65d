// SPDX-License-Identifier: Apache-2.0
#include "shepherd/pmi1.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr const char* kMappingKey = "PMI_process_mapping";

// "cmd=put kvsname=x key=k value=v": values hold no blanks.
std::map<std::string_view, std::string_view> words_of(std::string_view line) {
  std::map<std::string_view, std::string_view> words;
  for (std::string_view word : split_words(line, ' ')) {
    auto equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    words.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  return words;
}

std::string_view word(const std::map<std::string_view, std::string_view>& words,
                      std::string_view name) {
  auto found = words.find(name);
  return found == words.end() ? std::string_view() : found->second;
}

}  // namespace

std::string process_mapping(const std::vector<StepShare>& shares) {
  std::map<std::uint32_t, std::uint32_t> node_of;
  for (std::uint32_t node = 0; node < shares.size(); ++node) {
    for (std::uint32_t local = 0; local < shares[node].tasks; ++local)
      node_of[shares[node].rank(local)] = node;
  }
  // Runs of ranks on one node, then runs of neighbouring nodes with equally many.
  struct Block {
    std::uint32_t first, nodes, per_node;
  };
  std::vector<Block> runs, blocks;
  for (auto [rank, node] : node_of) {
    if (!runs.empty() && runs.back().first == node)
      ++runs.back().per_node;
    else
      runs.push_back({node, 1, 1});
  }
  for (const Block& run : runs) {
    bool joins = !blocks.empty() && blocks.back().per_node == run.per_node &&
                 blocks.back().first + blocks.back().nodes == run.first;
    if (joins)
      ++blocks.back().nodes;
    else
      blocks.push_back(run);
  }
  std::string text = "(vector";
  for (const Block& block : blocks)
    text += fmt::format(",({},{},{})", block.first, block.nodes, block.per_node);
  return text + ")";
}

Pmi1Server::Pmi1Server(std::string name, const std::vector<StepShare>& shares, std::uint32_t node)
    : name_(std::move(name)), node_(node), nodes_(static_cast<std::uint32_t>(shares.size())) {
  YM_CHECK(node < shares.size());
  for (const StepShare& share : shares) size_ += share.tasks;
  for (std::uint32_t local = 0; local < shares[node].tasks; ++local)
    ranks_.push_back(shares[node].rank(local));
  tasks_.resize(ranks_.size());
  // A library that does not find the mapping asks the hosts' names instead.
  if (std::string mapping = process_mapping(shares); mapping.size() <= kValueMax)
    remember(kMappingKey, mapping);
}

void Pmi1Server::feed(std::size_t local, std::string_view bytes) {
  Task& task = tasks_.at(local);
  while (!bytes.empty() && !task.broken) {
    auto end = bytes.find('\n');
    std::string_view part = bytes.substr(0, end);
    if (task.line.size() + part.size() > kLineMax) {
      task.broken = true;
      return;
    }
    task.line += part;
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    std::string line = std::move(task.line);
    task.line.clear();
    obey(local, line);
  }
}

std::string Pmi1Server::take_reply(std::size_t local) {
  return std::exchange(tasks_.at(local).reply, {});
}

void Pmi1Server::obey(std::size_t local, std::string_view line) {
  Task& task = tasks_[local];
  if (task.in_spawn) {
    if (line != "endcmd") return;
    task.in_spawn = false;
    task.reply += "cmd=spawn_result rc=-1 msg=not_supported\n";
    return;
  }
  Words words = words_of(line);
  std::string_view command = word(words, "cmd");
  if (command == "init") {
    init(task, words);
  } else if (command == "get_maxes") {
    task.reply += fmt::format("cmd=maxes kvsname_max={} keylen_max={} vallen_max={}\n", kNameMax,
                              kKeyMax, kValueMax);
  } else if (command == "get_appnum") {
    task.reply += "cmd=appnum appnum=0\n";
  } else if (command == "get_my_kvsname") {
    task.reply += fmt::format("cmd=my_kvsname kvsname={}\n", name_);
  } else if (command == "get_universe_size") {
    task.reply += fmt::format("cmd=universe_size size={}\n", size_);
  } else if (command == "put") {
    put(task, words);
  } else if (command == "get") {
    get(task, words);
  } else if (command == "barrier_in") {
    enter_barrier(task);
  } else if (command == "finalize") {
    task.reply += "cmd=finalize_ack\n";
  } else if (command == "abort") {
    auto status = parse_i64(word(words, "exitcode"));
    if (abort_) return;
    abort_ = StepAbort{.task = ranks_[local],
                       .status = static_cast<std::int32_t>(status.value_or(1)),
                       .text = fmt::format("task {} called MPI_Abort", ranks_[local])};
  } else if (command == "publish_name" || command == "unpublish_name" || command == "lookup_name") {
    std::string_view verb = command.substr(0, command.find('_'));
    task.reply += fmt::format("cmd={}_result rc=-1 msg=not_supported\n", verb);
  } else if (word(words, "mcmd") == "spawn") {
    task.in_spawn = true;
  } else if (!line.empty()) {
    task.broken = true;
  }
}

void Pmi1Server::init(Task& task, const Words& words) {
  bool known = word(words, "pmi_version") == "1";
  task.reply +=
      fmt::format("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc={}\n", known ? 0 : -1);
}

void Pmi1Server::put(Task& task, const Words& words) {
  std::string_view key = word(words, "key"), value = word(words, "value");
  const char* trouble = key.empty() || key.size() > kKeyMax ? "bad_key"
                        : value.size() > kValueMax          ? "value_too_long"
                        : keys_.contains(key)               ? "key_exists"
                        : !remember(key, value)             ? "too_many_keys"
                                                            : nullptr;
  if (trouble) {
    task.reply += fmt::format("cmd=put_result rc=-1 msg={}\n", trouble);
    return;
  }
  news_.append(key).push_back('\0');
  news_.append(value).push_back('\0');
  task.reply += "cmd=put_result rc=0 msg=success\n";
}

void Pmi1Server::get(Task& task, const Words& words) const {
  auto found = keys_.find(word(words, "key"));
  if (found == keys_.end())
    task.reply += "cmd=get_result rc=-1 msg=key_not_found value=unknown\n";
  else
    task.reply += fmt::format("cmd=get_result rc=0 msg=success value={}\n", found->second);
}

void Pmi1Server::enter_barrier(Task& task) {
  if (task.in_barrier || waiting_) {
    task.broken = true;
    return;
  }
  task.in_barrier = true;
  if (++inside_ < tasks_.size()) return;
  waiting_ = StepFence{
      .key = fmt::format("pmi1:{}", barriers_), .node = node_, .data = std::exchange(news_, {})};
  if (nodes_ == 1)
    finish_fence(StepFence(*waiting_));
  else
    fence_ = waiting_;
}

std::optional<StepFence> Pmi1Server::take_fence() { return std::exchange(fence_, std::nullopt); }
std::optional<StepAbort> Pmi1Server::take_abort() { return std::exchange(abort_, std::nullopt); }

void Pmi1Server::finish_fence(const StepFence& all) {
  if (!waiting_ || waiting_->key != all.key) return;
  auto words = split(all.data, '\0');
  for (std::size_t n = 0; n + 1 < words.size(); n += 2) {
    if (words[n].size() <= kKeyMax && words[n + 1].size() <= kValueMax)
      remember(words[n], words[n + 1]);
  }
  waiting_.reset();
  fence_.reset();
  ++barriers_;
  inside_ = 0;
  for (Task& task : tasks_) {
    task.in_barrier = false;
    task.reply += "cmd=barrier_out\n";
  }
}

// The first value of a key stays.
bool Pmi1Server::remember(std::string_view key, std::string_view value) {
  if (key.empty() || keys_bytes_ + key.size() + value.size() > kKeysBytesMax) return false;
  if (keys_.emplace(key, value).second) keys_bytes_ += key.size() + value.size();
  return true;
}

}  // namespace ym
