// SPDX-License-Identifier: Apache-2.0
// MUNGE: who made a credential, by the word of the munged of this machine. Commands make
// credentials with the munge program (they are static, and load no libraries); daemons read them
// through libmunge, which is looked for when it is first needed: no package depends on it.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

struct MungeClaims {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string payload;
};

// What every credential begins with.
inline constexpr std::string_view kMungePrefix = "MUNGE:";

// Our own, with these words inside. `socket` empty: where munged usually is.
Result<std::string> munge_credential(const std::string& socket, const std::string& payload);

// Thread rule: any thread, each call on its own context.
class MungeReader {
 public:
  // Says what is missing if libmunge is not there.
  static Result<MungeReader> open(std::string socket);
  MungeReader(MungeReader&&) noexcept;
  ~MungeReader();

  // Refuses what is forged, expired, of the future, or was read on this machine before. Asks munged
  // over a local socket: some hundred microseconds.
  Result<MungeClaims> read(const std::string& credential) const;

 private:
  struct Library;
  explicit MungeReader(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace ym
