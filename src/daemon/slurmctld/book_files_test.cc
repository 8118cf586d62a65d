// SPDX-License-Identifier: Apache-2.0
// A leader is stopped at each moment of a save, another leads meanwhile, and the old one goes on.
#include "daemon/slurmctld/book_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "os/files.h"
#include "store/disk_posix.h"
#include "store/errc.h"
#include "store/file_home.h"

namespace ym {
namespace {

constexpr Instant kNow{1'700'000'000'000};

class BookFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-book-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  static TrustBook blocking(TrustBook book, const std::string& node) {
    EXPECT_TRUE(book.revoke_name(node, kNow));
    return book;
  }

  std::string dir_;
  DiskPosix disk_;
};

// A controller that leads, with what it knows of the book.
struct Leader {
  Leader(Disk& disk, const std::string& dir)
      : home(disk, dir + "/state", FileHome::Company::Standbys), folder(dir) {}

  void take_over() {
    ASSERT_TRUE(home.seize("one", *home.look()));
    files.emplace(folder, home.epoch(), [this] {
      if (stop) std::exchange(stop, {})();
      return home.confirm();
    });
    auto read = files->read();
    ASSERT_TRUE(read) << read.error().text;
    book = std::move(*read);
    ASSERT_TRUE(files->save(book));
  }
  Status block(const std::string& node) {
    TrustBook changed = book;
    EXPECT_TRUE(changed.revoke_name(node, kNow));
    if (Status saved = files->save(changed); !saved) return saved;
    book = std::move(changed);
    return {};
  }

  FileHome home;
  std::string folder;
  std::optional<BookFiles> files;
  TrustBook book;
  std::function<void()> stop;  // once, between the write and the look
};

TEST_F(BookFilesTest, WhatOneThatIsLateWritesIsNotRead) {
  Leader late(disk_, dir_), next(disk_, dir_), last(disk_, dir_);
  late.take_over();
  ASSERT_TRUE(late.block("n1"));
  next.take_over();
  EXPECT_TRUE(next.book.blocked().contains("n1"));
  ASSERT_TRUE(next.block("n2"));
  Status refused = late.block("n3");  // it was stopped before it wrote
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kFenced);
  last.take_over();
  EXPECT_EQ(last.book.blocked(), (std::set<std::string>{"n1", "n2"}));
}

TEST_F(BookFilesTest, WhatWasSavedAtTheLastMomentIsReadByTheSuccessorOrRefused) {
  Leader late(disk_, dir_), next(disk_, dir_);
  late.take_over();
  late.stop = [&] { next.take_over(); };  // after it wrote: the successor may read it, or not
  EXPECT_EQ(late.block("n1").error().code, store_errc::kFenced);
  ASSERT_TRUE(next.block("n2"));
  Leader last(disk_, dir_);
  last.take_over();
  EXPECT_TRUE(last.book.blocked().contains("n2"));
  EXPECT_EQ(last.book.blocked(), next.book.blocked());
}

TEST_F(BookFilesTest, OldOnesGoAndTheBookMovesBetweenThoseWithAndWithoutStandbys) {
  auto nobody = [] { return Status(); };
  BookFiles alone(dir_, 0, nobody);
  EXPECT_EQ(*alone.read(), TrustBook());
  ASSERT_TRUE(alone.save(blocking({}, "n1")));
  Leader leader(disk_, dir_);
  leader.take_over();
  EXPECT_TRUE(leader.book.blocked().contains("n1"));
  ASSERT_TRUE(leader.block("n2"));
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/book"));
  BookFiles again(dir_, 0, nobody);
  ASSERT_TRUE(again.save(*again.read()));
  EXPECT_EQ(again.read()->blocked(), (std::set<std::string>{"n1", "n2"}));
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/book-0000000001"));
}

TEST_F(BookFilesTest, ABookThatOthersCouldHaveReadOrThatIsDamagedIsRefused) {
  BookFiles alone(dir_, 0, [] { return Status(); });
  ASSERT_TRUE(alone.save(blocking({}, "n1")));
  ::chmod((dir_ + "/book").c_str(), 0644);
  EXPECT_FALSE(alone.read());
  ASSERT_TRUE(write_file(dir_ + "/book", "nonsense\n", 0600));
  EXPECT_FALSE(alone.read());
}

}  // namespace
}  // namespace ym
