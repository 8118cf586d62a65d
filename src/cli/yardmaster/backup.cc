// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/yardmaster.h"
#include "net/address.h"
#include "wire/backup.h"
#include "wire/backup_messages.h"

namespace ym::cli {
namespace {

struct BackupSettings {
  std::string dir;
  bool force = false, quiet = false, check = false;
};

std::vector<Option<BackupSettings>> backup_table() {
  return {{{.name = "force", .letter = 'f', .help = "Replace FILE if it is there"},
           [](BackupSettings& s, std::string_view) -> Status {
             s.force = true;
             return {};
           }},
          {{.name = "quiet", .letter = 'q', .help = "Say nothing unless something goes wrong"},
           [](BackupSettings& s, std::string_view) -> Status {
             s.quiet = true;
             return {};
           }},
          dir_option<BackupSettings>()};
}

std::vector<Option<BackupSettings>> restore_table() {
  return {{{.name = "check", .help = "Read FILE and say what is in it; write nothing"},
           [](BackupSettings& s, std::string_view) -> Status {
             s.check = true;
             return {};
           }},
          {{.name = "force", .letter = 'f', .help = "Set a state aside that is there"},
           [](BackupSettings& s, std::string_view) -> Status {
             s.force = true;
             return {};
           }},
          dir_option<BackupSettings>()};
}

std::unexpected<Error> no_file(const std::string& path) {
  return fail(fmt::format("{}: {}", path, std::strerror(errno)));
}

// The file appears as a whole or not at all, and was read as it came.
class Keeping {
 public:
  Keeping(std::string path, LoadedConfiguration loaded)
      : path_(std::move(path)),
        part_(fmt::format("{}.{}.part", path_, ::getpid())),
        controller_(std::move(loaded)) {}
  ~Keeping() {
    if (fd_) ::unlink(part_.c_str());
  }

  Status run() {
    if (Status begun = begin(); !begun) return begun;
    Status trouble;
    Status asked = controller_.ask_many<BackupPart>(
        BackupState{},
        [&](BackupPart&& part) {
          if (trouble) trouble = take(part.bytes);
        },
        [&] { trouble = begin(); });
    if (!asked) return asked;
    if (!trouble) return trouble;
    if (Status whole = reader_.finish(); !whole) return whole;
    if (::fsync(fd_.get()) != 0 || ::rename(part_.c_str(), path_.c_str()) != 0)
      return no_file(path_);
    fd_ = Fd();
    return {};
  }
  std::string summary() const {
    return fmt::format("{}: cluster {} at event {}, {} bytes\n", path_, head_.cluster,
                       head_.seq.value, bytes_);
  }

 private:
  // Once more from the start, if the controller was away in between.
  Status begin() {
    reader_ = wire::BackupReader([this](wire::BackupKind kind, std::string_view payload) -> Status {
      if (kind != wire::BackupKind::Head) return {};
      auto head = wire::decode<BackupHead>(payload);
      if (!head) return std::unexpected(head.error());
      head_ = std::move(*head);
      return {};
    });
    bytes_ = 0;
    fd_ = Fd(::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd_) return no_file(part_);
    return {};
  }
  Status take(std::string_view bytes) {
    if (Status sound = reader_.feed(bytes); !sound) return sound;
    bytes_ += bytes.size();
    while (!bytes.empty()) {
      ssize_t n = ::write(fd_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return no_file(part_);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
  }

  std::string path_, part_;
  Controller controller_;
  wire::BackupReader reader_{nullptr};
  BackupHead head_;
  Fd fd_;
  std::uint64_t bytes_ = 0;
};

// The one operand; a remark if it is missing or not alone.
Result<std::string> one_file(const std::vector<std::string>& operands) {
  if (operands.size() != 1) return fail("the name of one file is needed");
  return operands.front();
}

int complain_about(const Error& error) {
  complain(kYardmaster, error.text);
  return 1;
}

}  // namespace

CommandPage backup_page() {
  return {.name = "yardmaster backup",
          .summary = "write the controller's whole state into a file",
          .usage = {"[OPTION]... FILE"},
          .description =
              "Asks the controller for everything that it would know after a restart, as it is at "
              "one moment: jobs with their scripts and environments, nodes, partitions, "
              "reservations, triggers, crontabs, the authority that signs certificates. Work goes "
              "on meanwhile. FILE appears when it is "
              "complete and has been checked; it can be read by its owner only. slurm.conf and "
              "slurm.key are not in it. Only administrators may do this."};
}
std::vector<OptionInfo> backup_options() { return infos_of(backup_table()); }

int backup_main(const Arguments& arguments) {
  auto parsed = parse_command(backup_page(), backup_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  auto file = one_file(parsed.operands);
  if (!file) return complain_about(file.error());
  if (!parsed.settings.force && ::access(file->c_str(), F_OK) == 0)
    return complain_about({.text = *file + " is there already; --force replaces it"});
  auto loaded = cluster_configuration(parsed.settings.dir);
  if (!loaded) return complain_about(loaded.error());
  Keeping keeping(*file, std::move(*loaded));
  if (Status done = keeping.run(); !done) return complain_about(done.error());
  if (!parsed.settings.quiet) print(keeping.summary());
  return 0;
}

CommandPage restore_page() {
  return {
      .name = "yardmaster restore",
      .summary = "start again from a backup",
      .usage = {"[OPTION]... FILE"},
      .description =
          "Puts the state that `yardmaster backup` wrote where the next slurmctld finds it. "
          "The controller must not run, and the command is given as SlurmUser. FILE is read "
          "and checked as a whole before anything is written. A state that is there already "
          "is not touched, or with --force set aside (in etcd: written into a file beside FILE). "
          "The state may have been kept elsewhere before, in a folder or in etcd. What was "
          "revoked stays revoked. Jobs that the backup knows as running "
          "and that have ended since are found out from the nodes; jobs submitted since are "
          "unknown, and the nodes end them."};
}
std::vector<OptionInfo> restore_options() { return infos_of(restore_table()); }

int restore_main(const Arguments& arguments) {
  auto parsed = parse_command(restore_page(), restore_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  auto file = one_file(parsed.operands);
  if (!file) return complain_about(file.error());
  auto loaded = cluster_configuration(parsed.settings.dir);
  if (!loaded) return complain_about(loaded.error());
  // The controller's own program knows its files; this one does not.
  auto program = find_program("slurmctld");
  if (!program) return complain_about(program.error());
  std::vector<std::string> words = {"-f", loaded->path, "--restore", *file};
  if (parsed.settings.check) words.emplace_back("--check");
  if (parsed.settings.force) words.emplace_back("--force");
  auto child = spawn({.program = *program,
                      .arguments = words,
                      .environment = clean_environment(),
                      .folder = {},
                      .capture = true});
  if (!child) return complain_about(child.error());
  ChildEnd end = wait_for_child(*child);
  std::string_view said = end.output;
  constexpr std::string_view kPrefix = "slurmctld: error: ";
  if (said.starts_with(kPrefix)) said.remove_prefix(kPrefix.size());
  if (end.exit_code != 0) return complain_about({.text = std::string(trim(said))});
  print(end.output);
  return 0;
}

}  // namespace ym::cli
