// SPDX-License-Identifier: Apache-2.0
#include "notation/features.h"

#include <algorithm>
#include <cctype>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

std::unexpected<Error> invalid(std::string_view why) {
  return fail(fmt::format("Invalid feature specification: {}", why));
}

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("_-.:=/+").find(c) != std::string_view::npos;
}

// What the text says, before it is known what brackets and counts make of it.
struct Item {
  FeatureCondition condition;
  std::uint32_t count = 0;  // 0: none given
  bool bracket = false;
  std::vector<Item> inside;  // of a bracket
  std::string operators;
};

struct Sequence {
  std::vector<Item> items;
  std::string operators;
};

class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& names) : text_(text), names_(names) {}

  Result<Sequence> whole() {
    auto sequence = parse(0);
    if (sequence && at_ < text_.size())
      return invalid(fmt::format("unexpected '{}'", printable(text_.substr(at_, 1), 4)));
    return sequence;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  Result<Sequence> parse(std::size_t depth) {
    if (depth > FeatureExpression::kDepthMax) return invalid("too many parentheses");
    Sequence sequence;
    for (;;) {
      auto item = parse_item(depth);
      if (!item) return std::unexpected(item.error());
      sequence.items.push_back(std::move(*item));
      char next = peek();
      if (next != '&' && next != '|' && next != ',') return sequence;
      sequence.operators += next == '|' ? '|' : '&';
      ++at_;
    }
  }

  Result<Item> parse_item(std::size_t depth) {
    Item item;
    char first = peek();
    if (first == '[' || first == '(') {
      ++at_;
      auto inside = parse(depth + 1);
      if (!inside) return std::unexpected(inside.error());
      if (peek() != (first == '[' ? ']' : ')'))
        return invalid(first == '[' ? "a bracket is not closed" : "a parenthesis is not closed");
      ++at_;
      if (first == '[') {
        if (depth > 0) return invalid("brackets cannot be nested");
        item.bracket = true;
        item.inside = std::move(inside->items);
        item.operators = std::move(inside->operators);
        return item;
      }
      auto group = group_of(*inside);
      if (!group) return std::unexpected(group.error());
      item.condition = std::move(*group);
    } else {
      std::size_t begin = at_;
      while (is_name_char(peek())) ++at_;
      if (at_ == begin) return invalid("a feature is missing");
      item.condition.name = std::string(text_.substr(begin, at_ - begin));
      names_.push_back(item.condition.name);
    }
    if (peek() == '*') return counted(std::move(item));
    return item;
  }

  Result<Item> counted(Item item) {
    std::size_t begin = ++at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    auto count = parse_unsigned<std::uint32_t>(text_.substr(begin, at_ - begin));
    if (!count || *count == 0) return invalid("a count is missing behind '*'");
    item.count = *count;
    return item;
  }

  static Result<FeatureCondition> group_of(Sequence& sequence) {
    for (const Item& item : sequence.items)
      if (item.count || item.bracket) return invalid("a count within parentheses");
    if (sequence.items.size() == 1) return std::move(sequence.items.front().condition);
    FeatureCondition group;
    group.operators = sequence.operators;
    for (Item& item : sequence.items) group.parts.push_back(std::move(item.condition));
    return group;
  }

  std::string_view text_;
  std::vector<std::string>& names_;
  std::size_t at_ = 0;
};

bool all_are(const std::string& operators, char one) {
  return std::ranges::all_of(operators, [&](char c) { return c == one; });
}

void add_to(FeatureChoice& choice, const Item& item) {
  if (item.count)
    choice.counted.push_back({item.condition, item.count});
  else
    choice.every.push_back(item.condition);
}

// Each choice so far, with each of the bracket's alternatives.
Result<std::vector<FeatureChoice>> widen(const std::vector<FeatureChoice>& choices,
                                         const Item& bracket) {
  bool any = !bracket.operators.empty() && all_are(bracket.operators, '|');
  if (!any && !all_are(bracket.operators, '&')) return invalid("'&' and '|' mix within brackets");
  std::vector<FeatureChoice> out;
  for (const FeatureChoice& choice : choices) {
    if (!any) {
      out.push_back(choice);
      out.back().distinct = true;
      for (const Item& item : bracket.inside) add_to(out.back(), item);
      continue;
    }
    for (const Item& item : bracket.inside) {
      if (out.size() >= FeatureExpression::kChoicesMax) return invalid("too many alternatives");
      out.push_back(choice);
      add_to(out.back(), item);
    }
  }
  return out;
}

}  // namespace

bool FeatureCondition::holds(std::string_view features) const {
  if (parts.empty()) {
    std::vector<std::string_view> have = split_words(features, ',');
    return std::ranges::find(have, name) != have.end();
  }
  bool so_far = parts.front().holds(features);
  for (std::size_t i = 1; i < parts.size(); ++i)
    so_far = operators[i - 1] == '|' ? so_far || parts[i].holds(features)
                                     : so_far && parts[i].holds(features);
  return so_far;
}

Result<FeatureExpression> FeatureExpression::parse(std::string_view text) {
  FeatureExpression expression{.choices = {FeatureChoice{}}, .names = {}};
  text = trim(text);
  if (text.empty()) return expression;
  if (text.size() > kTextMax) return invalid("too long");
  auto sequence = Parser(text, expression.names).whole();
  if (!sequence) return std::unexpected(sequence.error());
  bool special = std::ranges::any_of(
      sequence->items, [](const Item& item) { return item.count > 0 || item.bracket; });
  if (!special) {
    FeatureCondition condition;
    if (sequence->items.size() == 1) {
      condition = std::move(sequence->items.front().condition);
    } else {
      condition.operators = sequence->operators;
      for (Item& item : sequence->items) condition.parts.push_back(std::move(item.condition));
    }
    expression.choices.front().every.push_back(std::move(condition));
    return expression;
  }
  if (!all_are(sequence->operators, '&')) return invalid("alternatives with counts need brackets");
  for (const Item& item : sequence->items) {
    if (!item.bracket) {
      for (FeatureChoice& choice : expression.choices) add_to(choice, item);
      continue;
    }
    auto widened = widen(expression.choices, item);
    if (!widened) return std::unexpected(widened.error());
    expression.choices = std::move(*widened);
  }
  return expression;
}

bool FeatureExpression::admits(std::string_view features) const {
  return std::ranges::any_of(choices, [&](const FeatureChoice& choice) {
    return std::ranges::all_of(choice.every, [&](const auto& one) { return one.holds(features); });
  });
}

}  // namespace ym
