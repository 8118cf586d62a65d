// SPDX-License-Identifier: Apache-2.0
#include "cli/sbcast/libraries.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "net/address.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr std::size_t kHeadMax = 64 << 10;
constexpr std::size_t kListMax = 1 << 20;
constexpr std::size_t kHeadersMax = 256;

template <class T>
bool read_at(std::string_view bytes, std::uint64_t at, T& out) {
  if (at > bytes.size() || bytes.size() - at < sizeof out) return false;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return true;
}

Result<std::string> head_of(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(errno_text(path));
  std::string head(kHeadMax, '\0');
  ssize_t got = ::read(fd.get(), head.data(), head.size());
  if (got < 0) return fail(errno_text(path));
  head.resize(static_cast<std::size_t>(got));
  return head;
}

Result<std::string> said_by(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(errno_text("pipe"));
  Fd ours(ends[0]), theirs(ends[1]);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = ::fork();
  if (pid < 0) return fail(errno_text("fork"));
  if (pid == 0) {
    ::dup2(theirs.get(), STDOUT_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  theirs = Fd();
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t got = ::read(ours.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || text.size() > kListMax) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return fail(fmt::format("{} cannot tell the libraries of {}", command.front(), command.back()));
  return text;
}

}  // namespace

std::string elf_interpreter(std::string_view head) {
  Elf64_Ehdr header;
  if (!read_at(head, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum > kHeadersMax)
    return {};
  for (std::uint64_t n = 0; n < header.e_phnum; ++n) {
    Elf64_Phdr segment;
    if (header.e_phoff > head.size() ||
        !read_at(head, header.e_phoff + n * sizeof segment, segment))
      return {};
    if (segment.p_type != PT_INTERP) continue;
    if (segment.p_offset > head.size() || segment.p_filesz > head.size() - segment.p_offset)
      return {};
    std::string_view name = head.substr(segment.p_offset, segment.p_filesz);
    return std::string(name.substr(0, name.find('\0')));
  }
  return {};
}

// "	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f…)"; the loader itself has no arrow.
std::vector<std::string> parse_loader_list(std::string_view text) {
  std::vector<std::string> paths;
  for (std::string_view line : split(text, '\n')) {
    auto arrow = line.find("=> /");
    std::string_view path = arrow == std::string_view::npos ? trim(line) : line.substr(arrow + 3);
    path = path.substr(0, path.rfind(" ("));
    if (path.starts_with('/')) paths.emplace_back(path);
  }
  return paths;
}

bool excluded(std::string_view path, const std::vector<std::string>& prefixes) {
  for (std::string_view prefix : prefixes) {
    while (prefix.size() > 1 && prefix.ends_with('/')) prefix.remove_suffix(1);
    if (path == prefix || prefix == "/") return true;
    if (path.starts_with(prefix) && path[prefix.size()] == '/') return true;
  }
  return false;
}

std::vector<std::string> parse_exclusions(std::string_view text) {
  std::vector<std::string> out;
  if (same_ignoring_case(text, "none")) return out;
  for (std::string_view word : split_words(text, ',')) out.emplace_back(word);
  return out;
}

Result<std::vector<std::string>> libraries_of(const std::string& program,
                                              const std::vector<std::string>& exclusions) {
  auto head = head_of(program);
  if (!head) return std::unexpected(head.error());
  std::string loader = elf_interpreter(*head);
  if (loader.empty()) return std::vector<std::string>{};
  auto said = said_by({loader, "--list", program});
  if (!said) return std::unexpected(said.error());
  std::vector<std::string> paths = parse_loader_list(*said);
  std::erase_if(
      paths, [&](const std::string& path) { return path == loader || excluded(path, exclusions); });
  return paths;
}

}  // namespace ym::cli
