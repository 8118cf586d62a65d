// SPDX-License-Identifier: Apache-2.0
#include "notation/licenses.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= LicenseList::kNameMax &&
         std::ranges::all_of(text, [](char c) {
           return c > ' ' && c < 0x7f &&
                  std::string_view("\"'`\\;:*=()[]{}<>").find(c) == std::string_view::npos;
         });
}

Result<LicenseList::Term> parse_term(std::string_view text) {
  std::size_t mark = text.find_first_of(":*=");
  LicenseList::Term term{.name = std::string(text.substr(0, mark))};
  if (!is_name(term.name))
    return fail(fmt::format("\"{}\" is no name of a license", printable(term.name)));
  if (mark == std::string_view::npos) return term;
  auto count = parse_unsigned<std::uint32_t>(text.substr(mark + 1));
  if (!count) return fail(fmt::format("\"{}\" is no count", printable(text.substr(mark + 1))));
  term.count = *count;
  return term;
}

}  // namespace

Result<LicenseList> LicenseList::parse(std::string_view text) {
  LicenseList list;
  text = trim(text);
  if (text.empty()) return list;
  bool all = text.find(',') != std::string_view::npos || text.find(';') != std::string_view::npos;
  list.any = text.find('|') != std::string_view::npos;
  if (all && list.any) return fail("licenses are separated either by , or by |");
  std::string plain(text);
  std::ranges::replace(plain, ';', ',');
  for (std::string_view part : split(plain, list.any ? '|' : ',')) {
    if (list.terms.size() >= kTermsMax) return fail("too many licenses");
    auto term = parse_term(trim(part));
    if (!term) return std::unexpected(term.error());
    auto known = std::ranges::find(list.terms, term->name, &Term::name);
    if (known == list.terms.end()) {
      list.terms.push_back(std::move(*term));
    } else {
      std::uint64_t sum = std::uint64_t{known->count} + term->count;
      if (sum > 0xffffffff) return fail("too many licenses");
      known->count = static_cast<std::uint32_t>(sum);
    }
  }
  return list;
}

std::string LicenseList::str() const {
  std::string out;
  for (const Term& term : terms) {
    if (!out.empty()) out += any ? '|' : ',';
    out += fmt::format("{}:{}", term.name, term.count);
  }
  return out;
}

}  // namespace ym
