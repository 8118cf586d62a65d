// SPDX-License-Identifier: Apache-2.0
// Whole files in one call.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kReadMax = 256 << 20;

// "path: No such file or directory" and the like on failure.
Result<std::string> read_file(const std::string& path, std::size_t max = kReadMax);

// Until the end of what is open already; `name` is for the error.
Result<std::string> read_descriptor(int fd, std::string_view name, std::size_t max = kReadMax);

// Replaces the file as a whole or not at all: a temporary beside it, synced, renamed. The new file
// has `mode`. Sync::No writes it in place: for what nobody reads before it is whole, and what need
// not survive a power cut.
enum class Sync : bool { No, Yes };
Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0644,
                  Sync sync = Sync::Yes);

// A whole file appears under `path`, or, if the name is taken, nothing changes: of several who try,
// on any machine that shares the folder, one succeeds. Durable with its name.
Status create_file(const std::string& path, std::string_view bytes, mode_t mode);

// The names in it are durable.
Status sync_folder(const std::string& path);

// mkdir -p; existing folders are left as they are.
Status make_folders(const std::string& path, mode_t mode = 0755);

// "what: strerror(errno)"
std::string errno_text(std::string_view what);

}  // namespace ym
