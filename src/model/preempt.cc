// SPDX-License-Identifier: Apache-2.0
#include "model/preempt.h"

#include "base/text.h"

namespace ym {

std::string_view name_of(PreemptMode mode) {
  switch (mode) {
    case PreemptMode::Off: return "OFF";
    case PreemptMode::Cancel: return "CANCEL";
    case PreemptMode::Requeue: return "REQUEUE";
    case PreemptMode::Suspend: return "SUSPEND";
  }
  return "OFF";
}

PreemptWish parse_preempt_mode(std::string_view text) {
  PreemptWish wish;
  for (std::string_view word : split_words(text, ',')) {
    for (PreemptMode mode : {PreemptMode::Cancel, PreemptMode::Requeue, PreemptMode::Suspend})
      if (same_ignoring_case(word, name_of(mode))) wish.mode = mode;
    wish.gang = wish.gang || same_ignoring_case(word, "GANG");
    wish.within = wish.within || same_ignoring_case(word, "WITHIN");
  }
  return wish;
}

std::string preempt_mode_text(std::string_view text) {
  PreemptWish wish = parse_preempt_mode(text);
  std::string out;
  auto add = [&](std::string_view word) {
    if (!out.empty()) out += ',';
    out += word;
  };
  if (wish.gang) add("GANG");
  if (wish.within) add("WITHIN");
  if (wish.mode != PreemptMode::Off || out.empty()) add(name_of(wish.mode));
  return out;
}

}  // namespace ym
