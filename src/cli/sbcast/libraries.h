// SPDX-License-Identifier: Apache-2.0
// Which shared libraries a program needs, as its own loader says.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym::cli {

// The loader that a program names in its ELF header; empty for scripts and static programs. `head`
// is the file's beginning.
std::string elf_interpreter(std::string_view head);
// The paths in what a loader's --list prints, in order.
std::vector<std::string> parse_loader_list(std::string_view text);
// Whether the path is one of these, or below one.
bool excluded(std::string_view path, const std::vector<std::string>& prefixes);
// Commas between; "none" is nothing.
std::vector<std::string> parse_exclusions(std::string_view text);

// Runs the loader. Without those that are excluded.
Result<std::vector<std::string>> libraries_of(const std::string& program,
                                              const std::vector<std::string>& exclusions);

}  // namespace ym::cli
