// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/foreign_resources.h"

#include <cstdint>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/options.h"

namespace ym::cli {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One -l. Counts are kept, because tasks follow from several of them.
class Resources {
 public:
  Status add(std::string_view list) {
    for (std::string_view item : split_words(list, ','))
      if (Status taken = take(trim(item)); !taken) return taken;
    return {};
  }

  std::vector<std::string> options() && {
    if (chunks_ && ranks_ && *ranks_ > 0) {
      put("ntasks", fmt::format("{}", std::uint64_t{*chunks_} * *ranks_));
      if (cpus_ && *cpus_ > *ranks_) put("cpus-per-task", fmt::format("{}", *cpus_ / *ranks_));
    }
    return std::move(options_);
  }

 private:
  void put(std::string_view name, std::string_view value) {
    options_.push_back(fmt::format("--{}={}", name, value));
  }

  // Times and nodes have colons of their own; elsewhere a colon begins the next resource.
  Status take(std::string_view item) {
    while (!item.empty()) {
      std::size_t equals = item.find('=');
      if (equals == std::string_view::npos) return {};
      std::string_view key = item.substr(0, equals);
      std::string_view value = item.substr(equals + 1);
      if (key == "nodes") return take_nodes(value);
      if (key == "walltime" || key == "cput" || key == "pcput") {
        put("time", value);
        return {};
      }
      std::size_t colon = value.find(':');
      if (Status taken = take_one(key, value.substr(0, colon)); !taken) return taken;
      item = colon == std::string_view::npos ? "" : value.substr(colon + 1);
    }
    return {};
  }

  Status take_one(std::string_view key, std::string_view value) {
    auto number = parse_unsigned<std::uint32_t>(value);
    if (key == "select") {
      put("nodes", value);
      chunks_ = number;
    } else if (key == "ncpus") {
      put("mincpus", value);
      cpus_ = number;
    } else if (key == "mpiprocs") {
      put("ntasks-per-node", value);
      ranks_ = number;
    } else if (key == "naccelerators") {
      if (!number) return bad_number(value, key);
      put("gres", fmt::format("gpu:{}", *number));
    } else if (key == "accelerator") {
      if (same_ignoring_case(value, "true")) put("gres", "gpu");
    } else if (key == "mem") {
      put("mem", sbatch_size(value));
    } else if (key == "file") {
      put("tmp", sbatch_size(value));
    } else if (key == "nice") {
      put("nice", value);
    } else if (key == "proc") {
      put("constraint", value);
    } else if (key == "mppnodes") {
      put("nodelist", value);
    }
    return {};
  }

  // "2:ppn=4+n7:ppn=1:gpus=1": numbers of nodes, or names, with what each of them has to give.
  Status take_nodes(std::string_view text) {
    std::uint64_t count = 0, named = 0, tasks = 0;
    std::string names;
    for (std::string_view group : split_words(text, '+')) {
      std::uint64_t here = 0, tasks_each = 0;
      for (std::string_view part : split_words(group, ':')) {
        if (part.starts_with("ppn=") || part.starts_with("gpus=")) {
          std::string_view key = part.substr(0, part.find('='));
          auto number = parse_unsigned<std::uint32_t>(part.substr(key.size() + 1));
          if (!number) return bad_number(part.substr(key.size() + 1), key);
          if (key == "ppn")
            tasks_each = *number;
          else
            put("gres", fmt::format("gpu:{}", *number));
        } else if (is_digit(part.front()) || part.front() == '-') {
          auto number = parse_unsigned<std::uint32_t>(part);
          if (!number)
            return fail(kBadLineExit,
                        fmt::format("\"{}\" is not a valid node count", printable(part)));
          count += *number;
          here += *number;
        } else {
          names += fmt::format("{}{}", names.empty() ? "" : ",", part);
          named += here == 0;  // "1:n3" is that one node
          if (here == 0) here = 1;
        }
      }
      tasks += here * tasks_each;
    }
    if (!names.empty()) put("nodelist", names);
    if (count > 0) put("nodes", fmt::format("{}", count + named));
    if (tasks > 0) put("ntasks", fmt::format("{}", tasks));
    return {};
  }

  static Status bad_number(std::string_view value, std::string_view key) {
    return fail(1, fmt::format("Invalid numeric value \"{}\" for {}.", printable(value), key));
  }

  std::vector<std::string> options_;
  std::optional<std::uint32_t> chunks_, cpus_, ranks_;
};

}  // namespace

std::string sbatch_size(std::string_view size) {
  if (size.size() < 2 || (size.back() != 'b' && size.back() != 'B')) return std::string(size);
  std::string_view before = size.substr(0, size.size() - 1);
  auto bytes = parse_unsigned<std::uint64_t>(before);
  if (!bytes) return std::string(before);
  return fmt::format("{}M", *bytes / kMegabyte + (*bytes % kMegabyte != 0));
}

Result<std::vector<std::string>> pbs_resources(std::string_view list) {
  Resources resources;
  if (Status added = resources.add(list); !added) return std::unexpected(added.error());
  return std::move(resources).options();
}

}  // namespace ym::cli
