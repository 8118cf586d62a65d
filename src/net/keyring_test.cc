// SPDX-License-Identifier: Apache-2.0
#include "net/keyring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/format.h"
#include "net/token.h"

namespace ym {
namespace {

using testing::HasSubstr;

const Instant kNow = Instant::from_unix_seconds(1'800'000'000);
const Entropy kSevens = [](std::span<std::uint8_t> out) { std::fill(out.begin(), out.end(), 7); };

std::string entry(const std::string& name, char fill, const std::string& more = "") {
  return fmt::format(R"({{"alg":"HS256","kty":"oct","kid":"{}","k":"{}"{}}})", name,
                     base64url_encode(std::string(32, fill)), more);
}
std::string set_of(const std::string& entries) { return "{\"keys\":[" + entries + "]}"; }
const std::string kDefault = R"(,"use":"default")";

KeyRing ring(const std::string& json, const ClusterKey* slurm_key = nullptr) {
  auto made = KeyRing::from_jwks(json, slurm_key, kNow);
  EXPECT_TRUE(made) << made.error().text;
  return std::move(*made);
}
std::string why_not(const std::string& json) {
  auto made = KeyRing::from_jwks(json, nullptr, kNow);
  return made ? "taken: " + made->describe() : made.error().text;
}

std::string token_of(const KeyRing& keys) {
  return sign_user_token(keys,
                         {.user = "ada",
                          .uid = 7,
                          .gid = 8,
                          .cluster = "emil",
                          .now = kNow,
                          .life = std::chrono::minutes(5)},
                         kSevens)
      .value();
}
std::string verdict(const KeyRing& keys, const std::string& token, Instant now = kNow) {
  auto claims = verify_token(keys, token, {.now = now});
  return claims ? "good" : claims.error().text;
}

TEST(KeyRing, TheDefaultSignsAndEveryKeyVerifiesItsOwn) {
  KeyRing both = ring(set_of(entry("old", 'o') + "," + entry("new", 'n', kDefault)));
  EXPECT_EQ(both.describe(), "old, new (signs)");
  KeyRing old_one = ring(set_of(entry("old", 'o'))), new_one = ring(set_of(entry("new", 'n')));
  EXPECT_EQ(verdict(both, token_of(old_one)), "good");
  EXPECT_EQ(verdict(new_one, token_of(both)), "good");
  EXPECT_THAT(verdict(old_one, token_of(both)), HasSubstr("key new, which is not known"));
  KeyRing forged = ring(set_of(entry("old", 'x')));
  EXPECT_THAT(verdict(both, token_of(forged)), HasSubstr("not signed with this cluster's key"));
}

TEST(KeyRing, AKeyChangesWithoutAMomentInWhichSomebodyIsRefused) {
  // Each row is a stage; a machine may be one stage ahead of another.
  std::vector<KeyRing> stages = {ring(set_of(entry("a", 'a', kDefault))),
                                 ring(set_of(entry("a", 'a', kDefault) + "," + entry("b", 'b'))),
                                 ring(set_of(entry("a", 'a') + "," + entry("b", 'b', kDefault))),
                                 ring(set_of(entry("b", 'b', kDefault)))};
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    EXPECT_EQ(verdict(stages[i + 1], token_of(stages[i])), "good") << i;
    EXPECT_EQ(verdict(stages[i], token_of(stages[i + 1])), "good") << i;
  }
  EXPECT_NE(verdict(stages[3], token_of(stages[0])), "good") << "retired";
}

TEST(KeyRing, SlurmKeyServesBesideTheSetAndSignsUntilAnotherIsTheDefault) {
  ClusterKey slurm_key = ClusterKey::from_bytes(std::string(32, 's')).value();
  KeyRing first = ring(set_of(entry("a", 'a')), &slurm_key);
  EXPECT_EQ(first.describe(), "a, slurm.key (signs)");
  KeyRing second = ring(set_of(entry("a", 'a', kDefault)), &slurm_key);
  EXPECT_EQ(second.describe(), "a (signs), slurm.key");
  EXPECT_EQ(verdict(second, token_of(KeyRing(slurm_key))), "good");
  KeyRing third = ring(set_of(entry("a", 'a', kDefault)));
  EXPECT_NE(verdict(third, token_of(KeyRing(slurm_key))), "good");
}

TEST(KeyRing, AnExpiredKeyVerifiesNothing) {
  std::string json =
      set_of(entry("a", 'a', kDefault) + "," + entry("b", 'b', ",\"exp\":1800000100"));
  KeyRing both = ring(json), b = ring(set_of(entry("b", 'b')));
  std::string token = token_of(b);
  EXPECT_EQ(verdict(both, token, kNow + std::chrono::seconds(100)), "good") << "clocks may differ";
  EXPECT_THAT(verdict(both, token, kNow + std::chrono::seconds(160)), HasSubstr("has expired"));
}

TEST(KeyRing, SignaturesOfCredentialsFollowTheirKey) {
  KeyRing both = ring(set_of(entry("old", 'o') + "," + entry("new", 'n', kDefault)));
  KeyRing old_one = ring(set_of(entry("old", 'o')));
  std::string signature = sign_blob(old_one, "step", "7");
  EXPECT_TRUE(verify_blob(both, "step", "7", signature, {.now = kNow}));
  EXPECT_FALSE(verify_blob(both, "step", "8", signature, {.now = kNow}));
  EXPECT_FALSE(verify_blob(ring(set_of(entry("new", 'n'))), "step", "7", signature, {.now = kNow}));
  std::string renamed = signature.substr(0, 32) + "new";
  EXPECT_FALSE(verify_blob(both, "step", "7", renamed, {.now = kNow}));
}

TEST(KeyRing, RefusesSetsThatMakeNoSense) {
  EXPECT_THAT(why_not("{}"), HasSubstr("no array of keys"));
  EXPECT_THAT(why_not("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(why_not(set_of("")), HasSubstr("no keys"));
  EXPECT_THAT(why_not(set_of("7")), HasSubstr("no array of keys"));
  EXPECT_THAT(why_not(set_of(R"({"k":"AAAA"})")), HasSubstr("no kid"));
  EXPECT_THAT(why_not(set_of(R"({"kid":"a"})")), HasSubstr("key a: its k is not in base64"));
  EXPECT_THAT(why_not(set_of(R"({"kid":"a","k":"AAAA"})")), HasSubstr("key a: a key of 3 bytes"));
  EXPECT_THAT(why_not(set_of(entry("a", 'a', R"(,"exp":"soon")"))), HasSubstr("exp is no time"));
  EXPECT_THAT(why_not(set_of(entry("a", 'a') + "," + entry("a", 'b'))), HasSubstr("twice"));
  EXPECT_THAT(why_not(set_of(entry("a", 'a') + "," + entry("b", 'b'))), HasSubstr("no key has"));
  EXPECT_THAT(why_not(set_of(entry("a", 'a', kDefault) + "," + entry("b", 'b', kDefault))),
              HasSubstr("more than one"));
  EXPECT_THAT(why_not(set_of(entry("a", 'a', ",\"exp\":1700000000"))), HasSubstr("has expired"));
  EXPECT_THAT(why_not(set_of(R"({"kid":"a","alg":"RS256","k":"AAAA"})")), HasSubstr("not HS256"));
  EXPECT_THAT(why_not(set_of(R"({"kid":"a","kty":"RSA"})")), HasSubstr("not oct"));
}

TEST(LoadKeyring, AFileThatOthersCanReadIsRefused) {
  std::string folder = testing::TempDir() + "/keyring_test";
  ::mkdir(folder.c_str(), 0700);
  KeyFiles files{.key = folder + "/slurm.key", .jwks = folder + "/slurm.jwks"};
  ::unlink(files.key.c_str());
  std::ofstream(files.jwks) << set_of(entry("a", 'a'));
  ::chmod(files.jwks.c_str(), 0644);
  EXPECT_THAT(load_keyring(files, false, kNow).error().text, HasSubstr("chmod 0600"));
  ::chmod(files.jwks.c_str(), 0600);
  auto loaded = load_keyring(files, true, kNow);
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->describe(), "a (signs)") << "no slurm.key is made beside a set";
  ::unlink(files.jwks.c_str());
  EXPECT_FALSE(load_keyring(files, false, kNow));
  EXPECT_EQ(load_keyring(files, true, kNow)->describe(), "slurm.key (signs)");
}

}  // namespace
}  // namespace ym
