// SPDX-License-Identifier: Apache-2.0
#include "shepherd/mpi.h"

#include <set>

#include "base/format.h"
#include "base/text.h"
#include "shepherd/pmix.h"

namespace ym {

Result<std::unique_ptr<MpiSupport>> make_mpi(const ShepherdOrder& order, MpiVoice voice) {
  if (order.mpi.empty() || order.mpi == "none") return nullptr;
  if (order.node_number >= order.shares.size())
    return fail("the order does not tell where the step's tasks are");
  // MPICH's libraries speak PMI-1 on the descriptor that pmi2 gives them, too.
  if (order.mpi == "pmi1" || order.mpi == "pmi2") return make_pmi1(order, std::move(voice));
  if (order.mpi == "pmix" || order.mpi.starts_with("pmix_v"))
    return make_pmix(order, std::move(voice));
  return fail(fmt::format("--mpi={} is not known here", printable(order.mpi, 32)));
}

std::string override_environment(std::string_view block, std::string_view over) {
  auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::set<std::string_view> names;
  for (std::string_view entry : split(over, '\0')) names.insert(name_of(entry));
  std::string out;
  for (std::string_view entry : split(block, '\0')) {
    if (entry.empty() || names.contains(name_of(entry))) continue;
    out.append(entry).push_back('\0');
  }
  return out.append(over);
}

}  // namespace ym
