// SPDX-License-Identifier: Apache-2.0
#include "agent/binding.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"

namespace ym::agent {
namespace {

CpuBindKind kind_of(std::string_view word) {
  auto bind = CpuBind::parse(word);
  return bind ? bind->kind : CpuBindKind::Auto;
}

// The first `threads` CPUs of each core.
std::vector<Cpu> first_threads(const std::vector<Cpu>& pool, std::uint32_t threads) {
  if (threads == 0) return pool;
  std::map<std::uint32_t, std::uint32_t> seen;
  std::vector<Cpu> out;
  for (const Cpu& cpu : pool)
    if (seen[cpu.core]++ < threads) out.push_back(cpu);
  return out;
}

// How many sockets (cores) have all of their CPUs in the pool.
template <auto Member>
std::size_t whole_ones(const Topology& topology, const std::vector<Cpu>& pool) {
  std::map<std::uint32_t, std::size_t> all, here;
  for (const Cpu& cpu : topology.cpus) ++all[cpu.*Member];
  for (const Cpu& cpu : pool) ++here[cpu.*Member];
  return static_cast<std::size_t>(
      std::ranges::count_if(here, [&](const auto& one) { return one.second == all[one.first]; }));
}

// All CPUs of the pool that share a socket (core, memory domain) with one of `cpus`.
template <auto Member>
CpuNumbers widened(const std::vector<Cpu>& pool, const CpuNumbers& cpus) {
  std::set<std::uint32_t> touched;
  for (const Cpu& cpu : pool)
    if (std::ranges::binary_search(cpus, cpu.number)) touched.insert(cpu.*Member);
  CpuNumbers out;
  for (const Cpu& cpu : pool)
    if (touched.contains(cpu.*Member)) out.push_back(cpu.number);
  std::ranges::sort(out);
  return out;
}

CpuNumbers intersection(const CpuNumbers& a, const CpuNumbers& b) {
  CpuNumbers out;
  std::ranges::set_intersection(a, b, std::back_inserter(out));
  return out;
}

// The CPUs of these memory domains.
CpuNumbers of_domains(const std::vector<Cpu>& pool, const CpuNumbers& domains) {
  std::vector<Cpu> out;
  for (const Cpu& cpu : pool)
    if (std::ranges::binary_search(domains, cpu.numa)) out.push_back(cpu);
  return numbers_of(out);
}
CpuNumbers domains_of(const std::vector<Cpu>& cpus) {
  CpuNumbers out;
  for (const Cpu& cpu : cpus) out.push_back(cpu.numa);
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

class Binder {
 public:
  Binder(const BindingRequest& request, const BindingRules& rules)
      : request_(request), rules_(rules) {
    all_ = request.topology.among(request.cpus.empty() ? request.topology.numbers() : request.cpus);
    pool_ = first_threads(all_, request.wish.threads_per_core);
    if (auto bind = CpuBind::parse(request.wish.cpu_bind)) cpu_ = std::move(*bind);
    if (auto bind = MemBind::parse(request.wish.mem_bind)) mem_ = std::move(*bind);
    cpu_.verbose = cpu_.verbose || rules.verbose;
    tasks_.resize(request.ranks.size());
  }

  StepBinding bind() {
    StepBinding out;
    bool wished = cpu_.kind != CpuBindKind::Auto;
    bool chosen = !request_.cpus.empty();
    active_ = rules_.enabled && !pool_.empty() && (wished || (rules_.automatic && chosen));
    if (active_) bind_cpus();
    if (rules_.enabled && !pool_.empty()) bind_memory();
    for (std::size_t i = 0; i < tasks_.size(); ++i) tasks_[i].notice = notice(i);
    cpu_variables(out);
    memory_variables(out);
    out.tasks = std::move(tasks_);
    return out;
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(tasks_.size()); }

  // What Slurm calls automatic binding: to sockets, cores or threads if the tasks need just as many
  // CPUs as there are of these.
  CpuBindKind fitting_kind() const {
    if (rules_.usual != CpuBindKind::Auto) return rules_.usual;
    std::uint64_t needed = std::uint64_t{count()} * std::max(1u, request_.cpus_per_task);
    if (needed == whole_ones<&Cpu::socket>(request_.topology, all_)) return CpuBindKind::Sockets;
    if (needed == whole_ones<&Cpu::core>(request_.topology, all_)) return CpuBindKind::Cores;
    if (needed == pool_.size()) return CpuBindKind::Threads;
    return rules_.fallback == CpuBindKind::None ? CpuBindKind::Auto : rules_.fallback;
  }

  void bind_cpus() {
    if (cpu_.kind == CpuBindKind::Auto) cpu_.kind = fitting_kind();
    CpuNumbers allowed = numbers_of(pool_);
    std::vector<CpuNumbers> dealt =
        deal_cpus(pool_, count(), request_.cpus_per_task, request_.wish.distribution);
    CpuNumbers domains = domains_of(pool_);
    for (std::uint32_t i = 0; i < count(); ++i) {
      CpuNumbers wanted = wanted_by(i, dealt[i], domains);
      CpuNumbers given = intersection(wanted, allowed);
      // A task that wishes for CPUs of others gets all of its own.
      if (cpu_.kind != CpuBindKind::None)
        tasks_[i].cpus = given.empty() ? allowed : std::move(given);
    }
  }

  CpuNumbers wanted_by(std::uint32_t task, const CpuNumbers& dealt,
                       const CpuNumbers& domains) const {
    switch (cpu_.kind) {
      case CpuBindKind::Threads: return dealt;
      case CpuBindKind::Cores: return widened<&Cpu::core>(pool_, dealt);
      case CpuBindKind::Sockets: return widened<&Cpu::socket>(pool_, dealt);
      case CpuBindKind::Ldoms: return widened<&Cpu::numa>(pool_, dealt);
      case CpuBindKind::Rank: {
        CpuNumbers numbers = numbers_of(pool_);
        return {numbers[task % numbers.size()]};
      }
      case CpuBindKind::Map:
      case CpuBindKind::Mask: return cpu_.list.of(task);
      case CpuBindKind::RankLdom: return of_domains(pool_, {domains[task % domains.size()]});
      case CpuBindKind::MapLdom:
      case CpuBindKind::MaskLdom: return of_domains(pool_, cpu_.list.of(task));
      default: return numbers_of(pool_);
    }
  }

  void bind_memory() {
    CpuNumbers all = domains_of(request_.topology.cpus);
    for (std::uint32_t i = 0; i < count(); ++i) {
      TaskBinding& task = tasks_[i];
      CpuNumbers wanted;
      switch (mem_.kind) {
        case MemBindKind::Local:
          wanted = domains_of(task.cpus.empty() ? pool_ : request_.topology.among(task.cpus));
          break;
        case MemBindKind::Rank: wanted = {all[i % all.size()]}; break;
        case MemBindKind::Map:
        case MemBindKind::Mask: wanted = mem_.list.of(i); break;
        default: break;
      }
      task.mem_nodes = intersection(wanted, all);
      if (!task.mem_nodes.empty()) task.mem_policy = mem_.prefer ? kMemPreferred : kMemBind;
    }
  }

  std::string notice(std::size_t i) const {
    const TaskBinding& task = tasks_[i];
    std::string who =
        fmt::format("{}, task {:>2} {:>2} [{}]", request_.node, request_.ranks[i], i, kNoticePid);
    std::string text;
    if (cpu_.verbose) {
      bool bound = !task.cpus.empty();
      text += fmt::format("cpu-bind={} - {}: mask {}{}\n", bound ? "MASK" : "NONE", who,
                          print_cpu_mask(bound ? task.cpus : request_.topology.numbers()),
                          bound ? " set" : "");
    }
    if (mem_.verbose) {
      bool bound = !task.mem_nodes.empty();
      std::string_view kind = !bound                            ? "NONE"
                              : mem_.kind == MemBindKind::Local ? "LOC"
                              : mem_.kind == MemBindKind::Rank  ? "RANK"
                              : mem_.kind == MemBindKind::Map   ? "MAP"
                                                                : "MASK";
      text +=
          fmt::format("mem-bind={} - {}: mask {}{}\n", kind, who,
                      print_cpu_mask(bound ? task.mem_nodes : domains_of(request_.topology.cpus)),
                      bound ? " set" : "");
    }
    return text;
  }

  void cpu_variables(StepBinding& out) const {
    std::string verbose = cpu_.verbose ? "verbose" : "quiet", type, masks;
    if (active_ && cpu_.kind == CpuBindKind::None) type = "none";
    // As many digits as the machine has CPUs for.
    std::size_t digits =
        (request_.topology.numbers().empty() ? 0 : request_.topology.numbers().back() / 4) + 1;
    if (active_ && cpu_.kind != CpuBindKind::None) {
      type = "mask_cpu:";
      for (const TaskBinding& task : tasks_)
        masks += fmt::format("{}{}", masks.empty() ? "" : ",", print_cpu_mask(task.cpus, digits));
    }
    bool any = !type.empty();
    out.environment.emplace_back("SLURM_CPU_BIND",
                                 any ? fmt::format("{},{}{}", verbose, type, masks) : "");
    out.environment.emplace_back("SLURM_CPU_BIND_TYPE", type);
    out.environment.emplace_back("SLURM_CPU_BIND_LIST", masks);
    out.environment.emplace_back("SLURM_CPU_BIND_VERBOSE", any ? verbose : "");
  }

  void memory_variables(StepBinding& out) const {
    bool any = mem_.kind != MemBindKind::Default;
    std::string type = any ? mem_.str() : "", list;
    // "quiet,prefer,map_mem:0,1" is cut into its parts.
    for (std::string_view part : {"quiet", "verbose", "prefer", "sort"})
      if (std::string prefix = fmt::format("{},", part); type.starts_with(prefix))
        type.erase(0, prefix.size());
    if (auto colon = type.find(':'); colon != std::string::npos) {
      list = type.substr(colon + 1);
      type.erase(colon + 1);
    }
    auto set = [&](const char* name, std::string value) {
      out.environment.emplace_back(name, any ? std::move(value) : "");
    };
    set("SLURM_MEM_BIND", mem_.str());
    set("SLURM_MEM_BIND_TYPE", type);
    set("SLURM_MEM_BIND_LIST", list);
    set("SLURM_MEM_BIND_PREFER", mem_.prefer ? "prefer" : "");
    set("SLURM_MEM_BIND_SORT", mem_.sort ? "sort" : "");
    set("SLURM_MEM_BIND_VERBOSE", mem_.verbose ? "verbose" : "quiet");
  }

  const BindingRequest& request_;
  const BindingRules& rules_;
  std::vector<Cpu> all_, pool_;  // of the step; without the threads that it does not want
  CpuBind cpu_;
  MemBind mem_;
  bool active_ = false;
  std::vector<TaskBinding> tasks_;
};

}  // namespace

BindingRules binding_rules(const std::string& task_plugin, const std::string& params, bool real) {
  BindingRules rules;
  bool affinity = to_lower(task_plugin).find("affinity") != std::string::npos;
  rules.enabled = affinity || trim(task_plugin).empty();
  rules.automatic = real && rules.enabled;
  for (std::string_view word : split_words(params, ',')) {
    if (starts_with_ignoring_case(word, "autobind=")) {
      CpuBindKind kind = kind_of(word.substr(9));
      rules.fallback = kind == CpuBindKind::Auto ? CpuBindKind::None : kind;
    } else if (same_ignoring_case(word, "verbose")) {
      rules.verbose = true;
    } else if (CpuBindKind kind = kind_of(word);
               kind == CpuBindKind::None || kind == CpuBindKind::Cores ||
               kind == CpuBindKind::Sockets || kind == CpuBindKind::Threads) {
      rules.usual = kind;
    }
  }
  return rules;
}

StepBinding bind_step(const BindingRequest& request, const BindingRules& rules) {
  return Binder(request, rules).bind();
}

}  // namespace ym::agent
