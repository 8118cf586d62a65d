// SPDX-License-Identifier: Apache-2.0
#include "net/trust_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/authority.h"
#include "net/trust_file.h"

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Instant kNow = Instant::from_unix_seconds(1'800'000'000);
constexpr Duration kHour = std::chrono::hours(1);

CertificateFacts facts(const std::string& name, const std::string& serial) {
  return {.name = name, .serial = serial, .from = kNow, .until = kNow + kHour};
}

TEST(TrustBook, RevokesAllOfANodeAndBlocksItUntilItJoinsAgain) {
  TrustBook book;
  book.note(facts("n1", "a1"), kNow);
  book.note(facts("n1", "a2"), kNow);
  book.note(facts("n2", "b1"), kNow);
  EXPECT_TRUE(book.may_have("n1"));
  ASSERT_TRUE(*book.revoke_name("n1", kNow));
  EXPECT_FALSE(*book.revoke_name("n1", kNow)) << "no news";
  EXPECT_THAT(book.revoked(), ElementsAre("a1", "a2"));
  EXPECT_THAT(book.may_have("n1").error().text, HasSubstr("join token"));
  EXPECT_TRUE(book.may_have("n2"));
  auto token = book.invite("n1", kHour, kNow, system_entropy());
  ASSERT_TRUE(token);
  EXPECT_FALSE(book.may_have("n1")) << "an invitation alone changes nothing";
  EXPECT_EQ(*book.accept(token->id, kNow), "n1");
  EXPECT_TRUE(book.may_have("n1"));
  EXPECT_THAT(book.revoked(), ElementsAre("a1", "a2")) << "old certificates stay revoked";
}

TEST(TrustBook, RevokesOneCertificateAndRefusesUnknownOnes) {
  TrustBook book;
  book.note(facts("n1", "a1"), kNow);
  book.note(facts("n1", "a2"), kNow);
  EXPECT_TRUE(book.revoke_serial("a2", kNow));
  EXPECT_FALSE(book.revoke_serial("ff", kNow));
  EXPECT_THAT(book.revoked(), ElementsAre("a2"));
  EXPECT_TRUE(book.may_have("n1"));
}

TEST(TrustBook, TakesFromAnotherWhatIsRevokedAndMakesNothingGoodAgain) {
  TrustBook before, present;
  for (TrustBook* book : {&before, &present}) {
    book->note(facts("n1", "a1"), kNow);
    book->note(facts("n2", "b1"), kNow);
    book->note(facts("n3", "c1"), kNow);
  }
  ASSERT_TRUE(before.revoke_serial("c1", kNow));
  ASSERT_TRUE(before.revoke_name("n4", kNow));
  auto old = before.invite("n5", kHour, kNow, system_entropy());
  ASSERT_TRUE(present.revoke_name("n1", kNow));
  present.note(facts("n4", "d1"), kNow);
  auto open = present.invite("n6", kHour, kNow, system_entropy());
  present.add(before);
  EXPECT_THAT(present.revoked(), ElementsAre("a1", "c1", "d1"));
  EXPECT_FALSE(present.may_have("n1"));
  EXPECT_FALSE(present.may_have("n4"));
  EXPECT_TRUE(present.may_have("n2"));
  EXPECT_NE(present.invitation(open->id, kNow), nullptr);
  EXPECT_EQ(present.invitation(old->id, kNow), nullptr) << "it may have served since";
}

TEST(TrustBook, ForgetsWhatHasEnded) {
  TrustBook book;
  book.note(facts("n1", "a1"), kNow);
  ASSERT_TRUE(book.revoke_name("n1", kNow));
  auto token = book.invite("n2", kHour, kNow, system_entropy());
  book.note(facts("n3", "c1"), kNow + kHour);
  EXPECT_THAT(book.revoked(), IsEmpty());
  EXPECT_FALSE(book.may_have("n1")) << "who is blocked stays so";
  EXPECT_FALSE(book.accept(token->id, kNow + kHour));
}

TEST(TrustBook, AnInvitationServesOnceAndBeforeItExpires) {
  TrustBook book;
  auto token = book.invite("n1", kHour, kNow, system_entropy());
  ASSERT_TRUE(token);
  EXPECT_EQ(book.invitation(token->id, kNow + kHour), nullptr);
  ASSERT_NE(book.invitation(token->id, kNow), nullptr);
  EXPECT_TRUE(book.accept(token->id, kNow));
  EXPECT_THAT(book.accept(token->id, kNow).error().text, HasSubstr("used"));
  EXPECT_FALSE(book.invite("n1", Duration{0}, kNow, system_entropy()));
  EXPECT_FALSE(book.invite("n1", kJoinLifeMax + kHour, kNow, system_entropy()));
  EXPECT_FALSE(book.invite("two words", kHour, kNow, system_entropy()));
}

TEST(TrustBook, IsReadAsItWasWritten) {
  TrustBook book;
  book.note(facts("n1", "a1"), kNow);
  book.note(facts("n2", "b1"), kNow);
  ASSERT_TRUE(book.revoke_name("n1", kNow));
  ASSERT_TRUE(book.invite("n3", kHour, kNow, system_entropy()));
  auto back = TrustBook::parse(book.text());
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, book);
  for (const char* bad : {"issued a n 1", "nonsense", "issued a n x good", "join join.1.2 n 1",
                          "blocked", "blocked a b"})
    EXPECT_FALSE(TrustBook::parse(bad)) << bad;
}

TEST(TrustFile, IsReadAsItWasWrittenAndTakesAnyText) {
  TlsTrust trust{.authority = Authority::create("emil", kNow)->certificate(),
                 .revoked = {"a1", "ff00"}};
  EXPECT_EQ(parse_trust(trust_text(trust)), trust);
  EXPECT_THAT(parse_trust("# revoked zz\n# revoked \n").revoked, IsEmpty());
}

TEST(JoinToken, ProvesBothSidesOnOneChannelOnly) {
  JoinToken token = new_join_token(system_entropy());
  auto read = parse_join_text(join_text(token));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, token);
  std::string here(32, 'h'), there(32, 't');
  std::string greeting = join_greeting(token, here);
  EXPECT_EQ(greeting.find(join_text(token).substr(22)), std::string::npos) << "the secret stays";
  EXPECT_EQ(*joining_id(greeting), token.id);
  EXPECT_TRUE(check_join_greeting(token, greeting, here));
  EXPECT_FALSE(check_join_greeting(token, greeting, there));
  EXPECT_FALSE(check_join_greeting(token, greeting, ""));
  std::string proof = prove_join(token, greeting, here);
  EXPECT_TRUE(check_join_proof(token, greeting, here, proof));
  EXPECT_FALSE(check_join_proof(token, greeting, there, proof));
  JoinToken other = new_join_token(system_entropy());
  EXPECT_FALSE(check_join_greeting(other, greeting, here));
  EXPECT_FALSE(check_join_proof(other, greeting, here, proof));
  for (const char* bad : {"", "join.", "join.0123456789abcdef", "join.0123456789abcdef.AA", "x"})
    EXPECT_FALSE(parse_join_text(bad)) << bad;
}

TEST(Certificate, IsSignedForTheKeyThatAsksAndTheNameThatIsGiven) {
  auto authority = Authority::create("emil", kNow);
  auto wish = wish_certificate("whatever");
  ASSERT_TRUE(wish);
  auto made = authority->sign(wish->request, "n1", kNow, std::chrono::hours(30));
  ASSERT_TRUE(made) << made.error().text;
  auto read = read_certificate(*made);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "n1");
  EXPECT_EQ(read->until, kNow + std::chrono::hours(30));
  EXPECT_TRUE(TlsContext::server({.certificate = *made, .key = wish->key}));
  EXPECT_FALSE(wants_renewal(*read, kNow + std::chrono::hours(19)));
  EXPECT_TRUE(wants_renewal(*read, kNow + std::chrono::hours(20)));
  EXPECT_TRUE(wants_renewal(*read, kNow - std::chrono::hours(2)));
  EXPECT_FALSE(authority->sign("nonsense", "n1", kNow, kHour));
  EXPECT_FALSE(authority->sign(wish->request, "n1,DNS:slurmctld", kNow, kHour));
  EXPECT_FALSE(read_certificate("nonsense"));
}

}  // namespace
}  // namespace ym
