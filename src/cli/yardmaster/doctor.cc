// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/doctor.h"

#include "base/format.h"
#include "cli/common/paint.h"
#include "cli/yardmaster/yardmaster.h"

namespace ym::cli {
namespace {

constexpr std::size_t kHealthColumn = 6, kWhatColumn = 15;

struct DoctorSettings {
  std::string dir;
};

std::vector<Option<DoctorSettings>> doctor_table() {
  return {
      dir_option<DoctorSettings>(),
  };
}

using Check = std::vector<Finding> (*)(const Patient&);
constexpr Check kChecks[] = {check_configuration, check_users,    check_key,     check_folders,
                             check_ports,         check_programs, check_cgroups, check_clock,
                             check_controller,    check_nodes};

int examine(LoadedConfiguration loaded) {
  Patient patient{.loaded = std::move(loaded), .processes = {}, .pong = {}};
  patient.processes = processes_of(patient.loaded);
  patient.pong = ping_quickly(patient.loaded);
  std::size_t failures = 0, warnings = 0;
  for (Check check : kChecks)
    for (const Finding& finding : check(patient)) {
      print(finding_text(finding));
      failures += finding.health == Health::Fail;
      warnings += finding.health == Health::Warn;
    }
  if (failures == 0 && warnings == 0)
    print(painted("all is well", Ink::Good) + "\n");
  else
    print(fmt::format("{}, {}\n", counted(failures, "failure"), counted(warnings, "warning")));
  return failures == 0 ? 0 : 1;
}

}  // namespace

std::string finding_text(const Finding& finding) {
  std::string health = finding.health == Health::Ok     ? "ok"
                       : finding.health == Health::Warn ? "warn"
                                                        : "FAIL";
  Ink ink = finding.health == Health::Ok     ? Ink::Good
            : finding.health == Health::Warn ? Ink::Warning
                                             : Ink::Bad;
  health = painted(health, ink) + std::string(kHealthColumn - health.size(), ' ');
  std::string what = finding.what;
  what.resize(kWhatColumn, ' ');
  std::string out = fmt::format("{}{}{}\n", health, what, finding.text);
  if (!finding.cure.empty())
    out += fmt::format("{}-> {}\n", std::string(kHealthColumn + kWhatColumn, ' '), finding.cure);
  return out;
}

CommandPage doctor_page() {
  return {.name = "yardmaster doctor",
          .summary = "examine the cluster and say how to mend what is wrong",
          .usage = {"[OPTION]..."},
          .description =
              "Prints a line for each thing it looked at: ok, warn or FAIL, and what to "
              "do. Ends with 0 if nothing has failed. Changes nothing."};
}
std::vector<OptionInfo> doctor_options() { return infos_of(doctor_table()); }

int doctor_main(const Arguments& arguments) {
  auto parsed = parse_command(doctor_page(), doctor_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (has_operands(doctor_page(), parsed.operands)) return 1;
  auto loaded = cluster_configuration(parsed.settings.dir);
  if (loaded) return examine(std::move(*loaded));
  print(finding_text({.health = Health::Fail,
                      .what = "configuration",
                      .text = loaded.error().text,
                      .cure = "mend the file, name another one with SLURM_CONF or --dir, or start "
                              "a cluster of your own with `yardmaster up`"}));
  return 1;
}

}  // namespace ym::cli
