// SPDX-License-Identifier: Apache-2.0
// What slurm.conf says about several controllers.
#pragma once
#include <string>

#include "base/time.h"
#include "model/config.h"

namespace ym {

struct StandbyConfig {
  // SlurmctldParameters=lease_time=MILLISECONDS: how long a leader may be silent before a standby
  // takes over. SlurmctldTimeout is an upper bound of it.
  Duration lease_time{3000};
  std::string on_program, off_program;  // SlurmctldPrimaryOnProg, SlurmctldPrimaryOffProg
  // SlurmctldParameters=etcd_ca_file=, etcd_cert_file=, etcd_cert_key_file=: for etcds://
  // locations; empty: etcd_ca.pem, etcd_cert.pem and etcd_cert_key.pem beside slurm.conf.
  std::string etcd_authority, etcd_certificate, etcd_key;
};

// Less, and every hiccup of a disk would be a failover.
inline constexpr Duration kLeaseTimeMin{1000};
inline constexpr Duration kLeaseTimeMax = std::chrono::minutes(10);

// From the values that `config` shows.
StandbyConfig standby_of(const MainConfig& config);

inline bool has_standbys(const MainConfig& config) { return config.controllers.size() > 1; }
// "primary", "backup1", …
std::string role_name(std::size_t index);

}  // namespace ym
