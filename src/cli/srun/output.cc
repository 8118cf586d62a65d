// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/output.h"

#include "base/format.h"

namespace ym::cli {

OutputSplitter::OutputSplitter(std::uint32_t tasks, bool label, bool by_line)
    : label_(label), by_line_(by_line || label) {
  for (std::uint32_t highest = tasks > 0 ? tasks - 1 : 0; highest >= 10; highest /= 10) ++width_;
}

void OutputSplitter::write(std::uint32_t task, std::string_view line, std::string& out) const {
  if (label_) out += fmt::format("{:>{}}: ", task, width_);
  out += line;
}

void OutputSplitter::take(std::uint32_t task, StreamKind stream, std::string_view data,
                          std::string& out) {
  if (!by_line_) {
    out += data;
    return;
  }
  std::string& waiting = waiting_[{task, stream}];
  if (!label_) {
    auto end = data.rfind('\n');
    if (end != std::string_view::npos) {
      out += waiting;
      out += data.substr(0, end + 1);
      waiting.clear();
      data.remove_prefix(end + 1);
    }
  }
  while (!data.empty()) {
    auto end = data.find('\n');
    if (end == std::string_view::npos) {
      waiting += data;
      break;
    }
    waiting += data.substr(0, end + 1);
    data.remove_prefix(end + 1);
    write(task, waiting, out);
    waiting.clear();
  }
  if (waiting.size() > kLineMax) {
    write(task, waiting, out);
    if (label_) out += '\n';
    waiting.clear();
  }
}

void OutputSplitter::finish(std::uint32_t task, StreamKind stream, std::string& out) {
  auto found = waiting_.find({task, stream});
  if (found == waiting_.end()) return;
  if (!found->second.empty()) {
    write(task, found->second, out);
    if (label_) out += '\n';
  }
  waiting_.erase(found);
}

}  // namespace ym::cli
