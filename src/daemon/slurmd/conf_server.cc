// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/conf_server.h"

#include <unistd.h>

#include "base/format.h"
#include "config/parse.h"
#include "config/values.h"
#include "net/client.h"
#include "net/keyring.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/users.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr std::uint16_t kControllerPort = 6817;
constexpr Duration kPatience = std::chrono::seconds(30);
constexpr const char* kKeyFile = "/etc/slurm/slurm.key";

// Nothing is fetched without the cluster's key: it is what makes the node a member.
Result<std::string> token_for_fetching() {
  std::string path = fetched_key_file();
  std::string set = path.substr(0, path.rfind('/') + 1) + "slurm.jwks";
  auto keys = load_keyring({.key = path, .jwks = set}, false, wall_clock());
  if (!keys) return std::unexpected(keys.error());
  Instant now = wall_clock();
  TokenClaims claims{.user = "root",
                     .uid = ::geteuid(),
                     .gid = ::getegid(),
                     .issued = now,
                     .expires = now + std::chrono::minutes(1),
                     .audience = {},
                     .kind = "node",
                     .id = {},
                     .once = true};
  return sign_token(*keys, std::move(claims), system_entropy());
}

// Where this node keeps its things, by the files themselves.
Result<std::string> spool_of(const ConfigFiles& files, const std::string& node) {
  auto parsed = parse_config("slurm.conf", [&](const std::string& name) -> Result<std::string> {
    for (const ConfigFile& file : files.files)
      if (file.name == name) return file.text;
    return fail("the controller did not send " + name);
  });
  if (!parsed) return std::unexpected(parsed.error());
  return expand_node_path(parsed->config.spool_dir, node.empty() ? host_name() : node, host_name());
}

}  // namespace

std::string fetched_key_file() { return environment_variable("SLURM_KEY_FILE").value_or(kKeyFile); }

Result<std::string> fetch_configuration(const std::string& server, const std::string& node) {
  auto address = parse_address(server, kControllerPort);
  if (!address) return std::unexpected(address.error());
  ClientOptions options;
  if (!address->is_unix()) {
    auto token = token_for_fetching();
    if (!token) return std::unexpected(token.error());
    options.token = *token;
  }
  auto client = Client::connect(*address, options);
  if (!client) return std::unexpected(client.error());
  auto answer =
      client->call(wire::message_number<FetchConfig>, wire::encode(FetchConfig{}), kPatience);
  if (!answer) return std::unexpected(answer.error());
  if (answer->header.type == wire::message_number<Failure>) {
    auto failure = wire::decode<Failure>(answer->payload);
    return fail(failure ? failure->text : failure.error().text);
  }
  auto files = wire::decode<ConfigFiles>(answer->payload);
  if (!files) return std::unexpected(files.error());
  auto spool = spool_of(*files, node);
  if (!spool) return std::unexpected(spool.error());
  std::string folder = *spool + "/conf-cache";
  if (auto made = make_folders(folder); !made) return std::unexpected(made.error());
  for (const ConfigFile& file : files->files) {
    if (file.name.empty() || file.name.find('/') != std::string::npos || file.name.front() == '.') {
      return fail(fmt::format("the controller sent a file named {}", file.name));
    }
    if (auto wrote = write_file(folder + "/" + file.name, file.text); !wrote)
      return std::unexpected(wrote.error());
  }
  return folder + "/slurm.conf";
}

}  // namespace ym
