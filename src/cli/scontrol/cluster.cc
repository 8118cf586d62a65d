// SPDX-License-Identifier: Apache-2.0
// Verbs about the cluster as a whole.
#include "base/format.h"
#include "base/text.h"
#include "cli/scontrol/data.h"
#include "cli/scontrol/scontrol.h"
#include "config/standby.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

constexpr Duration kPingTimeout{2000};

template <class Request>
int simply(ScontrolContext& context, const Request& request, std::string_view error_name) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  // One that has ended cannot say so twice.
  constexpr bool kEnds = std::is_same_v<Request, Shutdown>;
  auto done = (*controller)->template ask<Done>(request, kEnds ? Asking::Once : Asking::Repeatable);
  if (!done) return context.fail_with(fmt::format("{} error: {}", error_name, done.error().text));
  if (!done->text.empty()) print(done->text + "\n");
  return 0;
}

}  // namespace

namespace {

// With several controllers each is asked on its own: some may lead, some stand by, some be away.
int ping_each(Controller& controller) {
  const auto& all = controller.config().controllers;
  std::string leader;
  std::uint64_t epoch = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto pong = controller.ask_at<Pong>(i, Ping{}, kPingTimeout);
    print(fmt::format("Slurmctld({}) at {} is {}\n", role_name(i), all[i].name,
                      pong ? "UP" : "DOWN"));
    if (pong && pong->leader == pong->host && pong->epoch >= epoch) {
      leader = pong->leader;
      epoch = pong->epoch;
    }
  }
  if (leader.empty()) {
    print_error("no controller leads\n");
    return 1;
  }
  print(fmt::format("{} leads\n", leader));
  return 0;
}

// The same for programs; 0 if one of them answers.
int ping_data(ScontrolContext& context, Controller& controller) {
  std::vector<ControllerHost> all = controller.config().controllers;
  if (all.empty()) all.push_back({.name = "localhost"});
  bool any = false;
  print_data(context, {"ping"}, [&](DataWriter& data) {
    data.begin_list("pings");
    for (std::size_t i = 0; i < all.size(); ++i) {
      Duration before = monotonic_clock();
      auto pong = controller.ask_at<Pong>(i, Ping{}, kPingTimeout);
      auto took = std::chrono::duration_cast<std::chrono::microseconds>(monotonic_clock() - before);
      any = any || pong;
      data.begin_map().text("hostname", all[i].name).text("pinged", pong ? "UP" : "DOWN");
      data.flag("responding", pong.has_value()).integer("latency", took.count());
      data.text("mode", role_name(i)).flag("primary", i == 0);
      data.text("status", pong ? "UP" : "DOWN").end();
    }
    data.end();
  });
  return any ? 0 : 1;
}

}  // namespace

int ping_verb(ScontrolContext& context, const Words&) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  const MainConfig& config = (*controller)->config();
  if (context.settings().notation) return ping_data(context, **controller);
  if (has_standbys(config)) return ping_each(**controller);
  auto pong = (*controller)->ask<Pong>(Ping{});
  if (!pong) {
    std::string host = config.controllers.empty() ? "localhost" : config.controllers[0].name;
    print(fmt::format("Slurmctld(primary) at {} is DOWN\n", host));
    return 1;
  }
  print(fmt::format("Slurmctld({}) at {} is UP\n", pong->mode.empty() ? "primary" : pong->mode,
                    pong->host));
  if (!pong->log_writable) {
    print_error(fmt::format("warning: the controller cannot write its log{}{}\n",
                            pong->trouble.empty() ? "" : ": ", pong->trouble));
    return 1;
  }
  if (!pong->trouble.empty()) {
    print_error(fmt::format("warning: {}\n", pong->trouble));
    return 1;
  }
  return 0;
}

// With a list of nodes these alone read their files again.
int reconfigure_verb(ScontrolContext& context, const Words& words) {
  if (words.size() > 1) return context.fail_with("too many arguments for keyword:reconfigure");
  if (words.size() == 1) {
    auto hosts = hosts_of(context, words[0]);
    if (!hosts) return context.fail_with(hosts.error().text);
    return simply(context, Reconfigure{.nodes = hosts->str()}, "slurm_reconfigure");
  }
  return simply(context, Reconfigure{}, "slurm_reconfigure");
}

int shutdown_verb(ScontrolContext& context, const Words& words) {
  bool controller_only = !words.empty() && (same_ignoring_case(words[0], "slurmctld") ||
                                            same_ignoring_case(words[0], "controller"));
  if (!words.empty() && !controller_only)
    return context.fail_with("invalid shutdown argument:" + words[0]);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  // The standbys first, or one of them would take over.
  const MainConfig& config = (*controller)->config();
  for (std::size_t i = 0; has_standbys(config) && !controller_only && i < config.controllers.size();
       ++i) {
    auto pong = (*controller)->ask_at<Pong>(i, Ping{}, kPingTimeout);
    if (pong && pong->leader != pong->host)
      static_cast<void>((*controller)->ask_at<Done>(i, Shutdown{}, kPingTimeout));
  }
  return simply(context, Shutdown{.controller_only = controller_only}, "slurm_shutdown");
}

int token_verb(ScontrolContext& context, const Words& words) {
  GetToken request;
  std::string joining;
  bool has_lifespan = false;
  for (const std::string& word : words) {
    if (starts_with_ignoring_case(word, "username=")) {
      request.user = word.substr(9);
    } else if (starts_with_ignoring_case(word, "join=")) {
      joining = word.substr(5);
    } else if (starts_with_ignoring_case(word, "lifespan=")) {
      std::string_view text = std::string_view(word).substr(9);
      auto seconds = parse_unsigned<std::uint32_t>(text);
      if (same_ignoring_case(text, "infinite")) seconds = 10u * 365 * 86400;
      if (!seconds || *seconds == 0) return context.fail_with("Invalid lifespan: " + word);
      request.lifespan_s = *seconds;
      has_lifespan = true;
    } else {
      return context.fail_with("unexpected argument: " + word);
    }
  }
  if (!joining.empty())
    return join_token(context, joining,
                      has_lifespan ? request.lifespan_s : MakeJoinToken{}.lifespan_s);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto token = (*controller)->ask<Token>(request);
  if (!token)
    return context.fail_with(
        fmt::format("scontrol: error: Unable to fetch token: {}", token.error().text));
  print(fmt::format("SLURM_JWT={}\n", token->text));
  return 0;
}

int version_verb(ScontrolContext&, const Words&) {
  print("slurm " YM_SLURM_VERSION "\n");
  return 0;
}

}  // namespace ym::cli
