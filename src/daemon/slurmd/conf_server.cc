// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/conf_server.h"

#include <unistd.h>

#include "base/format.h"
#include "config/parse.h"
#include "config/values.h"
#include "net/client.h"
#include "net/keyring.h"
#include "net/tls_errors.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/users.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr const char* kKeyFile = "/etc/slurm/slurm.key";

// Nothing is fetched without the cluster's key: it is what makes the node a member, and what the
// controller proves.
Result<KeyRing> keys_for_fetching() {
  std::string path = fetched_key_file();
  std::string set = path.substr(0, path.rfind('/') + 1) + "slurm.jwks";
  return load_keyring({.key = path, .jwks = set}, false, wall_clock());
}

ClientOptions proving(const KeyRing& keys) {
  ClientOptions options;
  options.make_token = [keys](std::string_view binding) {
    Instant now = wall_clock();
    TokenClaims claims{.user = "root",
                       .uid = ::geteuid(),
                       .gid = ::getegid(),
                       .issued = now,
                       .expires = now + std::chrono::minutes(1),
                       .audience = {},
                       .kind = "node",
                       .id = {},
                       .binding = std::string(binding),
                       .once = true};
    return sign_token(keys, std::move(claims), system_entropy());
  };
  options.check_proof = [keys](const Greeting& greeting, std::string_view proof) {
    return check_server(keys, greeting, proof, {.now = wall_clock()});
  };
  return options;
}

// With TLS if the controller speaks it. Who stands between and says that it does not gains nothing:
// a controller that speaks TLS takes no token of a node that is not bound to its connection.
Result<Client> connect_for_fetching(const Address& address) {
  if (address.is_unix()) return Client::connect(address, {});
  auto keys = keys_for_fetching();
  if (!keys) return std::unexpected(keys.error());
  ClientOptions options = proving(*keys);
  auto any = TlsContext::client({});
  if (!any) return std::unexpected(any.error());
  options.tls = std::move(*any);
  auto client = Client::connect(address, options);
  if (client || client.error().text.find(kNoTls) == std::string::npos) return client;
  options.tls = nullptr;
  return Client::connect(address, options);
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
  auto client = connect_for_fetching(*address);
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
