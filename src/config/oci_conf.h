// SPDX-License-Identifier: Apache-2.0
// oci.conf text in, OciConfig value out.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/lex.h"
#include "model/config.h"

namespace ym {

struct ParsedOciConfig {
  OciConfig config;
  std::vector<std::string> warnings;  // "oci.conf:3: …"
};

// A file that can run nothing (neither RunTimeRun nor the pair RunTimeCreate and RunTimeStart), a
// pattern with a letter that means nothing, and a regular expression that is none are refused.
// On failure the error's text holds every message, each with its file and line.
Result<ParsedOciConfig> parse_oci_conf(const std::string& path, const ReadFile& read_file);

// Every word that may stand there.
std::span<const std::string_view> oci_keys();

}  // namespace ym
