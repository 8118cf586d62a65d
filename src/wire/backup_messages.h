// SPDX-License-Identifier: Apache-2.0
// The numbers of the messages of backups, as in messages.h. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/backup_messages.h"
#include "wire/messages.h"

namespace ym::wire {

template <>
inline constexpr std::uint16_t message_number<BackupState> = 420;
template <>
inline constexpr std::uint16_t message_number<BackupPart> = 421;

}  // namespace ym::wire
