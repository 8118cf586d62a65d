// SPDX-License-Identifier: Apache-2.0
// `scontrol write batch_script` and `scontrol write config`.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/common/targets.h"
#include "cli/scontrol/scontrol.h"
#include "config/parse.h"
#include "model/errc.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

// Not by way of a new name: what is named may be a pipe or a device.
Status write_plainly(const std::string& path, std::string_view bytes, mode_t mode) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  bool wrote = fd >= 0;
  while (wrote && !bytes.empty()) {
    ssize_t some = ::write(fd, bytes.data(), bytes.size());
    wrote = some > 0 || (some < 0 && errno == EINTR);
    if (some > 0) bytes.remove_prefix(static_cast<std::size_t>(some));
  }
  int error = errno;
  if (fd >= 0) ::close(fd);
  if (!wrote) return fail(fmt::format("failed to open file `{}`: {}", path, std::strerror(error)));
  return {};
}

int write_script(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:write");
  auto failed = [&](std::string_view text) {
    return context.fail_with(fmt::format("job script retrieval failed: {}", text));
  };
  auto targets = parse_targets(words[0]);
  if (!targets || targets->size() != 1) return failed(text_of(Errc::InvalidJobId));
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto script = (*controller)->ask<Script>(GetScript{.job = targets->front().job});
  if (!script) return failed(script.error().text);
  std::string file = words.size() > 1 ? words[1] : fmt::format("slurm-{}.sh", words[0]);
  if (file == "-") {
    print(script->bytes);
    return 0;
  }
  if (Status written = write_plainly(file, script->bytes, 0700); !written)
    return context.fail_with(written.error().text);
  print(fmt::format("batch script for job {} written to {}\n", words[0], file));
  return 0;
}

// The configuration as it is: slurm.conf with what has been changed since it was read.
int write_config(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto whole = (*controller)->whole_config();
  if (!whole) return context.fail_with(whole.error().text);
  ClusterConfig config = **whole;
  std::vector<NodeRow> nodes;
  if (Status asked = fetch_rows<NodeRows>(**controller, QueryNodes{}, nodes); !asked)
    return context.fail_with(fmt::format("slurm_load_node error: {}", asked.error().text));
  std::vector<PartitionRow> partitions;
  if (Status asked = fetch_rows<PartitionRows>(**controller, QueryPartitions{}, partitions); !asked)
    return context.fail_with(fmt::format("slurm_load_partitions error: {}", asked.error().text));
  config.nodes.clear();
  for (const NodeRow& row : nodes) config.nodes.push_back(*row.node.spec);
  config.partitions.clear();
  for (const PartitionRow& row : partitions) config.partitions.push_back(*row.partition.spec);
  std::string path = environment_variable("SLURM_CONF_OUT").value_or((*controller)->config_path());
  std::string file =
      words.empty() ? fmt::format("{}.{}", path, show_time(wall_clock(), "now")) : words[0];
  std::string text = fmt::format("# Written by scontrol at {}\n{}", show_time(wall_clock(), "now"),
                                 print_config(config));
  if (file == "-") {
    print(text);
    return 0;
  }
  if (Status written = write_plainly(file, text, 0644); !written)
    return context.fail_with(written.error().text);
  print(fmt::format("Slurm config saved to {}\n", file));
  return 0;
}

}  // namespace

int write_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:write");
  Words rest(words.begin() + 1, words.end());
  bool script = !words[0].empty() && starts_with_ignoring_case("batch_script", words[0]);
  if (rest.size() > (script ? 2 : 1))
    return context.fail_with("too many arguments for keyword:write");
  if (script) return write_script(context, rest);
  if (!words[0].empty() && starts_with_ignoring_case("config", words[0]))
    return write_config(context, rest);
  return context.fail_with(fmt::format("invalid write argument:{}", printable(words[0])));
}

}  // namespace ym::cli
