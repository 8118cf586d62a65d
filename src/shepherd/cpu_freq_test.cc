// SPDX-License-Identifier: Apache-2.0
#include "shepherd/cpu_freq.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/format.h"
#include "os/files.h"

namespace ym {
namespace {

// What the kernel shows of CPUs that can go at 1, 2, 3 and 4 GHz.
class CpuSpeedsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ym-cpufreq.XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    for (int cpu : {0, 1, 2}) {
      ASSERT_TRUE(make_folders(folder(cpu)));
      write(cpu, "scaling_governor", "powersave\n");
      write(cpu, "scaling_available_governors", "powersave performance ondemand userspace\n");
      write(cpu, "scaling_available_frequencies", "4000000 3000000 2000000 1000000\n");
      write(cpu, "cpuinfo_min_freq", "1000000\n");
      write(cpu, "cpuinfo_max_freq", "4000000\n");
      write(cpu, "scaling_min_freq", "1000000\n");
      write(cpu, "scaling_max_freq", "4000000\n");
      write(cpu, "scaling_setspeed", "<unsupported>\n");
    }
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string folder(int cpu) const {
    return fmt::format("{}/devices/system/cpu/cpu{}/cpufreq", root_, cpu);
  }
  void write(int cpu, const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder(cpu) + "/" + name, text, 0644, Sync::No));
  }
  std::string read(int cpu, const std::string& name) const {
    std::string text = read_file(folder(cpu) + "/" + name).value_or("");
    return text.substr(0, text.find('\n'));
  }
  ShepherdOrder order(const std::string& freq) const {
    ShepherdOrder order;
    order.cpus = "0-1";
    order.cpu_freq = freq;
    order.cpu_governors = "OnDemand,Performance,UserSpace";
    order.sysfs = root_;
    return order;
  }
  std::string root_;
};

TEST_F(CpuSpeedsTest, AFrequencyIsSetByTheGovernorThatObeysAndOnTheStepsCpusAlone) {
  CpuSpeeds speeds;
  EXPECT_TRUE(speeds.set(order("HighM1")).empty());
  for (int cpu : {0, 1}) {
    EXPECT_EQ(read(cpu, "scaling_governor"), "userspace");
    EXPECT_EQ(read(cpu, "scaling_setspeed"), "3000000");
    EXPECT_EQ(read(cpu, "scaling_min_freq"), "3000000");
    EXPECT_EQ(read(cpu, "scaling_max_freq"), "3000000");
  }
  EXPECT_EQ(read(2, "scaling_governor"), "powersave");
  speeds.restore();
  EXPECT_EQ(read(0, "scaling_governor"), "powersave");
  EXPECT_EQ(read(0, "scaling_min_freq"), "1000000");
  EXPECT_EQ(read(1, "scaling_max_freq"), "4000000");
}

TEST_F(CpuSpeedsTest, ARangeIsLeftToTheGovernorAndNumbersAreRoundedToWhatThereIs) {
  CpuSpeeds speeds;
  EXPECT_TRUE(speeds.set(order("2500000-9000000:OnDemand")).empty());
  EXPECT_EQ(read(0, "scaling_governor"), "ondemand");
  EXPECT_EQ(read(0, "scaling_min_freq"), "2000000");
  EXPECT_EQ(read(0, "scaling_max_freq"), "4000000");
}

TEST_F(CpuSpeedsTest, AGovernorThatTheSiteDoesNotAllowIsRefusedAndTheStepGoesOn) {
  CpuSpeeds speeds;
  auto troubles = speeds.set(order("Conservative"));
  ASSERT_FALSE(troubles.empty());
  EXPECT_EQ(troubles[0], "governor Conservative is not one of CpuFreqGovernors");
  EXPECT_EQ(read(0, "scaling_governor"), "powersave");
}

TEST_F(CpuSpeedsTest, CpuFreqDefIsForStepsWithoutAWish) {
  ShepherdOrder plain = order("");
  CpuSpeeds none;
  EXPECT_TRUE(none.set(plain).empty());
  EXPECT_EQ(read(0, "scaling_governor"), "powersave");
  plain.cpu_freq_default = "Performance";
  CpuSpeeds speeds;
  EXPECT_TRUE(speeds.set(plain).empty());
  EXPECT_EQ(read(0, "scaling_governor"), "performance");
}

TEST_F(CpuSpeedsTest, ACpuThatHasOneSpeedIsToldOf) {
  ShepherdOrder elsewhere = order("high");
  elsewhere.cpus = "7";
  CpuSpeeds speeds;
  EXPECT_EQ(speeds.set(elsewhere), (std::vector<std::string>{"CPU 7 cannot change its speed"}));
}

}  // namespace
}  // namespace ym
