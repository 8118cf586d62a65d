// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/cluster.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "config/values.h"
#include "os/files.h"
#include "site/personal.h"

namespace ym::cli {
namespace {

constexpr Duration kQuick{2000};
constexpr std::size_t kLogRead = 64 << 20;

// Without links; as it is if it does not exist.
std::string resolved(const std::string& path) {
  char real[PATH_MAX];
  return ::realpath(path.c_str(), real) ? std::string(real) : path;
}

}  // namespace

Result<std::string> cluster_folder(const std::string& given) {
  std::string path = given.empty() ? personal_folder() : given;
  if (path.empty()) return fail("HOME is not set; say where the cluster lives with --dir");
  if (!path.starts_with('/')) {
    char here[PATH_MAX];
    if (!::getcwd(here, sizeof here)) return fail(errno_text("the current folder"));
    path = fmt::format("{}/{}", here, path);
  }
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return resolved(path);
}

Result<LoadedConfiguration> cluster_configuration(const std::string& dir) {
  if (dir.empty()) return load_configuration();
  auto folder = cluster_folder(dir);
  if (!folder) return std::unexpected(folder.error());
  return load_configuration(personal_configuration(*folder));
}

std::string spool_root(const ClusterConfig& config) {
  std::string root = config.spool_dir.substr(0, config.spool_dir.find('%'));
  if (root.size() == config.spool_dir.size()) return root;
  return root.substr(0, root.rfind('/'));
}

std::vector<ClusterProcess> processes_of(const LoadedConfiguration& loaded) {
  return cluster_processes(resolved(loaded.path), spool_root(loaded.config));
}

std::optional<Pong> ping_quickly(const LoadedConfiguration& loaded) {
  ClientOptions options{.cluster = loaded.config.cluster_name, .connect_timeout = kQuick};
  auto client = Client::connect({.path = controller_socket(loaded.config)}, options);
  if (!client) return std::nullopt;
  auto frame = client->call(wire::message_number<Ping>, wire::encode(Ping{}), kQuick);
  if (!frame || frame->header.type != wire::message_number<Pong>) return std::nullopt;
  auto pong = wire::decode<Pong>(frame->payload);
  if (!pong) return std::nullopt;
  return *pong;
}

Result<std::vector<NodeRow>> ask_nodes(Controller& controller) {
  std::vector<NodeRow> rows;
  Status asked = controller.ask_many<NodeRows>(
      QueryNodes{},
      [&rows](NodeRows&& some) {
        for (NodeRow& row : some.rows) rows.push_back(std::move(row));
      },
      [&rows] { rows.clear(); });
  if (!asked) return std::unexpected(asked.error());
  return rows;
}

Result<std::vector<JobRow>> ask_active_jobs(Controller& controller) {
  std::vector<JobRow> rows;
  Status asked = controller.ask_many<JobRows>(
      QueryJobs{},
      [&rows](JobRows&& some) {
        for (JobRow& row : some.rows) rows.push_back(std::move(row));
      },
      [&rows] { rows.clear(); });
  if (!asked) return std::unexpected(asked.error());
  return rows;
}

std::string node_log_path(const MainConfig& config, const NodeSpec& node) {
  return expand_node_path(config.node_log, node.name,
                          node.hostname.empty() ? node.name : node.hostname);
}

std::string log_tail(const std::string& path, std::size_t lines) {
  auto text = read_file(path, kLogRead);
  if (!text) return {};
  std::vector<std::string_view> all = split(trim(*text), '\n');
  std::size_t first = all.size() > lines ? all.size() - lines : 0;
  std::string out;
  for (std::size_t i = first; i < all.size(); ++i)
    if (!all[i].empty()) out += fmt::format("\n  {}", printable(all[i], 400));
  return out;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace ym::cli
