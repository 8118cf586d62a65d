// SPDX-License-Identifier: Apache-2.0
// `scontrol update`, `create` and `delete`: Key=Value words become a request.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/targets.h"
#include "cli/scontrol/reservation.h"
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

int update_job(ScontrolContext& context, Controller& controller,
               const std::vector<Assignment>& assignments) {
  auto patch = job_patch(assignments, wall_clock());
  if (!patch) return context.fail_with(patch.error().text);
  auto targets = parse_targets(patch->first);
  if (!targets) return context.fail_with(targets.error().text);
  AlterJobs request{.verb = JobVerb::Update, .patch = std::move(patch->second)};
  request.filter.targets = std::move(*targets);
  request.filter.all_states = true;
  auto answer = controller.ask<AlterAnswer>(request);
  if (!answer)
    return context.fail_with(fmt::format("{} for job {}", answer.error().text, patch->first));
  int code = 0;
  for (const JobOutcome& outcome : answer->outcomes)
    if (outcome.code != 0 || !outcome.text.empty())
      code = context.fail_with(fmt::format("{} for job {}", outcome.text, outcome.display));
  return code;
}

int change_partition(ScontrolContext& context, const Words& words, bool create, bool remove) {
  auto assignments = parse_assignments(words);
  if (!assignments) return context.fail_with(assignments.error().text);
  auto update = partition_update(*assignments);
  if (!update) return context.fail_with(update.error().text);
  update->create = create;
  update->remove = remove;
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(*update);
  if (!done && create)
    return context.fail_with(fmt::format("Error creating the partition: {}", done.error().text));
  if (!done && remove)
    return context.fail_with(
        fmt::format("delete_partition partitionname={}: {}", update->spec.name, done.error().text));
  return report_done(context, done, "slurm_update");
}

// "ReservationName=x" and "x" name the same.
std::string bare_name(const std::string& text) {
  auto equals = text.find('=');
  return equals == std::string::npos ? text : text.substr(equals + 1);
}

}  // namespace

Result<std::vector<Assignment>> parse_assignments(const Words& words) {
  std::vector<Assignment> out;
  for (const std::string& word : words) {
    auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(fmt::format("Invalid input: {}  Request aborted", printable(word)));
    Assignment one{.key = word.substr(0, equals), .value = word.substr(equals + 1)};
    if (one.key.ends_with('+') || one.key.ends_with('-')) {
      one.sign = one.key.back();
      one.key.pop_back();
    }
    out.push_back(std::move(one));
  }
  return out;
}

int update_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for update keyword");
  // "update job 7 timelimit=5" and "update job=7 …" mean "update jobid=7 …".
  Words rest = words;
  for (std::string_view kind : {"job", "node", "partition", "reservation"}) {
    if (!same_ignoring_case(rest[0], kind) || rest.size() < 2) continue;
    rest[1] =
        rest[1].find('=') == std::string::npos ? fmt::format("{}={}", kind, rest[1]) : rest[1];
    rest.erase(rest.begin());
    break;
  }
  auto assignments = parse_assignments(rest);
  if (!assignments) return context.fail_with(assignments.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  if (find_key(*assignments, {"Reservation", "ReservationName"}) &&
      !find_key(*assignments, {"JobId", "Job"}))
    return update_reservation(context, *assignments);
  if (find_key(*assignments, {"JobId", "Job", "JobName"}) &&
      !find_key(*assignments, {"NodeName", "PartitionName"}))
    return update_job(context, **controller, *assignments);
  if (find_key(*assignments, {"NodeName", "Node"})) {
    auto update = node_update(*assignments);
    if (!update) return context.fail_with(update.error().text);
    return report_done(context, (*controller)->ask<Done>(*update), "slurm_update");
  }
  if (find_key(*assignments, {"PartitionName", "Partition"}))
    return change_partition(context, rest, false, false);
  return context.fail_with(
      "No valid entity in update command\nInput line must include \"NodeName\", "
      "\"PartitionName\", \"Reservation\", \"JobId\", or \"SlurmctldDebug\"");
}

int create_verb(ScontrolContext& context, const Words& words) {
  Words rest = words;
  bool reservation = false;
  for (const std::string& word : words)
    reservation = reservation || starts_with_ignoring_case(word, "reservation");
  if (reservation) {
    std::erase_if(rest, [](const std::string& word) {
      return same_ignoring_case(word, "reservation") || same_ignoring_case(word, "reservationname");
    });
    return create_reservation(context, rest);
  }
  if (!rest.empty() && rest[0].find('=') == std::string::npos &&
      !same_ignoring_case(rest[0], "partition"))
    return context.fail_with(
        fmt::format("scontrol: error: Invalid creation entity: {}", printable(rest[0])));
  if (!rest.empty() && same_ignoring_case(rest[0], "partition")) rest.erase(rest.begin());
  if (rest.empty()) return context.fail_with("too few arguments for keyword:create");
  return change_partition(context, rest, true, false);
}

int delete_verb(ScontrolContext& context, const Words& words) {
  Words rest = words;
  if (rest.size() == 1 && rest[0].find('=') == std::string::npos)
    return context.fail_with(
        "scontrol: error: Proper format is 'delete <ENTITY>=<ID>' or 'delete <ENTITY> <ID>'");
  if (!rest.empty() && starts_with_ignoring_case(rest[0], "reservation")) {
    auto equals = rest[0].find('=');
    std::string name = equals == std::string::npos ? rest[1] : rest[0].substr(equals + 1);
    return delete_reservation(context, bare_name(name));
  }
  if (rest.size() > 1 && same_ignoring_case(rest[0], "partition")) {
    rest.erase(rest.begin());
    if (rest[0].find('=') == std::string::npos) rest[0] = "PartitionName=" + rest[0];
  }
  if (rest.empty()) return context.fail_with("too few arguments for keyword:delete");
  return change_partition(context, rest, false, true);
}

}  // namespace ym::cli
