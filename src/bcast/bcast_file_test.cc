// SPDX-License-Identifier: Apache-2.0
#include "bcast/bcast_file.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "bcast/compress.h"
#include "os/files.h"

namespace ym {
namespace {

class BcastFileTest : public testing::Test {
 protected:
  BcastFileTest() {
    char name[] = "/tmp/ym-bcast-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~BcastFileTest() override {
    ::unlink((folder_ + "/f").c_str());
    ::rmdir(folder_.c_str());
  }
  BcastChunk piece(std::uint64_t offset, const std::string& data, std::uint64_t whole) const {
    return {.path = "f",
            .work_dir = folder_,
            .mode = 0750,
            .offset = offset,
            .data = data,
            .checksum = crc32c(data),
            .last = offset + data.size() == whole,
            .file_size = whole};
  }
  std::size_t files() const {
    std::size_t count = 0;
    DIR* at = ::opendir(folder_.c_str());
    while (dirent* entry = ::readdir(at))
      count += entry->d_name[0] != '.' || entry->d_name[1] == 'f';
    ::closedir(at);
    return count;
  }
  std::string folder_;
};

TEST_F(BcastFileTest, PiecesBecomeAFileWithItsMode) {
  BcastFile file;
  ASSERT_TRUE(file.take(piece(0, "hello ", 11)));
  EXPECT_FALSE(read_file(folder_ + "/f")) << "not before the last piece";
  BcastChunk second = piece(6, "world", 11);
  ASSERT_TRUE(file.take(second));
  EXPECT_EQ(read_file(folder_ + "/f").value(), "hello world");
  struct stat about;
  ASSERT_EQ(::stat((folder_ + "/f").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0750u);
  EXPECT_EQ(files(), 1u);
}

TEST_F(BcastFileTest, AFileThatIsThereStaysUnlessForced) {
  ASSERT_TRUE(write_file(folder_ + "/f", "old"));
  BcastFile polite, rude;
  EXPECT_EQ(polite.take(piece(0, "new", 3)).error().text, folder_ + "/f: File exists");
  EXPECT_EQ(read_file(folder_ + "/f").value(), "old");
  BcastChunk forced = piece(0, "new", 3);
  forced.force = true;
  ASSERT_TRUE(rude.take(forced));
  EXPECT_EQ(read_file(folder_ + "/f").value(), "new");
}

TEST_F(BcastFileTest, DamageAndGapsAreSeenAndNothingIsLeft) {
  {
    BcastFile file;
    BcastChunk damaged = piece(0, "hello", 10);
    damaged.checksum ^= 1;
    EXPECT_FALSE(file.take(damaged));
    EXPECT_FALSE(file.take(piece(0, "hello", 10))) << "an error is final";
    BcastFile gap;
    EXPECT_TRUE(gap.take(piece(0, "hello", 12)));
    EXPECT_FALSE(gap.take(piece(6, "orld", 12)));
    BcastFile cut;
    BcastChunk last = piece(0, "hello", 5);
    last.file_size = 6;
    EXPECT_FALSE(cut.take(last));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(BcastFileTest, ACompressedPieceIsOpened) {
  std::string text(5000, 'x');
  BcastChunk squeezed = piece(0, text, 5000);
  squeezed.data = compress(text);
  squeezed.raw_size = text.size();
  BcastFile file;
  ASSERT_TRUE(file.take(squeezed));
  EXPECT_EQ(read_file(folder_ + "/f").value(), text);
}

}  // namespace
}  // namespace ym
