// SPDX-License-Identifier: Apache-2.0
// PMI-1's protocol (pmi1.h) on a pair of sockets for each task.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/format.h"
#include "net/address.h"
#include "shepherd/mpi.h"
#include "shepherd/pmi1.h"

namespace ym {
namespace {

constexpr std::size_t kReadSize = 4 << 10;
constexpr std::size_t kReplyMax = 1 << 20;  // what a task may leave unread before it is cut off

std::string kvs_name(const ShepherdOrder& order) {
  if (!order.world.empty()) return "kvs_" + order.world;
  return fmt::format("kvs_{}_{}", order.job.value, order.step.value);
}

class Pmi1Tasks final : public MpiSupport {
 public:
  Pmi1Tasks(const ShepherdOrder& order, MpiVoice voice)
      : server_(kvs_name(order), order.shares, order.node_number),
        voice_(std::move(voice)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        lines_(order.shares[order.node_number].tasks) {
    for (const StepShare& share : order.shares) size_ += share.tasks;
    for (std::uint32_t n = 0; n < lines_.size(); ++n)
      lines_[n].rank = order.shares[order.node_number].rank(n);
  }

  TaskPart part_of(std::size_t local) override {
    int ends[2];
    if (local >= lines_.size() || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return {};
    Line& line = lines_[local];
    line.ours = Fd(ends[0]);
    line.theirs = Fd(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    watch(EPOLL_CTL_ADD, local, EPOLLIN);
    std::string environment;
    for (const std::string& entry :
         {fmt::format("PMI_FD={}", ends[1]), fmt::format("PMI_RANK={}", line.rank),
          fmt::format("PMI_SIZE={}", size_)})
      environment.append(entry).push_back('\0');
    return {.environment = std::move(environment), .fd = ends[1]};
  }
  void started(std::size_t local) override {
    if (local < lines_.size()) lines_[local].theirs = Fd();
  }

  int fd() const override { return epoll_.get(); }
  void turn() override {
    std::array<epoll_event, 64> events;
    int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), 0);
    for (int n = 0; n < count; ++n) read(static_cast<std::size_t>(events[n].data.u64));
    speak();
  }
  void take(const StepFence& all) override {
    server_.finish_fence(all);
    speak();
  }
  void repeat() override {
    if (server_.waiting_fence()) voice_.fence(*server_.waiting_fence());
  }

 private:
  struct Line {
    Fd ours, theirs;
    std::uint32_t rank = 0;
    std::string unsent;
  };
  void watch(int operation, std::size_t local, std::uint32_t events) {
    epoll_event event{.events = events, .data = {.u64 = local}};
    ::epoll_ctl(epoll_.get(), operation, lines_[local].ours.get(), &event);
  }
  void read(std::size_t local) {
    Line& line = lines_[local];
    char buffer[kReadSize];
    while (line.ours) {
      ssize_t got = ::recv(line.ours.get(), buffer, sizeof buffer, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got > 0) server_.feed(local, {buffer, static_cast<std::size_t>(got)});
      // Closing ends the watch, too.
      if (got <= 0 || server_.broken(local)) line.ours = Fd();
    }
  }
  void speak() {
    for (std::size_t local = 0; local < lines_.size(); ++local) {
      lines_[local].unsent += server_.take_reply(local);
      write(local);
    }
    if (auto fence = server_.take_fence()) voice_.fence(*fence);
    if (auto abort = server_.take_abort()) voice_.abort(*abort);
  }
  void write(std::size_t local) {
    Line& line = lines_[local];
    bool waited = false;
    while (line.ours && !line.unsent.empty()) {
      ssize_t wrote = ::send(line.ours.get(), line.unsent.data(), line.unsent.size(), MSG_NOSIGNAL);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) {
        waited = errno == EAGAIN && line.unsent.size() <= kReplyMax;
        if (!waited) line.ours = Fd();
        break;
      }
      line.unsent.erase(0, static_cast<std::size_t>(wrote));
    }
    if (!line.ours) line.unsent.clear();
    if (line.ours) watch(EPOLL_CTL_MOD, local, waited ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  Pmi1Server server_;
  MpiVoice voice_;
  Fd epoll_;
  std::vector<Line> lines_;
  std::uint32_t size_ = 0;
};

}  // namespace

std::unique_ptr<MpiSupport> make_pmi1(const ShepherdOrder& order, MpiVoice voice) {
  return std::make_unique<Pmi1Tasks>(order, std::move(voice));
}

}  // namespace ym
