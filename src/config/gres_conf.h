// SPDX-License-Identifier: Apache-2.0
// gres.conf text in, lines of generic resources out.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "config/lex.h"
#include "model/gres.h"

namespace ym {

inline constexpr std::size_t kGresLinesMax = 10'000;

struct ParsedGresConfig {
  std::vector<GresLine> lines;        // in the file's order
  std::vector<std::string> warnings;  // "gres.conf:3: …"
};

// `types` is GresTypes of slurm.conf: no line may name another. On failure the error's text holds
// every message, each with its file and line.
Result<ParsedGresConfig> parse_gres_conf(const std::string& path, const std::string& types,
                                         const ReadFile& read_file);

}  // namespace ym
