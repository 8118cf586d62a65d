// SPDX-License-Identifier: Apache-2.0
#include "os/environment.h"

#include <limits.h>
#include <unistd.h>

#include <cstdlib>

namespace ym {

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

std::string program_folder() {
  char path[PATH_MAX];
  ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  std::string program(path, static_cast<std::size_t>(length));
  auto slash = program.rfind('/');
  return slash == std::string::npos ? std::string() : program.substr(0, slash);
}

std::string program_prefix() {
  std::string folder = program_folder();
  auto slash = folder.rfind('/');
  return slash == std::string::npos ? std::string() : folder.substr(0, slash);
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  ::gethostname(name, sizeof name - 1);
  std::string text(name);
  return text.substr(0, text.find('.'));
}

}  // namespace ym
