// SPDX-License-Identifier: Apache-2.0
#include "cli/common/x11_forward.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <list>
#include <optional>

#include "base/format.h"
#include "cli/common/command.h"
#include "model/x11_messages.h"
#include "net/silence.h"
#include "os/environment.h"
#include "os/files.h"
#include "x11/cookie.h"
#include "x11/relay.h"
#include "x11/xauthority.h"

namespace ym::cli {
namespace {

constexpr Duration kSilence = std::chrono::seconds(60);

std::unexpected<Error> no_cookie() {
  return fail(kWholeText, "Could not retrieve magic cookie. Cannot use X11 forwarding.");
}

// The server's address as cookie files have it; empty if it is this machine.
std::string network_address(const DisplayName& display) {
  if (display.host.empty() || display.host == "localhost") return "";
  auto places = resolve(address_of(display));
  if (!places || places->empty()) return "";
  const SocketAddress& place = places->front();
  if (place.family() == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6*>(place.get())->sin6_addr;
    return {reinterpret_cast<const char*>(&address), sizeof address};
  }
  const auto& address = reinterpret_cast<const sockaddr_in*>(place.get())->sin_addr;
  bool loopback = ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
  return loopback ? "" : std::string(reinterpret_cast<const char*>(&address), sizeof address);
}

Result<std::string> own_cookie(const DisplayName& display) {
  std::string path = environment_variable("XAUTHORITY").value_or("");
  if (path.empty()) path = environment_variable("HOME").value_or("") + "/.Xauthority";
  auto bytes = read_file(path, kXauthorityMax);
  auto entries = bytes ? parse_xauthority(*bytes) : std::unexpected(bytes.error());
  if (!entries) return no_cookie();
  auto cookie =
      find_cookie(*entries, display, {.host = cookie_host(), .address = network_address(display)});
  if (!cookie) return no_cookie();
  return *cookie;
}

struct Tunnel {
  Client client;
  std::string node, cookie;
};

Result<Tunnel> open_tunnel(Controller& controller, const NodeAddress& node,
                           const StepCreated& job) {
  auto client = controller.connect_node(node);
  if (!client) return std::unexpected(client.error());
  Tunnel tunnel{.client = std::move(*client), .node = node.name, .cookie = new_cookie()};
  Duration patience = controller.config().message_timeout;
  OpenX11 request{
      .credential = job.credential, .signature = job.signature, .cookie = tunnel.cookie};
  auto sent =
      tunnel.client.send({.type = wire::message_number<OpenX11>}, wire::encode(request), patience);
  if (!sent) return std::unexpected(sent.error());
  auto frame = tunnel.client.receive(patience);
  if (!frame) return std::unexpected(frame.error());
  auto opened = wire::decode<X11Opened>(frame->payload);
  if (frame->header.type != wire::message_number<X11Opened> || !opened)
    return fail("the node's answer is of an unexpected kind");
  if (!opened->error.empty()) return fail(opened->error);
  return tunnel;
}

// In a process of its own, until it is killed or every node has gone.
[[noreturn]] void carry(std::vector<Tunnel> tunnels, const LocalDisplay& display, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  ::sigemptyset(&none);
  for (int signal : {SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM})
    ::signal(signal, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::getppid() != parent) ::_exit(0);
  // Whoever waits for the end of our parent's output must not wait for us.
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  std::list<Relay> relays;
  for (Tunnel& tunnel : tunnels) {
    Client::Released released = tunnel.client.release();
    watch_for_silence(released.channel.fd(), kSilence);
    relays.emplace_back(std::move(released.channel), std::move(released.residual),
                        Relay::Display{.dial = [to = display.address] { return dial_display(to); },
                                       .shown = tunnel.cookie,
                                       .real = display.cookie});
  }
  while (!relays.empty()) {
    std::vector<pollfd> fds;
    for (const Relay& relay : relays) relay.add_polls(fds);
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
    std::size_t next = 0;
    for (Relay& relay : relays) relay.go_on(fds, next);
    relays.remove_if([](const Relay& relay) { return relay.over(); });
  }
  ::_exit(0);
}

}  // namespace

Result<LocalDisplay> own_display() {
  auto text = environment_variable("DISPLAY");
  if (!text || text->empty())
    return fail(kWholeText, "No DISPLAY variable set, cannot setup x11 forwarding.");
  auto name = parse_display(*text);
  if (!name)
    return fail(kWholeText,
                "Error parsing DISPLAY environment variable. Cannot use X11 forwarding.");
  LocalDisplay out{.name = *name, .address = address_of(*name)};
  struct stat about{};
  if (out.address.is_unix() && ::stat(out.address.path.c_str(), &about) != 0)
    return fail(kWholeText, fmt::format("Cannot stat() local X11 socket `{}`", out.address.path));
  auto cookie = own_cookie(*name);
  if (!cookie) return std::unexpected(cookie.error());
  out.cookie = std::move(*cookie);
  return out;
}

std::vector<NodeAddress> x11_nodes(const std::vector<NodeAddress>& all, X11Where where) {
  if (where == X11Where::All) return all;
  return {where == X11Where::Last ? all.back() : all.front()};
}

Result<X11Carrier> X11Carrier::start(Controller& controller, const std::vector<JobId>& jobs,
                                     X11Where where, const LocalDisplay& display) {
  std::vector<StepCreated> credentials;
  std::vector<NodeAddress> all;
  std::vector<std::size_t> component;
  for (JobId job : jobs) {
    auto credential = controller.ask<StepCreated>(GetJobCredential{.job = job});
    if (!credential) return std::unexpected(credential.error());
    for (const NodeAddress& node : credential->nodes) {
      all.push_back(node);
      component.push_back(credentials.size());
    }
    credentials.push_back(std::move(*credential));
  }
  if (all.empty()) return fail("the job has no nodes");
  std::vector<Tunnel> tunnels;
  std::size_t first = where == X11Where::Last ? all.size() - 1 : 0;
  for (const NodeAddress& node : x11_nodes(all, where)) {
    auto tunnel = open_tunnel(controller, node, credentials[component[first++]]);
    if (!tunnel)
      return fail(fmt::format("x11 forwarding on node {}: {}", node.name, tunnel.error().text));
    tunnels.push_back(std::move(*tunnel));
  }
  pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child < 0) return fail(errno_text("fork"));
  if (child == 0) carry(std::move(tunnels), display, parent);
  return X11Carrier(child);
}

Result<X11Carrier> carry_x11(Controller& controller, const Granted& granted, X11Where where,
                             const LocalDisplay& display) {
  std::vector<JobId> jobs;
  for (const JobRow& row : granted.rows) jobs.push_back(row.job.id);
  auto carrier = X11Carrier::start(controller, jobs, where, display);
  if (!carrier) relinquish(controller, granted.job, {.code = 1, .signal = 0});
  return carrier;
}

X11Carrier::~X11Carrier() {
  if (child_ < 0) return;
  ::kill(child_, SIGTERM);
  ::waitpid(child_, nullptr, 0);
}

Result<std::vector<std::pair<std::string, std::string>>> batch_display(const LocalDisplay& display,
                                                                       const std::string& host) {
  if (display.name.host.empty())
    return fail(kWholeTextOne,
                fmt::format("--x11: display :{} is a socket of this machine, which a batch job "
                            "cannot reach; use srun or salloc, or a display HOST:NUMBER",
                            display.name.number));
  Address target = display.address;
  if (target.host == "localhost") target.host = host;
  return std::vector<std::pair<std::string, std::string>>{
      {kX11TargetVariable, to_text(target)}, {kX11CookieVariable, hex_of_bytes(display.cookie)}};
}

}  // namespace ym::cli
