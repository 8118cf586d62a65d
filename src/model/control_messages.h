// SPDX-License-Identifier: Apache-2.0
// Everything else that is said to the controller.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/event.h"

namespace ym {

struct Failure {
  std::uint32_t code = 0;
  std::string text;
};
struct Done {
  std::string text;
};

struct Ping {};
struct Pong {
  std::string host, mode, version, cluster;
  Instant started;
  bool log_writable = true;
  std::string trouble;
  std::uint32_t index = 0;  // its place among the SlurmctldHost lines
  std::uint64_t epoch = 0;  // of the leadership it knows of; 0: there is only one controller
  std::string leader;       // who leads, as far as it knows
};
// To a standby: lead from now on.
struct Takeover {};
// From a controller that has begun to lead to a slurmd: come here.
struct ControllerLeads {
  std::uint64_t epoch = 0;
  std::uint32_t index = 0;  // its place among the SlurmctldHost lines
  std::string name;
};

struct QueryConfig {};
struct KeyValue {
  std::string key, value;
};
struct ConfigAnswer {
  std::vector<KeyValue> values;
  Instant boot;
};

// How much the daemons log from now on, until they read their configuration again.
struct SetDebug {
  std::string level;  // empty: as it is
  std::vector<std::string> flags_on, flags_off;
  std::string nodes;  // hostlist: those slurmd; empty: the controller
};
// To whom an interactive job belongs: words for its standard error.
struct OwnerNotice {
  JobId job;
  std::string text;
};

// The text of slurm.conf and its siblings, for nodes that have none (slurmd --conf-server).
struct FetchConfig {};
struct ConfigFile {
  std::string name, text;
};
struct ConfigFiles {
  std::vector<ConfigFile> files;
};

struct Reconfigure {
  std::string nodes;  // a hostlist: only these; empty: the controller and all nodes
};
struct Shutdown {
  bool controller_only = false;
};

struct GetToken {
  std::string user;
  std::uint32_t lifespan_s = 1800;
  // Of the only channel that it is to serve on, as base64url; empty: any.
  std::string binding;
};
struct Token {
  std::string text;
};

// The log from `from` on; with `follow` the answer goes on as events happen.
struct FollowEvents {
  Seq from;
  bool follow = false;
};
struct Events {
  std::vector<Event> events;
  Seq next;
};

// Numbers about the controller itself (sdiag, doctor, benchmarks).
struct QueryStatistics {
  bool reset = false;  // count from now on; administrators only
};
// How often a kind of message came, or how many a user sent, and what they took.
struct MessageCount {
  std::uint32_t number = 0;  // of the message, or the user's
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t total_us = 0;
};
struct Statistics {
  std::vector<KeyValue> values;
  std::vector<MessageCount> by_kind, by_user;
};

}  // namespace ym
