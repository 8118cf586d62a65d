// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/roles.h"

#include <algorithm>
#include <thread>

#include "base/format.h"
#include "config/standby.h"
#include "daemon/slurmctld/homes.h"
#include "os/child.h"
#include "os/environment.h"

namespace ym {
namespace {

constexpr Duration kProgramLimit = std::chrono::seconds(60);
// After a failed attempt to lead: others may do better.
constexpr Duration kPauseAfterFailure = std::chrono::seconds(2);

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

Result<std::unique_ptr<Roles>> Roles::start(Options options, Log& log) {
  auto index = own_index(options.loaded.config, options.name);
  if (!index) return std::unexpected(index.error());
  std::unique_ptr<Roles> roles(new Roles(std::move(options), *index, log));
  auto home = make_home(roles->options_.loaded, roles->disk_);
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
                           .open_files = options_.open_files,
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
