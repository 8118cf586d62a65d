// SPDX-License-Identifier: Apache-2.0
// slurm.conf as a command knows it: the keys that stand alone at once, nodes, partitions and other
// files when somebody asks for them. A cluster of ten thousand nodes costs a command that names
// none of them nothing.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "site/configuration.h"

namespace ym::cli {

class SlurmConf {
 public:
  explicit SlurmConf(LoadedMainConfig main) : main_(std::move(main)) {}
  explicit SlurmConf(LoadedConfiguration all)
      : main_{.path = all.path, .config = all.config}, all_(std::move(all)) {}

  const std::string& path() const { return main_.path; }
  const MainConfig& main() const { return main_.config; }
  // Read at the first call, which may fail; the reference stays.
  Result<const LoadedConfiguration*> all() {
    if (!all_) {
      auto loaded = load_configuration(main_.path);
      if (!loaded) return std::unexpected(loaded.error());
      all_ = std::move(*loaded);
    }
    return &*all_;
  }

 private:
  LoadedMainConfig main_;
  std::optional<LoadedConfiguration> all_;
};

}  // namespace ym::cli
