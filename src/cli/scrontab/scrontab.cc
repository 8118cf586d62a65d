// SPDX-License-Identifier: Apache-2.0
#include "cli/scrontab/scrontab.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "cli/common/local.h"
#include "os/child.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/temporary.h"

namespace ym::cli {
namespace {

using Settings = ScrontabSettings;

constexpr std::string_view kExample =
    "# min hour day-of-month month day-of-week command\n"
    "# Options of sbatch for the next line: #SCRON --time=10\n";

template <auto Member>
Status set_flag_of(Settings& settings, std::string_view) {
  settings.*Member = true;
  return {};
}

int refuse(std::string_view text) {
  complain("scrontab", text);
  return 1;
}

struct Owner {
  std::string name, home;
};

// Whose crontab it is.
Result<Owner> owner_of(const Settings& settings) {
  std::string wanted = settings.user.empty() ? fmt::format("{}", ::getuid()) : settings.user;
  auto user = local_user(wanted);
  if (!user && !settings.user.empty())
    return fail(fmt::format("user '{}' not found", printable(settings.user)));
  Owner owner{.name = user ? user->name : wanted, .home = "/"};
  auto home = environment_variable("HOME");
  if (settings.user.empty() && home) owner.home = *home;
  auto passwd = read_file("/etc/passwd");
  if (passwd && (!settings.user.empty() || !home))
    for (std::string_view line : split(*passwd, '\n')) {
      auto parts = split(line, ':');
      if (parts.size() >= 6 && parts[0] == owner.name) owner.home = parts[5];
    }
  return owner;
}

int store(Controller& controller, const Settings& settings, std::string_view text) {
  auto owner = owner_of(settings);
  if (!owner) return refuse(owner.error().text);
  auto request = crontab_request(text, owner->home, owner->name);
  if (!request) return refuse(request.error().text);
  request->user = settings.user;
  auto answer = controller.ask<CrontabUpdated>(*request, Asking::Keyed);
  if (!answer) return refuse(answer.error().text);
  if (!answer->failed_line) return 0;
  print_error(
      fmt::format("scrontab: There was an issue with the job submission on lines {0}-{0}\n"
                  "scrontab: The error code return was: {1}\n",
                  answer->failed_line, answer->warning));
  return 1;
}

Result<std::string> stored(Controller& controller, const Settings& settings) {
  auto crontab = controller.ask<Crontab>(GetCrontab{.user = settings.user});
  if (!crontab) return std::unexpected(crontab.error());
  return std::move(crontab->text);
}

int list(Controller& controller, const Settings& settings) {
  auto text = stored(controller, settings);
  if (!text) return refuse(text.error().text);
  if (text->empty()) {
    auto owner = owner_of(settings);
    print_error(fmt::format("no crontab for {}\n", owner ? owner->name : settings.user));
    return 1;
  }
  print(*text);
  return 0;
}

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (auto value = environment_variable(name); value && !value->empty()) return *value;
  return "vi";
}

std::string temporary_prefix() {
  return environment_variable("TMPDIR").value_or("/tmp") + "/scrontab-";
}

// The text as the user leaves it.
Result<std::string> edited(const std::string& text) {
  auto made = write_temporary(temporary_prefix(), text);
  if (!made) return made;
  const std::string& path = *made;
  std::string environment;
  for (char** one = environ; *one; ++one) environment += std::string(*one) + '\0';
  auto pid =
      start_child({"/bin/sh", "-c", editor() + " \"$0\"", path}, environment, ChildPlace::Here);
  int status = 0;
  if (pid) ::waitpid(*pid, &status, 0);
  auto out = read_file(path, kCrontabTextMax + 1);
  ::unlink(path.c_str());
  if (!pid) return std::unexpected(pid.error());
  if (status != 0) return fail(fmt::format("{} failed: {}", editor(), child_error(status)));
  return out;
}

bool wants_again() {
  print("Do you want to retry the edit? (y/n) ");
  int answer = std::getchar();
  for (int rest = answer; rest != '\n' && rest != EOF;) rest = std::getchar();
  return answer == 'y' || answer == 'Y';
}

// What was refused is not lost.
void keep(const std::string& text) {
  auto path = write_temporary(temporary_prefix(), text);
  if (!path) return print_error(fmt::format("scrontab: the edit is lost: {}\n", path.error().text));
  print_error(fmt::format("scrontab: the edit is kept: scrontab {} installs it\n", *path));
}

int edit(Controller& controller, const Settings& settings) {
  auto before = stored(controller, settings);
  if (!before) return refuse(before.error().text);
  const std::string first = before->empty() ? std::string(kExample) : *before;
  std::string text = first;
  for (;;) {
    auto after = edited(text);
    if (!after) return refuse(after.error().text);
    if (*after == first) {
      print_error("scrontab: no changes made\n");
      return 0;
    }
    int code = store(controller, settings, *after);
    if (code == 0) return code;
    if (!wants_again()) {
      keep(*after);
      return code;
    }
    text = std::move(*after);
  }
}

Result<std::string> given_text(const std::vector<std::string>& operands) {
  if (operands.empty() || operands[0] == "-")
    return read_descriptor(STDIN_FILENO, "standard input", kCrontabTextMax + 1);
  return read_file(operands[0], kCrontabTextMax + 1);
}

bool is_enabled(const MainConfig& config) {
  for (const auto& [key, value] : config.shown)
    if (key == "ScronParameters")
      for (std::string_view word : split_words(value, ','))
        if (same_ignoring_case(word, "enable")) return true;
  return false;
}

}  // namespace

CommandPage scrontab_page() {
  return {
      .name = "scrontab",
      .summary = "run jobs at times that come back",
      .usage = {"[-u USER] FILE", "[-u USER] [-e | -l | -r]"},
      .description =
          "Each line of the crontab is a time (minute, hour, day of the month, month, day of\n"
          "the week; or @hourly, @daily, @weekly, @monthly, @yearly, @noon, @teatime …) and a\n"
          "command. It is a job that waits for its time, and goes back to the queue for the\n"
          "next one when it has ended. Options of sbatch for a line stand before it, on lines\n"
          "that begin with #SCRON. NAME=value sets a variable for all lines that follow.\n"
          "\nFILE replaces the crontab; \"-\" is standard input. ScronParameters=enable must be\n"
          "set in slurm.conf."};
}

std::vector<Option<ScrontabSettings>> scrontab_table() {
  return {
      {{.name = "", .letter = 'e', .help = "Edit the crontab with $VISUAL, $EDITOR or vi"},
       set_flag_of<&Settings::edit>},
      {{.name = "", .letter = 'l', .help = "Show the crontab"}, set_flag_of<&Settings::list>},
      {{.name = "", .letter = 'r', .help = "Remove the crontab and its jobs"},
       set_flag_of<&Settings::remove>},
      {{.name = "",
        .letter = 'u',
        .takes = Takes::Value,
        .argument = "USER",
        .help = "Of this user; for administrators"},
       [](Settings& s, std::string_view value) -> Status {
         s.user = value;
         return {};
       }},
      {{.name = "", .letter = 'v', .help = "Taken, without effect"},
       [](Settings&, std::string_view) -> Status { return {}; }},
  };
}

int scrontab_main(const Arguments& arguments) {
  auto parsed = parse_command(scrontab_page(), scrontab_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  const Settings& settings = parsed.settings;
  if (settings.edit + settings.list + settings.remove > 1)
    return refuse("Only one of -e, -l and -r may be given");
  if (parsed.operands.size() > 1) return refuse("Only one file may be given");
  auto controller = Controller::open();
  if (!controller) return refuse(controller.error().text);
  if (!is_enabled(controller->config())) return refuse("scrontab is disabled on this cluster");
  if (settings.list) return list(*controller, settings);
  if (settings.remove) return store(*controller, settings, "");
  bool edits = settings.edit || (parsed.operands.empty() && ::isatty(STDIN_FILENO));
  if (edits) return edit(*controller, settings);
  auto text = given_text(parsed.operands);
  if (!text) return refuse(text.error().text);
  return store(*controller, settings, *text);
}

}  // namespace ym::cli
