// SPDX-License-Identifier: Apache-2.0
// A command's way to the controller, and to nodes: finds it, proves who is asking, waits while it
// is away.
//
// Unix socket first: there the kernel says who is calling. Else TCP with a token, made with the
// cluster's key if it can be read (administrators), else got from the slurmd of this machine.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/common/remote_trust.h"
#include "cli/common/slurm_conf.h"
#include "model/errc.h"
#include "net/client.h"
#include "net/keyring.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym::cli {

inline constexpr std::string_view kNoController =
    "Unable to contact slurm controller (connect failure)";
inline constexpr std::uint32_t kConnectFailure = 1800;  // Slurm's number: nothing has been sent
inline constexpr std::uint32_t kAnswerUnknown = 1801;   // sent, but the answer did not come

// How often something may be asked. Keyed: under a number of its own, by which the controller knows
// a repetition, and answers it without doing it again. Once: nobody is there to be asked again.
enum class Asking : std::uint8_t { Repeatable, Keyed, Once };

class Controller {
 public:
  // Reads the configuration. Connects with the first question.
  static Result<Controller> open();
  explicit Controller(LoadedConfiguration loaded)
      : conf_(std::make_shared<SlurmConf>(std::move(loaded))) {}

  // Another connection, not made yet.
  Controller another() const {
    Controller one(conf_);
    one.trust_ = trust_;
    return one;
  }
  const MainConfig& config() const { return conf_->main(); }
  // The same with nodes and partitions, for those who name some.
  Result<const ClusterConfig*> whole_config() const;
  const std::string& config_path() const { return conf_->path(); }

  // Connects, if the controller is there, and says hello without waiting for the welcome: what the
  // command has to prepare passes meanwhile. Trouble is told by the first question.
  void greet();
  // One answer. Failure answers come back as errors with their code.
  template <class Answer, class Request>
  Result<Answer> ask(const Request& request, Asking asking = Asking::Repeatable) {
    std::optional<Answer> out;
    Status done = exchange(wire::message_number<Request>, wire::encode(request), asking,
                           taker<Answer>([&out](Answer&& answer) { out = std::move(answer); }));
    if (!done) return std::unexpected(done.error());
    return std::move(*out);
  }
  // An answer of many frames. `restart` is called before a repetition, to forget what came of the
  // first attempt.
  template <class Answer, class Request>
  Status ask_many(const Request& request, const std::function<void(Answer&&)>& take,
                  const std::function<void()>& restart) {
    return exchange(wire::message_number<Request>, wire::encode(request), Asking::Repeatable,
                    taker<Answer>(take), restart);
  }
  // Asked again if the answer was lost: the controller knows the request by its number, and answers
  // with the job that there is.
  Result<SubmitAnswer> submit(SubmitJob request);
  // The connection itself, for those who wait on it together with other things; null if there is
  // none just now.
  Client* connected() { return connect() ? &*client_ : nullptr; }
  void disconnect() { client_.reset(); }
  // The one that we talked to does not lead: the next connection is to the next of them.
  void try_next();
  // The next connection is to the one that `other` talks to.
  void go_with(const Controller& other);
  // Whether another controller than the one that we talk to leads; then the next connection is to
  // it. For those who have waited for long: takes seconds if controllers are away.
  bool leads_elsewhere();
  // Asks one controller, whether it leads or not: that of the SlurmctldHost line `index`.
  template <class Answer, class Request>
  Result<Answer> ask_at(std::size_t index, const Request& request, Duration timeout) {
    std::optional<Answer> out;
    Status done = exchange_at(index, wire::message_number<Request>, wire::encode(request), timeout,
                              taker<Answer>([&out](Answer&& answer) { out = std::move(answer); }));
    if (!done) return std::unexpected(done.error());
    return std::move(*out);
  }

  // A connection to a node's slurmd, which may not be there yet: see Client::begin.
  Result<Client> start_node(const NodeAddress& node);
  // The same, connected and greeted.
  Result<Client> connect_node(const NodeAddress& node);

 private:
  explicit Controller(std::shared_ptr<SlurmConf> conf) : conf_(std::move(conf)) {}

  using Take = std::function<Status(const Frame&)>;

  template <class Answer>
  static Take taker(std::function<void(Answer&&)> take) {
    return [take = std::move(take)](const Frame& frame) -> Status {
      if (frame.header.type == wire::message_number<Failure>) {
        auto failure = wire::decode<Failure>(frame.payload);
        if (!failure) return std::unexpected(failure.error());
        return fail(failure->code, failure->text);
      }
      if (frame.header.type != wire::message_number<Answer>)
        return fail("the controller's answer is of an unexpected kind");
      auto answer = wire::decode<Answer>(frame.payload);
      if (!answer) return std::unexpected(answer.error());
      take(std::move(*answer));
      return {};
    };
  }

  Result<std::string> socket_of(const std::string& node) const;
  Status connect();
  // What a connection over the network to `server` needs. `name`: in its certificate.
  Status prove(ClientOptions& options, const Address& server, const std::string& name);
  const KeyRing* keys();
  // Where controllers may be: on this machine, then over the network.
  std::vector<Address> places() const;
  Address place_of(std::size_t index) const;
  Result<Client> connect_to(const Address& place, Duration timeout);
  Result<Frame> next_frame(Duration timeout);
  Status exchange_at(std::size_t index, std::uint16_t type, const std::string& payload,
                     Duration timeout, const Take& take);
  // A proof of who is asking for one connection to `server`. The same one serves several servers.
  Result<std::string> token(const std::string& server);
  Result<std::string> fresh_token();
  Status exchange(std::uint16_t type, const std::string& payload, Asking asking, const Take& take,
                  const std::function<void()>& restart = {});
  struct Attempt;
  Status exchange_once(const Attempt& attempt, const std::string& payload, const Take& take,
                       bool& sent, bool& final);

  std::shared_ptr<SlurmConf> conf_;
  std::optional<Client> client_;
  std::string token_;
  Duration token_made_{0};                    // by the monotonic clock
  std::set<std::string> shown_to_;            // servers that have seen token_
  std::shared_ptr<const RemoteTrust> trust_;  // null: not looked for yet
  std::shared_ptr<const KeyRing> keys_;
  bool looked_for_keys_ = false;
  std::uint64_t last_correlation_ = 0;
  std::size_t place_ = 0;  // the first of places() to try
  bool sent_ = false;      // the last question may have been heard, though it was not answered
};

}  // namespace ym::cli
