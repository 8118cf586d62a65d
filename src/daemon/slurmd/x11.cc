// SPDX-License-Identifier: Apache-2.0
// X clients of a job here (srun --x11, PrologFlags=X11): slurmd opens a display for the job on this
// node's loopback, a process of the user (slurm-x11) serves it, and whatever is started here from
// then on finds it in DISPLAY and XAUTHORITY. What a restarted slurmd starts does not: it has
// forgotten the display, which goes on for those who know it.
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/format.h"
#include "base/text.h"
#include "daemon/slurmd/node_daemon.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/environment_block.h"
#include "os/files.h"
#include "wire/codec.h"
#include "wire/messages.h"
#include "x11/cookie.h"
#include "x11/display.h"
#include "x11/xauthority.h"

namespace ym {
namespace {

// Slurm's first; as many as a node can have jobs with a display.
constexpr std::uint32_t kFirstDisplay = 20, kDisplays = 480;
constexpr int kBacklog = 64;
constexpr const char* kNotAvailable = "X11 forwarding not available";

Fd listen_on(std::uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fd;
  int again = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), kBacklog) != 0)
    return Fd();
  return fd;
}

// Where the connection is ours already.
void tell_refusal(int fd, const std::string& node, const std::string& text) {
  std::string bytes;
  append_frame(bytes, {.type = wire::message_number<X11Opened>},
               wire::encode(X11Opened{.node = node, .error = text}));
  [[maybe_unused]] ssize_t wrote =
      ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool has_parameter(const ClusterConfig& config, std::string_view word) {
  for (const auto& [key, value] : config.shown)
    if (key == "X11Parameters")
      for (std::string_view one : split_words(value, ','))
        if (same_ignoring_case(one, word)) return true;
  return false;
}

}  // namespace

// The display's number and file are known when it returns, so that whatever is launched next has
// them.
Result<Fd> NodeDaemon::start_display(Sluid sluid, const LaunchFacts& facts) {
  if (!loaded_.config.prolog_flags.x11) return fail(kNotAvailable);
  if (x11_.contains(sluid)) return fail("the job has a display on this node already");
  for (std::uint32_t display = kFirstDisplay; display < kFirstDisplay + kDisplays; ++display) {
    Fd listener = listen_on(static_cast<std::uint16_t>(kX11Port + display));
    if (!listener) continue;
    X11Here here{.display = display};
    if (has_parameter(loaded_.config, "home_xauthority")) {
      here.file = here.argument = facts.user.home + "/.Xauthority";
    } else {
      here.argument = fmt::format("{}/.slurm-x11-{}/", facts.temp_dir, hex_of_bytes(new_cookie()));
      here.file = here.argument + "Xauthority";
    }
    x11_[sluid] = std::move(here);
    return listener;
  }
  return fail("no display is free on this node");
}

// REQUIRES: start_display.
Status NodeDaemon::start_x11(Sluid sluid, const LaunchFacts& facts, Shepherds::Aside wish) {
  X11Here& here = x11_.at(sluid);
  std::string groups;
  for (std::uint32_t group : facts.groups)
    groups += fmt::format("{}{}", groups.empty() ? "" : ",", group);
  std::vector<std::string> arguments = {"slurm-x11",
                                        std::to_string(facts.user.uid),
                                        std::to_string(facts.user.gid),
                                        groups,
                                        node_.name,
                                        std::to_string(here.display),
                                        here.argument,
                                        cookie_host()};
  arguments.insert(arguments.end(), wish.arguments.begin(), wish.arguments.end());
  wish.arguments = std::move(arguments);
  wish.program = program_folder() + "/slurm-x11";
  wish.on_end = [this, sluid] { x11_.erase(sluid); };
  auto started = shepherds_.run_aside(std::move(wish));
  if (!started) {
    x11_.erase(sluid);
    return std::unexpected(started.error());
  }
  here.aside = *started;
  return {};
}

void NodeDaemon::open_x11(ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
  auto refuse_it = [&](const std::string& text) {
    log_.error("refused a display: {}", text);
    server_->send(from, {.type = wire::message_number<X11Opened>},
                  wire::encode(X11Opened{.node = node_.name, .error = text}));
    server_->close(from, {});
  };
  auto request = wire::decode<OpenX11>(frames.front().payload);
  if (!request) return refuse_it(request.error().text);
  if (request->cookie.size() != kCookieBytes) return refuse_it("that is no cookie");
  auto credential = open_credential(request->credential, request->signature);
  if (!credential) return refuse_it(credential.error().text);
  if (agent_.revoked(credential->sluid)) return refuse_it("Job credential revoked");
  auto share = check_credential(*credential, node_.name, peer.uid,
                                {.now = wall_clock(), .skew = authenticator_.skew()});
  if (!share) return refuse_it(share.error().text);
  auto facts = facts_for(credential->uid.value, credential->gid.value);
  if (!facts) return refuse_it(facts.error().text);
  if (!loaded_.config.prolog_flags.x11) return refuse_it(kNotAvailable);
  take_connection(from, std::move(frames),
                  [this, facts = *facts, sluid = credential->sluid,
                   cookie = hex_of_bytes(request->cookie)](Shepherds::Connection connection) {
                    int fd = connection.fd.get();
                    auto listener = start_display(sluid, facts);
                    if (!listener) return tell_refusal(fd, node_.name, listener.error().text);
                    Status started = start_x11(sluid, facts,
                                               {.connection = std::move(connection),
                                                .secret = cookie,
                                                .listener = std::move(*listener)});
                    if (!started) log_.error("no display: {}", started.error().text);
                  });
}

// sbatch --x11: nobody waits for the job, so its display is one that this node can reach itself.
void NodeDaemon::open_x11_of_batch(const LaunchJob& job, const LaunchFacts& facts) {
  EnvironmentBlock given(job.environment);
  std::string target = given.get(kX11TargetVariable);
  if (target.empty()) return;
  auto listener = start_display(job.sluid, facts);
  Status started = listener ? Status{} : std::unexpected(listener.error());
  if (started)
    started = start_x11(
        job.sluid, facts,
        {.arguments = {target},
         .secret = fmt::format("{} {}", hex_of_bytes(new_cookie()), given.get(kX11CookieVariable)),
         .listener = std::move(*listener)});
  if (!started) log_.error("job {} has no display: {}", job.job.value, started.error().text);
}

void NodeDaemon::close_x11(Sluid sluid) {
  auto here = x11_.find(sluid);
  if (here != x11_.end() && here->second.aside) shepherds_.stop_aside(*here->second.aside);
}

void NodeDaemon::show_display(ShepherdOrder& order) const {
  auto here = x11_.find(order.sluid);
  if (here == x11_.end()) return;
  EnvironmentBlock environment(order.environment);
  environment.set("DISPLAY", fmt::format("localhost:{}.0", here->second.display));
  environment.set("XAUTHORITY", here->second.file);
  order.environment = environment.bytes();
}

}  // namespace ym
