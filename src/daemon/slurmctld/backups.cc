// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/backups.h"

#include <future>

#include "base/format.h"
#include "daemon/slurmctld/backup_stream.h"
#include "model/rate_limit.h"
#include "os/clock.h"
#include "wire/backup_messages.h"
#include "wire/codec.h"

namespace ym {
namespace {

constexpr std::size_t kWaitingMax = 4u << 20;
constexpr Duration kReaderPatience = std::chrono::seconds(60);
constexpr Duration kErrandPause{20};

std::unexpected<Error> ending() { return fail("the controller is ending"); }

}  // namespace

Status Backups::begin(ReplyTo to) {
  std::lock_guard lock(mutex_);
  if (stopping_) return ending();
  if (current_) return come_back_later();
  if (thread_.joinable()) thread_.join();  // it has said its last word
  current_ = to.connection;
  writable_ = false;
  thread_ = std::jthread([this, to, view = s_.published->view()] { run(to, view); });
  return {};
}

void Backups::on_writable(ConnectionId connection) {
  std::lock_guard lock(mutex_);
  if (connection != current_) return;
  writable_ = true;
  changed_.notify_all();
}

void Backups::on_close(ConnectionId connection) { on_writable(connection); }

void Backups::stop() {
  std::jthread thread;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void Backups::run(ReplyTo to, View view) {
  Duration begun = monotonic_clock();
  Status sent = send_all(to, view);
  if (sent)
    s_.log->info("backup of the state at event {}: {} jobs, {} ms", view.state.seq.value,
                 view.state.jobs.size(), (monotonic_clock() - begun).count());
  else
    s_.log->error("the backup was not finished: {}", sent.error().text);
  if (!sent) s_.server->send_error(to.connection, to.correlation, sent.error());
  std::lock_guard lock(mutex_);
  current_ = {};
}

Status Backups::send_all(ReplyTo to, const View& view) {
  auto files = files_beside(s_.home, view.config->state_dir);
  if (!files) return std::unexpected(files.error());
  auto missing =
      write_backup({.state = view.state,
                    .blob = [this](const std::string& id) { return blob(id); },
                    .files = std::move(*files)},
                   [&](std::string bytes, bool last) { return send(to, std::move(bytes), last); });
  if (!missing) return std::unexpected(missing.error());
  // Their jobs have been forgotten since the state was taken; nobody will run them any more.
  if (*missing > 0)
    s_.log->info("backup: {} scripts of jobs that have been forgotten meanwhile are left out",
                 *missing);
  return {};
}

// On the journal's thread, which owns the blobs.
Result<std::string> Backups::blob(const std::string& id) {
  for (;;) {
    auto answer = std::make_shared<std::promise<Result<std::string>>>();
    auto future = answer->get_future();
    bool taken = s_.journal->try_errand(
        [answer, id](JournalLoop& journal) { answer->set_value(journal.blobs().get(id)); });
    std::unique_lock lock(mutex_);
    if (!taken) {
      if (changed_.wait_for(lock, kErrandPause, [&] { return stopping_; })) return ending();
      continue;
    }
    // A journal that stops leaves its errands undone.
    while (!stopping_) {
      lock.unlock();
      if (future.wait_for(kErrandPause) == std::future_status::ready) return future.get();
      lock.lock();
    }
    return ending();
  }
}

Status Backups::send(ReplyTo to, std::string bytes, bool last) {
  FrameHeader header{.type = wire::message_number<BackupPart>,
                     .flags = last ? std::uint16_t{0} : wire::kFlagMore,
                     .correlation = to.correlation};
  std::string payload = wire::encode(BackupPart{.bytes = std::move(bytes)});
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return ending();
      writable_ = false;
    }
    switch (s_.server->send(to.connection, header, payload, WhenFull::Refuse, kWaitingMax)) {
      case SendResult::Sent: return {};
      case SendResult::Gone: return fail("the reader has gone");
      case SendResult::Full: break;
    }
    std::unique_lock lock(mutex_);
    bool moved = changed_.wait_for(lock, kReaderPatience, [&] { return writable_ || stopping_; });
    if (!moved) return fail("the reader does not read");
  }
}

}  // namespace ym
