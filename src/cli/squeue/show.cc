// SPDX-License-Identifier: Apache-2.0
// squeue's way from the question to the printed lines.
#include <map>
#include <set>
#include <utility>

#include "base/format.h"
#include "cli/common/host_functions.h"
#include "cli/common/job_data.h"
#include "cli/squeue/columns.h"
#include "cli/squeue/squeue.h"
#include "model/job_fields.h"
#include "notation/hostlist.h"
#include "os/clock.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

constexpr std::size_t kNodesMax = 1 << 20;  // that --nodelist may name

void print_data(const SqueueSettings& settings, const std::vector<JobRow>& rows, Instant now) {
  constexpr std::size_t kPrintAtOnce = 1 << 20;
  std::deque<JobRow> parts;
  std::vector<JobView> views = queue_lines(settings, rows, now, parts);
  DataWriter data(*settings.report.notation);
  data.begin_map().begin_list("jobs");
  for (const JobView& view : views) {
    write_job(data, view);
    if (data.pending() > kPrintAtOnce) print(data.take());
  }
  data.end();
  data.number("last_backfill", 0).number("last_update", now.unix_seconds());
  write_meta(data, settings.report);
  data.end();
  print(data.finish());
}

Status fetch_steps(Controller& controller, const SqueueSettings& settings,
                   std::vector<StepRow>& steps) {
  QuerySteps question{.job = {}, .step = {}, .hide = squeue_hides(settings)};
  if (settings.targets.size() == 1) question.job = settings.targets.front().job;
  return fetch_report<StepRows>(controller, question, steps);
}

// Nodes go by their own names and by those of their machines, of which localhost is this one.
class NodeNames {
 public:
  void add(const NodeSpec& node) {
    if (!names_.insert(node.name).second) return;
    of_machine_.emplace(node.hostname, node.name);
    if (node.hostname == host_name()) of_machine_.emplace("localhost", node.name);
  }
  std::vector<std::string> meant_by(const std::string& host) const {
    if (names_.contains(host)) return {host};
    std::vector<std::string> out;
    auto [first, last] = of_machine_.equal_range(host);
    for (auto at = first; at != last; ++at) out.push_back(at->second);
    return out;
  }

 private:
  std::set<std::string> names_;
  std::multimap<std::string, std::string> of_machine_;
};

// slurm.conf knows most of them, the controller those that came later.
Status settle_nodes(SqueueSettings& settings, Controller& controller) {
  if (settings.nodes.empty()) return {};
  auto hosts = resolve_hosts(settings.nodes, sources_of(controller));
  if (!hosts) return fail(fmt::format("Invalid node name: {}", hosts.error().text));
  if (hosts->count() > kNodesMax) return fail("Invalid node name: too many of them");
  auto config = controller.whole_config();
  if (!config) return std::unexpected(config.error());
  NodeNames known;
  for (const NodeSpec& node : (*config)->nodes) known.add(node);
  bool asked = false;
  std::vector<std::string> names;
  for (const std::string& host : hosts->names()) {
    std::vector<std::string> meant = known.meant_by(host);
    if (meant.empty() && !std::exchange(asked, true)) {
      std::vector<NodeRow> rows;
      if (Status done = fetch_report<NodeRows>(controller, QueryNodes{}, rows); !done) return done;
      for (const NodeRow& row : rows) known.add(*row.node.spec);
      meant = known.meant_by(host);
    }
    if (meant.empty()) return fail(fmt::format("Invalid node name {}", host));
    names.insert(names.end(), meant.begin(), meant.end());
  }
  settings.nodes = Hostlist::of(names).str();
  return {};
}

// The head may be printed as soon as the controller is found: somebody who waits for a long queue
// sees at once that it comes. Not if there may well be an error instead.
bool head_comes_first(const SqueueSettings& settings) {
  return settings.targets.empty() && !settings.steps && !settings.report.notation;
}

void print_head(SqueueSettings& settings) {
  if (settings.headed) return;
  std::string head = queue_head(settings, wall_clock());
  settings.headed = !head.empty();
  print(head);
}

// Lines are printed as they come. What has been printed cannot be taken back: a connection that is
// lost in the middle is an error.
Status stream(const SqueueSettings& settings, Controller& controller, const QueryJobs& question) {
  auto format = queue_format(settings);
  if (!format) return std::unexpected(format.error());
  SpecShelf specs;
  bool printed = false, torn = false;
  std::string out;
  const Instant now = wall_clock();
  Status asked = controller.ask_many<JobRows>(
      question,
      [&](JobRows&& some) {
        torn = torn || !specs.resolve(some);
        if (torn) return;
        out.clear();
        append_lines(out, settings, *format, some.rows, now);
        print(out);
        printed = printed || !out.empty();
      },
      [&] {
        torn = torn || printed;
        specs.clear();
      });
  if (asked && torn) return fail("the connection was lost before the end of the queue");
  return asked;
}

Status collect(Controller& controller, const QueryJobs& question, std::vector<JobRow>& rows) {
  SpecShelf specs;
  bool whole = true;
  Status asked = controller.ask_many<JobRows>(
      question,
      [&](JobRows&& some) {
        whole = whole && specs.resolve(some);
        for (JobRow& row : some.rows) rows.push_back(std::move(row));
      },
      [&] {
        rows.clear();
        specs.clear();
      });
  if (asked && !whole) return fail("the controller's answer names what it did not send");
  return asked;
}

int refuse_jobs(const std::string& text) {
  print_error(fmt::format("slurm_load_jobs error: {}\n", text));
  return 1;
}

int show_collected(const SqueueSettings& settings, Controller& controller,
                   const std::vector<JobRow>& rows) {
  if (settings.report.notation) {
    print_data(settings, rows, wall_clock());
    return 0;
  }
  std::vector<StepRow> steps;
  Status asked;
  if (settings.steps) asked = fetch_steps(controller, settings, steps);
  if (!asked) {
    print_error(fmt::format("slurm_get_job_steps error: {}\n", asked.error().text));
    return 1;
  }
  auto out = render_queue(settings, rows, wall_clock(), steps);
  if (!out) {
    complain("squeue", out.error().text);
    return 1;
  }
  print(*out);
  return 0;
}

}  // namespace

int show_queue(const SqueueSettings& given, Controller& controller) {
  SqueueSettings settings = given;
  if (Status known = settle_nodes(settings, controller); !known) {
    complain("squeue", known.error().text);
    return 1;
  }
  QueuePlan plan = squeue_plan(settings);
  QueryJobs question{.filter = squeue_filter(settings),
                     .fields = plan.fields,
                     .order = plan.streams ? JobOrder::Usual : JobOrder::Ids,
                     .hide = squeue_hides(settings)};
  if (head_comes_first(settings) && controller.connected()) print_head(settings);
  if (plan.streams) {
    print_head(settings);
    Status asked = stream(settings, controller, question);
    return asked ? 0 : refuse_jobs(asked.error().text);
  }
  std::vector<JobRow> rows;
  Status asked = collect(controller, question, rows);
  if (!asked && is(asked.error(), Errc::InvalidJobId) && settings.targets.size() > 1) asked = {};
  if (!asked) return refuse_jobs(asked.error().text);
  return show_collected(settings, controller, rows);
}

}  // namespace ym::cli
