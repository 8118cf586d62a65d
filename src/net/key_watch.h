// SPDX-License-Identifier: Apache-2.0
// Keeps an eye on the end of the key that signs: says so a day and an hour before, hands over to
// another key when it comes, and says when there is none left. One thread.
#pragma once
#include <optional>
#include <string>

#include "base/time.h"
#include "net/keyring.h"

namespace ym {

class KeyWatch {
 public:
  // To be called every few seconds. Changes which key signs; returns a line for the log, each once.
  std::optional<std::string> look(Keys& keys, Instant now);
  // While no key can sign: why, for people. Empty: all is well.
  const std::string& trouble() const { return trouble_; }

 private:
  enum class Stage { Fresh, Day, Hour, Replaced, Hopeless };
  static Stage stage_of(const KeyRing& ring, Instant now);

  Stage stage_ = Stage::Fresh;
  std::string name_;  // of the default that `stage_` is about
  Instant expires_;
  std::string trouble_;
};

}  // namespace ym
