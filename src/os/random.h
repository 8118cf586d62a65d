// SPDX-License-Identifier: Apache-2.0
// Bytes that nobody can guess.
#pragma once
#include <cstdint>
#include <span>

namespace ym {

// The kernel's generator, not OpenSSL's: the latter would initialise the whole library for the
// sixteen bytes by which sbatch names a submission, which took longer than the rest of sbatch.
void fill_random(std::span<std::uint8_t> out);

}  // namespace ym
