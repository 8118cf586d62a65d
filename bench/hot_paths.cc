// SPDX-License-Identifier: Apache-2.0
// The hottest operations, each a fixed number of times and the same each time: for counting
// instructions (bench/instructions, with callgrind). What is counted happens in hot_operation();
// everything else is preparation.
//
//   hot_paths NAME
//     submission          a job through the controller's core: admission, event, its record
//     launch              a waiting job: planned, started, ended, forgotten by its node
//     encode_rows         a row of squeue's answer to bytes
//     decode_submission   a submission from bytes, checked
//     print_lines         a line of squeue from a row
//
// It prints how many operations hot_operation() made.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "base/format.h"
#include "cli/squeue/squeue.h"
#include "daemon/driver/core.h"
#include "schedule/planner.h"
#include "wire/codec.h"
#include "wire/messages.h"

// callgrind knows it by this name.
extern "C" __attribute__((noinline)) void hot_operation(const std::function<void()>& work) {
  work();
  asm volatile("");  // or the call would be a jump, of which callgrind sees no return
}

namespace ym {
namespace {

constexpr std::size_t kTimes = 100, kRows = 500;
constexpr int kNodes = 64;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "hot_paths: %s\n", text.c_str());
  std::exit(1);
}

SubmitJob a_submission() {
  SubmitJob submit;
  submit.spec.name = "train";
  submit.spec.work_dir = "/data/ada/lattice";
  submit.spec.command = "/data/ada/lattice/run.sh";
  submit.spec.std_out = "out/%j.txt";
  submit.spec.submit_host = "login1";
  submit.spec.submit_line = "sbatch -t 60 -o out/%j.txt run.sh";
  submit.spec.uid = {1000};
  submit.spec.gid = {1000};
  submit.spec.time_limit_s = 3600;
  submit.spec.batch = true;
  submit.spec.script_blob = std::string(64, 'a');
  submit.spec.environment_blob = std::string(64, 'b');
  submit.script = "#!/bin/sh\nsrun ./train\n";
  submit.environment = std::string("PATH=/usr/bin:/bin\0HOME=/home/ada\0USER=ada\0", 44);
  return submit;
}

ClusterConfig a_cluster() {
  ClusterConfig config;
  config.cluster_name = "c";
  for (int i = 1; i <= kNodes; ++i)
    config.nodes.push_back({.name = fmt::format("n{}", i), .cpus = 16, .memory_mb = 64000});
  config.partitions = {
      {.name = "main", .nodes = fmt::format("n[1-{}]", kNodes), .is_default = true}};
  return config;
}

// The core and the planner that follows it, as in the daemon, without threads and disk.
class Yard {
 public:
  Yard() : core_(Controller(a_cluster(), {})), planner_({}) {
    if (Status ok = core_.begin(a_cluster(), now_); !ok) fail(ok.error().text);
    for (const NodeSpec& node : a_cluster().nodes) {
      NodeReport report{.node = node.name, .complete = true};
      report.registration = {
          .cpus = node.cpus, .memory_mb = node.memory_mb, .boot_time = now_, .slurmd_start = now_};
      core_.handle(NodeSpoke{.report = std::move(report)}, now_);
    }
    take();
  }

  void submit(const SubmitJob& submit) {
    Request request{
        .id = {1}, .caller = {.uid = {1000}, .gid = {1000}, .user_name = "ada"}, .command = submit};
    core_.handle(Input(std::move(request)), now_);
    take();
  }
  // What can start does; the node says that it has ended and is clean. How many were started.
  std::size_t start_and_end() {
    now_ = now_ + std::chrono::milliseconds(10);
    Plan plan = planner_.plan(core_.state(), now_, {});
    core_.handle(Planned{std::move(plan)}, now_);
    std::vector<LaunchJob> launched;
    std::vector<NodeId> where;
    for (const Order& order : take().orders)
      if (const auto* launch = std::get_if<LaunchJob>(&order.message)) {
        launched.push_back(*launch);
        where.push_back(order.node);
      }
    for (std::size_t i = 0; i < launched.size(); ++i) end(launched[i], where[i]);
    return launched.size();
  }

 private:
  void end(const LaunchJob& launch, NodeId node) {
    AttemptReport attempt{.job = launch.job,
                          .sluid = launch.sluid,
                          .phase = AttemptPhase::Clean,
                          .batch = true,
                          .batch_ended = true};
    NodeReport report{.node = core_.state().find(node)->spec->name, .attempts = {attempt}};
    core_.handle(NodeSpoke{.report = std::move(report)}, now_);
    take();
  }
  Batch take() {
    Batch batch = core_.take_batch();
    for (const Reply& reply : batch.replies)
      if (const auto* refused = std::get_if<Failure>(&reply.answer)) fail(refused->text);
    for (const Event& event : batch.events) planner_.observe(event, core_.state());
    return batch;
  }

  Instant now_{1'794'784'587'652};
  Core core_;
  Planner planner_;
};

JobRows some_rows() {
  JobRows rows;
  for (std::uint32_t i = 1; i <= kRows; ++i) {
    JobSpec spec = a_submission().spec;
    spec.name = fmt::format("train_{}", i);
    spec.user_name = "ada";
    spec.partitions = "main";
    Job job{.id = {i}, .sluid = {7527872175164882944u + i}, .spec = Ref(std::move(spec))};
    job.submit = job.eligible = Instant{1794784587652};
    rows.rows.push_back({.job = std::move(job), .reason = Reason::Priority, .partition = "main"});
  }
  return rows;
}

std::size_t submission() {
  Yard yard;
  SubmitJob held = a_submission();
  held.hold = true;
  for (std::size_t i = 0; i < kRows; ++i) yard.submit(held);
  hot_operation([&] {
    for (std::size_t i = 0; i < kTimes; ++i) yard.submit(held);
  });
  return kTimes;
}

std::size_t launch() {
  Yard yard;
  std::size_t started = 0;
  for (std::size_t i = 0; i < kTimes; ++i) yard.submit(a_submission());
  hot_operation([&] {
    while (std::size_t some = yard.start_and_end()) started += some;
  });
  return started;
}

std::size_t encode_rows() {
  JobRows rows = some_rows();
  std::string out;
  hot_operation([&] { wire::encode_to(out, rows); });
  return out.empty() ? 0 : kRows;
}

std::size_t decode_submission() {
  std::string bytes = wire::encode(a_submission());
  std::size_t well = 0;
  hot_operation([&] {
    for (std::size_t i = 0; i < kTimes; ++i)
      well += wire::decode<SubmitJob>(bytes).has_value() ? 1 : 0;
  });
  return well;
}

std::size_t print_lines() {
  JobRows rows = some_rows();
  cli::SqueueSettings settings;
  auto format = cli::queue_format(settings);
  if (!format) return 0;
  std::string out;
  hot_operation(
      [&] { cli::append_lines(out, settings, *format, rows.rows, Instant{1794784590000}); });
  return out.empty() ? 0 : kRows;
}

}  // namespace
}  // namespace ym

int main(int argc, char** argv) {
  struct Path {
    const char* name;
    std::size_t (*run)();
  };
  constexpr Path kPaths[] = {{"submission", ym::submission},
                             {"launch", ym::launch},
                             {"encode_rows", ym::encode_rows},
                             {"decode_submission", ym::decode_submission},
                             {"print_lines", ym::print_lines}};
  for (const Path& path : kPaths) {
    if (argc != 2 || std::strcmp(argv[1], path.name) != 0) continue;
    std::size_t count = path.run();
    std::printf("%zu\n", count);
    return count > 0 ? 0 : 1;
  }
  std::fprintf(stderr, "hot_paths: see the head of bench/hot_paths.cc\n");
  return 2;
}
