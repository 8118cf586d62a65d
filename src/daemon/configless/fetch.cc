// SPDX-License-Identifier: Apache-2.0
#include "daemon/configless/fetch.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "base/format.h"
#include "base/text.h"
#include "config/parse.h"
#include "config/values.h"
#include "model/errc.h"
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
constexpr Duration kFirstPause = std::chrono::milliseconds(500);
constexpr Duration kLongestPause = std::chrono::seconds(10);
constexpr const char* kKeyFile = "/etc/slurm/slurm.key";

Result<KeyRing> keys_for_fetching() {
  std::string path = fetched_key_file();
  std::string set = path.substr(0, path.rfind('/') + 1) + "slurm.jwks";
  return load_keyring({.key = path, .jwks = set}, false, wall_clock());
}

// Also a login node's is a token of a node: over TLS it serves on its own channel only.
ClientOptions proving(const KeyRing& keys) {
  ClientOptions options;
  options.make_token = [keys](std::string_view binding) {
    Instant now = wall_clock();
    TokenClaims claims{.uid = ::geteuid(),
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
// a controller that speaks TLS takes no token of a node that is not bound to its connection, and
// what is fetched is believed because of the proof.
Result<Client> connect_for_fetching(const Address& address, ClientOptions options) {
  auto client = Client::connect(address, options);
  if (client || client.error().text.find(kNoTls) == std::string::npos) return client;
  options.tls = nullptr;
  return Client::connect(address, options);
}

Result<ConfigFiles> fetch_from(const Address& server, const ClientOptions& options) {
  auto client = connect_for_fetching(server, options);
  // Nothing was said, so nobody has refused anything.
  if (!client) return fail(kNobodyThere, client.error().text);
  auto answer =
      client->call(wire::message_number<FetchConfig>, wire::encode(FetchConfig{}), kPatience);
  if (answer && answer->header.type != wire::message_number<Failure>)
    return wire::decode<ConfigFiles>(answer->payload);
  Error error = answer ? Error() : answer.error();
  if (answer) {
    auto failure = wire::decode<Failure>(answer->payload);
    error = failure ? Error{.code = failure->code, .text = failure->text} : failure.error();
  }
  bool stands_by = error.code == static_cast<std::uint32_t>(Errc::InStandby);
  return fail(stands_by ? kNobodyThere : 0, error.text);
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos;
}

}  // namespace

std::string fetched_key_file() { return environment_variable("SLURM_KEY_FILE").value_or(kKeyFile); }

Result<std::vector<Address>> parse_conf_servers(std::string_view text) {
  std::vector<Address> servers;
  for (std::string_view word : split_words(text, ',')) {
    auto address = parse_address(word, kControllerPort);
    if (!address) return std::unexpected(address.error());
    if (address->is_unix() || address->port == 0)
      return fail(fmt::format("--conf-server: \"{}\" is no host:port", printable(word)));
    servers.push_back(std::move(*address));
  }
  if (servers.empty()) return fail("--conf-server names no host");
  return servers;
}

Result<ConfigFiles> fetch_files(const std::vector<Address>& servers) {
  auto keys = keys_for_fetching();
  if (!keys) return std::unexpected(keys.error());
  ClientOptions options = proving(*keys);
  auto any = TlsContext::client({});
  if (!any) return std::unexpected(any.error());
  options.tls = std::move(*any);
  std::string absent;
  for (const Address& server : servers) {
    auto files = fetch_from(server, options);
    if (files || files.error().code != kNobodyThere) return files;
    absent += fmt::format("{}{}", absent.empty() ? "" : "; ", files.error().text);
  }
  return fail(kNobodyThere, absent);
}

Result<ConfigFiles> fetch_patiently(const std::vector<Address>& servers, const WaitFn& wait) {
  for (Duration pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    auto files = fetch_files(servers);
    if (files || files.error().code != kNobodyThere) return files;
    wait(files.error().text, pause);
  }
}

WaitFn waiting_aloud(std::string program) {
  return [program = std::move(program), said = std::string()](const std::string& why,
                                                              Duration pause) mutable {
    if (why != said) fmt::print(stderr, "{}: waiting for slurmctld: {}\n", program, why);
    said = why;
    std::this_thread::sleep_for(pause);
  };
}

Result<std::string> node_folder(const ConfigFiles& files, const std::string& node) {
  auto parsed = parse_config("slurm.conf", [&](const std::string& name) -> Result<std::string> {
    for (const ConfigFile& file : files.files)
      if (file.name == name) return file.text;
    return fail("the controller did not send " + name);
  });
  if (!parsed) return std::unexpected(parsed.error());
  std::string name = node.empty() ? host_name() : node;
  return expand_node_path(parsed->config.spool_dir, name, host_name()) + "/conf-cache";
}

std::string login_folder() {
  std::string given = environment_variable("RUNTIME_DIRECTORY").value_or("");
  given = given.substr(0, given.find(':'));  // systemd names all of a unit's
  return (given.empty() ? "/run/slurm" : given) + "/conf";
}

Result<std::string> keep_files(const ConfigFiles& files, const std::string& folder) {
  for (const ConfigFile& file : files.files)
    if (!is_plain_name(file.name))
      return fail(fmt::format("the controller sent a file named {}", printable(file.name)));
  if (Status made = make_folders(folder); !made) return std::unexpected(made.error());
  std::string first = folder + "/slurm.conf";
  const ConfigFile* slurm_conf = nullptr;
  std::set<std::string> kept;
  for (const ConfigFile& file : files.files) {
    kept.insert(file.name);
    if (file.name == "slurm.conf") {
      slurm_conf = &file;
    } else if (Status wrote = write_file(folder + "/" + file.name, file.text); !wrote) {
      return std::unexpected(wrote.error());
    }
  }
  if (!slurm_conf) return fail("the controller sent no slurm.conf");
  if (Status wrote = write_file(first, slurm_conf->text); !wrote)
    return std::unexpected(wrote.error());
  std::error_code trouble;
  for (const auto& entry : std::filesystem::directory_iterator(folder, trouble))
    if (std::string name = entry.path().filename();
        (name.ends_with(".conf") || name.ends_with(".yaml")) && !kept.contains(name))
      ::unlink(entry.path().c_str());
  return first;
}

}  // namespace ym
