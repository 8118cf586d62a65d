// SPDX-License-Identifier: Apache-2.0
#include "store/blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/crc32c.h"
#include "base/format.h"
#include "store/blobs_format.h"
#include "store/disk_memory.h"
#include "store/errc.h"
#include "store/layout.h"

namespace ym {
namespace {

const std::string kBlobDir = "blobs";
const std::string kFirst = "blobs/blobs-0000000001.dat";

std::string script(int i) {
  return fmt::format("#!/bin/sh\necho {}\n{}", i, std::string(100, '#'));
}

struct BlobsTest : testing::Test {
  DiskMemory disk;
  BlobOptions options{.script_bytes_max = 1000, .environment_bytes_max = 2000, .file_bytes = 1000};

  std::unique_ptr<Blobs> open() {
    auto blobs = Blobs::open(disk, kBlobDir, options);
    EXPECT_TRUE(blobs) << (blobs ? "" : blobs.error().text);
    return blobs ? std::move(*blobs) : nullptr;
  }
};

TEST_F(BlobsTest, TheIdIsTheSha256OfTheBytes) {
  auto blobs = open();
  EXPECT_EQ(blobs->put(BlobKind::Script, "abc").value(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(blobs->put(BlobKind::Environment, "").value(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(BlobsTest, TheSameScriptIsStoredOnceAndCostsNoSecondSync) {
  auto blobs = open();
  auto id = blobs->put(BlobKind::Script, script(1)).value();
  ASSERT_TRUE(blobs->sync());
  std::uint64_t syncs = disk.syncs(), bytes = disk.bytes_used();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(blobs->put(BlobKind::Script, script(1)).value(), id);
  ASSERT_TRUE(blobs->sync());
  EXPECT_EQ(disk.syncs(), syncs);
  EXPECT_EQ(disk.bytes_used(), bytes);
  EXPECT_EQ(blobs->count(), 1u);
}

TEST_F(BlobsTest, BlobsComeBackAfterARestartOverManyFiles) {
  auto blobs = open();
  std::vector<std::string> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(blobs->put(BlobKind::Script, script(i)).value());
    if (i % 3 == 0) ASSERT_TRUE(blobs->sync());
  }
  EXPECT_EQ(blobs->get(ids[49]).value(), script(49)) << "readable before it is synced";
  ASSERT_TRUE(blobs->sync());
  for (int round = 0; round < 3; ++round) {
    blobs.reset();
    blobs = open();
    for (int i = 0; i < 50; ++i)
      EXPECT_EQ(blobs->get(ids[static_cast<std::size_t>(i)]).value(), script(i));
    EXPECT_TRUE(blobs->warnings().empty());
  }
}

TEST_F(BlobsTest, LimitsAndUnknownIdsAreRefusedInWords) {
  auto blobs = open();
  auto big = blobs->put(BlobKind::Script, std::string(1001, 'x'));
  ASSERT_FALSE(big);
  EXPECT_EQ(big.error().code, store_errc::kTooBig);
  EXPECT_THAT(big.error().text, testing::HasSubstr("batch script has 1001 bytes"));
  EXPECT_TRUE(blobs->put(BlobKind::Environment, std::string(1001, 'x')));
  for (const std::string& id :
       {std::string("../etc/passwd"), std::string(64, 'Z'), std::string(64, '0')}) {
    auto none = blobs->get(id);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, store_errc::kNotFound);
  }
}

TEST_F(BlobsTest, WhatWasSyncedSurvivesACrashAtEveryPlace) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (std::uint64_t after = 0;; ++after) {
      SCOPED_TRACE(fmt::format("seed {} power_after {}", seed, after));
      DiskMemory local;
      Prng prng(seed), luck(seed * 1000 + after);
      local.faults.power_after = after;
      std::set<std::string> durable, waiting;
      bool done = false;
      for (int life = 0; life < 2; ++life) {
        auto blobs = Blobs::open(local, kBlobDir, options);
        for (int i = 0; blobs && i < 15; ++i) {
          if (prng.chance(1, 6)) local.faults.syncs_to_fail = 1;
          waiting.insert(
              (*blobs)->put(BlobKind::Script, script(static_cast<int>(prng.below(30)))).value());
          if (prng.chance(1, 2) && (*blobs)->sync()) {
            durable.merge(waiting);
            waiting.clear();
          }
          if (prng.chance(1, 6)) {
            (void)(*blobs)->retain([&](const std::string& id) {
              return durable.contains(id) || waiting.contains(id);
            });
          }
        }
        if (life == 0) done = *local.faults.power_after > 0;
        blobs = fail("gone");
        waiting.clear();
        local.crash(luck);
        local.faults = {};
        local.faults.power_after = luck.below(40);
      }
      local.faults = {};
      auto blobs = Blobs::open(local, kBlobDir, options);
      ASSERT_TRUE(blobs) << blobs.error().text;
      for (const std::string& id : durable) {
        auto bytes = (*blobs)->get(id);
        ASSERT_TRUE(bytes) << bytes.error().text;
        EXPECT_EQ(Blobs::id_of(*bytes), id);
      }
      if (done) break;
    }
  }
}

TEST_F(BlobsTest, AfterAFailedSyncTheBlobsGoToANewFile) {
  auto blobs = open();
  blobs->put(BlobKind::Script, script(1)).value();
  ASSERT_TRUE(blobs->sync());
  auto id = blobs->put(BlobKind::Script, script(2)).value();
  disk.faults.syncs_to_fail = 1;
  EXPECT_FALSE(blobs->sync());
  EXPECT_TRUE(blobs->pending());
  ASSERT_TRUE(blobs->sync());
  Prng prng(1);
  disk.crash(prng);
  blobs.reset();
  EXPECT_EQ(open()->get(id).value(), script(2));
}

TEST_F(BlobsTest, DamageAtAnyByteCostsOnlyTheBlobThatItHits) {
  std::vector<std::string> ids;
  {
    auto blobs = open();
    for (int i = 0; i < 4; ++i) {
      ids.push_back(blobs->put(BlobKind::Script, script(i)).value());
      ASSERT_TRUE(blobs->sync());
    }
  }
  std::string whole = *disk.contents(kFirst);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    DiskMemory other;
    other.put_file(kFirst, whole);
    other.flip(kFirst, at, 0x10);
    auto blobs = Blobs::open(other, kBlobDir, options);
    ASSERT_TRUE(blobs) << blobs.error().text;
    std::size_t readable = 0;
    for (const std::string& id : ids) {
      auto bytes = (*blobs)->get(id);
      if (bytes) EXPECT_EQ(Blobs::id_of(*bytes), id);
      readable += bytes.has_value();
    }
    EXPECT_GE(readable, 3u);
    ASSERT_TRUE((*blobs)->put(BlobKind::Script, script(0)));
    ASSERT_TRUE((*blobs)->sync());
    EXPECT_EQ((*blobs)->get(ids[0]).value(), script(0)) << "putting it again heals it";
  }
}

TEST_F(BlobsTest, RetainRemovesWhatNobodyWantsAndGivesTheSpaceBack) {
  auto blobs = open();
  std::set<std::string> wanted;
  for (int i = 0; i < 40; ++i) {
    auto id = blobs->put(BlobKind::Script, script(i)).value();
    ASSERT_TRUE(blobs->sync());
    if (i % 10 == 0) wanted.insert(id);
  }
  auto waiting = blobs->put(BlobKind::Script, "not yet in the log").value();
  std::uint64_t before = disk.bytes_used();
  auto result = blobs->retain([&](const std::string& id) { return wanted.contains(id); });
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(result->removed, 36u);
  EXPECT_GT(result->files_removed, 0u);
  EXPECT_LT(disk.bytes_used(), before / 4);
  ASSERT_TRUE(blobs->sync());
  blobs.reset();
  blobs = open();
  EXPECT_TRUE(blobs->contains(waiting));
  for (const std::string& id : wanted) EXPECT_TRUE(blobs->get(id)) << id;
}

TEST_F(BlobsTest, ANewerFormatIsRefused) {
  std::string bytes = encode_blob_file_header(1);
  layout::put<std::uint32_t>(bytes, 8, 2);
  layout::put<std::uint32_t>(bytes, 12, crc32c(std::string_view(bytes).substr(0, 12)));
  disk.put_file(kFirst, bytes);
  auto refused = Blobs::open(disk, kBlobDir, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kFuture);
}

}  // namespace
}  // namespace ym
