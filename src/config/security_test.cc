// SPDX-License-Identifier: Apache-2.0
#include "config/security.h"

#include <gtest/gtest.h>

#include "config/parse.h"

namespace ym {
namespace {

TlsConfig tls(const std::string& host, const std::string& lines = {}) {
  auto parsed = parse_config("slurm.conf", [&](const std::string&) -> Result<std::string> {
    return "ClusterName=c\nSlurmctldHost=" + host + "\nNodeName=n[1-2]\n" + lines;
  });
  EXPECT_TRUE(parsed) << parsed.error().text;
  return tls_of(parsed->config);
}

TEST(TlsConfig, is_on_by_itself_where_the_controller_is_reached_from_other_machines) {
  for (const char* host : {"ctl", "ctl(10.0.0.1)", "ctl\nSlurmctldHost=localhost"})
    EXPECT_TRUE(tls(host).on) << host;
  for (const char* host : {"localhost", "ctl(127.0.0.1)", "LOCALHOST(127.3.2.1)", "ctl(::1)"})
    EXPECT_FALSE(tls(host).on) << host;
}

TEST(TlsConfig, is_what_TLSType_says) {
  EXPECT_FALSE(tls("ctl", "TLSType=none\n").on);
  EXPECT_FALSE(tls("ctl", "TLSType=tls/none\n").on);
  EXPECT_TRUE(tls("localhost", "TLSType=tls/s2n\n").on);
  EXPECT_FALSE(tls("localhost", "TLSType=tls/s2n\n").site_authority);
}

TEST(TlsConfig, takes_a_sites_own_files) {
  TlsConfig own = tls("ctl",
                      "TLSType=tls/s2n\nTLSParameters=ca_cert_file=/a.pem,ctld_cert_file=/c.pem,"
                      "ctld_cert_key_file=/k.pem,slurmd_cert_file=/d.pem,cert_life=600\n");
  EXPECT_TRUE(own.site_authority);
  EXPECT_EQ(own.authority_file, "/a.pem");
  EXPECT_EQ(own.controller_certificate, "/c.pem");
  EXPECT_EQ(own.controller_key, "/k.pem");
  EXPECT_EQ(own.node_certificate, "/d.pem");
  EXPECT_EQ(own.node_key, "");
  EXPECT_EQ(own.certificate_life, std::chrono::seconds(600));
}

}  // namespace
}  // namespace ym
