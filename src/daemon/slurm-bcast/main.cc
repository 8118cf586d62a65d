// SPDX-License-Identifier: Apache-2.0
// slurm-bcast UID GID GROUPS NODE CLUSTER plain|any|named TRUST: receives one file on one node and
// passes it on to the nodes behind it. Started by slurmd only, which has checked the credential;
// becomes the user before it reads anything. GROUPS are numbers with commas. The next nodes are
// reached without TLS, or with it and believed by the file TRUST; with `named` their certificates
// must have their names.
//
// Descriptors: 3 the connection, 4 a file with what was read of it already, 5 a file with a token
// of the user, with which the next nodes are asked.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "bcast/bcast_file.h"
#include "bcast/bcast_tree.h"
#include "net/trust_file.h"
#include "os/files.h"
#include "os/helper.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kDialPatience = std::chrono::seconds(10);
// A slow disk somewhere behind us is not a dead node.
constexpr Duration kPatience = std::chrono::seconds(120);

int serve(Client caller, const std::string& node, const ClientOptions& options, bool named) {
  BcastTree tree(
      [&options, named](const NodeAddress& to) {
        ClientOptions its = options;
        if (named) its.tls_name = to.name;
        return Client::connect({.host = to.address.empty() ? to.name : to.address, .port = to.port},
                               its);
      },
      kPatience);
  BcastFile file;
  for (bool first = true;; first = false) {
    auto frame = caller.receive(kPatience);
    if (!frame || frame->header.type != wire::message_number<BcastChunk>) return 1;
    auto piece = wire::decode<BcastChunk>(frame->payload);
    if (!piece) return 1;
    if (first)
      tree.start(*piece);
    else
      tree.pass_on(*piece);
    Status taken = file.take(*piece);
    NodeOutcomes outcomes;
    outcomes.outcomes.push_back({.node = node, .error = taken ? "" : taken.error().text});
    for (const auto& [name, error] : tree.collect())
      outcomes.outcomes.push_back({.node = name, .error = error});
    FrameHeader header{.type = wire::message_number<NodeOutcomes>,
                       .correlation = frame->header.correlation};
    if (!caller.send(header, wire::encode(outcomes), kPatience)) return 1;
    if (piece->last) return 0;
  }
}

}  // namespace
}  // namespace ym

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "-V") == 0) {
    std::puts("slurm " YM_SLURM_VERSION);
    return 0;
  }
  if (argc != 8 || ::fcntl(3, F_GETFD) < 0) {
    std::fputs("slurm-bcast: is started by slurmd only\n", stderr);
    return 1;
  }
  // Read while we are still slurmd's: the files in memory are not the user's to open.
  std::string residual = ym::read_inherited(4);
  ym::ClientOptions options{.cluster = argv[5], .connect_timeout = ym::kDialPatience};
  options.token = ym::read_inherited(5);
  if (!ym::become_user(argv[1], argv[2], argv[3])) return 1;
  std::string_view tls = argv[6];
  if (tls != "plain") {
    auto believed = ym::read_file(argv[7]);
    auto context = believed ? ym::TlsContext::client(ym::parse_trust(*believed))
                            : std::unexpected(believed.error());
    if (!context || !(*context)->verifies()) return 1;
    options.tls = std::move(*context);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(0);
  return ym::serve(ym::Client::adopt(3, std::move(residual)), argv[4], options, tls == "named");
}
