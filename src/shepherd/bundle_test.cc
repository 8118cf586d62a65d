// SPDX-License-Identifier: Apache-2.0
#include "shepherd/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kConfig = R"({
  "ociVersion": "1.0.2",
  "process": {"user": {"uid": 0, "gid": 0}, "args": ["sh"], "env": ["PATH=/inside", "A=1"],
              "cwd": "/opt", "terminal": true, "noNewPrivileges": true},
  "root": {"path": "rootfs", "readonly": true},
  "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
             {"destination": "/home", "type": "bind", "source": "/home", "options": ["rbind"]}],
  "hooks": {"prestart": [{"path": "/bin/one"}], "poststop": [{"path": "/bin/two"}]},
  "linux": {"namespaces": [{"type": "mount"}, {"type": "user"}]}
})";

std::string member(const std::string& config, std::string_view object, std::string_view name) {
  auto all = JsonMembers::parse(config);
  if (!all) return "not JSON: " + config;
  auto inner = JsonMembers::parse(all->get(object));
  return inner ? std::string(inner->get(name)) : "no object";
}

TEST(Bundle, ATaskIsPutIntoItAndEverythingElseStays) {
  auto changed =
      change_bundle(kConfig, {.bundle = "/images/one",
                              .arguments = {"/bin/say", "it's \"so\"\n"},
                              .environment = {"PATH=/outside", "SLURM_JOB_ID=7", "broken", "=x"},
                              .cwd = "/home/me"});
  ASSERT_TRUE(changed) << changed.error().text;
  EXPECT_EQ(member(*changed, "process", "args"), R"(["/bin/say","it's \"so\"\u000a"])");
  EXPECT_EQ(member(*changed, "process", "env"), R"(["A=1","PATH=/inside","SLURM_JOB_ID=7"])");
  EXPECT_EQ(member(*changed, "process", "cwd"), R"("/home/me")");
  EXPECT_EQ(member(*changed, "process", "terminal"), "false");
  EXPECT_EQ(member(*changed, "process", "noNewPrivileges"), "true");
  EXPECT_EQ(member(*changed, "process", "user"), R"({"uid": 0, "gid": 0})");
  EXPECT_EQ(member(*changed, "root", "path"), R"("/images/one/rootfs")");
  EXPECT_EQ(member(*changed, "root", "readonly"), "true");
  EXPECT_EQ(member(*changed, "linux", "namespaces"), R"([{"type": "mount"}, {"type": "user"}])");
}

TEST(Bundle, TheSpoolIsMountedBehindWhatIsMountedAlready) {
  auto changed = change_bundle(kConfig, {.bundle = "/b",
                                         .arguments = {"x"},
                                         .mount_from = "/spool/7",
                                         .mount_to = "/var/run/slurm/"});
  ASSERT_TRUE(changed) << changed.error().text;
  auto facts = bundle_facts(*changed, "/elsewhere");
  ASSERT_TRUE(facts);
  EXPECT_THAT(facts->destinations, ElementsAre("/proc", "/home", "/var/run/slurm/"));
  EXPECT_THAT(facts->binds, ElementsAre("/home", "/var/run/slurm/"));
  EXPECT_EQ(facts->rootfs, "/b/rootfs");
  EXPECT_EQ(member(*changed, "process", "cwd"), R"("/opt")");
}

TEST(Bundle, HooksThatTheSiteForbidsAreTakenOut) {
  auto changed = change_bundle(
      kConfig, {.bundle = "/b", .arguments = {"x"}, .disabled_hooks = {"prestart", "poststart"}});
  ASSERT_TRUE(changed) << changed.error().text;
  EXPECT_EQ(member(*changed, "hooks", "prestart"), "");
  EXPECT_THAT(member(*changed, "hooks", "poststop"), HasSubstr("/bin/two"));
  EXPECT_THAT(*changed, Not(HasSubstr("/bin/one")));
}

TEST(Bundle, ABundleThatIsNoneIsRefused) {
  for (const char* bad : {"", "[]", "{", "{\"root\":{}}", "{\"root\":[1]}",
                          "{\"root\":{\"path\":\"r\"},\"mounts\":[1]}",
                          "{\"root\":{\"path\":\"r\"},\"process\":\"x\"}", "{\"a\":1,\"a\":2}"})
    EXPECT_FALSE(change_bundle(bad, {.bundle = "/b", .arguments = {"x"}})) << bad;
  auto odd = change_bundle(kConfig, {.bundle = "/b", .arguments = {"\xff"}});
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().text, HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace ym
