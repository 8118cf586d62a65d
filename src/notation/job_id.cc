// SPDX-License-Identifier: Apache-2.0
#include "notation/job_id.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::string_view kBase32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kSluidDigits = 13;  // of 5 bits; the first one carries only 4
static_assert(kBase32.size() == 32);

// Slurm's own words, which scripts look for.
std::unexpected<Error> invalid(std::string_view text) {
  return fail(fmt::format("Invalid job id specified: {}", printable(text, 64)));
}

bool looks_like_sluid(std::string_view text) {
  return text.size() == 1 + kSluidDigits && (text[0] == 's' || text[0] == 'S');
}

// What follows the underscore: "3", "*", "[4-9%2]".
bool parse_tasks(std::string_view text, JobRef& ref) {
  if (text == "*") {
    ref.whole_array = true;
  } else if (text.starts_with('[')) {
    if (!text.ends_with(']')) return false;
    auto tasks = ArrayExpression::parse(text.substr(1, text.size() - 2));
    if (!tasks) return false;
    ref.tasks = std::move(*tasks);
  } else {
    ref.task = parse_unsigned<std::uint32_t>(text);
    return ref.task && *ref.task <= kArrayIndexMax;
  }
  return true;
}

}  // namespace

Result<StepRef> StepRef::parse(std::string_view text) {
  if (same_ignoring_case(text, "batch")) return StepRef{Kind::Batch};
  if (same_ignoring_case(text, "extern")) return StepRef{Kind::Extern};
  if (same_ignoring_case(text, "interactive")) return StepRef{Kind::Interactive};
  auto number = parse_unsigned<std::uint32_t>(text);
  if (!number) return fail(fmt::format("Invalid step id: {}", printable(text, 64)));
  return StepRef{Kind::Number, *number};
}

std::string StepRef::str() const {
  switch (kind) {
    case Kind::Batch: return "batch";
    case Kind::Extern: return "extern";
    case Kind::Interactive: return "interactive";
    case Kind::Number: break;
  }
  return std::to_string(number);
}

Result<JobRef> JobRef::parse(std::string_view text) {
  JobRef ref;
  std::string_view job = text;
  if (auto dot = job.find('.'); dot != std::string_view::npos) {
    auto step = StepRef::parse(job.substr(dot + 1));
    if (!step) return invalid(text);
    ref.step = *step;
    job = job.substr(0, dot);
  }
  if (looks_like_sluid(job)) {
    auto sluid = decode_sluid(job);
    if (!sluid || *sluid == 0) return invalid(text);
    ref.sluid = *sluid;
    return ref;
  }
  if (auto mark = job.find_first_of("_+"); mark != std::string_view::npos) {
    std::string_view rest = job.substr(mark + 1);
    if (job[mark] == '_') {
      if (!parse_tasks(rest, ref)) return invalid(text);
    } else {
      ref.component = parse_unsigned<std::uint32_t>(rest);
      if (!ref.component) return invalid(text);
    }
    job = job.substr(0, mark);
  }
  ref.job = parse_unsigned<std::uint32_t>(job).value_or(0);
  if (ref.job == 0) return invalid(text);
  return ref;
}

Result<std::vector<JobRef>> JobRef::parse_list(std::string_view text) {
  std::vector<JobRef> refs;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    bool inside = false;
    for (end = begin; end < text.size() && (inside || text[end] != ','); ++end)
      inside = text[end] == '[' || (inside && text[end] != ']');
    std::string_view part = trim(text.substr(begin, end - begin));
    if (part.empty()) continue;
    auto ref = parse(part);
    if (!ref) return std::unexpected(ref.error());
    if (refs.size() == kListMax)
      return fail(fmt::format("More than {} jobs in one list", kListMax));
    refs.push_back(std::move(*ref));
  }
  return refs;
}

std::string JobRef::str() const {
  std::string out = sluid != 0 ? encode_sluid(sluid) : std::to_string(job);
  if (task) out += fmt::format("_{}", *task);
  if (tasks) out += fmt::format("_[{}]", tasks->str());
  if (whole_array) out += "_*";
  if (component) out += fmt::format("+{}", *component);
  if (step) out += "." + step->str();
  return out;
}

std::string encode_sluid(std::uint64_t value) {
  std::string out(1 + kSluidDigits, 's');
  for (std::size_t i = out.size() - 1; i > 0; --i, value >>= 5) out[i] = kBase32[value & 31];
  return out;
}

Result<std::uint64_t> decode_sluid(std::string_view text) {
  auto bad = [&] { return fail(fmt::format("Invalid SLUID: {}", printable(text, 64))); };
  if (!looks_like_sluid(text)) return bad();
  std::uint64_t value = 0;
  for (char c : to_upper(text.substr(1))) {
    auto digit = kBase32.find(c);
    if (digit == std::string_view::npos || value >> 59 != 0) return bad();
    value = value << 5 | digit;
  }
  return value;
}

}  // namespace ym
