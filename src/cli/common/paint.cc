// SPDX-License-Identifier: Apache-2.0
#include "cli/common/paint.h"

#include <unistd.h>

#include "base/format.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

int code_of(Ink ink) {
  switch (ink) {
    case Ink::Good: return 32;
    case Ink::Warning: return 33;
    case Ink::Bad: return 31;
    case Ink::Strong: return 1;
  }
  return 0;
}

}  // namespace

bool wants_colours(bool terminal, std::string_view no_color, std::string_view term) {
  return terminal && no_color.empty() && !term.empty() && term != "dumb";
}

std::string in_ink(std::string_view text, Ink ink) {
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

std::string painted(std::string_view text, Ink ink) {
  static const bool kWanted =
      wants_colours(::isatty(STDOUT_FILENO) == 1, environment_variable("NO_COLOR").value_or(""),
                    environment_variable("TERM").value_or(""));
  return kWanted ? in_ink(text, ink) : std::string(text);
}

}  // namespace ym::cli
