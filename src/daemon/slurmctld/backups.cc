// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/backups.h"

#include <filesystem>
#include <future>
#include <set>

#include "base/format.h"
#include "daemon/slurmctld/state_release.h"
#include "model/rate_limit.h"
#include "os/clock.h"
#include "os/files.h"
#include "store/errc.h"
#include "wire/backup_messages.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

// Frames are filled up to that, so that a reader far away is not asked for each script.
constexpr std::size_t kWaitingMax = 4u << 20;
constexpr Duration kReaderPatience = std::chrono::seconds(60);
constexpr Duration kErrandPause{20};

namespace fs = std::filesystem;

constexpr std::size_t kFileMax = 1u << 20, kFilesMax = 1000;

// Folders that the log and the scripts live in, or lived in before.
bool is_of_the_log(std::string_view name) {
  std::string_view first = name.substr(0, name.find('/'));
  return first == "log" || first == "blobs" || first == "format" || first.starts_with("log.") ||
         first.ends_with(".lock") || first.ends_with(".tmp");
}

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
  wire::BackupWriter writer;
  BackupHead head{.cluster = view.state.cluster_name,
                  .seq = view.state.seq,
                  .time = wall_clock(),
                  .release = YM_VERSION,
                  .format = kStateFormat};
  std::string first =
      wire::BackupWriter::preamble() + writer.record(wire::BackupKind::Head, wire::encode(head));
  if (Status ok = send(to, std::move(first)); !ok) return ok;
  if (Status ok = send_blobs(to, view, writer); !ok) return ok;
  if (Status ok = send_state(to, view, writer); !ok) return ok;
  if (Status ok = send_files(to, view, writer); !ok) return ok;
  return send(to, writer.end(), true);
}

Status Backups::send_blobs(ReplyTo to, const View& view, wire::BackupWriter& writer) {
  std::set<std::string> wanted;
  auto want = [&](const JobSpec& spec) {
    for (const std::string& id : {spec.script_blob, spec.environment_blob})
      if (!id.empty()) wanted.insert(id);
  };
  view.state.jobs.for_each([&](std::uint64_t, const Job& job) { want(*job.spec); });
  std::string bytes;
  std::size_t missing = 0;
  for (const std::string& id : wanted) {
    auto payload = blob(id);
    // Its job has been forgotten since the state was taken; nobody will run it any more.
    if (!payload && payload.error().code == store_errc::kNotFound) {
      ++missing;
      continue;
    }
    if (!payload) return std::unexpected(payload.error());
    bytes += writer.record(wire::BackupKind::Blob, *payload);
    if (bytes.size() < kWaitingMax) continue;
    if (Status ok = send(to, std::exchange(bytes, {})); !ok) return ok;
  }
  if (missing > 0)
    s_.log->info("backup: {} scripts of jobs that have been forgotten meanwhile are left out",
                 missing);
  return bytes.empty() ? Status() : send(to, std::move(bytes));
}

Status Backups::send_state(ReplyTo to, const View& view, wire::BackupWriter& writer) {
  Status sent;
  wire::write_snapshot(view.state, [&](std::string_view chunk) {
    sent = send(to, writer.record(wire::BackupKind::Chunk, chunk));
    return sent.has_value();
  });
  return sent;
}

// What else stands in the state's folder: keys and certificates that the log does not know.
Status Backups::send_files(ReplyTo to, const View& view, wire::BackupWriter& writer) {
  const fs::path root = view.config->state_dir;
  std::error_code error;
  fs::recursive_directory_iterator at(root, error), end;
  for (std::size_t count = 0; !error && at != end; at.increment(error)) {
    std::string name = at->path().lexically_relative(root).string();
    if (at->is_directory(error) && is_of_the_log(name)) at.disable_recursion_pending();
    if (!at->is_regular_file(error) || at->is_symlink(error) || is_of_the_log(name)) continue;
    if (++count > kFilesMax) return fail("there are too many files in " + root.string());
    auto bytes = read_file(at->path().string(), kFileMax);
    if (!bytes) return std::unexpected(bytes.error());
    auto mode = static_cast<std::uint32_t>(at->status(error).permissions()) & 0700;
    BackupFile file{.name = std::move(name), .mode = mode, .bytes = std::move(*bytes)};
    std::string record = writer.record(wire::BackupKind::File, wire::encode(file));
    if (Status ok = send(to, std::move(record)); !ok) return ok;
  }
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
