// SPDX-License-Identifier: Apache-2.0
// What tasks say, on its way to srun's own output: by lines, with labels on request, or to a file.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/step_messages.h"

namespace ym::cli {

// Longer lines are passed on in pieces.
inline constexpr std::size_t kLineMax = 64 << 10;

class OutputSplitter {
 public:
  // `by_line`: pieces of lines wait for their end, so that those of several tasks do not mix.
  OutputSplitter(std::uint32_t tasks, bool label, bool by_line);

  // Nothing is ever held back or added: what comes may be written as it is.
  bool transparent() const { return !by_line_; }

  // Appends what can be written now to `out`.
  void take(std::uint32_t task, StreamKind stream, std::string_view data, std::string& out);
  // The task's stream is over: what waits goes out, with a line's end if labels stand before lines.
  void finish(std::uint32_t task, StreamKind stream, std::string& out);

 private:
  void write(std::uint32_t task, std::string_view line, std::string& out) const;

  const bool label_, by_line_;
  int width_ = 1;  // digits of the highest task number
  std::map<std::pair<std::uint32_t, StreamKind>, std::string> waiting_;
};

}  // namespace ym::cli
