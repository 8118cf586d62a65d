// SPDX-License-Identifier: Apache-2.0
#include "notation/dependency.h"

#include <array>

#include "base/format.h"
#include "base/text.h"
#include "notation/array.h"

namespace ym {
namespace {

using Kind = Dependency::Kind;
using Term = Dependency::Term;

constexpr std::array<std::string_view, 8> kNames = {"after",     "afterany",   "afterburstbuffer",
                                                    "aftercorr", "afternotok", "afterok",
                                                    "expand",    "singleton"};

std::optional<Kind> kind_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (same_ignoring_case(name, kNames[i])) return static_cast<Kind>(i);
  return std::nullopt;
}

std::unexpected<Error> unknown_kind(std::string_view name) {
  std::string_view near = nearest(name.substr(0, 32), {kNames.begin(), kNames.end()});
  return fail(fmt::format("\"{}\" is no kind of dependency{}", printable(name, 32),
                          near.empty() ? "" : fmt::format(", did you mean {}?", near)));
}

constexpr std::string_view kFailed = "(failed)", kUnfulfilled = "(unfulfilled)";

// Takes the state off that a printed term ends in; true if it is a failed one.
bool take_state(std::string_view& text) {
  bool failed = text.ends_with(kFailed);
  if (failed) text.remove_suffix(kFailed.size());
  if (text.ends_with(kUnfulfilled)) text.remove_suffix(kUnfulfilled.size());
  return failed;
}

// "12", "12_3", "12_*", each perhaps with a delay "12+5" and a state "12(failed)".
Result<Term> parse_target(Kind kind, std::string_view text) {
  auto bad = [&] { return fail(fmt::format("\"{}\" is no job", printable(text, 64))); };
  Term term{.kind = kind};
  std::string_view job = text;
  term.failed = take_state(job);
  if (auto plus = job.find('+'); plus != std::string_view::npos) {
    auto delay = parse_unsigned<std::uint32_t>(job.substr(plus + 1));
    if (!delay) return bad();
    term.delay_minutes = *delay;
    job = job.substr(0, plus);
  }
  if (auto underscore = job.find('_'); underscore != std::string_view::npos) {
    std::string_view task = job.substr(underscore + 1);
    term.whole_array = task == "*";
    if (!term.whole_array) {
      term.task = parse_unsigned<std::uint32_t>(task);
      if (!term.task || *term.task > kArrayIndexMax) return bad();
    }
    job = job.substr(0, underscore);
  }
  auto id = parse_unsigned<std::uint32_t>(job);
  if (!id || *id == 0) return bad();
  term.job = *id;
  return term;
}

// "afterok:12:13" or "singleton": appends a term for each job.
Status parse_clause(std::string_view text, std::vector<Term>& terms) {
  auto colon = text.find(':');
  if (colon == std::string_view::npos) take_state(text);  // singleton(unfulfilled)
  std::string_view name = text.substr(0, colon);
  auto kind = kind_of(name);
  if (!kind) return unknown_kind(name);
  if (*kind == Kind::Singleton) {
    if (colon != std::string_view::npos) return fail("singleton names no job");
    terms.push_back({.kind = Kind::Singleton});
    return {};
  }
  if (*kind == Kind::Expand)
    return fail(
        "expand is obsolete: a running job can give nodes back (scontrol update NumNodes=), but "
        "not "
        "get more; submit another job");
  if (colon == std::string_view::npos) return fail(fmt::format("{} names no job", name));
  for (std::string_view target : split(text.substr(colon + 1), ':')) {
    auto term = parse_target(*kind, target);
    if (!term) return std::unexpected(term.error());
    if (terms.size() == Dependency::kTermsMax)
      return fail(fmt::format("more than {} jobs", Dependency::kTermsMax));
    terms.push_back(*term);
  }
  return {};
}

}  // namespace

std::string_view name_of(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Result<Dependency> Dependency::parse(std::string_view text) {
  Dependency dependency;
  text = trim(text);
  if (text.empty()) return dependency;
  if (parse_u64(text)) {
    auto term = parse_target(Kind::AfterAny, text);
    if (!term) return std::unexpected(term.error());
    dependency.terms.push_back(*term);
    return dependency;
  }
  bool any = text.find('?') != std::string_view::npos;
  if (any && text.find(',') != std::string_view::npos) return fail("',' and '?' cannot be mixed");
  for (std::string_view clause : split(text, any ? '?' : ','))
    if (auto done = parse_clause(clause, dependency.terms); !done)
      return std::unexpected(done.error());
  if (dependency.terms.size() > kTermsMax) return fail(fmt::format("more than {} jobs", kTermsMax));
  dependency.any = any;
  return dependency;
}

namespace {

std::string text_of(const Term& term) {
  std::string out(name_of(term.kind));
  if (term.kind == Kind::Singleton) return out;
  out += fmt::format(":{}", term.job);
  if (term.task) out += fmt::format("_{}", *term.task);
  if (term.whole_array) out += "_*";
  if (term.delay_minutes > 0) out += fmt::format("+{}", term.delay_minutes);
  return out;
}

}  // namespace

std::string Dependency::str() const {
  std::string out;
  for (const Term& term : terms) {
    if (!out.empty()) out += any ? '?' : ',';
    out += text_of(term);
    if (term.failed) out += kFailed;
  }
  return out;
}

std::string Dependency::shown() const {
  std::string out;
  for (const Term& term : terms) {
    if (!out.empty()) out += any ? '?' : ',';
    out += text_of(term);
    out += term.failed ? kFailed : kUnfulfilled;
  }
  return out;
}

}  // namespace ym
