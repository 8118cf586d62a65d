// SPDX-License-Identifier: Apache-2.0
#include "shepherd/gpu_freq.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/format.h"
#include "os/files.h"

namespace ym {
namespace {

// What AMD's driver shows of two GPUs, and a program that answers as NVIDIA's and notes what it was
// told.
class GpuSpeedsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ym-gpufreq.XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    for (int gpu : {128, 129}) {
      ASSERT_TRUE(make_folders(folder(gpu)));
      write(gpu, "power_dpm_force_performance_level", "auto\n");
      write(gpu, "pp_dpm_sclk", "0: 500Mhz\n1: 800Mhz *\n2: 1700Mhz\n");
      write(gpu, "pp_dpm_mclk", "0: 167Mhz *\n1: 1000Mhz\n");
    }
    ASSERT_TRUE(write_file(
        root_ + "/nvidia-smi",
        "#!/bin/sh\n"
        "echo \"$@\" >> " +
            root_ +
            "/told\n"
            "for word; do case $word in --filename=*) out=${word#--filename=};; esac; done\n"
            "case \"$*\" in *supported-clocks*)\n"
            "  printf '5001, 1590\\n5001, 1200\\n405, 645\\n405, 300\\n' > $out;; esac\n",
        0755, Sync::No));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string folder(int gpu) const {
    return fmt::format("{}/class/drm/renderD{}/device", root_, gpu);
  }
  void write(int gpu, const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder(gpu) + "/" + name, text, 0644, Sync::No));
  }
  std::string read(int gpu, const std::string& name) const {
    std::string text = read_file(folder(gpu) + "/" + name).value_or("");
    return text.substr(0, text.find('\n'));
  }
  ShepherdOrder order(const std::string& freq, std::vector<std::string> files) const {
    ShepherdOrder order;
    order.gpu_freq = freq;
    order.gpu_files = std::move(files);
    order.sysfs = root_;
    order.nvidia_smi = root_ + "/nvidia-smi";
    return order;
  }
  std::string root_;
};

TEST_F(GpuSpeedsTest, AmdsClocksAreFilesAndComeBack) {
  GpuSpeeds speeds;
  EXPECT_TRUE(speeds.set(order("highm1,memory=high,verbose", {"/dev/dri/renderD128"})).empty());
  EXPECT_EQ(read(128, "power_dpm_force_performance_level"), "manual");
  EXPECT_EQ(read(128, "pp_dpm_sclk"), "1");
  EXPECT_EQ(read(128, "pp_dpm_mclk"), "1");
  EXPECT_EQ(speeds.told(), "GpuFreq=graphics_freq:800,memory_freq:1000\n");
  EXPECT_EQ(read(129, "power_dpm_force_performance_level"), "auto") << "it is not the step's";
  speeds.restore();
  EXPECT_EQ(read(128, "power_dpm_force_performance_level"), "auto");
}

TEST_F(GpuSpeedsTest, StepsThatSomebodyChoseByHandComeBack) {
  write(128, "power_dpm_force_performance_level", "manual\n");
  GpuSpeeds speeds;
  EXPECT_TRUE(speeds.set(order("1600", {"/dev/dri/renderD128"})).empty());
  EXPECT_EQ(read(128, "pp_dpm_sclk"), "2") << "the nearest";
  speeds.restore();
  EXPECT_EQ(read(128, "pp_dpm_sclk"), "1");
  EXPECT_EQ(read(128, "power_dpm_force_performance_level"), "manual");
}

TEST_F(GpuSpeedsTest, NvidiasClocksAreSetByItsProgram) {
  GpuSpeeds speeds;
  EXPECT_TRUE(speeds.set(order("low,memory=400", {"/dev/nvidia0", "/dev/nvidia3"})).empty());
  EXPECT_EQ(speeds.told(), "");
  speeds.restore();
  speeds.restore();
  std::string query =
      " --query-supported-clocks=memory,graphics --format=csv,noheader,nounits --filename=";
  std::vector<std::string> expected = {"-i 0" + query,
                                       "-i 0 --applications-clocks=405,300",
                                       "-i 3" + query,
                                       "-i 3 --applications-clocks=405,300",
                                       "-i 0 --reset-applications-clocks",
                                       "-i 3 --reset-applications-clocks"};
  std::string told = read_file(root_ + "/told").value_or("");
  std::size_t at = 0;
  for (const std::string& line : expected) {
    std::size_t end = told.find('\n', at);
    ASSERT_NE(end, std::string::npos) << line;
    EXPECT_EQ(told.substr(at, line.size()), line);
    at = end + 1;
  }
  EXPECT_EQ(at, told.size());
}

TEST_F(GpuSpeedsTest, WhatCannotBeSetIsTold) {
  GpuSpeeds speeds;
  ShepherdOrder asked = order("high,verbose", {"/dev/dri/renderD200", "/dev/nvidia0"});
  asked.nvidia_smi = root_ + "/none";
  EXPECT_EQ(speeds.set(asked).size(), 2u);
  EXPECT_EQ(speeds.told(), "GpuFreq=control_disabled\n");
  EXPECT_TRUE(speeds.set(order("", {"/dev/nvidia0"})).empty()) << "no wish";
  EXPECT_TRUE(speeds.set(order("verbose", {"/dev/nvidia0"})).empty()) << "no speed";
}

TEST_F(GpuSpeedsTest, TheDefaultIsForThoseWithoutAWish) {
  GpuSpeeds speeds;
  ShepherdOrder asked = order("", {"/dev/dri/renderD129"});
  asked.gpu_freq_default = "low";
  EXPECT_TRUE(speeds.set(asked).empty());
  EXPECT_EQ(read(129, "pp_dpm_sclk"), "0");
}

}  // namespace
}  // namespace ym
