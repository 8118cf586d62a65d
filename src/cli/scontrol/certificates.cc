// SPDX-License-Identifier: Apache-2.0
// Verbs about certificates: which there are, which are believed no more, who may join.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/scontrol/scontrol.h"

namespace ym::cli {

int join_token(ScontrolContext& context, const std::string& node, std::uint32_t lifespan_s) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto token =
      (*controller)
          ->ask<Token>(MakeJoinToken{.node = node, .lifespan_s = lifespan_s});
  if (!token) return context.fail_with("no join token: " + token.error().text);
  print(token->text + "\n");
  return 0;
}

int revoke_verb(ScontrolContext& context, const Words& words) {
  if (words.size() != 1) return context.fail_with("revoke takes a node, or serial=SERIAL");
  RevokeCertificate wish;
  if (starts_with_ignoring_case(words[0], "serial="))
    wish.serial = to_lower(words[0].substr(7));
  else if (starts_with_ignoring_case(words[0], "node="))
    wish.node = words[0].substr(5);
  else
    wish.node = words[0];
  if (wish.node.empty() && wish.serial.empty())
    return context.fail_with("revoke takes a node, or serial=SERIAL");
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(wish);
  if (!done) return context.fail_with("not revoked: " + done.error().text);
  return 0;
}

int certificates_verb(ScontrolContext& context, const Words& words) {
  if (!words.empty()) return context.fail_with("too many arguments for keyword:certificates");
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto all = (*controller)->ask<Certificates>(QueryCertificates{});
  if (!all) return context.fail_with(all.error().text);
  for (const CertificateRow& row : all->rows)
    print(fmt::format("Name={} Serial={} Until={} State={}\n", row.name, row.serial,
                      show_time(row.until, "Unknown"), row.revoked ? "REVOKED" : "GOOD"));
  for (const std::string& name : all->blocked)
    print(fmt::format("Name={} State=REVOKED Reason=\"it comes back with a join token\"\n", name));
  return 0;
}

}  // namespace ym::cli
