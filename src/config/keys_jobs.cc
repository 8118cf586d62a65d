// SPDX-License-Identifier: Apache-2.0
// Keys about jobs and their steps: limits, launching, the scripts around them.
#include "config/keys.h"

namespace ym {
namespace {

using enum KeyType;
using enum KeyStatus;

constexpr KeyInfo kTable[] = {
    {"AllowSpecResourcesUsage", YesNo, ActedOn, "No"},
    {"BatchStartTimeout", Number, ActedOn, "10 sec", "0-65533"},
    {"BurstBufferType", Text, NotYet, "(null)"},
    {"CompleteWait", Number, NotYet, "0 sec", "0-65533"},
    {"CpuFreqDef", Text, ActedOn, "Unknown"},
    {"CpuFreqGovernors", Text, ActedOn, "OnDemand,Performance,UserSpace"},
    {"DependencyParameters", Text, ActedOn, "(null)"},
    {"DisableRootJobs", YesNo, NotYet, "No"},
    {"Epilog", Path, ActedOn, "(null)"},
    {"EpilogMsgTime", Number, NotYet, "2000 usec", "0-4294967294"},
    {"EpilogSlurmctld", Path, ActedOn, "(null)"},
    {"EpilogTimeout", Number, ActedOn, "65534", "0-65534"},
    {"FirstJobId", Number, ActedOn, "1", "1-67043328"},
    {"GpuFreqDef", Text, ActedOn, "high,memory=high"},
    {"GresTypes", Text, ActedOn, "(null)"},
    {"InactiveLimit", Number, ActedOn, "0 sec", "0-65533"},
    {"InteractiveStepOptions", Text, NotYet, "--interactive --preserve-env --pty $SHELL"},
    {"JobDefaults", Text, NotYet, "(null)"},
    {"JobFileAppend", Number, NotYet, "0", "0-1"},
    {"JobRequeue", Number, ActedOn, "1", "0-1"},
    {"JobSubmitPlugins", Text, NotYet, "(null)"},
    {"KillOnBadExit", Number, ActedOn, "0", "0-1"},
    {"KillWait", Number, ActedOn, "30 sec", "0-65533"},
    {"LaunchParameters", Text, NotYet, "(null)"},
    {"LicenseParameters", Text, NotYet, "(null)"},
    {"Licenses", Text, ActedOn, "(null)"},
    {"MaxArraySize", Number, ActedOn, "1001", "0-4000001"},
    {"MaxBatchRequeue", Number, NotYet, "5", "0-4294967294"},
    // Slurm's default is 10,000; ours is no wall of the design.
    {"MaxJobCount", Number, ActedOn, "10000000", "1-4294967294"},
    {"MaxJobId", Number, ActedOn, "67043328", "1-67043328"},
    {"MaxNodeCount", Number, ActedOn, "", "1-1000000"},
    {"MaxStepCount", Number, NotYet, "40000", "1-4294967294"},
    {"MaxTasksPerNode", Number, ActedOn, "512", "1-65533"},
    {"MinJobAge", Number, ActedOn, "300 sec", "0-65533"},
    {"MpiDefault", Text, ActedOn, "none"},
    {"MpiParams", Text, ActedOn, "(null)"},
    {"OverTimeLimit", Limit, ActedOn, "0 min", "0-65533"},
    {"PrEpParameters", Text, NotYet, "(null)"},
    {"PrEpPlugins", Text, NotYet, "prep/script"},
    {"ProctrackType", Text, NotYet, "proctrack/cgroup"},
    {"Prolog", Path, ActedOn, "(null)"},
    {"PrologFlags", Text, ActedOn, "(null)"},
    {"PrologSlurmctld", Path, ActedOn, "(null)"},
    {"PrologTimeout", Number, ActedOn, "65534", "0-65534"},
    {"PropagatePrioProcess", Number, ActedOn, "0", "0-2"},
    {"PropagateResourceLimits", Text, ActedOn, "ALL"},
    {"PropagateResourceLimitsExcept", Text, ActedOn, "(null)"},
    {"RequeueExit", Text, NotYet, "(null)"},
    {"RequeueExitHold", Text, NotYet, "(null)"},
    {"ScronParameters", Text, ActedOn, "(null)"},
    {"SrunEpilog", Path, ActedOn, "(null)"},
    {"SrunPortRange", Ports, ActedOn, "0-0", "srun listens on no port"},
    {"SrunProlog", Path, ActedOn, "(null)"},
    {"TaskEpilog", Path, ActedOn, "(null)"},
    {"TaskPlugin", Text, ActedOn, "(null)"},
    {"TaskPluginParam", Text, ActedOn, "(null type)"},
    {"TaskProlog", Path, ActedOn, "(null)"},
    {"UnkillableStepProgram", Path, ActedOn, "(null)"},
    {"UnkillableStepTimeout", Number, ActedOn, "60 sec", "0-65533"},
    {"UsePam", Number, NotYet, "No", "0-1"},
    {"VSizeFactor", Number, NotYet, "0 percent", "0-65533"},
    {"WaitTime", Number, ActedOn, "0 sec", "0-65533"},
    {"X11Parameters", Text, ActedOn, "(null)"},
};

}  // namespace

std::span<const KeyInfo> job_keys() { return kTable; }

}  // namespace ym
