// SPDX-License-Identifier: Apache-2.0
// slurm-x11 UID GID GROUPS NODE DISPLAY XAUTHORITY HOST [TARGET]: lets X clients of a job on this
// node reach its user's display. Started by slurmd only, which has checked who asks; becomes the
// user before it does anything. GROUPS are numbers with commas; an XAUTHORITY that ends in a slash
// is a folder to be made for the file. Ends with its connection, or when slurmd says that the job
// is over.
//
// Descriptors: 3 the connection to the user's command, 4 a file with what was read of it already, 5
// a file with the cookies, in hexadecimal: what clients show and, with TARGET, what it is to see; 6
// listens for clients. With TARGET, the display of a batch job whose command is gone, there is no
// connection: this process goes there itself.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <list>
#include <string>
#include <vector>

#include "base/text.h"
#include "net/silence.h"
#include "os/files.h"
#include "os/helper.h"
#include "wire/codec.h"
#include "wire/messages.h"
#include "x11/cookie.h"
#include "x11/relay.h"
#include "x11/xauthority.h"

namespace ym {
namespace {

constexpr Duration kSilence = std::chrono::seconds(60);

struct Wish {
  std::string node, folder, xauthority, host, target;
  std::uint32_t display = 0;
  std::string shown, real;  // cookies
};

void serve(std::list<Relay>& relays, int signals) {
  for (;;) {
    std::vector<pollfd> fds = {{.fd = signals, .events = POLLIN, .revents = 0},
                               {.fd = 6, .events = POLLIN, .revents = 0}};
    for (const Relay& relay : relays) relay.add_polls(fds);
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[0].revents) return;
    std::size_t next = 2;
    for (Relay& relay : relays) relay.go_on(fds, next);
    if (fds[1].revents) {
      Fd client(::accept4(6, nullptr, nullptr, SOCK_CLOEXEC));
      if (client) relays.front().take_client(std::move(client));
    }
    for (const Relay& relay : relays)
      if (relay.over()) return;
  }
}

// Both ends of the tunnel are here.
bool connect_both(std::list<Relay>& relays, const Wish& wish) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
  auto address = parse_address(wish.target);
  if (!address) return false;
  relays.emplace_back(Channel(Fd(pair[0])), "", std::nullopt);
  relays.emplace_back(Channel(Fd(pair[1])), "",
                      Relay::Display{.dial = [to = *address] { return dial_display(to); },
                                     .shown = wish.shown,
                                     .real = wish.real});
  return true;
}

void tell(const X11Opened& opened) {
  std::string bytes;
  append_frame(bytes, {.type = wire::message_number<X11Opened>}, wire::encode(opened));
  [[maybe_unused]] ssize_t wrote = ::send(3, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Nobody else's: in a folder that all may write to, the name alone would not do.
Status make_folder(const std::string& folder) {
  if (folder.empty() || ::mkdir(folder.c_str(), 0700) == 0) return {};
  return fail(errno_text(folder));
}

int run(const Wish& wish, std::string residual) {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  Fd signals(::signalfd(-1, &set, SFD_CLOEXEC));
  Status ready = make_folder(wish.folder);
  if (ready) ready = set_cookie(wish.xauthority, wish.host, wish.display, wish.shown);
  if (wish.target.empty())
    tell({.node = wish.node,
          .display = wish.display,
          .error = ready ? "" : "could not write temporary xauth file: " + ready.error().text});
  if (!ready || !signals) return 1;
  std::list<Relay> relays;
  if (!wish.target.empty()) {
    if (!connect_both(relays, wish)) return 1;
  } else {
    watch_for_silence(3, kSilence);
    relays.emplace_back(Channel(Fd(3)), std::move(residual), std::nullopt);
  }
  serve(relays, signals.get());
  // The user's own file stays; one that was made for this display only goes.
  if (wish.folder.empty()) return set_cookie(wish.xauthority, wish.host, wish.display, "") ? 0 : 1;
  ::unlink(wish.xauthority.c_str());
  ::rmdir(wish.folder.c_str());
  return 0;
}

}  // namespace
}  // namespace ym

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "-V") == 0) {
    std::puts("slurm " YM_SLURM_VERSION);
    return 0;
  }
  if ((argc != 8 && argc != 9) || ::fcntl(6, F_GETFD) < 0) {
    std::fputs("slurm-x11: is started by slurmd only\n", stderr);
    return 1;
  }
  // Read while we are still slurmd's: the files in memory are not the user's to open.
  std::string residual = ym::read_inherited(4), secrets = ym::read_inherited(5);
  ym::Wish wish{.node = argv[4], .xauthority = argv[6], .host = argv[7]};
  wish.display = ym::parse_unsigned<std::uint32_t>(argv[5]).value_or(0);
  if (argc == 9) wish.target = argv[8];
  if (wish.xauthority.ends_with('/')) {
    wish.folder = wish.xauthority;
    wish.xauthority += "Xauthority";
  }
  auto cookies = ym::split_words(secrets, ' ');
  auto shown = ym::bytes_of_hex(cookies.empty() ? "" : cookies.front());
  auto real = ym::bytes_of_hex(cookies.empty() ? "" : cookies.back());
  if (!shown || !real || !ym::become_user(argv[1], argv[2], argv[3])) return 1;
  wish.shown = *shown;
  wish.real = *real;
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  return ym::run(wish, std::move(residual));
}
