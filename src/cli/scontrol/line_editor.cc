// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/line_editor.h"

#include "base/format.h"

namespace ym::cli {
namespace {

constexpr char kEscape = 27, kDelete = 127;
// ^A is 1, ^B is 2 and so on.
constexpr char ctrl(char letter) { return static_cast<char>(letter - 'A' + 1); }

}  // namespace

LineEditor::Outcome LineEditor::feed(char byte) {
  if (!pending_.empty() || byte == kEscape) {
    escape(byte);
    return Outcome::Typing;
  }
  if (byte == '\n' || byte == '\r') return Outcome::Line;
  bool printable = static_cast<unsigned char>(byte) >= ' ' && byte != kDelete;
  if (!printable) return control(byte);
  if (line_.size() < kLineMax) line_.insert(cursor_++, 1, byte);
  return Outcome::Typing;
}

LineEditor::Outcome LineEditor::control(char byte) {
  switch (byte) {
    case ctrl('A'): cursor_ = 0; break;
    case ctrl('E'): cursor_ = line_.size(); break;
    case ctrl('B'): cursor_ -= cursor_ > 0; break;
    case ctrl('F'): cursor_ += cursor_ < line_.size(); break;
    case ctrl('K'): line_.resize(cursor_); break;
    case ctrl('U'):
      line_.erase(0, cursor_);
      cursor_ = 0;
      break;
    case ctrl('P'): recall(true); break;
    case ctrl('N'): recall(false); break;
    case ctrl('H'):
    case kDelete:
      if (cursor_ > 0) line_.erase(--cursor_, 1);
      break;
    case ctrl('D'):
      if (line_.empty()) return Outcome::End;
      line_.erase(cursor_, 1);
      break;
    default: break;
  }
  return Outcome::Typing;
}

// ESC [ A and its like; what is not known is passed over.
void LineEditor::escape(char byte) {
  pending_ += byte;
  if (pending_.size() == 1) return;
  if (pending_.size() == 2) {
    if (byte != '[' && byte != 'O') pending_.clear();
    return;
  }
  constexpr std::size_t kLongest = 8;
  bool ends = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '~';
  if (!ends && pending_.size() < kLongest) return;
  std::string sequence = pending_.substr(2);
  pending_.clear();
  if (sequence == "A") recall(true);
  if (sequence == "B") recall(false);
  if (sequence == "C") cursor_ += cursor_ < line_.size();
  if (sequence == "D") cursor_ -= cursor_ > 0;
  if (sequence == "H" || sequence == "1~") cursor_ = 0;
  if (sequence == "F" || sequence == "4~") cursor_ = line_.size();
  if (sequence == "3~" && cursor_ < line_.size()) line_.erase(cursor_, 1);
}

void LineEditor::recall(bool earlier) {
  if (earlier ? at_ == 0 : at_ == history_.size()) return;
  if (at_ == history_.size()) draft_ = line_;
  at_ += earlier ? -1 : 1;
  line_ = at_ == history_.size() ? draft_ : history_[at_];
  cursor_ = line_.size();
}

void LineEditor::accept() {
  bool again = !history_.empty() && history_.back() == line_;
  if (!line_.empty() && !again) history_.push_back(line_);
  if (history_.size() > kHistoryMax) history_.erase(history_.begin());
  line_.clear();
  draft_.clear();
  cursor_ = 0;
  at_ = history_.size();
}

std::string LineEditor::redraw(std::string_view prompt) const {
  std::string out = fmt::format("\r{}{}\x1b[K", prompt, line_);
  if (std::size_t back = line_.size() - cursor_) out += fmt::format("\x1b[{}D", back);
  return out;
}

std::optional<std::string> LineEditor::last() const {
  if (history_.empty()) return std::nullopt;
  return history_.back();
}

}  // namespace ym::cli
