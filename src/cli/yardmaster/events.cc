// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/event_line.h"
#include "cli/yardmaster/yardmaster.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

constexpr Duration kReturnPatience = std::chrono::minutes(2);
constexpr Duration kForever = std::chrono::hours(24 * 365);

struct EventsSettings {
  std::string dir;
  std::uint64_t from = 0;
  bool follow = false, json = false;
};

std::vector<Option<EventsSettings>> events_table() {
  return {
      {{.name = "follow", .letter = 'f', .help = "Go on as events happen"},
       [](EventsSettings& s, std::string_view) -> Status {
         s.follow = true;
         return {};
       }},
      {{.name = "from",
        .takes = Takes::Value,
        .argument = "N",
        .help = "Begin with event N instead of the oldest one kept"},
       [](EventsSettings& s, std::string_view v) -> Status {
         auto number = parse_u64(v);
         if (!number) return fail("an event's number is needed");
         s.from = *number;
         return {};
       }},
      {{.name = "json", .help = "Print one JSON object on each line"},
       [](EventsSettings& s, std::string_view) -> Status {
         s.json = true;
         return {};
       }},
      dir_option<EventsSettings>(),
  };
}

class Printing {
 public:
  Printing(const EventsSettings& settings, LoadedConfiguration loaded)
      : settings_(settings),
        controller_(std::move(loaded)),
        lines_(local_zone()),
        next_{settings.from} {}

  // Follows over restarts of the controller, without a gap and without a repetition.
  Status run() {
    if (Status known = learn_names(); !known) return known;
    if (!settings_.follow) return once();
    for (Duration last = monotonic_clock();;) {
      Seq before = next_;
      Status done = follow();
      if (!done && done.error().code != kConnectFailure && done.error().code != 0) return done;
      if (next_ != before) last = monotonic_clock();
      if (monotonic_clock() - last > kReturnPatience) return done;
      controller_.disconnect();
      short_pause();
    }
  }

 private:
  Status learn_names() {
    auto nodes = ask_nodes(controller_);
    if (!nodes) return std::unexpected(nodes.error());
    for (const NodeRow& row : *nodes) lines_.know_node(row.node.id, row.node.spec->name);
    auto partitions = controller_.ask<PartitionRows>(QueryPartitions{});
    if (!partitions) return std::unexpected(partitions.error());
    for (const PartitionRow& row : partitions->rows)
      lines_.know_partition(row.partition.id, row.partition.spec->name);
    return {};
  }

  void take(const Events& events) {
    std::string out;
    for (const Event& event : events.events) {
      if (event.seq < next_) continue;
      std::string line = lines_.line(event);
      // The body of an event's JSON does not say which event it is.
      out += settings_.json ? fmt::format("{{\"event\":\"{}\",{}", split(line, ' ')[2],
                                          wire::to_json(event).substr(1))
                            : line;
      out += '\n';
    }
    if (events.next > next_) next_ = events.next;
    print(out);
  }

  // What is printed stays printed: a repetition begins where the first attempt ended.
  Status once() {
    return controller_.ask_many<Events>(
        FollowEvents{.from = next_}, [this](Events&& events) { take(events); }, [] {});
  }

  Status follow() {
    Client* client = controller_.connected();
    if (!client) return fail(kConnectFailure, std::string(kNoController));
    constexpr std::uint64_t kCorrelation = 1ull << 40;
    Status sent =
        client->send({.type = wire::message_number<FollowEvents>, .correlation = kCorrelation},
                     wire::encode(FollowEvents{.from = next_, .follow = true}),
                     controller_.config().message_timeout);
    if (!sent) return sent;
    for (;;) {
      auto frame = client->receive(kForever);
      if (!frame) return std::unexpected(frame.error());
      if (frame->header.type == wire::message_number<Failure>) {
        auto failure = wire::decode<Failure>(frame->payload);
        if (failure) return fail(failure->code ? failure->code : 1, failure->text);
      }
      if (frame->header.type != wire::message_number<Events>) continue;
      auto events = wire::decode<Events>(frame->payload);
      if (!events) return fail(1, events.error().text);
      take(*events);
    }
  }

  const EventsSettings& settings_;
  Controller controller_;
  EventLines lines_;
  Seq next_;
};

}  // namespace

CommandPage events_page() {
  return {.name = "yardmaster events",
          .summary = "print the cluster's log of events",
          .usage = {"[OPTION]..."},
          .description =
              "Each event is a fact that the controller has written down: a number "
              "without gaps, a time, a name and what belongs to it. Only administrators "
              "may read them, as they tell of all users' jobs."};
}
std::vector<OptionInfo> events_options() { return infos_of(events_table()); }

int events_main(const Arguments& arguments) {
  auto parsed = parse_command(events_page(), events_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (has_operands(events_page(), parsed.operands)) return 1;
  auto loaded = cluster_configuration(parsed.settings.dir);
  Status done = loaded ? Printing(parsed.settings, std::move(*loaded)).run()
                       : Status(std::unexpected(loaded.error()));
  if (done) return 0;
  complain(kYardmaster, done.error().text);
  return 1;
}

}  // namespace ym::cli
