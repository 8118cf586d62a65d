// SPDX-License-Identifier: Apache-2.0
// slurm-pmix: PMIx's server for the tasks of one step on one node. Started by the shepherd only, as
// the user; shepherd/pmix.h describes what the two say to each other.
//
// Two threads: the library's own, which calls us when tasks want something, and ours, which reads
// what the shepherd says. Both write to the socket, whole frames under one lock.
#include <pmix.h>
#include <pmix_server.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/format.h"
#include "net/frame.h"
#include "os/files.h"
#include "shepherd/pmix.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

// ------------------------------------------------------------------ the way to the shepherd

std::mutex said_mutex;

void say(PmixFrame kind, std::string_view payload, std::uint64_t correlation = 0) {
  std::string bytes;
  append_frame(bytes, {.type = static_cast<std::uint16_t>(kind), .correlation = correlation},
               payload);
  std::lock_guard lock(said_mutex);
  for (std::string_view left = bytes; !left.empty();) {
    ssize_t wrote = ::send(kPmixFd, left.data(), left.size(), MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) ::_exit(1);  // Nobody is left to serve.
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

[[noreturn]] void give_up(const std::string& text) {
  say(PmixFrame::Trouble, text);
  std::exit(1);
}
void demand(pmix_status_t status, const char* what) {
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
    give_up(fmt::format("{}: {}", what, PMIx_Error_string(status)));
}

// Waits for the answer of a call that answers later.
class Pending {
 public:
  static void done(pmix_status_t status, void* self) {
    auto* pending = static_cast<Pending*>(self);
    std::lock_guard lock(pending->mutex_);
    pending->status_ = status;
    pending->come_ = true;
    pending->changed_.notify_all();
  }
  pmix_status_t wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return come_; });
    return status_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool come_ = false;
  pmix_status_t status_ = PMIX_SUCCESS;
};

// --------------------------------------------------------------------------- the job

struct Job {
  ShepherdOrder order;
  std::string name;                                // of PMIx's namespace
  std::string folder;                              // for the library's files, removed at the end
  std::map<std::uint32_t, std::uint32_t> node_of;  // rank -> number of its node
  std::uint32_t size = 0;
  const StepShare& share() const { return order.shares[order.node_number]; }
};
Job job;  // constant once the server runs

// An array of pmix_info_t that keeps what it points to.
class Infos {
 public:
  void text(const char* key, const std::string& value) {
    pmix_info_t& info = fresh();
    PMIx_Info_load(&info, key, value.c_str(), PMIX_STRING);
  }
  void number(const char* key, std::uint32_t value, pmix_data_type_t type = PMIX_UINT32) {
    std::uint16_t small = static_cast<std::uint16_t>(value);
    const void* from = type == PMIX_UINT16 ? static_cast<const void*>(&small) : &value;
    PMIx_Info_load(&fresh(), key, from, type);
  }
  void flag(const char* key, bool value) { PMIx_Info_load(&fresh(), key, &value, PMIX_BOOL); }
  void array(const char* key, Infos& inner) {
    pmix_data_array_t data{.type = PMIX_INFO, .size = inner.size(), .array = inner.data()};
    PMIx_Info_load(&fresh(), key, &data, PMIX_DATA_ARRAY);
  }
  // What PMIx_generate_regex gives: not always a text, so that its own type is needed.
  void regex(const char* key, char* value) {
    PMIx_Info_load(&fresh(), key, value, PMIX_REGEX);
    ::free(value);
  }
  pmix_info_t* data() { return infos_.data(); }
  std::size_t size() const { return infos_.size(); }

 private:
  pmix_info_t& fresh() {
    infos_.push_back({});
    return infos_.back();
  }
  std::vector<pmix_info_t> infos_;
};

std::string ranks_of(const StepShare& share) {
  std::string text;
  for (std::uint32_t n = 0; n < share.tasks; ++n)
    text += fmt::format("{}{}", n == 0 ? "" : ",", share.rank(n));
  return text;
}

void add_rank(Infos& infos, std::uint32_t node, std::uint32_t local) {
  const StepShare& share = job.order.shares[node];
  std::uint32_t rank = share.rank(local);
  Infos proc;
  proc.number(PMIX_RANK, rank, PMIX_PROC_RANK);
  proc.number(PMIX_APPNUM, 0);
  proc.number(PMIX_APPLDR, 0, PMIX_PROC_RANK);
  proc.number(PMIX_GLOBAL_RANK, rank, PMIX_PROC_RANK);
  proc.number(PMIX_APP_RANK, rank, PMIX_PROC_RANK);
  proc.number(PMIX_LOCAL_RANK, local, PMIX_UINT16);
  proc.number(PMIX_NODE_RANK, local, PMIX_UINT16);
  proc.number(PMIX_NODEID, node);
  proc.text(PMIX_HOSTNAME, job.order.node_names[node]);
  infos.array(PMIX_PROC_DATA, proc);
}

void register_job() {
  std::string nodes, ranks;
  for (std::size_t n = 0; n < job.order.shares.size(); ++n) {
    nodes += fmt::format("{}{}", n == 0 ? "" : ",", job.order.node_names[n]);
    ranks += fmt::format("{}{}", n == 0 ? "" : ";", ranks_of(job.order.shares[n]));
  }
  char *node_map = nullptr, *rank_map = nullptr;
  demand(PMIx_generate_regex(nodes.c_str(), &node_map), "PMIx_generate_regex");
  demand(PMIx_generate_ppn(ranks.c_str(), &rank_map), "PMIx_generate_ppn");
  const StepShare& share = job.share();
  Infos infos;
  infos.text(PMIX_JOBID, fmt::format("{}.{}", job.order.job.value, job.order.step.value));
  infos.number(PMIX_UNIV_SIZE, job.size);
  infos.number(PMIX_JOB_SIZE, job.size);
  infos.number(PMIX_JOB_NUM_APPS, 1);
  infos.number(PMIX_APP_SIZE, job.size);
  infos.number(PMIX_MAX_PROCS, job.size);
  infos.number(PMIX_NUM_NODES, static_cast<std::uint32_t>(job.order.shares.size()));
  infos.number(PMIX_LOCAL_SIZE, share.tasks);
  infos.number(PMIX_NODE_SIZE, share.tasks);
  infos.text(PMIX_LOCAL_PEERS, ranks_of(share));
  infos.number(PMIX_LOCALLDR, share.rank(0), PMIX_PROC_RANK);
  infos.number(PMIX_NODEID, job.order.node_number);
  infos.text(PMIX_HOSTNAME, job.order.node);
  infos.regex(PMIX_NODE_MAP, node_map);
  infos.regex(PMIX_PROC_MAP, rank_map);
  infos.text(PMIX_TMPDIR, job.folder);
  infos.text(PMIX_NSDIR, job.folder);
  infos.flag(PMIX_TDIR_RMCLEAN, true);
  for (std::uint32_t node = 0; node < job.order.shares.size(); ++node) {
    for (std::uint32_t local = 0; local < job.order.shares[node].tasks; ++local)
      add_rank(infos, node, local);
  }
  Pending pending;
  pmix_status_t status =
      PMIx_server_register_nspace(job.name.c_str(), static_cast<int>(share.tasks), infos.data(),
                                  infos.size(), Pending::done, &pending);
  if (status == PMIX_SUCCESS) status = pending.wait();
  demand(status, "PMIx_server_register_nspace");
}

// The task with this number among ours: registered, and its variables sent.
void register_task(std::uint32_t local) {
  pmix_proc_t proc;
  PMIX_LOAD_PROCID(&proc, job.name.c_str(), job.share().rank(local));
  Pending pending;
  pmix_status_t status = PMIx_server_register_client(&proc, job.order.uid, job.order.gid, nullptr,
                                                     Pending::done, &pending);
  if (status == PMIX_SUCCESS) status = pending.wait();
  demand(status, "PMIx_server_register_client");
  char** variables = nullptr;
  demand(PMIx_server_setup_fork(&proc, &variables), "PMIx_server_setup_fork");
  std::string block;
  for (char** one = variables; one && *one; ++one) {
    block.append(*one).push_back('\0');
    ::free(*one);
  }
  ::free(variables);
  say(PmixFrame::Variables, block, local);
}

// ------------------------------------------------------------- what the library asks of us

struct WaitingFence {
  pmix_modex_cbfunc_t done;
  void* data;
};
std::mutex fences_mutex;
std::map<std::string, WaitingFence> fences;
std::map<std::string, std::uint64_t> fences_so_far;  // by participants

// "*" or the ranks: the same on every node that takes part.
std::string participants(const pmix_proc_t procs[], std::size_t count,
                         std::vector<std::uint32_t>& nodes) {
  std::set<std::uint32_t> ranks, numbers;
  for (std::size_t n = 0; n < count; ++n) {
    if (procs[n].rank == PMIX_RANK_WILDCARD) return "*";
    ranks.insert(procs[n].rank);
    if (auto found = job.node_of.find(procs[n].rank); found != job.node_of.end())
      numbers.insert(found->second);
  }
  nodes.assign(numbers.begin(), numbers.end());
  std::string text;
  for (std::uint32_t rank : ranks) text += fmt::format("{},", rank);
  return text;
}

pmix_status_t on_fence(const pmix_proc_t procs[], std::size_t count, const pmix_info_t*,
                       std::size_t, char* data, std::size_t size, pmix_modex_cbfunc_t done,
                       void* cookie) {
  StepFence fence{.node = job.order.node_number, .data = std::string(data ? data : "", size)};
  std::string who = participants(procs, count, fence.nodes);
  ::free(data);
  {
    std::lock_guard lock(fences_mutex);
    fence.key = fmt::format("pmix:{}:{}", who, fences_so_far[who]++);
    fences[fence.key] = {.done = done, .data = cookie};
  }
  say(PmixFrame::Fence, wire::encode(fence));
  return PMIX_SUCCESS;
}

void finish_fence(const StepFence& all) {
  WaitingFence waiting;
  {
    std::lock_guard lock(fences_mutex);
    auto found = fences.find(all.key);
    if (found == fences.end()) return;
    waiting = found->second;
    fences.erase(found);
  }
  auto* kept = new std::string(all.data);
  waiting.done(
      PMIX_SUCCESS, kept->data(), kept->size(), waiting.data,
      [](void* text) { delete static_cast<std::string*>(text); }, kept);
}

pmix_status_t on_connected(const pmix_proc_t*, void*, pmix_info_t*, std::size_t, pmix_op_cbfunc_t,
                           void*) {
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_finalized(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_abort(const pmix_proc_t* proc, void*, int status, const char message[],
                       pmix_proc_t*, std::size_t, pmix_op_cbfunc_t, void*) {
  StepAbort abort{.task = proc->rank, .status = status};
  abort.text = fmt::format("task {} called MPI_Abort{}{}", proc->rank, message ? ": " : "",
                           message ? message : "");
  say(PmixFrame::Abort, wire::encode(abort));
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_register_events(pmix_status_t*, std::size_t, const pmix_info_t*, std::size_t,
                                 pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_deregister_events(pmix_status_t*, std::size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

void start_server() {
  static pmix_server_module_t module{};
  module.client_finalized = on_finalized;
  module.abort = on_abort;
  module.fence_nb = on_fence;
  module.register_events = on_register_events;
  module.deregister_events = on_deregister_events;
  module.client_connected2 = on_connected;
  Infos infos;
  infos.text(PMIX_SERVER_TMPDIR, job.folder);
  infos.text(PMIX_SYSTEM_TMPDIR, job.folder);
  infos.text(PMIX_HOSTNAME, job.order.node);
  demand(PMIx_server_init(&module, infos.data(), infos.size()), "PMIx_server_init");
}

// ------------------------------------------------------------------------ our thread

void take_job(const std::string& payload) {
  auto order = wire::decode<ShepherdOrder>(payload);
  if (!order) give_up(order.error().text);
  job.order = std::move(*order);
  if (job.order.node_number >= job.order.shares.size() ||
      job.order.node_names.size() != job.order.shares.size())
    give_up("the job's description is not complete");
  job.name = job.order.world.empty()
                 ? fmt::format("slurm.pmix.{}.{}", job.order.job.value, job.order.step.value)
                 : "slurm.pmix." + job.order.world;
  for (std::uint32_t node = 0; node < job.order.shares.size(); ++node) {
    job.size += job.order.shares[node].tasks;
    for (std::uint32_t local = 0; local < job.order.shares[node].tasks; ++local)
      job.node_of[job.order.shares[node].rank(local)] = node;
  }
  const char* given = ::getenv("TMPDIR");
  std::string base = given && ::access(given, W_OK) == 0 ? given : "/tmp";
  job.folder =
      fmt::format("{}/slurm-pmix-{}.{}-XXXXXX", base, job.order.job.value, job.order.step.value);
  if (!::mkdtemp(job.folder.data())) give_up(errno_text(job.folder));
  // The library looks at these itself, and would take the machine's name for the node's.
  ::setenv("PMIX_HOSTNAME", job.order.node.c_str(), 1);
  start_server();
  register_job();
  for (std::uint32_t local = 0; local < job.share().tasks; ++local) register_task(local);
}

void serve() {
  FrameReader reader;
  std::string buffer(64 << 10, '\0');
  for (;;) {
    ssize_t got = ::recv(kPmixFd, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    std::vector<Frame> frames;
    if (!reader.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)), frames))
      return;
    for (const Frame& frame : frames) {
      if (frame.header.type == static_cast<std::uint16_t>(PmixFrame::Job)) {
        take_job(frame.payload);
      } else if (frame.header.type == static_cast<std::uint16_t>(PmixFrame::Fence)) {
        if (auto fence = wire::decode<StepFence>(frame.payload)) finish_fence(*fence);
      }
    }
  }
}

}  // namespace
}  // namespace ym

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "-V") == 0) {
    std::puts("slurm " YM_SLURM_VERSION);
    return 0;
  }
  struct stat about;
  if (::fstat(ym::kPmixFd, &about) != 0 || !S_ISSOCK(about.st_mode)) {
    std::fputs("slurm-pmix: is started by slurmstepd only\n", stderr);
    return 1;
  }
  ym::serve();
  // The tasks are gone; the library's own end could wait for some of them.
  std::error_code ignored;
  if (!ym::job.folder.empty()) std::filesystem::remove_all(ym::job.folder, ignored);
  ::_exit(0);
}
