// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/join.h"

#include <unistd.h>

#include "base/text.h"
#include "net/client.h"
#include "net/join_token.h"
#include "os/files.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr std::size_t kTokenFileMax = 4096;

Result<JoinToken> read_token(const std::string& token) {
  if (token.starts_with(kJoinPrefix)) return parse_join_text(token);
  auto text = read_file(token, kTokenFileMax);
  if (!text) return std::unexpected(text.error());
  while (!text->empty() && (text->back() == '\n' || text->back() == ' ')) text->pop_back();
  return parse_join_text(*text);
}

Result<Joined> ask(const Address& server, const JoinToken& token) {
  auto any = TlsContext::client({});  // the token proves both sides, on this channel
  if (!any) return std::unexpected(any.error());
  ClientOptions options;
  options.tls = std::move(*any);
  options.make_token = [&token](std::string_view binding) -> Result<std::string> {
    if (binding.empty()) return fail("a join token serves over TLS only");
    return join_greeting(token, binding);
  };
  options.check_proof = [&token](const Greeting& greeting, std::string_view proof) {
    return check_join_proof(token, greeting.token, greeting.binding, proof);
  };
  auto client = Client::connect(server, options);
  if (!client) return std::unexpected(client.error());
  auto answer =
      client->call(wire::message_number<JoinCluster>, wire::encode(JoinCluster{}), kPatience);
  if (!answer) return std::unexpected(answer.error());
  if (answer->header.type == wire::message_number<Failure>) {
    auto failure = wire::decode<Failure>(answer->payload);
    return fail(failure ? failure->text : failure.error().text);
  }
  return wire::decode<Joined>(answer->payload);
}

}  // namespace

Status join_cluster(const std::vector<Address>& servers, const std::string& token,
                    const std::string& key_file) {
  std::string folder = key_file.substr(0, key_file.rfind('/') + 1);
  std::string jwks_file = folder + "slurm.jwks";
  if (::access(key_file.c_str(), F_OK) == 0 || ::access(jwks_file.c_str(), F_OK) == 0) return {};
  auto secret = read_token(token);
  if (!secret) return std::unexpected(secret.error());
  // Before the token is used up: there must be a place for what it brings.
  if (Status made = make_folders(folder); !made) return made;
  Result<Joined> joined = fail("no controller to join");
  for (const Address& server : servers) {
    joined = ask(server, *secret);
    if (joined) break;
  }
  if (!joined) return fail("cannot join the cluster: " + joined.error().text);
  if (!joined->jwks.empty())
    if (Status wrote = write_file(jwks_file, joined->jwks, 0600); !wrote) return wrote;
  if (joined->key.empty()) return {};
  return write_file(key_file, joined->key, 0600);
}

}  // namespace ym
