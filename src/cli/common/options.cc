// SPDX-License-Identifier: Apache-2.0
#include "cli/common/options.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"

namespace ym::cli {

struct OptionSet::Cursor {
  std::span<const std::string> arguments;
  std::size_t next = 0;
  bool more() const { return next < arguments.size(); }
};

OptionSet::OptionSet(std::vector<OptionInfo> options, Refusals refusals)
    : options_(std::move(options)), refusals_(refusals) {}

std::string OptionSet::shown(std::size_t option) const {
  const OptionInfo& info = options_[option];
  return !info.name.empty() ? fmt::format("--{}", info.name) : fmt::format("-{}", info.letter);
}

Error OptionSet::refusal(const GivenOption& given, const Error& error, bool explain) const {
  std::string name = shown(given.option), value = printable(given.value);
  if (error.code == kBadNumber)
    return {.code = 1, .text = fmt::format("Invalid numeric value \"{}\" for {}.", value, name)};
  if (error.code == kWholeText) return {.code = kBadLineExit, .text = error.text};
  if (error.code == kWholeTextOne) return {.code = 1, .text = error.text};
  if (refusals_ == Refusals::Explained)
    return {.code = 1,
            .text = fmt::format("Invalid {} specification '{}': {}", name, value, error.text)};
  std::string text = fmt::format("Invalid {} specification", name);
  if (explain || error.text.starts_with("did you mean")) text += "\n" + error.text;
  return {.code = kBadLineExit, .text = std::move(text)};
}

// The option of that name, or the only one that begins with it.
Result<std::size_t> OptionSet::find_long(std::string_view name) const {
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    std::string_view candidate = options_[i].name;
    if (candidate == name) return i;
    if (!name.empty() && candidate.starts_with(name) && !options_[i].hidden) near.push_back(i);
  }
  if (near.size() == 1) return near[0];
  if (near.empty()) {
    std::vector<std::string_view> names;
    for (const OptionInfo& info : options_)
      if (!info.name.empty() && !info.hidden) names.push_back(info.name);
    std::string_view meant = nearest(name, names);
    std::string hint = meant.empty() ? "" : fmt::format("; did you mean '--{}'?", meant);
    return fail(fmt::format("unrecognized option '--{}'{}", printable(name), hint));
  }
  std::ranges::sort(near, {}, [this](std::size_t i) { return options_[i].name; });
  std::string text = fmt::format("option '--{}' is ambiguous; possibilities:", name);
  for (std::size_t i : near) text += fmt::format(" '--{}'", options_[i].name);
  return fail(text);
}

Status OptionSet::take_long(Cursor& at, GivenLine& line) const {
  std::string_view text = std::string_view(at.arguments[at.next++]).substr(2);
  auto equals = text.find('=');
  auto found = find_long(text.substr(0, equals));
  if (!found) {
    // The word is told as it stands, with its value, as getopt does.
    Error error = found.error();
    std::string name = fmt::format("'--{}'", printable(text.substr(0, equals)));
    if (std::size_t told = error.text.find(name); told != std::string::npos)
      error.text.replace(told, name.size(), fmt::format("'--{}'", printable(text)));
    return std::unexpected(error);
  }
  const OptionInfo& info = options_[*found];
  GivenOption given{.option = *found};
  if (equals != std::string_view::npos) {
    if (info.takes == Takes::Nothing)
      return fail(fmt::format("option '--{}' doesn't allow an argument", info.name));
    given.value = text.substr(equals + 1);
  } else if (info.takes == Takes::Value) {
    if (!at.more()) return fail(fmt::format("option '--{}' requires an argument", info.name));
    given.value = at.arguments[at.next++];
  }
  line.options.push_back(std::move(given));
  return {};
}

// "-lvn4": letters without values may stand together; the first that takes one has the rest, or the
// next argument.
Status OptionSet::take_letters(Cursor& at, GivenLine& line) const {
  std::string_view text = std::string_view(at.arguments[at.next++]).substr(1);
  while (!text.empty()) {
    char letter = text[0];
    text.remove_prefix(1);
    auto found = std::find_if(options_.begin(), options_.end(), [letter](const OptionInfo& info) {
      return letter != 0 && info.letter == letter;
    });
    if (found == options_.end())
      return fail(fmt::format("invalid option -- '{}'", printable(std::string_view(&letter, 1))));
    GivenOption given{.option = static_cast<std::size_t>(found - options_.begin())};
    if (found->takes != Takes::Nothing && !text.empty()) {
      given.value = text;
      text = {};
    } else if (found->takes == Takes::Value) {
      if (!at.more()) return fail(fmt::format("option requires an argument -- '{}'", letter));
      given.value = at.arguments[at.next++];
    }
    line.options.push_back(std::move(given));
  }
  return {};
}

Result<GivenLine> OptionSet::parse(std::span<const std::string> arguments,
                                   Operands operands) const {
  GivenLine line;
  Cursor at{.arguments = arguments};
  bool options_over = false;
  while (at.more()) {
    const std::string& argument = arguments[at.next];
    if (options_over || argument.size() < 2 || argument[0] != '-') {
      line.operands.push_back(argument);
      ++at.next;
      options_over = options_over || operands == Operands::EndOptions;
    } else if (argument == "--") {
      ++at.next;
      options_over = true;
    } else {
      Status taken = argument[1] == '-' ? take_long(at, line) : take_letters(at, line);
      if (!taken) return std::unexpected(taken.error());
    }
  }
  return line;
}

std::string with_hint(std::string_view program, std::string_view text) {
  return fmt::format("{}\nTry \"{} --help\" for more information", text, program);
}

}  // namespace ym::cli
