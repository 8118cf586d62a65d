// SPDX-License-Identifier: Apache-2.0
// `scontrol update`, `create` and `delete`: Key=Value words become a request.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/targets.h"
#include "cli/scontrol/keys.h"
#include "cli/scontrol/reservation.h"
#include "cli/scontrol/resize.h"
#include "model/errc.h"
#include "notation/hostlist.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

const Assignment* find_key(const std::vector<Assignment>& list,
                           std::initializer_list<std::string_view> names) {
  for (const Assignment& one : list)
    for (std::string_view name : names)
      if (same_ignoring_case(one.key, name)) return &one;
  return nullptr;
}

int report_done(ScontrolContext& context, const Result<Done>& done, std::string_view what) {
  if (!done) return context.fail_with(fmt::format("{} error: {}", what, done.error().text));
  return 0;
}

int update_job(ScontrolContext& context, const std::vector<Assignment>& given) {
  std::vector<Assignment> assignments = given;
  if (Status nodes = resolve_hosts_of(assignments, context); !nodes)
    return context.fail_with(nodes.error().text);
  auto update = job_update(assignments, wall_clock());
  if (!update) return context.fail_with(update.error().text);
  bool resizes = update->patch.min_nodes || update->patch.required_nodes;
  AlterJobs request{.verb = JobVerb::Update, .patch = std::move(update->patch)};
  request.filter.all_states = true;
  if (!update->job.empty()) {
    auto targets = parse_targets(update->job);
    if (!targets)
      return context.fail_with(refusal_of(printable(update->job), text_of(Errc::InvalidJobId)));
    request.filter.targets = std::move(*targets);
  } else {
    request.filter.names = {update->name};
    request.filter.all_states = false;
    if (!update->user.empty()) request.filter.users = {update->user};
  }
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto answer = (*controller)->ask<AlterAnswer>(request, Asking::Keyed);
  if (!answer) return context.fail_with(refusal_of(update->job, answer.error().text));
  if (answer->outcomes.empty() && update->job.empty())
    return context.fail_with(
        fmt::format("scontrol: error: No jobs with name '{}'", printable(update->name)));
  int code = 0;
  for (const JobOutcome& outcome : answer->outcomes)
    if (outcome.code != 0 || !outcome.text.empty())
      code = context.fail_with(refusal_of(outcome.display, outcome.text));
  if (code == 0 && resizes && answer->outcomes.size() == 1)
    return write_resize_scripts(context, answer->outcomes[0].job);
  return code;
}

int update_step(ScontrolContext& context, const std::vector<Assignment>& assignments) {
  auto update = step_update(assignments);
  if (!update) return context.fail_with(update.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  return report_done(context, (*controller)->ask<Done>(*update, Asking::Keyed), "slurm_update");
}

int update_node(ScontrolContext& context, const std::vector<Assignment>& assignments) {
  std::vector<Assignment> resolved = assignments;
  if (Status nodes = resolve_hosts_of(resolved, context); !nodes)
    return context.fail_with(nodes.error().text);
  auto update = node_update(resolved);
  if (!update) return context.fail_with(update.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  return report_done(context, (*controller)->ask<Done>(*update, Asking::Keyed), "slurm_update");
}

// "Nodes+=n3" and "Nodes-=n3" change what is there.
Status edit_nodes(ScontrolContext& context, UpdatePartition& update, char sign) {
  auto controller = context.controller();
  if (!controller) return std::unexpected(controller.error());
  auto rows = (*controller)->ask<PartitionRows>(QueryPartitions{.name = update.spec.name});
  if (!rows) return std::unexpected(rows.error());
  auto had = Hostlist::parse(rows->rows.at(0).partition.spec->nodes);
  auto given = Hostlist::parse(update.spec.nodes);
  if (!had || !given) return refuse(Errc::InvalidNodeName);
  update.spec.nodes = (sign == '+' ? had->united(*given) : had->minus(*given)).str();
  return {};
}

int change_partition(ScontrolContext& context, std::vector<Assignment> assignments, bool create,
                     bool remove) {
  if (Status nodes = resolve_hosts_of(assignments, context); !nodes)
    return context.fail_with(nodes.error().text);
  auto update = partition_update(assignments);
  if (!update) return context.fail_with(update.error().text);
  update->create = create;
  update->remove = remove;
  if (!create && !remove && update->changed.empty())
    return context.fail_with("No changes specified");
  for (const Assignment& one : assignments)
    if (one.sign != '=')
      if (Status edited = edit_nodes(context, *update, one.sign); !edited)
        return context.fail_with(fmt::format("slurm_update error: {}", edited.error().text));
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(*update, Asking::Keyed);
  if (!done && create)
    return context.fail_with(fmt::format("Error creating the partition: {}", done.error().text));
  if (!done && remove)
    return context.fail_with(
        fmt::format("delete_partition partitionname={}: {}", update->spec.name, done.error().text));
  return report_done(context, done, "slurm_update");
}

int update_partition(ScontrolContext& context, const std::vector<Assignment>& assignments) {
  return change_partition(context, assignments, false, false);
}

int create_node(ScontrolContext& context, const Words& words) {
  auto nodes = new_nodes(words);
  if (!nodes) return context.fail_with(nodes.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(*nodes, Asking::Keyed);
  if (!done)
    return context.fail_with(fmt::format("Error creating the nodes: {}", done.error().text));
  return 0;
}

int delete_node(ScontrolContext& context, const std::string& names) {
  auto hosts = hosts_of(context, names);
  if (!hosts) return context.fail_with(hosts.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(DeleteNodes{.nodes = hosts->str()}, Asking::Keyed);
  if (!done)
    return context.fail_with(
        fmt::format("Error deleting nodes {}: {}", printable(names), done.error().text));
  return 0;
}

// "ReservationName=x" and "x" name the same.
std::string bare_name(const std::string& text) {
  auto equals = text.find('=');
  return equals == std::string::npos ? text : text.substr(equals + 1);
}

// "update job 7 timelimit=5" means "update job=7 timelimit=5".
Words joined(const Words& words) {
  Words rest = words;
  for (std::string_view kind : {"job", "jobid", "node", "nodename", "partition", "partitionname",
                                "reservation", "reservationname", "step", "stepid"}) {
    if (!same_ignoring_case(rest[0], kind) || rest.size() < 2) continue;
    if (rest[1].find('=') == std::string::npos) rest[1] = fmt::format("{}={}", kind, rest[1]);
    rest.erase(rest.begin());
    break;
  }
  return rest;
}

// The word before the sign, if there is one.
std::string_view key_of(std::string_view word) { return word.substr(0, word.find('=')); }

// "res", "reservation", "ReservationName=x"
bool names_reservation(std::string_view word) { return names_key(key_of(word), "ReservationName"); }

struct Entity {
  std::string_view name, alias;
  int (*update)(ScontrolContext& context, const std::vector<Assignment>& assignments);
};
// In the order in which they count where a line has several: the partition of a job is a value.
constexpr Entity kEntities[] = {
    {"StepId", "Step", update_step},
    {"JobId", "Job", update_job},
    {"ReservationName", "Reservation", update_reservation},
    {"NodeName", "Node", update_node},
    {"JobName", "", update_job},
    {"PartitionName", "Partition", update_partition},
};

// What the line is about, called by its full name: by a name that is written out, or else by one
// that is shortened, as Slurm takes it.
const Entity* take_entity(std::vector<Assignment>& assignments) {
  for (auto fits : {is_key, names_key})
    for (const Entity& entity : kEntities)
      for (Assignment& one : assignments)
        if (fits(one.key, entity.name, entity.alias)) {
          one.key = entity.name;
          return &entity;
        }
  return nullptr;
}

// A word that may stand without a value.
bool stands_alone(std::string_view word) {
  return is_key(word, "Nice") || names_key(word, "ResetAccrueTime") || is_key(word, "Skip");
}

}  // namespace

Result<std::vector<Assignment>> parse_assignments(const Words& words) {
  std::vector<Assignment> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto equals = word.find('=');
    if (equals == 0)
      return fail(fmt::format("Invalid input: {}  Request aborted", printable(word)));
    if (equals == std::string::npos) {
      bool value_follows = i + 1 < words.size() && words[i + 1].find('=') == std::string::npos &&
                           !stands_alone(word);
      if (!value_follows && !stands_alone(word))
        return fail(fmt::format("Invalid input: {}  Request aborted", printable(word)));
      out.push_back({.key = word, .value = value_follows ? words[++i] : ""});
      continue;
    }
    Assignment one{.key = word.substr(0, equals), .value = word.substr(equals + 1)};
    if (one.key.ends_with('+') || one.key.ends_with('-')) {
      one.sign = one.key.back();
      one.key.pop_back();
    }
    out.push_back(std::move(one));
  }
  return out;
}

Result<UpdateStep> step_update(const std::vector<Assignment>& assignments) {
  UpdateStep out;
  for (const Assignment& one : assignments) {
    if (is_key(one.key, "StepId", "Step")) {
      auto targets = parse_targets(one.value);
      if (!targets || targets->size() != 1 || targets->front().tasks)
        return fail(fmt::format("Invalid step ID: {}", printable(one.value)));
      out.job = targets->front().job;
      out.step = targets->front().step;
    } else if (names_key(one.key, "TimeLimit")) {
      std::string_view value = one.value;
      char sign = one.sign;
      if (sign == '=' && (value.starts_with('+') || value.starts_with('-')) && value != "-1") {
        sign = value[0];
        value.remove_prefix(1);
      }
      auto seconds = seconds_of(value);
      if (!seconds || (sign != '=' && *seconds == JobSpec::kUnlimited))
        return fail("scontrol: error: Invalid TimeLimit value");
      if (sign == '=')
        out.time_limit_s = *seconds;
      else
        out.time_limit_change_s = sign == '+' ? std::int64_t{*seconds} : -std::int64_t{*seconds};
    } else {
      return fail(not_supported(one, KeyKind::Step).text + "\nRequest aborted");
    }
  }
  if (!out.time_limit_s && !out.time_limit_change_s) return fail("No changes specified");
  return out;
}

int update_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for update keyword");
  auto assignments = parse_assignments(joined(words));
  // A line that is about nothing is told so, whatever else is wrong with it.
  std::vector<Assignment> named;
  for (const std::string& word : joined(words)) named.push_back({.key = std::string(key_of(word))});
  if (!take_entity(named) && !find_key(named, {"SlurmctldDebug"}))
    return context.fail_with(
        "No valid entity in update command\nInput line must include \"NodeName\", "
        "\"PartitionName\", \"Reservation\", \"JobId\", or \"SlurmctldDebug\"");
  if (!assignments) return context.fail_with(assignments.error().text);
  if (const Assignment* level = find_key(*assignments, {"SlurmctldDebug"}))
    return setdebug_verb(context, {level->value});
  return take_entity(*assignments)->update(context, *assignments);
}

int create_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for create keyword");
  Words rest = words;
  bool reservation = false;
  for (const std::string& word : words) reservation = reservation || names_reservation(word);
  if (reservation) {
    std::erase_if(rest, [](const std::string& word) {
      return word.find('=') == std::string::npos && names_reservation(word);
    });
    return create_reservation(context, rest);
  }
  std::string_view kind = key_of(rest[0]);
  std::string name(names_key(kind, "NodeName")        ? "NodeName"
                   : names_key(kind, "PartitionName") ? "PartitionName"
                                                      : "");
  if (name.empty())
    return context.fail_with(
        fmt::format("scontrol: error: Invalid creation entity: {}", printable(rest[0])));
  // "create partition p" and "create partition PartitionName=p" mean the same as "part=p".
  if (kind.size() == rest[0].size()) {
    rest.erase(rest.begin());
    if (rest.empty()) return context.fail_with("too few arguments for create keyword");
  }
  if (key_of(rest[0]).size() == rest[0].size() || names_key(key_of(rest[0]), name))
    rest[0] = name + "=" + bare_name(rest[0]);
  if (name == "NodeName") return create_node(context, rest);
  auto assignments = parse_assignments(rest);
  if (!assignments) return context.fail_with(assignments.error().text);
  return change_partition(context, *assignments, true, false);
}

int delete_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for delete keyword");
  bool one_word = words[0].find('=') != std::string::npos;
  if (!one_word && words.size() < 2)
    return context.fail_with(
        "scontrol: error: Proper format is 'delete <ENTITY>=<ID>' or 'delete <ENTITY> <ID>'");
  std::string kind = words[0].substr(0, words[0].find('='));
  std::string name = one_word ? bare_name(words[0]) : bare_name(words[1]);
  if (names_reservation(kind))
    return delete_reservation(context, one_word ? words[0] : words[0] + "=" + words[1], name);
  if (names_key(kind, "NodeName")) return delete_node(context, name);
  if (names_key(kind, "PartitionName"))
    return change_partition(context, {{.key = "PartitionName", .value = name}}, false, true);
  return context.fail_with(
      fmt::format("scontrol: error: Invalid deletion entity: {}", printable(kind)));
}

}  // namespace ym::cli
