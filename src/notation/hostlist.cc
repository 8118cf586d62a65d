// SPDX-License-Identifier: Apache-2.0
#include "notation/hostlist.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/check.h"

namespace ym {
namespace {

using Run = Hostlist::Run;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 10^n for n <= 18.
constexpr auto kPowers = [] {
  std::array<std::uint64_t, Hostlist::kDigitsMax + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

void append_number(std::string& out, std::uint64_t number, unsigned length) {
  std::size_t begin = out.size();
  out.resize(begin + length, '0');
  for (std::size_t i = out.size(); i > begin && number > 0; number /= 10)
    out[--i] = static_cast<char>('0' + number % 10);
}

struct Name {
  std::string_view prefix;
  unsigned length = 0;
  std::uint64_t number = 0;
};

// Invariant (1).
Name split_name(std::string_view host) {
  std::size_t digits = 0;
  while (digits < host.size() && digits < Hostlist::kDigitsMax &&
         is_digit(host[host.size() - 1 - digits]))
    ++digits;
  Name name{host.substr(0, host.size() - digits), static_cast<unsigned>(digits), 0};
  for (char c : host.substr(host.size() - digits))
    name.number = name.number * 10 + static_cast<std::uint64_t>(c - '0');
  return name;
}

// Whether `next` goes on where `run` ends, also from 9 to 10: then both print as one range.
bool continues(const Run& run, const Run& next) {
  if (run.length == 0 || next.low != run.high + 1) return false;
  return next.length == run.length ||
         (next.length == run.length + 1 && next.low == kPowers[run.length]);
}

auto key(const Run& run) { return std::tie(run.prefix, run.length, run.low, run.high); }

bool same_kind(const Run& a, const Run& b) { return a.length == b.length && a.prefix == b.prefix; }

// Whether every name of a sorts before every name of b.
bool before(const Run& a, const Run& b) {
  return std::tie(a.prefix, a.length, a.high) < std::tie(b.prefix, b.length, b.low);
}

std::vector<Run> sorted_runs(const Hostlist& list) {
  std::vector<Run> runs = list.runs();
  auto less = [](const Run& a, const Run& b) { return key(a) < key(b); };
  if (!std::ranges::is_sorted(runs, less)) std::ranges::sort(runs, less);
  return runs;
}

}  // namespace

bool Hostlist::valid_name(std::string_view host) {
  return !host.empty() && host.size() <= kNameMax && std::ranges::all_of(host, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

Hostlist Hostlist::of(const std::vector<std::string>& names) {
  Hostlist list;
  for (const std::string& name : names) list.push_back(name);
  return list;
}

std::string Hostlist::str() const {
  std::string out;
  for (std::size_t i = 0; i < runs_.size();) {
    std::size_t end = i;  // of the runs that share one pair of brackets
    while (end < runs_.size() && runs_[end].length > 0 && runs_[end].prefix == runs_[i].prefix)
      ++end;
    if (!out.empty()) out += ',';
    out += runs_[i].prefix;
    if (end <= i + 1 && runs_[i].count() == 1) {  // one name, with or without a number
      append_number(out, runs_[i].low, runs_[i].length);
      ++i;
      continue;
    }
    for (char open = '['; i < end; open = ',') {
      const Run& first = runs_[i];
      while (i + 1 < end && continues(runs_[i], runs_[i + 1])) ++i;
      out += open;
      append_number(out, first.low, first.length);
      if (runs_[i].high != first.low) {
        out += '-';
        append_number(out, runs_[i].high, runs_[i].length);
      }
      ++i;
    }
    out += ']';
  }
  return out;
}

std::string Hostlist::nth(std::uint64_t n) const {
  YM_CHECK(n < count());
  auto after = std::ranges::upper_bound(runs_, n, {}, &Run::at);
  const Run& run = *std::prev(after);
  std::string name;
  write(run, run.low + (n - run.at), name);
  return name;
}

std::optional<std::uint64_t> Hostlist::find(std::string_view host) const {
  Name name = split_name(host);
  auto holds = [&](const Run& run) {
    return run.length == name.length && run.low <= name.number && name.number <= run.high &&
           run.prefix == name.prefix;
  };
  auto run = runs_.begin();
  if (ordered_) {
    run = std::ranges::partition_point(runs_, [&](const Run& r) {
      return std::tuple<std::string_view, unsigned, std::uint64_t>(r.prefix, r.length, r.high) <
             std::tie(name.prefix, name.length, name.number);
    });
    if (run != runs_.end() && !holds(*run)) return std::nullopt;
  } else {
    run = std::ranges::find_if(runs_, holds);
  }
  if (run == runs_.end()) return std::nullopt;
  return run->at + (name.number - run->low);
}

std::vector<std::string> Hostlist::names() const {
  std::vector<std::string> names;
  names.reserve(count());
  for_each([&](std::string_view name) { names.emplace_back(name); });
  return names;
}

Hostlist Hostlist::sorted() const {
  if (ordered_) return *this;
  Hostlist list;
  for (const Run& run : sorted_runs(*this)) list.append_run(run.prefix, run);
  return list;
}

Hostlist Hostlist::uniq() const {
  if (ordered_) return *this;
  Hostlist list;
  for (const Run& run : sorted_runs(*this)) {
    Run rest = run;
    if (!list.empty() && same_kind(list.runs_.back(), run)) {
      if (run.high <= list.runs_.back().high) continue;
      rest.low = std::max(run.low, list.runs_.back().high + 1);
    }
    list.append_run(run.prefix, rest);
  }
  return list;
}

Hostlist Hostlist::united(const Hostlist& other) const {
  Hostlist both = *this;
  both.append(other);
  return both.uniq();
}

Hostlist Hostlist::intersected(const Hostlist& other) const {
  Hostlist a = uniq(), b = other.uniq(), out;
  for (auto i = a.runs_.begin(), j = b.runs_.begin(); i != a.runs_.end() && j != b.runs_.end();) {
    if (before(*i, *j)) {
      ++i;
    } else if (before(*j, *i)) {
      ++j;
    } else {
      out.append_run(i->prefix, {.length = i->length,
                                 .low = std::max(i->low, j->low),
                                 .high = std::min(i->high, j->high)});
      i->high < j->high ? ++i : ++j;
    }
  }
  return out;
}

Hostlist Hostlist::minus(const Hostlist& other) const {
  Hostlist a = uniq(), b = other.uniq(), out;
  auto j = b.runs_.begin();
  for (const Run& run : a.runs_) {
    Run rest = run;
    bool gone = false;
    for (; !gone && j != b.runs_.end() && !before(rest, *j); ++j) {
      if (before(*j, rest)) continue;
      if (rest.low < j->low)
        out.append_run(run.prefix, {.length = run.length, .low = rest.low, .high = j->low - 1});
      gone = j->high >= rest.high;
      if (gone) break;  // this run of b may reach into the next one of a
      rest.low = j->high + 1;
    }
    if (!gone) out.append_run(run.prefix, rest);
  }
  return out;
}

void Hostlist::push_back(std::string_view host) {
  if (host.empty()) return;
  Name name = split_name(host);
  append_run(name.prefix, {.length = name.length, .low = name.number, .high = name.number});
}

void Hostlist::append(const Hostlist& other) {
  if (this == &other) return append(Hostlist(other));
  runs_.reserve(runs_.size() + other.runs_.size());
  for (const Run& run : other.runs_) append_run(run.prefix, run);
}

void Hostlist::write(const Run& run, std::uint64_t number, std::string& name) {
  name = run.prefix;
  append_number(name, number, run.length);
}

// Within a run the number of digits never changes, so a carry always finds a digit to land on.
void Hostlist::increment(std::string& name) {
  std::size_t i = name.size() - 1;
  for (; name[i] == '9'; --i) name[i] = '0';
  ++name[i];
}

void Hostlist::append_run(std::string_view prefix, const Run& numbers) {
  if (!runs_.empty()) {
    Run& last = runs_.back();
    bool same = last.length == numbers.length && last.prefix == prefix;
    if (same && numbers.length > 0 && last.high + 1 == numbers.low) {
      last.high = numbers.high;
      return;
    }
    ordered_ = ordered_ && std::tuple<std::string_view, unsigned, std::uint64_t>(
                               last.prefix, last.length, last.high) <
                               std::tie(prefix, numbers.length, numbers.low);
  }
  runs_.push_back({std::string(prefix), numbers.length, numbers.low, numbers.high, count()});
}

}  // namespace ym
