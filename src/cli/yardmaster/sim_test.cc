// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/sim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace ym::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return out;
}

SimReport report() {
  SimReport out{.title = "a trace"};
  out.workload = {.jobs = {{.id = 7, .submit_s = 0, .run_s = 60, .limit_s = 90, .procs = 4},
                           {.id = 8, .submit_s = 10, .run_s = 5, .procs = 1, .user = 1}},
                  .users = {"ann", "b,ob"},
                  .partitions = {"main"}};
  SimRun run{.label = "easy", .procs = 4};
  run.outcome.jobs = {{0, 60, JobState::Completed}, {}};
  run.outcome.refused = 1;
  run.outcome.refusal = "job 8: no";
  run.summary = trace::summarise(out.workload, run.outcome, run.procs);
  out.runs = {run};
  return out;
}

TEST(Sim, CompressedTracesAreRead) {
  std::string text(3'000'000, 'x');
  EXPECT_EQ(gunzip(gzip(text), "t.gz", 1 << 24).value_or(""), text);
  EXPECT_EQ(gunzip(gzip("one ") + gzip("two"), "t.gz", 100).value_or(""), "one two");
}

TEST(Sim, DamagedAndEndlessOnesAreRefused) {
  std::string packed = gzip(std::string(100'000, 'x'));
  EXPECT_EQ(gunzip(packed, "t.gz", 1000).error().text, "t.gz: more than 1000 bytes");
  EXPECT_EQ(gunzip(packed.substr(0, packed.size() / 2), "t.gz", 1 << 24).error().text,
            "t.gz: it ends in the middle");
  std::string damaged = packed;
  damaged[20] = static_cast<char>(~damaged[20]);
  EXPECT_FALSE(gunzip(damaged, "t.gz", 1 << 24));
  EXPECT_FALSE(gunzip("\x1f\x8b nonsense", "t.gz", 1 << 24));
}

TEST(Sim, ALineForEachJobHasWhatBecameOfIt) {
  EXPECT_EQ(sim_csv(report()),
            "id,submit,start,end,procs,limit,run,user,partition,state,wait,bounded_slowdown,policy,"
            "restarts\n"
            "7,0,0,60,4,90,60,ann,main,COMPLETED,0,1.0000,easy,0\n"
            "8,10,,,1,,5,\"b,ob\",main,PENDING,,,easy,0\n");
}

TEST(Sim, TheSummaryIsTheSameInEveryForm) {
  EXPECT_THAT(sim_json(report()), HasSubstr("\"utilisation\": 1,"));
  EXPECT_THAT(sim_json(report()), HasSubstr("\"refused\": 1,"));
  EXPECT_THAT(sim_text(report()), HasSubstr("100.00 %"));
  EXPECT_THAT(sim_text(report()), HasSubstr("refused job 8: no"));
  EXPECT_THAT(sim_page(report()), HasSubstr("100.00 %"));
}

TEST(Sim, AllFiguresOfAPageAreOfOneWidthAndSoAreTheirTexts) {
  std::string page = sim_page(report());
  for (std::size_t at = page.find("<svg"); at != page.npos; at = page.find("<svg", at + 1))
    EXPECT_EQ(page.substr(at, 22), "<svg viewBox=\"0 0 720 ");
}

TEST(Sim, APageNeedsNothingFromElsewhere) {
  SimReport hostile = report();
  hostile.title = "<script>alert(1)</script>";
  std::string page = sim_page(hostile);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
}

}  // namespace
}  // namespace ym::cli
