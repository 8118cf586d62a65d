// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/homes.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "config/standby.h"
#include "net/certificate.h"
#include "net/http_client.h"
#include "net/key.h"
#include "net/tls.h"
#include "os/files.h"
#include "store/etcd_home.h"
#include "store/file_home.h"

namespace ym {
namespace {

constexpr Duration kEtcdTimeout = std::chrono::seconds(5);
constexpr std::chrono::seconds::rep kEtcdLeaseMin_s = 2;

// For etcds:// locations: etcd's members have certificates of this authority, and want one of ours
// if there is one.
Result<std::shared_ptr<const TlsContext>> etcd_tls(const LoadedConfiguration& loaded) {
  StandbyConfig said = standby_of(loaded.config);
  auto file = [&](const std::string& path, const char* usual) {
    return path.empty() ? (std::filesystem::path(loaded.path).parent_path() / usual).string()
                        : path;
  };
  auto authority = read_file(file(said.etcd_authority, "etcd_ca.pem"));
  if (!authority) return fail("etcd: " + authority.error().text);
  TlsTrust trust{.authority = std::move(*authority), .revoked = {}};
  std::string certificate_file = file(said.etcd_certificate, "etcd_cert.pem");
  auto certificate = read_file(certificate_file);
  Result<std::shared_ptr<TlsContext>> made = fail("");
  if (certificate) {
    auto key = read_secret(file(said.etcd_key, "etcd_cert_key.pem"), kPemMax);
    if (!key) return fail("etcd: " + key.error().text);
    made = TlsContext::client(trust, {.certificate = std::move(*certificate), .key = *key});
  } else if (said.etcd_certificate.empty()) {
    made = TlsContext::client(trust);
  } else {
    return fail("etcd: " + certificate.error().text);
  }
  if (!made) return fail("etcd: " + made.error().text);
  return std::move(*made);
}

// Each caller gets a connection of its own. etcd grants no lease below 2 s, and ends it itself.
Result<std::unique_ptr<LogHome>> make_etcd_home(const LoadedConfiguration& loaded) {
  const ClusterConfig& config = loaded.config;
  auto place = parse_etcd_place(config.state_dir);
  if (!place) return std::unexpected(place.error());
  if (auto good = HttpClient::create(place->members, kEtcdTimeout); !good)
    return fail(fmt::format("StateSaveLocation={}: {}", config.state_dir, good.error().text));
  std::shared_ptr<const TlsContext> tls;
  if (place->tls) {
    auto made = etcd_tls(loaded);
    if (!made) return std::unexpected(made.error());
    tls = std::move(*made);
  }
  auto connect = [members = place->members, tls]() -> EtcdCall {
    auto client = std::make_shared<HttpClient>(*HttpClient::create(members, kEtcdTimeout, tls));
    return [client](const std::string& path, const std::string& body) {
      return client->post(path, body);
    };
  };
  auto ttl = std::chrono::ceil<std::chrono::seconds>(standby_of(config).lease_time / 2);
  return std::make_unique<EtcdHome>(
      EtcdHomeOptions{.connect = connect,
                      .prefix = place->prefix,
                      .members = join(place->members, ","),
                      .ttl_s = static_cast<std::uint64_t>(std::max(ttl.count(), kEtcdLeaseMin_s))});
}

}  // namespace

bool has_epochs(const ClusterConfig& config) {
  return has_standbys(config) || is_etcd_place(config.state_dir);
}

Result<std::unique_ptr<LogHome>> make_home(const LoadedConfiguration& loaded, Disk& disk) {
  const ClusterConfig& config = loaded.config;
  if (is_etcd_place(config.state_dir)) return make_etcd_home(loaded);
  auto company = has_standbys(config) ? FileHome::Company::Standbys : FileHome::Company::Alone;
  return std::make_unique<FileHome>(disk, config.state_dir, company);
}

}  // namespace ym
