// SPDX-License-Identifier: Apache-2.0
// fmt::format, built into this room: Debian ships fmt only as a shared library, our commands are
// static.
#pragma once
#include <fmt/core.h>
