// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <zlib.h>

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/yardmaster/sim.h"
#include "os/files.h"
#include "trace/generate.h"
#include "trace/sacct.h"
#include "trace/swf.h"

namespace ym::cli {
namespace {

constexpr std::size_t kTraceBytesMax = std::size_t{4} << 30;
constexpr std::size_t kPiece = 1 << 20;

// Closes what inflateInit2 opened.
class Inflater {
 public:
  Inflater() { ready_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK; }  // 16: gzip only
  ~Inflater() {
    if (ready_) ::inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

Result<std::string> gunzip(std::string_view bytes, std::string_view name, std::size_t max) {
  Inflater inflater;
  if (!inflater.ready()) return fail(fmt::format("{}: no memory to uncompress it", name));
  z_stream& stream = inflater.stream();
  // zlib does not write there; its interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  for (;;) {
    std::size_t have = out.size();
    out.resize(have + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(kPiece);
    int code = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (out.size() > max) return fail(fmt::format("{}: more than {} bytes", name, max));
    if (code == Z_STREAM_END) {
      // A file may be several that were put together.
      if (stream.avail_in == 0) return out;
      if (::inflateReset(&stream) != Z_OK) return fail(fmt::format("{}: damaged", name));
      continue;
    }
    if (code == Z_BUF_ERROR || (code == Z_OK && stream.avail_in == 0 && stream.avail_out > 0))
      return fail(fmt::format("{}: it ends in the middle", name));
    if (code != Z_OK) return fail(fmt::format("{}: the compressed data is damaged", name));
  }
}

Result<std::string> read_maybe_compressed(const std::string& path, std::size_t max) {
  auto bytes = path == "-" ? read_descriptor(STDIN_FILENO, "standard input", kReadMax)
                           : read_file(path, kReadMax);
  if (!bytes) return bytes;
  if (!bytes->starts_with("\x1f\x8b")) return bytes;
  return gunzip(*bytes, path, max);
}

Result<trace::Workload> sim_workload(const SimSettings& settings, const std::string& path) {
  if (!settings.model.empty())
    return trace::generate({.model = settings.model,
                            .jobs = settings.jobs,
                            .seed = settings.seed,
                            .procs = settings.procs});
  auto text = read_maybe_compressed(path, kTraceBytesMax);
  if (!text) return std::unexpected(text.error());
  if (trace::looks_like_sacct(*text)) return trace::read_sacct(*text, path, local_zone());
  if (trace::looks_like_swf(*text)) return trace::read_swf(*text, path, settings.procs);
  return fail(fmt::format(
      "{}: neither Standard Workload Format nor what sacct --parsable2 prints with headers", path));
}

}  // namespace ym::cli
