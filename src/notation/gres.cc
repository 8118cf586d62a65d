// SPDX-License-Identifier: Apache-2.0
#include "notation/gres.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

bool is_name_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '-' || c == '.';
}

Result<GresTerm> parse_term(std::string_view text, bool of_node) {
  std::string_view whole = text;
  auto wrong = [&] { return fail(fmt::format("\"{}\" is no generic resource", printable(whole))); };
  for (std::string_view start : {"gres/", "gres:"})
    if (text.starts_with(start)) text.remove_prefix(start.size());
  if (auto bracket = text.find('('); of_node && bracket != std::string_view::npos)
    text = text.substr(0, bracket);
  std::string plain(text);
  if (auto equals = plain.rfind('='); equals != std::string::npos) plain[equals] = ':';
  std::vector<std::string_view> parts = split(plain, ':');
  GresTerm term{.name = std::string(parts.front())};
  // The word before a name is none itself: printed with a count it would be taken for that again.
  if (!valid_gres_name(term.name) || term.name == "gres") return wrong();
  std::size_t end = parts.size();
  if (end > 1) {
    if (auto count = parse_gres_count(parts.back())) {
      term.count = *count;
      --end;
    }
  }
  if (of_node && end > 1 && parts[end - 1] == "no_consume") {
    term.no_consume = true;
    --end;
  }
  if (end > 2) return wrong();
  if (end == 2) term.type = parts[1];
  if (end == 2 && !valid_gres_name(term.type)) return wrong();
  return term;
}

Result<std::vector<GresTerm>> parse_list(std::string_view text, bool of_node) {
  std::vector<GresTerm> terms;
  text = trim(text);
  if (text.empty()) return terms;
  for (std::string_view part : split(text, ',')) {
    if (terms.size() >= kGresTermsMax) return fail("too many generic resources");
    auto term = parse_term(trim(part), of_node);
    if (!term) return std::unexpected(term.error());
    auto known = std::ranges::find_if(terms, [&](const GresTerm& one) {
      return one.name == term->name && one.type == term->type;
    });
    if (known == terms.end()) {
      terms.push_back(std::move(*term));
      continue;
    }
    if (known->count > UINT64_MAX - term->count) return fail("too many generic resources");
    known->count += term->count;
    known->no_consume = known->no_consume || term->no_consume;
  }
  return terms;
}

// The next part of a list whose commas may stand in brackets.
std::string_view next_part(std::string_view& rest) {
  std::size_t end = 0;
  for (bool inside = false; end < rest.size() && (inside || rest[end] != ','); ++end)
    inside = rest[end] == '[' || (inside && rest[end] != ']');
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

Status expand_one(std::string_view text, std::vector<std::string>& files) {
  auto full = [&] { return files.size() >= kGresFilesMax; };
  auto open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos) {
    if (close != std::string_view::npos || text.empty()) return fail("unmatched bracket");
    if (full()) return fail("too many files");
    files.emplace_back(text);
    return {};
  }
  if (close == std::string_view::npos || close < open) return fail("unmatched bracket");
  if (text.find('[', open + 1) != std::string_view::npos) return fail("more than one range");
  for (std::string_view range : split(text.substr(open + 1, close - open - 1), ',')) {
    auto dash = range.find('-');
    std::string_view first = range.substr(0, dash);
    auto low = parse_unsigned<std::uint32_t>(first);
    auto high = dash == std::string_view::npos
                    ? low
                    : parse_unsigned<std::uint32_t>(range.substr(dash + 1));
    if (!low || !high || *high < *low)
      return fail(fmt::format("\"{}\" is no range", printable(range)));
    for (std::uint64_t number = *low; number <= *high; ++number) {
      if (full()) return fail("too many files");
      files.push_back(fmt::format("{}{:0{}}{}", text.substr(0, open), number, first.size(),
                                  text.substr(close + 1)));
    }
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_gres_count(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    std::size_t unit = std::string_view("kmgtp").find(lower(text.back()));
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(unit + 1);
      text.remove_suffix(1);
    }
  }
  auto number = parse_u64(text);
  if (!number || *number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

bool valid_gres_name(std::string_view text) {
  return !text.empty() && text.size() <= kGresNameMax &&
         std::ranges::all_of(text, is_name_letter) && !parse_gres_count(text);
}

Result<std::vector<GresTerm>> parse_gres(std::string_view text) { return parse_list(text, false); }

Result<std::vector<GresTerm>> parse_node_gres(std::string_view text) {
  return parse_list(text, true);
}

std::string print_gres(const std::vector<GresTerm>& terms) {
  std::string out;
  for (const GresTerm& term : terms)
    out += fmt::format("{}{}{}{}{}:{}", out.empty() ? "" : ",", term.name,
                       term.type.empty() ? "" : ":", term.type,
                       term.no_consume ? ":no_consume" : "", term.count);
  return out;
}

Result<std::vector<std::string>> expand_files(std::string_view text) {
  std::vector<std::string> files;
  while (!text.empty())
    if (Status done = expand_one(next_part(text), files); !done)
      return std::unexpected(done.error());
  return files;
}

}  // namespace ym
