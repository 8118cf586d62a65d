// SPDX-License-Identifier: Apache-2.0
// The controller's whole state on its way to somebody who keeps it.
#pragma once
#include <string>

namespace ym {

// Answered by BackupPart frames; what they carry, one after the other, is a backup (wire/backup.h).
struct BackupState {};
struct BackupPart {
  std::string bytes;
};

}  // namespace ym
