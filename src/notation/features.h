// SPDX-License-Identifier: Apache-2.0
// Node features that a job asks for: --constraint.
//
//   a&b  a,b   every node has both           a|b      every node has one of them
//   (a|b)&c    grouped; without parentheses operators apply from left to right
//   a*2&b*1    among the nodes, two with a and one with b; they may be the same
//   [a|b]      all nodes have a, or all have b
//   [a*2&b*4]  two nodes with a and four others with b
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

// A condition on one node. Names have no parts; groups have two or more and an operator before each
// but the first.
struct FeatureCondition {
  std::string name;  // empty for a group
  std::vector<FeatureCondition> parts;
  std::string operators;  // '&' or '|'; operators[i] stands before parts[i + 1]

  // Does a node with these features, separated by commas, satisfy it? O(size × features).
  bool holds(std::string_view features) const;
  bool operator==(const FeatureCondition&) const = default;
};

// One way to satisfy the expression.
struct FeatureChoice {
  struct Counted {
    FeatureCondition condition;
    std::uint32_t nodes = 0;
    bool operator==(const Counted&) const = default;
  };
  std::vector<FeatureCondition> every;  // each node satisfies all of them
  std::vector<Counted> counted;         // so many nodes satisfy these
  bool distinct = false;                // and no node counts for two of them
  bool operator==(const FeatureChoice&) const = default;
};

struct FeatureExpression {
  static constexpr std::size_t kTextMax = 4096;
  static constexpr std::size_t kDepthMax = 16;
  static constexpr std::size_t kChoicesMax = 64;

  // One of them must hold; a single empty one for the empty text.
  std::vector<FeatureChoice> choices;
  std::vector<std::string> names;  // all that were mentioned

  static Result<FeatureExpression> parse(std::string_view text);
  // Could a node with these features take part in any of the choices?
  bool admits(std::string_view features) const;
};

}  // namespace ym
