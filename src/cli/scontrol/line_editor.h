// SPDX-License-Identifier: Apache-2.0
// A line that is being typed on a terminal, with the lines before it: the usual keys of a shell.
// Bytes in, what to show out; no terminal is touched here.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ym::cli {

class LineEditor {
 public:
  static constexpr std::size_t kHistoryMax = 500;
  static constexpr std::size_t kLineMax = 4096;

  enum class Outcome { Typing, Line, End };

  // One byte of input. Line: line() is complete. End: ^D on an empty line.
  Outcome feed(char byte);
  const std::string& line() const { return line_; }
  std::size_t cursor() const { return cursor_; }
  // Remembers the line and begins an empty one.
  void accept();
  // What redraws the line behind the prompt: carriage return, text, rest erased, cursor in place.
  std::string redraw(std::string_view prompt) const;
  // The last line that was accepted; nothing if there was none.
  std::optional<std::string> last() const;

 private:
  Outcome control(char byte);
  void escape(char byte);
  void recall(bool earlier);

  std::string line_, draft_;
  std::size_t cursor_ = 0;
  std::vector<std::string> history_;
  std::size_t at_ = 0;   // in history_; its size: the line that is being typed
  std::string pending_;  // bytes of an escape sequence so far
};

}  // namespace ym::cli
