// SPDX-License-Identifier: Apache-2.0
#include "cli/sbcast/sbcast.h"

#include <gtest/gtest.h>

#include "cli/sbcast/libraries.h"
#include "os/files.h"

namespace ym::cli {
namespace {

TEST(Sbcast, ADestinationThatIsAFolderKeepsTheName) {
  EXPECT_EQ(destination_of("/data/a/prog", "/tmp/x", ""), "/tmp/x");
  EXPECT_EQ(destination_of("/data/a/prog", "/tmp/", ""), "/tmp/prog");
  EXPECT_EQ(destination_of("prog", "x", "Compression=lz4,DestDir=/scratch"), "/scratch/x");
  EXPECT_EQ(destination_of("prog", "/tmp/x", "DestDir=/scratch"), "/tmp/x");
}

TEST(Sbcast, SizesHaveUnitsAndBounds) {
  EXPECT_EQ(parse_piece("4k").value(), 4096u);
  EXPECT_EQ(parse_piece("8M").value(), 8u << 20);
  EXPECT_FALSE(parse_piece("0"));
  EXPECT_FALSE(parse_piece("64m"));
  EXPECT_FALSE(parse_piece("18446744073709551615m"));
  EXPECT_FALSE(parse_piece("x"));
}

TEST(Sbcast, CompressionIsLz4OrNone) {
  EXPECT_TRUE(parse_compression("").value());
  EXPECT_FALSE(parse_compression("none").value());
  EXPECT_FALSE(parse_compression("zip"));
}

TEST(Sbcast, ParametersAreFoundByName) {
  EXPECT_EQ(bcast_parameter("DestDir=/t,send_libs", "send_libs"), "");
  EXPECT_EQ(bcast_parameter("DestDir=/t,send_libs", "destdir"), "/t");
  EXPECT_EQ(bcast_parameter("", "DestDir"), std::nullopt);
}

TEST(Libraries, AreReadFromWhatTheLoaderSays) {
  EXPECT_EQ(parse_loader_list("\tlinux-vdso.so.1 (0x7f)\n\tliba.so => /opt/a/liba.so (0x7f)\n"
                              "\tlibb.so => not found\n\t/lib64/ld.so.2 (0x7f)\n"),
            (std::vector<std::string>{"/opt/a/liba.so", "/lib64/ld.so.2"}));
}

TEST(Libraries, OfTheSystemStayAway) {
  auto system = parse_exclusions("/lib,/usr/lib/");
  EXPECT_TRUE(excluded("/lib/libc.so", system));
  EXPECT_TRUE(excluded("/usr/lib/x/liba.so", system));
  EXPECT_FALSE(excluded("/library/liba.so", system));
  EXPECT_FALSE(excluded("/lib/libc.so", parse_exclusions("none")));
}

TEST(Libraries, AProgramNamesItsLoader) {
  auto self = read_file("/bin/sh");
  ASSERT_TRUE(self);
  EXPECT_NE(elf_interpreter(*self).find("ld"), std::string::npos);
  EXPECT_EQ(elf_interpreter("#!/bin/sh\n"), "");
  EXPECT_EQ(elf_interpreter(self->substr(0, 70)), "");
}

}  // namespace
}  // namespace ym::cli
