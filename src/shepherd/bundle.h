// SPDX-License-Identifier: Apache-2.0
// config.json of an OCI bundle, as its author wrote it, and as a task needs it. Text in, text out.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kBundleConfigMax = 4 << 20;

// One JSON object as its members' names and texts: what we do not know stays as it was.
class JsonMembers {
 public:
  // Refuses what is not one well-formed object, or has a name twice.
  static Result<JsonMembers> parse(std::string_view text);

  // The value as it stands there; empty if there is none.
  std::string_view get(std::string_view name) const;
  void set(std::string_view name, std::string text);
  void remove(std::string_view name);
  std::string str() const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

// What a task makes of it.
struct BundleChange {
  std::string bundle;                    // absolute path of the author's bundle
  std::vector<std::string> arguments;    // program and arguments
  std::vector<std::string> environment;  // NAME=value; config.json's own count more
  std::string cwd;                       // empty: config.json's
  bool terminal = false;
  std::string mount_from, mount_to;  // a folder to be seen inside; empty: none
  std::vector<std::string> disabled_hooks;
};

struct BundleFacts {
  std::string rootfs;                     // absolute
  std::vector<std::string> destinations;  // of its mounts
  std::vector<std::string> binds;         // those of them that are folders of the host
  std::vector<std::string> environment;   // its own
};

Result<BundleFacts> bundle_facts(std::string_view config, std::string_view bundle);
Result<std::string> change_bundle(std::string_view config, const BundleChange& change);

}  // namespace ym
