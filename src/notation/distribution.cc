// SPDX-License-Identifier: Apache-2.0
#include "notation/distribution.h"

#include <optional>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

std::optional<Spread> spread_of(std::string_view word) {
  if (word == "*") return Spread::Default;
  if (same_ignoring_case(word, "block")) return Spread::Block;
  if (same_ignoring_case(word, "cyclic")) return Spread::Cyclic;
  if (same_ignoring_case(word, "fcyclic")) return Spread::Fcyclic;
  return std::nullopt;
}

std::string_view name_of(Spread spread) {
  switch (spread) {
    case Spread::Block: return "block";
    case Spread::Cyclic: return "cyclic";
    case Spread::Fcyclic: return "fcyclic";
    default: return "*";
  }
}

std::string_view title_of(Spread spread) {
  switch (spread) {
    case Spread::Block: return "Block";
    case Spread::Fcyclic: return "FCyclic";
    default: return "Cyclic";
  }
}

std::unexpected<Error> invalid(std::string_view text) {
  return fail(
      fmt::format("\"{}\" is no way to lay tasks out: it is block, cyclic, plane=SIZE or "
                  "arbitrary, then :block, :cyclic or :fcyclic for sockets and for cores",
                  printable(text)));
}

bool set_nodes(Distribution& out, std::string_view word) {
  if (starts_with_ignoring_case(word, "plane")) {
    std::string_view size = word.substr(5);
    auto number = size.starts_with('=') ? parse_unsigned<std::uint32_t>(size.substr(1)) : 0u;
    if (!number || *number == 0 || *number > Distribution::kPlaneMax) return false;
    out.nodes = NodeSpread::Plane;
    out.plane = *number;
    return true;
  }
  if (same_ignoring_case(word, "arbitrary")) {
    out.nodes = NodeSpread::Arbitrary;
    return true;
  }
  auto spread = spread_of(word);
  if (!spread || *spread == Spread::Fcyclic) return false;
  out.nodes = *spread == Spread::Block    ? NodeSpread::Block
              : *spread == Spread::Cyclic ? NodeSpread::Cyclic
                                          : NodeSpread::Default;
  return true;
}

}  // namespace

Result<Distribution> Distribution::parse(std::string_view text) {
  Distribution out;
  if (text.empty()) return out;
  std::string_view levels = text;
  if (auto comma = text.find(','); comma != std::string_view::npos) {
    std::string_view word = text.substr(comma + 1);
    levels = text.substr(0, comma);
    if (same_ignoring_case(word, "pack"))
      out.packing = Packing::Pack;
    else if (same_ignoring_case(word, "nopack"))
      out.packing = Packing::NoPack;
    else
      return invalid(text);
  }
  // "Pack" alone is taken, too.
  if (levels == text && same_ignoring_case(text, "pack")) out.packing = Packing::Pack;
  if (levels == text && same_ignoring_case(text, "nopack")) out.packing = Packing::NoPack;
  if (levels == text && out.packing != Packing::Default) return out;
  std::vector<std::string_view> words = split(levels, ':');
  if (words.size() > 3 || !set_nodes(out, words[0])) return invalid(text);
  if (words.size() > 1) {
    auto sockets = spread_of(words[1]);
    if (!sockets) return invalid(text);
    out.sockets = *sockets;
  }
  if (words.size() > 2) {
    auto cores = spread_of(words[2]);
    if (!cores) return invalid(text);
    out.cores = *cores;
  }
  return out;
}

std::string Distribution::str() const {
  std::string out;
  switch (nodes) {
    case NodeSpread::Block: out = "block"; break;
    case NodeSpread::Cyclic: out = "cyclic"; break;
    case NodeSpread::Plane: out = fmt::format("plane={}", plane); break;
    case NodeSpread::Arbitrary: out = "arbitrary"; break;
    default: out = "*"; break;
  }
  if (sockets != Spread::Default || cores != Spread::Default)
    out += fmt::format(":{}", name_of(sockets));
  if (cores != Spread::Default) out += fmt::format(":{}", name_of(cores));
  if (packing == Packing::Pack) out += ",Pack";
  if (packing == Packing::NoPack) out += ",NoPack";
  return out;
}

std::string Distribution::title() const {
  std::string out;
  if (nodes == NodeSpread::Arbitrary) return "arbitrary task distribution";
  bool within = sockets != Spread::Default || cores != Spread::Default;
  if (nodes == NodeSpread::Plane)
    out = "Plane";
  else if (within)
    out = fmt::format("{}{}", nodes == NodeSpread::Cyclic ? "C" : "B", title_of(sockets));
  else
    out = nodes == NodeSpread::Cyclic ? "Cyclic" : "Block";
  if (nodes != NodeSpread::Plane && cores != Spread::Default) out += title_of(cores);
  if (packing == Packing::Pack) out += ",Pack";
  if (packing == Packing::NoPack) out += ",NoPack";
  return out;
}

}  // namespace ym
