// SPDX-License-Identifier: Apache-2.0
// Leadership over a log in files. The old leader is stopped before each of its calls to the disk in
// turn, another takes over meanwhile, and the old one goes on: whatever it acknowledges must be in
// what the new one has read.
#include "store/file_home.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "store/blobs.h"
#include "store/disk_memory.h"
#include "store/errc.h"
#include "store/journal_follower.h"
#include "store/journal_testing.h"

namespace ym {
namespace {

constexpr auto kStandbys = FileHome::Company::Standbys;

// Calls `pause` before the n-th call that reaches the disk.
class StoppingDisk final : public Disk {
 public:
  explicit StoppingDisk(Disk& disk) : disk_(disk) {}

  std::function<void()> pause;
  std::uint64_t at = 0;  // 0: never
  std::uint64_t calls = 0;

  Result<std::unique_ptr<DiskFile>> open(const std::string& path, DiskOpen how) override {
    step();
    auto file = disk_.open(path, how);
    if (!file) return file;
    return std::make_unique<File>(*this, std::move(*file));
  }
  Status make_dir(const std::string& path) override { return disk_.make_dir(path); }
  Result<std::vector<std::string>> list(const std::string& dir) override {
    step();
    return disk_.list(dir);
  }
  Status rename(const std::string& from, const std::string& to) override {
    step();
    return disk_.rename(from, to);
  }
  Status unlink(const std::string& path) override {
    step();
    return disk_.unlink(path);
  }
  Status sync_dir(const std::string& dir) override {
    step();
    return disk_.sync_dir(dir);
  }
  Status create_exclusive(const std::string& path, std::string_view bytes) override {
    step();
    return disk_.create_exclusive(path, bytes);
  }
  Result<std::unique_ptr<DiskLock>> lock(const std::string& path) override {
    return disk_.lock(path);
  }

 private:
  class File final : public DiskFile {
   public:
    File(StoppingDisk& disk, std::unique_ptr<DiskFile> file)
        : disk_(disk), file_(std::move(file)) {}
    Result<std::uint64_t> size() override { return file_->size(); }
    Result<std::string> read(std::uint64_t offset, std::size_t length) override {
      disk_.step();
      return file_->read(offset, length);
    }
    // In two parts: a process can be stopped between any two pages of a write.
    Status write(std::uint64_t offset, std::string_view bytes) override {
      disk_.step();
      std::size_t half = bytes.size() / 2;
      if (auto wrote = file_->write(offset, bytes.substr(0, half)); !wrote) return wrote;
      disk_.step();
      return file_->write(offset + half, bytes.substr(half));
    }
    Status write_zeros(std::uint64_t offset, std::uint64_t length) override {
      disk_.step();
      return file_->write_zeros(offset, length);
    }
    Status truncate(std::uint64_t size) override { return file_->truncate(size); }
    Status sync() override {
      disk_.step();
      return file_->sync();
    }

   private:
    StoppingDisk& disk_;
    std::unique_ptr<DiskFile> file_;
  };
  void step() {
    if (++calls == at && pause) std::exchange(pause, {})();
  }

  Disk& disk_;
};

// A controller that leads, as far as this room is concerned. Records say who wrote them.
struct Leader {
  Leader(Disk& disk, std::string who) : home(disk, "state", kStandbys), name(std::move(who)) {}

  Status take_over() {
    auto seen = home.look();
    if (!seen) return std::unexpected(seen.error());
    auto epoch = home.seize(name, *seen);
    if (!epoch) return std::unexpected(epoch.error());
    JournalOptions options;
    options.segment_bytes = 2048;
    auto found = home.open(
        options,
        {.snapshot = {}, .chunk = {}, .record = [this](std::uint64_t, std::string_view payload) {
           records.emplace_back(payload);
           return Status();
         }});
    if (!found) return std::unexpected(found.error());
    opened = std::move(*found);
    return {};
  }
  // What is said to clients if this succeeds: it is kept.
  Status acknowledge(int count) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i)
      texts.push_back(fmt::format("{} {} {}", name, opened.log->next_seq() + i,
                                  std::string(static_cast<std::size_t>(40 + 90 * i), 'x')));
    auto blob = opened.blobs->put(BlobKind::Script, "script of " + texts.front());
    if (!blob) return std::unexpected(blob.error());
    if (Status synced = opened.blobs->sync(); !synced) return synced;
    std::vector<std::string_view> views(texts.begin(), texts.end());
    if (auto appended = opened.log->append(views); !appended)
      return std::unexpected(appended.error());
    if (Status done = opened.log->commit(); !done) return done;
    records.insert(records.end(), texts.begin(), texts.end());
    acknowledged.insert(acknowledged.end(), texts.begin(), texts.end());
    blobs.push_back(*blob);
    return {};
  }

  FileHome home;
  std::string name;
  OpenedLog opened;
  std::vector<std::string> records;       // all that the log holds, as this one knows it
  std::vector<std::string> acknowledged;  // by this one
  std::vector<std::string> blobs;         // of those
};

bool holds(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::ranges::all_of(
      some, [&](const std::string& one) { return std::ranges::find(all, one) != all.end(); });
}

TEST(FileHome, TheFirstLeadsAndTheOthersSeeIt) {
  DiskMemory disk;
  FileHome a(disk, "state", kStandbys), b(disk, "state", kStandbys);
  EXPECT_TRUE(b.look()->vacant);
  EXPECT_EQ(a.seize("a", *a.look()).value(), 1u);
  Leadership seen = *b.look();
  EXPECT_EQ(seen.epoch, 1u);
  EXPECT_EQ(seen.name, "a");
  EXPECT_FALSE(seen.vacant);
  EXPECT_FALSE(seen.suspect);
  ASSERT_TRUE(a.renew());
  EXPECT_NE(b.look()->beats, seen.beats);
  a.release();
  EXPECT_TRUE(b.look()->vacant);
}

TEST(FileHome, OfTwoWhoSawTheSameOneLeads) {
  DiskMemory disk;
  FileHome a(disk, "state", kStandbys), b(disk, "state", kStandbys);
  Leadership seen = *a.look();
  ASSERT_TRUE(a.seize("a", seen));
  auto second = b.seize("b", seen);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, store_errc::kExists);
  EXPECT_TRUE(a.confirm());
}

TEST(FileHome, ALeaderIsFencedHoweverManyHaveFollowedIt) {
  DiskMemory disk;
  FileHome first(disk, "state", kStandbys);
  ASSERT_TRUE(first.seize("a", *first.look()));
  for (int i = 0; i < 10; ++i) {  // the files of the first epochs are gone after that
    FileHome next(disk, "state", kStandbys);
    ASSERT_TRUE(next.seize("b", *next.look()));
    ASSERT_TRUE(next.confirm());
    ASSERT_EQ(first.confirm().error().code, store_errc::kFenced);
    ASSERT_EQ(first.renew().error().code, store_errc::kFenced);
  }
}

TEST(FileHome, AProcessThatIsGoneIsSuspected) {
  DiskMemory disk;
  FileHome a(disk, "state", kStandbys);
  ASSERT_TRUE(a.seize("a", *a.look()));
  disk.kill_process();
  FileHome b(disk, "state", kStandbys);
  EXPECT_TRUE(b.look()->suspect);
}

TEST(FileHome, OneWhoWorksAloneIsNotTakenOver) {
  DiskMemory disk;
  FileHome alone(disk, "state", FileHome::Company::Alone);
  auto opened = alone.open({}, {});
  ASSERT_TRUE(opened) << opened.error().text;
  Leader other(disk, "b");
  EXPECT_EQ(other.take_over().error().code, store_errc::kLocked);
}

// One stop of the old leader, before its n-th call. False if it made fewer.
bool stop_at(std::uint64_t at, bool new_one_writes) {
  DiskMemory disk;
  StoppingDisk slow(disk);
  Leader old(slow, "old"), next(disk, "next");
  EXPECT_TRUE(old.take_over());
  EXPECT_TRUE(old.acknowledge(3));
  JournalFollower third(disk, log_folder("state"), 0);  // watches all the time
  std::vector<std::string> followed;
  Replay follow{
      .snapshot = {}, .chunk = {}, .record = [&](std::uint64_t, std::string_view payload) {
        followed.emplace_back(payload);
        return Status();
      }};
  auto catch_up = [&] {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(third.poll(follow));
  };
  slow.calls = 0;
  slow.at = at;
  slow.pause = [&] {
    catch_up();
    Status took = next.take_over();
    EXPECT_TRUE(took) << took.error().text;
    EXPECT_TRUE(holds(next.records, old.acknowledged)) << "acknowledged, and lost";
    if (new_one_writes) EXPECT_TRUE(next.acknowledge(4));
    catch_up();
  };
  for (int i = 1; i <= 12; ++i) {
    static_cast<void>(old.acknowledge(1 + i % 5));
    catch_up();
  }
  bool stopped = slow.calls >= at;
  if (!stopped) return false;
  // What it has promised after all this is what its successor knew when it began.
  EXPECT_TRUE(holds(next.records, old.acknowledged)) << "acknowledged after it had lost the lead";
  EXPECT_EQ(old.acknowledge(1).error().code, store_errc::kFenced);
  EXPECT_TRUE(next.acknowledge(2));
  EXPECT_TRUE(next.acknowledge(2));
  catch_up();
  EXPECT_TRUE(std::ranges::equal(
      followed, std::vector(next.records.begin(),
                            next.records.begin() + static_cast<std::ptrdiff_t>(followed.size()))))
      << "a standby believed what did not count";
  Leader last(disk, "last");
  Status took = last.take_over();
  EXPECT_TRUE(took) << took.error().text;
  EXPECT_EQ(last.records, next.records);
  for (const Leader* leader : {&old, &next})
    for (const std::string& blob : leader->blobs) EXPECT_TRUE(last.opened.blobs->get(blob));
  return true;
}

TEST(FileHome, AStoppedLeaderPromisesNothingThatItsSuccessorDoesNotKnow) {
  for (bool new_one_writes : {false, true}) {
    std::uint64_t at = 1;
    for (; !testing::Test::HasFailure(); ++at) {
      SCOPED_TRACE(fmt::format("stopped before call {}, its successor {}", at,
                               new_one_writes ? "writes" : "waits"));
      if (!stop_at(at, new_one_writes)) break;
    }
    EXPECT_GT(at, 100u);
  }
}

TEST(FileHome, ASuccessorThatKnowsTheLogReadsOnlyTheRest) {
  DiskMemory disk;
  Leader old(disk, "old");
  ASSERT_TRUE(old.take_over());
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(old.acknowledge(3));
  FileHome next(disk, "state", kStandbys);
  ASSERT_TRUE(next.seize("next", *next.look()));
  JournalOptions options;
  options.known_seq = 15;
  std::vector<std::uint64_t> given;
  auto opened = next.open(
      options, {.snapshot = {}, .chunk = {}, .record = [&](std::uint64_t seq, std::string_view) {
                  given.push_back(seq);
                  return Status();
                }});
  ASSERT_TRUE(opened) << opened.error().text;
  EXPECT_EQ(given, (std::vector<std::uint64_t>{16, 17, 18}));
  EXPECT_EQ(opened->log->next_seq(), 19u);
}

// Each leader zeroes a segment in advance, and each successor has read it as a standby.
TEST(FileHome, LeadersThatDieAgainAndAgainDoNotFillTheDisk) {
  DiskMemory disk;
  JournalOptions options;
  options.segment_bytes = 1 << 20;
  const std::vector<std::string_view> record = {"a record"};
  std::uint64_t written = 0;
  for (int i = 0; i < 20; ++i) {
    FileHome home(disk, "state", kStandbys);
    ASSERT_TRUE(home.seize("next", *home.look()));
    options.known_seq = written;
    auto opened = home.open(options, {});
    ASSERT_TRUE(opened) << opened.error().text;
    EXPECT_EQ(opened->log->next_seq(), written + 1);
    for (int group = 0; group < 3; ++group) {
      ASSERT_TRUE(opened->log->append(record));
      ASSERT_TRUE(opened->log->commit());
    }
    written += 3;
  }
  std::uint64_t bytes = 0;
  auto names = disk.list("state/log");
  ASSERT_TRUE(names);
  for (const std::string& name : *names)
    bytes += *(*disk.open("state/log/" + name, DiskOpen::Read))->size();
  EXPECT_LT(bytes, 3 * options.segment_bytes);
}

TEST(FileHome, ScriptsThatALateLeaderMovesAreFoundAgain) {
  DiskMemory disk;
  Leader old(disk, "old"), next(disk, "next");
  ASSERT_TRUE(old.take_over());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(old.acknowledge(1));
  ASSERT_TRUE(next.take_over());
  // As if it had asked for its lead just before it lost it: the fence does not help here.
  BlobOptions unfenced;
  unfenced.epoch = 1;
  auto late = Blobs::open(disk, blob_folder("state"), unfenced);
  ASSERT_TRUE(late);
  ASSERT_TRUE((*late)->retain([&](const std::string& id) { return id == old.blobs[2]; }));
  EXPECT_TRUE(next.opened.blobs->get(old.blobs[2]));
}

}  // namespace
}  // namespace ym
