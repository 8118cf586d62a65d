// SPDX-License-Identifier: Apache-2.0
// Backups. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/backup_messages.h"
#include "wire/backup.h"

namespace ym::wire {

template <class F>
void fields(F&&, const BackupState*) {}
template <class F>
void fields(F&& f, const BackupPart*) {
  f(1, "bytes", &BackupPart::bytes);
}
template <class F>
void fields(F&& f, const BackupHead*) {
  f(1, "cluster", &BackupHead::cluster);
  f(2, "seq", &BackupHead::seq);
  f(3, "time", &BackupHead::time);
  f(4, "release", &BackupHead::release);
  f(5, "format", &BackupHead::format);
}
template <class F>
void fields(F&& f, const BackupFile*) {
  f(1, "name", &BackupFile::name);
  f(2, "mode", &BackupFile::mode);
  f(3, "bytes", &BackupFile::bytes);
}

}  // namespace ym::wire
