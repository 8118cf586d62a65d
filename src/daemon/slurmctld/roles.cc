// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/roles.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/format.h"
#include "base/text.h"
#include "config/standby.h"
#include "net/certificate.h"
#include "net/http_client.h"
#include "net/key.h"
#include "net/tls.h"
#include "os/child.h"
#include "os/environment.h"
#include "os/files.h"
#include "store/etcd_home.h"
#include "store/file_home.h"

namespace ym {
namespace {

constexpr Duration kProgramLimit = std::chrono::seconds(60);
// After a failed attempt to lead: others may do better.
constexpr Duration kPauseAfterFailure = std::chrono::seconds(2);
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

// One that lives in etcd has to lead there, even without standbys: another may have been started.
bool has_epochs(const ClusterConfig& config) {
  return has_standbys(config) || is_etcd_place(config.state_dir);
}

}  // namespace

Result<std::size_t> own_index(const ClusterConfig& config, const std::string& name) {
  const auto& all = config.controllers;
  std::string host = host_name(), known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    known += (i ? ", " : "") + all[i].name;
    const std::string& one = all[i].name;
    if (name.empty() ? one == host || one.substr(0, one.find('.')) == host : one == name) return i;
  }
  if (name.empty() && all.size() <= 1) return std::size_t{0};
  return fail(fmt::format("{} is none of the controllers that slurm.conf names: {}",
                          name.empty() ? "this machine, " + host + "," : name, known));
}

Roles::Roles(Options options, std::size_t index, Log& log)
    : options_(std::move(options)), index_(index), log_(log) {
  if (!options_.loaded.config.controllers.empty())
    options_.name = options_.loaded.config.controllers[index_].name;
}

Result<std::unique_ptr<LogHome>> Roles::make_home() {
  const ClusterConfig& config = options_.loaded.config;
  if (is_etcd_place(config.state_dir)) return make_etcd_home(options_.loaded);
  auto company = has_standbys(config) ? FileHome::Company::Standbys : FileHome::Company::Alone;
  return std::make_unique<FileHome>(disk_, config.state_dir, company);
}

Result<std::unique_ptr<Roles>> Roles::start(Options options, Log& log) {
  auto index = own_index(options.loaded.config, options.name);
  if (!index) return std::unexpected(index.error());
  std::unique_ptr<Roles> roles(new Roles(std::move(options), *index, log));
  auto home = roles->make_home();
  if (!home) return std::unexpected(home.error());
  roles->home_ = std::move(*home);
  Status begun = has_epochs(roles->options_.loaded.config) ? roles->stand_by() : roles->lead({});
  if (!begun) return std::unexpected(begun.error());
  return roles;
}

Status Roles::stand_by() {
  Standby::Options options{.loaded = options_.loaded,
                           .name = options_.name,
                           .index = index_,
                           .lease_time = standby_of(options_.loaded.config).lease_time,
                           .leads =
                               [this] {
                                 std::lock_guard lock(mutex_);
                                 won_ = true;
                                 options_.wake();
                               },
                           .shut_down = options_.shut_down};
  auto standby = Standby::start(std::move(options), *home_, log_);
  if (!standby) return std::unexpected(standby.error());
  standby_ = std::move(*standby);
  return {};
}

Status Roles::lead(State known) {
  // A standby may have stood by for long.
  if (has_epochs(options_.loaded.config)) {
    auto loaded = load_with_topologies(options_.loaded.path);
    bool same = loaded && loaded->config.controllers == options_.loaded.config.controllers;
    if (same) options_.loaded = std::move(*loaded);
    if (!same)
      log_.error("the old configuration stays: {}",
                 loaded ? "other SlurmctldHost lines need a restart" : loaded.error().text);
  }
  const ClusterConfig& config = options_.loaded.config;
  auto deposed = [this](const std::string& text) {
    std::lock_guard lock(mutex_);
    deposed_ = text;
    options_.wake();
  };
  if (has_epochs(config))
    keeper_ = std::make_unique<LeaseKeeper>(*home_, standby_of(config).lease_time, deposed, log_);
  auto service = ControllerService::start(
      {.loaded = options_.loaded,
       .clean = std::exchange(options_.clean, false),
       .accept_loss = options_.accept_loss,
       .open_files = options_.open_files,
       .shut_down = options_.shut_down,
       .home = home_.get(),
       .known = std::move(known),
       .deposed = deposed,
       .sure = [keeper = keeper_.get()] { return keeper == nullptr || keeper->sure(); },
       .index = index_},
      log_);
  if (!service) {
    keeper_.reset();
    home_->release();
    return std::unexpected(service.error());
  }
  service_ = std::move(*service);
  if (has_epochs(config)) run_program(standby_of(config).on_program);
  return {};
}

void Roles::step_down(const std::string& why) {
  log_.error("{} leads no more: {}. Nothing was acknowledged since; going on as a standby",
             options_.name, why);
  service_.reset();
  keeper_.reset();
  home_->release();
  run_program(standby_of(options_.loaded.config).off_program);
}

Status Roles::turn() {
  bool won = false;
  std::string deposed;
  {
    std::lock_guard lock(mutex_);
    won = std::exchange(won_, false);
    deposed = std::exchange(deposed_, {});
  }
  if (!deposed.empty() && service_) {
    step_down(deposed);
    return stand_by();
  }
  if (!won || !standby_) return {};
  State known = standby_->take();
  standby_.reset();
  Status leads = lead(std::move(known));
  if (leads) return {};
  log_.error("cannot lead: {}", leads.error().text);
  std::this_thread::sleep_for(kPauseAfterFailure);
  return stand_by();
}

void Roles::run_program(const std::string& program) const {
  if (program.empty()) return;
  std::string environment = fmt::format("SLURM_CONF={}", options_.loaded.path);
  environment += '\0';
  environment += "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  environment += '\0';
  auto child = start_child({program}, environment);
  if (!child) return log_.error("{} cannot be run: {}", program, child.error().text);
  std::thread([pid = *child] {
    static_cast<void>(wait_for_child(pid, kProgramLimit, [] { return false; }));
  }).detach();
}

void Roles::reconfigure() {
  if (service_) return service_->reconfigure();
  log_.info("a standby reads its configuration when it begins to lead");
}

void Roles::stop() {
  if (service_) service_->stop();
  bool led = service_ != nullptr && keeper_ != nullptr;
  service_.reset();
  standby_.reset();
  keeper_.reset();
  if (home_) home_->release();
  if (led) run_program(standby_of(options_.loaded.config).off_program);
  home_.reset();
}

}  // namespace ym
