// SPDX-License-Identifier: Apache-2.0
// What passes between slurmd and the nursery, as packets with files: whatever comes, each file has
// one owner or is closed.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "net/passing.h"
#include "shepherd/nursery.h"

namespace {

// The two ends of a socket, with one packet on its way.
struct Sent {
  ym::Fd here, there;
  Sent(std::string_view bytes, std::size_t files) {
    int ends[2];
    YM_CHECK(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    here = ym::Fd(ends[0]);
    there = ym::Fd(ends[1]);
    std::vector<int> some(std::min(files, ym::kPassedFilesMax), STDERR_FILENO);
    if (!bytes.empty()) YM_CHECK(ym::send_packet(here.get(), bytes, some));
    here = ym::Fd();  // then nothing is waited for
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, std::min(size - 1, 20'000ul));
  std::size_t files = data[0] % 9;
  if (auto birth = ym::receive_birth(Sent(bytes, files).there.get())) {
    YM_CHECK(birth->record && birth->control && birth->errors);
    YM_CHECK(files == 3u + (birth->stream ? 1 : 0) + (birth->residual ? 1 : 0));
    YM_CHECK(birth->title.find('\0') == std::string::npos);
  }
  if (auto born = ym::receive_born(Sent(bytes, files).there.get())) {
    YM_CHECK(born->pid > 0);
    YM_CHECK(born->handle);
  }
  return 0;
}
