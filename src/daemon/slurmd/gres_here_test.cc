// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/gres_here.h"

#include <gtest/gtest.h>

#include <stdlib.h>
#include <filesystem>

#include "os/files.h"

namespace ym {
namespace {

// A folder in the place of /, with files that are no devices.
class GresHereTest : public testing::Test {
 protected:
  GresHereTest() {
    std::string name = testing::TempDir() + "gresXXXXXX";
    root_ = ::mkdtemp(name.data());
    for (const char* file : {"/dev/nvidia0", "/dev/nvidia1"}) put(file, "");
  }
  ~GresHereTest() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    std::string whole = root_ + path;
    ASSERT_TRUE(make_folders(whole.substr(0, whole.rfind('/'))));
    ASSERT_TRUE(write_file(whole, text));
  }
  GresHere find(const char* gres, std::vector<GresLine> lines) {
    ClusterConfig config;
    config.gres_conf = std::move(lines);
    return find_gres(config, {.name = "n1", .gres = gres}, root_);
  }
  std::string root_;
};

TEST_F(GresHereTest, FilesThatAreNotThereDoNotCount) {
  GresHere here =
      find("gpu:3", {{.item = {.name = "gpu", .count = 3, .files = "/dev/nvidia[0-2]"}}});
  ASSERT_EQ(here.items.size(), 1u);
  EXPECT_EQ(here.items[0].count, 2u);
  EXPECT_EQ(here.items[0].files, "/dev/nvidia0,/dev/nvidia1");
  EXPECT_EQ(here.troubles, std::vector<std::string>{"gres.conf: /dev/nvidia2 is not there"});
  ASSERT_EQ(here.devices.size(), 2u);
  EXPECT_EQ(here.devices[1].number, 1u);
}

TEST_F(GresHereTest, LinesOfOtherNodesAreNotOurs) {
  GresHere here = find("tool:2", {{.nodes = "n[2-9]", .item = {.name = "tool", .count = 5}},
                                  {.nodes = "n[1-2]", .item = {.name = "tool", .count = 2}}});
  EXPECT_EQ(gres_lines(here), "Gres Name=tool Count=2\n");
}

TEST_F(GresHereTest, GpusAreNotBelievedWithoutFiles) {
  EXPECT_EQ(gres_lines(find("gpu:2,tool:1", {})), "Gres Name=tool Count=1\n");
  GresHere bare = find("gpu:2", {{.item = {.name = "gpu", .count = 2}}});
  EXPECT_TRUE(bare.items.empty());
  EXPECT_EQ(bare.troubles.size(), 1u);
  GresHere counted =
      find("gpu:2", {{.item = {.name = "gpu", .count = 2, .flags = kGresCountOnly}}});
  EXPECT_EQ(gres_lines(counted), "Gres Name=gpu Count=2 Flags=CountOnly\n");
}

TEST_F(GresHereTest, NvidiasDriverTellsItsGpus) {
  put("/proc/driver/nvidia/gpus/0000:01:00.0/information",
      "Model: \t\t NVIDIA A100-SXM4-40GB\nDevice Minor: \t 1\n");
  put("/proc/driver/nvidia/gpus/0000:81:00.0/information",
      "Model: \t\t NVIDIA A100-SXM4-40GB\nDevice Minor: \t 0\n");
  GresHere here = find("gpu:2", {{.autodetect = "nvml"}});
  EXPECT_EQ(gres_lines(here),
            "Gres Name=gpu Type=nvidia_a100-sxm4-40gb Count=1 File=/dev/nvidia1 "
            "Flags=nvidia_gpu_env\n"
            "Gres Name=gpu Type=nvidia_a100-sxm4-40gb Count=1 File=/dev/nvidia0 "
            "Flags=nvidia_gpu_env\n");
  GresHere named = find("gpu:a100:2", {{.autodetect = "nvidia"}});
  ASSERT_EQ(named.items.size(), 2u);
  EXPECT_EQ(named.items[0].type, "a100") << "as slurm.conf calls it";
  GresHere off = find("gpu:2", {{.autodetect = "nvml"}, {.nodes = "n1", .autodetect = "off"}});
  EXPECT_TRUE(off.items.empty());
}

TEST_F(GresHereTest, AmdsGpusAreInSys) {
  put("/sys/class/drm/renderD128/device/vendor", "0x1002\n");
  put("/sys/class/drm/renderD129/device/vendor", "0x8086\n");
  put("/dev/dri/renderD128", "");
  GresHere here = find("gpu:1", {{.autodetect = "rsmi"}});
  EXPECT_EQ(gres_lines(here), "Gres Name=gpu Count=1 File=/dev/dri/renderD128 Flags=amd_gpu_env\n");
}

}  // namespace
}  // namespace ym
