// SPDX-License-Identifier: Apache-2.0
// Reading of bracket notation. An item is text and brackets in any order; the last bracket, if the
// item ends in it, becomes runs, and all others are multiplied out.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "notation/hostlist.h"

namespace ym {

class HostlistParser {
 public:
  explicit HostlistParser(std::string_view text) : text_(text) {}

  Result<Hostlist> parse() {
    while (skip_separators())
      if (auto done = item(); !done) return std::unexpected(done.error());
    // Whatever was read can be read again. A range of a short text prints as at most 18 pieces, so
    // only multiplied brackets and long texts need a look.
    bool may_grow = expanded_ > 0 || text_.size() > Hostlist::kTextMax / 256;
    if (may_grow && list_.str().size() > Hostlist::kTextMax)
      return fail(
          fmt::format("Invalid host list: it prints as more than {} bytes", Hostlist::kTextMax));
    return std::move(list_);
  }

 private:
  struct Range {
    unsigned width = 0;  // digits of the lower end as written
    std::uint64_t low = 0, high = 0;
    std::uint64_t count() const { return high - low + 1; }
  };

  std::unexpected<Error> wrong(std::string_view what, std::size_t at) const {
    return fail(fmt::format("Invalid host list: {} at position {}", what, at + 1));
  }
  static bool separates(char c) {
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }
  bool at_end() const { return at_ >= text_.size(); }
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool literal(char c) { return Hostlist::valid_name(std::string_view(&c, 1)); }

  bool skip_separators() {
    while (!at_end() && separates(text_[at_])) ++at_;
    return !at_end();
  }

  Status item() {
    std::vector<std::string> heads{""};
    for (begin_ = at_; !at_end() && !separates(text_[at_]);) {
      char c = text_[at_];
      if (c == '[') {
        auto ranges = bracket();
        if (!ranges) return std::unexpected(ranges.error());
        if (at_end() || separates(text_[at_])) return finish(heads, *ranges);
        if (auto done = multiply(heads, *ranges); !done) return done;
      } else if (literal(c)) {
        std::size_t from = at_;
        while (!at_end() && literal(text_[at_])) ++at_;
        for (std::string& head : heads) head += text_.substr(from, at_ - from);
        if (heads.front().size() > Hostlist::kNameMax) return wrong("a name is too long", from);
      } else {
        return wrong(
            c == ']' ? "']' without '['" : fmt::format("unexpected '{}'", printable({&c, 1})), at_);
      }
    }
    for (const std::string& head : heads) {
      if (head.size() > Hostlist::kNameMax) return wrong("a name is too long", begin_);
      list_.push_back(head);
    }
    return within_limits();
  }

  // "[1-3,7]", with at_ on the bracket.
  Result<std::vector<Range>> bracket() {
    std::size_t open = at_++;
    std::vector<Range> ranges;
    for (;;) {
      auto one = range(open);
      if (!one) return std::unexpected(one.error());
      ranges.push_back(*one);
      if (ranges.size() > Hostlist::kRunsMax) return wrong("too many ranges", open);
      if (at_end()) return wrong("'[' without ']'", open);
      char c = text_[at_++];
      if (c == ']') return ranges;
      if (c != ',') return wrong(fmt::format("unexpected '{}'", printable({&c, 1})), at_ - 1);
    }
  }

  Result<Range> range(std::size_t open) {
    std::size_t from = at_;
    auto low = number(open);
    if (!low) return std::unexpected(low.error());
    Range range{.width = static_cast<unsigned>(at_ - from), .low = *low, .high = *low};
    if (at_end() || text_[at_] != '-') return range;
    ++at_;
    auto high = number(open);
    if (!high) return std::unexpected(high.error());
    if (*high < *low) return wrong("a range that runs backwards", from);
    range.high = *high;
    return range;
  }

  Result<std::uint64_t> number(std::size_t open) {
    std::size_t from = at_;
    std::uint64_t value = 0;
    for (; !at_end() && digit(text_[at_]); ++at_) {
      if (at_ - from == Hostlist::kDigitsMax) return wrong("a number is too long", from);
      value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
    }
    if (at_ > from) return value;
    if (at_end()) return wrong("'[' without ']'", open);
    return wrong("a number is missing", from);
  }

  Status multiply(std::vector<std::string>& heads, const std::vector<Range>& ranges) {
    std::uint64_t wanted = 0;
    for (const Range& range : ranges) {
      if (range.count() > Hostlist::kExpandedMax) wanted = Hostlist::kExpandedMax + 1;
      wanted = std::min(wanted + range.count(), Hostlist::kExpandedMax + 1);
    }
    wanted *= heads.size();
    if (expanded_ + wanted > Hostlist::kExpandedMax)
      return wrong(
          fmt::format("more than {} names by brackets within a name", Hostlist::kExpandedMax),
          begin_);
    expanded_ += wanted;
    std::vector<std::string> longer;
    longer.reserve(wanted);
    for (const std::string& head : heads)
      for (const Range& range : ranges)
        for (std::uint64_t n = range.low; n <= range.high; ++n)
          longer.push_back(fmt::format("{}{:0{}}", head, n, range.width));
    if (longer.front().size() > Hostlist::kNameMax) return wrong("a name is too long", begin_);
    heads.swap(longer);
    return {};
  }

  // The runs of an item that ends in a bracket.
  Status finish(const std::vector<std::string>& heads, const std::vector<Range>& ranges) {
    for (const std::string& head : heads)
      for (const Range& range : ranges) {
        append(head, range);
        if (auto fine = within_limits(); !fine) return fine;
        const Hostlist::Run& last = list_.runs_.back();
        if (last.prefix.size() + last.length > Hostlist::kNameMax)
          return wrong("a name is too long", begin_);
      }
    return {};
  }

  // Cuts the range where the number of digits grows, and moves digits before the bracket into the
  // number.
  void append(std::string_view head, const Range& range) {
    std::uint64_t low = range.low;
    std::uint64_t limit = 1;  // 10^length
    unsigned length = 0;
    for (; length < range.width || limit <= low; ++length) limit *= 10;
    for (;; ++length, limit *= 10) {
      std::uint64_t high = std::min(range.high, limit - 1);
      std::size_t taken = 0;
      std::uint64_t base = 0, scale = limit;
      while (taken < head.size() && length + taken < Hostlist::kDigitsMax &&
             digit(head[head.size() - 1 - taken])) {
        base += static_cast<std::uint64_t>(head[head.size() - 1 - taken] - '0') * scale;
        scale *= 10;
        ++taken;
      }
      list_.append_run(head.substr(0, head.size() - taken),
                       {.length = static_cast<unsigned>(length + taken),
                        .low = base + low,
                        .high = base + high});
      if (high == range.high) return;
      low = high + 1;
    }
  }

  Status within_limits() const {
    if (list_.count() > Hostlist::kNamesMax)
      return wrong(fmt::format("more than {} names", Hostlist::kNamesMax), begin_);
    if (list_.runs_.size() > Hostlist::kRunsMax)
      return wrong(fmt::format("more than {} ranges", Hostlist::kRunsMax), begin_);
    return {};
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the item being read
  std::uint64_t expanded_ = 0;
  Hostlist list_;
};

Result<Hostlist> Hostlist::parse(std::string_view text) {
  if (text.size() > kTextMax)
    return fail(fmt::format("Invalid host list: longer than {} bytes", kTextMax));
  return HostlistParser(text).parse();
}

}  // namespace ym
