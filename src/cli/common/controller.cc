// SPDX-License-Identifier: Apache-2.0
#include "cli/common/controller.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/format.h"
#include "config/munge.h"
#include "config/standby.h"
#include "model/rate_limit.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/munge.h"
#include "site/sack.h"

namespace ym::cli {
namespace {

constexpr Duration kFirstPause{50};
constexpr Duration kLongestPause{2000};
constexpr Duration kShortPause{250};  // the longest where a standby is about to take over
constexpr Duration kConnectTimeout{5000};
constexpr Duration kShortConnectTimeout{1000};  // there are others
constexpr Duration kSilence{1500};              // then we look whether another leads,
constexpr Duration kLookAgain{500};             // and so often from then on
constexpr Duration kHandshakePatience{3000};    // of a leader that has much to do
// As long as standbys answer, there will be a leader: its lease ends, another takes over.
constexpr Duration kFailoverPatience = std::chrono::seconds(30);
// Told to come back later: a second, then two, as Slurm's commands.
constexpr std::uint32_t kNoProof = 1007;  // Slurm's number for a failed authentication
constexpr Duration kBackOff{1000};
constexpr Duration kLongestBackOff{10'000};
// A token serves one connection to each server, at once: none of them lies about for long.
constexpr std::uint32_t kTokenLife_s = 60;
// Nor does one serve at a server that has started since.
constexpr Duration kTokenAge = std::chrono::seconds(2);

// Nobody else's.
std::uint64_t random_number() {
  std::uint64_t number = 0;
  std::array<std::uint8_t, sizeof number> bytes{};
  system_entropy()(bytes);
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

void pause_for(Duration time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }

// From sackd or a slurmd of this machine, which know us by the kernel's word. `binding`: of the
// only channel that it is for; empty: for any.
Result<std::string> token_of_local_node(SlurmConf& conf, std::string_view binding) {
  const MainConfig& config = conf.main();
  std::string here = host_name();
  ClientOptions options{.cluster = config.cluster_name, .connect_timeout = kConnectTimeout};
  GetToken request{.lifespan_s = kTokenLife_s, .binding = base64url_encode(binding)};
  std::optional<Error> refused;
  // A token of the daemon that listens there; none if there is none.
  auto token_of = [&](const std::string& path) -> std::optional<std::string> {
    auto client = Client::connect({.path = path}, options);
    if (!client) return std::nullopt;
    auto frame =
        client->call(wire::message_number<GetToken>, wire::encode(request), config.message_timeout);
    if (frame && frame->header.type == wire::message_number<Failure>)
      if (auto failure = wire::decode<Failure>(frame->payload))
        refused = Error{.code = failure->code, .text = failure->text};
    if (!frame || frame->header.type != wire::message_number<Token>) return std::nullopt;
    auto token = wire::decode<Token>(frame->payload);
    if (!token) return std::nullopt;
    return token->text;
  };
  if (auto token = token_of(sack_socket(config))) return *token;
  auto all = conf.all();
  if (!all) return std::unexpected(all.error());
  for (const NodeSpec& node : (*all)->config.nodes) {
    std::string host = node.hostname.empty() ? node.name : node.hostname;
    if (host.substr(0, host.find('.')) != here && host != "localhost") continue;
    if (auto token = token_of(node_socket((*all)->config, node.name))) return *token;
  }
  if (refused) return std::unexpected(*refused);
  return fail(kNoProof,
              "no way to prove who is asking: the cluster's key cannot be read, and neither sackd "
              "nor slurmd runs on this machine");
}

}  // namespace

Result<Controller> Controller::open() {
  auto loaded = load_main_config();
  if (!loaded) return std::unexpected(loaded.error());
  return Controller(std::make_shared<SlurmConf>(std::move(*loaded)));
}

Result<const ClusterConfig*> Controller::whole_config() const {
  auto all = conf_->all();
  if (!all) return std::unexpected(all.error());
  return &(*all)->config;
}

std::vector<Address> Controller::places() const {
  std::vector<Address> out;
  for (std::string& path : controller_sockets(config())) out.push_back({.path = std::move(path)});
  for (std::size_t i = 0; i < config().controllers.size(); ++i) out.push_back(place_of(i));
  return out;
}

Address Controller::place_of(std::size_t index) const {
  const ControllerHost& host = config().controllers[index];
  return {.host = host.address.empty() ? host.name : host.address,
          .port = config().controller_port};
}

Result<Client> Controller::connect_to(const Address& place, Duration timeout) {
  ClientOptions options{.cluster = config().cluster_name, .connect_timeout = timeout};
  if (!place.is_unix())
    if (Status ready = prove(options, place, std::string(kControllerName)); !ready)
      return std::unexpected(ready.error());
  return Client::connect(place, options);
}

Status Controller::connect() {
  if (client_) return {};
  Error last{.text = "slurm.conf names no SlurmctldHost"};
  std::vector<Address> all = places();
  Duration timeout = has_standbys(config()) ? kShortConnectTimeout : kConnectTimeout;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t at = (place_ + i) % all.size();
    auto client = connect_to(all[at], timeout);
    if (client) {
      client_ = std::move(*client);
      place_ = at;
      return {};
    }
    if (!all[at].is_unix()) last = client.error();
  }
  return std::unexpected(last);
}

const KeyRing* Controller::keys() {
  if (!std::exchange(looked_for_keys_, true)) {
    KeyFiles files{.key = key_file(config_path(), config()),
                   .jwks = jwks_file(config_path(), config())};
    if (auto ring = load_keyring(files, false, wall_clock()))
      keys_ = std::make_shared<const KeyRing>(std::move(*ring));
  }
  return keys_.get();
}

Status Controller::prove(ClientOptions& options, const Address& server, const std::string& name) {
  if (!trust_) {
    auto found = RemoteTrust::find(*conf_);
    if (!found) return std::unexpected(found.error());
    trust_ = std::make_shared<const RemoteTrust>(std::move(*found));
  }
  trust_->use(options, server, name);
  options.token.clear();
  options.make_token = {};
  options.check_proof = {};
  auto given = environment_variable("SLURM_JWT");
  bool with_token = given && !given->empty();
  bool with_key = !with_token && keys();
  if (trust_->on() && !trust_->verifies()) {
    if (!keys())
      return fail(
          "no way to tell the cluster's controller from another: no daemon of this cluster runs on "
          "this machine, there is no ca_cert.pem beside slurm.conf, and the cluster's key cannot "
          "be read");
    options.check_proof = [ring = keys_](const Greeting& greeting, std::string_view proof) {
      return check_server(*ring, greeting, proof, {.now = wall_clock()});
    };
  }
  if (MungeConfig munge = munge_of(config()); munge.enabled && !with_key && !with_token) {
    // One for each connection: munged lets none be read twice on a machine.
    options.make_token = [munge, cluster = config().cluster_name](std::string_view binding) {
      return munge_credential(munge.socket, munge_payload(cluster, binding));
    };
    return {};
  }
  // As long as there is no other connection, a daemon of this machine is all who can vouch for us;
  // and it can do so for this very channel.
  if (!with_key && !with_token && trust_->on() && !client_ && name == kControllerName) {
    options.make_token = [conf = conf_](std::string_view binding) {
      return token_of_local_node(*conf, binding);
    };
    return {};
  }
  if (!with_key) {
    auto proof = token(to_text(server));
    if (!proof) return std::unexpected(proof.error());
    options.token = *proof;
    return {};
  }
  options.make_token = [ring = keys_, cluster = config().cluster_name](std::string_view binding) {
    Instant now = wall_clock();
    return sign_token(*ring,
                      {.uid = ::geteuid(),
                       .gid = ::getegid(),
                       .issued = now,
                       .expires = now + std::chrono::seconds(kTokenLife_s),
                       .audience = cluster,
                       .kind = "user",
                       .id = {},
                       .binding = std::string(binding),
                       .once = true},
                      system_entropy());
  };
  return {};
}

void Controller::try_next() {
  client_.reset();
  place_ = (place_ + 1) % places().size();
}

void Controller::go_with(const Controller& other) {
  if (place_ == other.place_) return;
  client_.reset();
  place_ = other.place_;
}

bool Controller::leads_elsewhere() {
  std::vector<Address> all = places();
  std::size_t first = all.size() - config().controllers.size();
  for (std::size_t i = 0; i < config().controllers.size(); ++i) {
    if (first + i == place_) continue;
    auto pong = ask_at<Pong>(i, Ping{}, kShortConnectTimeout);
    if (!pong || pong->leader != pong->host) continue;
    place_ = first + i;
    return true;
  }
  return false;
}

Status Controller::exchange_at(std::size_t index, std::uint16_t type, const std::string& payload,
                               Duration timeout, const Take& take) {
  auto client = connect_to(place_of(index), timeout);
  if (!client) return std::unexpected(client.error());
  auto frame = client->call(type, payload, timeout);
  return frame ? take(*frame) : std::unexpected(frame.error());
}

// With standbys nobody is waited for who may have stopped, while another leads.
Result<Frame> Controller::next_frame(Duration timeout) {
  if (!has_standbys(config())) return client_->receive(timeout);
  Duration end = monotonic_clock() + timeout;
  for (Duration quiet = kSilence;; quiet = kLookAgain) {
    Duration left = end - monotonic_clock();
    auto ready = client_->readable(std::clamp(left, Duration(0), quiet));
    if (!ready) return std::unexpected(ready.error());
    if (*ready || left <= Duration(0)) return client_->receive(std::max(left, Duration(0)));
    if (leads_elsewhere()) return fail("another controller leads by now");
  }
}

Result<SubmitAnswer> Controller::submit(SubmitJob request) {
  request.submission = random_number();
  auto answer = ask<SubmitAnswer>(request);
  if (!answer && answer.error().code == kConnectFailure && sent_)
    return fail(kAnswerUnknown, answer.error().text);
  return answer;
}

void Controller::greet() {
  if (connect() && !client_->advance()) client_.reset();
}

Result<std::string> Controller::token(const std::string& server) {
  bool stale = token_.empty() || monotonic_clock() - token_made_ > kTokenAge;
  if (stale || !shown_to_.insert(server).second) {
    auto made = fresh_token();
    if (!made) return made;
    token_ = std::move(*made);
    token_made_ = monotonic_clock();
    shown_to_ = {server};
  }
  return token_;
}

Result<std::string> Controller::fresh_token() {
  if (auto given = environment_variable("SLURM_JWT"); given && !given->empty()) return *given;
  auto local = token_of_local_node(*conf_, {});
  if (local || !client_) return local;
  auto answer = ask<Token>(GetToken{.lifespan_s = kTokenLife_s});
  if (!answer) return local;
  return answer->text;
}

struct Controller::Attempt {
  std::uint16_t type = 0;
  Asking asking = Asking::Repeatable;
  std::uint64_t key = 0;  // Keyed: the same at each attempt
};

// `sent` and `final` tell how far it came: an error that is final is the controller's own answer.
Status Controller::exchange_once(const Attempt& attempt, const std::string& payload,
                                 const Take& take, bool& sent, bool& final) {
  if (Status connected = connect(); !connected) return connected;
  Duration timeout = config().message_timeout;
  std::uint64_t correlation = attempt.key != 0 ? attempt.key : ++last_correlation_;
  // Where a repetition could do harm, whoever is refused at the door should know that nothing was
  // asked. Over the network nothing is said before the other side has proved who it is.
  if (attempt.asking != Asking::Repeatable || !places()[place_].is_unix()) {
    Duration patience = has_standbys(config()) ? std::min(timeout, kHandshakePatience) : timeout;
    if (Status met = client_->finish_handshake(patience); !met) {
      try_next();
      // Somebody is there: what he said is worth more than that nobody could be reached.
      return fail(met.error().code ? met.error().code : kConnectFailure, met.error().text);
    }
  }
  // A failed send may have left a part; the controller acts on whole messages only, but a whole one
  // may have left, too.
  sent = true;
  FrameHeader header{.type = attempt.type, .correlation = correlation};
  if (attempt.key != 0) header.flags = wire::kFlagKeyed;
  if (Status done = client_->send(header, payload, timeout); !done) return done;
  for (;;) {
    auto frame = next_frame(timeout);
    if (!frame) return std::unexpected(frame.error());
    if (frame->header.correlation != correlation) continue;
    Status taken = frame->header.type == static_cast<std::uint16_t>(NetType::Error)
                       ? std::unexpected(decode_error(frame->payload))
                       : take(*frame);
    if (!taken) {
      final = true;
      return taken;
    }
    if (!(frame->header.flags & wire::kFlagMore)) return {};
  }
}

Status Controller::exchange(std::uint16_t type, const std::string& payload, Asking asking,
                            const Take& take, const std::function<void()>& restart) {
  int backed_off = 0;
  Duration give_up = monotonic_clock() + config().message_timeout;
  std::size_t turned_away = 0;
  std::string at_door;
  sent_ = false;
  Attempt attempt{.type = type, .asking = asking};
  if (asking == Asking::Keyed) attempt.key = random_number() | 1;
  for (Duration pause = kFirstPause;;) {
    bool sent = false, final = false;
    Status done = exchange_once(attempt, payload, take, sent, final);
    if (done) return done;
    sent_ = sent_ || (sent && !final);
    if (final && done.error().code == kRateLimited) {
      // Nothing was done. However often it takes: whoever gave up would be started anew by a loop.
      pause_for(std::min(++backed_off * kBackOff, kLongestBackOff));
      give_up = monotonic_clock() + config().message_timeout;
      pause = kFirstPause;
      if (restart) restart();
      continue;
    }
    if (final && is(done.error(), Errc::InStandby)) {  // nothing was done there
      try_next();
      if (turned_away == 0) give_up = std::max(give_up, monotonic_clock() + kFailoverPatience);
      if (++turned_away % places().size() != 0) continue;
    } else {
      if (final) return done;
      client_.reset();
      if (sent && asking == Asking::Once) return fail(kAnswerUnknown, done.error().text);
    }
    // What was said at the door first is worth more than that the last attempt took too long.
    if (at_door.empty() && !sent && !final && done.error().code != 0) at_door = done.error().text;
    if (monotonic_clock() + pause >= give_up) {
      bool refused = done.error().code != 0 || sent;
      std::string why = refused ? done.error().text : std::string(kNoController);
      if (asking == Asking::Keyed && sent_) return fail(kAnswerUnknown, why);
      return fail(kConnectFailure, at_door.empty() ? why : at_door);
    }
    pause_for(pause);
    pause = std::min(pause * 2, has_standbys(config()) ? kShortPause : kLongestPause);
    if (restart) restart();
  }
}

// The names of machines are looked up only where they are part of the socket's.
Result<std::string> Controller::socket_of(const std::string& node) const {
  if (!config().node_pid_file.contains("%h")) return node_socket(config(), node, node);
  auto all = whole_config();
  if (!all) return std::unexpected(all.error());
  return node_socket(**all, node);
}

Result<Client> Controller::start_node(const NodeAddress& node) {
  ClientOptions options{.cluster = config().cluster_name, .connect_timeout = kConnectTimeout};
  auto path = socket_of(node.name);
  if (!path) return std::unexpected(path.error());
  auto client = ::access(path->c_str(), W_OK) == 0 ? Client::begin({.path = *path}, options)
                                                   : Result<Client>(fail("not on this machine"));
  if (!client) {
    Address remote{.host = node.address.empty() ? node.name : node.address, .port = node.port};
    if (Status ready = prove(options, remote, node.name); !ready)
      return std::unexpected(ready.error());
    client = Client::begin(remote, options);
  }
  return client;
}

Result<Client> Controller::connect_node(const NodeAddress& node) {
  auto client = start_node(node);
  if (!client) return client;
  if (Status done = client->finish_handshake(config().message_timeout); !done)
    return std::unexpected(done.error());
  return client;
}

}  // namespace ym::cli
