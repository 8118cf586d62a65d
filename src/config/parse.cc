// SPDX-License-Identifier: Apache-2.0
#include "config/parse.h"

#include "base/format.h"
#include "base/text.h"
#include "config/main_keys.h"
#include "config/nodes.h"
#include "config/partitions.h"

namespace ym {
namespace {

// Sends each line to whom it concerns. A NodeName, PartitionName … takes all that follows it on its
// line.
class Parser {
 public:
  explicit Parser(Findings& findings)
      : findings_(findings), main_(findings), nodes_(findings), partitions_(findings) {}

  void add(const ConfigLine& line) {
    for (std::size_t i = 0; i < line.assignments.size(); ++i) {
      const Assignment& assignment = line.assignments[i];
      auto opens = [&](std::string_view key) { return same_ignoring_case(assignment.key, key); };
      if (opens("NodeName")) return nodes_.add(line, i);
      if (opens("PartitionName")) return partitions_.add(line, i);
      if (opens("NodeSet")) return nodes_.add_node_set(line, i);
      if (opens("DownNodes")) return nodes_.add_down_nodes(line, i);
      if (opens("PowerAction"))
        return findings_.note_unused(KeyScope::Main, "PowerAction", assignment.value, line.place);
      main_.add(assignment, line.place);
      // The rest of such a line is about something that does not exist here.
      if (opens("FrontendName")) return;
    }
  }

  ClusterConfig finish(const std::string& path) {
    ClusterConfig config;
    main_.finish(path, MainKeys::Shown::All, config);
    nodes_.finish(config);
    partitions_.finish(nodes_, config);
    return config;
  }

 private:
  Findings& findings_;
  MainKeys main_;
  NodeLines nodes_;
  PartitionLines partitions_;
};

std::string unused_warning(const std::vector<KeyUse>& uses) {
  std::string names;
  for (const KeyUse& use : uses) names += (names.empty() ? "" : ", ") + use.text();
  return fmt::format("known but not acted on yet: {}", names);
}

}  // namespace

Result<MainConfig> parse_main_keys(const std::string& path, const ReadFile& read_file) {
  Findings findings;
  std::vector<std::string> files;
  auto lines = read_lines(path, read_file, findings.diagnostics, files, Reading::MainKeys);
  if (files.empty()) return fail(findings.diagnostics.errors());
  MainKeys keys(findings);
  for (const ConfigLine& line : lines) {
    if (findings.diagnostics.full()) break;
    for (const Assignment& assignment : line.assignments) {
      if (opens_entity(assignment.key) || same_ignoring_case(assignment.key, "PowerAction")) break;
      keys.add(assignment, line.place);
      if (same_ignoring_case(assignment.key, "FrontendName")) break;
    }
  }
  MainConfig config;
  if (!findings.diagnostics.full()) keys.finish(path, MainKeys::Shown::Given, config);
  if (findings.diagnostics.failed()) return fail(findings.diagnostics.errors());
  return config;
}

Result<ParsedConfig> parse_config(const std::string& path, const ReadFile& read_file) {
  Findings findings;
  ParsedConfig parsed;
  std::vector<ConfigLine> lines = read_lines(path, read_file, findings.diagnostics, parsed.files);
  if (parsed.files.empty()) return fail(findings.diagnostics.errors());
  Parser parser(findings);
  for (const ConfigLine& line : lines) {
    if (findings.diagnostics.full()) break;
    parser.add(line);
  }
  if (!findings.diagnostics.full()) parsed.config = parser.finish(path);
  if (findings.diagnostics.failed()) return fail(findings.diagnostics.errors());
  parsed.warnings = findings.diagnostics.warnings();
  if (!findings.not_acted_on.empty())
    parsed.warnings.push_back(unused_warning(findings.not_acted_on));
  parsed.not_acted_on = std::move(findings.not_acted_on);
  return parsed;
}

}  // namespace ym
