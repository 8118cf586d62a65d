// SPDX-License-Identifier: Apache-2.0
#include "shepherd/kernel_value.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kValueMax = 4096;

}  // namespace

std::string kernel_value(const std::string& path) {
  auto text = read_file(path, kValueMax);
  return text ? std::string(trim(*text)) : std::string();
}

std::uint32_t kernel_number(const std::string& path) {
  return parse_unsigned<std::uint32_t>(kernel_value(path)).value_or(0);
}

Status put_kernel_value(const std::string& path, const std::string& value) {
  int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return fail(errno_text(path));
  bool wrote = ::write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  Status status;
  if (!wrote) status = fail(errno_text(path));
  ::close(fd);
  return status;
}

Status put_kernel_value(const std::string& path, std::uint32_t value) {
  return put_kernel_value(path, fmt::format("{}", value));
}

}  // namespace ym
