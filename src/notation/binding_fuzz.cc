// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/binding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto cpu = ym::CpuBind::parse(text);
  if (cpu && !cpu->help) YM_CHECK(ym::CpuBind::parse(cpu->str()) == cpu);
  if (cpu && !cpu->list.empty()) YM_CHECK(!cpu->list.of(12345).empty());
  auto memory = ym::MemBind::parse(text);
  if (memory && !memory->help) YM_CHECK(ym::MemBind::parse(memory->str()) == memory);
  auto list = ym::parse_cpu_list(text);
  if (list) YM_CHECK(ym::parse_cpu_list(ym::print_cpu_list(*list)) == list);
  auto hint = ym::parse_hint(text);
  YM_CHECK(!hint || text.size() < 16);
  return 0;
}
