// SPDX-License-Identifier: Apache-2.0
// The authority's files; what it signs is tried in tls_test.cc and tls_connection_test.cc.
#include "net/authority.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "net/test_room.h"
#include "os/files.h"

namespace ym {
namespace {

TEST(AuthorityFiles, AreMadeOnceWithTightModes) {
  TempDir dir;
  auto made = Authority::load_or_create(dir / "tls", "emil", kTestNow);
  ASSERT_TRUE(made) << made.error().text;
  struct stat key{};
  ASSERT_EQ(::stat((dir / "tls/ca_key.pem").c_str(), &key), 0);
  EXPECT_EQ(key.st_mode & 0777u, 0600u);
  auto again = Authority::load_or_create(dir / "tls", "emil", kTestNow);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->certificate(), made->certificate());
  EXPECT_EQ(again->identity().key, made->identity().key);
}

// A controller was stopped after it had seen that there is no authority; another has made one
// since.
TEST(AuthorityFiles, WhoeverComesLateTakesTheKeyThatIsThere) {
  TempDir dir;
  auto first = Authority::load_or_create(dir / "tls", "emil", kTestNow);
  ASSERT_TRUE(first);
  EXPECT_TRUE(create_file(dir / "tls/ca_key.pem", "of one that is late", 0600));
  EXPECT_EQ(*read_file(dir / "tls/ca_key.pem"), first->identity().key) << "nothing has changed";
  // Between the key and the certificate: the next one makes the certificate, for the same key.
  std::filesystem::remove(dir / "tls/ca_cert.pem");
  auto second = Authority::load_or_create(dir / "tls", "emil", kTestNow);
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_EQ(second->identity().key, first->identity().key);
  EXPECT_TRUE(
      Authority::from({.certificate = second->certificate(), .key = first->identity().key}));
  for (const auto& entry : std::filesystem::directory_iterator(dir / "tls"))
    EXPECT_EQ(entry.path().extension(), ".pem") << entry.path() << " is left";
}

TEST(AuthorityFiles, DamagedOnesAreRefused) {
  TempDir dir;
  ASSERT_TRUE(Authority::load_or_create(dir / "tls", "emil", kTestNow));
  ASSERT_TRUE(write_file(dir / "tls/ca_cert.pem", "nonsense"));
  EXPECT_FALSE(Authority::load_or_create(dir / "tls", "emil", kTestNow));
  ASSERT_TRUE(write_file(dir / "tls/ca_key.pem", "nonsense", 0600));
  EXPECT_FALSE(Authority::load_or_create(dir / "tls", "emil", kTestNow));
}

}  // namespace
}  // namespace ym
