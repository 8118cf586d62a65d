// SPDX-License-Identifier: Apache-2.0
// scontrol without a command on the line: commands from standard input, one a line; on a terminal
// with a prompt and the lines before.
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/sbatch/script.h"
#include "cli/scontrol/line_editor.h"
#include "cli/scontrol/scontrol.h"

namespace ym::cli {
namespace {

constexpr std::string_view kPrompt = "scontrol: ";

// Keys one by one while a line is typed; as it was while a command runs.
class RawTerminal {
 public:
  RawTerminal() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    set_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
  }
  RawTerminal(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (set_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }

 private:
  termios before_{};
  bool set_ = false;
};

std::optional<std::string> typed_line(LineEditor& editor) {
  RawTerminal raw;
  print(editor.redraw(kPrompt));
  for (char key = 0; ::read(STDIN_FILENO, &key, 1) == 1;) {
    LineEditor::Outcome outcome = editor.feed(key);
    if (outcome == LineEditor::Outcome::End) break;
    if (outcome == LineEditor::Outcome::Line) {
      print("\n");
      return editor.line();
    }
    print(editor.redraw(kPrompt));
  }
  print("\n");
  return std::nullopt;
}

std::optional<std::string> piped_line() {
  std::string line;
  ssize_t got = 0;
  for (char c = 0; (got = ::read(STDIN_FILENO, &c, 1)) == 1 && c != '\n';) line += c;
  if (got != 1 && line.empty()) return std::nullopt;
  return line;
}

// Words that change how the following ones are answered.
bool set_mode(ScontrolSettings& settings, std::string_view word) {
  struct Mode {
    std::string_view name;
    bool ScontrolSettings::* member;
    bool value;
  };
  static constexpr Mode kModes[] = {
      {"all", &ScontrolSettings::all, true},
      {"hide", &ScontrolSettings::all, false},
      {"details", &ScontrolSettings::details, true},
      {"oneliner", &ScontrolSettings::one_line, true},
      {"quiet", &ScontrolSettings::quiet, true},
      {"verbose", &ScontrolSettings::quiet, false},
  };
  for (const Mode& mode : kModes) {
    if (!same_ignoring_case(word, mode.name)) continue;
    settings.*mode.member = mode.value;
    return true;
  }
  return false;
}

}  // namespace

int run_prompt(ScontrolContext& context) {
  bool asks = ::isatty(STDIN_FILENO);
  LineEditor editor;
  int code = 0;
  for (;;) {
    std::optional<std::string> line = asks ? typed_line(editor) : piped_line();
    if (!line) return code;
    // "!!" is the line before.
    if (trim(*line) == "!!") line = editor.last().value_or("");
    if (!asks)
      for (char byte : *line) editor.feed(byte);
    editor.accept();
    auto words = shell_words(*line);
    if (!words) {
      code = context.fail_with(words.error().text);
      continue;
    }
    if (words->empty() || set_mode(context.settings(), (*words)[0])) continue;
    if (same_ignoring_case((*words)[0], "exit") || same_ignoring_case((*words)[0], "quit"))
      return code;
    code = run_verb(context, *words);
  }
}

}  // namespace ym::cli
