// SPDX-License-Identifier: Apache-2.0
#include "shepherd/device_filter.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "net/address.h"
#include "os/files.h"

namespace ym {
namespace {

std::optional<std::uint32_t> parse_number(std::string_view text) {
  if (text == "*") return kAnyNumber;
  return parse_unsigned<std::uint32_t>(text);
}

std::string number_text(std::uint32_t number) {
  return number == kAnyNumber ? "*" : fmt::format("{}", number);
}

// Registers: 1 holds the question (bpf_cgroup_dev_ctx), 2 the type, 3 what is to be done, 4 and 5
// the numbers, 6 is for work, 0 the answer.
constexpr std::uint8_t kAsk = 1, kType = 2, kAccess = 3, kMajor = 4, kMinor = 5, kWork = 6;

bpf_insn load(std::uint8_t into, std::size_t offset) {
  return {.code = BPF_LDX | BPF_MEM | BPF_W,
          .dst_reg = into,
          .src_reg = kAsk,
          .off = static_cast<std::int16_t>(offset),
          .imm = 0};
}
bpf_insn compute(std::uint8_t operation, std::uint8_t on, std::int32_t number) {
  return {.code = static_cast<std::uint8_t>(BPF_ALU64 | operation | BPF_K),
          .dst_reg = on,
          .src_reg = 0,
          .off = 0,
          .imm = number};
}
bpf_insn copy(std::uint8_t into, std::uint8_t from) {
  return {
      .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = into, .src_reg = from, .off = 0, .imm = 0};
}
bpf_insn jump_unless(std::uint8_t reg, std::uint32_t number, std::size_t over) {
  return {.code = BPF_JMP32 | BPF_JNE | BPF_K,
          .dst_reg = reg,
          .src_reg = 0,
          .off = static_cast<std::int16_t>(over),
          .imm = static_cast<std::int32_t>(number)};
}
bpf_insn leave() {
  return {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0};
}

// If the rule covers what is asked, answer 1; else go on behind it.
void add_rule(std::vector<bpf_insn>& program, const DeviceRule& rule) {
  std::vector<std::pair<std::uint8_t, std::uint32_t>> equal;
  if (rule.type != 'a')
    equal.emplace_back(kType, rule.type == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR);
  if (rule.major != kAnyNumber) equal.emplace_back(kMajor, rule.major);
  if (rule.minor != kAnyNumber) equal.emplace_back(kMinor, rule.minor);
  std::int32_t denied = (rule.read ? 0 : BPF_DEVCG_ACC_READ) |
                        (rule.write ? 0 : BPF_DEVCG_ACC_WRITE) |
                        (rule.make ? 0 : BPF_DEVCG_ACC_MKNOD);
  constexpr std::size_t kAccessPart = 3, kAnswerPart = 2;
  std::size_t left = equal.size() + kAccessPart + kAnswerPart;
  for (auto [reg, number] : equal) program.push_back(jump_unless(reg, number, --left));
  program.push_back(copy(kWork, kAccess));
  program.push_back(compute(BPF_AND, kWork, denied));
  program.push_back(jump_unless(kWork, 0, kAnswerPart));
  program.push_back(compute(BPF_MOV, 0, 1));
  program.push_back(leave());
}

std::vector<bpf_insn> program_for(const std::vector<DeviceRule>& allowed) {
  std::vector<bpf_insn> program;
  program.push_back(load(kType, offsetof(bpf_cgroup_dev_ctx, access_type)));
  program.push_back(copy(kAccess, kType));
  program.push_back(compute(BPF_AND, kType, 0xffff));
  program.push_back(compute(BPF_RSH, kAccess, 16));
  program.push_back(load(kMajor, offsetof(bpf_cgroup_dev_ctx, major)));
  program.push_back(load(kMinor, offsetof(bpf_cgroup_dev_ctx, minor)));
  for (const DeviceRule& rule : allowed) add_rule(program, rule);
  program.push_back(compute(BPF_MOV, 0, 0));
  program.push_back(leave());
  return program;
}

int bpf(int command, bpf_attr& attributes) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

}  // namespace

std::optional<DeviceRule> parse_device_rule(std::string_view text) {
  std::vector<std::string_view> words = split_words(text, ' ');
  if (words.size() != 3 || words[0].size() != 1 || words[2].empty()) return std::nullopt;
  DeviceRule rule{.type = words[0][0], .read = false, .write = false, .make = false};
  if (rule.type != 'a' && rule.type != 'b' && rule.type != 'c') return std::nullopt;
  auto colon = words[1].find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto major = parse_number(words[1].substr(0, colon));
  auto minor = parse_number(words[1].substr(colon + 1));
  if (!major || !minor) return std::nullopt;
  rule.major = *major;
  rule.minor = *minor;
  for (char letter : words[2]) {
    if (letter != 'r' && letter != 'w' && letter != 'm') return std::nullopt;
    (letter == 'r' ? rule.read : letter == 'w' ? rule.write : rule.make) = true;
  }
  return rule;
}

std::string text_of(const DeviceRule& rule) {
  return fmt::format("{} {}:{} {}{}{}", rule.type, number_text(rule.major), number_text(rule.minor),
                     rule.read ? "r" : "", rule.write ? "w" : "", rule.make ? "m" : "");
}

std::vector<DeviceRule> common_devices() {
  std::vector<DeviceRule> rules;
  // To make a node is not to open it, and takes root anyhow.
  rules.push_back({.type = 'c', .read = false, .write = false});
  rules.push_back({.type = 'b', .read = false, .write = false});
  for (std::uint32_t minor : {3u, 5u, 7u, 8u, 9u})  // null zero full random urandom
    rules.push_back({.major = 1, .minor = minor});
  rules.push_back({.major = 5});   // tty, console, ptmx
  rules.push_back({.major = 10});  // fuse, rdma_cm, hpet …
  for (std::uint32_t major = 136; major <= 143; ++major) rules.push_back({.major = major});  // pts
  rules.push_back({.major = 231});  // infiniband
  return rules;
}

Status filter_devices(const std::string& folder, const std::vector<DeviceRule>& allowed) {
  if (allowed.size() > kDeviceRulesMax) return fail("too many devices");
  std::vector<bpf_insn> program = program_for(allowed);
  bpf_attr what{};
  what.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  what.insn_cnt = static_cast<std::uint32_t>(program.size());
  what.insns = reinterpret_cast<std::uint64_t>(program.data());
  what.license = reinterpret_cast<std::uint64_t>("Apache-2.0");
  Fd loaded(bpf(BPF_PROG_LOAD, what));
  if (!loaded) return fail(errno_text("device filter"));
  Fd group(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!group) return fail(errno_text(folder));
  bpf_attr where{};
  where.target_fd = static_cast<std::uint32_t>(group.get());
  where.attach_bpf_fd = static_cast<std::uint32_t>(loaded.get());
  where.attach_type = BPF_CGROUP_DEVICE;
  where.attach_flags = BPF_F_ALLOW_MULTI;
  if (bpf(BPF_PROG_ATTACH, where) != 0) return fail(errno_text("device filter"));
  return {};
}

}  // namespace ym
