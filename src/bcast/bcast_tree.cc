// SPDX-License-Identifier: Apache-2.0
#include "bcast/bcast_tree.h"

#include "base/format.h"
#include "model/tree.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

void BcastTree::start(BcastChunk first) {
  std::vector<NodeAddress> all = std::move(first.forward);
  for (std::vector<NodeAddress>& part : tree_parts(all, first.tree_width)) {
    while (!part.empty()) {
      auto head = dial_(part.front());
      if (!head) {
        outcomes_[part.front().name] = fmt::format("{}{}", kNoWay, head.error().text);
        part.erase(part.begin());
        continue;
      }
      first.forward.assign(part.begin() + 1, part.end());
      Part fresh{.head = std::move(*head), .nodes = part};
      auto sent = fresh.head.send({.type = wire::message_number<BcastChunk>, .correlation = 1},
                                  wire::encode(first), patience_);
      if (!sent) lose(fresh, sent.error().text);
      parts_.push_back(std::move(fresh));
      break;
    }
  }
}

void BcastTree::pass_on(const BcastChunk& piece) {
  if (parts_.empty()) return;
  std::string bytes = wire::encode(piece);
  for (Part& part : parts_) {
    if (part.lost) continue;
    auto sent = part.head.send({.type = wire::message_number<BcastChunk>, .correlation = 1}, bytes,
                               patience_);
    if (!sent) lose(part, sent.error().text);
  }
}

const std::map<std::string, std::string>& BcastTree::collect() {
  for (Part& part : parts_) {
    if (part.lost) continue;
    auto frame = part.head.receive(patience_);
    auto said = !frame ? std::unexpected(frame.error())
                : frame->header.type == static_cast<std::uint16_t>(NetType::Error)
                    ? std::unexpected(decode_error(frame->payload))
                    : wire::decode<NodeOutcomes>(frame->payload);
    if (!said) {
      lose(part, said.error().text);
      continue;
    }
    for (const NodeOutcome& one : said->outcomes) outcomes_[one.node] = one.error;
  }
  return outcomes_;
}

void BcastTree::lose(Part& part, const std::string& why) {
  part.lost = true;
  for (const NodeAddress& node : part.nodes)
    outcomes_[node.name] = fmt::format("{}{}", kNoWay, why);
}

}  // namespace ym
