// SPDX-License-Identifier: Apache-2.0
#include "cli/common/steps_here.h"

#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/tree_call.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

Result<StepsHere> ask(Client& client, const QueryStepsHere& question, Duration timeout) {
  auto frame = client.call(wire::message_number<QueryStepsHere>, wire::encode(question), timeout);
  if (!frame) return std::unexpected(frame.error());
  if (frame->header.type != wire::message_number<StepsHere>)
    return fail("slurmd's answer is of an unexpected kind");
  return wire::decode<StepsHere>(frame->payload);
}

}  // namespace

std::vector<NodeAnswer> ask_nodes(Controller& controller, const std::vector<NodeAddress>& nodes,
                                  const QueryStepsHere& question) {
  std::vector<NodeAnswer> out;
  for (TreeAnswer& row :
       call_tree(controller, wire::message_number<QueryStepsHere>, wire::encode(question), nodes,
                 controller.config().message_timeout)) {
    auto steps = row.error.empty() ? wire::decode<StepsHere>(row.payload)
                                   : Result<StepsHere>(fail(row.error));
    out.push_back({.node = std::move(row.node), .steps = std::move(steps)});
  }
  return out;
}

Result<StepsHere> ask_local_node(const Controller& controller, std::string name,
                                 const QueryStepsHere& question) {
  if (name.empty()) name = environment_variable("SLURMD_NODENAME").value_or("");
  ClientOptions options{.cluster = controller.config().cluster_name};
  auto config = controller.whole_config();
  if (!config) return std::unexpected(config.error());
  for (const NodeSpec& node : (*config)->nodes) {
    if (!name.empty() && node.name != name) continue;
    std::string path = node_socket(**config, node.name);
    if (::access(path.c_str(), W_OK) != 0) continue;
    auto client = Client::connect({.path = path}, options);
    if (!client && name.empty()) continue;  // left over from a slurmd that is gone
    if (!client) return std::unexpected(client.error());
    return ask(*client, question, controller.config().message_timeout);
  }
  return fail(name.empty()
                  ? "no slurmd runs on this machine"
                  : fmt::format("slurmd of node {} does not run on this machine", printable(name)));
}

}  // namespace ym::cli
