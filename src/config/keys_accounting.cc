// SPDX-License-Identifier: Apache-2.0
// Keys about accounting and measuring.
#include "config/keys.h"

namespace ym {
namespace {

using enum KeyType;
using enum KeyStatus;

constexpr KeyInfo kTable[] = {
    {"AccountingStorageBackupHost", Text, NotYet, "(null)"},
    {"AccountingStorageEnforce", Choices, NotYet, "none",
     "none|all|associations|limits|nojobs|nosteps|qos|safe|wckeys"},
    {"AccountingStorageExternalHost", Text, NotYet, "(null)"},
    {"AccountingStorageHost", Text, NotYet, "localhost"},
    {"AccountingStorageParameters", Text, NotYet, "(null)"},
    {"AccountingStoragePass", Text, NotYet, ""},
    {"AccountingStoragePort", Number, NotYet, "0", "0-65535"},
    {"AccountingStorageTRES", Text, NotYet, "cpu,mem,energy,node,billing,fs/disk,vmem,pages"},
    {"AccountingStorageType", Choice, NotYet, "(null)",
     "accounting_storage/slurmdbd|accounting_storage/none|accounting_storage/ctld_relay"},
    {"AccountingStoreFlags", Text, NotYet, "(null)"},
    {"AcctGatherEnergyType", Text, NotYet, "(null)"},
    {"AcctGatherFilesystemType", Text, NotYet, "(null)"},
    {"AcctGatherInterconnectType", Text, NotYet, "(null)"},
    {"AcctGatherNodeFreq", Number, NotYet, "0 sec", "0-65533"},
    {"AcctGatherProfileType", Text, NotYet, "(null)"},
    {"JobAcctGatherFrequency", Text, ActedOn, "30"},
    {"JobAcctGatherParams", Text, NotYet, "(null)"},
    {"JobAcctGatherType", Text, NotYet, "(null)"},
    {"JobCompHost", Text, NotYet, "localhost"},
    {"JobCompLoc", Text, NotYet, "(null)"},
    {"JobCompParams", Text, NotYet, "(null)"},
    {"JobCompPass", Text, NotYet, ""},
    {"JobCompPassScript", Path, NotYet, ""},
    {"JobCompPort", Number, NotYet, "0", "0-65535"},
    {"JobCompType", Text, NotYet, "(null)"},
    {"JobCompUser", Text, NotYet, "root"},
    {"TrackWCKey", YesNo, NotYet, "No"},
};

}  // namespace

std::span<const KeyInfo> accounting_keys() { return kTable; }

}  // namespace ym
